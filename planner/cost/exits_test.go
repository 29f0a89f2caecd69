package cost

import (
	"math"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/profile"
)

// search is out[x] = whether one of the first counts[x] elements of in is larger than x.
func search(points, most int, counts *ir.DataFacts, tall *ir.MaxPyramid) *ir.Kernel {
	b := ir.NewBuilder()
	x := b.Axis("x", points)
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{points + most}, Facts: ir.Facts{Max: tall}}
	table := &ir.Buffer{Name: "counts", Type: ir.I32, Shape: []int{points}, Facts: ir.Facts{Data: counts}}
	out := &ir.Buffer{Name: "out", Type: ir.Bool, Shape: []int{points}}
	threshold := b.Cast(ir.F32, x)
	found := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.Load(table, x), Init: []*ir.Node{b.Const(ir.Bool, 0)}, Monoid: ir.Any}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Or(acc[0], b.Lt(threshold, b.Load(in, b.Add(x, i))))}, nil
	})
	return &ir.Kernel{Name: "search", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: found[0]}}}
}

func TestFoldsThatEndEarly(t *testing.T) {
	const points, most = 1024, 256
	p := profile.Default(1)
	lanes := &device.Layout{Lanes: []int{0}, Flight: 4, FlightOn: map[int]int{0: 4}}
	tall := &ir.MaxPyramid{Tables: []ir.MaxTable{{Block: 16}, {Block: 8}}}
	full := &ir.DataFacts{Least: most, Most: most, Mean: most}
	half := &ir.DataFacts{Least: 0, Most: most, Mean: most / 2}
	for _, c := range []struct {
		name   string
		counts *ir.DataFacts
		tall   *ir.MaxPyramid
		want   float64 // iterations a point
	}{
		{"an answer on any scale", full, nil, open(256, 32)},
		{"half as long on average", half, nil, open(128, 32)},
		{"blocks of 8 left out", full, tall, 8 * (1 + harmonic(31))},
		{"and half as long", half, tall, 8 * (1 + harmonic(15))},
	} {
		loads := workOf(search(points, most, c.counts, c.tall), p, lanes, nil).ns[profile.Contiguous] / p.Ops[profile.Contiguous] / points
		if got := loads - 2; math.Abs(got-c.want) > 0.01*c.want { // the number of iterations is loaded and the result stored
			t.Errorf("%s: %.2f iterations, want %.2f", c.name, got, c.want)
		}
	}
}

func harmonic(n int) (sum float64) {
	for j := 1; j <= n; j++ {
		sum += 1 / float64(j)
	}
	return sum
}

// Never more iterations than there are.
func TestSharesAreShares(t *testing.T) {
	for n := 0.0; n < 50; n += 0.5 {
		if o, c := open(n, 64), culled(n, 8); o > n || c > n || o < 0 || c < 0 {
			t.Errorf("of %g iterations %g or, culled, %g", n, o, c)
		}
	}
}

// One point alone leaves at its answer, whose mean over all scales is known.
func TestOneLaneLeavesAlone(t *testing.T) {
	for _, n := range []float64{10, 100, 1000} {
		if got, want := open(n, 1), (n-1)/math.Log(n); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%g iterations: %g, want %g", n, got, want)
		}
		if one, many := open(n, 1), open(n, 64); many < 1.5*one {
			t.Errorf("%g iterations: 64 lanes leave after %g, one after %g", n, many, one)
		}
	}
}

// What scalar turns compute for what they keep alone is done as often as something is kept.
func TestKeptRarely(t *testing.T) {
	const rows, n = 64, 1000
	p := profile.Default(1)
	work := func(sometimes bool) (map[profile.Class]float64, float64) {
		b := ir.NewBuilder()
		y := b.Axis("y", rows)
		in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, n}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, n}}
		k := &ir.Kernel{Name: "kept", Axes: []*ir.Node{y}}
		b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.I32(0), b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			v := b.Load(in, y, i)
			on := b.Lt(b.F32(1), v)
			k.Stores = append(k.Stores, ir.Store{Buf: out, Index: []*ir.Node{y, acc[0]}, Value: b.Alu(ir.Exp, v), Guard: on, In: i.Fold})
			more := b.Cast(ir.I32, on)
			if !sometimes {
				more = b.I32(1)
			}
			return []*ir.Node{b.Add(acc[0], more), b.Add(acc[1], b.Alu(ir.Log, v))}, nil
		})
		return workOf(k, p, &device.Layout{}, nil).ns, Asked(k, nil).Transcendentals
	}
	always, both := work(false)
	rarely, asked := work(true)
	if want := rows * (n + open(n, 1)); both != 2*rows*n || math.Abs(asked-want) > 1e-6*want {
		t.Errorf("what is kept takes %g functions, and %g if always, want %g and %d", asked, both, want, 2*rows*n)
	}
	if r, want := rarely[profile.Exp]/always[profile.Exp], open(n, 1)/n; math.Abs(r-want) > 1e-9 || rarely[profile.Log] != always[profile.Log] {
		t.Errorf("what is kept takes %.3g of what it would for all, want %.3g; what all take %g and %g", r, want, rarely[profile.Log], always[profile.Log])
	}
}

// Lanes of a sum of sums are joined once for all of them, and added to in that within alone.
func TestSumsOfSumsAreJoinedOnce(t *testing.T) {
	const points, n = 100, 1000
	p := profile.Default(2)
	few := p.Lanes
	c := ir.NewBuilder()
	x := c.Axis("x", points)
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{points, n, few}}
	sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
		return c.Fold(ir.FoldSpec{Lo: c.I32(0), Hi: c.I32(n), Init: []*ir.Node{c.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{c.Add(acc[0], term(i))}, nil
		})[0]
	}
	all := sum(n, func(i *ir.Node) *ir.Node { return sum(few, func(j *ir.Node) *ir.Node { return c.Load(in, x, i, j) }) })
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
	k := &ir.Kernel{Name: "within", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: all}}}
	w := workOf(k, p, &device.Layout{FoldLanes: true}, nil)
	if got, want := w.ns[profile.Simple]/p.Ops[profile.Simple]/points, joined*float64(p.Lanes); math.Abs(got-want) > 0.02*want {
		t.Errorf("joining lanes: %.3f, want %.3f", got, want)
	}
	if got := w.ns[profile.FMA] / p.Ops[profile.FMA] / points / n / float64(few); math.Abs(got-1) > 0.02 {
		t.Errorf("additions: %.3f, want 1", got)
	}
}
