package shape

import (
	"testing"
	"weft/ops/optest"

	"weft/ops"
	"weft/ops/problem"
)

func pairs(p ...ops.Pair) ops.List {
	var l ops.List
	for _, x := range p {
		l = append(l, x)
	}
	return l
}

func index(i int) ops.Number { return ops.Integer(i) }

func mm(v float64) ops.Number { return ops.Quantity(v, "mm") }

func rng(from, to ops.Number) ops.Range { return ops.Range{From: from, To: to} }

func TestSlice(t *testing.T) {
	a := optest.Type(ops.C64, "Pa", optest.Line("x", 5, "mm", -2, 1), optest.Dim("y", 4), optest.Line("z", 3, "mm", 30, -10))
	step := rng(index(0), index(-1))
	step.Step = 2
	tests := []struct {
		at   ops.List
		want string
		x    []float64 // coordinates of the first dim in mm
	}{
		{pairs(ops.Pair{Name: "x", Value: index(0)}), "c64 [y: 4, z: 3] Pa", nil},
		{pairs(ops.Pair{Name: "y", Value: index(-1)}), "c64 [x: 5, z: 3] Pa", []float64{-2, -1, 0, 1, 2}},
		{pairs(ops.Pair{Name: "x", Value: mm(0.4)}, ops.Pair{Name: "z", Value: mm(14)}), "c64 [y: 4] Pa", nil},
		{pairs(ops.Pair{Name: "x", Value: rng(mm(-1), mm(1.5))}), "c64 [x: 3, y: 4, z: 3] Pa", []float64{-1, 0, 1}},
		{pairs(ops.Pair{Name: "z", Value: rng(mm(15), mm(35))}), "c64 [x: 5, y: 4, z: 2] Pa", []float64{-2, -1, 0, 1, 2}},
		{pairs(ops.Pair{Name: "x", Value: step}), "c64 [x: 3, y: 4, z: 3] Pa", []float64{-2, 0, 2}},
		{pairs(ops.Pair{Name: "x", Value: rng(index(1), index(-2))}, ops.Pair{Name: "y", Value: rng(index(2), index(2))}), "c64 [x: 3, y: 1, z: 3] Pa", []float64{-1, 0, 1}},
		{pairs(ops.Pair{Name: "x", Value: mm(2.5)}, ops.Pair{Name: "y", Value: index(0)}, ops.Pair{Name: "z", Value: index(0)}), "c64 [] Pa", nil},
	}
	for _, tt := range tests {
		args := optest.NewArgs().Array("input", a).With("index", tt.at)
		out, err := optest.Infer(spec(t, "slice"), args.Values)
		if err != nil {
			t.Errorf("%v: %v", tt.at, err)
			continue
		}
		if got := out[0].Type.String(); got != tt.want {
			t.Errorf("%v gives %s, want %s", tt.at, got, tt.want)
		}
		for i, x := range tt.x {
			if d := out[0].Type.Dims[0]; len(d.Coords) != len(tt.x) || !close(d.Coords[i], x*1e-3) {
				t.Errorf("%v: coordinates %v, want %v mm", tt.at, d.Coords, tt.x)
				break
			}
		}
		args.Check(t, spec(t, "slice"))
	}
}

func close(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func TestSliceErrors(t *testing.T) {
	a := optest.Type(ops.F32, "", optest.Line("x", 5, "mm", -2, 1), optest.Dim("y", 4))
	counted := rng(mm(-1), mm(1))
	counted.N = 3
	for _, tt := range []struct {
		name  string
		value ops.Value
		code  string
		words []string
	}{
		{"q", index(0), problem.UnknownDim, []string{"x, y"}},
		{"x", index(5), problem.IndexOutOfRange, []string{"0 to 4"}},
		{"x", index(-6), problem.IndexOutOfRange, []string{"5 points"}},
		{"x", mm(2.6), problem.OutsideCoordinates, []string{"-2 mm .. 2 mm in 5"}},
		{"x", ops.Quantity(1, "MHz"), problem.UnitMismatch, []string{"mm", "MHz"}},
		{"y", mm(1), problem.NoCoordinates, []string{"0 to 3"}},
		{"y", ops.Number{V: 1.5}, problem.NotWhole, nil},
		{"x", rng(mm(0.2), mm(0.8)), problem.EmptyRange, []string{"-2 mm .. 2 mm"}},
		{"x", rng(mm(1), mm(-1)), problem.EmptyRange, nil},
		{"y", rng(index(3), index(1)), problem.EmptyRange, []string{"reverse"}},
		{"x", counted, problem.WrongKind, nil},
		{"x", ops.Text("a"), problem.WrongKind, nil},
	} {
		optest.NewArgs().Array("input", a).With("index", pairs(ops.Pair{Name: tt.name, Value: tt.value})).Fails(t, spec(t, "slice"), tt.code, tt.words...)
	}
	optest.NewArgs().Array("input", a).With("index", ops.List{index(0)}).Fails(t, spec(t, "slice"), problem.IndexWithoutDim, "x: 0")
	optest.NewArgs().Array("input", a).With("index", pairs(ops.Pair{Name: "x", Value: index(0)}, ops.Pair{Name: "x", Value: index(1)})).Fails(t, spec(t, "slice"), problem.DuplicateDim)
}

func TestShapes(t *testing.T) {
	a := optest.Type(ops.C64, "", optest.Line("x", 6, "mm", 0, 1), optest.Dim("y", 4), optest.Dim("z", 1))
	extents := func(n ...int) ops.Value {
		var l ops.List
		for _, v := range n {
			l = append(l, ops.Integer(v))
		}
		return l
	}
	tests := []struct {
		op   string
		args map[string]ops.Value
		want string
	}{
		{"transpose", map[string]ops.Value{"order": optest.Names("z", "x", "y")}, "c64 [z: 1, x: 6, y: 4]"},
		{"transpose", map[string]ops.Value{"order": optest.Names("y", "z", "x")}, "c64 [y: 4, z: 1, x: 6]"},
		{"reverse", map[string]ops.Value{"dim": optest.Names("x", "y")}, "c64 [x: 6, y: 4, z: 1]"},
		{"rename", map[string]ops.Value{"from": optest.Names("x", "y"), "to": optest.Names("y", "x")}, "c64 [y: 6, x: 4, z: 1]"},
		{"reshape", map[string]ops.Value{"dims": optest.Names("a", "b"), "extents": extents(3, 8)}, "c64 [a: 3, b: 8]"},
		{"reshape", map[string]ops.Value{"dims": optest.Names("x", "b", "c"), "extents": extents(6, -1, 2)}, "c64 [x: 6, b: 2, c: 2]"},
		{"reshape", map[string]ops.Value{"dims": optest.Names("a"), "extents": extents(-1)}, "c64 [a: 24]"},
		{"reshape", map[string]ops.Value{"dims": optest.Names("a", "b", "c", "d"), "extents": extents(1, 24, 1, 1)}, "c64 [a: 1, b: 24, c: 1, d: 1]"},
		{"with_coordinates", map[string]ops.Value{"dim": ops.Symbol("y"), "at": rng(mm(0), mm(3))}, "c64 [x: 6, y: 4, z: 1]"},
	}
	for _, tt := range tests {
		args := optest.NewArgs().Array("input", a)
		for k, v := range tt.args {
			args.With(k, v)
		}
		out, err := optest.Infer(spec(t, tt.op), args.Values)
		if err != nil || out[0].Type.String() != tt.want {
			t.Errorf("%s%v gives %v, %v, want %s", tt.op, tt.args, out, err, tt.want)
			continue
		}
		args.Check(t, spec(t, tt.op))
		if d := out[0].Type.Dim("x"); tt.op == "reverse" && out[0].Type.Dims[d].Coords[0] != 5e-3 {
			t.Errorf("reverse leaves coordinates at %v", out[0].Type.Dims[d].Coords)
		}
		if d := out[0].Type.Dim("x"); tt.op == "reshape" && d >= 0 && out[0].Type.Dims[d].Coords == nil {
			t.Error("reshape loses the coordinates of a dimension that stays")
		}
	}
	optest.NewArgs().Array("input", a).With("order", optest.Names("x", "y")).Fails(t, spec(t, "transpose"), problem.MissingDim, "z")
	optest.NewArgs().Array("input", a).With("dims", optest.Names("a", "b")).With("extents", extents(5, 5)).Fails(t, spec(t, "reshape"), problem.BadReshape, "24")
	optest.NewArgs().Array("input", a).With("dims", optest.Names("a", "b")).With("extents", extents(5, -1)).Fails(t, spec(t, "reshape"), problem.BadReshape, "24 elements", "20")
	optest.NewArgs().Array("input", a).With("dims", optest.Names("a", "a")).With("extents", extents(4, 6)).Fails(t, spec(t, "reshape"), problem.DuplicateDim)
	optest.NewArgs().Array("input", a).With("dims", optest.Names("a")).With("extents", extents(0)).Fails(t, spec(t, "reshape"), problem.ZeroExtent)
	optest.NewArgs().Array("input", a).With("dims", optest.Names("a")).With("extents", extents(1<<40)).Fails(t, spec(t, "reshape"), problem.BadReshape)
	optest.NewArgs().Array("input", a).With("from", optest.Names("x")).With("to", optest.Names("y")).Fails(t, spec(t, "rename"), problem.DuplicateDim, "y")
	optest.NewArgs().Array("input", a).With("from", optest.Names("x")).With("to", optest.Names("a", "b")).Fails(t, spec(t, "rename"), problem.DimsCount)
	optest.NewArgs().Array("input", a).With("dim", ops.Symbol("q")).Fails(t, spec(t, "reverse"), problem.UnknownDim)
}

func TestJoins(t *testing.T) {
	x3, y := optest.Line("x", 3, "mm", 0, 1), optest.Dim("y", 2)
	f, c := optest.Type(ops.F32, "Pa", x3, y), optest.Type(ops.C64, "Pa", y, x3)
	stack := optest.NewArgs().List("arrays", f, c, optest.Type(ops.F64, "Pa", y)).With("dim", ops.Symbol("part"))
	stack.Check(t, spec(t, "stack"))
	stack.With("dim", ops.Symbol("x")).Fails(t, spec(t, "stack"), problem.DuplicateDim, "concat")
	more := optest.Type(ops.C64, "Pa", optest.Line("x", 2, "mm", 3, 1), y)
	optest.NewArgs().List("arrays", f, more, f).With("dim", ops.Symbol("x")).Check(t, spec(t, "concat"))
	optest.NewArgs().List("arrays", optest.Type(ops.Bool, "", y), optest.Type(ops.Bool, "", optest.Dim("y", 5))).With("dim", ops.Symbol("y")).Check(t, spec(t, "concat"))
	s := spec(t, "concat")
	out, err := optest.Infer(s, optest.NewArgs().List("arrays", f, more).With("dim", ops.Symbol("x")).Values)
	if err != nil || out[0].Type.String() != "c64 [x: 5, y: 2] Pa" || len(out[0].Type.Dims[0].Coords) != 5 {
		t.Errorf("concat gives %v, %v", out, err)
	}
	optest.NewArgs().List("arrays", f, optest.Type(ops.F32, "Pa", x3, optest.Dim("y", 9))).With("dim", ops.Symbol("x")).Fails(t, spec(t, "concat"), problem.ExtentMismatch, "y")
	optest.NewArgs().List("arrays", f, optest.Type(ops.F32, "V", x3, y)).With("dim", ops.Symbol("x")).Fails(t, spec(t, "concat"), problem.UnitMismatch, "Pa", "V")
	optest.NewArgs().List("arrays", f, optest.Type(ops.F32, "Pa", y)).With("dim", ops.Symbol("x")).Fails(t, spec(t, "concat"), problem.UnknownDim, "x")
	optest.NewArgs().With("arrays", ops.List{}).With("dim", ops.Symbol("x")).Fails(t, spec(t, "stack"), problem.NotAnArray, "no arrays")
	optest.NewArgs().With("arrays", ops.List{ops.Integer(1)}).With("dim", ops.Symbol("x")).Fails(t, spec(t, "stack"), problem.NotAnArray, "this is 1")
}

// Many arrays are joined in groups, and groups of these.
func TestJoinsOfMany(t *testing.T) {
	var items []ops.Type
	for i := range mostJoined*mostJoined + 2 {
		items = append(items, optest.Type(ops.F32, "", optest.Dim("y", 1+i%3), optest.Dim("x", 2)))
	}
	optest.NewArgs().List("arrays", items...).With("dim", ops.Symbol("y")).Check(t, spec(t, "concat"))
	for i := range items {
		items[i] = optest.Type(ops.F32, "", optest.Dim("x", 2))
	}
	optest.NewArgs().List("arrays", items[:mostJoined+1]...).With("dim", ops.Symbol("k")).Check(t, spec(t, "stack"))
}
