package native

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// delaySum is delay and sum of analytic signals on a square probe, positions in samples: each point adds, over the
// elements, the signal linearly interpolated at the distance from point to element, less what the first arrival takes.
type delaySum struct {
	kernel                      *ir.Kernel
	side, samples               int
	signal, x, y, z, pitch, out *ir.Buffer
}

func newDelaySum(nx, ny, nz, side int) delaySum {
	const samples = 559
	vector := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{n}} }
	d := delaySum{side: side, samples: samples, x: vector("x", nx), y: vector("y", ny), z: vector("z", nz), pitch: vector("pitch", side),
		signal: &ir.Buffer{Name: "signal", Type: ir.F32, Shape: []int{side, side, 4, samples}, Pad: ir.Pad{Before: 16, After: 33}},
		out:    &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{2, nx, ny, nz}}}
	b := ir.NewBuilder()
	x, y, z := b.Axis("x", nx), b.Axis("y", ny), b.Axis("z", nz)
	px, py, pz := b.Load(d.x, x), b.Load(d.y, y), b.Load(d.z, z)
	zz := b.Mul(pz, pz)
	away := func(p, e *ir.Node) *ir.Node { s := b.Sub(p, b.Load(d.pitch, e)); return b.Mul(s, s) }
	loop := func(init []*ir.Node, body func(e *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(side), Init: init, Monoid: ir.Sum},
			func(e *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return body(e, acc), nil })
	}
	sum := loop([]*ir.Node{b.F32(0), b.F32(0)}, func(row *ir.Node, acc []*ir.Node) []*ir.Node {
		dy := b.Add(away(py, row), zz)
		return loop(acc, func(column *ir.Node, acc []*ir.Node) []*ir.Node {
			s := b.Sub(b.Add(b.Sqrt(b.Add(away(px, column), dy)), pz), b.F32(150))
			whole := b.Alu(ir.Rint, s)
			u, n := b.Sub(s, whole), b.Cast(ir.I32, whole)
			inside := b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(samples)))
			at := func(c int) *ir.Node { return b.LoadOr(d.signal, inside, b.F32(0), row, column, b.I32(c), n) }
			re, im := b.Add(b.Mul(u, at(2)), at(0)), b.Add(b.Mul(u, at(3)), at(1))
			uu := b.Mul(u, u) // sine and cosine of a quarter turn times u
			sin := b.Mul(u, b.Add(b.Mul(b.Add(b.Mul(b.F32(0.0790), uu), b.F32(-0.6457)), uu), b.F32(1.5708)))
			cos := b.Add(b.Mul(b.Add(b.Mul(b.F32(0.2516), uu), b.F32(-1.2335)), uu), b.F32(1))
			return []*ir.Node{b.Sub(b.Add(acc[0], b.Mul(re, cos)), b.Mul(im, sin)), b.Add(b.Add(acc[1], b.Mul(re, sin)), b.Mul(im, cos))}
		})
	})
	d.kernel = &ir.Kernel{Name: "delaysum", Axes: []*ir.Node{x, y, z}, Contract: true, Stores: []ir.Store{
		{Buf: d.out, Index: []*ir.Node{b.I32(0), x, y, z}, Value: sum[0]},
		{Buf: d.out, Index: []*ir.Node{b.I32(1), x, y, z}, Value: sum[1]},
	}}
	return d
}

// bindings has a box of 20 mm under a probe of 0.3 mm pitch at 12 MHz and 1540 m/s, and noise for signals.
func (s delaySum) bindings(t testing.TB, d device.Device) device.Bindings {
	t.Helper()
	b := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	rng := rand.New(rand.NewPCG(1, 2))
	const perMetre = 12e6 / 1540
	fill := func(buf *ir.Buffer, value func(i int) float64) {
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		b.Mem[buf] = m
		v := make([]float64, buf.Len())
		for i := range v {
			v[i] = value(i)
		}
		device.SetFloats(buf, m.Host(), v)
	}
	grid := func(lo, hi float64, n int) func(int) float64 {
		return func(i int) float64 { return perMetre * (lo + (hi-lo)*float64(i)/float64(n-1)) }
	}
	fill(s.x, grid(-10e-3, 10e-3, s.x.Len()))
	fill(s.y, grid(-10e-3, 10e-3, s.y.Len()))
	fill(s.z, grid(20e-3, 40e-3, s.z.Len()))
	half := 0.15e-3 * float64(s.side-1)
	fill(s.pitch, grid(-half, half, s.side))
	fill(s.signal, func(int) float64 { return rng.Float64() - 0.5 })
	fill(s.out, func(int) float64 { return 0 })
	return b
}

// cover launches over a whole kernel in slabs of its outermost axis, one goroutine a processor.
func cover(t testing.TB, k *ir.Kernel, launch func(region.Region) error, slab int) {
	t.Helper()
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				tile := k.Domain()
				lo := int(next.Add(int64(slab))) - slab
				if lo >= tile[0].Hi {
					return
				}
				tile[0] = region.Interval{Lo: lo, Hi: min(lo+slab, tile[0].Hi)}
				if err := launch(tile); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestSchedulesAgree compares every candidate schedule of a kernel that has windows, tables and guards with the scalar one.
func TestSchedulesAgree(t *testing.T) {
	best := open(t, "").target
	for _, l := range levels {
		t.Run(l.target.ISA, func(t *testing.T) {
			if testing.Short() && l.target != best {
				t.Skip("short run")
			}
			d := quick(t, l.target.ISA)
			s := newDelaySum(9, 10, 35, 8)
			b := s.bindings(t, d)
			schedules := append([]schedule.CPU{{}, schedule.Default(s.kernel, d.target)}, schedule.Candidates(s.kernel, d.target)...)
			var variants []*variant
			for _, schedule := range schedules {
				v, err := d.render(s.kernel, schedule, c.Way{})
				if err != nil {
					t.Fatal(err)
				}
				variants = append(variants, v)
			}
			if err := d.build(context.Background(), variants, nil); err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, v := range variants {
				c, err := newCall(v, b)
				if err != nil {
					t.Fatal(err)
				}
				out := b.Mem[s.out].Host()
				clear(out)
				cover(t, s.kernel, c.launch, 4)
				got := device.Floats(s.out, out)
				if want == nil {
					want = got
				}
				apart := 0 // a delay within rounding of a tie may take either neighbour sample
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-3) {
						apart++
					}
				}
				if apart > len(want)/200 {
					t.Errorf("%s: %d of %d values differ from the scalar schedule's", v.schedule.Text(s.kernel), apart, len(want))
				}
			}
		})
	}
}
