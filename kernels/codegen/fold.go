package codegen

import (
	"fmt"
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// loop is a fold being written.
type loop struct {
	f       *ir.Fold
	sc      *values.Scope // around the loop
	in      *values.Scope // its body
	copies  []int         // distinct vectors in flight
	vec     bool
	lo, hi  *Expr
	masked  bool                      // lanes leave one by one
	both    *both                     // points go through it together, each from and to a turn of its own; nil: all alike, or masked
	kept    int                       // the first register that it keeps between parts of a split fold
	narrow  map[int][]schedule.Signed // accumulators summed in float32 within a block, with the float32 terms
	whole   *loop                     // the fold to whose shares this one adds, in its turns
	flying  int                       // which of the iterations in flight is being written
	stages  []int                     // where stages of a turn end that has its loads with another's; nil: it has them by itself
	blocked bool                      // its shares are float32, for a block of turns
}

// fold writes a fold, all vectors in flight together, into the scope at a depth, and leaves the accumulators' variables.
func (g *gen) fold(f *ir.Fold, at int) {
	sc := g.Stack[at]
	if _, ok := sc.Once[f]; ok {
		return
	}
	sc.Once[f] = Value{}
	saved, iter := g.Stack, g.Iter
	g.Stack = g.Stack[: at+1 : at+1]
	if iter != nil && !f.Node.Free().Meets(iter.Binders()) { // what iterations on lanes need is not in them
		g.Iter = nil
	}
	vary := g.Vary.Of(f.Node)
	c := &loop{f: f, sc: sc, in: values.NewScope(f.Binders()), copies: g.Copies(vary), vec: vary.Meets(g.Lanes)}
	c.in.Fold = f
	g.limits(c)
	for q, a := range f.Accs {
		for _, v := range c.copies {
			init := g.Val(f.Init[q], v, values.ByLane)
			sc.Declare(g.AccName(a, v), init)
		}
	}
	part := g.resume(c, at)
	switch {
	case g.sharedFold(c):
	case c.both != nil:
		g.togetherLoop(c)
	case c.masked || f.While != nil:
		g.maskedLoop(c)
	case g.Schedule.FoldLanes && g.foldLanes(c):
	case (c.vec || !g.Schedule.FoldLanes) && g.leavingFold(c, at):
	case max(g.Schedule.Table, g.Schedule.AccBlock) > 0 && schedule.Innermost(f) && g.Iter == nil:
		g.blockedLoop(c)
	case c.vec && g.acrossLoop(c):
	default:
		g.Within(func() { g.turn(c, c.in) }, c.in)
		if some := g.turnsInRow(c); some != nil {
			sc.Add(g.inGroups(c, c.loop(c.lo, c.hi, 1, c.in.Body), some))
		} else {
			turns := c.loop(c.lo, c.hi, 1, c.in.Body)
			if len(c.copies) > 1 && schedule.Innermost(f) && form.Fills(f, inlined) { // what is the same for outputs and for threads takes as long as some of the rest
				turns.Unroll = inlined
			}
			sc.Add(turns)
		}
	}
	g.Iter = iter
	g.Stack, g.Slicing = saved, g.Slicing && f != g.Sliced
	if part {
		g.suspend(c)
	}
	g.dropNone(c)
	g.setAside(c)
}

func (c *loop) index() *Expr { return Name(AxisName(c.f.Index)) }

func (c *loop) ctype() Spelling { return Spelled[c.f.Index.Type] }

// call is a function of the prelude for the index.
func (c *loop) call(name string, args ...*Expr) *Expr { return Call(Fn(name, c.f.Index.Type), args...) }

// loop runs over [from, to).
func (c *loop) loop(from, to *Expr, step int, body []Stmt) Loop {
	return Count(c.ctype().Scalar, c.index().Text, from, to, step, body...)
}

// chunks runs the loop some iterations at a time: what comes before each time, and after it, are tests. whole are as many as there are at most, written one behind
// the other; nil: they are not.
func (g *gen) chunks(c *loop, every int, count *tally.Tally, before, body, whole, after []Stmt) {
	e := Name(g.Fresh("e"))
	list := append(slices.Clone(before), Let(c.ctype().Scalar, e.Text, c.call("s_min", Bin("+", c.index(), Int(every)), c.hi)))
	list = append(list, count.Ran(Bin("-", e, c.index()))...)
	turns := append([]Stmt{c.loop(nil, e, 1, body)}, after...)
	if whole != nil { // with tests of their own, for which compilers keep what is asked as they have it
		whole = append(append(whole, To(c.index().Text, e)), after...)
		turns = []Stmt{If{Cond: Bin("==", Bin("-", e, c.index()), Int(every)), Then: whole, Else: turns}}
	}
	c.sc.Add(c.loop(c.lo, c.hi, 0, append(list, turns...)))
}

// limits sets the bounds of the loop. Where they differ over lanes (sparse rows), the loop runs for the longest, and a lane
// whose own trip is over is masked.
func (g *gen) limits(c *loop) {
	f := c.f
	if f == g.Together {
		g.togetherLimits(c)
		return
	}
	c.lo = Int(0)
	if !g.OwnStart(f) {
		c.lo = g.Val(f.Lo, 0, values.ByLane).Regs[0]
	}
	if !g.OwnStart(f) && !g.Differs(f.Hi) {
		c.hi = g.Val(f.Hi, 0, values.ByLane).Regs[0]
		return
	}
	c.masked = true
	var most *Expr
	for _, v := range c.copies {
		x := g.end(c, v).Reduced("v_hmax")
		if most != nil {
			x = c.call("s_max", most, x)
		}
		most = x
	}
	c.hi = g.Name(c.sc, Scalar(f.Hi.Type, most)).Regs[0]
}

// trip is a vector in flight's own number of iterations.
type trip struct {
	f *ir.Fold
	v int
}

// end is where vector v's loop variable stops.
func (g *gen) end(c *loop, v int) Value {
	hi := g.Val(c.f.Hi, v, values.ByLane)
	if !g.OwnStart(c.f) {
		return hi
	}
	return c.sc.Make(trip{c.f, v}, func() Value { return g.Name(c.sc, Op(ir.Sub, hi.Type, hi, g.Val(c.f.Lo, v, values.ByLane))) })
}

// accBase names something that goes with accumulator q of a fold.
func (g *gen) accBase(prefix string, c *loop, q, v int) string {
	return fmt.Sprintf("%s%d_%d", prefix, c.f.Accs[q].ID(), g.Canon(g.Vary.Of(c.f.Node), v))
}

// inlined are the turns of a loop of several outputs that a GPU's compiler is to write one behind the other.
const inlined = 4

// turnsAtOnce are the turns of a fold that a thread of a GPU makes one behind the other where they load what lies side by side. More of them share addresses and tests,
// and leave over more of a fold that is short.
func turnsAtOnce(f *ir.Fold) int {
	if f.Lo.Kind == ir.KConst && f.Hi.Kind == ir.KConst && f.Hi.I-f.Lo.I < 64 {
		return 4
	}
	return 8
}

// turnsInRow are so many turns, which begin at a multiple of their number; nil where nothing is loaded together in them.
func (g *gen) turnsInRow(c *loop) []Stmt {
	if n := turnsAtOnce(c.f); g.BesideAxis != nil && c.f.Lo.Kind == ir.KConst && c.f.Lo.I%int64(n) == 0 && !g.Schedule.Skip {
		return g.rowOfTurns(c, n)
	}
	return nil
}

// rowOfTurns are n turns that are made one behind the other, which begin where the fold does or a multiple of n behind that.
func (g *gen) rowOfTurns(c *loop, n int) []Stmt {
	if g.Turns != nil || !schedule.Innermost(c.f) || c.f.Lo.Kind != ir.KConst || g.OwnStart(c.f) || c.in.Mask != nil || g.Kernel.Writes(c.f) {
		return nil
	}
	around := values.NewScope(c.f.Binders())
	around.Fold = c.f
	var turns []Stmt
	for at := range n {
		in := values.NewScope(c.f.Binders())
		in.Fold, in.Block = c.f, c.in.Block
		g.Turns = &values.Turns{Fold: c.f, N: n, Behind: int((c.f.Lo.I%int64(n) + int64(n)) % int64(n)), At: at, Around: around}
		g.Within(func() { g.turn(c, in) }, around, in)
		turns = append(turns, Block(in.Body))
	}
	g.Turns = nil
	if len(around.Body) == 0 {
		return nil
	}
	return append(around.Body, turns...)
}

// inGroups makes the turns of a loop some at a time, as long as there are as many, and then one by one.
func (g *gen) inGroups(c *loop, one Loop, some []Stmt) Stmt {
	n := turnsAtOnce(c.f)
	groups := one
	groups.Vars, groups.Body = nil, some
	groups.While = Bin("<", Bin("+", c.index(), Int(n-1)), one.While.Operand(1))
	groups.Next = slices.Clone(one.Next)
	for i := range groups.Next {
		groups.Next[i].Value = Int(n)
	}
	rest := one
	rest.Vars = nil
	var out Block
	for _, v := range one.Vars {
		out = append(out, Var(one.Type, v.To.Text, v.Value))
	}
	if out = append(out, groups); !form.Fills(c.f, n) {
		out = append(out, rest)
	}
	return out
}

// turn is body, left out where it would add nothing on any lane.
func (g *gen) turn(c *loop, in *values.Scope) {
	if cond := schedule.Needed(c.f); cond != nil && g.Schedule.Skip && !g.Kernel.Writes(c.f) {
		needed := g.Val(cond, c.copies[0], values.ByLane)
		for _, v := range c.copies[1:] {
			if again := g.Val(cond, v, values.ByLane); again != needed {
				needed = Or(needed, again)
			}
		}
		in.Add(If{Cond: Pre("!", AnyLane(needed)), Then: []Stmt{Continue{}}})
	}
	g.body(c, in)
}

// body writes one iteration of all vectors in flight into a scope at the top of the stack. Accumulators are written back
// together at the end; with AccMajor, one at a time where no other step still reads it.
func (g *gen) body(c *loop, in *values.Scope) {
	if g.branched(c, in) {
		return
	}
	var last []Stmt
	step := func(q, v int, atOnce bool) {
		if terms, ok := c.narrow[q]; ok {
			if list := g.narrowStep(c, in, q, v, terms); atOnce {
				in.Add(list...)
			} else {
				last = append(last, list...)
			}
			return
		}
		a, n := g.AccName(c.f.Accs[q], v), c.f.Step[q]
		var x Value
		if terms, ok := schedule.SumTerms(c.f, n, c.f.Accs[q]); ok && c.f.Monoid == ir.Sum {
			x = g.sumOf(c.f.Accs[q], a, terms, v, values.ByLane)
		} else {
			x = g.Val(n, v, values.ByLane)
		}
		if c.vec {
			x = x.AsVec()
		}
		if in.Mask != nil {
			x = Select(in.Mask(v), x, a)
		}
		if atOnce {
			in.Add(Assign(a, x)...)
			return
		}
		if in.Mask != nil || n.Kind == ir.KAxis && n.Role == ir.RoleAcc {
			x = g.Name(in, x) // as it was before any accumulator is written back
		}
		last = append(last, Assign(a, x)...)
	}
	g.storesIn(c.f)
	if g.Schedule.AccMajor {
		for q := range c.f.Accs {
			atOnce := !form.ReadElsewhere(c.f, q)
			for _, v := range c.copies {
				step(q, v, atOnce)
			}
		}
	} else {
		early := g.early(c)
		for i, v := range c.copies {
			for _, n := range early {
				for _, w := range c.copies[i:min(i+leadOfRoots+1, len(c.copies))] {
					g.Val(n, w, values.ByLane)
				}
			}
			for q := range c.f.Accs {
				step(q, v, !form.ReadElsewhere(c.f, q))
			}
		}
	}
	in.Add(last...)
}

// leadOfRoots is how many vectors early a root or a quotient is begun: what waits for it meanwhile would fill the processor's queues.
const leadOfRoots = 2

// early are the roots and quotients that every turn of a loop computes for each vector in flight, where there are some to begin them before.
func (g *gen) early(c *loop) []*ir.Node {
	if len(c.copies) <= leadOfRoots || !c.vec {
		return nil
	}
	return slices.DeleteFunc(form.Roots(c.f), func(n *ir.Node) bool { return g.Stack[g.Depth(n)] != g.Top() || !g.IsVec(n, values.ByLane) })
}

// maskedLoop writes a fold that lanes leave at different times: by their own bounds, or by the while condition.
func (g *gen) maskedLoop(c *loop) {
	f, in, depth := c.f, c.in, len(g.Stack)-1
	var count *tally.Tally
	if f.While != nil {
		count = g.counting(c)
	}
	saved := g.Stack
	defer func() { g.Stack = saved }()
	g.Stack = append(slices.Clip(g.Stack), in)
	if !c.masked && !g.Differs(f.While) {
		in.Add(If{Cond: Not(g.Val(f.While, 0, values.ByLane)).Regs[0], Then: []Stmt{Leave{}}})
		in.Add(count.Ran(Int(1))...)
		g.body(c, in)
		c.sc.Add(c.loop(c.lo, c.hi, 1, in.Body))
		return
	}
	name := func(v int) Value {
		name := Name(fmt.Sprintf("m%d_%d", f.Node.ID(), g.Canon(g.Vary.Of(f.Node), v)))
		return Value{Type: ir.Bool, Vec: c.vec, Regs: [2]*Expr{name}}
	}
	var masks []*Expr
	for _, v := range c.copies {
		m, start := name(v), Scalar(ir.Bool, Int(1))
		if on, ok := g.Active(depth, g.Vary.Of(f.Node), v); ok {
			start = on
		}
		if start.Vec && !m.Vec {
			start = Scalar(ir.Bool, AnyLane(start))
		}
		c.sc.Declare(m, start)
		masks = append(masks, m.Regs[0])
	}
	in.Mask = name
	loads := g.ExactLoads
	if c.masked {
		for _, v := range c.copies {
			t := Op(ir.Lt, ir.Bool, Scalar(f.Index.Type, c.index()), g.end(c, v))
			in.Add(Assign(name(v), And(name(v), t))...)
		}
	}
	if f.While != nil {
		for _, v := range c.copies {
			in.Add(Assign(name(v), And(name(v), g.Val(f.While, v, values.ByLane)))...)
		}
	}
	on := All("|", masks...)
	if c.vec {
		on = Call("v_any", on)
	}
	test := []Stmt{If{Cond: Pre("!", on), Then: []Stmt{Leave{}}}}
	here := len(in.Body)
	g.body(c, in)
	if g.Schedule.Every <= 1 || g.ExactLoads != loads {
		c.sc.Add(c.loop(c.lo, c.hi, 1, slices.Insert(in.Body, here, append(test, count.Ran(Int(1))...)...)))
		return
	}
	g.chunks(c, g.Schedule.Every, count, nil, in.Body, nil, test)
}
