package eigen

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// power is a use of eigen.
type power struct {
	matrix ops.Type
	vector ops.Type
	value  ops.Type
	most   int
	until  float64
}

func newPower(t ops.Type, elem ops.ElemType, most int, until float64) (ops.Op, error) {
	// The largest element of a vector of length 1 is no less than this.
	if err := reachable(until, elem.Base, 1/math.Sqrt(float64(t.Dims[0].Size))); err != nil {
		return nil, err
	}
	return &power{
		matrix: t, most: most, until: until,
		vector: ops.Type{Elem: elem, Dims: t.Dims[:1]}, value: ops.Type{Elem: elem, Unit: t.Unit},
	}, nil
}

// Outputs are the eigenvalue and its vector.
func (p *power) Outputs() []ops.Output {
	return []ops.Output{{Name: "value", Type: p.value}, {Name: "vector", Type: p.vector}}
}

// powerChange is the state of the power method behind its outputs.
const powerChange = stateVector + 1

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
		change, err := h.Scalar(powerChange)
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
			note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "most", "allow more calls with most, or a larger tolerance; for a symmetric matrix, method: lanczos takes fewer",
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
