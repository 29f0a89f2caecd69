package array

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/problem"
)

// takes says which elements an operator accepts.
type takes int

const (
	realsOnly takes = iota
	complexToo
	boolsOnly
	wholeOnly // elements of an integer type, and whole numbers
)

// arg is an argument of an elementwise operator: an array or a number.
type arg struct{ name, doc string }

// elementwise is a row of the tables of operators that work on each element by itself. The first masks arguments are
// booleans and take no part in types and units (the condition of where).
type elementwise struct {
	name, doc, long string
	group           string
	args            []arg
	masks           int
	takes           takes
	compute         func(ops.ElemType, []operand.Operand) ops.ElemType // what it computes in, from the promoted type; nil: that type
	result          func(ops.ElemType) ops.ElemType                    // what it gives, from what it computes in; nil: the same
	unit            operand.UnitRule
	build           func(b *ops.Body, xs []operand.Operand, x []ops.Elem) ops.Elem
	value           func(x []complex128) complex128 // the same on numbers
	ofWhole         func(x []complex128) complex128 // the same where it computes in whole numbers, if that differs
	whole           bool                            // what it gives is whole, so it may be an index
	keepsWhole      bool                            // what it gives of whole numbers is whole
	divides         bool                            // the second operand must not be 0
	arrays          bool                            // of numbers it gives an array of one element, not a number
	rule            ops.ErrorRule
	returns         string
	examples        []ops.Example
}

func elementwiseSpecs(table []elementwise) []*ops.Spec {
	out := make([]*ops.Spec, len(table))
	for i := range table {
		out[i] = table[i].spec()
	}
	return out
}

func (e *elementwise) spec() *ops.Spec {
	s := &ops.Spec{
		Name: e.name, Doc: e.doc, Long: e.long, Group: e.group, Examples: e.examples, Error: e.rule,
		Returns: cmp.Or(e.returns, "an array with the dimensions of all arguments, joined by name; a number when all arguments are numbers."),
		Bind:    e.bind,
		Counts:  true,
	}
	for _, a := range e.args {
		s.Params = append(s.Params, ops.Param{Name: a.name, Doc: a.doc, Accept: ops.KArray | ops.KNumber | ops.KBool, Unit: "*"})
	}
	return s
}

// pointwise is a use of such an operator on arrays.
type pointwise struct {
	*elementwise
	xs      []operand.Operand
	compute ops.ElemType
	out     ops.Type
}

// Structure implements matrix.Structured.
func (t *pointwise) Structure(*ops.Call, int) matrix.Structure {
	if t.name == "where" {
		return matrix.Chosen(t.xs[0].Value, t.xs[1].Value, t.xs[2].Value)
	}
	return operand.Structure(t.name, t.xs)
}

// bind types a call, finds every mistake, and computes what is made of numbers only.
func (e *elementwise) bind(c *ops.Call) (ops.Op, error) {
	t, err := e.typed(c)
	switch {
	case err != nil:
		return nil, err
	case e.arrays || slices.ContainsFunc(t.xs, func(x operand.Operand) bool { return !x.Scalar }):
		return t, nil
	}
	v, err := t.number()
	return ops.Known{Value: v}, err
}

func (e *elementwise) typed(c *ops.Call) (*pointwise, error) {
	t := &pointwise{elementwise: e}
	for _, a := range e.args {
		t.xs = append(t.xs, operand.Of(c, a.name)...)
	}
	masks, values := t.xs[:e.masks], t.xs[e.masks:]
	errs := []error{e.checkElems(masks, boolsOnly), e.checkElems(values, e.takes)}
	if errors.Join(errs...) != nil {
		return t, errors.Join(errs...)
	}
	t.compute = operand.Promote(values)
	if e.takes == boolsOnly {
		t.compute = ops.Bool
	}
	if e.compute != nil {
		t.compute = e.compute(t.compute, values)
	}
	if t.compute == ops.I32 && !e.whole && e.leaves32(values) {
		t.compute = ops.I64
	}
	t.out.Elem = t.compute
	if e.result != nil {
		t.out.Elem = e.result(t.compute)
	}
	var unitErr, dimErr error
	t.out.Unit, unitErr = e.unit(e.name, values)
	t.out.Dims, dimErr = operand.Broadcast(e.name, t.xs)
	return t, errors.Join(unitErr, dimErr)
}

// leaves32 reports whether what whole numbers give may not be one of 32 bits.
func (e *elementwise) leaves32(xs []operand.Operand) bool {
	var arrays []ops.Array
	for _, x := range xs {
		if a, ok := x.Value.(ops.Array); ok {
			arrays = append(arrays, a)
		}
	}
	return ops.Leaves32(arrays, func(b *ops.Body, of []ops.Elem) ops.Elem {
		x := slices.Repeat([]ops.Elem{{Re: b.True()}}, e.masks)
		for _, o := range xs {
			if !o.Scalar {
				x, of = append(x, of[0]), of[1:]
			} else {
				x = append(x, o.Read(b, ir.I64, nil))
			}
		}
		return e.build(b, xs, x)
	})
}

func (e *elementwise) checkElems(xs []operand.Operand, want takes) error {
	var errs []error
	for _, x := range xs {
		isBool := x.Type.Elem.Base == ir.Bool
		switch {
		case want == boolsOnly && !isBool:
			errs = append(errs, problem.Wrong(problem.NotABoolean, x.Name, "compare it with something, such as `... > 0`",
				"%s needs true or false, and this is %s", operand.Called(e.name), describe(x)))
		case want == wholeOnly && (x.Scalar && !x.Whole() || !x.Scalar && !x.Type.Elem.Base.Int()):
			errs = append(errs, problem.Wrong(problem.WrongElementType, x.Name, "cast it to i32 or i64", "%s needs whole numbers, and this is %s", operand.Called(e.name), describe(x)))
		case want == realsOnly && x.Type.Elem.Complex:
			errs = append(errs, needsReal(e.name, x.Name, x.Type))
		case want != boolsOnly && isBool && x.Scalar:
			errs = append(errs, problem.Wrong(problem.NotANumber, x.Name, "", "%s needs numbers, and this is %s", operand.Called(e.name), x.Value))
		}
	}
	return errors.Join(errs...)
}

func needsReal(op, name string, t ops.Type) error {
	return problem.Wrong(problem.WrongElementType, name, "take abs, real or imag of it first",
		"%s needs real numbers, and this is complex: %s", operand.Called(op), t)
}

// describe names what an operand is.
func describe(x operand.Operand) string {
	if x.Scalar {
		return x.Value.String()
	}
	return x.Type.String()
}

// Whole tells whether it gives whole numbers.
func (t *pointwise) Whole() bool {
	return t.whole || t.keepsWhole && !slices.ContainsFunc(t.xs[t.masks:], func(x operand.Operand) bool { return !x.Whole() })
}

// Outputs is one array.
func (t *pointwise) Outputs() []ops.Output { return ops.One(t.out) }

// Lower is one stage.
func (t *pointwise) Lower(l *ops.Lowering) []*ops.Stage { return []*ops.Stage{t.stage(l, "")} }

// stage reads the operands and builds the element of them.
func (t *pointwise) stage(l *ops.Lowering, name string) *ops.Stage {
	xs := slices.Clone(t.xs)
	s := l.Stage(name, t.out, operand.Stages(l, xs), func(b *ops.Body, index []*ir.Node) ops.Elem {
		x := make([]ops.Elem, len(xs))
		for i := range xs {
			base := t.compute.Base
			if i < t.masks {
				base = ir.Bool
			}
			x[i] = xs[i].Read(b, base, index)
		}
		return t.build(b, xs, x)
	})
	s.Steps = []string{t.name}
	return s
}

// number computes a use on numbers only.
func (t *pointwise) number() (ops.Value, error) {
	in := make([]complex128, len(t.xs))
	for i, x := range t.xs {
		in[i] = complex(x.SI(), 0)
	}
	if t.divides && in[1] == 0 {
		return nil, problem.Wrong(problem.DivisionByZero, t.xs[1].Name, "", "%s is divided by zero", t.xs[0].Value)
	}
	v := t.value(in)
	switch {
	case imag(v) != 0 || math.IsNaN(real(v)) || math.IsInf(real(v), 0):
		return nil, problem.Wrong(problem.NotFiniteConstant, t.xs[0].Name, "", "%s of %s is not a finite real number", operand.Called(t.name), t.xs[0].Value)
	case t.out.Elem.Base == ir.Bool:
		return ops.Flag(real(v) != 0), nil
	}
	n := ops.Number{V: real(v), Unit: t.out.Unit, Int: (t.whole || t.out.Elem.Base.Int()) && t.out.Unit.Plain()}
	n = n.Of(t.name+"("+strings.Join(slices.Repeat([]string{"%s"}, len(t.xs)), ", ")+")", numbersOf(t.xs)...)
	if n.Int && math.Abs(n.V) > 1<<53 && !slices.ContainsFunc(in, func(x complex128) bool { return math.Abs(real(x)) == math.Abs(n.V) }) {
		return nil, problem.Wrong(problem.OutOfBounds, t.xs[0].Name, "write one of the numbers with a point, such as 3.0, for a result that may be rounded",
			"%s gives a whole number beyond 2^53, which may not be held exactly", operand.Called(t.name))
	}
	return n, nil
}

// numbersOf are scalar operands as numbers.
func numbersOf(xs []operand.Operand) []ops.Number {
	out := make([]ops.Number, len(xs))
	for i, x := range xs {
		if n, ok := x.Value.(ops.Number); ok {
			out[i] = n
			continue
		}
		out[i].V = x.SI()
	}
	return out
}

// Reference computes element by element.
func (t *pointwise) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(t.out.Elem.Complex, t.out.Shape()...)
	x := make([]complex128, len(t.xs))
	value := t.value
	if t.ofWhole != nil && t.compute.Base.Int() {
		value = t.ofWhole
	}
	for i, index := range ops.Indices(out.Shape) {
		for k, o := range t.xs {
			if o.Scalar {
				x[k] = complex(o.SI(), 0)
				continue
			}
			d := in[o.Name]
			at := 0
			for j, s := range d.Strides() {
				at += s * index[o.Pick[j]]
			}
			x[k] = d.At(at)
		}
		out.Set(i, value(x))
	}
	return []ops.Dense{out}, nil
}
