package linear

import (
	"errors"
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

var eigen = &ops.Spec{
	Name: "eigen", Doc: "Largest eigenvalues of a matrix, and their vectors.", Group: "linear algebra",
	Long: "power is the power method: v is multiplied by the matrix and scaled to length 1, over and over, until no element changes by more than until. It finds " +
		"the eigenvalue of largest magnitude, where there is one, and is the quicker the more that stands out: errors shrink by the ratio of the next " +
		"one's magnitude to it in each call. The first vector is the same in every run. A matrix that does not fit the memory is read, or computed, " +
		"anew in each call. lanczos is for symmetric matrices: it finds the eigenvalues of largest magnitude, the largest first, in far fewer " +
		"calls where they lie close to each other, in float64, and keeps a few tens of vectors. Golub and Van Loan, Matrix Computations, 4th edition, " +
		"7.3.1 and 10.5.",
	Returns: "value, in the unit of the matrix, and vector, over its first dimension, of length 1; for a count above 1 both over eigenvalue too.",
	Error:   ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-4},
	Params: []ops.Param{
		ops.In("input", "matrix: real, over two dimensions of one extent"),
		ops.Count("count", "eigenvalues to find").Within(1, 100).Or(ops.Integer(1)),
		ops.Choose("method", "how they are found; power finds one", "power", "lanczos").Or(ops.Symbol("power")),
		ops.Count("most", "calls at most").Within(1, 1e9).Or(ops.Integer(1000)),
		ops.Num("until", "", "where to stop: power, at the largest change of an element; lanczos, at the part of A v that is not along v; 0: not before the last call").AtLeast(0).Or(ops.Number{V: 1e-6}),
	},
	Examples: []ops.Example{{Title: "A line of springs", Code: "i = axis(i, 0 .. 7 in 8)\nj = axis(j, 0 .. 7 in 8)\nk = where(i == j, 2, where(abs(i - j) == 1, -1, 0))\n" +
		"e = eigen(k)\nshow(e.value)\nshow(e.vector)"},
		{Title: "Its three largest", Code: "i = axis(i, 0 .. 7 in 8)\nj = axis(j, 0 .. 7 in 8)\nk = where(i == j, 2, where(abs(i - j) == 1, -1, 0))\n" +
			"show(eigen(k, count: 3, method: lanczos).value)"}},
	Bind: bindEigen,
}

// power is a use of eigen.
type power struct {
	matrix ops.Type
	vector ops.Type
	value  ops.Type
	most   int
	until  float64
}

func bindEigen(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	var errs []error
	if len(t.Dims) != 2 || t.Dims[0].Size != t.Dims[1].Size || t.Dims[0].Size == 0 {
		errs = append(errs, problem.Wrong(problem.WrongDims, "input", "take a square part of it", "`eigen` needs a square matrix, and the input is %s", t))
	}
	if t.Elem.Complex || t.Elem.Base == ir.Bool {
		errs = append(errs, problem.Wrong(problem.WrongElementType, "input", "", "`eigen` needs real numbers, and the input is %s", t))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	elem := ops.ElemType{Base: ops.Inexact(t.Elem.Widen().Base)}
	switch count := c.Int("count"); {
	case count > t.Dims[0].Size:
		return nil, problem.Wrong(problem.OutOfBounds, "count", "", "%s has %d eigenvalues", t, t.Dims[0].Size)
	case c.Symbol("method") == "lanczos":
		if err := reachable(c.Number("until"), ir.F64, 1); err != nil {
			return nil, err
		}
		return newLanczos(t, elem, count, c.Int("most"), c.Number("until")), nil
	case count > 1:
		return nil, problem.Wrong(problem.CannotHonour, "count", "use method: lanczos, for symmetric matrices", "method: power finds one eigenvalue, not %d", count)
	}
	// The largest element of a vector of length 1 is no less than this.
	if err := reachable(c.Number("until"), elem.Base, 1/math.Sqrt(float64(t.Dims[0].Size))); err != nil {
		return nil, err
	}
	return &power{
		matrix: t, most: int(c.Number("most")), until: c.Number("until"),
		vector: ops.Type{Elem: elem, Dims: t.Dims[:1]}, value: ops.Type{Elem: elem, Unit: t.Unit},
	}, nil
}

// Outputs are the eigenvalue and its vector.
func (p *power) Outputs() []ops.Output {
	return []ops.Output{{Name: "value", Type: p.value}, {Name: "vector", Type: p.vector}}
}

// The state of the power method.
const (
	stateValue = iota
	stateVector
	stateChange
)

// golden spreads the elements of the first vector.
const golden = math.Phi - 1

// Programs are the start and one call: a product, its length and what it says of the eigenvalue, and the next vector.
func (p *power) Programs(l *ops.Lowering) ops.Drive {
	a, n, base := l.In("input"), p.vector.Dims[0].Size, p.vector.Elem.Base
	plain := ops.Type{Elem: p.value.Elem}
	value, now, change := l.State("value", p.value), l.State("vector", p.vector), l.State("change", plain)
	zero := func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(base, 0)) }
	first := l.Stage("start.vector", p.vector, nil, func(b *ops.Body, at []*ir.Node) ops.Elem {
		x := b.Mul(b.Cast(ir.F64, at[0]), b.F64(golden))
		return ops.Real(b.Cast(base, b.Add(b.Sub(x, b.Alu(ir.Floor, x)), b.F64(0.5))))
	})
	sum := func(b *ops.Body, size int, terms ...func(i *ir.Node) *ir.Node) []*ir.Node {
		zeros := make([]*ir.Node, len(terms))
		for k := range zeros {
			zeros[k] = b.F64(0)
		}
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(size), Init: zeros, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			out := make([]*ir.Node, len(terms))
			for k, term := range terms {
				out[k] = b.Add(acc[k], b.Cast(ir.F64, term(i)))
			}
			return out, nil
		})
	}
	product := l.Stage("product", p.vector, []*ops.Stage{a, now}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		return ops.Real(b.Cast(base, sum(b, n, func(i *ir.Node) *ir.Node {
			return b.Mul(b.Cast(ir.F64, a.At(b, at[0], i).Re), b.Cast(ir.F64, now.At(b, i).Re))
		})[0]))
	})
	product.Steps = []string{"product"}
	// moments are the sums of w w, v w and v v.
	moments := func(b *ops.Body) []*ir.Node {
		return b.Once(product, nil, func() []*ir.Node {
			w := func(i *ir.Node) *ir.Node { return b.Cast(ir.F64, product.At(b, i).Re) }
			v := func(i *ir.Node) *ir.Node { return b.Cast(ir.F64, now.At(b, i).Re) }
			return sum(b, n, func(i *ir.Node) *ir.Node { return b.Mul(w(i), w(i)) }, func(i *ir.Node) *ir.Node { return b.Mul(v(i), w(i)) },
				func(i *ir.Node) *ir.Node { return b.Mul(v(i), v(i)) })
		})
	}
	double := ops.Type{Elem: ops.ElemType{Base: ir.F64}}
	both := []*ops.Stage{product, now}
	found := l.Stage("found", p.value, both, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		m := moments(b)
		return ops.Real(b.Cast(base, b.Select(b.Alu(ir.Eq, m[2], b.F64(0)), b.F64(0), b.Div(m[1], m[2])))) // what is no number stays so
	})
	// scale turns the product into the next vector: of length 1, and with the sign of the one before; 0 where the matrix makes it 0.
	scale := l.Stage("scale", double, both, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		m := moments(b)
		length := b.Sqrt(m[0])
		signed := b.Select(b.Lt(m[1], b.F64(0)), b.Neg(length), length)
		return ops.Real(b.Select(b.Lt(b.F64(0), length), b.Div(b.F64(1), signed), b.F64(0)))
	})
	next := l.Stage("next", p.vector, []*ops.Stage{product, scale}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		return ops.Real(b.Cast(base, b.Mul(b.Cast(ir.F64, product.At(b, at[0]).Re), scale.At(b).Re)))
	})
	// moved is by how much an element changes. Below 0 it tells of the first element of the first product that was no finite number: -1 of that in row 0.
	moved := l.Stage("moved", plain, []*ops.Stage{product, next, now, change}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		zero := b.Const(base, 0)
		most := b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{zero}, Monoid: ir.Largest}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Max(acc[0], b.Abs(b.Sub(next.At(b, i).Re, now.At(b, i).Re)))}, nil
		})[0]
		odd := b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.I32(n)}, Monoid: ir.Smallest}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			fine := b.Lt(b.Abs(b.Cast(ir.F64, product.At(b, i).Re)), b.F64(math.Inf(1)))
			return []*ir.Node{b.Min(acc[0], b.Select(fine, b.I32(n), i))}, nil
		})[0]
		before := change.At(b).Re
		return ops.Real(b.Select(b.Lt(before, zero), before, b.Select(b.Lt(odd, b.I32(n)), b.Cast(base, b.Sub(b.I32(-1), odd)), most)))
	})
	return ops.Drive{
		State: []*ops.Stage{value, now, change},
		Start: []*ops.Stage{l.Stage("start.value", p.value, nil, zero), first, l.Stage("start.change", plain, nil, zero)},
		Calls: []ops.Program{{Name: "multiply", Next: []*ops.Stage{found, next, moved}, Most: p.most}},
	}
}

// Drive multiplies until the vector stays.
func (p *power) Drive(h ops.Host) (ops.Note, error) {
	for call := 1; ; call++ {
		if err := h.Launch(0); err != nil {
			return ops.Note{}, err
		}
		if call < p.most && p.until == 0 { // nothing to look at
			continue
		}
		change, err := h.Scalar(stateChange)
		if err != nil {
			return ops.Note{}, err
		}
		if change < 0 {
			return ops.Note{}, problem.Wrong(problem.Singular, "input", "", "the matrix has no eigenvalues: row %.0f of it holds what is no finite number, or what gives too large a number times a vector", -1-change)
		}
		value, err := h.Scalar(stateValue)
		if err != nil {
			return ops.Note{}, err
		}
		if !finite([]float64{value, change}) {
			return ops.Note{}, problem.Wrong(problem.Singular, "input", "multiply it by something small", "products with the matrix are too large for the numbers that they are made in")
		}
		note := ops.Note{Text: fmt.Sprintf("%d calls, the last of which changed an element by %.2g", call, change)}
		switch {
		case change <= p.until && call > 1:
			return note, nil
		case call == p.most && p.until > 0:
			note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "most", "allow more calls with most, or more change with until; for a symmetric matrix, method: lanczos takes fewer",
				"eigen stopped after %d calls, when an element still changed by %.2g", call, change)}
			return note, nil
		case call == p.most:
			return note, nil
		}
		h.Progress(fmt.Sprintf("change %.2g", change))
	}
}

// Reference iterates in plain float64 until nothing changes.
func (p *power) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, n := in["input"], p.vector.Dims[0].Size
	v, w := make([]float64, n), make([]float64, n)
	for i := range v {
		_, f := math.Modf(float64(i) * golden)
		v[i] = f + 0.5
	}
	value := 0.0
	for range p.most {
		ww, vw, vv, moved := 0.0, 0.0, 0.0, 0.0
		for i := range w {
			w[i] = 0
			for j := range v {
				w[i] += a.Re[i*n+j] * v[j]
			}
			ww, vw, vv = ww+w[i]*w[i], vw+w[i]*v[i], vv+v[i]*v[i]
		}
		if ww == 0 {
			return []ops.Dense{{Re: []float64{0}}, {Shape: []int{n}, Re: w}}, nil
		}
		value = vw / vv
		for i := range w {
			x := w[i] / math.Copysign(math.Sqrt(ww), vw)
			moved, v[i] = max(moved, math.Abs(x-v[i])), x
		}
		if moved < p.until {
			break
		}
	}
	return []ops.Dense{{Re: []float64{value}}, {Shape: []int{n}, Re: v}}, nil
}
