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
