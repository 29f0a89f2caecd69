package array

import (
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// Elements at places: with dims that are gone through together, dims that are added up, several of these, chunks, and parts of rows.
func TestScatter(t *testing.T) {
	x, y, k, row := optest.Dim("x", 7), optest.Dim("y", 3), optest.Dim("k", 40), optest.Dim("row", 5)
	like := optest.Array(ops.Type{Elem: ops.F32, Dims: []ops.Dim{y, x}})
	for _, e := range []ops.ElemType{ops.Bool, i16, ops.F32, ops.F64} {
		a := optest.NewArgs().Array("a", ops.Type{Elem: e, Dims: []ops.Dim{k, y}})
		a.Data["like"] = ops.NewDense(false, 3, 7)
		place := func(size int, dims ...ops.Dim) (ops.Value, ops.Dense) {
			d := ops.NewDense(false, ops.Type{Dims: dims}.Shape()...)
			for i := range d.Re {
				d.Re[i] = float64(i * i % size)
			}
			return placesIn(0, float64(size-1), ops.I32, dims...), d
		}
		at := func(names []string, values ...ops.Value) ops.Record {
			r := ops.Record{Names: names, Fields: map[string]ops.Value{}}
			for i, n := range names {
				r.Fields[n] = values[i]
			}
			return r
		}
		byK, data := place(7, k)
		a.Data["at"] = data
		a.With("like", like).With("at", at([]string{"x"}, byK)).Check(t, spec(t, "scatter"))
		a.With("at", at([]string{"x", "y"}, byK, ops.Integer(2))).Check(t, spec(t, "scatter"))
		both, data := place(3, row, y)
		a.Data[ops.ReferenceKey("at", 1)] = data
		a.With("at", at([]string{"x", "y"}, byK, both)).Check(t, spec(t, "scatter"))
		a.With("at", at([]string{"x"}, byK)).With("over", ops.Segment{Dim: "k", From: placesIn(0, 40, ops.I32, row), To: placesIn(-1, 39, ops.I32, row)})
		a.Data["over"] = ops.Dense{Shape: []int{5}, Re: []float64{0, 10, 10, 40, 12}}
		a.Data[ops.ReferenceKey("over", 1)] = ops.Dense{Shape: []int{5}, Re: []float64{9, 9, 20, 39, 39}}
		a.Check(t, spec(t, "scatter"))
	}
	long := optest.Dim("long", 9000)
	a := optest.NewArgs().Array("a", ops.Type{Elem: ops.F32, Dims: []ops.Dim{long}})
	a.Data["like"], a.Data["at"] = ops.NewDense(false, 3), ops.NewDense(false, 9000)
	for i := range a.Data["at"].Re {
		a.Data["at"].Re[i] = float64(i % 3)
	}
	a.With("like", optest.Array(ops.Type{Elem: ops.F32, Dims: []ops.Dim{y}}))
	a.With("at", ops.Record{Names: []string{"y"}, Fields: map[string]ops.Value{"y": placesIn(0, 2, ops.F32, long)}})
	a.Fails(t, spec(t, "scatter"), problem.NotWhole, "no whole number")
	a.With("at", ops.Record{Names: []string{"y"}, Fields: map[string]ops.Value{"y": placesIn(0, 3, ops.I64, long)}})
	a.Fails(t, spec(t, "scatter"), problem.PlaceOutside, "from 0 to 3")
	a.With("at", ops.Record{Names: []string{"z"}, Fields: map[string]ops.Value{"z": ops.Integer(0)}})
	a.Fails(t, spec(t, "scatter"), problem.UnknownDim, "z")
	a.With("at", ops.Record{})
	a.Fails(t, spec(t, "scatter"), problem.MissingDim, "dimension y")
	a.With("at", ops.Record{Names: []string{"y"}, Fields: map[string]ops.Value{"y": placesIn(0, 2, ops.I64, long)}})
	a.Check(t, spec(t, "scatter"))
}
