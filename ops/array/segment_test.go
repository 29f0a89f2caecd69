package array

import (
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// places is a source of indices, of which is known where they lie.
type places struct {
	ops.Gives
	lo, hi float64
	ops.Source
}

func (p places) Outputs() []ops.Output                 { return p.Gives }
func (p places) Range(int) (lo, hi float64, err error) { return p.lo, p.hi, nil }

func placesIn(lo, hi float64, e ops.ElemType, dims ...ops.Dim) ops.Array {
	gives := ops.One(ops.Type{Elem: e, Dims: dims})
	return ops.Array{Of: &ops.Instance{Bound: places{Gives: gives, lo: lo, hi: hi}, Out: gives}}
}

// Reductions through a part of a dim for each element of the ends: empty ones, ones that overlap, and ends over dims of the array.
func TestSegments(t *testing.T) {
	d := []ops.Dim{optest.Dim("x", 3), optest.Dim("k", 9), optest.Dim("l", 2)}
	first := ops.Dense{Shape: []int{5}, Re: []float64{0, 2, 2, 7, 9}}
	last := ops.Dense{Shape: []int{5}, Re: []float64{1, 1, 8, 7, 8}}
	byRow := ops.Dense{Shape: []int{3, 5}, Re: []float64{1, 1, 8, 7, 8, -1, 4, 2, 8, 8, 0, 0, 3, 6, 8}}
	for _, name := range []string{"sum", "mean", "norm", "min", "max", "argmin", "argmax", "any", "all", "median"} {
		for i, e := range []ops.ElemType{ops.Bool, i16, ops.F32, ops.F64, ops.C64} {
			for j, e2 := range []ops.ElemType{ops.I64, ops.I32, i16} {
				a := optest.NewArgs()
				a.Seed, a.NaN = uint64(10*i+j), 0.1*float64(j%2)
				a.Array("a", ops.Type{Elem: e, Dims: d})
				if _, err := spec(t, name).Bind(optest.Call(spec(t, name), a.Values)); err != nil {
					continue
				}
				s := ops.Segment{Dim: "k", From: placesIn(0, 9, e2, optest.Dim("row", 5)), To: placesIn(-1, 8, e2, optest.Dim("row", 5))}
				a.Data["over"], a.Data[ops.ReferenceKey("over", 1)] = first, last
				a.With("over", s).Check(t, spec(t, name))
				a.With("over", ops.List{s, ops.Symbol("l")}).Check(t, spec(t, name))
				s.To = placesIn(-1, 8, e2, optest.Dim("x", 3), optest.Dim("row", 5))
				a.Data[ops.ReferenceKey("over", 1)] = byRow
				a.With("over", ops.List{ops.Symbol("l"), s}).Check(t, spec(t, name))
				s.From = ops.Integer(1)
				a.Data["over"] = byRow
				a.With("over", s).Check(t, spec(t, name))
			}
		}
	}
}

func TestBadSegments(t *testing.T) {
	row := optest.Dim("row", 5)
	good := placesIn(0, 8, ops.I32, row)
	for _, c := range []struct {
		over ops.Value
		code string
		says string
	}{
		{ops.Segment{Dim: "m", From: good, To: good}, problem.UnknownDim, "no dimension m"},
		{ops.Segment{Dim: "k", From: placesIn(-1, 8, ops.I32, row), To: good}, problem.PlaceOutside, "from -1 to 8"},
		{ops.Segment{Dim: "k", From: good, To: placesIn(0, 9, ops.I32, row)}, problem.PlaceOutside, "from 0 to 9"},
		{ops.Segment{Dim: "k", From: good, To: optest.Array(ops.Type{Elem: ops.I32, Dims: []ops.Dim{row}})}, problem.PlaceOutside, "from -2147483648"},
		{ops.Segment{Dim: "k", From: good, To: placesIn(0, 8, ops.F32, row)}, problem.NotWhole, "no whole number"},
		{ops.Segment{Dim: "k", From: ops.Text("a"), To: good}, problem.WrongKind, "a text"},
		{ops.Segment{Dim: "k", From: good, To: placesIn(0, 8, ops.I32, optest.Dim("row", 4))}, problem.ExtentMismatch, "row"},
		{ops.List{ops.Segment{Dim: "k", From: placesIn(0, 8, ops.I32, optest.Dim("l", 2)), To: good}, ops.Symbol("l")}, problem.DuplicateDim, "sum(sum("},
		{ops.List{ops.Segment{Dim: "k", From: good, To: good}, ops.Segment{Dim: "l", From: ops.Integer(0), To: ops.Integer(1)}}, problem.ContradictArguments, "second"},
	} {
		a := optest.NewArgs().Array("a", ops.Type{Elem: ops.F32, Dims: []ops.Dim{optest.Dim("k", 9), optest.Dim("l", 2)}}).With("over", c.over)
		a.Fails(t, spec(t, "sum"), c.code, c.says)
	}
}
