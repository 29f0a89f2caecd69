package array

import (
	"fmt"
	"math"
	"slices"
	"weft/ops/operand"

	"weft/ops"
	"weft/ops/problem"
)

func literalSpecs() []*ops.Spec {
	return []*ops.Spec{
		{
			Name: "array", Doc: "An array of values that are written out.", Group: groupCreate, Error: operand.Rounded,
			Long:    "Lists within the list are the rows of further dimensions; all of them have one length.",
			Returns: "an array in the unit of the values: of integers where all are whole numbers without unit, of truth values, or of f32.",
			Params: []ops.Param{{Name: "values", Doc: "list of numbers, or of such lists", Accept: ops.KList, Unit: "*"},
				ops.Names("dims", "names of the dimensions, outermost first").New(),
				ops.Choose("type", "element type of numbers, where it is not to follow from them", "f32", "f64").Opt()},
			Examples: []ops.Example{{Title: "A stencil", Code: "w = array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], dims: [dy, dx])\nshow(w)"}},
			Bind:     bindLiteral,
		},
	}
}

// literal is a use of array.
type literal struct {
	out  ops.Type
	data []float64
}

// Outputs is one array.
func (v literal) Outputs() []ops.Output { return ops.One(v.out) }

// Whole tells whether all values are whole numbers.
func (v literal) Whole() bool {
	return !slices.ContainsFunc(v.data, func(x float64) bool { return x != math.Trunc(x) })
}

// Lower gives the values.
func (v literal) Lower(l *ops.Lowering) []*ops.Stage {
	return []*ops.Stage{l.Constant("", v.out, v.data)}
}

// Reference is the same.
func (v literal) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{{Shape: v.out.Shape(), Re: slices.Clone(v.data)}}, nil
}

func bindLiteral(c *ops.Call) (ops.Op, error) {
	names, err := c.Names("dims")
	if err != nil {
		return nil, err
	}
	var v literal
	for rest := ops.Value(c.List("values")); ; {
		l, ok := rest.(ops.List)
		if !ok {
			break
		}
		if len(l) == 0 {
			return nil, problem.Wrong(problem.ZeroExtent, "values", "list at least one value", "the list is empty")
		}
		v.out.Dims = append(v.out.Dims, ops.Dim{Size: len(l)})
		rest = l[0]
	}
	if len(v.out.Dims) != len(names) {
		return nil, problem.Wrong(problem.DimsCount, "dims", "name as many", "the lists are %d deep, and `dims` names %d", len(v.out.Dims), len(names))
	}
	for i := range names {
		v.out.Dims[i].Name = names[i]
	}
	var xs []operand.Operand
	if err := v.flatten(&xs, c.List("values"), 0, ""); err != nil {
		return nil, err
	}
	v.out.Elem, err = ops.Bool, operand.Distinct("dims", v.out.Dims)
	if err != nil {
		return nil, err
	}
	flags := 0
	for _, x := range xs {
		if x.Type.Elem == ops.Bool {
			flags++
		}
	}
	switch {
	case flags == 0:
		if v.out.Elem = operand.Promote(xs); c.Has("type") {
			v.out.Elem, _ = ops.ParseElem(c.Symbol("type"))
		}
		v.out.Unit, err = operand.SameUnit("array", xs)
	case flags < len(xs):
		err = problem.Wrong(problem.MixedList, "values", "", "numbers stand beside true and false")
	}
	return v, operand.About("values", err)
}

// flatten collects the values of lists that are as long as the first ones.
func (v *literal) flatten(xs *[]operand.Operand, list ops.List, depth int, at string) error {
	if len(list) != v.out.Dims[depth].Size {
		return problem.Wrong(problem.ExtentMismatch, "values", "", "%s has %d values, and the first %d", "the list"+at, len(list), v.out.Dims[depth].Size)
	}
	for i, x := range list {
		inner, isList := x.(ops.List)
		last := depth == len(v.out.Dims)-1
		switch {
		case isList && !last:
			if err := v.flatten(xs, inner, depth+1, fmt.Sprintf("%s [%d]", at, i)); err != nil {
				return err
			}
			continue
		case isList || !last || x.Kind()&(ops.KNumber|ops.KBool) == 0:
			return problem.Wrong(problem.MixedList, "values", "", "%s stands among others of another depth", x)
		}
		o := operand.New(fmt.Sprintf("item %d", i), x)
		*xs, v.data = append(*xs, o), append(v.data, o.SI())
	}
	return nil
}
