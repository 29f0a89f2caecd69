package array

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

func leadingSpec() *ops.Spec {
	return &ops.Spec{
		Name: "leading", Doc: "The first elements along a dimension, as many as a number says that is computed.", Group: groupCompare, Error: operand.Rounded,
		Long: "How many elements there are is known when it runs: functions of elements, reductions, sort, cumsum, histogram, plots, a[x: places], show and write take such an array, kernels are made " +
			"for any number, and compute no others. Arrays of such dimensions go together where one number counts both.",
		Returns: "an array of the same dimensions, of which one has at most as many elements.",
		Params: []ops.Param{ops.In("a", "array"), ops.In("count", "a single whole number, held between 0 and what there is").Of(""),
			ops.Param{Name: "along", Doc: "dimension; may be left out where there is only one", Accept: ops.KSymbol}.Opt()},
		Examples: []ops.Example{{Title: "As long as it rises", Code: "x = axis(x, 0 .. 7 in 8)\na = sin(x)\nn = sum(cast(cumsum(cast(a < a[x: here - 1, outside: -1], i32)) == 0, i32))\nshow(leading(a, n))"}},
		Bind:     bindLeading, Counts: true,
	}
}

// leading is a use of leading.
type leading struct {
	ops.Gives
	of ops.Array
}

func bindLeading(c *ops.Call) (ops.Op, error) {
	t, n := c.Type("a"), c.Type("count")
	along, err := operand.Line(c, t)
	count, _ := c.Array("count")
	of, _ := c.Array("a")
	switch {
	case err != nil:
		return nil, err
	case len(n.Dims) > 0 || !ops.IsWhole(count):
		return nil, problem.Wrong(problem.NotWhole, "count", "cast(..., i32) makes one", "how many elements there are is a single whole number, and this is %s", n)
	case t.Dims[along].Count != nil:
		return nil, problem.Wrong(problem.WrongDims, "a", "", "how many elements there are along %s is known only when it runs already: it is %s", t.Dims[along].Name, t)
	}
	t.Elem, t.Dims = t.Elem.Widen(), slices.Clone(t.Dims)
	t.Dims[along].Count = &count
	return leading{ops.One(t), of}, nil
}

// Lower gives what there is: kernels go as far as the count.
func (p leading) Lower(l *ops.Lowering) []*ops.Stage {
	in := l.In("a")
	return []*ops.Stage{l.Stage("", p.Gives[0].Type, []*ops.Stage{in}, func(b *ops.Body, at []*ir.Node) ops.Elem { return in.At(b, at...) })}
}

// Whole tells whether they are whole numbers.
func (p leading) Whole() bool { return ops.IsWhole(p.of) }

// Reference is the array: how much of it there is follows when it runs.
func (p leading) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{in["a"]}, nil
}
