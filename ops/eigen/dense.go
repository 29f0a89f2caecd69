package eigen

import (
	"math/cmplx"

	"weft/kernels/ir"
	"weft/ops"
)

// dense is a use of eigen that takes all of the matrix into memory.
type dense struct {
	asked
	results
	hermitian bool
}

func newDense(a asked, hermitian bool) *dense {
	return &dense{asked: a, results: a.results(hermitian), hermitian: hermitian}
}

// The state, behind the outputs.
const (
	denseMatrix = iota + outputs
	denseVectors
	denseRow
)

// Programs are what is wrong with vectors, which is one call, and what is wrong with the matrix.
func (z *dense) Programs(l *ops.Lowering) ops.Drive {
	p := programs{l}
	a, n := l.In("input"), z.matrix.Dims[0].Size
	along, each := ops.Dim{Name: "element", Size: n}, ops.Dim{Name: "eigenvalue", Size: z.count}
	state := z.state(l)
	all := l.State("matrix", real64(parts(z.matrix.Elem.Complex), ops.Dim{Name: "row", Size: n}, along))
	found := l.State("vectors", real64(parts(z.complex), each, along))
	row := l.State("row", ops.Type{Elem: ops.I32})
	start := append(z.start(p, state), p.Stage("start.matrix", all.Type, []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return part(b, i[0], ops.CCast(b, ir.F64, a.At(b, i[1], i[2])))
	}), p.none(found), p.none(row))
	x := p.Stage("found.vectors", ops.Type{Elem: ops.ElemType{Base: ir.F64, Complex: z.complex}, Dims: []ops.Dim{each, along}}, []*ops.Stage{found},
		func(b *ops.Body, i []*ir.Node) ops.Elem { return whole(b, found, i...) })
	return ops.Drive{
		State: append(state, all, found, row), Start: start, Says: z.says,
		Calls: []ops.Program{
			{Name: "finish", Next: append(z.finished(p, a, x), nil, nil, nil), Most: 1},
			{Name: "look", Next: append(make([]*ops.Stage, outputs), nil, nil, unfinite(l, a, row.Type)), Most: 1},
		},
	}
}

// Drive finds all eigenvalues, and takes some.
func (z *dense) Drive(h ops.Host) (ops.Note, error) {
	n := z.matrix.Dims[0].Size
	all, err := h.Values(denseMatrix)
	if err != nil {
		return ops.Note{}, err
	}
	if !finite(all) {
		return ops.Note{}, notFinite(h, 1, denseRow, n)
	}
	at := func(i, j int) complex128 {
		if len(all) == n*n {
			return complex(all[i*n+j], 0)
		}
		return complex(all[i*n+j], all[(n+i)*n+j])
	}
	find := generalPairs
	if z.hermitian {
		find = hermitianPairs
		largest, skew := 0.0, 0.0
		for i := range n {
			for j := range i + 1 {
				largest, skew = max(largest, cmplx.Abs(at(i, j)), cmplx.Abs(at(j, i))), max(skew, cmplx.Abs(at(i, j)-cmplx.Conj(at(j, i))))
			}
		}
		if skew > almost*largest {
			return ops.Note{}, z.unsymmetric(skew / largest)
		}
	}
	found, err := find(n, at)
	if err != nil {
		return ops.Note{}, err
	}
	best := found.sorted(z.which)
	if err := h.Set(denseVectors, 0, inParts(best.vectors[:z.count], z.count, n, z.complex)...); err != nil {
		return ops.Note{}, err
	}
	return z.certify(h, 0, 2, "all at once, and a pass", z.asked, true, best.values[:z.count])
}

// Reference is the same, but for the pass.
func (z *dense) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return z.reference(in["input"], z.results, z.hermitian)
}
