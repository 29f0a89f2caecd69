package values

import (
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// LeastWindow is the narrowest there is.
const LeastWindow = 16

// windowReach is the largest row that a window serves: sample numbers must be far below 2^22, where float32 addition stops
// resolving the magic constant.
const windowReach = 1 << 20

// shiftedReach is how far from 0 what varies of an index may be where all lanes add something to it. Elsewhere a proof fails.
const shiftedReach = 1 << 16

// magic added to a float32 of size below 2^22 leaves its nearest integer in the low bits.
const magic = 1.5 * (1 << 23)

// windowed is a buffer and what varies of the innermost index by which windows read it.
type windowed struct {
	buf *ir.Buffer
	w   *ir.Node
}

// windowState is what windows of a function have in common.
type windowState struct {
	bounders map[*ir.Fold]*ir.Bounder
	starts   map[windowed]int64 // of their rows
	bases    map[*ir.Node]bool  // where windows begin
}

// windowLoad is a load whose innermost index spans fewer than Window elements over the lane tile as an unaligned vector
// load and a permute. The least index comes from a bound of the index over the lanes; that the span is short is proved at
// run time for each block of iterations, and blocks that fail run a copy of the body with gathers.
func (g *Generator) windowLoad(a *access) (Value, bool) {
	n, sc := a.n, a.sc
	if g.Schedule.Window == 0 || sc.Block == nil || g.Gathering || sc != g.Top() || len(n.Buf.Shape) == 0 || !schedule.Windows(n.Buf.Type) {
		return Value{}, false
	}
	size := n.Buf.Shape[len(n.Buf.Shape)-1]
	uniform, rest := g.Split(a.l, ByLane)
	if len(rest.Terms) != 1 || rest.Terms[0].Coef != 1 {
		return Value{}, false
	}
	var inner ir.Linear
	inner.Add(n.Index()[len(n.Index())-1], 1)
	w := rest.Terms[0].N
	i := slices.Index(inner.Terms, rest.Terms[0])
	if i < 0 { // another row on each lane
		return Value{}, false
	}
	by, ok := g.shift(slices.Delete(inner.Terms, i, i+1))
	if !ok {
		return Value{}, false
	}
	slack := g.windowSlack(n)
	start, known := g.windows.starts[windowed{n.Buf, w}]
	if !known && (inner.C < -slack || inner.C > slack) {
		start = inner.C
	}
	if inner.C < start-slack || inner.C > start+slack || w.Type != ir.I32 || size+int(max(start, -start)) > windowReach {
		return Value{}, false
	}
	g.windows.starts[windowed{n.Buf, w}] = start
	base, rel, beyond := g.windowBase(w, by, size, int(slack), int(start))
	if base == nil {
		return Value{}, false
	}
	most := g.neighbours()
	bad := beyond(most)
	g.guard(sc.Block, GuardTest{bad, g.Canon(g.Vary.Of(bad), a.v)})
	g.Count("window", n)
	from := g.Val(base, a.v, ByLane)
	p := g.Pointer(n.Buf, uniform, a.v, ByLane, extra(a.at, from))
	at := g.Val(rel, a.v, ByLane).AsVec().Regs[0]
	class := map[int]string{16: "v_win16", 32: "v_win32"}[most]
	return g.Name(sc, Each(n.Type, func(h int) *Expr { return Call(PartFunc(class, n, h), p, at) })), true
}

// neighbours is how many elements the windows of the body that is written serve.
func (g *Generator) neighbours() int {
	if g.Nearer {
		return g.Schedule.Window / 2
	}
	return g.Schedule.Window
}

// shift is what all lanes add to what varies of an innermost index, nil if nothing.
func (g *Generator) shift(terms []ir.Term) (by *ir.Node, ok bool) {
	for _, t := range terms {
		if t.N.Type != ir.I32 {
			return nil, false
		}
		x := g.B.Mul(t.N, g.B.I32(int(t.Coef)))
		if by != nil {
			x = g.B.Add(by, x)
		}
		by = x
	}
	return by, true
}

// windowSlack is how large a constant in the innermost index may be so that loads of neighbouring elements can share one
// base: a base cut to the padding must leave every such window in the padding.
func (g *Generator) windowSlack(n *ir.Node) int64 {
	if !n.Guarded {
		return 2
	}
	room := min(n.Buf.Pad.Before, n.Buf.Pad.After) - g.Schedule.Window
	return int64(min(2, room/2))
}

// windowBase makes the base of w's window (not above any lane's w, and even where bounds are not exact), the position of each lane in the window,
// and the test that some lane lies beyond so many elements; place 0 of the row is where w + start is 0. The base is cut to the row's
// surroundings, where a window wholly in the padding is right whatever its span. by is added to w for the index; nil: nothing.
func (g *Generator) windowBase(w, by *ir.Node, size, slack, start int) (base, rel *ir.Node, beyond func(reach int) *ir.Node) {
	b := g.B
	first, last := b.I32(-g.Schedule.Window-slack-start), b.I32(size+slack-start)
	size = max(size, size-start, start) // the largest w
	if by != nil {
		first, last, size = b.Sub(first, by), b.Sub(last, by), shiftedReach
	}
	q := g.bounder()
	if w.Kind == ir.KAlu && w.Op == ir.Cast && w.Args[0].Type.Float() {
		s := w.Args[0]
		rounded := s.Kind == ir.KAlu && s.Op == ir.Rint && s.Type == ir.F32
		if rounded {
			s = s.Args[0]
		}
		lo, hi := q.Bound(s, ir.Lo), q.Bound(s, ir.Hi)
		if lo == nil || hi == nil {
			return nil, nil, nil
		}
		c := func(x float64) *ir.Node { return b.Const(s.Type, x) }
		margin := c(tile.WindowMargin(size))
		fb := lo
		if !form.Whole(s) || !g.exact(s) {
			fb = b.Mul(c(2), b.Alu(ir.Floor, b.Mul(c(0.5), b.Sub(lo, margin))))
		}
		far := b.Cast(s.Type, last)
		fb = b.Max(b.Min(fb, far), b.Cast(s.Type, first))
		base = b.Cast(ir.I32, fb)
		beyond = func(reach int) *ir.Node {
			end := float64(reach) - tile.WindowMargin(size)
			if rounded {
				end -= 0.5
			}
			bad := b.And(b.Not(form.Below(g.B, g.slow, g.Top().Binds, hi, b.Add(fb, c(end)))), b.Lt(fb, far))
			if by != nil {
				bad = b.Or(bad, b.Not(b.Lt(b.Abs(fb), c(shiftedReach))))
			}
			return bad
		}
		g.windows.bases[base] = true
		if rounded {
			from := b.Sub(b.F32(magic), fb)
			g.windows.bases[from] = true
			return base, b.Reinterpret(ir.I32, b.Add(s, from)), beyond
		}
		if form.Whole(s) {
			rel, unsure := g.within(q, s, fb)
			far := beyond
			return base, rel, func(reach int) *ir.Node { return b.Or(far(reach), unsure) }
		}
		return base, b.Sub(w, base), beyond
	}
	lo, hi := q.Bound(w, ir.Lo), q.Bound(w, ir.Hi)
	if lo == nil || hi == nil {
		return nil, nil, nil
	}
	base = b.Max(b.Min(lo, last), first)
	g.windows.bases[base] = true
	return base, b.Sub(w, base), func(reach int) *ir.Node {
		return b.And(b.Lt(b.I32(reach-1), b.Sub(hi, base)), b.Lt(base, last))
	}
}

// exact reports whether a value is computed as its bounds over the lanes are, by operations that keep order.
func (g *Generator) exact(n *ir.Node) bool {
	if g.uniform(n) || !n.Free().Meets(g.Top().Binds) {
		return true
	}
	if n.Kind != ir.KAlu || !n.Type.Float() {
		return false
	}
	switch n.Op {
	case ir.Add, ir.Sub, ir.Min, ir.Max, ir.Floor, ir.Rint, ir.Cast:
		_, fused := g.Fused.Product(n)
		return !fused && !slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return !g.exact(a) })
	}
	return false
}

// within is where lanes find a whole number in a window from fb on, and a test that this is not so. Most blocks of iterations lie apart from what the number
// is held between, and then that is left out; what all lanes add to it is joined to fb, for all iterations at once.
func (g *Generator) within(q *ir.Bounder, s, fb *ir.Node) (rel, unsure *ir.Node) {
	b := g.B
	unsure = b.False()
	if free := g.unheld(s); g.Nearer && free != s {
		if lo, hi := q.Bound(free, ir.Lo), q.Bound(free, ir.Hi); lo != nil && hi != nil {
			unsure = b.Not(b.And(b.Alu(ir.Eq, lo, q.Bound(s, ir.Lo)), b.Alu(ir.Eq, hi, q.Bound(s, ir.Hi))))
			s = free
		}
	}
	less := b.Sub(b.Const(s.Type, 0), fb)
	if i := slices.IndexFunc(s.Args, g.uniform); s.Op == ir.Add && i >= 0 {
		less = b.Sub(s.Args[i], fb)
		s = s.Args[1-i]
		unsure = b.Or(unsure, b.Not(b.Lt(b.Abs(less), b.Const(s.Type, magic/4))))
	}
	if s.Type == ir.F32 {
		less = b.Add(less, b.F32(magic))
		rel = b.Reinterpret(ir.I32, b.Add(s, less))
	} else {
		rel = b.Cast(ir.I32, b.Add(s, less))
	}
	g.windows.bases[less] = true
	return rel, unsure
}

// uniform reports a value that is the same for all lanes.
func (g *Generator) uniform(n *ir.Node) bool { return !g.IsVec(n, ByLane) }

// unheld is a value without the limits, the same for all lanes, that it is held between.
func (g *Generator) unheld(n *ir.Node) *ir.Node {
	for n.Op == ir.Min || n.Op == ir.Max {
		i := slices.IndexFunc(n.Args, g.uniform)
		if i < 0 {
			break
		}
		n = n.Args[1-i]
	}
	return n
}

// bounder bounds values over the lanes of the tile, in terms of the iteration of the fold at the top of the stack: what
// does not depend on that fold is reduced over the lanes once, outside it.
func (g *Generator) bounder() *ir.Bounder {
	f := g.Top().Fold
	if q := g.windows.bounders[f]; q != nil {
		return q
	}
	inside := f.IndexBind.Or(f.AccBind)
	q := &ir.Bounder{B: g.B, Over: g.Lanes, Tight: true, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		if n.Free().Meets(inside) || n.Type == ir.Bool {
			return nil
		}
		if s == ir.Lo {
			return g.B.Own(LaneMin, n)
		}
		return g.B.Own(LaneMax, n)
	}}
	g.windows.bounders[f] = q
	return q
}
