package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// leavingFold renders a fold that may end early (any, all, or one with an absorber) under a schedule that culls or votes:
// before every few iterations, blocks of them in which bounds prove that nothing changes are left out. A thread decides
// for itself, from the bounds over its own points; or all threads of a warp together, which then stay side by side. It gives
// up (false) on folds of another form.
func (r *renderer) leavingFold(c *loop, depth int) bool {
	f, t := c.f, r.threads
	if !t.s.Skip && !t.s.Vote || f.While != nil || c.masked {
		return false
	}
	ending := r.ending(f)
	if len(ending) == 0 {
		return false
	}
	votes := t.s.Vote && r.together(f, depth)
	if votes {
		t.used = true
		t.voted[f] = true
	}
	var skips []string
	if t.s.Skip {
		skips = r.threadSkips(c, ending, depth, votes)
	}
	r.push(c.in)
	loads := r.exactLoads
	r.body(c, c.in)
	every := max(1, r.s.Every)
	if r.exactLoads != loads && r.masked(depth) {
		every = 1 // what an outer fold still has active keeps loads in range only while it iterates
	}
	var done []string
	for _, v := range c.copies {
		done = append(done, r.endedText(c, ending, v, depth))
	}
	i, ty, e := c.index(), c.ctype(), r.fresh("e")
	r.emit(c.sc, "for (%s %s = %s; %s < %s;) {\n%s\nconst %s %s = s_min_%s(%s + %d, %s);\nfor (; %s < %s; %s++) {\n%s\n}\nif (%s) break;\n}",
		ty.c, i, c.lo, i, c.hi, strings.Join(skips, "\n"), ty.c, e, ty.sfx, i, every, c.hi, i, e, i, strings.Join(c.in.lines, "\n"), ballot(votes, done))
	return true
}

// ballot is the condition that all tests hold, in the thread or in its warp.
func ballot(votes bool, tests []string) string {
	text := strings.Join(tests, " & ")
	if votes {
		return fmt.Sprintf("s_warp_all_b(%s)", text)
	}
	return text
}

// ending are the accumulators that, together, end a fold: once they have their last value nothing changes any more.
func (r *renderer) ending(f *ir.Fold) (list []int) {
	if f.Monoid != ir.Any && f.Monoid != ir.All {
		if q := schedule.Absorber(r.b, f); q >= 0 {
			list = append(list, q)
		}
		return list
	}
	for q, s := range f.Step {
		if _, _, ok := schedule.Joined(f, s, f.Accs[q], schedule.JoinOps[f.Monoid]); !ok {
			return nil
		}
		list = append(list, q)
	}
	return list
}

// endedText is the C condition that output v has its answer, or is not wanted.
func (r *renderer) endedText(c *loop, ending []int, v, depth int) string {
	var conds []string
	for _, q := range ending {
		x := r.accName(c.f.Accs[q], v)
		if c.f.Monoid == ir.All {
			x = paren(r.op(ir.Not, ir.Bool, x))
		}
		conds = append(conds, x.s[0])
	}
	text := "(" + strings.Join(conds, " & ") + ")"
	if on, ok := r.active(depth, r.vary.Of(c.f.Node), v); ok {
		text = fmt.Sprintf("(%s | !(%s))", text, on.s[0])
	}
	return text
}

// together reports a fold at which all threads of a warp arrive, with the same bounds: no enclosing fold lets them go
// separate ways.
func (r *renderer) together(f *ir.Fold, depth int) bool {
	uniform := func(g *ir.Fold) bool { return !r.vary.Of(g.Lo).Or(r.vary.Of(g.Hi)).Meets(r.threads.axes) }
	if !uniform(f) {
		return false
	}
	for _, sc := range r.stack[:depth+1] {
		g := sc.fold
		if g == nil {
			continue
		}
		leaves := g.Monoid == ir.Any || g.Monoid == ir.All || schedule.Absorber(r.b, g) >= 0
		if g.While != nil || !uniform(g) || leaves && !r.threads.voted[g] {
			return false
		}
	}
	return true
}

// threadSkips are, for every block size from the whole rest down, the test that leaves out a block of iterations in which
// no comparison of the fold can hold. Bounds come from buffer facts; NaN in one means do not skip.
func (r *renderer) threadSkips(c *loop, ending []int, depth int, votes bool) []string {
	all := r.threadComparisons(c.f)
	quiet := map[*ir.Node]*ir.Node{}
	for _, x := range all {
		quiet[x.node] = r.b.False()
	}
	if len(all) == 0 || !schedule.Idle(r.b, c.f, quiet, -1) {
		return nil
	}
	sc := newScope(c.f.IndexBind)
	saved := r.stack
	r.push(sc)
	defer func() { r.stack = saved }()
	for _, block := range blocksOf(all) {
		next := c.f.Hi
		if block > 0 {
			next = r.b.Min(r.b.Add(c.f.Index, r.b.Int(c.f.Index.Type, int64(block))), c.f.Hi)
		}
		var tests []string
		for _, v := range c.copies {
			var idles []string
			for _, x := range all {
				upper := r.val(r.iterationBounder(c.f, next, block).Bound(x.level, ir.Hi), v, patch).s[0]
				low := r.val(x.threshold, v, patch).s[0]
				idles = append(idles, fmt.Sprintf("(%s <= %s | %s != %s)", upper, low, low, low))
			}
			tests = append(tests, fmt.Sprintf("(%s | %s)", r.endedText(c, ending, v, depth), strings.Join(idles, " & ")))
		}
		leave := "break;"
		if block > 0 {
			leave = fmt.Sprintf("{ %s = %s; continue; }", c.index(), r.val(next, 0, patch).s[0])
		}
		r.emit(sc, "if (%s) %s", ballot(votes, tests), leave)
	}
	return sc.lines
}

// threadComparisons are the comparisons threshold < level of a fold whose level has an upper bound over iterations.
func (r *renderer) threadComparisons(f *ir.Fold) (out []comparison) {
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind != ir.KAlu || n.Op != ir.Lt || n.Args[0].Free().Meets(schedule.Binders(f)) || !n.Args[1].Free().Meets(f.IndexBind) || !n.Args[1].Type.Float() {
			return
		}
		if r.iterationBounder(f, f.Hi, 0).Bound(n.Args[1], ir.Hi) != nil {
			out = append(out, comparison{n, n.Args[0], n.Args[1]})
		}
	})
	return out
}

// iterationBounder bounds values of one output over the iterations from the fold's index to next, of which there are at
// most block (0: any number).
func (r *renderer) iterationBounder(f *ir.Fold, next *ir.Node, block int) *ir.Bounder {
	return &ir.Bounder{
		B: r.b, Over: f.IndexBind, NaNs: true,
		Table: func(p *ir.MaxPyramid) int {
			return slices.IndexFunc(p.Tables, func(t ir.MaxTable) bool { return block > 0 && t.Block == block })
		},
		Extent: func(n *ir.Node) int {
			if n == f.Index {
				return block
			}
			return 0
		},
		Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
			switch {
			case n != f.Index:
				return nil
			case s == ir.Lo:
				return n
			}
			return r.b.Sub(next, r.b.Int(n.Type, 1))
		},
	}
}
