package codegen

import (
	"fmt"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// split parts an index into what is the same on all lanes in this layout (with the constant) and the rest.
func (g *gen) split(l ir.Linear, m layout) (uniform, rest ir.Linear) {
	uniform.C = l.C
	for _, t := range l.Terms {
		if g.isVec(t.N, m) {
			rest.Terms = append(rest.Terms, t)
		} else {
			uniform.Terms = append(uniform.Terms, t)
		}
	}
	return uniform, rest
}

// lanePattern is how far each lane's index lies from lane 0's, where that is known now.
func (g *gen) lanePattern(l ir.Linear, m layout) ([]int64, bool) {
	out := make([]int64, g.W)
	for _, t := range l.Terms {
		if !g.isVec(t.N, m) {
			continue
		}
		switch {
		case m == byIteration && t.N == g.iter.Index && !g.ownStart(g.iter):
			for i := range out {
				out[i] += t.Coef * int64(i)
			}
		case m == byLane && t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !g.Clamp:
			for i := range out {
				out[i] += t.Coef * int64(g.LaneCoord(t.N, i))
			}
		default:
			return nil, false
		}
	}
	return out, true
}

// summand is an offset computed in the scope at a depth.
type summand struct {
	depth int
	e     *Expr
}

// extra is an offset in elements: no term of an index, and added last.
func extra(depth int, x Value) summand { return summand{depth, Cast("long", x.Regs[0])} }

// chain adds summands depth by depth, outer ones first, so that each part is named where all of it is known.
func (g *gen) chain(first *Expr, sums []summand, name func(sc *scope, e *Expr) *Expr) *Expr {
	slices.SortStableFunc(sums, func(a, b summand) int { return a.depth - b.depth })
	for i := 0; i < len(sums); {
		depth := sums[i].depth
		for ; i < len(sums) && sums[i].depth == depth; i++ {
			first = Bin("+", first, sums[i].e)
		}
		first = name(g.stack[depth], first)
	}
	return first
}

// pointer is buf + l as a chain of named partial pointers, one a loop depth with the constant last as a displacement: the
// outer part is computed once, and vectors in flight that lie a constant apart share one address.
func (g *gen) pointer(buf *ir.Buffer, l ir.Linear, v int, m layout, extra ...summand) *Expr {
	var sums []summand
	c := l.C
	for _, t := range l.Terms {
		v := v
		if t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !g.Clamp {
			c += t.Coef * int64(g.Offset(t.N, v))
			v = 0
		}
		x := g.val(t.N, v, m).Regs[0]
		if m == byIteration && t.N == g.iter.Index {
			x = g.iterated(t.N)
		}
		sums = append(sums, summand{g.depth(t.N), Times(Cast("long", x), t.Coef)})
	}
	partial := func(sc *scope, e *Expr) *Expr { return g.onceAs(sc, e, g.bufType(buf)+" *const", "p") }
	at := g.chain(g.bufName(buf), sums, partial)
	for _, e := range extra {
		at = partial(g.stack[e.depth], Bin("+", at, e.e))
	}
	return Add(at, Int(c))
}

// onceAs names an expression of a type once a scope.
func (g *gen) onceAs(sc *scope, e *Expr, t, prefix string) *Expr {
	return sc.make(t+e.String(), func() Value {
		name := Name(g.fresh(prefix))
		sc.add(Var(t, name.Text, e))
		return Value{Regs: [2]*Expr{name}}
	}).Regs[0]
}

// make makes something once a scope.
func (sc *scope) make(k any, f func() Value) Value {
	x, ok := sc.once[k]
	if !ok {
		x = f()
		sc.once[k] = x
	}
	return x
}

func (g *gen) bufName(b *ir.Buffer) *Expr {
	g.notes.uses[b] = true
	i := slices.Index(g.Bufs, b)
	if i < 0 {
		i = len(g.Bufs)
		g.Bufs = append(g.Bufs, b)
	}
	return Name(fmt.Sprintf("b%d", i))
}

// bufType is the element type of pointers into a buffer.
func (u *Unit) bufType(b *ir.Buffer) string {
	if slices.Contains(u.Kernel.Outputs(), b) {
		return Storage[b.Type]
	}
	return "const " + Storage[b.Type]
}

// vecIndex is the part of an index that differs over the lanes, as an I32 vector, or I64 where the buffer needs it.
func (g *gen) vecIndex(buf *ir.Buffer, l ir.Linear, v int, m layout) Value {
	t := ir.I32
	if buf.Cells() > maxGather || slices.ContainsFunc(l.Terms, func(x ir.Term) bool { return x.N.Type == ir.I64 }) {
		t = ir.I64
	}
	var list []Value
	for _, x := range l.Terms {
		y := Op(ir.Cast, t, g.val(x.N, v, m))
		if x.Coef != 1 {
			y = Op(ir.Mul, t, y, Scalar(t, Int(x.Coef)))
		}
		list = append(list, y)
	}
	if l.C != 0 || len(list) == 0 {
		list = append(list, Scalar(t, Int(l.C)))
	}
	sum := list[0]
	for _, y := range list[1:] {
		sum = Op(ir.Add, t, sum, y)
	}
	if t == ir.I64 && buf.Cells() <= maxGather {
		sum = Op(ir.Cast, ir.I32, sum)
	}
	return sum
}

// maxGather is how many elements the indices of gathers reach.
const maxGather = 1<<31 - 1
