package values

import (
	"fmt"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// Where outputs of a thread lie side by side, what they load or store side by side goes together, in 16 bytes at most: a thread of a GPU then takes one
// instruction for it.

// widest is how many bytes go together at most.
const widest = 16

// TogetherAt is how many elements of a buffer go together at an index, each of an output beside the one before; 0: none do. Their place is a multiple of their
// number, whatever the index is.
func (g *Generator) TogetherAt(buf *ir.Buffer, l ir.Linear) int {
	n := min(g.Beside(g.BesideAxis), mostTogether(buf.Type))
	if g.BesideAxis == nil || n < 2 || !l.Beside(g.BesideAxis, int64(n)) || buf.Pad.Before%n != 0 {
		return 0
	}
	return n
}

// mostTogether is how many elements of a type go together at most.
func mostTogether(t ir.DType) int {
	if t.Size() < 2 {
		return 4
	}
	return widest / t.Size()
}

// GroupOf is the first of the outputs whose elements go together with that of output v, so many of them, and which of them that is.
func (g *Generator) GroupOf(v, n int) (first, at int) {
	at = g.Offset(g.BesideAxis, v) % n
	return g.Neighbour(v, -at), at
}

// Group is where the elements begin that go together with that of output first.
func (g *Generator) Group(buf *ir.Buffer, l ir.Linear, first int) *Expr {
	from := g.Offset(g.BesideAxis, first)
	g.grouped, g.groupAt = true, 0
	defer func() { g.grouped = false }()
	if slices.ContainsFunc(l.Terms, func(t ir.Term) bool {
		_, by := t.N.InBlocks(g.BesideAxis)
		return by%int64(g.Beside(g.BesideAxis)) != 0
	}) {
		g.groupAt, from = from, 0 // the outputs of a thread are in several blocks
	}
	return Add(g.Pointer(buf, l, g.Neighbour(first, -g.Offset(g.BesideAxis, first)), ByLane), Int(from))
}

// places reports what follows from elements that tell where others are, or how many turns there are: those of outputs beyond the tile, of which nobody knows what
// they are, must not.
func (g *Generator) places(n *ir.Node) bool {
	if g.placing == nil {
		g.placing = map[*ir.Node]bool{}
		mark := func(list ...*ir.Node) { ir.WalkNodes(list, func(n *ir.Node) { g.placing[n] = true }) }
		g.Kernel.Walk(func(n *ir.Node) {
			switch n.Kind {
			case ir.KLoad:
				mark(n.Index()...)
			case ir.KFold:
				mark(n.Fold.Lo, n.Fold.Hi)
				if n.Fold.While != nil {
					mark(n.Fold.While)
				}
			}
		})
	}
	return g.placing[n]
}

// Turns are iterations of a fold that a thread makes one behind the other, which begin so far behind a multiple of their number; what they load side by side goes together.
type Turns struct {
	Fold   *ir.Fold
	N      int
	Behind int
	At     int    // which of them is being written
	Around *Scope // of all of them, right around that of one
}

// loadTogether is a load with those of the outputs beside, or of the turns.
func (g *Generator) loadTogether(a *access) (x Value, ok bool) {
	if a.covered || a.m != ByLane || g.Masked(a.at) {
		return x, false
	}
	if n := g.TogetherAt(a.n.Buf, a.l); n > 0 && !g.places(a.n) && (!a.guarded || g.guardedAlike(a.n)) {
		first, at := g.GroupOf(a.v, n)
		return g.oneOf(a, a.sc, n, first, at, func() *Expr { return g.Group(a.n.Buf, a.l, first) }), true
	}
	t := g.Turns
	if a.guarded || t == nil || a.at == 0 || g.Stack[a.at-1] != t.Around {
		return x, false
	}
	n := min(t.N, widest/a.n.Buf.Type.Size(), 4)
	if n < 2 || !a.l.Beside(t.Fold.Index, int64(n)) || a.n.Buf.Pad.Before%n != 0 {
		return x, false
	}
	at := (t.Behind + t.At) % n
	return g.oneOf(a, t.Around, n, t.Behind+t.At-at+2*t.N*a.v, at, func() *Expr {
		stack, turn := g.Stack, t.At
		g.Stack, t.At = g.Stack[:a.at:a.at], 0
		defer func() { g.Stack, t.At = stack, turn }()
		return Add(g.Pointer(a.n.Buf, a.l, a.v, ByLane), Int(turn-at))
	}), true
}

// guardedAlike reports a load that is guarded for all outputs beside each other or for none.
func (g *Generator) guardedAlike(n *ir.Node) bool {
	guard, other := n.Guard()
	return other.Kind == ir.KConst && !g.Vary.Of(guard).Meets(g.BesideAxis.Bind())
}

// oneOf is one of n elements that are loaded together in a scope, once for those of a number.
func (g *Generator) oneOf(a *access, sc *Scope, n, number, at int, place func() *Expr) Value {
	g.Count("together", a.n)
	type group struct {
		n      *ir.Node
		number int
	}
	all := sc.Make(group{a.n, number}, func() Value {
		p, name := place(), Name(g.Fresh("q"))
		some := Call(fmt.Sprintf("s_load_%s_%d", a.n.Buf.Type, n), p)
		if a.guarded {
			_, other := a.n.Guard()
			some = Choose(a.guard.Regs[0], some, Call(fmt.Sprintf("s_same_%s_%d", a.n.Buf.Type, n), Lit(other)))
		}
		sc.Add(Let(fmt.Sprintf("some_%s_%d", a.n.Buf.Type, n), name.Text, some))
		return Value{Regs: [2]*Expr{name}}
	})
	one := Name(all.Regs[0].Text + "." + string("xyzw"[at*min(n, 4)/n]))
	if n > 4 { // two of them in each word
		one = Call(fmt.Sprintf("s_half_%s", a.n.Buf.Type), one, Int(at%2))
	}
	return g.Name(a.sc, Scalar(a.n.Type, Call("s_from_"+a.n.Buf.Type.String(), one)))
}
