package array

import (
	"math"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// extreme is min or max: of two arrays or numbers, element by element, or of the elements of one array along dimensions.
type extreme struct {
	pairwise elementwise
	along    *reduction
}

func extremeSpecs() []*ops.Spec {
	return []*ops.Spec{
		newExtreme(&smallest, ir.Min, "Smallest", "inf", func(x, y float64) float64 { return math.Min(x, y) }).spec(),
		newExtreme(&largest, ir.Max, "Largest", "-inf", func(x, y float64) float64 { return math.Max(x, y) }).spec(),
	}
}

func newExtreme(along *reduction, op ir.Op, word, none string, value func(x, y float64) float64) *extreme {
	along.doc = word + " element, or the element-by-element " + along.name + " of two arrays."
	along.long = along.name + "(a, b) compares element by element, and NaN in either gives NaN. " +
		along.name + "(a) and " + along.name + "(a, over: [x, y]) reduce: " + nanSkips + none + "."
	return &extreme{along: along, pairwise: elementwise{
		keepsWhole: true,
		name:       along.name, args: pair, compute: numeric, unit: operand.SameUnit, value: real2(value),
		build: func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
			m := b.Alu(op, x[0].Re, x[1].Re) // the second where either is NaN
			if x[0].Re.Kind == ir.KConst || !x[0].Re.Type.Float() {
				return ops.Real(m)
			}
			return ops.Real(b.Select(b.Alu(ir.Eq, x[0].Re, x[0].Re), m, x[0].Re))
		},
	}}
}

func (e *extreme) spec() *ops.Spec {
	return &ops.Spec{
		Name: e.along.name, Doc: e.along.doc, Long: e.along.long, Group: groupReduce, Error: operand.Rounded,
		Returns: "with two arguments, an array with the dimensions of both; otherwise " + remaining,
		Params: []ops.Param{
			{Name: "a", Doc: "array or number", Accept: ops.KArray | ops.KNumber, Unit: "*"},
			{Name: "b", Doc: "array or number to compare with", Accept: ops.KArray | ops.KNumber, Unit: "*", Optional: true},
			acceptsSegments(),
		},
		Examples: []ops.Example{{Title: "Of two values, and along a dimension", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(" +
			e.along.name + "(x, 0 mm))\nshow(" + e.along.name + "(x + y, over: x))"}},
		Bind:   e.bind,
		Counts: true,
	}
}

// bind decides between the two uses.
func (e *extreme) bind(c *ops.Call) (ops.Op, error) {
	switch {
	case c.Has("b") && c.Has("over"):
		return nil, problem.Wrong(problem.ContradictArguments, "over", "leave one out", "`%s` takes a second value or `over`, not both", e.along.name)
	case c.Has("b"):
		return e.pairwise.bind(c)
	}
	return e.along.bind(c)
}
