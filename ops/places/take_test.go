package places

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

func call(in ops.Type, options map[string]ops.Value, index ...ops.Value) *ops.Call {
	args := map[string]ops.Value{"input": optest.Array(in), "index": ops.List(index)}
	for name, v := range options {
		args[name] = v
	}
	return optest.Call(takeSpec(), args)
}

func at(dim string, v ops.Value) ops.Value { return ops.Pair{Name: dim, Value: v} }

func here(offset ops.Value) ops.Value { return ops.Here{Offset: offset} }

func number(v float64, unit string) ops.Number {
	if unit == "" {
		return ops.Number{V: v, Int: v == math.Trunc(v)}
	}
	return ops.Number{V: v, Unit: ops.MustUnit(unit)}
}

func dims(namesAndSizes ...any) []ops.Dim { return optest.Dims(namesAndSizes...) }

// along gives a dim coordinates in metres.
func along(name string, coords ...float64) ops.Dim {
	return ops.Dim{Name: name, Size: len(coords), Coords: coords, Unit: ops.MustUnit("m")}
}

func typ(e ops.ElemType, d ...ops.Dim) ops.Type { return ops.Type{Elem: e, Dims: d} }

func metres(d ...ops.Dim) ops.Type {
	return ops.Type{Elem: ops.F32, Dims: d, Unit: ops.MustUnit("m")}
}

// Every element type, way to place, way between points and way beyond the ends, fused and stored, against the reference.
func TestPlaces(t *testing.T) {
	even, uneven, falling := along("x", 0, 1, 2, 3, 4, 5), along("x", 0, 1, 1.5, 4, 4.5, 7), along("x", 6, 4, 1, 0.5, 0, -3)
	whole := optest.Array(typ(ops.I32, dims("k", 7)...))
	steps := optest.Array(typ(ops.I64, dims("y", 4, "k", 3)...))
	fractions := optest.Array(typ(ops.F32, dims("t", 9)...))
	lengths := optest.Array(metres(dims("t", 9, "y", 4)...))
	y := dims("y", 4)[0]
	cases := map[string]struct {
		x     ops.Dim
		index []ops.Value
	}{
		"whole":            {even, []ops.Value{at("x", whole)}},
		"own dim":          {even, []ops.Value{at("x", optest.Array(typ(ops.I32, dims("x", 5)...)))}},
		"shared dim":       {even, []ops.Value{at("x", steps)}},
		"one step":         {even, []ops.Value{at("x", here(number(1, "")))}},
		"here":             {even, []ops.Value{at("x", here(nil))}},
		"steps":            {even, []ops.Value{at("x", here(steps))}},
		"both":             {even, []ops.Value{at("y", here(number(-2, ""))), at("x", here(whole))}},
		"fractions":        {ops.Dim{Name: "x", Size: 6}, []ops.Value{at("x", fractions)}},
		"half a step":      {even, []ops.Value{at("x", here(number(0.5, "m")))}},
		"two steps":        {even, []ops.Value{at("x", here(number(2, "m")))}},
		"lengths":          {even, []ops.Value{at("x", lengths)}},
		"from here":        {even, []ops.Value{at("x", here(lengths))}},
		"uneven":           {uneven, []ops.Value{at("x", lengths)}},
		"uneven, falling":  {falling, []ops.Value{at("x", lengths)}},
		"uneven from here": {uneven, []ops.Value{at("x", here(lengths))}},
		"two fractions":    {even, []ops.Value{at("x", lengths), at("y", here(fractions))}},
		"one and fraction": {even, []ops.Value{at("x", lengths), at("y", whole)}},
		"one point":        {along("x", 1), []ops.Value{at("x", whole)}},
	}
	for name, c := range cases {
		for _, between := range []string{nearest, linear, cubic} {
			for _, beyond := range []ops.Value{number(7, ""), number(0, ""), ops.Symbol(nearest), ops.Symbol(wrap), ops.Symbol(mirror)} {
				for _, in := range []ops.Type{typ(ops.F32, y, c.x), typ(ops.F32, c.x, y), typ(ops.C64, y, c.x), typ(ops.C64, c.x, y), typ(ops.I32, y, c.x)} {
					e := in.Elem
					t.Run(fmt.Sprint(name, between, beyond, in), func(t *testing.T) {
						call := call(in, map[string]ops.Value{"interpolation": ops.Symbol(between), "outside": beyond}, c.index...)
						in := map[string]ops.Dense{"input": optest.Random(call.Type("input"), 3, 0)}
						k := 0
						call.Arrays(func(param string, a ops.Array) {
							if param == "index" {
								d := optest.Random(a.Type(), uint64(k+5), 0)
								for i := range d.Re {
									d.Re[i] = between3(d.Re[i], a.Type())
								}
								in[ops.ReferenceKey(param, k)] = d
								k++
							}
						})
						if _, err := call.Spec.Bind(call); err != nil {
							if e == ops.I32 && strings.Contains(err.Error(), "NaN") {
								return // it is refused: see TestRefused
							}
							t.Fatal(err)
						}
						optest.Check(t, call, in)
					})
				}
			}
		}
	}
}

// between3 spreads random places over the dim and beyond both ends, where no rounding decides which point is nearest.
func between3(v float64, t ops.Type) float64 {
	if t.Elem.Base.Int() {
		return v
	}
	return math.Round(v*24)/8 + 1./16
}

func TestOneThatIsNowhere(t *testing.T) {
	place := optest.Array(typ(ops.F32, dims("t", 3)...))
	for _, given := range []struct {
		beyond   ops.Value
		at, want float64
	}{{ops.Symbol(nearest), math.NaN(), math.NaN()}, {number(5, ""), math.NaN(), 5}, {number(5, ""), math.Inf(1), 5}, {ops.Symbol(nearest), math.Inf(1), 4},
		{ops.Symbol(wrap), math.Inf(1), math.NaN()}, {ops.Symbol(mirror), math.Inf(-1), math.NaN()},
		{ops.Symbol(wrap), 1 << 50, 1}, {ops.Symbol(mirror), -1 << 52, 3}, {ops.Symbol(wrap), -1 << 54, math.NaN()}, {ops.Symbol(mirror), 1e30, math.NaN()}} {
		beyond, want := given.beyond, given.want
		c := call(typ(ops.F32, dims("x", 4)...), map[string]ops.Value{"outside": beyond, "interpolation": ops.Symbol(linear)}, at("x", place))
		got := optest.Check(t, c, map[string]ops.Dense{"input": {Shape: []int{4}, Re: []float64{1, 2, 3, 4}},
			"index": {Shape: []int{3}, Re: []float64{given.at, 1.5, 0}}})[0]
		if v := got.Re[0]; v != want && !(math.IsNaN(v) && math.IsNaN(want)) || got.Re[1] != 2.5 || got.Re[2] != 1 {
			t.Errorf("outside %v, at %v: %v", beyond, given.at, got.Re)
		}
	}
}

// A hand-made example of each way beyond the ends.
func TestBeyond(t *testing.T) {
	for _, given := range []struct {
		beyond ops.Value
		want   []float64
	}{{ops.Symbol(nearest), []float64{1, 1, 1, 2, 3, 3, 3, 3}}, {ops.Symbol(wrap), []float64{2, 3, 1, 2, 3, 1, 2, 3}},
		{ops.Symbol(mirror), []float64{3, 2, 1, 2, 3, 2, 1, 2}}, {number(9, ""), []float64{9, 9, 1, 2, 3, 9, 9, 9}}} {
		beyond, want := given.beyond, given.want
		c := call(typ(ops.F32, dims("x", 3)...), map[string]ops.Value{"outside": beyond}, at("x", optest.Array(typ(ops.I32, dims("k", 8)...))))
		got := optest.Run(t, c, map[string]ops.Dense{"input": {Shape: []int{3}, Re: []float64{1, 2, 3}},
			"index": {Shape: []int{8}, Re: []float64{-2, -1, 0, 1, 2, 3, 4, 5}}}, 0, optest.Fused)[0]
		if fmt.Sprint(got.Re) != fmt.Sprint(want) {
			t.Errorf("%v gives %v, want %v", beyond, got.Re, want)
		}
	}
}

// New dims of places come first; those of the array keep their order.
func TestDims(t *testing.T) {
	in := typ(ops.F32, dims("a", 2, "b", 3, "c", 4)...)
	for want, index := range map[string][]ops.Value{
		"[k b c a]": nil,
		"[k a c]":   {at("b", optest.Array(typ(ops.I32, dims("k", 5)...)))},
		"[k a b c]": {at("b", here(optest.Array(typ(ops.I32, dims("c", 4, "k", 5)...))))},
		"[a b c]":   {at("b", optest.Array(typ(ops.I32, dims("c", 4, "b", 7)...)))},
	} {
		if index == nil {
			continue
		}
		c := call(in, map[string]ops.Value{"outside": number(0, "")}, index...)
		op, err := c.Spec.Bind(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(op.Outputs()[0].Type.DimNames()); got != want {
			t.Errorf("%v gives %v, want %v", index, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	line := typ(ops.F32, dims("x", 4)...)
	places := func(tt ops.Type) ops.Value { return at("x", optest.Array(tt)) }
	for _, c := range []struct {
		in      ops.Type
		options map[string]ops.Value
		index   ops.Value
		code    string
	}{
		{line, nil, at("z", here(nil)), problem.UnknownDim},
		{line, nil, at("x", here(number(1, ""))), problem.PlaceOutside},
		{line, nil, places(typ(ops.I32, dims("k", 2)...)), problem.PlaceOutside},
		{line, map[string]ops.Value{"outside": number(0, "")}, places(typ(ops.F32, dims("k", 2)...)), problem.BetweenPoints},
		{line, nil, places(metres(dims("k", 2)...)), problem.NoCoordinates},
		{typ(ops.F32, along("x", 0, 1, 0.5)), nil, places(metres(dims("k", 2)...)), problem.OutsideCoordinates},
		{typ(ops.F32, along("x", 0, 1)), nil, places(ops.Type{Elem: ops.F32, Unit: ops.MustUnit("s"), Dims: dims("k", 2)}), problem.UnitMismatch},
		{line, nil, places(typ(ops.C64, dims("k", 2)...)), problem.WrongElementType},
		{line, nil, places(typ(ops.Bool, dims("k", 2)...)), problem.WrongElementType},
		{line, map[string]ops.Value{"outside": number(1, "m")}, at("x", here(nil)), problem.UnitMismatch},
		{line, map[string]ops.Value{"outside": ops.Flag(true)}, at("x", here(nil)), problem.WrongElementType},
		{typ(ops.I32, dims("x", 4)...), map[string]ops.Value{"outside": number(0.5, "")}, at("x", here(nil)), problem.NotWhole},
		{typ(ops.I32, dims("x", 4)...), map[string]ops.Value{"outside": ops.Symbol(nearest), "interpolation": ops.Symbol(nearest)},
			places(typ(ops.F32, dims("k", 2)...)), problem.PlaceOutside},
		{typ(ops.F32, dims("x", 4, "y", 3)...), map[string]ops.Value{"outside": number(0, "")}, places(typ(ops.I32, dims("y", 2)...)), problem.ExtentMismatch},
	} {
		call := call(c.in, c.options, c.index)
		_, err := call.Spec.Bind(call)
		var p problem.Problem
		if !errors.As(err, &p) || p.Code != c.code {
			t.Errorf("%v at %v: %v, want %s", c.in, c.index, err, c.code)
		}
	}
}

// Loads of neighbours are at the index of the result and a whole number: nothing else is between it and a window.
func TestNeighboursStayWhole(t *testing.T) {
	c := call(typ(ops.F32, dims("y", 4, "x", 9)...), map[string]ops.Value{"outside": number(0, "")}, at("x", here(number(2, ""))))
	for _, s := range optest.Stages(t, c, map[string]ops.Dense{"input": optest.Random(c.Type("input"), 1, 0)}) {
		if s.Name != "take" {
			continue
		}
		b := &ops.Body{Builder: ir.NewBuilder()}
		var read []*ir.Node
		b.Read = func(_ *ops.Stage, _ *ir.Node, _ float64, index []*ir.Node) ops.Elem {
			read = index
			return ops.Real(b.F32(0))
		}
		x := b.Axis("x", 9)
		s.Elem(b, []*ir.Node{b.Axis("y", 4), x})
		if read[1] != b.Add(x, b.I32(2)) {
			t.Errorf("the index is %v", read[1])
		}
	}
}
