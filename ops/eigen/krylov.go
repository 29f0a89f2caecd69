package eigen

import (
	"errors"
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// krylov is a use of eigen that finds some eigenvalues at once: from products of the matrix with a block of vectors grows an orthonormal basis, in
// which the matrix is small; with what is best there, a basis is begun anew. Of hermitian matrices it is Lanczos' method, and Arnoldi's of others.
type krylov struct {
	asked
	results
	hermitian bool
	block     int
	rows      int // of the basis, when it is begun anew, but for the block that is multiplied then
}

// basisRows is how many vectors a basis has at most.
func basisRows(count, block, n int) int { return min(max(2*count+10, 20, count+6*block), n) }

// newKrylov finishes the binding of eigen.
func newKrylov(a asked, hermitian bool, block int) *krylov {
	return &krylov{asked: a, results: a.results(hermitian), hermitian: hermitian, block: block, rows: basisRows(a.count, block, a.matrix.Dims[0].Size)}
}

// The state, behind the outputs.
const (
	stateBasis    = iota + outputs
	stateProducts // of a block of the basis with the matrix
	stateEntry    // products of the last of these with the basis
	stateMix      // of the basis' rows, for the next basis
	stateRow      // that is multiplied next; before the first, as many below 0 as there are in a block
	stateFirst    // row of the block that was multiplied
)

// The calls.
const (
	callMultiply = iota
	callExtend
	callMix
	callFinish
	callLook
)

// exhausted is the square of what is left of a vector, beside all of it, where it lies in the space of others but for rounding.
const exhausted = 1e-22

// golden spreads the elements of the first vector.
const golden = math.Phi - 1

// made is a vector that no matrix has to do with, another one for each row.
func made(b *ops.Body, i, row *ir.Node) *ir.Node {
	x := b.Mul(b.Cast(ir.F64, b.Add(i, b.I32(1))), b.Mul(b.F64(golden), b.Add(b.F64(1), b.Cast(ir.F64, row))))
	return b.Add(b.Sub(x, b.Alu(ir.Floor, x)), b.F64(0.5))
}

// programs makes stages in float64.
type programs struct{ *ops.Lowering }

// sum adds terms, of which some may be complex.
func sum(b *ops.Body, size int, complex bool, term func(k *ir.Node) ops.Elem) ops.Elem {
	parts := []*ir.Node{b.F64(0)}
	if complex {
		parts = append(parts, b.F64(0))
	}
	all := b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(size), Init: parts, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		t := term(k)
		out := []*ir.Node{b.Add(acc[0], t.Re)}
		if complex {
			out = append(out, b.Add(acc[1], t.Imag(b)))
		}
		return out, nil
	})
	if complex {
		return ops.Elem{Re: all[0], Im: all[1]}
	}
	return ops.Real(all[0])
}

// square is the sum of the squares of a vector.
func (p programs) square(name string, s *ops.Stage) *ops.Stage {
	return p.Stage(name, real64(), []*ops.Stage{s}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		return sum(b, s.Type.Dims[0].Size, false, func(k *ir.Node) ops.Elem { return ops.Real(ops.CAbs2(b, s.At(b, k))) })
	})
}

// none is zero.
func (p programs) none(s *ops.Stage) *ops.Stage {
	return p.Stage("no."+s.Name, s.Type, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		zero := ops.Real(b.Const(s.Type.Elem.Base, 0))
		if s.Type.Elem.Complex {
			zero.Im = zero.Re
		}
		return zero
	})
}

func real64(dims ...ops.Dim) ops.Type { return ops.Type{Elem: ops.F64, Dims: dims} }

// parts is a dim over which real and imaginary part lie: arrays that the algorithm looks at and sets are real.
func parts(complex bool) ops.Dim {
	if complex {
		return ops.Dim{Name: "part", Size: 2}
	}
	return ops.Dim{Name: "part", Size: 1}
}

// whole reads an array of parts.
func whole(b *ops.Body, s *ops.Stage, index ...*ir.Node) ops.Elem {
	e := ops.Real(s.At(b, append([]*ir.Node{b.I32(0)}, index...)...).Re)
	if s.Type.Dims[0].Size == 2 {
		e.Im = s.At(b, append([]*ir.Node{b.I32(1)}, index...)...).Re
	}
	return e
}

// part is one part of an element.
func part(b *ops.Body, which *ir.Node, e ops.Elem) ops.Elem {
	if e.Im == nil {
		return e
	}
	return ops.Real(b.Select(b.Alu(ir.Eq, which, b.I32(0)), e.Re, e.Im))
}

// Programs are the products of a block of the basis with the matrix; one of them, which becomes the next row of the basis but for what the others
// have of it; another basis in the space of the one that is there; and eigenvalues with what is wrong with them.
func (z *krylov) Programs(l *ops.Lowering) ops.Drive {
	p := programs{l}
	a, n, rows := l.In("input"), z.matrix.Dims[0].Size, z.rows+z.block
	complex := z.matrix.Elem.Complex
	scalar := ops.ElemType{Base: ir.F64, Complex: complex}
	of := func(dims ...ops.Dim) ops.Type { return ops.Type{Elem: scalar, Dims: dims} }
	row, along, vectors := ops.Dim{Name: "row", Size: rows}, ops.Dim{Name: "element", Size: n}, ops.Dim{Name: "vector", Size: z.block}
	state := z.state(l)
	basis := l.State("basis", of(row, along))
	products := l.State("products", of(along, vectors))
	entry := l.State("entry", real64(parts(complex), row))
	mix := l.State("mix", real64(parts(z.complex), ops.Dim{Name: "next", Size: max(rows, z.count)}, row))
	at := l.State("row", ops.Type{Elem: ops.I32})
	base := l.State("first", ops.Type{Elem: ops.I32})
	state = append(state, basis, products, entry, mix, at, base)

	among := func(b *ops.Body, i *ir.Node, size int) *ir.Node { return b.Max(b.I32(0), b.Min(i, b.I32(size-1))) }
	// The products lie row by row of the matrix, so that it may go by in blocks of rows.
	multiplied := p.Stage("next.products", products.Type, []*ops.Stage{a, basis, at}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		r := among(b, b.Add(at.At(b).Re, i[1]), rows)
		return sum(b, n, complex, func(k *ir.Node) ops.Elem {
			return ops.CMul(b, ops.CCast(b, ir.F64, a.At(b, i[0], k)), basis.At(b, r, k))
		})
	})
	begun := p.Stage("next.first", base.Type, []*ops.Stage{at}, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(at.At(b).Re) })

	to := func(b *ops.Body) *ir.Node { return among(b, b.Add(at.At(b).Re, b.I32(z.block)), rows) }
	one := p.Stage("product", of(along), []*ops.Stage{products, at, base}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return products.At(b, i[0], among(b, b.Sub(at.At(b).Re, base.At(b).Re), z.block))
	})
	// apart takes from a vector what the basis has of it, which is the first result.
	apart := func(name string, v *ops.Stage) (has, left *ops.Stage) {
		has = p.Stage(name+".has", of(row), []*ops.Stage{basis, v}, func(b *ops.Body, r []*ir.Node) ops.Elem {
			return sum(b, n, complex, func(k *ir.Node) ops.Elem { return ops.CMul(b, ops.CConj(b, basis.At(b, r[0], k)), v.At(b, k)) })
		})
		left = p.Stage(name+".left", of(along), []*ops.Stage{basis, v, has}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.CSub(b, v.At(b, i...), sum(b, rows, complex, func(r *ir.Node) ops.Elem { return ops.CMul(b, basis.At(b, r, i[0]), has.At(b, r)) }))
		})
		// Where next to nothing is left of it, what is left is rounding: another in each kernel that would compute it anew, and so at no right angles.
		left.Partial = true
		return has, left
	}
	one.Partial = true
	first, left := apart("once", one)
	all, rest := p.square("whole", one), p.square("rest", left)
	spent := func(b *ops.Body) *ir.Node { return b.Le(rest.At(b).Re, b.Mul(b.F64(exhausted), all.At(b).Re)) }
	fresh := p.Stage("fresh", of(along), []*ops.Stage{left, all, rest, at}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.CSelect(b, spent(b), ops.Real(made(b, i[0], b.Add(to(b), b.I32(z.block)))), left.At(b, i...))
	})
	second, last := apart("twice", fresh)
	before, length := p.square("before", fresh), p.square("length", last)
	longer := p.Stage("next.basis", basis.Type, []*ops.Stage{basis, last, before, length, at}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		gone := b.Le(length.At(b).Re, b.Mul(b.F64(exhausted), before.At(b).Re))
		scale := b.Select(gone, b.F64(0), b.Div(b.F64(1), b.Sqrt(length.At(b).Re)))
		return ops.CSelect(b, b.Alu(ir.Eq, i[0], to(b)), ops.CMul(b, last.At(b, i[1]), ops.Real(scale)), basis.At(b, i...))
	})
	entries := p.Stage("next.entry", entry.Type, []*ops.Stage{first, second, all, rest, length, at}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		next := ops.CSelect(b, b.Alu(ir.Eq, i[1], to(b)), ops.Real(b.Sqrt(length.At(b).Re)), second.At(b, i[1]))
		return part(b, i[0], ops.CAdd(b, first.At(b, i[1]), ops.CSelect(b, spent(b), ops.Real(b.F64(0)), next)))
	})
	further := p.Stage("next.row", at.Type, []*ops.Stage{at}, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Add(at.At(b).Re, b.I32(1))) })

	mixed := func(b *ops.Body, row, i *ir.Node, complex bool) ops.Elem {
		return sum(b, rows, complex, func(r *ir.Node) ops.Elem {
			y := whole(b, mix, row, r)
			if !complex {
				y.Im = nil
			}
			return ops.CMul(b, y, basis.At(b, r, i))
		})
	}
	anew := p.Stage("anew", basis.Type, []*ops.Stage{mix, basis}, func(b *ops.Body, i []*ir.Node) ops.Elem { return mixed(b, i[0], i[1], complex) })
	x := p.Stage("vectors", ops.Type{Elem: ops.ElemType{Base: ir.F64, Complex: z.complex}, Dims: []ops.Dim{{Name: "eigenvalue", Size: z.count}, along}},
		[]*ops.Stage{mix, basis}, func(b *ops.Body, i []*ir.Node) ops.Elem { return mixed(b, i[0], i[1], z.complex) })

	begin := p.Stage("start.products", products.Type, nil, func(b *ops.Body, i []*ir.Node) ops.Elem {
		v := ops.Real(made(b, i[0], i[1]))
		if complex {
			v.Im = b.F64(0)
		}
		return v
	})
	number := func(name string, v int) *ops.Stage {
		return p.Stage("start."+name, at.Type, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.I32(v)) })
	}
	start := z.start(p, state)
	start = append(start, p.none(basis), begin, p.none(entry), p.none(mix), number("row", -z.block), number("first", -z.block))
	next := func(of ...*ops.Stage) []*ops.Stage { return append(make([]*ops.Stage, outputs), of...) }
	return ops.Drive{
		State: state, Start: start, Says: z.says,
		Calls: []ops.Program{
			callMultiply: {Name: "multiply", Next: next(nil, multiplied, nil, nil, nil, begun), Most: z.most},
			callExtend:   {Name: "extend", Next: next(longer, nil, entries, nil, further, nil), Most: (z.most + 1) * z.block},
			callMix:      {Name: "anew", Next: next(anew, nil, nil, nil, nil, nil), Most: z.most},
			callFinish:   {Name: "finish", Next: append(z.finished(p, a, x), make([]*ops.Stage, 6)...), Most: 1},
			callLook:     {Name: "look", Next: next(nil, nil, nil, nil, unfinite(l, a, at.Type), nil), Most: 1},
		},
	}
}

// Drive extends the basis, and begins it anew, until what it says of the eigenvalues is as exact as asked for.
func (z *krylov) Drive(h ops.Host) (ops.Note, error) {
	n := z.matrix.Dims[0].Size
	for range z.block {
		if err := h.Launch(callExtend); err != nil {
			return ops.Note{}, err
		}
	}
	s := &small{rows: z.rows + z.block}
	passes, checked := 0, false
	for {
		if err := h.Launch(callMultiply); err != nil {
			return ops.Note{}, err
		}
		passes++
		for range min(z.block, z.rows-len(s.columns)) {
			if err := h.Launch(callExtend); err != nil {
				return ops.Note{}, err
			}
			entry, err := h.Values(stateEntry)
			if err != nil {
				return ops.Note{}, err
			}
			if !finite(entry) {
				return ops.Note{}, notFinite(h, callLook, stateRow, n)
			}
			s.add(entry)
		}
		have := len(s.columns)
		full := have == z.rows
		// Looking at the small matrix is put off where it takes as much time as a pass.
		if !full && passes < z.most && (have < z.count || z.tolerance == 0 || 25*have*have*have > 2*z.block*n*n/10) {
			continue
		}
		if z.hermitian && !checked {
			if skew := s.skew(); skew > almost {
				return ops.Note{}, z.unsymmetric(skew)
			}
		}
		found, err := s.pairs(z.hermitian, z.which)
		if err != nil {
			return ops.Note{}, err
		}
		worst := s.worst(found, z.count)
		done := have >= z.count && (worst <= z.tolerance && z.tolerance > 0 || have == n)
		if done || passes == z.most {
			return z.finish(h, s, found, passes, done)
		}
		h.Progress(fmt.Sprintf("residual %.2g", worst))
		if !full {
			continue
		}
		checked = true // what is kept is not
		kept, err := s.restart(found, z.hermitian, z.which, min(z.count+(z.rows-z.count)/2, z.rows-1), z.block)
		if err != nil {
			return ops.Note{}, err
		}
		mix := z.mixed(kept)
		if err := errors.Join(h.Set(stateMix, 0, mix...), h.Launch(callMix), h.Set(stateRow, 0, float64(len(s.columns)))); err != nil {
			return ops.Note{}, err
		}
	}
}

// mixed are rows of what is made of the basis, and of zeros, in parts.
func (z *krylov) mixed(rows [][]complex128) []float64 {
	width := z.rows + z.block
	return inParts(rows, max(width, z.count), width, z.complex)
}

// finish makes the outputs.
func (z *krylov) finish(h ops.Host, s *small, found pairs, passes int, done bool) (ops.Note, error) {
	best := found.vectors[:min(z.count, len(found.vectors))]
	if err := h.Set(stateMix, 0, z.mixed(best)...); err != nil {
		return ops.Note{}, err
	}
	vectors := fmt.Sprintf(" of %d vectors", z.block)
	if z.block == 1 {
		vectors = ""
	}
	how := fmt.Sprintf("%s%s, and one of what was found", passed(passes), vectors)
	return z.certify(h, callFinish, passes+1, how, z.asked, done, found.values[:len(best)])
}

func passed(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// almost is by how much of the largest element a matrix may differ from its transpose that is to be symmetric.
const almost = 1e-5

// unsymmetric says that a matrix is not what it was taken to be.
func (a asked) unsymmetric(by float64) error {
	if a.matrix.Elem.Complex {
		return problem.Wrong(problem.CannotHonour, "input", "add the matrix and its conjugate transpose", "`eigen` of a complex matrix needs a hermitian one, and this differs from its conjugate transpose by %.2g of the largest", by)
	}
	if a.said {
		return problem.Wrong(problem.CannotHonour, "input", "say nothing of it, or what it is", "this matrix is said to be symmetric, and is not: it differs from its transpose by %.2g of the largest", by)
	}
	return problem.Wrong(problem.CannotHonour, "method", "use method: arnoldi, or the matrix and its transpose added",
		"method: lanczos needs a symmetric matrix, and a product with this one differs from that with its transpose by %.2g of the largest", by)
}

// Reference is found by another method.
func (z *krylov) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return z.reference(in["input"], z.results, z.hermitian)
}
