package render

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// windowReach is the largest row that a window serves: sample numbers must be far below 2^22, where float32 addition stops
// resolving the magic constant.
const windowReach = 1 << 20

// magic added to a float32 of size below 2^22 leaves its nearest integer in the low bits.
const magic = 1.5 * (1 << 23)

// windowed is a buffer and what varies of the innermost index by which windows read it.
type windowed struct {
	buf *ir.Buffer
	w   *ir.Node
}

// windowLoad renders a load whose innermost index spans fewer than Window elements over the patch as an unaligned vector
// load and a permute. The least index comes from a bound of the index over the lanes; that the span is short is proved at
// run time for each block of iterations, and blocks that fail run a copy of the body with gathers.
func (r *renderer) windowLoad(n *ir.Node, l ir.Linear, v, at int) (value, bool) {
	sc := r.stack[at]
	if r.s.Window == 0 || sc.block == nil || r.gathering || sc != r.top() || len(n.Buf.Shape) == 0 || !schedule.Windows(n.Buf.Type) {
		return value{}, false
	}
	size := n.Buf.Shape[len(n.Buf.Shape)-1]
	_, rest := r.split(l, patch)
	if len(rest.Terms) != 1 || rest.Terms[0].Coef != 1 {
		return value{}, false
	}
	var inner ir.Linear
	inner.Add(n.Index()[len(n.Index())-1], 1)
	w := rest.Terms[0].N
	if len(inner.Terms) != 1 || inner.Terms[0] != rest.Terms[0] { // another row on each lane
		return value{}, false
	}
	slack := r.windowSlack(n)
	start, known := r.starts[windowed{n.Buf, w}]
	if !known && (inner.C < -slack || inner.C > slack) {
		start = inner.C
	}
	if inner.C < start-slack || inner.C > start+slack || w.Type != ir.I32 || size+int(max(start, -start)) > windowReach {
		return value{}, false
	}
	r.starts[windowed{n.Buf, w}] = start
	base, rel, bad := r.windowBase(w, size, int(slack), int(start))
	if base == nil {
		return value{}, false
	}
	sc.block.guard(guardTest{bad, v})
	r.count("window", n)
	b := r.val(base, v, patch)
	u, _ := r.split(l, patch)
	p := r.pointer(n.Buf, u, v, patch, extra(at, b))
	i := r.val(rel, v, patch).asVec().s[0]
	return r.name(sc, each(n.Type, func(h int) string {
		return fmt.Sprintf("%s(%s, %s)", partFunc(fmt.Sprintf("v_win%d", r.s.Window), n, h), p, i)
	})), true
}

// windowSlack is how large a constant in the innermost index may be so that loads of neighbouring elements can share one
// base: a base cut to the padding must leave every such window in the padding.
func (r *renderer) windowSlack(n *ir.Node) int64 {
	if !n.Guarded {
		return 2
	}
	room := min(n.Buf.Pad.Before, n.Buf.Pad.After) - r.s.Window
	return int64(min(2, room/2))
}

// windowBase makes the base of w's window (even, and not above any lane's w), the position of each lane in the window,
// and the test that some lane lies beyond its end; place 0 of the row is where w + start is 0. The base is cut to the row's
// surroundings, where a window wholly in the padding is right whatever its span.
func (r *renderer) windowBase(w *ir.Node, size, slack, start int) (base, rel, bad *ir.Node) {
	first, last := -r.s.Window-slack-start, size+slack-start
	size = max(size, size-start, start) // the largest w
	b := r.b
	q := r.bounder()
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
		margin := c(windowMargin(size))
		fb := b.Mul(c(2), b.Alu(ir.Floor, b.Mul(c(0.5), b.Sub(lo, margin))))
		fb = b.Max(b.Min(fb, c(float64(last))), c(float64(first)))
		base = b.Cast(ir.I32, fb)
		reach := float64(r.s.Window) - windowMargin(size)
		if rounded {
			reach -= 0.5
		}
		bad = b.And(b.Not(r.below(hi, b.Add(fb, c(reach)))), b.Lt(fb, c(float64(last))))
		if rounded {
			return base, b.Reinterpret(ir.I32, b.Add(s, b.Sub(b.F32(magic), fb))), bad
		}
		return base, b.Sub(w, base), bad
	}
	lo, hi := q.Bound(w, ir.Lo), q.Bound(w, ir.Hi)
	if lo == nil || hi == nil {
		return nil, nil, nil
	}
	base = b.Max(b.Min(lo, b.I32(last)), b.I32(first))
	bad = b.And(b.Lt(b.I32(r.s.Window-1), b.Sub(hi, base)), b.Lt(base, b.I32(last)))
	return base, b.Sub(w, base), bad
}

// windowMargin covers what contraction may change between a value and its bound: eight units in the last place of the
// largest index.
func windowMargin(size int) float64 {
	ulp := math.Nextafter32(float32(size), math.MaxFloat32) - float32(size)
	return max(1.0/64, 8*float64(ulp))
}

// bounder bounds values over the lanes of the patch, in terms of the iteration of the fold at the top of the stack: what
// does not depend on that fold is reduced over the lanes once, outside it.
func (r *renderer) bounder() *ir.Bounder {
	f := r.top().fold
	if q := r.bounders[f]; q != nil {
		return q
	}
	inside := f.IndexBind.Or(f.AccBind)
	q := &ir.Bounder{B: r.b, Over: r.lanes, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		if n.Free().Meets(inside) || n.Type == ir.Bool {
			return nil
		}
		if s == ir.Lo {
			return r.b.Own(laneMin, n)
		}
		return r.b.Own(laneMax, n)
	}}
	r.bounders[f] = q
	return q
}

// below is n < limit, or a little less, without the root if n is a root plus something: a root takes as long as the rest
// of the test, and squaring the limit does as well. NaN is not below.
func (r *renderer) below(n, limit *ir.Node) *ir.Node {
	b := r.b
	if n.Kind == ir.KAlu && r.isSlow(n) {
		switch x := n.Args; n.Op {
		case ir.Sqrt:
			return b.And(b.Lt(b.Const(n.Type, 0), limit), b.Lt(x[0], b.Mul(limit, limit)))
		case ir.Floor:
			return r.below(x[0], limit)
		case ir.Add:
			if r.isSlow(x[1]) && x[1].Free().Meets(r.top().binds) {
				x = []*ir.Node{x[1], x[0]}
			}
			return r.below(x[0], b.Sub(limit, x[1]))
		case ir.Sub:
			return r.below(x[0], b.Add(limit, x[1]))
		}
	}
	return b.Lt(n, limit)
}
