package render

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weft/kernels/ir"
)

// beam is delay and sum as an operator builds it: a matrix probe, a first-arrival transmit law, linear interpolation
// between samples in a table (value and slope, real and imaginary), and a phase rotation by a short polynomial.
type beam struct {
	k                     *ir.Kernel
	nx, ny, nz            int
	rows, cols, samples   int
	flat                  bool
	t, x, y, z, ex, ey, o *ir.Buffer
}

func newBeam(nx, ny, nz, rows, cols int, flat bool) *beam {
	const samples = 559
	m := &beam{nx: nx, ny: ny, nz: nz, rows: rows, cols: cols, samples: samples, flat: flat}
	vec := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{n}} }
	ne := rows * cols
	m.t = &ir.Buffer{Name: "T", Type: ir.F32, Shape: []int{ne, 4, samples}, Pad: ir.Pad{Before: 16, After: 32 + 1}}
	m.x, m.y, m.z = vec("X", nx), vec("Y", ny), vec("Z", nz)
	m.ex, m.ey = vec("EX", cols), vec("EY", rows)
	if flat {
		m.ex, m.ey = vec("EX", ne), vec("EY", ne)
	}
	m.o = &ir.Buffer{Name: "O", Type: ir.F32, Shape: []int{2, nx, ny, nz}}

	b := ir.NewBuilder()
	x, y, z := b.Axis("x", nx), b.Axis("y", ny), b.Axis("z", nz)
	px, py, pz := b.Load(m.x, x), b.Load(m.y, y), b.Load(m.z, z)
	z2 := b.Mul(pz, pz)
	square := func(a, c *ir.Node) *ir.Node { d := b.Sub(a, c); return b.Mul(d, d) }
	over := func(mon ir.Monoid, init []*ir.Node, term func(e, lateral *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
		if flat {
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(ne), Init: init, Monoid: mon}, func(e *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return term(e, b.Add(square(px, b.Load(m.ex, e)), square(py, b.Load(m.ey, e))), acc), nil
			})
		}
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: init, Monoid: mon}, func(j *ir.Node, outer []*ir.Node) ([]*ir.Node, *ir.Node) {
			dy := square(py, b.Load(m.ey, j))
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(cols), Init: outer, Monoid: mon}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return term(b.Add(b.Mul(j, b.I32(cols)), i), b.Add(square(px, b.Load(m.ex, i)), dy), acc), nil
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
		at := func(c int) *ir.Node { return b.LoadOr(m.t, inside, f(0), e, b.I32(c), n) }
		vr, vi := b.Add(b.Mul(u, at(2)), at(0)), b.Add(b.Mul(u, at(3)), at(1))
		q := b.Mul(u, u)
		sn := b.Mul(u, b.Add(b.Mul(b.Add(b.Mul(f(0.0790), q), f(-0.6457)), q), f(1.5708)))
		cn := b.Add(b.Mul(b.Add(b.Mul(f(0.2516), q), f(-1.2335)), q), f(1))
		return []*ir.Node{
			b.Sub(b.Add(acc[0], b.Mul(vr, cn)), b.Mul(vi, sn)),
			b.Add(b.Add(acc[1], b.Mul(vr, sn)), b.Mul(vi, cn)),
		}
	})
	m.k = &ir.Kernel{Name: "beam", Axes: []*ir.Node{x, y, z}, Contract: true, Stores: []ir.Store{
		{Buf: m.o, Index: []*ir.Node{b.I32(0), x, y, z}, Value: sum[0]},
		{Buf: m.o, Index: []*ir.Node{b.I32(1), x, y, z}, Value: sum[1]},
	}}
	return m
}

// data are coordinates in samples of a probe of 0.3 mm pitch above a box, and noise for signals.
func (m *beam) data() map[*ir.Buffer]*memory {
	rng := rand.New(rand.NewPCG(1, 2))
	mem := map[*ir.Buffer]*memory{}
	for _, b := range []*ir.Buffer{m.t, m.x, m.y, m.z, m.ex, m.ey, m.o} {
		mem[b] = alloc(b)
	}
	const perMetre = 12e6 / 1540
	grid := func(b *ir.Buffer, lo, hi float64) {
		n := b.Shape[0]
		for i := range n {
			mem[b].f32(i)[0] = float32(perMetre * (lo + (hi-lo)*float64(i)/float64(max(1, n-1))))
		}
	}
	grid(m.x, -10e-3, 10e-3)
	grid(m.y, -10e-3, 10e-3)
	grid(m.z, 20e-3, 40e-3)
	for e := range m.ex.Shape[0] {
		c := e % m.cols
		mem[m.ex].f32(e)[0] = float32(perMetre * 0.3e-3 * (float64(c) - float64(m.cols-1)/2))
	}
	for e := range m.ey.Shape[0] {
		r := e
		if m.flat {
			r = e / m.cols
		}
		mem[m.ey].f32(e)[0] = float32(perMetre * 0.3e-3 * (float64(r) - float64(m.rows-1)/2))
	}
	for row := range m.rows * m.cols * 4 {
		cells := mem[m.t].f32(row * m.t.Row())
		for n := range m.samples {
			cells[n] = rng.Float32() - 0.5
		}
	}
	return mem
}

func (m *beam) schedule(v int) Schedule {
	return Schedule{Order: []int{0, 1, 2}, Lanes: []AxisN{{0, 4}, {1, 4}}, Unroll: []AxisN{{2, v}}, Window: 16, Guard: true, Table: 32}
}

// TestBeamAgreesWithScalar takes a tile of no whole number of steps from a grid as fine as real ones, so that windows
// serve nearly all loads; and once without the copy of the body that gathers, to show that they do.
func TestBeamAgreesWithScalar(t *testing.T) {
	lo, hi := []int32{24, 30, 5}, []int32{33, 37, 18}
	for _, flat := range []bool{false, true} {
		m := newBeam(64, 64, 128, 8, 8, flat)
		mem := m.data()
		out := mem[m.o].f32(0)[:m.o.Len()]
		build(t, m.k, Schedule{}, Portable).call(mem, lo, hi)
		want := append([]float32{}, out...)
		for _, target := range []Target{AVX512, AVX2, Portable} {
			if !runs(t, target) {
				continue
			}
			rule := Default(m.k, target)
			gather := rule
			gather.Window, gather.Guard, gather.Table = 0, false, 0
			for name, c := range map[string]*compiled{
				"rule": build(t, m.k, rule, target), "gather": build(t, m.k, gather, target),
				"only windows": buildEdited(t, m.k, rule, target, func(c string) string {
					return regexp.MustCompile(`__builtin_expect\(v_any\(w\d+\), 0\)`).ReplaceAllString(c, "0")
				}),
			} {
				clear(out)
				c.call(mem, lo, hi)
				d, peak := maxDiff(out, want)
				if !(d < 1e-4*peak) {
					t.Errorf("%s flat=%v %s: off by %g of %g", target.ISA, flat, name, d, peak)
				}
			}
		}
	}
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)*1e-6
}

// BenchmarkBeam runs 64 x 64 x 128 voxels of 1024 elements on two goroutines over tiles.
func BenchmarkBeam(b *testing.B) {
	if !runs(b, AVX512) {
		b.Skip("no AVX-512")
	}
	m := newBeam(64, 64, 128, 32, 32, false)
	mem := m.data()
	gather := m.schedule(4)
	gather.Window, gather.Guard, gather.Table = 0, false, 0
	for _, c := range []struct {
		name string
		s    Schedule
	}{{"window8", m.schedule(8)}, {"window4", m.schedule(4)}, {"gather", gather}} {
		b.Run(c.name, func(b *testing.B) {
			k := build(b, m.k, c.s, AVX512)
			pairs := float64(m.nx*m.ny*m.nz) * float64(m.rows*m.cols)
			b.ResetTimer()
			var walls, cpus []float64
			for range b.N {
				begin, cpu := time.Now(), cpuSeconds()
				var next atomic.Int32
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						for {
							x := next.Add(4) - 4
							if int(x) >= m.nx {
								return
							}
							k.call(mem, []int32{x, 0, 0}, []int32{x + 4, int32(m.ny), int32(m.nz)})
						}
					})
				}
				wg.Wait()
				walls, cpus = append(walls, time.Since(begin).Seconds()), append(cpus, cpuSeconds()-cpu)
			}
			slices.Sort(walls)
			slices.Sort(cpus)
			b.ReportMetric(pairs/walls[len(walls)/2]/1e9, "Gpair/s")
			b.ReportMetric(pairs/cpus[len(cpus)/2]/1e9, "Gpair/cpu-s")
			b.ReportMetric(pairs/cpus[0]/1e9, "best-Gpair/cpu-s")
		})
	}
}
