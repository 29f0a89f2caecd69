package array

import (
	"math"
	"slices"
	"testing"

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
	a := typ(ops.C64, "Pa", line("x", 5, "mm", -2, 1), dim("y", 4), line("z", 3, "mm", 30, -10))
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
		args := newArgs().array("input", a).with("index", tt.at)
		out, err := infer(spec(t, "slice"), args.values)
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
		args.check(t, "slice")
	}
}

func close(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func TestSliceErrors(t *testing.T) {
	a := typ(ops.F32, "", line("x", 5, "mm", -2, 1), dim("y", 4))
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
		newArgs().array("input", a).with("index", pairs(ops.Pair{Name: tt.name, Value: tt.value})).fails(t, "slice", tt.code, tt.words...)
	}
	newArgs().array("input", a).with("index", ops.List{index(0)}).fails(t, "slice", problem.IndexWithoutDim, "x: 0")
	newArgs().array("input", a).with("index", pairs(ops.Pair{Name: "x", Value: index(0)}, ops.Pair{Name: "x", Value: index(1)})).fails(t, "slice", problem.DuplicateDim)
}

func TestShapes(t *testing.T) {
	a := typ(ops.C64, "", line("x", 6, "mm", 0, 1), dim("y", 4), dim("z", 1))
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
		{"transpose", map[string]ops.Value{"order": names("z", "x", "y")}, "c64 [z: 1, x: 6, y: 4]"},
		{"transpose", map[string]ops.Value{"order": names("y", "z", "x")}, "c64 [y: 4, z: 1, x: 6]"},
		{"reverse", map[string]ops.Value{"dim": names("x", "y")}, "c64 [x: 6, y: 4, z: 1]"},
		{"rename", map[string]ops.Value{"from": names("x", "y"), "to": names("y", "x")}, "c64 [y: 6, x: 4, z: 1]"},
		{"reshape", map[string]ops.Value{"dims": names("a", "b"), "extents": extents(3, 8)}, "c64 [a: 3, b: 8]"},
		{"reshape", map[string]ops.Value{"dims": names("x", "b", "c"), "extents": extents(6, -1, 2)}, "c64 [x: 6, b: 2, c: 2]"},
		{"reshape", map[string]ops.Value{"dims": names("a"), "extents": extents(-1)}, "c64 [a: 24]"},
		{"reshape", map[string]ops.Value{"dims": names("a", "b", "c", "d"), "extents": extents(1, 24, 1, 1)}, "c64 [a: 1, b: 24, c: 1, d: 1]"},
		{"with_coordinates", map[string]ops.Value{"dim": ops.Symbol("y"), "at": rng(mm(0), mm(3))}, "c64 [x: 6, y: 4, z: 1]"},
	}
	for _, tt := range tests {
		args := newArgs().array("input", a)
		for k, v := range tt.args {
			args.with(k, v)
		}
		out, err := infer(spec(t, tt.op), args.values)
		if err != nil || out[0].Type.String() != tt.want {
			t.Errorf("%s%v gives %v, %v, want %s", tt.op, tt.args, out, err, tt.want)
			continue
		}
		args.check(t, tt.op)
		if d := out[0].Type.Dim("x"); tt.op == "reverse" && out[0].Type.Dims[d].Coords[0] != 5e-3 {
			t.Errorf("reverse leaves coordinates at %v", out[0].Type.Dims[d].Coords)
		}
		if d := out[0].Type.Dim("x"); tt.op == "reshape" && d >= 0 && out[0].Type.Dims[d].Coords == nil {
			t.Error("reshape loses the coordinates of a dimension that stays")
		}
	}
	newArgs().array("input", a).with("order", names("x", "y")).fails(t, "transpose", problem.MissingDim, "z")
	newArgs().array("input", a).with("dims", names("a", "b")).with("extents", extents(5, 5)).fails(t, "reshape", problem.BadReshape, "24")
	newArgs().array("input", a).with("dims", names("a", "b")).with("extents", extents(5, -1)).fails(t, "reshape", problem.BadReshape, "24 elements", "20")
	newArgs().array("input", a).with("dims", names("a", "a")).with("extents", extents(4, 6)).fails(t, "reshape", problem.DuplicateDim)
	newArgs().array("input", a).with("dims", names("a")).with("extents", extents(0)).fails(t, "reshape", problem.ZeroExtent)
	newArgs().array("input", a).with("dims", names("a")).with("extents", extents(1<<40)).fails(t, "reshape", problem.BadReshape)
	newArgs().array("input", a).with("from", names("x")).with("to", names("y")).fails(t, "rename", problem.DuplicateDim, "y")
	newArgs().array("input", a).with("from", names("x")).with("to", names("a", "b")).fails(t, "rename", problem.DimsCount)
	newArgs().array("input", a).with("dim", ops.Symbol("q")).fails(t, "reverse", problem.UnknownDim)
}

func TestJoins(t *testing.T) {
	x3, y := line("x", 3, "mm", 0, 1), dim("y", 2)
	f, c := typ(ops.F32, "Pa", x3, y), typ(ops.C64, "Pa", y, x3)
	stack := newArgs().list("arrays", f, c, typ(ops.F64, "Pa", y)).with("dim", ops.Symbol("part"))
	stack.check(t, "stack")
	stack.with("dim", ops.Symbol("x")).fails(t, "stack", problem.DuplicateDim, "concat")
	more := typ(ops.C64, "Pa", line("x", 2, "mm", 3, 1), y)
	newArgs().list("arrays", f, more, f).with("dim", ops.Symbol("x")).check(t, "concat")
	newArgs().list("arrays", typ(ops.Bool, "", y), typ(ops.Bool, "", dim("y", 5))).with("dim", ops.Symbol("y")).check(t, "concat")
	s := spec(t, "concat")
	out, err := infer(s, newArgs().list("arrays", f, more).with("dim", ops.Symbol("x")).values)
	if err != nil || out[0].Type.String() != "c64 [x: 5, y: 2] Pa" || len(out[0].Type.Dims[0].Coords) != 5 {
		t.Errorf("concat gives %v, %v", out, err)
	}
	newArgs().list("arrays", f, typ(ops.F32, "Pa", x3, dim("y", 9))).with("dim", ops.Symbol("x")).fails(t, "concat", problem.ExtentMismatch, "y")
	newArgs().list("arrays", f, typ(ops.F32, "V", x3, y)).with("dim", ops.Symbol("x")).fails(t, "concat", problem.UnitMismatch, "Pa", "V")
	newArgs().list("arrays", f, typ(ops.F32, "Pa", y)).with("dim", ops.Symbol("x")).fails(t, "concat", problem.UnknownDim, "x")
	newArgs().with("arrays", ops.List{}).with("dim", ops.Symbol("x")).fails(t, "stack", problem.NotAnArray, "no arrays")
	newArgs().with("arrays", ops.List{ops.Integer(1)}).with("dim", ops.Symbol("x")).fails(t, "stack", problem.NotAnArray, "this is 1")
}

// Many arrays are joined in groups, and groups of these.
func TestJoinsOfMany(t *testing.T) {
	var items []ops.Type
	for i := range mostJoined*mostJoined + 2 {
		items = append(items, typ(ops.F32, "", dim("y", 1+i%3), dim("x", 2)))
	}
	newArgs().list("arrays", items...).with("dim", ops.Symbol("y")).check(t, "concat")
	for i := range items {
		items[i] = typ(ops.F32, "", dim("x", 2))
	}
	newArgs().list("arrays", items[:mostJoined+1]...).with("dim", ops.Symbol("k")).check(t, "stack")
}

func TestCreate(t *testing.T) {
	counted := rng(mm(-1), mm(1))
	counted.N = 5
	newArgs().with("dim", ops.Symbol("x")).with("points", counted).check(t, "axis")
	newArgs().with("dim", ops.Symbol("x")).with("points", rng(mm(0), mm(1))).fails(t, "axis", problem.RangeWithoutCount, "in 64")
	huge := rng(mm(0), mm(1))
	huge.N = 1 << 40
	newArgs().with("dim", ops.Symbol("x")).with("points", huge).fails(t, "axis", problem.OutOfBounds, "16777216")
	huge.N, huge.Step = 0, 1e-300
	newArgs().with("dim", ops.Symbol("x")).with("points", huge).fails(t, "axis", problem.OutOfBounds)
	huge.Step = -1e-3
	newArgs().with("dim", ops.Symbol("x")).with("points", huge).fails(t, "axis", problem.EmptyRange)
	a := typ(ops.F32, "", line("x", 3, "mm", 0, 1), dim("y", 4))
	newArgs().array("input", a).with("dim", ops.Symbol("x")).check(t, "coordinates")
	newArgs().array("input", a).with("dim", ops.Symbol("y")).check(t, "indices")
	newArgs().array("input", a).with("dim", ops.Symbol("y")).fails(t, "coordinates", problem.NoCoordinates, "with_coordinates")
	newArgs().with("value", mm(3)).with("dims", names("x", "y")).with("extents", ops.List{ops.Integer(2), ops.Integer(3)}).check(t, "fill")
	newArgs().with("value", ops.Integer(7)).with("dims", ops.Symbol("x")).with("extents", ops.Integer(2)).check(t, "fill")
	newArgs().with("value", ops.Integer(7)).with("dims", ops.Symbol("x")).with("extents", ops.Integer(-1)).fails(t, "fill", problem.ZeroExtent)
}

func TestCast(t *testing.T) {
	x := dim("x", 40)
	for _, from := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64} {
		for _, to := range castTypes {
			if from.Complex && !to.Complex {
				continue
			}
			a := newArgs()
			a.nan = 0.2
			a.array("input", ops.Type{Elem: from, Dims: []ops.Dim{x}})
			if from.Base.Float() {
				copy(a.data["input"].Re, []float64{1e30, -1e30, 3e9, -3e9, 2.9, -2.9})
				for i, v := range a.data["input"].Re {
					a.data["input"].Re[i] = float64(float32(v))
				}
			}
			a.with("type", ops.Symbol(to.String())).check(t, "cast")
		}
	}
	newArgs().array("re", typ(ops.F32, "V", x)).array("im", typ(ops.F64, "V", x)).check(t, "complex")
	newArgs().array("input", typ(ops.C64, "", x)).with("type", ops.Symbol("f32")).fails(t, "cast", problem.WrongElementType, "abs")
	newArgs().array("input", typ(ops.F32, "mm", x)).with("type", ops.Symbol("i32")).fails(t, "cast", problem.UnexpectedUnit, "1 mm")
}

func TestCastBeyondIntegers(t *testing.T) {
	inf := math.Inf(1)
	for _, from := range []ops.ElemType{ops.F32, ops.F64} {
		for to, limits := range map[string][2]float64{"i32": {math.MinInt32, math.MaxInt32}, "i64": {math.MinInt64, math.MaxInt64}} {
			a := newArgs().array("input", typ(from, "", dim("x", 6))).with("type", ops.Symbol(to))
			copy(a.data["input"].Re, []float64{inf, -inf, 1e20, -1e20, math.NaN(), -2.75})
			got := a.check(t, "cast")[0].Re
			if want := []float64{limits[1], limits[0], limits[1], limits[0], 0, -2}; !slices.Equal(got, want) {
				t.Errorf("%s to %s: got %v, want %v", from, to, got, want)
			}
		}
	}
}
