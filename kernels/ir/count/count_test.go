package count

import (
	"testing"

	"weft/kernels/ir"
)

// The sample kernel: 6 rows of 9 multiply-adds of f32 and f16, then a scaling and a comparison.
func TestCostOf(t *testing.T) {
	k := sampleKernel()
	c := CostOf(k)
	loads := map[string]float64{}
	for b, n := range c.Loads {
		loads[b.Name] = n
	}
	if loads["a"] != 54 || loads["x"] != 9 {
		t.Errorf("loads %v, want 54 of a and, hoisted out of the rows, 9 of x", loads)
	}
	if c.Flops != 2*54+2*6 || c.Stores != 6 || c.Transcendentals != 0 {
		t.Errorf("%+v", c)
	}
	if want := 54.0 + 9 + 2*54 + 2*6; c.NodeEvals != want {
		t.Errorf("%v operations, want %v", c.NodeEvals, want)
	}
}

func TestCostOfNestedFolds(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 10)
	out := sumOver(b, b.I32(0), b.I32(4), func(i *ir.Node) *ir.Node {
		return sumOver(b, b.I32(0), b.I32(3), func(j *ir.Node) *ir.Node { return b.Cast(ir.I32, b.Alu(ir.Exp, b.Cast(ir.F32, b.Mul(i, j)))) })
	})
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "o", Type: ir.I32, Shape: []int{10}}, Index: []*ir.Node{x}, Value: b.Add(out, x)}}}
	if c := CostOf(k); c.Transcendentals != 12 {
		t.Errorf("%v exponentials, want 12: they depend on the two folds, not on x", c.Transcendentals)
	}
}

// Where elements are, and whether they are taken at all, is no arithmetic.
func TestCostOfGuards(t *testing.T) {
	b := ir.NewBuilder()
	i := b.Axis("i", 10)
	at, in, out := &ir.Buffer{Name: "at", Type: ir.I32, Shape: []int{10}}, &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{8}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{10}}
	place := b.Load(at, i)
	inside := b.And(b.Le(b.I32(0), place), b.Lt(place, b.I32(8)))
	x := b.Select(inside, b.Load(in, b.Select(inside, place, b.I32(0))), b.F32(0))
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{i}, Value: b.Mul(x, b.F32(3)), Guard: b.Lt(x, b.F32(2))}}}
	if c := CostOf(k); c.Arithmetic != 2*10 || c.Flops <= c.Arithmetic {
		t.Errorf("%g operations, want a product and a comparison of each element", c.Arithmetic)
	}
}

// A product of ragged rows with a vector turns as often as there are elements, which the row starts say.
func TestTripsOfParts(t *testing.T) {
	const rows, elements = 1000, 340 * 1000
	b := ir.NewBuilder()
	start := &ir.Buffer{Name: "start", Type: ir.I64, Shape: []int{rows + 1}, Facts: ir.Facts{Parts: elements}}
	value := &ir.Buffer{Name: "value", Type: ir.F32, Shape: []int{elements}}
	r := b.Axis("row", rows)
	at := func(i *ir.Node) *ir.Node { return b.Cast(ir.I32, b.Load(start, i)) }
	sum := b.Fold(ir.FoldSpec{Lo: at(r), Hi: at(b.Add(r, b.I32(1))), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Cast(ir.F32, b.Load(value, i)), b.Cast(ir.F32, i)))}, nil
	})
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{r}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "o", Type: ir.F32, Shape: []int{rows}}, Index: []*ir.Node{r}, Value: sum[0]}}}
	if c := CostOf(k); c.Flops != 2*elements || c.Loads[value] != elements {
		t.Errorf("%g operations and %g loads, want 2 and 1 for each of %d elements", c.Flops, c.Loads[value], elements)
	}
	start.Facts.Parts = 0
	if c := CostOf(k); c.Flops != 2*rows*UnknownTrips {
		t.Errorf("%g operations where nothing is known of the rows", c.Flops)
	}
	clamped := func(i *ir.Node) *ir.Node { return b.Max(b.I32(0), b.Min(b.I32(elements), at(i))) }
	sum = b.Fold(ir.FoldSpec{Lo: clamped(r), Hi: clamped(b.Add(r, b.I32(1))), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Load(value, i))}, nil
	})
	k.Stores[0].Value = sum[0]
	if c := CostOf(k); c.Loads[value] != elements {
		t.Errorf("%g loads of %d elements that rows are taken to part", c.Loads[value], elements)
	}
}

// A fold from as far before a point as behind it, by what one element of an array says, turns as often as it may, and does not share its turns with
// the other elements: by these it would turn less than once.
func TestTripsAboutAPoint(t *testing.T) {
	const points, reach = 500, 70
	b := ir.NewBuilder()
	width := &ir.Buffer{Name: "width", Type: ir.I32, Shape: []int{points}}
	x := b.Axis("x", points)
	far := b.Max(b.I32(0), b.Min(b.I32(reach), b.Load(width, x)))
	sum := b.Fold(ir.FoldSpec{Lo: b.Sub(b.I32(reach), far), Hi: b.Add(b.I32(reach), far), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F32, i))}, nil
	})
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "o", Type: ir.F32, Shape: []int{points}}, Index: []*ir.Node{x}, Value: sum[0]}}}
	if c := CostOf(k); c.Flops < points*reach || c.Flops > 2*points*2*reach {
		t.Errorf("%g operations of %d points with up to %d turns", c.Flops, points, 2*reach)
	}
}

// What depends on a fold's index is computed in every run of the fold, if loops stay as they are.
func TestTripsCountRunsOfFolds(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 10)
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{10, 7}}
	var inner *ir.Node
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(7), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		inner = b.Alu(ir.Exp, b.Cast(ir.F32, i))
		return []*ir.Node{b.Add(acc[0], b.Mul(inner, b.Load(in, x, i)))}, nil
	})
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "o", Type: ir.F32, Shape: []int{10}}, Index: []*ir.Node{x}, Value: sum[0]}}}
	if n := Trips(k)(inner.Free()); n != 70 {
		t.Errorf("computed %g times, want 70", n)
	}
	if c := CostOf(k); c.Transcendentals != 7 {
		t.Errorf("%g of them are different, want 7", c.Transcendentals)
	}
}

// What depends on an inner axis alone is computed in every turn of the outer ones, which an order of the loops decides.
func TestAroundCountsOuterAxes(t *testing.T) {
	b := ir.NewBuilder()
	x, y := b.Axis("x", 10), b.Axis("y", 7)
	onX, onY := b.Alu(ir.Exp, b.Cast(ir.F32, x)), b.Alu(ir.Exp, b.Cast(ir.F32, y))
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "o", Type: ir.F32, Shape: []int{10, 7}}, Index: []*ir.Node{x, y}, Value: b.Mul(onX, onY)}}}
	for _, c := range []struct {
		order  []int
		onX, y float64
	}{{nil, 10, 70}, {[]int{0, 1}, 10, 70}, {[]int{1, 0}, 70, 7}} {
		trips, around := Trips(k), Around(k, c.order)
		if a, b := trips(around(onX.Free())), trips(around(onY.Free())); a != c.onX || b != c.y {
			t.Errorf("order %v: computed %g and %g times, want %g and %g", c.order, a, b, c.onX, c.y)
		}
	}
}

// sampleKernel is a scaled product of a matrix of two types with a vector, where it is positive.
func sampleKernel() *ir.Kernel {
	b := ir.NewBuilder()
	a := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{6, 9}, Pad: ir.Pad{Before: 2, After: 2}}
	x := &ir.Buffer{Name: "x", Type: ir.F16, Shape: []int{9}}
	y := &ir.Buffer{Name: "y", Type: ir.F32, Shape: []int{6}}
	i := b.Axis("row", 6)
	scale := b.Arg(ir.F32, "scale")
	dot := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(9), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(a, i, j), b.Load(x, j)))}, nil
	})
	positive := b.Lt(b.F32(0), dot[0])
	return &ir.Kernel{Name: "matvec", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: y, Index: []*ir.Node{i}, Value: b.Mul(scale, dot[0]), Guard: positive}}}
}

func sumOver(b *ir.Builder, lo, hi *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
	return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], term(i))}, nil
	})[0]
}

// Ends that are clamped, and so many turns apart wherever they lie, are no further apart than that.
func TestTripsOfClampedEnds(t *testing.T) {
	const rows, elements = 1000, 340 * 1000
	b := ir.NewBuilder()
	from := &ir.Buffer{Name: "from", Type: ir.I64, Shape: []int{rows}}
	last := &ir.Buffer{Name: "last", Type: ir.I64, Shape: []int{rows}}
	r := b.Axis("row", rows)
	clamp := func(x *ir.Node, least, most float64) *ir.Node {
		return b.Max(b.Min(x, b.Const(ir.I64, most)), b.Const(ir.I64, least))
	}
	trips := func(lo, hi *ir.Node) float64 {
		var turns float64
		sumOver(b, b.Cast(ir.I32, lo), b.Add(b.Cast(ir.I32, hi), b.I32(1)), func(i *ir.Node) *ir.Node {
			turns = MostTrips(i.Fold)
			return i
		})
		return turns
	}
	start := b.Load(from, r)
	near := b.Min(b.Add(start, b.Const(ir.I64, 15)), b.Load(last, r))
	if n := trips(clamp(start, 0, elements), clamp(near, -1, elements-1)); n != 16 {
		t.Errorf("%g turns, want 16 at most", n)
	}
	if n := trips(clamp(start, 0, elements), clamp(b.Load(last, r), -1, elements-1)); n != elements/rows {
		t.Errorf("%g turns between ends that do not hang together, want %d", n, elements/rows)
	}
	up := b.Max(start, b.Load(last, r)) // as far above the start as the other end is
	if n := trips(clamp(start, 0, elements), clamp(up, -1, elements-1)); n < elements/rows {
		t.Errorf("%g turns to the greater of two, want %d at least", n, elements/rows)
	}
	if n := trips(clamp(up, 0, elements), clamp(near, -1, elements-1)); n != 1 {
		t.Errorf("%g turns from the greater of two to what is no greater than the other, want 1 at most", n)
	}
}
