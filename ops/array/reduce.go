package array

import (
	"errors"
	"math"
	"slices"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/problem"
)

// reduction is a row of the table of operators that join all elements along some dimensions. What it accumulates is one
// node, a pair (real, imaginary), or a pair (value, index), as its monoid and element type say.
type reduction struct {
	name, doc, long string
	takes           takes
	single          bool                            // it is that of a single value too, which is the value
	accumulate      func(ops.ElemType) ops.ElemType // what it accumulates in, from the widened type of the array
	result          func(ops.ElemType) ops.ElemType // what it gives, from the widened type of the array
	unit            operand.UnitRule
	monoid          ir.Monoid
	start           func(b *ops.Body, t ir.DType) *ir.Node
	term            func(b *ops.Body, x ops.Elem, t ir.DType) ops.Elem // an element as it is accumulated; nil: a cast
	finish          func(b *ops.Body, acc ops.Elem, count *ir.Node) ops.Elem
	value           func(x []complex128) complex128 // the same on numbers
	rule            ops.ErrorRule
	returns         string
	examples        []ops.Example
}

// indexed reports whether it accumulates (value, index).
func (r *reduction) indexed() bool { return r.monoid == ir.ArgMin || r.monoid == ir.ArgMax }

const overDoc = "a dimension or a list of dimensions to reduce; all of them for all, or when left out"

func (r *reduction) spec() *ops.Spec {
	return &ops.Spec{
		Name: r.name, Doc: r.doc, Long: r.long, Group: groupReduce, Examples: r.examples, Error: r.rule, Returns: r.returns,
		Params: []ops.Param{r.input(), acceptsSegments()},
		Bind:   r.bind,
		Counts: true,
	}
}

// input is what is reduced: an array, or where one element is its own result a single value, which functions may be given in place of one.
func (r *reduction) input() ops.Param {
	switch p := ops.In("a", "array"); {
	case !r.single:
		return p
	case r.takes == boolsOnly:
		p.Doc = "array, or true or false"
		return p.Also(ops.KBool)
	default:
		p.Doc = "array or number"
		return p.Also(ops.KNumber)
	}
}

// alone is the result of a single value, which is that value; nil for an array.
func (r *reduction) alone(c *ops.Call) (ops.Op, error) {
	if _, array := c.Array("a"); array {
		return nil, nil
	}
	if c.Has("over") {
		return nil, problem.Wrong(problem.NotAnArray, "a", "leave `over` out", "`a` of `%s` takes an array, not %s, which has no dimensions to go over", r.name, c.Args["a"].Kind())
	}
	return ops.Known{Value: c.Args["a"]}, nil
}

// reduce is a use of a reduction.
type reduce struct {
	*reduction
	over []int // positions of the reduced dims
	part *operand.Segment
	out  ops.Type
	of   *operand.Product // what is known of it as a product; nil: nothing
}

func (r *reduction) bind(c *ops.Call) (ops.Op, error) {
	if op, err := r.alone(c); op != nil || err != nil {
		return op, err
	}
	t := c.Type("a")
	if err := r.checkElem(t); err != nil {
		return nil, err
	}
	over, part, dimErr := overOf(c, t)
	out, unitErr := r.of(t, over)
	if err := errors.Join(dimErr, unitErr); err != nil {
		return nil, err
	}
	if out.part = part; part != nil {
		out.out.Dims = part.Dims
	}
	a, _ := c.Array("a")
	if p, ok := a.Of.Bound.(*pointwise); ok && p.name == "mul" && r.name == "sum" {
		out.multiplies(p)
	}
	return out, nil
}

// of is the reduction of an array of a type.
func (r *reduction) of(t ops.Type, over []int) (*reduce, error) {
	unit, err := r.unit(r.name, []operand.Operand{{Name: "a", Type: t}})
	return &reduce{reduction: r, over: over, out: ops.Type{Elem: r.result(t.Elem.Widen()), Dims: operand.Without(t.Dims, over), Unit: unit}}, err
}

// multiplies has a sum go through those products alone that are not known to be zero.
func (r *reduce) multiplies(p *pointwise) {
	if len(r.over) == 1 && r.part == nil {
		r.of = operand.ProductOf(p.xs, p.out.Dims[r.over[0]].Name)
	}
}

// Outputs is one array.
func (r *reduce) Outputs() []ops.Output { return ops.One(r.out) }

// Structure implements matrix.Structured: a sum of products is one of matrices.
func (r *reduce) Structure(c *ops.Call, _ int) (s matrix.Structure) {
	a, _ := c.Array("a")
	if p, ok := a.Of.Bound.(*pointwise); ok && p.name == "mul" && r.name == "sum" && len(r.over) == 1 {
		s = operand.ProductStructure(p.xs, p.out.Dims[r.over[0]].Name)
	}
	return s
}

// Lower folds the input.
func (r *reduce) Lower(l *ops.Lowering) []*ops.Stage {
	return []*ops.Stage{r.stages(l, "", l.In("a"), r.over, r.out, r.part, r.of)}
}

// Reference collects the elements of each group and reduces them.
func (r *reduce) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	if r.part != nil {
		return []ops.Dense{r.dense(in)}, nil
	}
	return []ops.Dense{r.reduceDense(in["a"], r.over, r.out)}, nil
}

func (r *reduction) checkElem(t ops.Type) error {
	switch {
	case r.takes == boolsOnly && t.Elem.Base != ir.Bool:
		return problem.Wrong(problem.NotABoolean, "a", "compare it with something, such as `... > 0`", "%s needs true or false, and this is %s", operand.Called(r.name), t)
	case r.takes == realsOnly && t.Elem.Complex:
		return needsReal(r.name, "a", t)
	}
	return nil
}

// kept are the places of the dims that are not reduced.
func kept(t ops.Type, over []int) (out []int) {
	for i := range t.Dims {
		if !slices.Contains(over, i) {
			out = append(out, i)
		}
	}
	return out
}

func (r *reduction) reduceDense(a ops.Dense, over []int, t ops.Type) ops.Dense {
	out := ops.NewDense(t.Elem.Complex, t.Shape()...)
	reduced := map[int]bool{}
	for _, d := range over {
		reduced[d] = true
	}
	groups := make([][]complex128, out.Len())
	strides := out.Strides()
	for i, index := range ops.Indices(a.Shape) {
		at, k := 0, 0
		for d, x := range index {
			if !reduced[d] {
				at += x * strides[k]
				k++
			}
		}
		groups[at] = append(groups[at], a.At(i))
	}
	for i, g := range groups {
		out.Set(i, r.value(g))
	}
	return out
}

// sumOf adds numbers.
func sumOf(x []complex128) complex128 {
	var s complex128
	for _, v := range x {
		s += v
	}
	return s
}

func meanOf(x []complex128) complex128 {
	if len(x) == 0 {
		return complex(math.NaN(), math.NaN())
	}
	return quotientOf(sumOf(x), complex(float64(len(x)), 0))
}

func normOf(x []complex128) complex128 {
	s := 0.0
	for _, v := range x {
		s += real(v)*real(v) + imag(v)*imag(v)
	}
	return complex(math.Sqrt(s), 0)
}

// firstOf finds the first extreme element; NaN never is. before orders two elements.
func firstOf(x []complex128, worst float64, before func(a, b float64) bool) (value float64, index int) {
	value, index = worst, -1
	for i, v := range x {
		if !math.IsNaN(real(v)) && (index < 0 || before(real(v), value)) {
			value, index = real(v), i
		}
	}
	return value, max(index, 0)
}

func below(a, b float64) bool { return a < b }
func above(a, b float64) bool { return a > b }
