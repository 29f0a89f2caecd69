package codegen

import (
	"slices"
	"strings"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
)

// blockedLoop writes a fold in blocks of iterations with tables and windows, or plainly if it has use for neither.
func (g *gen) blockedLoop(c *loop) {
	b := values.NewBlocked(c.f, max(g.Schedule.Table, g.Schedule.AccBlock), g.Fresh("s"))
	if g.Schedule.Table > 0 {
		c.in.Block = b
	}
	if g.Schedule.AccBlock > 0 {
		g.narrowSums(c, b)
	}
	g.Within(func() {
		g.turn(c, c.in)
		if len(b.Tables) == 0 && len(b.Guards) == 0 && len(c.narrow) == 0 {
			c.sc.Add(c.loop(c.lo, c.hi, 1, c.in.Body))
			return
		}
		end := Name(g.Fresh("e"))
		one := c.blockLoop(b, end, 1, c.in.Body)
		var choose Stmt = one
		if g.shares(c) > 1 && len(b.Tables) == 0 && len(b.Guards) == 0 {
			choose = g.inTwos(c, one)
		}
		if some := g.groupsOf(c, b); some != nil {
			choose = g.inGroups(c, c.blockLoop(b, end, 1, c.in.Body), some)
		}
		var flags []*Expr
		var tests [][]values.GuardTest
		if len(b.Guards) > 0 {
			far := Name(g.Fresh("w"))
			flags, tests = append(flags, far), append(tests, b.Guards)
			if g.Schedule.Window > values.LeastWindow { // how far apart elements lie shows when they do
				near := Name(g.Fresh("w"))
				body := g.bodyCopy(c, b, &g.Nearer)
				flags, tests = append(flags, near), append(tests, b.Nearer)
				choose = If{Cond: Call("v_any", near), Then: []Stmt{choose}, Else: []Stmt{c.blockLoop(b, end, 1, body)}}
			}
			gathers := c.loop(Name(b.Start), end, 1, g.bodyCopy(c, nil, &g.Gathering))
			choose = If{Cond: Call("v_any", far), Rare: true, Then: []Stmt{gathers}, Else: []Stmt{choose}}
		}
		t := c.ctype()
		last := Bin("-", end, Int(1))
		out := append(b.Outer.Body, Let(t.Scalar, end.Text, c.call("s_min", Bin("+", Name(b.Start), Int(b.Size)), c.hi)), Let(t.Scalar, c.index().Text+"_last", last))
		for i, flag := range flags {
			out = append(out, Var("vi", flag.Text, Numbers("vi")))
			g.spanTests(c, flag, end, tests[i])
		}
		if len(b.Fill.Body) > 0 {
			out = append(out, c.blockLoop(b, end, g.W, b.Fill.Body))
		}
		out = append(append(out, choose), g.widenSums(c)...)
		c.sc.Add(Count(t.Scalar, b.Start, c.lo, c.hi, b.Size, out...))
	}, c.in)
}

// groupsOf are the turns of a block that are made together, where blocks begin at multiples of their number.
func (g *gen) groupsOf(c *loop, b *values.Blocked) []Stmt {
	if b.Size%turnsAtOnce(c.f) != 0 || len(b.Tables) > 0 || len(b.Guards) > 0 {
		return nil
	}
	stack := g.Stack
	defer func() { g.Stack = stack }()
	g.Stack = g.Stack[: len(g.Stack)-1 : len(g.Stack)-1] // without the scope of single turns
	return g.turnsInRow(c)
}

// blockLoop is a loop over a block, with a second variable that counts its iterations.
func (c *loop) blockLoop(b *values.Blocked, end *Expr, step int, body []Stmt) Loop {
	l := c.loop(Name(b.Start), end, step, body)
	in := c.index().Text + "_in"
	l.Vars = append(l.Vars, To(in, Int(0)))
	l.Next = append(l.Next, Set{To: Name(in), Op: "+", Value: Int(step)})
	return l
}

// inTwos makes the turns of a block two at a time, each of which adds to sums of its own, and one that is left over.
func (g *gen) inTwos(c *loop, one Loop) Stmt {
	c.flying = 1
	other := g.bodyCopy(c, nil, new(bool))
	c.flying = 0
	two, rest := one, one
	two.Vars, rest.Vars = nil, nil
	two.While = Bin("<", Bin("+", c.index(), Int(1)), one.While.Operand(1))
	two.Body = []Stmt{Block(one.Body)}
	var out Block
	for i, next := range one.Next {
		two.Body = append(two.Body, next)
		out = append(out, Var(one.Type, one.Vars[i].To.Text, one.Vars[i].Value))
	}
	two.Body = append(two.Body, Block(other))
	return append(out, two, rest)
}

// bodyCopy is the body again, written while a mark is set, with or without the block's tables.
func (g *gen) bodyCopy(c *loop, b *values.Blocked, mark *bool) []Stmt {
	in := values.NewScope(c.in.Binds)
	in.Fold, in.Block = c.f, b
	saved := g.Stack
	g.Stack = append(slices.Clone(g.Stack[:len(g.Stack)-1]), in)
	*mark = true
	g.turn(c, in)
	*mark = false
	g.Stack = saved
	return in.Body
}

// spanTests adds the proofs of a block's windows to its fill loop.
func (g *gen) spanTests(c *loop, flag, end *Expr, tests []values.GuardTest) {
	b := c.in.Block
	for _, t := range tests {
		g.InFill(c.in, func() {
			bad := g.Val(t.Bad, t.V, values.ByIteration).AsVec()
			b.Fill.Add(Set{To: flag, Op: "|", Value: Bin("&", bad.Regs[0], g.LanesBefore(end, c.index()))})
		})
	}
}

// Sums of float32 terms may be kept in float32 within a block of iterations and added to those before once a block: in float64 as fast as
// a float32 sum, with the error of a block's few additions only, and in float32 with that and the error of as many additions as there are blocks.

// narrowSums finds the accumulators to keep so and declares their float32 shares.
func (g *gen) narrowSums(c *loop, b *values.Blocked) {
	bounds := g.Vary.Of(c.f.Lo).Or(g.Vary.Of(c.f.Hi))
	ragged := slices.ContainsFunc(g.Axes, func(a *ir.Node) bool { return bounds.Meets(a.Bind()) })
	if g.Kernel.Termwise || ragged && c.both == nil && !schedule.Sole(g.Kernel, c.f) {
		return
	}
	c.narrow = map[int][]schedule.Signed{}
	for q := range c.f.Accs {
		terms, ok := schedule.NarrowSum(c.f, q)
		if !ok {
			continue
		}
		c.narrow[q] = terms
		for c.flying = range g.shares(c) {
			for _, v := range c.copies {
				b.Outer.Declare(g.narrowName(c, q, v), MinusZero(ir.F32))
			}
		}
		c.flying = 0
	}
}

// shares are how many float32 sums there are of each accumulator: two where only what is loaded tells how many turns there are, which no schedule can put vectors
// in flight for. An addition takes 4 cycles: products of a sparse matrix with 16 columns took 1.3 to 1.5 with one.
func (g *gen) shares(c *loop) int {
	if g.Target.ISA != "cuda" && c.both == nil && count.Loaded(c.f) {
		return 2
	}
	return 1
}

func (g *gen) narrowName(c *loop, q, v int) Value {
	return Variable(ir.F32, c.vec, g.accBase("n"+strings.Repeat("n", c.flying), c, q, v))
}

func (g *gen) narrowStep(c *loop, in *values.Scope, q, v int, terms []schedule.Signed) []Stmt {
	n := g.narrowName(c, q, v)
	x := g.sumOf(c.f.Accs[q], n, terms, v, values.ByLane)
	if in.Mask != nil {
		x = Select(in.Mask(v), x, n)
	}
	return Assign(n, x)
}

// sumOf is an accumulator, or a part of it, with the terms of a turn.
func (g *gen) sumOf(acc *ir.Node, x Value, terms []schedule.Signed, v int, m values.Layout) Value {
	if g.Kernel.Contract {
		terms = form.Products(terms)
	}
	for _, t := range terms {
		if x.Type == t.N.Type && g.Fused.Joins(t.N, acc) {
			x = MulAdd(t.Op(), 1, g.Val(t.N.Args[0], v, m), g.Val(t.N.Args[1], v, m), x)
			continue
		}
		term := g.Val(t.N, v, m)
		if term.Type != x.Type { // of a sum in float32 that is added up in float64
			term = Op(ir.Cast, x.Type, term)
		}
		x = Op(t.Op(), x.Type, x, term)
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
			acc, sum := g.AccName(a, v), g.narrowName(c, q, v)
			for c.flying = 1; c.flying < g.shares(c); c.flying++ {
				sum = Op(ir.Add, ir.F32, sum, g.narrowName(c, q, v))
			}
			c.flying = 0
			if a.Type != sum.Type {
				sum = Op(ir.Cast, a.Type, sum)
			}
			out = append(out, Assign(acc, Op(ir.Add, a.Type, acc, sum))...)
		}
	}
	return out
}
