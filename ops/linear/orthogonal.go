package linear

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
)

// turned is what an orthogonal matrix makes solutions by, or its inverse: its transpose.
type turned struct {
	ops.Gives
	of      *small
	inverse bool
}

// knownOrthogonal reports a matrix that is known to be, where nothing else was said of it.
func knownOrthogonal(c *ops.Call) bool {
	a, _ := c.Array("a")
	is := matrix.StructureOf(a).Over(c.Symbol("rows"), c.Symbol("columns")).Is
	return is[matrix.Orthogonal] > matrix.Unknown && !c.Flag("symmetric") && c.Symbol("triangle") == "none"
}

// places are, of an element of the result and a term of its sum, those of the matrix and of the right sides.
func places[T any](z *turned, index []T, k T) (a, b []T) {
	s := z.of
	if z.inverse {
		a = append(a, index...)
		a[s.row], a[s.column] = index[s.column], index[s.row]
		return a, nil
	}
	of := func(x operand.Operand, fixed map[int]T) (out []T) {
		rest := operand.Picked(index, x.Pick)
		for d := range len(rest) + len(fixed) {
			if v, ok := fixed[d]; ok {
				out = append(out, v)
				continue
			}
			out, rest = append(out, rest[0]), rest[1:]
		}
		return out
	}
	return of(s.xs[0], map[int]T{s.row: k, s.column: index[len(index)-1]}), of(s.xs[1], map[int]T{s.rhs: k})
}

// Lower reads the matrix the other way round.
func (z *turned) Lower(l *ops.Lowering) []*ops.Stage {
	in := []*ops.Stage{l.In("a")}
	if !z.inverse {
		in = append(in, l.In("b"))
	}
	base := z.Gives[0].Type.Elem.Base
	s := l.Stage("", z.Gives[0].Type, in, func(b *ops.Body, index []*ir.Node) ops.Elem {
		if z.inverse {
			at, _ := places(z, index, nil)
			return ops.Real(b.Cast(base, in[0].At(b, at...).Re))
		}
		sum := b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(z.of.n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			at, right := places(z, index, k)
			term := b.Mul(b.Cast(base, in[0].At(b, at...).Re), b.Cast(base, in[1].At(b, right...).Re))
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, term))}, nil
		})
		return ops.Real(b.Cast(base, sum[0]))
	})
	s.Steps = []string{"transpose (a is orthogonal)"}
	return []*ops.Stage{s}
}

// Structure implements matrix.Structured.
func (z *turned) Structure(c *ops.Call, _ int) (s matrix.Structure) {
	if z.inverse {
		rows, columns := c.Symbol("rows"), c.Symbol("columns")
		a, _ := c.Array("a")
		s = matrix.Joined(matrix.Inverted, matrix.StructureOf(a).Over(rows, columns))
		s.Rows, s.Columns = columns, rows
	}
	return s
}

// Reference implements ops.Referencer.
func (z *turned) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(false, z.Gives[0].Type.Shape()...)
	element := func(d ops.Dense, at []int) float64 {
		i := 0
		for k, stride := range d.Strides() {
			i += at[k] * stride
		}
		return d.Re[i]
	}
	for i, index := range ops.Indices(out.Shape) {
		if z.inverse {
			at, _ := places(z, index, 0)
			out.Re[i] = element(in["a"], at)
			continue
		}
		for k := range z.of.n {
			at, right := places(z, index, k)
			out.Re[i] += element(in["a"], at) * element(in["b"], right)
		}
	}
	return []ops.Dense{out}, nil
}
