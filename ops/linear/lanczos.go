package linear

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// lanczos is a use of eigen that finds some eigenvalues of a symmetric matrix at once: from products with it grows an orthonormal basis, in
// which the matrix is small; from its eigenvectors there, the best of which go on, a basis is begun anew.
type lanczos struct {
	matrix  ops.Type
	outputs []ops.Output
	count   int
	rows    int // of the basis, when it is begun anew
	most    int
	until   float64
}

// newLanczos finishes the binding of eigen.
func newLanczos(t ops.Type, elem ops.ElemType, count, most int, until float64) *lanczos {
	z := &lanczos{matrix: t, count: count, most: most, until: until, rows: min(max(2*count+10, 20), t.Dims[0].Size)}
	var found []ops.Dim
	if count > 1 {
		found = []ops.Dim{{Name: "eigenvalue", Size: count}}
	}
	z.outputs = []ops.Output{{Name: "value", Type: ops.Type{Elem: elem, Unit: t.Unit, Dims: found}},
		{Name: "vector", Type: ops.Type{Elem: elem, Dims: slices.Concat(found, t.Dims[:1])}}}
	return z
}

// Outputs are the eigenvalues and their vectors.
func (z *lanczos) Outputs() []ops.Output { return z.outputs }

// The state of Lanczos' method, behind the outputs.
const (
	stateBasis    = iota + 2
	stateSmall    // products of the basis with the matrix and the basis, a row for each call
	stateMix      // of the basis' rows, for the next basis
	stateRow      // that is multiplied next
	stateResidual // of each eigenvalue
)

// The calls.
const (
	callExtend = iota
	callMix
	callFinish
	callLook
)

// exhausted is the square of what is left of a vector, beside all of it, where it lies in the space of others but for rounding.
const exhausted = 1e-22

// Programs are a product with the matrix, whose result is the next row of the basis but for what the others have of it; another basis in
// the space of the one that is there; and eigenvalues with what is wrong with them.
func (z *lanczos) Programs(l *ops.Lowering) ops.Drive {
	a, n, rows := l.In("input"), z.matrix.Dims[0].Size, z.rows
	real64 := func(dims ...ops.Dim) ops.Type { return ops.Type{Elem: ops.F64, Dims: dims} }
	row, along := ops.Dim{Name: "row", Size: rows + 1}, ops.Dim{Name: "element", Size: n}
	value, vector := l.State("value", z.outputs[0].Type), l.State("vector", z.outputs[1].Type)
	basis := l.State("basis", real64(row, along))
	small := l.State("small", real64(ops.Dim{Name: "call", Size: rows}, row))
	mix := l.State("mix", real64(ops.Dim{Name: "next", Size: rows + 1}, row))
	at := l.State("row", ops.Type{Elem: ops.I32})
	residual := l.State("residual", real64(ops.Dim{Name: "eigenvalue", Size: z.count}))

	sum := func(b *ops.Body, size int, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(size), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(k))}, nil
		})[0]
	}
	stage := func(name string, t ops.Type, inputs []*ops.Stage, elem func(b *ops.Body, at []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, t, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem { return ops.Real(elem(b, at)) })
	}
	square := func(name string, s *ops.Stage) *ops.Stage {
		return stage(name, real64(), []*ops.Stage{s}, func(b *ops.Body, _ []*ir.Node) *ir.Node {
			return sum(b, n, func(k *ir.Node) *ir.Node { v := s.At(b, k).Re; return b.Mul(v, v) })
		})
	}
	// made is a vector that no matrix has to do with, another one for each row.
	made := func(b *ops.Body, i, row *ir.Node) *ir.Node {
		x := b.Mul(b.Cast(ir.F64, b.Add(i, b.I32(1))), b.Mul(b.F64(golden), b.Add(b.F64(1), b.Cast(ir.F64, row))))
		return b.Add(b.Sub(x, b.Alu(ir.Floor, x)), b.F64(0.5))
	}
	// apart takes from a vector what the basis has of it, which is the first result.
	apart := func(name string, v *ops.Stage) (has, left *ops.Stage) {
		has = stage(name+".has", real64(row), []*ops.Stage{basis, v}, func(b *ops.Body, r []*ir.Node) *ir.Node {
			return sum(b, n, func(k *ir.Node) *ir.Node { return b.Mul(basis.At(b, r[0], k).Re, v.At(b, k).Re) })
		})
		left = stage(name+".left", real64(along), []*ops.Stage{basis, v, has}, func(b *ops.Body, i []*ir.Node) *ir.Node {
			return b.Sub(v.At(b, i...).Re, sum(b, rows+1, func(r *ir.Node) *ir.Node { return b.Mul(basis.At(b, r, i[0]).Re, has.At(b, r).Re) }))
		})
		left.Partial = true // as the product below
		return has, left
	}
	now := func(b *ops.Body) *ir.Node { return b.Max(b.I32(0), b.Min(at.At(b).Re, b.I32(rows-1))) }
	multiplied := stage("product", real64(along), []*ops.Stage{a, basis, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return sum(b, n, func(k *ir.Node) *ir.Node {
			return b.Mul(b.Cast(ir.F64, a.At(b, i[0], k).Re), basis.At(b, now(b), k).Re)
		})
	})
	// Where next to nothing is left of it, what is left is rounding: another in each kernel that would compute it anew, and so at no right angles.
	multiplied.Partial = true
	first, left := apart("once", multiplied)
	whole, rest := square("whole", multiplied), square("rest", left)
	spent := func(b *ops.Body) *ir.Node { return b.Le(rest.At(b).Re, b.Mul(b.F64(exhausted), whole.At(b).Re)) }
	fresh := stage("fresh", real64(along), []*ops.Stage{left, whole, rest, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return b.Select(spent(b), made(b, i[0], b.Add(now(b), b.I32(1))), left.At(b, i...).Re)
	})
	second, last := apart("twice", fresh)
	before, length := square("before", fresh), square("length", last)
	scale := func(b *ops.Body) *ir.Node {
		gone := b.Le(length.At(b).Re, b.Mul(b.F64(exhausted), before.At(b).Re))
		return b.Select(gone, b.F64(0), b.Div(b.F64(1), b.Sqrt(length.At(b).Re)))
	}
	longer := stage("next.basis", basis.Type, []*ops.Stage{basis, last, before, length, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return b.Select(b.Alu(ir.Eq, i[0], b.Add(now(b), b.I32(1))), b.Mul(last.At(b, i[1]).Re, scale(b)), basis.At(b, i...).Re)
	})
	entries := stage("next.small", small.Type, []*ops.Stage{small, first, second, whole, rest, length, at}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		next := b.Select(b.Alu(ir.Eq, i[1], b.Add(now(b), b.I32(1))), b.Sqrt(length.At(b).Re), second.At(b, i[1]).Re)
		is := b.Add(first.At(b, i[1]).Re, b.Select(spent(b), b.F64(0), next))
		return b.Select(b.Alu(ir.Eq, i[0], now(b)), is, small.At(b, i...).Re)
	})
	further := stage("next.row", at.Type, []*ops.Stage{at}, func(b *ops.Body, _ []*ir.Node) *ir.Node { return b.Add(at.At(b).Re, b.I32(1)) })

	mixed := func(b *ops.Body, row, i *ir.Node) *ir.Node {
		return sum(b, rows+1, func(r *ir.Node) *ir.Node { return b.Mul(mix.At(b, row, r).Re, basis.At(b, r, i).Re) })
	}
	anew := stage("anew", basis.Type, []*ops.Stage{mix, basis}, func(b *ops.Body, i []*ir.Node) *ir.Node { return mixed(b, i[0], i[1]) })

	each := real64(residual.Type.Dims[0])
	long := real64(each.Dims[0], along)
	x := stage("vectors", long, []*ops.Stage{mix, basis}, func(b *ops.Body, i []*ir.Node) *ir.Node { return mixed(b, i[0], i[1]) })
	// The products lie row by row of the matrix, so that it may go by in blocks of rows.
	ax := stage("products", real64(along, each.Dims[0]), []*ops.Stage{a, x}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return sum(b, n, func(k *ir.Node) *ir.Node { return b.Mul(b.Cast(ir.F64, a.At(b, i[0], k).Re), x.At(b, i[1], k).Re) })
	})
	over := func(name string, of func(b *ops.Body, c, k *ir.Node) *ir.Node) *ops.Stage {
		return stage(name, each, []*ops.Stage{x, ax}, func(b *ops.Body, c []*ir.Node) *ir.Node {
			return sum(b, n, func(k *ir.Node) *ir.Node { return of(b, c[0], k) })
		})
	}
	xx := over("lengths", func(b *ops.Body, c, k *ir.Node) *ir.Node { v := x.At(b, c, k).Re; return b.Mul(v, v) })
	xax := over("quotients", func(b *ops.Body, c, k *ir.Node) *ir.Node { return b.Mul(x.At(b, c, k).Re, ax.At(b, k, c).Re) })
	sign := over("signs", func(b *ops.Body, c, k *ir.Node) *ir.Node { return b.Mul(x.At(b, c, k).Re, made(b, k, b.I32(0))) })
	theta := func(b *ops.Body, c *ir.Node) *ir.Node {
		return b.Select(b.Lt(b.F64(0), xx.At(b, c).Re), b.Div(xax.At(b, c).Re, xx.At(b, c).Re), b.F64(0))
	}
	which := func(b *ops.Body, index []*ir.Node) *ir.Node {
		if z.count == 1 {
			return b.I32(0)
		}
		return index[0]
	}
	base := z.outputs[0].Type.Elem.Base
	found := stage("found", value.Type, []*ops.Stage{xx, xax}, func(b *ops.Body, i []*ir.Node) *ir.Node { return b.Cast(base, theta(b, which(b, i))) })
	vectors := stage("next", vector.Type, []*ops.Stage{x, xx, sign}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		c := which(b, i)
		size := b.Sqrt(xx.At(b, c).Re)
		signed := b.Select(b.Lt(sign.At(b, c).Re, b.F64(0)), b.Neg(size), size)
		return b.Cast(base, b.Select(b.Lt(b.F64(0), size), b.Div(x.At(b, c, i[len(i)-1]).Re, signed), b.F64(0)))
	})
	wrong := stage("wrong", residual.Type, []*ops.Stage{x, ax, xx, xax}, func(b *ops.Body, c []*ir.Node) *ir.Node {
		t := theta(b, c[0])
		return b.Sqrt(sum(b, n, func(k *ir.Node) *ir.Node {
			d := b.Sub(ax.At(b, k, c[0]).Re, b.Mul(t, x.At(b, c[0], k).Re))
			return b.Mul(d, d)
		}))
	})
	none := func(name string, s *ops.Stage) *ops.Stage {
		return stage("no."+name, s.Type, nil, func(b *ops.Body, _ []*ir.Node) *ir.Node { return b.Const(s.Type.Elem.Base, 0) })
	}
	begin := stage("begin", real64(), nil, func(b *ops.Body, _ []*ir.Node) *ir.Node {
		return sum(b, n, func(k *ir.Node) *ir.Node { v := made(b, k, b.I32(0)); return b.Mul(v, v) })
	})
	start := stage("start.basis", basis.Type, []*ops.Stage{begin}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return b.Select(b.Alu(ir.Eq, i[0], b.I32(0)), b.Div(made(b, i[1], b.I32(0)), b.Sqrt(begin.At(b).Re)), b.F64(0))
	})
	return ops.Drive{
		State: []*ops.Stage{value, vector, basis, small, mix, at, residual},
		Start: []*ops.Stage{none("value", value), none("vector", vector), start, none("small", small), none("mix", mix), none("row", at), none("residual", residual)},
		Calls: []ops.Program{
			callExtend: {Name: "multiply", Next: []*ops.Stage{nil, nil, longer, entries, nil, further, nil}, Most: z.most},
			callMix:    {Name: "anew", Next: []*ops.Stage{nil, nil, anew, nil, nil, nil, nil}, Most: z.most},
			callFinish: {Name: "finish", Next: []*ops.Stage{found, vectors, nil, nil, nil, nil, wrong}, Most: 1},
			callLook:   {Name: "look", Next: []*ops.Stage{nil, nil, nil, nil, nil, unfinite(l, a, at.Type), nil}, Most: 1},
		},
	}
}

// keep is how many rows a basis is begun anew with.
func (z *lanczos) keep() int { return z.count + (z.rows-z.count)/2 }

// Drive extends the basis, and begins it anew, until what it says of the eigenvalues is as exact as asked for.
func (z *lanczos) Drive(h ops.Host) (ops.Note, error) {
	calls, row := 0, 0
	for {
		for ; row < z.rows && calls < z.most; row++ {
			if err := h.Launch(callExtend); err != nil {
				return ops.Note{}, err
			}
			calls++
		}
		small, err := h.Values(stateSmall)
		if err != nil {
			return ops.Note{}, err
		}
		if !finite(small) {
			return ops.Note{}, notFinite(h, callLook, stateRow, z.matrix.Dims[0].Size)
		}
		values, vectors, err := z.solve(small, row, calls == row)
		if err != nil {
			return ops.Note{}, err
		}
		next, worst := small[(row-1)*(z.rows+1)+row], 0.0
		for c := range min(z.count, row) {
			if values[c] != 0 {
				worst = max(worst, math.Abs(next*vectors[c][row-1]/values[c]))
			}
		}
		done := row >= z.count && (worst <= z.until && z.until > 0 || row == z.matrix.Dims[0].Size)
		if done || calls == z.most {
			return z.finish(h, vectors, calls, done)
		}
		h.Progress(fmt.Sprintf("residual %.2g", worst))
		kept := min(z.keep(), row-1)
		if err := z.anew(h, values[:kept], vectors[:kept], row); err != nil {
			return ops.Note{}, err
		}
		row = kept
	}
}

// solve gives the eigenvalues of the small matrix, the largest first, and their vectors. Of what earlier bases left, only the diagonal counts.
func (z *lanczos) solve(small []float64, rows int, first bool) ([]float64, [][]float64, error) {
	at := func(i, j int) float64 { return small[i*(z.rows+1)+j] }
	m := mat.NewSymDense(rows, nil)
	largest, skew := 0.0, 0.0
	for i := range rows {
		for j := range i + 1 {
			m.SetSym(i, j, at(i, j))
			largest = max(largest, math.Abs(at(i, j)))
		}
		if i > 0 && first {
			skew = max(skew, math.Abs(at(i, i-1)-at(i-1, i)))
		}
	}
	if skew > 1e-3*largest {
		return nil, nil, problem.Wrong(problem.CannotHonour, "method", "use method: power, or the matrix and its transpose added",
			"method: lanczos needs a symmetric matrix, and a product with this one differs from that with its transpose by %.2g of the largest", skew/largest)
	}
	return largestFirst(m)
}

// largestFirst gives the eigenvalues of a matrix, the largest first, and their vectors.
func largestFirst(m *mat.SymDense) (values []float64, vectors [][]float64, err error) {
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return nil, nil, errors.New("the eigenvalues of a small matrix were not found")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	all := e.Values(nil)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(all[b]), math.Abs(all[a])) })
	for _, from := range order {
		values, vectors = append(values, all[from]), append(vectors, mat.Col(nil, from, &v))
	}
	return values, vectors, nil
}

// anew begins another basis with some vectors, and with what the last product left.
func (z *lanczos) anew(h ops.Host, values []float64, vectors [][]float64, rows int) error {
	mix, small := z.mix(vectors), make([]float64, z.rows*(z.rows+1))
	mix[len(vectors)*(z.rows+1)+rows] = 1
	for i, v := range values {
		small[i*(z.rows+1)+i] = v
	}
	if err := h.Set(stateMix, 0, mix...); err != nil {
		return err
	}
	if err := h.Launch(callMix); err != nil {
		return err
	}
	return errors.Join(h.Set(stateSmall, 0, small...), h.Set(stateRow, 0, float64(len(values))))
}

// mix are rows of so many vectors, and of zeros.
func (z *lanczos) mix(vectors [][]float64) []float64 {
	out := make([]float64, (z.rows+1)*(z.rows+1))
	for i, v := range vectors {
		copy(out[i*(z.rows+1):], v)
	}
	return out
}

// finish makes the outputs.
func (z *lanczos) finish(h ops.Host, vectors [][]float64, calls int, done bool) (ops.Note, error) {
	if err := h.Set(stateMix, 0, z.mix(vectors[:min(z.count, len(vectors))])...); err != nil {
		return ops.Note{}, err
	}
	if err := h.Launch(callFinish); err != nil {
		return ops.Note{}, err
	}
	residuals, err := h.Values(stateResidual)
	if err != nil {
		return ops.Note{}, err
	}
	note := ops.Note{Text: fmt.Sprintf("%d products; what they leave of the vectors is at most %.2g", calls, slices.Max(residuals))}
	if !done && z.until > 0 {
		note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "most", "allow more calls with most, or more that is left with until",
			"eigen stopped after %d products, which leave %.2g of the vectors", calls, slices.Max(residuals))}
	}
	return note, nil
}

// Reference is found by a method of its own, in plain float64.
func (z *lanczos) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	n := z.matrix.Dims[0].Size
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, in["input"].Re[i*n+j])
		}
	}
	all, columns, err := largestFirst(m)
	if err != nil {
		return nil, err
	}
	values, vectors := ops.Dense{Shape: z.outputs[0].Type.Shape()}, ops.Dense{Shape: z.outputs[1].Type.Shape()}
	for i, x := range columns[:z.count] {
		along := 0.0
		for k, v := range x {
			_, f := math.Modf(float64(k+1) * golden)
			along += v * (f + 0.5)
		}
		for _, v := range x {
			vectors.Re = append(vectors.Re, math.Copysign(1, along)*v)
		}
		values.Re = append(values.Re, all[i])
	}
	return []ops.Dense{values, vectors}, nil
}
