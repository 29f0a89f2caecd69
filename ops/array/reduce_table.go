package array

import (
	"math"
	"slices"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
)

// wide is the type sums accumulate in: f64 for floats, i64 for integers and booleans.
func wide(t ops.ElemType) ops.ElemType {
	if t.Base.Float() {
		return ops.ElemType{Base: ir.F64, Complex: t.Complex}
	}
	return ops.I64
}

func sumType(t ops.ElemType) ops.ElemType {
	if t.Base.Float() {
		return t
	}
	return ops.I64
}

func inexactOf(t ops.ElemType) ops.ElemType { return inexact(t, nil) }
func numericOf(t ops.ElemType) ops.ElemType { return numeric(t, nil) }
func realFloat(t ops.ElemType) ops.ElemType { return realPart(inexact(t, nil)) }
func wideFloat(ops.ElemType) ops.ElemType   { return ops.F64 }
func itself(t ops.ElemType) ops.ElemType    { return t }
func toI32(ops.ElemType) ops.ElemType       { return ops.I32 }

func zero(b *ops.Body, t ir.DType) *ir.Node    { return b.Const(t, 0) }
func always(b *ops.Body, t ir.DType) *ir.Node  { return b.Const(t, 1) }
func highest(b *ops.Body, t ir.DType) *ir.Node { return limit(b, t, 1) }
func lowest(b *ops.Body, t ir.DType) *ir.Node  { return limit(b, t, -1) }

// noneOr is what floats begin with of which none was seen yet, and other types with their worst.
func noneOr(worst func(*ops.Body, ir.DType) *ir.Node) func(*ops.Body, ir.DType) *ir.Node {
	return func(b *ops.Body, t ir.DType) *ir.Node {
		if t.Float() {
			return b.Const(t, math.NaN())
		}
		return worst(b, t)
	}
}

// limit is the largest (sign 1) or smallest (-1) value of a type.
func limit(b *ops.Body, t ir.DType, sign int) *ir.Node {
	switch {
	case t.Float():
		return b.Const(t, math.Inf(sign))
	case t == ir.I32 && sign > 0:
		return b.Int(t, math.MaxInt32)
	case t == ir.I32:
		return b.Int(t, math.MinInt32)
	case sign > 0:
		return b.Int(t, math.MaxInt64)
	}
	return b.Int(t, math.MinInt64)
}

// plainResult gives a plain number whatever goes in.
func plainResult(string, []operand.Operand) (ops.Unit, error) { return ops.Unit{}, nil }

// totalUnit is the unit of a sum: temperatures counted from an offset add up to kelvin.
func totalUnit(op string, xs []operand.Operand) (ops.Unit, error) {
	u := xs[0].Type.Unit
	if u.Offset != 0 {
		return u.Coherent(), nil
	}
	return u, nil
}

// squareUnit is the unit of a root of squares.
func squareUnit(op string, xs []operand.Operand) (ops.Unit, error) {
	return xs[0].Type.Unit, operand.NoOffset(op, xs)
}

const (
	remaining = "an array over the remaining dimensions, in order; a single value when none remains."
	nanSums   = "A NaN among the elements gives NaN."
	flatIndex = "Over several dimensions the index counts in C order of those dimensions as they stand in the array."
	// accumulates says what sums are added up in.
	accumulates = "Floats accumulate in f64, but f32 that arithmetic rounds where the sum is made, such as products, in f32 over up to 512 terms at a time"

	nanSkips = "NaN are skipped; where there is nothing else the result is "
)

var reductions = []reduction{
	{name: "sum", doc: "Sum of the elements.", takes: complexToo, single: true, accumulate: wide, result: sumType, unit: totalUnit, monoid: ir.Sum, start: zero,
		long:  nanSums + " " + accumulates + "; integers and booleans give i64, so the sum of a mask counts.",
		value: sumOf, rule: operand.Rounded, returns: remaining,
		examples: []ops.Example{{Title: "Along one dimension and along all", Code: "x = axis(x, 0 mm .. 3 mm in 4)\ny = axis(y, 0 mm .. 2 mm in 3)\na = x + y\nshow(sum(a, over: x))\nshow(sum(a))"},
			{Title: "Rows of unlike lengths", Code: "a = axis(k, 1 .. 6 in 6)\nfirst = array([0, 2, 5], dims: row)\nlast = array([1, 4, 5], dims: row)\nshow(sum(a, over: k in first .. last))"}}},
	{name: "mean", doc: "Mean of the elements.", takes: complexToo, single: true, accumulate: wide, result: inexactOf, unit: operand.SameUnit, monoid: ir.Sum, start: zero,
		long: nanSums + " " + accumulates + "; integers in i64.",
		finish: func(b *ops.Body, acc ops.Elem, count *ir.Node) ops.Elem {
			acc = ops.CCast(b, ir.F64, acc)
			return ops.CDiv(b, acc, ops.Real(count))
		},
		value: meanOf, rule: operand.Rounded, returns: remaining,
		examples: []ops.Example{{Title: "Along one dimension", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(mean(x + y, over: x))"}}},
	{name: "norm", doc: "Root of the sum of the squared magnitudes.", takes: complexToo, accumulate: wideFloat, result: realFloat, unit: squareUnit, monoid: ir.Sum, start: zero,
		long: nanSums + " " + accumulates + ": they must be within the range of the element type, as the squares.",
		term: func(b *ops.Body, x ops.Elem, t ir.DType) ops.Elem {
			x = ops.CCast(b, ops.Inexact(x.Re.Type), x)
			return ops.Real(b.Cast(t, ops.CAbs2(b, x)))
		},
		finish: func(b *ops.Body, acc ops.Elem, _ *ir.Node) ops.Elem { return ops.Real(b.Sqrt(acc.Re)) },
		value:  normOf, rule: operand.Rounded, returns: remaining,
		examples: []ops.Example{{Title: "Length of a vector", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(norm(x + y, over: y))"}}},
	{name: "argmin", doc: "Index of the first smallest element.", accumulate: numericOf, result: toI32, unit: plainResult, monoid: ir.ArgMin, start: noneOr(highest),
		long:  "NaN are skipped; where there is nothing else the index is 0. " + flatIndex,
		value: func(x []complex128) complex128 { _, i := firstOf(x, math.Inf(1), below); return complex(float64(i), 0) }, rule: operand.Exact, returns: remaining,
		examples: []ops.Example{{Title: "Where it is smallest", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(argmin(abs(x) + y, over: x))"}}},
	{name: "argmax", doc: "Index of the first largest element.", accumulate: numericOf, result: toI32, unit: plainResult, monoid: ir.ArgMax, start: noneOr(lowest),
		long: "NaN are skipped; where there is nothing else the index is 0. " + flatIndex,
		value: func(x []complex128) complex128 {
			_, i := firstOf(x, math.Inf(-1), above)
			return complex(float64(i), 0)
		}, rule: operand.Exact, returns: remaining,
		examples: []ops.Example{{Title: "Where it is largest", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(argmax(y - abs(x), over: x))"}}},
	{name: "any", doc: "True where any element is true.", takes: boolsOnly, single: true, accumulate: itself, result: itself, unit: plainResult, monoid: ir.Any, start: zero,
		value: func(x []complex128) complex128 { return truth(slices.Contains(x, 1)) }, rule: operand.Exact, returns: remaining,
		examples: []ops.Example{{Title: "Rows that reach beyond", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(any(x + y > 1.5 mm, over: x))"}}},
	{name: "all", doc: "True where all elements are true.", takes: boolsOnly, single: true, accumulate: itself, result: itself, unit: plainResult, monoid: ir.All, start: always,
		value: func(x []complex128) complex128 { return truth(!slices.Contains(x, 0)) }, rule: operand.Exact, returns: remaining,
		examples: []ops.Example{{Title: "Rows that stay above", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(all(x + y > -0.5 mm, over: x))"}}},
}

// smallest and largest are the reductions of min and max.
var (
	smallest = reduction{name: "min", single: true, accumulate: numericOf, result: numericOf, unit: operand.SameUnit, monoid: ir.Smallest, start: highest,
		value: func(x []complex128) complex128 { v, _ := firstOf(x, math.Inf(1), below); return complex(v, 0) }}
	largest = reduction{name: "max", single: true, accumulate: numericOf, result: numericOf, unit: operand.SameUnit, monoid: ir.Largest, start: lowest,
		value: func(x []complex128) complex128 { v, _ := firstOf(x, math.Inf(-1), above); return complex(v, 0) }}
)

func reductionSpecs() []*ops.Spec {
	out := make([]*ops.Spec, len(reductions))
	for i := range reductions {
		out[i] = reductions[i].spec()
	}
	return out
}
