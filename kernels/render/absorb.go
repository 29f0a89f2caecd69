package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// comparison is threshold < level in the step of a fold, with a threshold that the fold does not change.
type comparison struct{ node, threshold, level *ir.Node }

// comparisons are those of a fold whose level has an upper bound over any number of iterations.
func (r *renderer) comparisons(f *ir.Fold) (out []comparison) {
	own := f.IndexBind.Or(f.AccBind)
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind != ir.KAlu || n.Op != ir.Lt || n.Args[0].Free().Meets(own) || !n.Args[1].Free().Meets(f.IndexBind) {
			return
		}
		if r.blockBounder(f, f.Hi, -1, 0).Bound(n.Args[1], ir.Hi) != nil {
			out = append(out, comparison{n, n.Args[0], n.Args[1]})
		}
	})
	return out
}

// absorbingFold renders a fold with an absorber: no lane needs a mask, the loop is left when all lanes have theirs, and blocks
// of iterations in which bounds prove the steps idle are left out. It gives up (false) on folds of another form.
func (r *renderer) absorbingFold(c *loop, depth int) bool {
	f := c.f
	q := schedule.Absorber(r.b, f)
	if q < 0 {
		return false
	}
	count := r.counting(c)
	var open []string
	var skips []string
	if all := r.comparisons(f); c.vec && r.s.Skip && len(all) > 0 {
		quiet := map[*ir.Node]*ir.Node{}
		for _, x := range all {
			quiet[x.node] = r.b.Const(ir.Bool, 0)
		}
		if schedule.Idle(r.b, f, quiet, -1) {
			open, skips = r.skipQuiet(c, all, q, depth, count)
		}
	}
	r.push(c.in)
	loads := r.exactLoads
	r.body(c, c.in)
	every := max(1, r.s.Every)
	if r.exactLoads != loads && r.masked(depth) {
		every = 1 // the lanes of an outer fold that are still active keep loads in range only while they iterate
	}
	tests := append(slices.Clone(open), r.doneTest(c, []anyTerm{{q: q}}, false, false, depth))
	i, t, e := c.index(), c.ctype(), r.fresh("e")
	r.emit(c.sc, "for (%s %s = %s; %s < %s;) {\n%s\nconst %s %s = s_min_%s(%s + %d, %s);%s\nfor (; %s < %s; %s++) {\n%s\n}\n%s\n}",
		t.c, i, c.lo, i, c.hi, strings.Join(skips, "\n"), t.c, e, t.sfx, i, every, c.hi, count.block(e), i, e, i, strings.Join(c.in.lines, "\n"), strings.Join(tests, "\n"))
	return true
}

// skipQuiet gives the tests that leave out blocks in which no comparison holds on a lane without its absorber, and what
// brings the least thresholds of those lanes up to date after every few iterations.
func (r *renderer) skipQuiet(c *loop, all []comparison, q, depth int, count *tally) (open, skips []string) {
	least := map[*ir.Node]string{}
	for _, x := range all {
		if least[x.threshold] == "" {
			name := r.fresh("n")
			least[x.threshold] = name
			text := r.leastOpen(c, x.threshold, q, depth)
			r.emit(c.sc, "%s %s = %s;", ctypes[x.threshold.Type].c, name, text)
			open = append(open, fmt.Sprintf("%s = %s;", name, text))
		}
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
		var quiet []string
		for _, x := range all {
			bounder := r.blockBounder(c.f, next, -1, block)
			bounder.Table = func(p *ir.MaxPyramid) int {
				return slices.IndexFunc(p.Tables, func(t ir.MaxTable) bool { return block > 0 && t.Block == block })
			}
			quiet = append(quiet, fmt.Sprintf("%s <= %s", r.val(bounder.Bound(x.level, ir.Hi), 0, origin).s[0], least[x.threshold]))
		}
		leave := count.leave()
		if block > 0 {
			leave = count.skip(c.index(), r.val(next, 0, origin).s[0])
		}
		r.emit(sc, "if (%s) { %s }", strings.Join(quiet, " && "), leave)
	}
	return open, sc.lines
}

// blocksOf are the block sizes that maximum tables are meant for, largest first after 0, which stands for all the rest.
func blocksOf(all []comparison) []int {
	blocks := []int{0}
	for _, x := range all {
		ir.WalkNodes([]*ir.Node{x.level}, func(n *ir.Node) {
			if n.Kind != ir.KLoad || n.Buf.Facts.Max == nil {
				return
			}
			for _, t := range n.Buf.Facts.Max.Tables {
				if !slices.Contains(blocks, t.Block) {
					blocks = append(blocks, t.Block)
				}
			}
		})
	}
	slices.SortFunc(blocks[1:], func(a, b int) int { return b - a })
	return blocks
}

// leastOpen is the least threshold among the active lanes without their absorber; those whose threshold is NaN never pass one.
func (r *renderer) leastOpen(c *loop, threshold *ir.Node, q, depth int) string {
	t := threshold.Type
	var least value
	for i, v := range c.copies {
		b := r.val(threshold, v, patch)
		waits := r.op(ir.And, ir.Bool, paren(compare(ir.Eq, b, b, true)), paren(r.op(ir.Not, ir.Bool, r.accName(c.f.Accs[q], v))))
		if on, ok := r.active(depth, r.vary.Of(c.f.Node), v); ok {
			waits = r.op(ir.And, ir.Bool, paren(waits), on)
		}
		x := choose(paren(waits), b, scalar(t, highest(t)))
		if i == 0 {
			least = x
		} else {
			least = r.op(ir.Min, t, least, x)
		}
	}
	return fmt.Sprintf("v_hmin_%s(%s)", ctypes[t].sfx, strings.Join(least.s[:schedule.Registers(t)], ", "))
}
