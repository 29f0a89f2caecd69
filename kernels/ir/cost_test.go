package ir

import "testing"

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
	b := NewBuilder()
	x := b.Axis("x", 10)
	out := sumOver(b, b.I32(0), b.I32(4), func(i *Node) *Node {
		return sumOver(b, b.I32(0), b.I32(3), func(j *Node) *Node { return b.Cast(I32, b.Alu(Exp, b.Cast(F32, b.Mul(i, j)))) })
	})
	k := &Kernel{Name: "k", Axes: []*Node{x}, Stores: []Store{{Buf: &Buffer{Name: "o", Type: I32, Shape: []int{10}}, Index: []*Node{x}, Value: b.Add(out, x)}}}
	if c := CostOf(k); c.Transcendentals != 12 {
		t.Errorf("%v exponentials, want 12: they depend on the two folds, not on x", c.Transcendentals)
	}
}

// A product of ragged rows with a vector turns as often as there are elements, which the row starts say.
func TestTripsOfParts(t *testing.T) {
	const rows, elements = 1000, 340 * 1000
	b := NewBuilder()
	start := &Buffer{Name: "start", Type: I64, Shape: []int{rows + 1}, Facts: Facts{Parts: elements}}
	value := &Buffer{Name: "value", Type: F32, Shape: []int{elements}}
	r := b.Axis("row", rows)
	at := func(i *Node) *Node { return b.Cast(I32, b.Load(start, i)) }
	sum := b.Fold(FoldSpec{Lo: at(r), Hi: at(b.Add(r, b.I32(1))), Init: []*Node{b.F32(0)}, Monoid: Sum}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Add(acc[0], b.Mul(b.Cast(F32, b.Load(value, i)), b.Cast(F32, i)))}, nil
	})
	k := &Kernel{Name: "k", Axes: []*Node{r}, Stores: []Store{{Buf: &Buffer{Name: "o", Type: F32, Shape: []int{rows}}, Index: []*Node{r}, Value: sum[0]}}}
	if c := CostOf(k); c.Flops != 2*elements || c.Loads[value] != elements {
		t.Errorf("%g operations and %g loads, want 2 and 1 for each of %d elements", c.Flops, c.Loads[value], elements)
	}
	start.Facts.Parts = 0
	if c := CostOf(k); c.Flops != 2*rows*UnknownTrips {
		t.Errorf("%g operations where nothing is known of the rows", c.Flops)
	}
}

// What depends on a fold's index is computed in every run of the fold, if loops stay as they are.
func TestTripsCountRunsOfFolds(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 10)
	in := &Buffer{Name: "in", Type: F32, Shape: []int{10, 7}}
	var inner *Node
	sum := b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(7), Init: []*Node{b.F32(0)}, Monoid: Sum}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		inner = b.Alu(Exp, b.Cast(F32, i))
		return []*Node{b.Add(acc[0], b.Mul(inner, b.Load(in, x, i)))}, nil
	})
	k := &Kernel{Name: "k", Axes: []*Node{x}, Stores: []Store{{Buf: &Buffer{Name: "o", Type: F32, Shape: []int{10}}, Index: []*Node{x}, Value: sum[0]}}}
	if n := Trips(k)(inner.Free()); n != 70 {
		t.Errorf("computed %g times, want 70", n)
	}
	if c := CostOf(k); c.Transcendentals != 7 {
		t.Errorf("%g of them are different, want 7", c.Transcendentals)
	}
}
