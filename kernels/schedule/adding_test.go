package schedule

import (
	"fmt"
	"testing"

	"weft/kernels/ir"
)

// summed is a kernel of sums over n terms for each of some objects and, with several, of some columns: `rows` of an array that lies object by object,
// `columns` of one that lies term by term, `products` of one with another, `parts` with as many terms as an array says of an object, and sums over what
// lies at places that are computed.
func summed(how string, t ir.DType, objects, n int) *ir.Kernel {
	b := ir.NewBuilder()
	k := &ir.Kernel{Name: how, Axes: []*ir.Node{b.Axis("object", objects)}, Contract: true}
	buf := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: t, Shape: shape} }
	out := buf("out", objects)
	if how == "products" || how == "parts" {
		k.Axes = append(k.Axes, b.Axis("column", 40))
		out.Shape = append(out.Shape, 40)
	}
	object := k.Axes[0]
	terms := b.I32(n)
	if how == "parts" {
		terms = b.Load(&ir.Buffer{Name: "terms", Type: ir.I32, Shape: []int{objects}}, object)
	}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: terms, Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		var x *ir.Node
		switch how {
		case "rows":
			x = b.Load(buf("in", objects, n), object, i)
		case "columns":
			x = b.Load(buf("in", n, objects), i, object)
		case "products", "parts":
			x = b.Mul(b.Load(buf("in", n, objects), i, object), b.Load(buf("other", n, 40), i, k.Axes[1]))
		case "places":
			at := b.Mul(b.Load(buf("speed", objects), object), b.Cast(t, i))
			x = b.Load(buf("in", n, 5000), i, b.Max(b.I32(0), b.Min(b.I32(4999), b.Cast(ir.I32, b.Alu(ir.Rint, at)))))
		}
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Mul(x, x)))}, nil
	})
	k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: b.Cast(t, sum[0])}}
	return k
}

// The order of additions follows from the kernel and not from how many objects it is for, and all schedules, tuned ones too, keep to it.
func TestSumsAddUpAlike(t *testing.T) {
	orders := map[adding]bool{}
	for _, target := range []Target{AVX512, AVX2, Portable} {
		for _, how := range []string{"rows", "columns", "products", "parts", "places"} {
			for _, typ := range []ir.DType{ir.F32, ir.F64} {
				for _, n := range []int{5, 20, 700, 5000} {
					was := newSurvey(summed(how, typ, 1000, n), target).adding()
					orders[was] = true
					if how == "parts" && typ == ir.F32 && was.block != narrowBlock {
						t.Errorf("%s: parts of %d add up as %+v", target.ISA, n, was)
					}
					for _, objects := range []int{1, 2, 7, 15, 64, 1000} {
						k := summed(how, typ, objects, n)
						about := fmt.Sprint(target.ISA, " ", how, " ", typ, " ", objects, " x ", n)
						if got := newSurvey(k, target).adding(); got != was {
							t.Errorf("%s: sums add up as %+v, those of 1000 as %+v", about, got, was)
						}
						rules := Candidates(k, target)
						if len(rules) == 0 {
							t.Errorf("%s: there is no schedule", about)
						}
						for _, c := range rules {
							if !AddsAlike(k, target, c) {
								t.Errorf("%s: %s adds up otherwise", about, c)
							}
							if how == "parts" && was.block > 0 && c.Step(0) > 1 {
								t.Errorf("%s: %s has objects side by side, that end at different turns", about, c)
							}
							if c.FoldLanes != was.turns || was.block > 0 && c.AccBlock == 0 {
								t.Errorf("%s: %s does not add up as %+v", about, c, was)
							}
						}
					}
				}
			}
		}
	}
	if len(orders) < 4 {
		t.Errorf("all sums add up in %d ways: little is tested", len(orders))
	}
}
