package skytest

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/native"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/optest"
	"weft/planner"
	"weft/runtime"
	"weft/runtime/result"
)

// field is a raster of heights.
type field struct {
	rows, columns int
	v             []float64
}

func newField(rows, columns int, at func(row, column int) float64) field {
	f := field{rows, columns, make([]float64, rows*columns)}
	for i := range f.v {
		f.v[i] = float64(float32(at(i/columns, i%columns)))
	}
	return f
}

func (f field) at(row, column int) float64 { return f.v[row*f.columns+column] }

func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	os.Exit(m.Run())
}

// scene is a use of an operator.
type scene struct {
	op     string
	pixel  float64
	layers map[string]field
	args   map[string]ops.Value
	tile   [2]int // rows, columns; 0: as planned
	blind  bool   // the ranges of layers are not known
	next   int
	count  bool // what folds execute
	result *result.Result
	// missing devices are fallen back from.
	missing []runtime.Missing
}

// run plans and runs the use on the compiled device, checks a sample strictly, and gives the outputs by name.
func (s *scene) run(t *testing.T) map[string]field {
	t.Helper()
	dev, err := native.New(native.FromEnv())
	if err != nil {
		t.Skip("no compiler: ", err)
	}
	got := map[string]field{}
	var sinks []*ops.Instance
	s.outputs(s.use(t), "", func(name string, a ops.Array) {
		if s.tile != [2]int{} {
			a.Of.Hints.Tile = map[string]int{"y": s.tile[0], "x": s.tile[1]}
		}
		sinks = append(sinks, s.sink(got, name, a))
	})
	plan, err := planner.Build(sinks, dev.Info(), planner.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s.result, err = runtime.Run(context.Background(), plan, runtime.Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Strict: s.missing == nil, Missing: s.missing, Count: s.count})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// use is what the operator gives for the arguments.
func (s *scene) use(t *testing.T) ops.Record {
	t.Helper()
	standard := catalogue.Standard()
	specs := []*ops.Spec{{Name: "layer", Params: []ops.Param{ops.Str("name", "")}, Bind: func(c *ops.Call) (ops.Op, error) { return s.source(c.Text("name")), nil }}}
	for _, name := range standard.Names() {
		specs = append(specs, standard.Lookup(name))
	}
	text := "made = " + s.op + `(layer("input")`
	for _, p := range standard.Lookup(s.op).Params[1:] {
		if _, ok := s.layers[p.Name]; ok {
			text += fmt.Sprintf(", %s: layer(%q)", p.Name, p.Name)
		} else if v := s.args[p.Name]; v != nil {
			text += fmt.Sprintf(", %s: %s", p.Name, v)
		}
	}
	p, list := check.File("scene", []byte(text+")\nshow(1)\n"), catalogue.New(specs), check.Options{})
	for name, v := range p.Info.Defs {
		if r, ok := v.(ops.Record); ok && name.Text == "made" && !list.HasErrors() {
			return r
		}
	}
	t.Fatal(text, list.Sorted())
	return ops.Record{}
}

// outputs visits the arrays of a record by their dotted names.
func (s *scene) outputs(r ops.Record, prefix string, visit func(string, ops.Array)) {
	for _, name := range r.Names {
		switch v := r.Fields[name].(type) {
		case ops.Record:
			s.outputs(v, prefix+name+".", visit)
		case ops.Array:
			visit(prefix+name, v)
		}
	}
}

// source is an array that is there. Its coordinates tell the size of a pixel.
func (s *scene) source(name string) ops.Op {
	f, m := s.layers[name], ops.MustUnit("m")
	dim := func(name string, n int, step float64) ops.Dim {
		d := ops.Dim{Name: name, Size: n, Unit: m}
		for i := range n {
			d.Coords = append(d.Coords, float64(i)*step)
		}
		return d
	}
	unit := m
	if name == "wall_aspect" {
		unit = ops.MustUnit("deg")
	}
	made := there{ops.One(ops.Type{Elem: ops.F32, Unit: unit, Dims: []ops.Dim{dim("y", f.rows, -s.pixel), dim("x", f.columns, s.pixel)}}), f}
	if s.blind {
		return made
	}
	return ranged{made}
}

// there is a source of a field.
type there struct {
	ops.Gives
	field
}

// Fill gives its values.
func (f there) Fill(_ context.Context, to ops.HostArray) (ops.Note, error) {
	return ops.Note{}, to.SetDense(ops.Dense{Shape: []int{f.rows, f.columns}, Re: f.v})
}

// ranged is a source that knows the range of its values.
type ranged struct{ there }

func (r ranged) Range(int) (lo, hi float64, err error) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range r.v {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, nil
}

func (s *scene) sink(got map[string]field, name string, a ops.Array) *ops.Instance {
	spec := &ops.Spec{Name: "keep", Params: []ops.Param{{Name: "input", Accept: ops.KArray}}}
	bound := optest.Taken(func(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
		d := in[0].Dense()
		got[name] = field{d.Shape[0], len(d.Re) / d.Shape[0], d.Re}
		return ops.Note{}, nil
	})
	s.next++
	return &ops.Instance{ID: 1000 + s.next, Spec: spec, Bound: bound, Call: &ops.Call{Spec: spec, Args: map[string]ops.Value{"input": a}}}
}

func over(op string, pixel float64, f field) *scene {
	return &scene{op: op, pixel: pixel, layers: map[string]field{"input": f}, args: map[string]ops.Value{}}
}

func (s *scene) sun(azimuth, altitude float64) *scene {
	s.args["azimuth"], s.args["altitude"] = ops.Quantity(azimuth, "deg"), ops.Quantity(altitude, "deg")
	return s
}

// differ counts the elements that are not the same; NaN equals NaN.
func differ(a, b field) (n int) {
	for i := range a.v {
		if a.v[i] != b.v[i] && !(math.IsNaN(a.v[i]) && math.IsNaN(b.v[i])) {
			n++
		}
	}
	return n
}
