package array

import (
	"math"

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
		name: along.name, args: pair, compute: numeric, unit: sameUnit, value: real2(value),
		build: func(b *ops.Body, _ *ops.Call, x []ops.Elem) ops.Elem {
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
		Name: e.along.name, Doc: e.along.doc, Long: e.along.long, Group: groupReduce, Error: rounded,
		Returns: "with two arguments, an array with the dimensions of both; otherwise " + remaining,
		Params: []ops.Param{
			{Name: "a", Doc: "array or number", Accept: ops.KArray | ops.KNumber, Unit: "*"},
			{Name: "b", Doc: "array or number to compare with", Accept: ops.KArray | ops.KNumber, Unit: "*", Optional: true},
			ops.Names("over", overDoc).Opt(),
		},
		Examples: []ops.Example{{Title: "Of two values, and along a dimension", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(" +
			e.along.name + "(x, 0 mm))\nshow(" + e.along.name + "(x + y, over: x))"}},
		Infer: e.infer, Make: e.make, Lower: e.lower, Reference: e.reference,
	}
}

// choose decides between the two uses.
func (e *extreme) choose(c *ops.Call) (along bool, err error) {
	switch _, array := c.Array("a"); {
	case c.Has("b") && c.Has("over"):
		return false, problem.Wrong(problem.ContradictArguments, "over", "leave one out", "`%s` takes a second value or `over`, not both", e.along.name)
	case c.Has("b"):
		return false, nil
	case !array:
		return false, problem.Wrong(problem.MissingArgument, "a", "give a second value to compare with, or an array", "`%s` of a single number is that number", e.along.name)
	}
	return true, nil
}

func (e *extreme) infer(c *ops.Call) ([]ops.Output, error) {
	along, err := e.choose(c)
	switch {
	case err != nil:
		return nil, err
	case along:
		return e.along.infer(c)
	}
	return e.pairwise.infer(c)
}

func (e *extreme) make(c *ops.Call) (ops.Value, error) {
	if _, err := e.choose(c); err != nil {
		return nil, err
	}
	return e.pairwise.make(c)
}

func (e *extreme) lower(l *ops.Lowering) []*ops.Stage {
	if l.Has("b") {
		return e.pairwise.lower(l)
	}
	over, out := mustOver(e.along, l.Call)
	return []*ops.Stage{e.along.stages(l, "", l.In("a"), over, out)}
}

func (e *extreme) reference(c *ops.Call, in map[string]ops.Dense) ([]ops.Dense, error) {
	if c.Has("b") {
		return e.pairwise.reference(c, in)
	}
	return e.along.reference(c, in)
}
