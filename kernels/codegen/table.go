package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// block is a fold run in blocks of iterations: a loop over each block fills tables, with consecutive iterations as lanes,
// and tests windows; the fold's own loop over the block then reads them.
type block struct {
	size   int
	start  string // name of the block's first iteration
	outer  *scope // before the fill loop
	fill   *scope
	tables map[key]*Expr // by what they hold
	guards []guardTest   // of the body
	nearer []guardTest   // of the copy with half as wide windows
}

// guardTest is a lane-uniform condition under which the block must gather.
type guardTest struct {
	bad *ir.Node
	v   int
}

// guard adds a test to those of the body that is written.
func (g *gen) guard(b *block, t guardTest) {
	list := &b.guards
	if g.nearer {
		list = &b.nearer
	}
	if !slices.Contains(*list, t) {
		*list = append(*list, t)
	}
}

// tabulates reports whether a lane-uniform value that changes with the iteration alone is worth a table: a slow one, and where a window begins, which
// the proof of the window computes for all iterations at once.
func (g *gen) tabulates(n *ir.Node, m layout, sc *scope) bool {
	if m != byLane || sc.block == nil || sc != g.top() || g.gathering || g.laned(n) || n.Type == ir.Bool {
		return false
	}
	return !n.Free().Meets(sc.fold.AccBind) && (g.slow.Is(n) || g.windows.bases[n])
}

// inFill runs f with the fill loop of the fold at the top of the stack as the place to add to.
func (g *gen) inFill(sc *scope, f func()) {
	saved, iter := g.stack, g.iter
	g.stack = append(slices.Clone(g.stack[:len(g.stack)-1]), sc.block.fill)
	g.iter = sc.fold
	f()
	g.stack, g.iter = saved, iter
}

// tabulate computes n for a block of iterations and returns the element of the table at the current one.
func (g *gen) tabulate(n *ir.Node, v int, sc *scope) Value {
	b, t := sc.block, Spelled[n.Type]
	at := Name(AxisName(sc.fold.Index) + "_in")
	k := key{n, v, byLane}
	if name := b.tables[k]; name != nil {
		return g.name(sc, Scalar(n.Type, At(name, at)))
	}
	g.notes.tables++
	name := Name(g.fresh("t"))
	b.tables[k] = name
	b.outer.add(Array{Type: t.Scalar, Name: name.Text, N: Int(b.size), Aligned: true})
	g.inFill(sc, func() {
		for h, e := range g.val(n, v, byIteration).AsVec().List() {
			b.fill.add(Set{To: Deref(t.Vector+"_u", Bin("+", Bin("+", name, at), Int(h*g.W/schedule.Registers(n.Type)))), Value: e})
		}
	})
	return g.name(sc, Scalar(n.Type, At(name, at)))
}

// blockedLoop writes a fold in blocks of iterations with tables and windows, or plainly if it has use for neither.
func (g *gen) blockedLoop(c *loop) {
	b := &block{size: max(g.Schedule.Table, g.Schedule.AccBlock), start: g.fresh("s"), tables: map[key]*Expr{}, outer: newScope(ir.Set{}), fill: newScope(c.f.IndexBind)}
	if g.Schedule.Table > 0 {
		c.in.block = b
	}
	if g.Schedule.AccBlock > 0 {
		g.narrowSums(c, b)
	}
	g.within(func() {
		g.turn(c, c.in)
		if len(b.tables) == 0 && len(b.guards) == 0 && len(c.narrow) == 0 {
			c.sc.add(c.loop(c.lo, c.hi, 1, c.in.body))
			return
		}
		end := Name(g.fresh("e"))
		main := c.blockLoop(b, end, 1, c.in.body)
		var choose Stmt = main
		var flags []*Expr
		var tests [][]guardTest
		if len(b.guards) > 0 {
			far := Name(g.fresh("w"))
			flags, tests = append(flags, far), append(tests, b.guards)
			if g.Schedule.Window > leastWindow { // how far apart elements lie shows when they do
				near := Name(g.fresh("w"))
				body := g.bodyCopy(c, b, &g.nearer)
				flags, tests = append(flags, near), append(tests, b.nearer)
				choose = If{Cond: Call("v_any", near), Then: []Stmt{choose}, Else: []Stmt{c.blockLoop(b, end, 1, body)}}
			}
			gathers := c.loop(Name(b.start), end, 1, g.bodyCopy(c, nil, &g.gathering))
			choose = If{Cond: Call("v_any", far), Rare: true, Then: []Stmt{gathers}, Else: []Stmt{choose}}
		}
		t := c.ctype()
		last := Bin("-", end, Int(1))
		out := append(b.outer.body, Let(t.Scalar, end.Text, c.call("s_min", Bin("+", Name(b.start), Int(b.size)), c.hi)), Let(t.Scalar, c.index().Text+"_last", last))
		for i, flag := range flags {
			out = append(out, Var("vi", flag.Text, Numbers("vi")))
			g.spanTests(c, flag, end, tests[i])
		}
		if len(b.fill.body) > 0 {
			out = append(out, c.blockLoop(b, end, g.W, b.fill.body))
		}
		out = append(append(out, choose), g.widenSums(c)...)
		c.sc.add(Count(t.Scalar, b.start, c.lo, c.hi, b.size, out...))
	}, c.in)
}

// blockLoop is a loop over a block, with a second variable that counts its iterations.
func (c *loop) blockLoop(b *block, end *Expr, step int, body []Stmt) Loop {
	l := c.loop(Name(b.start), end, step, body)
	in := c.index().Text + "_in"
	l.Vars = append(l.Vars, To(in, Int(0)))
	l.Next = append(l.Next, Set{To: Name(in), Op: "+", Value: Int(step)})
	return l
}

// bodyCopy is the body again, written while a mark is set, with or without the block's tables.
func (g *gen) bodyCopy(c *loop, b *block, mark *bool) []Stmt {
	in := newScope(c.in.binds)
	in.fold, in.block = c.f, b
	saved := g.stack
	g.stack = append(slices.Clone(g.stack[:len(g.stack)-1]), in)
	*mark = true
	g.turn(c, in)
	*mark = false
	g.stack = saved
	return in.body
}

// spanTests adds the proofs of a block's windows to its fill loop.
func (g *gen) spanTests(c *loop, flag, end *Expr, tests []guardTest) {
	b := c.in.block
	for _, t := range tests {
		g.inFill(c.in, func() {
			bad := g.val(t.bad, t.v, byIteration).AsVec()
			b.fill.add(Set{To: flag, Op: "|", Value: Bin("&", bad.Regs[0], g.lanesBefore(end, c.index()))})
		})
	}
}

// Float64 sums of float32 terms may be kept in float32 within a block of iterations and widened once a block: as fast as
// a float32 sum, with the error of a block's few additions only.

// narrowSums finds the accumulators to keep so and declares their float32 shares.
func (g *gen) narrowSums(c *loop, b *block) {
	bounds := g.vary.Of(c.f.Lo).Or(g.vary.Of(c.f.Hi))
	ragged := slices.ContainsFunc(g.Axes, func(a *ir.Node) bool { return bounds.Meets(a.Bind()) })
	if g.Kernel.Termwise || ragged && !schedule.Sole(g.Kernel, c.f) {
		return
	}
	c.narrow = map[int][]schedule.Signed{}
	for q := range c.f.Accs {
		terms, ok := schedule.NarrowSum(c.f, q)
		if !ok {
			continue
		}
		c.narrow[q] = terms
		for _, v := range c.copies {
			b.outer.declare(g.narrowName(c, q, v), MinusZero(ir.F32))
		}
	}
}

func (g *gen) narrowName(c *loop, q, v int) Value {
	return Variable(ir.F32, c.vec, g.accBase("n", c, q, v))
}

func (g *gen) narrowStep(c *loop, q, v int, terms []schedule.Signed) []Stmt {
	n := g.narrowName(c, q, v)
	return Assign(n, g.sumOf(c.f.Accs[q], n, terms, v, byLane))
}

// sumOf is an accumulator, or a part of it, with the terms of a turn.
func (g *gen) sumOf(acc *ir.Node, x Value, terms []schedule.Signed, v int, m layout) Value {
	if g.Kernel.Contract {
		terms = form.Products(terms)
	}
	for _, t := range terms {
		if g.fused.Joins(t.N, acc) {
			x = MulAdd(t.Op(), 1, g.val(t.N.Args[0], v, m), g.val(t.N.Args[1], v, m), x)
			continue
		}
		x = Op(t.Op(), x.Type, x, g.val(t.N, v, m))
	}
	return x
}

// widenSums adds the shares to the accumulators, at the end of a block.
func (g *gen) widenSums(c *loop) (out []Stmt) {
	for q, a := range c.f.Accs {
		if _, ok := c.narrow[q]; !ok {
			continue
		}
		for _, v := range c.copies {
			acc := g.accName(a, v)
			out = append(out, Assign(acc, Op(ir.Add, ir.F64, acc, Op(ir.Cast, ir.F64, g.narrowName(c, q, v))))...)
		}
	}
	return out
}
