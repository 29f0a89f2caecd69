package render

import (
	"fmt"
	"math"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// anyTerm is one accumulator of an Any or All fold. If its term is threshold < level with a threshold that the fold does
// not change, the fold keeps the running maximum of level and compares once at the end.
type anyTerm struct {
	q                int
	threshold, level *ir.Node // nil: the term is any condition
}

// anyFold renders a fold that may be left when every lane has its answer, tested every Every iterations. It gives up
// (false) on steps of another form, which the plain loop renders.
func (r *renderer) anyFold(c *loop, depth int) bool {
	f := c.f
	all := f.Monoid == ir.All
	var terms []anyTerm
	running := !all && c.vec
	for q, s := range f.Step {
		x, _, ok := schedule.Joined(f, s, f.Accs[q], schedule.JoinOps[f.Monoid])
		if !ok {
			return false
		}
		t := anyTerm{q: q}
		if x.Kind == ir.KAlu && x.Op == ir.Lt && !x.Args[0].Free().Meets(f.IndexBind) {
			t.threshold, t.level = x.Args[0], x.Args[1]
		} else {
			running = false
		}
		terms = append(terms, t)
	}
	count := r.counting(c)
	every := max(1, r.s.Every)
	var skips []string
	var open *openMin
	if running {
		for _, t := range terms {
			for _, v := range c.copies {
				r.variable(c.sc, r.levelName(c, t, v), scalar(t.level.Type, lowest(t.level.Type)))
			}
		}
		if r.s.Skip && len(terms) == 1 {
			open = &openMin{name: r.fresh("n")}
			skips = r.skipTests(c, terms[0], open, count)
			if len(skips) == 0 {
				open = nil
			}
		}
	}
	r.push(c.in)
	loads := r.exactLoads
	if running {
		var last []string
		for _, v := range c.copies {
			for _, t := range terms {
				level := r.levelName(c, t, v)
				last = append(last, set(level, r.op(ir.Max, level.t, r.val(t.level, v, patch), level)))
			}
		}
		c.in.lines = append(c.in.lines, last...)
	} else {
		r.body(c, c.in)
	}
	if r.exactLoads != loads && r.masked(depth) {
		every = 1 // the lanes of an outer fold that are still active keep loads in range only while they iterate
	}
	test := r.doneTest(c, terms, running, all, depth)
	if open != nil {
		r.emit(c.sc, "%s %s = %s;", ctypes[terms[0].threshold.Type].c, open.name, r.openText(c, terms[0], depth))
		test = fmt.Sprintf("%s = %s; if (%s == %s) break;", open.name, r.openText(c, terms[0], depth), open.name, highest(terms[0].threshold.Type))
	}
	i, t, e := c.index(), c.ctype(), r.fresh("e")
	r.emit(c.sc, "for (%s %s = %s; %s < %s;) {\n%s\nconst %s %s = s_min_%s(%s + %d, %s);%s\nfor (; %s < %s; %s++) {\n%s\n}\n%s\n}",
		t.c, i, c.lo, i, c.hi, strings.Join(skips, "\n"), t.c, e, t.sfx, i, every, c.hi, count.block(e), i, e, i, strings.Join(c.in.lines, "\n"), test)
	if running {
		for _, t := range terms {
			for _, v := range c.copies {
				a := r.accName(f.Accs[t.q], v)
				hit := compare(ir.Lt, r.val(t.threshold, v, patch), r.levelName(c, t, v), true)
				r.emit(c.sc, "%s", set(a, r.op(ir.Or, ir.Bool, a, paren(hit))))
			}
		}
	}
	return true
}

func (r *renderer) levelName(c *loop, t anyTerm, v int) value {
	base := fmt.Sprintf("l%d_%d", c.f.Accs[t.q].ID(), r.canon(r.vary.Of(c.f.Node), v))
	return each(t.level.Type, func(h int) string { return fmt.Sprintf("%s_%d", base, h) })
}

// doneTest leaves the loop when no active lane can change any more.
func (r *renderer) doneTest(c *loop, terms []anyTerm, running, all bool, depth int) string {
	var conds []string
	for _, v := range c.copies {
		for _, t := range terms {
			x := r.accName(c.f.Accs[t.q], v)
			if running {
				hit := compare(ir.Lt, r.val(t.threshold, v, patch), r.levelName(c, t, v), true)
				x = paren(r.op(ir.Or, ir.Bool, x, paren(hit)))
			}
			if all {
				x = r.op(ir.Not, ir.Bool, x)
			}
			if on, ok := r.active(depth, r.vary.Of(c.f.Node), v); ok {
				x = paren(r.op(ir.Or, ir.Bool, paren(x), paren(r.op(ir.Not, ir.Bool, on))))
			}
			if x.vec != c.vec {
				x = x.asVec()
			}
			conds = append(conds, x.s[0])
		}
	}
	text := strings.Join(conds, " & ")
	if c.vec {
		text = fmt.Sprintf("v_all(%s)", text)
	}
	return fmt.Sprintf("if (%s) break;", text)
}

// openMin is the least threshold among the lanes without an answer: where nothing ahead exceeds it, nothing can change.
type openMin struct{ name string }

// openText computes it. A lane that has its answer, is not active, or compares with NaN, does not count.
func (r *renderer) openText(c *loop, t anyTerm, depth int) string {
	ty := t.threshold.Type
	high := scalar(ty, highest(ty))
	var least value
	for i, v := range c.copies {
		b := r.val(t.threshold, v, patch)
		waits := r.op(ir.And, ir.Bool, paren(compare(ir.Le, r.levelName(c, t, v), b, true)), paren(r.op(ir.Not, ir.Bool, r.accName(c.f.Accs[t.q], v))))
		if on, ok := r.active(depth, r.vary.Of(c.f.Node), v); ok {
			waits = r.op(ir.And, ir.Bool, paren(waits), on)
		}
		x := choose(paren(waits), b, high)
		if i == 0 {
			least = x
		} else {
			least = r.op(ir.Min, ty, least, x)
		}
	}
	return fmt.Sprintf("v_hmin_%s(%s)", ctypes[ty].sfx, strings.Join(least.s[:schedule.Registers(ty)], ", "))
}

// skipTests are, for every block size from the whole rest down, the test that no level within the block exceeds the least
// open threshold. Bounds come from buffer facts; NaN means do not skip.
func (r *renderer) skipTests(c *loop, t anyTerm, open *openMin, count *tally) []string {
	f := c.f
	type level struct{ table, block int }
	levels := []level{{-1, 0}}
	ir.WalkNodes([]*ir.Node{t.level}, func(n *ir.Node) {
		if n.Kind == ir.KLoad && n.Buf.Facts.Max != nil && len(levels) == 1 {
			for i, tab := range n.Buf.Facts.Max.Tables {
				levels = append(levels, level{i, tab.Block})
			}
		}
	})
	sc := newScope(f.IndexBind)
	saved := r.stack
	r.push(sc)
	defer func() { r.stack = saved }()
	any := false
	for _, l := range levels {
		next := f.Hi
		if l.block > 0 {
			next = r.b.Min(r.b.Add(f.Index, r.b.Int(f.Index.Type, int64(l.block))), f.Hi)
		}
		upper := r.blockBounder(f, next, l.table, l.block).Bound(t.level, ir.Hi)
		if upper == nil {
			continue
		}
		any = true
		u := r.val(upper, 0, origin)
		if l.block == 0 {
			r.emit(sc, "if (%s <= %s) { %s }", u.s[0], open.name, count.leave())
		} else {
			r.emit(sc, "if (%s <= %s) { %s }", u.s[0], open.name, count.skip(c.index(), r.val(next, 0, origin).s[0]))
		}
	}
	if !any {
		return nil
	}
	return sc.lines
}

// blockBounder bounds values over the patch, the vectors in flight, and the iterations from the fold's index to next, of which
// there are at most block (0: any number).
func (r *renderer) blockBounder(f *ir.Fold, next *ir.Node, table, block int) *ir.Bounder {
	over := f.IndexBind
	for a, n := range r.k.Axes {
		if r.step(a) > 1 {
			over = over.Or(n.Bind())
		}
	}
	b := r.b
	extent := func(n *ir.Node) int {
		switch {
		case n == f.Index:
			return block
		case n.Role == ir.RoleParallel:
			return r.step(r.axisNumber(n))
		}
		return 0
	}
	return &ir.Bounder{B: b, Over: over, NaNs: true, Extent: extent, Table: func(*ir.MaxPyramid) int { return table }, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		switch {
		case n.Kind != ir.KAxis:
			return nil
		case n == f.Index && s == ir.Lo:
			return n
		case n == f.Index:
			return b.Sub(next, b.Int(n.Type, 1))
		case n.Role == ir.RoleParallel && s == ir.Lo:
			return n
		case n.Role == ir.RoleParallel:
			return b.Add(n, b.I32(r.step(r.axisNumber(n))-1))
		}
		return nil
	}}
}

// lowest is below or equal to every value but NaN, highest above or equal.
func lowest(t ir.DType) string  { return extreme(t, -1) }
func highest(t ir.DType) string { return extreme(t, 1) }

func extreme(t ir.DType, sign int) string {
	n := &ir.Node{Type: t, F: math.Inf(sign), I: math.MaxInt64}
	if t == ir.I32 {
		n.I = math.MaxInt32
	}
	if sign < 0 {
		n.I = -n.I - 1
	}
	return literal(n)
}
