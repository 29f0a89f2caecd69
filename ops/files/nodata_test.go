package files

import (
	"math"
	"path/filepath"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/optest"
	"weft/ops/problem"
)

// moved is an array whose elements are those of another.
type moved struct {
	ops.Gives
	from ops.Array
}

func (m moved) From() ops.Array { return m.from }

// The number that marks what is missing stays where elements are those of a file; of what is computed it is NaN, or what is asked for.
func TestNodataIsKept(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.tif")
	for _, c := range []struct {
		name   string
		dtype  element.DType
		nodata float64
		args   args // of read
		asked  ops.Value
		made   bool // something is made of it
		want   float64
	}{
		{"floats", element.Float32, -9999, nil, nil, false, -9999},
		{"computed", element.Float32, -9999, nil, nil, true, math.NaN()},
		{"asked for", element.Float32, -9999, nil, ops.Integer(-1), true, -1},
		{"small numbers as floats", element.Uint8, 255, nil, nil, false, 255},
		{"small numbers", element.Uint8, 255, args{"as": ops.Symbol("u8")}, nil, false, 255},
		{"in another unit", element.Float32, -9999, args{"unit": ops.Symbol("km")}, nil, false, -9999},
	} {
		h := utm(t, 3, 4)
		h.DType, h.Nodata = c.dtype, &c.nodata
		values := ramp32(12)
		for i := range values {
			values[i] = float32(int(values[i]))
		}
		values[5] = float32(c.nodata)
		w, err := tiff.Create(in, h)
		if err != nil {
			t.Fatal(err)
		}
		wide := make([]float64, 12)
		small := make([]uint8, 12)
		for i, v := range values {
			wide[i], small[i] = float64(v), uint8(v)
		}
		if c.dtype == element.Uint8 {
			err = w.WriteTile(small, tiff.Layout{DType: element.Uint8}, h.Whole())
		} else {
			err = w.WriteTile(bytesOf(wide), tiff.Layout{DType: element.Float64}, h.Whole())
		}
		if err == nil {
			err = w.Commit(false)
		}
		if err != nil {
			t.Fatal(err)
		}
		a := args{"path": ops.Text(in)}
		for k, v := range c.args {
			a[k] = v
		}
		op, err := readSpec().Bind(&ops.Call{Spec: readSpec(), Args: a})
		if op == nil {
			t.Fatal(err)
		}
		outputs := op.Outputs()
		array := ops.Array{Of: &ops.Instance{Spec: readSpec(), Bound: op, Out: outputs}}
		if c.made {
			array = optest.Array(outputs[0].Type)
		} else {
			array = ops.Array{Of: &ops.Instance{Spec: readSpec(), Bound: moved{ops.Gives(outputs), array}, Out: outputs}}
		}
		out := filepath.Join(folder, "out.tif")
		told := args{"path": ops.Text(out), "array": array}
		if c.asked != nil {
			told["nodata"] = c.asked
		}
		bound, err := writeSpec().Bind(&ops.Call{Spec: writeSpec(), Args: told})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bound.(*writing).Take(t.Context(), []ops.HostArray{readWhole(t, a)}, nil); err != nil {
			t.Fatal(err)
		}
		got, header, err := tiff.Load[float64](out)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		if header.Nodata == nil || !same(*header.Nodata, c.want) || !same(got[5], c.want) || got[6] != float64(values[6]) {
			t.Errorf("%s: nodata %v, elements %v", c.name, *header.Nodata, got)
		}
	}
	for name, value := range map[string]float64{"u8": -1, "i32": 0.5} {
		elem, _ := ops.ParseElem(name)
		typ := ops.Type{Elem: elem, Dims: optest.Dims("y", 3, "x", 4)}
		_, err := writeSpec().Bind(&ops.Call{Spec: writeSpec(), Args: args{"path": ops.Text(filepath.Join(folder, "b.tif")), "array": optest.Array(typ), "nodata": ops.Number{V: value}}})
		wantProblem(t, err, problem.CannotStore, "nodata", []string{"element is"})
	}
}
