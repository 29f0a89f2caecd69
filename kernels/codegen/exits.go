package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/exits"
)

// leaving is how a fold ends early.
type leaving struct {
	c       *loop
	depth   int
	ending  []int             // accumulators that, together, end it: once they have their last value nothing changes any more
	running []form.Comparison // by ending accumulator, of an Any fold on lanes: the running maximum of its level stands for it
	near    bool              // these are in float32, and may leave doubts
	votes   bool              // all threads of a warp leave together, and so stay side by side
}

// open is a threshold, and the name of the least that it is on lanes without an answer.
type open struct {
	threshold *ir.Node
	name      *Expr
}

// leavingFold writes a fold that may be left when every lane has its answer, tested every few iterations: any, all, or one with an
// absorber. No lane needs a mask. Blocks of iterations in which bounds prove that nothing changes are left out. It gives up (false)
// on folds of another form.
func (g *gen) leavingFold(c *loop, depth int) bool {
	x := &leaving{c: c, depth: depth, ending: g.ending(c.f)}
	if len(x.ending) == 0 {
		return false
	}
	if x.votes = g.team.vote && g.stayTogether(c.f, depth); x.votes {
		g.team.used, g.team.voted[c.f] = true, true
	}
	count := g.counting(c)
	if c.vec {
		x.running = form.Running(c.f)
	}
	exact := x.running
	if near := g.nearly(exact); near != nil {
		x.running, x.near = near, true
	}
	g.leave(x, count)
	if x.near {
		g.settle(x, exact)
	}
	return true
}

// leave writes the loop, and what its accumulators are after it, but for those that are in doubt.
func (g *gen) leave(x *leaving, count *tally.Tally) {
	c := x.c
	for i, t := range x.running {
		if x.near {
			c.sc.Declare(g.farthest(x, i), Number(ir.F32, 0))
		}
		for _, v := range c.copies {
			c.sc.Declare(g.levelName(x, i, v), Lowest(t.Level.Type))
		}
	}
	var least []open
	var skips, after []Stmt
	if g.Schedule.Skip && (x.running == nil || len(x.running) == 1) {
		least, skips = g.cull(x, count)
	}
	for _, o := range least {
		after = append(after, To(o.name.Text, g.leastOpen(x, o.threshold)))
	}
	loads := g.ExactLoads
	g.Within(func() {
		if x.running == nil {
			g.body(c, c.in)
			return
		}
		var last []Stmt
		for i, t := range x.running {
			if x.near {
				far := g.farthest(x, i)
				last = append(last, Assign(far, Op(ir.Max, ir.F32, Op(ir.Abs, ir.F32, g.Val(t.Term, 0, values.ByLane)), far))...)
			}
		}
		for _, v := range c.copies {
			for i, t := range x.running {
				level := g.levelName(x, i, v)
				last = append(last, Assign(level, Op(ir.Max, level.Type, g.Val(t.Level, v, values.ByLane), level))...)
			}
		}
		c.in.Add(last...)
	}, c.in)
	every := max(1, g.Schedule.Every)
	if g.ExactLoads != loads && g.Masked(x.depth) {
		every = 1 // the lanes of an outer fold that are still active keep loads in range only while they iterate
	}
	done := g.allEnded(x)
	if x.running != nil && len(least) == 1 {
		done = Bin("==", least[0].name, Highest(least[0].threshold.Type).Regs[0])
	}
	g.chunks(c, every, count, skips, c.in.Body, g.wholeChunk(x, every), append(after, If{Cond: done, Then: []Stmt{Leave{}}}))
	if x.near {
		return
	}
	for i, t := range x.running {
		for _, v := range c.copies {
			a := g.AccName(c.f.Accs[x.ending[i]], v)
			c.sc.Add(Assign(a, Or(a, Compare(ir.Lt, g.Val(t.Threshold, v, values.ByLane), g.levelName(x, i, v), true)))...)
		}
	}
}

// wholeChunk are the turns between two tests, one behind the other, where a thread of a GPU leaves out blocks of them; nil: the loop makes them one by one.
func (g *gen) wholeChunk(x *leaving, every int) []Stmt {
	if g.Target.ISA != "cuda" || !g.Schedule.Skip || every != g.Schedule.Every || every%4 > 0 || every > longestRow {
		return nil
	}
	for _, block := range form.Blocks(g.comparisons(x.c)) {
		if block%every != 0 {
			return nil // the turns would not begin where they are known to
		}
	}
	return g.rowOfTurns(x.c, every)
}

// longestRow is how many turns are written one behind the other at most.
const longestRow = 8

// ending are the accumulators that, together, end a fold.
func (g *gen) ending(f *ir.Fold) (list []int) {
	if g.Kernel.Writes(f) {
		return nil
	}
	if f.Monoid != ir.Any && f.Monoid != ir.All {
		if q := exits.Absorber(g.B, f); q >= 0 {
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

func (g *gen) levelName(x *leaving, i, v int) Value {
	prefix := "l"
	if x.near {
		prefix = "h"
	}
	return Named(x.running[i].Level.Type, g.accBase(prefix, x.c, x.ending[i], v))
}

// answered is whether an accumulator that ends the fold has its last value.
func (g *gen) answered(x *leaving, q, v int) Value {
	a := g.AccName(x.c.f.Accs[q], v)
	if x.c.f.Monoid == ir.All {
		a = Not(a)
	}
	return a
}

// ended is whether vector v has its answer, or is not wanted.
func (g *gen) ended(x *leaving, v int) Value {
	var out Value
	for i, q := range x.ending {
		a := g.answered(x, q, v)
		if x.running != nil { // of any
			a = Or(a, Compare(ir.Lt, g.Val(x.running[i].Threshold, v, values.ByLane), g.levelName(x, i, v), true))
		}
		if i > 0 {
			a = And(out, a)
		}
		out = a
	}
	if on, ok := g.Active(x.depth, g.Vary.Of(x.c.f.Node), v); ok {
		out = Or(out, Not(on))
	}
	if x.c.vec {
		out = out.AsVec()
	}
	return out
}

// allEnded is whether no active lane can change any more.
func (g *gen) allEnded(x *leaving) *Expr {
	var list []*Expr
	for _, v := range x.c.copies {
		list = append(list, g.ended(x, v).Regs[0])
	}
	return x.everywhere(All("&", list...))
}

// everywhere is whether a condition holds on all lanes, or threads that leave together.
func (x *leaving) everywhere(cond *Expr) *Expr {
	switch {
	case x.c.vec:
		return Call("v_all", cond)
	case x.votes:
		return Call("s_warp_all_b", cond)
	}
	return cond
}

// stayTogether reports whether all threads of a warp arrive at a fold, with the same bounds: no enclosing fold lets them go
// separate ways.
func (g *gen) stayTogether(f *ir.Fold, depth int) bool {
	uniform := func(h *ir.Fold) bool { return !g.Vary.Of(h.Lo).Or(g.Vary.Of(h.Hi)).Meets(g.team.axes) }
	for _, sc := range g.Stack[:depth+1] {
		h := sc.Fold
		if h == nil {
			continue
		}
		leaves := h.Monoid == ir.Any || h.Monoid == ir.All || exits.Absorber(g.B, h) >= 0
		if h.While != nil || !uniform(h) || leaves && !g.team.voted[h] {
			return false
		}
	}
	return uniform(f)
}

// cull gives the tests that, for every block size from the whole rest down, leave out a block of iterations in which no comparison can
// hold where there is no answer yet: where no level within the block exceeds the threshold. Bounds come from buffer facts; NaN in one
// means do not skip. On lanes, the tests look at the least thresholds still open, which are to be kept up to date under these names.
func (g *gen) cull(x *leaving, count *tally.Tally) (least []open, skips []Stmt) {
	f := x.c.f
	all := g.comparisons(x.c)
	quiet := map[*ir.Node]*ir.Node{}
	for _, y := range all {
		quiet[y.Node] = g.B.False()
	}
	if len(all) == 0 || !exits.Idle(g.B, f, quiet, -1) {
		return nil, nil
	}
	leastOf := func(threshold *ir.Node) *Expr {
		i := slices.IndexFunc(least, func(o open) bool { return o.threshold == threshold })
		if i < 0 {
			i = len(least)
			least = append(least, open{threshold, Name(g.Fresh("n"))})
			x.c.sc.Add(Var(Spelled[threshold.Type].Scalar, least[i].name.Text, g.leastOpen(x, threshold)))
		}
		return least[i].name
	}
	sc := values.NewScope(f.IndexBind)
	g.Within(func() {
		for _, block := range form.Blocks(all) {
			next := f.Hi
			if block > 0 {
				next = g.B.Min(g.B.Add(f.Index, g.B.Int(f.Index.Type, int64(block))), f.Hi)
			}
			q := g.blockBounder(x.c, next, block)
			var tests []*Expr
			if x.c.vec {
				for _, y := range all {
					name := leastOf(x.threshold(y))
					tests = append(tests, Bin("<=", g.Val(q.Bound(y.Level, ir.Hi), 0, values.Origin).Regs[0], name))
				}
			}
			for _, v := range x.c.copies {
				if !x.c.vec {
					tests = append(tests, g.idle(x, q, all, v))
				}
			}
			leave := append(count.Idle(x.c.hi), Leave{})
			if block > 0 {
				to := g.Val(next, 0, values.Origin).Regs[0]
				leave = append(count.Idle(to), To(x.c.index().Text, to), Continue{})
			}
			cond := All("&&", tests...)
			if !x.c.vec {
				cond = x.everywhere(All("&", tests...))
			}
			sc.Add(If{Cond: cond, Then: leave})
		}
	}, sc)
	return least, sc.Body
}

// threshold is that of a comparison as it is kept.
func (x *leaving) threshold(y form.Comparison) *ir.Node {
	for _, t := range x.running {
		if t.Node == y.Node {
			return t.Threshold
		}
	}
	return y.Threshold
}

// idle is whether output v of a thread has its answer, or no comparison can hold.
func (g *gen) idle(x *leaving, q *ir.Bounder, all []form.Comparison, v int) *Expr {
	var idles []*Expr
	for _, y := range all {
		upper, low := g.Val(q.Bound(y.Level, ir.Hi), v, values.ByLane).Regs[0], g.Val(y.Threshold, v, values.ByLane).Regs[0]
		idles = append(idles, Bin("|", Bin("<=", upper, low), Bin("!=", low, low)))
	}
	return Bin("|", g.ended(x, v).Regs[0], All("&", idles...))
}

// comparisons are those of a fold whose level has an upper bound over any number of iterations.
func (g *gen) comparisons(c *loop) (out []form.Comparison) {
	q := g.blockBounder(c, c.f.Hi, 0)
	ir.WalkNodes(c.f.Step, func(n *ir.Node) {
		if n.Kind != ir.KAlu || n.Op != ir.Lt || n.Args[0].Free().Meets(c.f.Binders()) || !n.Args[1].Free().Meets(c.f.IndexBind) {
			return
		}
		if q.Bound(n.Args[1], ir.Hi) != nil {
			out = append(out, form.Comparison{Node: n, Threshold: n.Args[0], Level: n.Args[1]})
		}
	})
	return out
}

// leastOpen is the least threshold among the active lanes without an answer: where nothing ahead exceeds it, nothing can change. Those
// whose threshold is NaN never pass one.
func (g *gen) leastOpen(x *leaving, threshold *ir.Node) *Expr {
	t := threshold.Type
	var least Value
	for i, v := range x.c.copies {
		b := g.Val(threshold, v, values.ByLane)
		waits := Compare(ir.Eq, b, b, true)
		if x.running != nil {
			waits = Compare(ir.Le, g.levelName(x, 0, v), b, true)
		}
		var ended Value
		for i, q := range x.ending {
			if has := g.answered(x, q, v); i == 0 {
				ended = has
			} else {
				ended = And(ended, has)
			}
		}
		waits = And(waits, Not(ended))
		if on, ok := g.Active(x.depth, g.Vary.Of(x.c.f.Node), v); ok {
			waits = And(waits, on)
		}
		here := Select(waits, b, Highest(t))
		if i > 0 {
			here = Op(ir.Min, t, least, here)
		}
		least = here
	}
	return Call(Fn("v_hmin", t), least.List()...)
}

// blockBounder bounds values over the lanes and vectors in flight, or for one thread's own output, and the iterations from the fold's
// index to next, of which there are at most block (0: any number).
func (g *gen) blockBounder(c *loop, next *ir.Node, block int) *ir.Bounder {
	f, b, over := c.f, g.B, c.f.IndexBind
	if c.vec {
		for _, axis := range g.Axes {
			if g.Step(axis) > 1 {
				over = over.Or(axis.Bind())
			}
		}
	}
	table := func(p *ir.MaxPyramid) int {
		return slices.IndexFunc(p.Tables, func(t ir.MaxTable) bool { return block > 0 && t.Block == block })
	}
	extent := func(n *ir.Node) int {
		switch {
		case n == f.Index:
			return block
		case n.Role == ir.RoleParallel:
			return g.Step(n)
		}
		return 0
	}
	return &ir.Bounder{B: b, Over: over, NaNs: true, Extent: extent, Table: table, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		switch {
		case n.Kind != ir.KAxis || n != f.Index && n.Role != ir.RoleParallel:
			return nil
		case s == ir.Lo:
			return n
		case n == f.Index:
			return b.Sub(next, b.Int(n.Type, 1))
		}
		return b.Add(n, b.I32(g.Step(n)-1))
	}}
}
