package ops

import (
	"testing"

	"weft/kernels/ir"
)

// link reads its input at two places, as an index does of which several are made from one another.
type link struct {
	Gives
	lowered, built *int
}

func (k link) Lower(l *Lowering) []*Stage {
	*k.lowered++
	in := l.In("input")
	return []*Stage{l.Stage("", k.Gives[0].Type, []*Stage{in}, func(b *Body, index []*ir.Node) Elem {
		*k.built++
		return Real(b.Max(b.Min(b.Add(in.At(b, index...).Re, b.I32(1)), b.I32(1000)), b.I32(0)))
	})}
}

func TestBoundsOfManyArraysTakeWorkForEachAlone(t *testing.T) {
	spec := &Spec{Name: "link", Params: []Param{{Name: "input", Accept: KArray}}}
	work := func(n int) (lowered, built int) {
		gives := Gives{{Type: Type{Elem: I32, Dims: []Dim{{Name: "x", Size: 8}}}}}
		of := Array{Of: &Instance{Spec: &Spec{Name: "source"}, Call: &Call{Spec: &Spec{}}, Bound: gives, Out: gives}}
		for range n {
			of = Array{Of: &Instance{Spec: spec, Call: &Call{Spec: spec, Args: map[string]Value{"input": of}}, Bound: link{gives, &lowered, &built}, Out: gives}}
			if lo, hi, nan, ok := Bounds(of); lo < 0 || hi != 1000 || nan || !ok {
				t.Fatal(lo, hi, nan, ok)
			}
			if Leaves32([]Array{of}, func(b *Body, x []Elem) Elem { return Real(b.Mul(x[0].Re, x[0].Re)) }) {
				t.Fatal("1000 * 1000 left 32 bits")
			}
		}
		return
	}
	for _, n := range []int{50, 400} {
		if lowered, built := work(n); lowered != n || built > 3*(mostReads+1)*n { // by what is asked: both with and without files, and a product
			t.Errorf("%d arrays: lowered %d times, elements built %d times", n, lowered, built)
		}
	}
}
