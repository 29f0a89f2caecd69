package conformance

import (
	"math"

	"weft/kernels/ir"
)

// Beam is delay and sum as an operator builds it: a matrix probe, a first-arrival transmit law, linear interpolation
// between samples in a table (value and slope, real and imaginary), and a phase rotation by a short polynomial.
type Beam struct {
	Kernel                *ir.Kernel
	NX, NY, NZ            int
	Rows, Cols, Samples   int
	Flat                  bool // of any probe: elements are listed one by one
	T, X, Y, Z, EX, EY, O *ir.Buffer
}

// NewBeam is the kernel of a grid of points and a probe of rows and columns.
func NewBeam(nx, ny, nz, rows, cols int, flat bool) *Beam {
	const samples = 559
	m := &Beam{NX: nx, NY: ny, NZ: nz, Rows: rows, Cols: cols, Samples: samples, Flat: flat}
	vec := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{n}} }
	ne := rows * cols
	m.T = &ir.Buffer{Name: "T", Type: ir.F32, Shape: []int{ne, 4, samples}, Pad: ir.Pad{Before: 16, After: 32 + 1}}
	m.X, m.Y, m.Z = vec("X", nx), vec("Y", ny), vec("Z", nz)
	m.EX, m.EY = vec("EX", cols), vec("EY", rows)
	if flat {
		m.EX, m.EY = vec("EX", ne), vec("EY", ne)
	}
	m.O = &ir.Buffer{Name: "O", Type: ir.F32, Shape: []int{2, nx, ny, nz}}

	b := ir.NewBuilder()
	x, y, z := b.Axis("x", nx), b.Axis("y", ny), b.Axis("z", nz)
	px, py, pz := b.Load(m.X, x), b.Load(m.Y, y), b.Load(m.Z, z)
	z2 := b.Mul(pz, pz)
	square := func(a, c *ir.Node) *ir.Node { d := b.Sub(a, c); return b.Mul(d, d) }
	over := func(mon ir.Monoid, init []*ir.Node, term func(e, lateral *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
		if flat {
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(ne), Init: init, Monoid: mon}, func(e *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return term(e, b.Add(square(px, b.Load(m.EX, e)), square(py, b.Load(m.EY, e))), acc), nil
			})
		}
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: init, Monoid: mon}, func(j *ir.Node, outer []*ir.Node) ([]*ir.Node, *ir.Node) {
			dy := square(py, b.Load(m.EY, j))
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(cols), Init: outer, Monoid: mon}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return term(b.Add(b.Mul(j, b.I32(cols)), i), b.Add(square(px, b.Load(m.EX, i)), dy), acc), nil
			}), nil
		})
	}
	nearest := over(ir.Smallest, []*ir.Node{b.F32(1e30)}, func(e, lateral *ir.Node, acc []*ir.Node) []*ir.Node {
		return []*ir.Node{b.Min(acc[0], lateral)}
	})[0]
	off := b.Add(b.Sqrt(b.Add(nearest, z2)), b.F32(-180.5))
	f := b.F32
	sum := over(ir.Sum, []*ir.Node{f(0), f(0)}, func(e, lateral *ir.Node, acc []*ir.Node) []*ir.Node {
		s := b.Add(b.Sqrt(b.Add(lateral, z2)), off)
		whole := b.Alu(ir.Rint, s)
		u := b.Sub(s, whole)
		n := b.Cast(ir.I32, whole)
		inside := b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(samples)))
		at := func(c int) *ir.Node { return b.LoadOr(m.T, inside, f(0), e, b.I32(c), n) }
		vr, vi := b.Add(b.Mul(u, at(2)), at(0)), b.Add(b.Mul(u, at(3)), at(1))
		q := b.Mul(u, u)
		sn := b.Mul(u, b.Add(b.Mul(b.Add(b.Mul(f(0.0790), q), f(-0.6457)), q), f(1.5708)))
		cn := b.Add(b.Mul(b.Add(b.Mul(f(0.2516), q), f(-1.2335)), q), f(1))
		return []*ir.Node{
			b.Sub(b.Add(acc[0], b.Mul(vr, cn)), b.Mul(vi, sn)),
			b.Add(b.Add(acc[1], b.Mul(vr, sn)), b.Mul(vi, cn)),
		}
	})
	m.Kernel = &ir.Kernel{Name: "beam", Axes: []*ir.Node{x, y, z}, Contract: true, Stores: []ir.Store{
		{Buf: m.O, Index: []*ir.Node{b.I32(0), x, y, z}, Value: sum[0]},
		{Buf: m.O, Index: []*ir.Node{b.I32(1), x, y, z}, Value: sum[1]},
	}}
	return m
}

// Know tells a beam's coordinates, in samples: a probe of 4.65 mm to either side, and a box.
func (m *Beam) Know(side, near, far, perMM float64) *Beam {
	line := func(b *ir.Buffer, lo, hi float64) {
		data := make([]float64, b.Shape[0])
		for i := range data {
			data[i] = perMM * (lo + (hi-lo)*float64(i)/float64(max(1, len(data)-1)))
		}
		b.Facts.Data = ir.DataFactsOf(data, len(data))
	}
	line(m.X, -side, side)
	line(m.Y, -side, side)
	line(m.Z, near, far)
	for _, e := range []*ir.Buffer{m.EX, m.EY} {
		if !m.Flat {
			line(e, -4.65, 4.65)
			continue
		}
		data := make([]float64, e.Shape[0])
		for i := range data {
			data[i] = perMM * 4.65 * math.Sin(float64(i*i))
		}
		e.Facts.Data = ir.DataFactsOf(data, len(data))
	}
	return m
}
