package codegen

import (
	"slices"
	"strings"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Iterations of a monoid fold may be shared, by the lanes of a vector or by threads. Each accumulates a share of its own, and the
// shares are joined after the loop.

// foldLanes writes a fold with consecutive iterations as lanes, or those of the fold that its terms are. The last, incomplete vector is
// masked. It gives up (false) on folds that it cannot split.
func (g *gen) foldLanes(c *loop) bool {
	f := c.f
	inner := schedule.Nested(f, g.W)
	if c.vec || g.Iter != nil || inner == nil && !schedule.Innermost(f) {
		return false
	}
	if schedule.Independent(g.Kernel, f) {
		g.turnLanes(c)
		return true
	}
	if f.Monoid == ir.Ordered {
		return false
	}
	shares, ok := form.Shares(f)
	if !ok {
		return false
	}
	flight := 1
	if c.whole == nil {
		if g.Schedule.AccBlock > 0 && !c.blocked && !g.Kernel.Termwise && schedule.NarrowShares(f, g.W) {
			g.narrowLanes(c, inner)
			return true
		}
		flight = g.declareShares(c)
	}
	lanes := g.W
	turn := func(number int, mask func(in *values.Scope) Value) []Stmt {
		in := values.NewScope(f.Binders())
		g.Within(func() {
			c.flying = number
			if inner != nil {
				g.foldLanes(g.nested(c, inner, in))
				return
			}
			g.Iter, g.Some = f, mask(in)
			g.shareSteps(c, in, shares, g.Some)
			g.Iter, g.Some = nil, Value{}
		}, in)
		return in.Body
	}
	all := func(*values.Scope) Value { return Value{} }
	loops := func() {
		if g.W > 1 && flight == 1 && inner == nil && f.Monoid == ir.Sum && !c.blocked && g.pass == nil && form.Fills(f, turnsAhead*lanes) && form.Gathers(f) {
			var turns [][][]Stmt
			for n := range turnsAhead {
				g.Ahead, c.stages = n*lanes, []int{}
				body := turn(0, all)
				turns = append(turns, [][]Stmt{body[:c.stages[0]], body[c.stages[0]:c.stages[1]], body[c.stages[1]:]})
			}
			g.Ahead, c.stages = 0, nil
			c.vectors(turnsAhead*lanes, nil, Interleaved(turns), nil)
			return
		}
		var together, rest []Stmt
		for n := range flight {
			together = append(together, Block(turn(n, all)))
		}
		full, step := turn(0, all), lanes
		if inner != nil {
			step = 1
		} else if !form.Fills(f, lanes) {
			rest = turn(0, func(in *values.Scope) Value { return g.Name(in, Vector(ir.Bool, g.LanesBefore(c.hi, c.index()))) })
		}
		var count *tally.Tally
		if f.Monoid == ir.Any || f.Monoid == ir.All {
			count = g.counting(c)
			rest = append(count.Ran(Bin("-", c.hi, c.index())), rest...)
			full = append(full, If{Cond: g.sharesEnded(c), Then: []Stmt{Leave{}}})
		}
		if flight == 1 {
			together = nil
		}
		c.vectors(step, together, append(count.Ran(Int(g.W)), full...), rest)
	}
	if c.whole != nil || !g.passes(c, inner, loops) {
		loops()
	}
	if c.whole == nil {
		g.joinShares(c, flight)
	}
	return true
}

// narrowLanes writes a fold on lanes in blocks of turns, each with float32 shares.
func (g *gen) narrowLanes(c *loop, inner *ir.Fold) {
	size := g.Schedule.AccBlock * g.W // a lane takes every so manieth term
	if inner != nil {
		size = g.Schedule.AccBlock
	}
	start, end := Name(g.Fresh("s")), Name(g.Fresh("e"))
	outer, lo, hi := c.sc, c.lo, c.hi
	c.blocked, c.sc, c.lo, c.hi = true, values.NewScope(ir.Set{}), start, end
	g.foldLanes(c)
	t := c.ctype().Scalar
	ends := Let(t, end.Text, c.call("s_min", Bin("+", start, Int(size)), hi))
	outer.Add(Count(t, start.Text, lo, hi, size, append([]Stmt{ends}, c.sc.Body...)...))
	c.sc = outer
}

// turnsAhead is how many vectors of turns have their loads together where these are gathered: 1.27 of delay-and-sum with two.
const turnsAhead = 2

// nested is a fold in the turns of another, to whose shares it adds.
func (g *gen) nested(c *loop, f *ir.Fold, in *values.Scope) *loop {
	out := &loop{f: f, sc: in, copies: c.copies, whole: c}
	if c.whole != nil {
		out.whole = c.whole
	}
	g.limits(out)
	return out
}

// declareShares declares the shares of a fold, for as many iterations in flight as they are for.
func (g *gen) declareShares(c *loop) (flight int) {
	if flight = 1; c.f.Monoid == ir.Sum {
		flight = max(1, g.Schedule.Flight)
	}
	for c.flying = range flight {
		for q, a := range c.f.Accs {
			for _, v := range c.copies {
				init := g.AccName(a, v)
				if share := g.shareName(c, q, v); !form.IsArg(c.f) {
					init = Identity(c.f.Monoid, share.Type)
				}
				c.sc.Declare(g.shareName(c, q, v), init)
			}
		}
	}
	return flight
}

// vectors runs as many iterations at a time as there are lanes, several times that in flight together, and what is left over.
func (c *loop) vectors(lanes int, together, full, rest []Stmt) {
	i, t := c.index(), c.ctype().Scalar
	last, first := Name(i.Text+"_last"), Name(i.Text+"_first")
	out := Block{Let(t, last.Text, Bin("-", c.hi, Int(1))), Var(t, i.Text, c.lo)}
	while := func(turns int, body []Stmt) {
		l := c.loop(nil, nil, turns, body)
		l.While = Bin(">=", Bin("-", last, i), Int(turns-1))
		out = append(out, l)
	}
	if len(together) > 0 {
		body := []Stmt{Let(t, first.Text, i)}
		for n, turn := range together {
			body = append(body, append(Block{Let(t, i.Text, Add(first, Int(n*lanes)))}, turn.(Block)...))
		}
		while(lanes*len(together), body)
	}
	while(lanes, full)
	if len(rest) > 0 {
		out = append(out, If{Cond: Bin("<=", i, last), Then: rest})
	}
	c.sc.Add(out)
}

// turnLanes writes a fold whose turns do nothing but store, whatever came before them, with consecutive turns as lanes: what they store, and
// where, is computed together, and stored in their order.
func (g *gen) turnLanes(c *loop) {
	full, rest := values.NewScope(c.f.IndexBind), values.NewScope(c.f.IndexBind)
	g.Iter = c.f
	write := func(in *values.Scope, mask func() Value) {
		g.Within(func() {
			on := mask()
			g.Some = on
			g.Kernel.StoresIn(c.f, func(s *ir.Store) {
				for _, v := range c.copies {
					g.storeOne(in, form.Output{Store: *s}, ir.Flatten(s.Buf, s.Index), ir.Set{}, v, values.ByIteration, on)
				}
			}, nil)
			g.Some = Value{}
		}, in)
	}
	if g.Schedule.Copies > 0 {
		g.turns = &turns{from: Name(AxisName(c.f.Index) + "_from"), half: Name(AxisName(c.f.Index) + "_half")}
	}
	write(full, func() Value { return Value{} })
	at := g.turns
	g.turns = nil
	inCopies := at != nil && at.after != nil
	if inCopies || !form.Fills(c.f, g.W) {
		write(rest, func() Value { return g.Name(rest, Vector(ir.Bool, g.LanesBefore(c.hi, c.index()))) })
	}
	g.Iter = nil
	if !inCopies {
		c.vectors(g.W, nil, full.Body, rest.Body)
		return
	}
	i, t := c.index(), c.ctype().Scalar
	some := c.loop(nil, Bin("+", at.from, Int(turnsBehind)), g.W, full.Body)
	all := c.loop(nil, nil, 0, []Stmt{Let(t, at.from.Text, i), some, Set{To: at.half, Value: Bin("-", Int(turnsBehind), at.half)}})
	last := Name(i.Text + "_last")
	all.While = Bin(">=", Bin("-", last, i), Int(turnsBehind-1))
	left := c.loop(nil, nil, g.W, rest.Body)
	left.While = Bin("<=", i, last)
	c.sc.Add(slices.Concat(Block{Let(t, last.Text, Bin("-", c.hi, Int(1))), Var(t, i.Text, c.lo), Var("int", at.half.Text, Int(0))},
		at.before, []Stmt{all}, at.after, []Stmt{left}))
}

// sharesEnded is whether the shares of all accumulators and vectors in flight have their answer.
func (g *gen) sharesEnded(c *loop) *Expr {
	var out []*Expr
	for q := range c.f.Accs {
		for _, v := range c.copies {
			x := g.shareName(c, q, v).Regs[0]
			if c.f.Monoid == ir.Any {
				out = append(out, Call("v_any", x))
			} else {
				out = append(out, Pre("!", Call("v_all", x)))
			}
		}
	}
	return All("&&", out...)
}

// shareName is the share of an accumulator of the fold that c is, or is a part of the terms of.
func (g *gen) shareName(c *loop, q, v int) Value {
	if c.whole != nil {
		c = c.whole
	}
	t := c.f.Accs[q].Type
	if c.blocked {
		t = ir.F32
	}
	return Named(t, g.accBase("h"+strings.Repeat("h", c.flying), c, q, v))
}

// shareSteps writes one vector of iterations; where the mask is set, lanes without it keep their share.
func (g *gen) shareSteps(c *loop, in *values.Scope, shares []form.Share, mask Value) {
	f := c.f
	var last []Stmt
	if c.stages != nil {
		places, loads := form.Gathering(f)
		each := func(list []*ir.Node, do func(n *ir.Node, v int)) {
			for _, v := range c.copies {
				for _, n := range list {
					do(n, v)
				}
			}
		}
		value := func(n *ir.Node, v int) { g.Val(n, v, values.ByIteration) }
		each(places, value)
		each(loads, func(n *ir.Node, v int) {
			if !n.Guarded { // where lanes find their elements is put into memory long before it is read from there
				g.GatherPlaces(in, n, v)
			}
		})
		c.stages = append(c.stages, len(in.Body))
		each(loads, value)
		c.stages = append(c.stages, len(in.Body))
	}
	from, to := 0, len(f.Accs)
	if p := g.pass; p != nil {
		if from, to = p.from, p.to; to == 0 {
			p.keep(g, in)
			return
		}
		defer func() { in.Add(Set{To: p.slot, Op: "+", Value: Int(1)}) }()
	}
	for _, v := range c.copies {
		if form.IsArg(f) {
			last = append(last, g.argStep(c, in, mask, v)...)
			continue
		}
		for q := from; q < to; q++ {
			h := g.shareName(c, q, v)
			x := h
			if f.Monoid == ir.Sum {
				terms := shares[q].Terms
				if narrow, ok := schedule.NarrowTerms(terms); ok && h.Type == ir.F32 {
					terms = narrow
				}
				x = g.sumOf(f.Accs[q], x, terms, v, values.ByIteration)
			} else {
				y := g.Val(shares[q].Terms[0].N, v, values.ByIteration)
				if shares[q].First {
					x, y = y, x
				}
				x = Op(schedule.JoinOps[f.Monoid], h.Type, x, y)
			}
			if mask.Vec {
				x = Select(mask, x, h)
			}
			last = append(last, Assign(h, x)...)
		}
	}
	in.Add(last...)
}

func (g *gen) argStep(c *loop, in *values.Scope, mask Value, v int) []Stmt {
	best, at := g.shareName(c, 0, v), g.shareName(c, 1, v)
	x, i := g.Val(c.f.Step[0].Args[1], v, values.ByIteration), g.Val(c.f.Step[1].Args[1], v, values.ByIteration)
	less, more := x, best
	if c.f.Monoid == ir.ArgMax {
		less, more = best, x
	}
	better := Compare(ir.Lt, less, more, true)
	if c.f.Step[0].Args[0].Op == ir.And { // skips NaN
		better = And(Compare(ir.Eq, x, x, true), Not(Compare(ir.Le, more, less, true)))
	}
	if mask.Vec {
		better = And(better, mask)
	}
	better = g.Name(in, better)
	return append(Assign(best, Select(better, x, best)), Assign(at, Select(better, i, at))...)
}

// joinShares joins the shares of all iterations in flight and lanes with the accumulator.
func (g *gen) joinShares(c *loop, flight int) {
	f := c.f
	reduce := map[ir.Monoid]string{ir.Sum: "v_hsum", ir.Product: "v_hprod", ir.Smallest: "v_low", ir.Largest: "v_high"}
	for _, v := range c.copies {
		if form.IsArg(f) {
			g.joinArg(c, v)
			continue
		}
		for q, a := range f.Accs {
			c.flying = 0
			h := g.shareName(c, q, v)
			for c.flying = 1; c.flying < flight; c.flying++ {
				c.sc.Add(Assign(h, Op(schedule.JoinOps[f.Monoid], h.Type, h, g.shareName(c, q, v)))...)
			}
			if h.Type != a.Type {
				h = Op(ir.Cast, a.Type, h)
			}
			x := Call("v_"+joinNames[f.Monoid], h.Regs[0])
			if name := reduce[f.Monoid]; name != "" {
				x = h.Reduced(name)
			}
			acc := g.AccName(a, v)
			c.sc.Add(Assign(acc, Join(f.Monoid, acc, Scalar(a.Type, x)))...)
		}
	}
}

// joinArg finds the best of the lanes; of equal ones, the one with the least index, which is the first.
func (g *gen) joinArg(c *loop, v int) {
	var out Block
	var lane, acc [2]*Expr
	var take []Stmt
	for q, a := range c.f.Accs {
		h, t, w := g.shareName(c, q, v), Spelled[a.Type], Name(g.Fresh("w"))
		out = append(out, Array{Type: t.Scalar, Name: w.Text, N: Name("W")})
		for p, e := range h.List() {
			out = append(out, Set{To: Deref(t.Vector+"_u", Bin("+", w, Int(p*g.W/schedule.Registers(a.Type)))), Value: e})
		}
		lane[q], acc[q] = At(w, Name("l")), g.AccName(a, v).Regs[0]
		take = append(take, Set{To: acc[q], Value: lane[q]})
	}
	c.sc.Add(append(out, Count("int", "l", Int(0), Name("W"), 1, TakeBetter(c.f, lane[0], acc[0], lane[1], acc[1], take...))))
}
