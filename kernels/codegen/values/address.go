package values

import (
	"fmt"
	"math"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// Split parts an index into what is the same on all lanes in this layout (with the constant) and the rest.
func (g *Generator) Split(l ir.Linear, m Layout) (uniform, rest ir.Linear) {
	uniform.C = l.C
	for _, t := range l.Terms {
		if g.IsVec(t.N, m) {
			rest.Terms = append(rest.Terms, t)
		} else {
			uniform.Terms = append(uniform.Terms, t)
		}
	}
	return uniform, rest
}

// LanePattern is how far each lane's index lies from lane 0's, where that is known now.
func (g *Generator) LanePattern(l ir.Linear, m Layout) ([]int64, bool) {
	out := make([]int64, g.W)
	for _, t := range l.Terms {
		if !g.IsVec(t.N, m) {
			continue
		}
		switch {
		case m == ByIteration && t.N == g.Iter.Index && !g.OwnStart(g.Iter):
			for i := range out {
				out[i] += t.Coef * int64(i)
			}
		case m == ByLane && t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !g.Clamp:
			for i := range out {
				out[i] += t.Coef * int64(g.LaneCoord(t.N, i))
			}
		default:
			return nil, false
		}
	}
	return out, true
}

// Summand is an offset computed in the scope at a depth.
type Summand struct {
	Depth int
	E     *Expr
}

// extra is an offset in elements: no term of an index, and added last.
func extra(depth int, x Value) Summand { return Summand{depth, Cast("long", x.Regs[0])} }

// Chain adds summands depth by depth, outer ones first, so that each part is named where all of it is known.
func (g *Generator) Chain(first *Expr, sums []Summand, name func(sc *Scope, e *Expr) *Expr) *Expr {
	slices.SortStableFunc(sums, func(a, b Summand) int { return a.Depth - b.Depth })
	for i := 0; i < len(sums); {
		depth := sums[i].Depth
		for ; i < len(sums) && sums[i].Depth == depth; i++ {
			first = Bin("+", first, sums[i].E)
		}
		first = name(g.Stack[depth], first)
	}
	return first
}

// Pointer is buf + l as a chain of named partial pointers, one a loop depth with the constant last as a displacement: the
// outer part is computed once, and vectors in flight that lie a constant apart share one address.
func (g *Generator) Pointer(buf *ir.Buffer, l ir.Linear, v int, m Layout, extra ...Summand) *Expr {
	if len(extra) == 0 {
		if at := g.ofTurns(buf, l, v, m); at != nil {
			return at
		}
	}
	var sums []Summand
	var turn *Summand
	c := l.C
	short, apart := g.shortIndex(buf, l), g.apart(buf, l)
	var around []Summand // where an address begins
	for _, t := range l.Terms {
		v := v
		if at := g.aroundTurns(buf, l, t.N, m); at > 0 {
			c += t.Coef * int64(g.Turns.At)
			turn = &Summand{at, Times(Cast("long", g.turnsIndex(g.Stack[at], buf, l)), t.Coef)}
			continue
		}
		if t.N.Kind == ir.KAxis && t.N.Role == ir.RoleParallel && !g.Clamp {
			c += t.Coef * int64(g.Offset(t.N, v))
			v = 0
		}
		var x *Expr
		if x = g.ofGroup(t.N); x == nil {
			x = g.Val(t.N, v, m).Regs[0]
		}
		if m == ByIteration && t.N == g.Iter.Index {
			x = g.iterated(t.N)
		}
		wide := "long"
		if apart && t.N.Kind == ir.KAxis {
			around = append(around, Summand{g.Depth(t.N), Times(Cast(wide, x), t.Coef)})
			continue
		}
		if short {
			wide = "unsigned" // of places beyond a guard, sums may wrap
		}
		if g.movesFrom(buf, l, t.N, m) {
			turn = &Summand{g.Depth(t.N), Times(Cast(wide, g.own(g.Stack[g.Depth(t.N)], buf, t.N, x)), t.Coef)}
			continue
		}
		sums = append(sums, Summand{g.Depth(t.N), Times(Cast(wide, x), t.Coef)})
	}
	if len(sums) > 0 && short {
		offset := g.Chain(Int(0), sums, func(sc *Scope, e *Expr) *Expr { return g.OnceAs(sc, e, "const unsigned", "o") })
		sums = []Summand{{g.Depth(l.Terms[0].N), Cast("int", offset)}}
		for _, t := range l.Terms {
			sums[0].Depth = max(sums[0].Depth, g.Depth(t.N))
		}
	}
	partial := func(sc *Scope, e *Expr) *Expr { return g.OnceAs(sc, e, g.BufType(buf)+" *const", "p") }
	first := g.BufName(buf)
	if g.Schedule.Skip && g.Target.ISA == "cuda" && (c >= farAway || c <= -farAway) {
		first, c = g.held(g.Stack[0], buf, Add(first, Int(c))), 0
	}
	if len(around) > 0 {
		around = ofThread(l, around)
		first = g.Chain(first, around, partial)
		first = g.held(g.Stack[around[len(around)-1].Depth], buf, first)
		for i := range sums {
			sums[i].E = g.own(g.Stack[sums[i].Depth], buf, l.Terms[0].N, sums[i].E)
		}
	}
	at := g.Chain(first, sums, partial)
	if turn != nil {
		if len(sums) > 0 {
			at = g.held(g.Stack[sums[len(sums)-1].Depth], buf, at)
		}
		at = partial(g.Stack[turn.Depth], Bin("+", at, turn.E))
	}
	for _, e := range extra {
		at = partial(g.Stack[e.Depth], Bin("+", at, e.E))
	}
	return Add(at, Int(c))
}

// ofGroup is a number that follows from where outputs begin that go together, which is not cut to the tile; nil for any other.
func (g *Generator) ofGroup(n *ir.Node) *Expr {
	if !g.grouped {
		return nil
	}
	first := Add(Name(AxisName(g.BesideAxis)), Int(g.groupAt))
	switch op, by := n.InBlocks(g.BesideAxis); {
	case n == g.BesideAxis:
		return first
	case by > 0 && op == ir.Div:
		return Bin("/", first, Int(by))
	case by > 0:
		return Bin("%", first, Int(by))
	}
	return nil
}

// aroundTurns is the depth at which an address is the same for turns that are made one behind the other but for what is known of each, where n is their index; 0: there
// is none.
func (g *Generator) aroundTurns(buf *ir.Buffer, l ir.Linear, n *ir.Node, m Layout) int {
	if t := g.Turns; t != nil && n == t.Fold.Index && m == ByLane && !g.OwnStart(t.Fold) && !g.shortIndex(buf, l) {
		return max(0, slices.Index(g.Stack, t.Around))
	}
	return 0
}

// apart reports an index of which loops that leave out turns are given where an address begins, and add what they load or compute to it, in 32 bits. What follows from
// axes is then added up once, around them, and is so little that 32 bits hold the rest as well: it is less than that and a buffer together.
func (g *Generator) apart(buf *ir.Buffer, l ir.Linear) bool {
	if !g.Schedule.Skip || !g.shortIndex(buf, l) {
		return false
	}
	inner, outer, far := 0, 0, 0.0
	for _, t := range l.Terms {
		if t.N.Kind != ir.KAxis {
			inner = max(inner, g.Depth(t.N))
			continue
		}
		outer = max(outer, g.Depth(t.N))
		last, ok := g.lastOf(t.N)
		if !ok {
			return false
		}
		far += math.Abs(float64(t.Coef)) * last
	}
	return outer > 0 && outer < inner && far < 1<<30
}

// ofThread adds up what several coordinates of a thread come to where an address begins, and nothing else: compilers keep what that makes. Added one by one, they
// would be added again wherever the address is used.
func ofThread(l ir.Linear, around []Summand) []Summand {
	if slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.N.Kind == ir.KAxis && t.N.Role != ir.RoleParallel }) {
		return around
	}
	sum := around[0]
	for _, a := range around[1:] {
		sum.E, sum.Depth = Bin("+", sum.E, a.E), max(sum.Depth, a.Depth)
	}
	return []Summand{sum}
}

// lastOf is what an axis or the index of a fold comes to at most.
func (g *Generator) lastOf(n *ir.Node) (last float64, ok bool) {
	switch {
	case n.Role == ir.RoleParallel:
		return float64(n.Extent), true
	case n.Role == ir.RoleIndex && n.Fold.Lo.Kind == ir.KConst && n.Fold.Hi.Kind == ir.KConst:
		return math.Max(math.Abs(float64(n.Fold.Lo.I)), math.Abs(float64(n.Fold.Hi.I))), true
	}
	return 0, false
}

// own is an index, in 32 bits, of which compilers do not know that it is also that into another buffer. They would multiply it by the size of an element once, and add
// the 64 bits of that to each address by two instructions; by itself, an index is multiplied and added in one.
func (g *Generator) own(sc *Scope, buf *ir.Buffer, n *ir.Node, e *Expr) *Expr {
	if !g.Schedule.Skip || g.Target.ISA != "cuda" || n.Type != ir.I32 {
		return e
	}
	return sc.Make("own "+g.BufName(buf).Text+" "+e.String(), func() Value { return Value{Regs: [2]*Expr{g.heldInt(sc, e)}} }).Regs[0]
}

// heldInt is a number of which compilers do not know what it is made of.
func (g *Generator) heldInt(sc *Scope, e *Expr) *Expr {
	name := Name(g.Fresh("i"))
	sc.Add(Var("int", name.Text, e), Do(Call("WEFT_HELD_INT", name)))
	return name
}

// farAway is a distance in elements that instructions of GPUs have no room for: 8 MiB.
const farAway = 1 << 21

// movesFrom reports the index of a loop that leaves out turns, along which alone an address moves: compilers do not know how far, and would have an address for each load.
func (g *Generator) movesFrom(buf *ir.Buffer, l ir.Linear, n *ir.Node, m Layout) bool {
	return g.Schedule.Skip && g.Target.ISA == "cuda" && m == ByLane && n.Kind == ir.KAxis && n.Role == ir.RoleIndex && !g.shortIndex(buf, l) &&
		!slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.N != n && g.Depth(t.N) >= g.Depth(n) })
}

// held is an address that turns begin from. A compiler that knew what it is made of would add that up anew for each of them, by several instructions in place of one.
func (g *Generator) held(sc *Scope, buf *ir.Buffer, at *Expr) *Expr {
	return sc.Make("held "+at.String(), func() Value {
		name := Name(g.Fresh("p"))
		sc.Add(Var(g.BufType(buf)+" *", name.Text, at), Do(Call("WEFT_HELD", name)))
		return Value{Regs: [2]*Expr{name}}
	}).Regs[0]
}

// shortIndex reports an index that is added up in 32 bits, which is what processors of GPUs compute with: one that follows from what is loaded or computed. What goes
// along loops is left to addresses, which compilers move on from turn to turn.
func (g *Generator) shortIndex(buf *ir.Buffer, l ir.Linear) bool {
	return g.Target.ISA == "cuda" && buf.Cells() < 1<<30 && slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.N.Kind != ir.KAxis }) &&
		!slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.N.Type != ir.I32 })
}

// OnceAs names an expression of a type once a scope.
func (g *Generator) OnceAs(sc *Scope, e *Expr, t, prefix string) *Expr {
	return sc.Make(t+e.String(), func() Value {
		name := Name(g.Fresh(prefix))
		sc.Add(Var(t, name.Text, e))
		return Value{Regs: [2]*Expr{name}}
	}).Regs[0]
}

// Make makes something once a scope.
func (sc *Scope) Make(k any, f func() Value) Value {
	x, ok := sc.Once[k]
	if !ok {
		x = f()
		sc.Once[k] = x
	}
	return x
}

// BufName is the variable that points to a buffer, which is then one of those that are used.
func (g *Generator) BufName(b *ir.Buffer) *Expr {
	g.Notes.Uses[b] = true
	i := slices.Index(g.Bufs, b)
	if i < 0 {
		i = len(g.Bufs)
		g.Bufs = append(g.Bufs, b)
	}
	return Name(fmt.Sprintf("b%d", i))
}

// BufType is the element type of pointers into a buffer.
func (u *Unit) BufType(b *ir.Buffer) string {
	if slices.Contains(u.Kernel.Outputs(), b) {
		return Storage[b.Type]
	}
	return "const " + Storage[b.Type]
}

// VecIndex is the part of an index that differs over the lanes, as an I32 vector, or I64 where the buffer needs it.
func (g *Generator) VecIndex(buf *ir.Buffer, l ir.Linear, v int, m Layout) Value {
	t := ir.I32
	if buf.Cells() > maxGather || slices.ContainsFunc(l.Terms, func(x ir.Term) bool { return x.N.Type == ir.I64 }) {
		t = ir.I64
	}
	var list []Value
	for _, x := range l.Terms {
		y := Op(ir.Cast, t, g.Val(x.N, v, m))
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
