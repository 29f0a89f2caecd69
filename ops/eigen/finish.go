package eigen

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// results are what lanczos, arnoldi and dense give.
type results struct {
	outputs []ops.Output
	complex bool // vectors are
}

// The outputs, and how many there are.
const (
	stateValue = iota
	stateVector
	stateResidual
	statePasses
	outputs
)

// results are those of a use. Values of a hermitian matrix are real.
func (a asked) results(hermitian bool) results {
	t := a.matrix
	base := ops.Inexact(t.Elem.Widen().Base)
	var found []ops.Dim
	if a.count > 1 {
		found = []ops.Dim{{Name: "eigenvalue", Size: a.count}}
	}
	complex := t.Elem.Complex || !hermitian
	return results{complex: complex, outputs: []ops.Output{
		stateValue:    {Name: "value", Type: ops.Type{Elem: ops.ElemType{Base: base, Complex: !hermitian}, Unit: t.Unit, Dims: found}},
		stateVector:   {Name: "vector", Type: ops.Type{Elem: ops.ElemType{Base: base, Complex: complex}, Dims: slices.Concat(found, t.Dims[:1])}},
		stateResidual: {Name: "residual", Type: ops.Type{Elem: ops.F64, Unit: t.Unit, Dims: found}},
		statePasses:   {Name: "passes", Type: ops.Type{Elem: ops.I32}},
	}}
}

// Outputs are the eigenvalues, their vectors, what is wrong with them, and what they took.
func (r results) Outputs() []ops.Output { return r.outputs }

// state are the outputs as they stay between calls.
func (r results) state(l *ops.Lowering) (state []*ops.Stage) {
	for _, o := range r.outputs {
		state = append(state, l.State(o.Name, o.Type))
	}
	return state
}

// start is what these are at first.
func (r results) start(p programs, state []*ops.Stage) (start []*ops.Stage) {
	for _, s := range state[:outputs] {
		start = append(start, p.none(s))
	}
	return start
}

// finished are the values of vectors, whatever their lengths are, these of length 1, and what is wrong with them, by products with the matrix.
func (r results) finished(p programs, a, x *ops.Stage) []*ops.Stage {
	n, each, along := x.Type.Dims[1].Size, x.Type.Dims[:1], x.Type.Dims[1]
	ax := p.Stage("products", ops.Type{Elem: x.Type.Elem, Dims: []ops.Dim{along, each[0]}}, []*ops.Stage{a, x}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return sum(b, n, r.complex, func(k *ir.Node) ops.Elem {
			return ops.CMul(b, ops.CCast(b, ir.F64, a.At(b, i[0], k)), x.At(b, i[1], k))
		})
	})
	over := func(name string, complex bool, of func(b *ops.Body, c, k *ir.Node) ops.Elem) *ops.Stage {
		return p.Stage(name, ops.Type{Elem: ops.ElemType{Base: ir.F64, Complex: complex}, Dims: each}, []*ops.Stage{x, ax}, func(b *ops.Body, c []*ir.Node) ops.Elem {
			return sum(b, n, complex, func(k *ir.Node) ops.Elem { return of(b, c[0], k) })
		})
	}
	xx := over("lengths", false, func(b *ops.Body, c, k *ir.Node) ops.Elem { return ops.Real(ops.CAbs2(b, x.At(b, c, k))) })
	xax := over("quotients", r.complex, func(b *ops.Body, c, k *ir.Node) ops.Elem {
		return ops.CMul(b, ops.CConj(b, x.At(b, c, k)), ax.At(b, k, c))
	})
	turned := over("turns", r.complex, func(b *ops.Body, c, k *ir.Node) ops.Elem {
		return ops.CMul(b, x.At(b, c, k), ops.Real(made(b, k, b.I32(0))))
	})
	some := func(b *ops.Body, c *ir.Node) *ir.Node { return b.Lt(b.F64(0), xx.At(b, c).Re) }
	value := r.outputs[stateValue].Type
	theta := func(b *ops.Body, c *ir.Node) ops.Elem {
		q := xax.At(b, c)
		if !value.Elem.Complex {
			q.Im = nil
		}
		return ops.CSelect(b, some(b, c), ops.CDiv(b, q, ops.Real(xx.At(b, c).Re)), ops.Real(b.F64(0)))
	}
	which := func(b *ops.Body, index []*ir.Node) *ir.Node {
		if each[0].Size == 1 {
			return b.I32(0)
		}
		return index[0]
	}
	base := value.Elem.Base
	found := p.Stage("found", value, []*ops.Stage{xx, xax}, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.CCast(b, base, theta(b, which(b, i))) })
	// Whichever way a vector is turned, it is one; this one is along the first that the basis began with.
	vectors := p.Stage("next", r.outputs[stateVector].Type, []*ops.Stage{x, xx, turned}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		c := which(b, i)
		t := turned.At(b, c)
		size := ops.CAbs(b, t)
		to := ops.CSelect(b, b.Lt(b.F64(0), size), ops.CDiv(b, ops.CConj(b, t), ops.Real(size)), ops.Real(b.F64(1)))
		v := ops.CDiv(b, ops.CMul(b, x.At(b, c, i[len(i)-1]), to), ops.Real(b.Sqrt(xx.At(b, c).Re)))
		return ops.CCast(b, base, ops.CSelect(b, some(b, c), v, ops.Real(b.F64(0))))
	})
	wrong := p.Stage("wrong", r.outputs[stateResidual].Type, []*ops.Stage{x, ax, xx, xax}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		c := which(b, i)
		t := theta(b, c)
		left := sum(b, n, false, func(k *ir.Node) ops.Elem {
			return ops.Real(ops.CAbs2(b, ops.CSub(b, ax.At(b, k, c), ops.CMul(b, t, x.At(b, c, k)))))
		})
		return ops.Real(b.Select(some(b, c), b.Sqrt(b.Div(left.Re, xx.At(b, c).Re)), b.F64(0)))
	})
	wrong.Remainder = true
	return []*ops.Stage{found, vectors, wrong, nil}
}

// certify makes the outputs by a pass, and says what is left of A v beside the values that were found by it. A warning says that the method ended before that was
// small by its own count, or that it is not by this one.
func (r results) certify(h ops.Host, call, passes int, how string, a asked, done bool, found []complex128) (ops.Note, error) {
	if err := h.Launch(call); err != nil {
		return ops.Note{}, err
	}
	if err := h.Set(statePasses, 0, float64(passes)); err != nil {
		return ops.Note{}, err
	}
	residuals, err := h.Values(stateResidual)
	if err != nil {
		return ops.Note{}, err
	}
	worst := slices.Max(residuals)
	note := ops.Note{Text: fmt.Sprintf("%s, which leaves at most %.2g of A v beside value v", how, worst)}
	if a.tolerance > 0 && !done {
		note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "most", "allow more passes with most, a larger block, or a larger tolerance",
			"eigen stopped after %s, which leave %.2g of the vectors", passed(passes-1), worst)}
	} else if left := beside(residuals, found); a.tolerance > 0 && left > a.tolerance {
		note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "tolerance", "check that the matrix is what it is taken to be, or take a larger tolerance",
			"eigen ended by its own count, but a pass with what it found leaves %.2g of A v beside the value, more than the tolerance", left)}
	}
	return note, nil
}

// beside is the largest residual beside its value: what is as small as rounding of a pass beside the largest value does not count.
func beside(residuals []float64, found []complex128) (worst float64) {
	largest := 0.0
	for _, v := range found {
		largest = max(largest, cmplx.Abs(v))
	}
	for i, left := range residuals[:min(len(residuals), len(found))] {
		if left > rounded*largest {
			worst = max(worst, left/cmplx.Abs(found[i]))
		}
	}
	return worst
}

// rounded is what sums of some ten thousand products round off, beside the largest value.
const rounded = 0x1p-44

// inParts are rows of vectors, and of zeros, as an array of so many rows and columns; of real and imaginary parts, if it is complex.
func inParts(rows [][]complex128, height, width int, complex bool) []float64 {
	out := make([]float64, parts(complex).Size*height*width)
	for c, row := range rows {
		for r, v := range row {
			out[c*width+r] = real(v)
			if complex {
				out[(height+c)*width+r] = imag(v)
			}
		}
	}
	return out
}

// Reference is found by a method of its own, in plain float64.
func (a asked) reference(in ops.Dense, r results, hermitian bool) ([]ops.Dense, error) {
	n := a.matrix.Dims[0].Size
	at := func(i, j int) complex128 {
		if in.Im == nil {
			return complex(in.Re[i*n+j], 0)
		}
		return complex(in.Re[i*n+j], in.Im[i*n+j])
	}
	find := generalPairs
	if hermitian {
		find = hermitianPairs
	}
	found, err := find(n, at)
	if err != nil {
		return nil, err
	}
	found = found.sorted(a.which)
	out := make([]ops.Dense, outputs)
	for i, o := range r.outputs {
		out[i].Shape = o.Type.Shape()
	}
	add := func(to *ops.Dense, v complex128, complex bool) {
		if to.Re = append(to.Re, real(v)); complex {
			to.Im = append(to.Im, imag(v))
		}
	}
	for c := range a.count {
		x, along := found.vectors[c], complex128(0)
		for k, v := range x {
			_, f := math.Modf(float64(k+1) * golden)
			along += v * complex(f+0.5, 0)
		}
		turn := complex(1, 0)
		if size := math.Hypot(real(along), imag(along)); size > 0 {
			turn = complex(real(along)/size, -imag(along)/size)
		}
		for _, v := range x {
			add(&out[stateVector], v*turn, r.complex)
		}
		add(&out[stateValue], found.values[c], !hermitian)
		out[stateResidual].Re = append(out[stateResidual].Re, 0)
	}
	out[statePasses].Re = []float64{1}
	return out, nil
}
