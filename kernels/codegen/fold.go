package codegen

import (
	"fmt"
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// loop is a fold being written.
type loop struct {
	f       *ir.Fold
	sc      *scope // around the loop
	in      *scope // its body
	copies  []int  // distinct vectors in flight
	vec     bool
	lo, hi  *Expr
	masked  bool                      // lanes leave one by one
	kept    int                       // the first register that it keeps between parts of a split fold
	narrow  map[int][]schedule.Signed // accumulators summed in float32 within a block, with the float32 terms
	whole   *loop                     // the fold to whose shares this one adds, in its turns
	flying  int                       // which of the iterations in flight is being written
	stages  []int                     // where stages of a turn end that has its loads with another's; nil: it has them by itself
	blocked bool                      // its shares are float32, for a block of turns
}

// fold writes a fold, all vectors in flight together, into the scope at a depth, and leaves the accumulators' variables.
func (g *gen) fold(f *ir.Fold, at int) {
	sc := g.stack[at]
	done := key{n: f.Node}
	if _, ok := sc.vals[done]; ok {
		return
	}
	sc.vals[done] = Value{}
	saved, iter := g.stack, g.iter
	g.stack = g.stack[: at+1 : at+1]
	if iter != nil && !f.Node.Free().Meets(iter.Binders()) { // what iterations on lanes need is not in them
		g.iter = nil
	}
	vary := g.vary.Of(f.Node)
	c := &loop{f: f, sc: sc, in: newScope(f.Binders()), copies: g.Copies(vary), vec: vary.Meets(g.Lanes)}
	c.in.fold = f
	g.limits(c)
	for q, a := range f.Accs {
		for _, v := range c.copies {
			init := g.val(f.Init[q], v, byLane)
			sc.declare(g.accName(a, v), init)
		}
	}
	part := g.resume(c, at)
	switch {
	case g.sharedFold(c):
	case c.masked || f.While != nil:
		g.maskedLoop(c)
	case g.Schedule.FoldLanes && g.foldLanes(c):
	case (c.vec || !g.Schedule.FoldLanes) && g.leavingFold(c, at):
	case max(g.Schedule.Table, g.Schedule.AccBlock) > 0 && schedule.Innermost(f) && g.iter == nil:
		g.blockedLoop(c)
	default:
		g.within(func() { g.turn(c, c.in) }, c.in)
		sc.add(c.loop(c.lo, c.hi, 1, c.in.body))
	}
	g.iter = iter
	g.stack, g.chunk.inside = saved, g.chunk.inside && f != g.parted.fold
	if part {
		g.suspend(c)
	}
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

// chunks runs the loop some iterations at a time: what comes before each time, and after it, are tests.
func (g *gen) chunks(c *loop, every int, count *tally.Tally, before, body, after []Stmt) {
	e := Name(g.fresh("e"))
	list := append(slices.Clone(before), Let(c.ctype().Scalar, e.Text, c.call("s_min", Bin("+", c.index(), Int(every)), c.hi)))
	list = append(list, count.Ran(Bin("-", e, c.index()))...)
	list = append(list, c.loop(nil, e, 1, body))
	c.sc.add(c.loop(c.lo, c.hi, 0, append(list, after...)))
}

// ownStart reports whether a fold's lower bound differs over lanes or vectors in flight: its loop variable then counts from 0.
func (g *gen) ownStart(f *ir.Fold) bool { return g.differs(f.Lo) }

// differs reports whether a value is not one scalar for the whole lane tile and all vectors in flight.
func (g *gen) differs(n *ir.Node) bool {
	return g.laned(n) || len(g.Copies(g.vary.Of(n))) > 1
}

// limits sets the bounds of the loop. Where they differ over lanes (sparse rows), the loop runs for the longest, and a lane
// whose own trip is over is masked.
func (g *gen) limits(c *loop) {
	f := c.f
	c.lo = Int(0)
	if !g.ownStart(f) {
		c.lo = g.val(f.Lo, 0, byLane).Regs[0]
	}
	if !g.ownStart(f) && !g.differs(f.Hi) {
		c.hi = g.val(f.Hi, 0, byLane).Regs[0]
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
	c.hi = g.name(c.sc, Scalar(f.Hi.Type, most)).Regs[0]
}

// trip is a vector in flight's own number of iterations.
type trip struct {
	f *ir.Fold
	v int
}

// end is where vector v's loop variable stops.
func (g *gen) end(c *loop, v int) Value {
	hi := g.val(c.f.Hi, v, byLane)
	if !g.ownStart(c.f) {
		return hi
	}
	return c.sc.make(trip{c.f, v}, func() Value { return g.name(c.sc, Op(ir.Sub, hi.Type, hi, g.val(c.f.Lo, v, byLane))) })
}

// accBase names something that goes with accumulator q of a fold.
func (g *gen) accBase(prefix string, c *loop, q, v int) string {
	return fmt.Sprintf("%s%d_%d", prefix, c.f.Accs[q].ID(), g.Canon(g.vary.Of(c.f.Node), v))
}

// turn is body, left out where it would add nothing on any lane.
func (g *gen) turn(c *loop, in *scope) {
	if cond := schedule.Needed(c.f); cond != nil && g.Schedule.Skip && !g.Kernel.Writes(c.f) {
		needed := g.val(cond, c.copies[0], byLane)
		for _, v := range c.copies[1:] {
			if again := g.val(cond, v, byLane); again != needed {
				needed = Or(needed, again)
			}
		}
		in.add(If{Cond: Pre("!", AnyLane(needed)), Then: []Stmt{Continue{}}})
	}
	g.body(c, in)
}

// body writes one iteration of all vectors in flight into a scope at the top of the stack. Accumulators are written back
// together at the end; with AccMajor, one at a time where no other step still reads it.
func (g *gen) body(c *loop, in *scope) {
	if g.branched(c, in) {
		return
	}
	var last []Stmt
	step := func(q, v int, atOnce bool) {
		if terms, ok := c.narrow[q]; ok {
			if list := g.narrowStep(c, q, v, terms); atOnce {
				in.add(list...)
			} else {
				last = append(last, list...)
			}
			return
		}
		a, n := g.accName(c.f.Accs[q], v), c.f.Step[q]
		var x Value
		if terms, ok := schedule.SumTerms(c.f, n, c.f.Accs[q]); ok && c.f.Monoid == ir.Sum {
			x = g.sumOf(c.f.Accs[q], a, terms, v, byLane)
		} else {
			x = g.val(n, v, byLane)
		}
		if c.vec {
			x = x.AsVec()
		}
		if in.mask != nil {
			x = Select(in.mask(v), x, a)
		}
		if atOnce {
			in.add(Assign(a, x)...)
			return
		}
		if in.mask != nil || n.Kind == ir.KAxis && n.Role == ir.RoleAcc {
			x = g.name(in, x) // as it was before any accumulator is written back
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
					g.val(n, w, byLane)
				}
			}
			for q := range c.f.Accs {
				step(q, v, !form.ReadElsewhere(c.f, q))
			}
		}
	}
	in.add(last...)
}

// leadOfRoots is how many vectors early a root or a quotient is begun: what waits for it meanwhile would fill the processor's queues.
const leadOfRoots = 2

// early are the roots and quotients that every turn of a loop computes for each vector in flight, where there are some to begin them before.
func (g *gen) early(c *loop) []*ir.Node {
	if len(c.copies) <= leadOfRoots || !c.vec {
		return nil
	}
	return slices.DeleteFunc(form.Roots(c.f), func(n *ir.Node) bool { return g.stack[g.depth(n)] != g.top() || !g.isVec(n, byLane) })
}

// maskedLoop writes a fold that lanes leave at different times: by their own bounds, or by the while condition.
func (g *gen) maskedLoop(c *loop) {
	f, in, depth := c.f, c.in, len(g.stack)-1
	var count *tally.Tally
	if f.While != nil {
		count = g.counting(c)
	}
	saved := g.stack
	defer func() { g.stack = saved }()
	g.stack = append(slices.Clip(g.stack), in)
	if !c.masked && !g.differs(f.While) {
		in.add(If{Cond: Not(g.val(f.While, 0, byLane)).Regs[0], Then: []Stmt{Leave{}}})
		in.add(count.Ran(Int(1))...)
		g.body(c, in)
		c.sc.add(c.loop(c.lo, c.hi, 1, in.body))
		return
	}
	name := func(v int) Value {
		name := Name(fmt.Sprintf("m%d_%d", f.Node.ID(), g.Canon(g.vary.Of(f.Node), v)))
		return Value{Type: ir.Bool, Vec: c.vec, Regs: [2]*Expr{name}}
	}
	var masks []*Expr
	for _, v := range c.copies {
		m, start := name(v), Scalar(ir.Bool, Int(1))
		if on, ok := g.active(depth, g.vary.Of(f.Node), v); ok {
			start = on
		}
		if start.Vec && !m.Vec {
			start = Scalar(ir.Bool, AnyLane(start))
		}
		c.sc.declare(m, start)
		masks = append(masks, m.Regs[0])
	}
	in.mask = name
	loads := g.exactLoads
	if c.masked {
		for _, v := range c.copies {
			t := Op(ir.Lt, ir.Bool, Scalar(f.Index.Type, c.index()), g.end(c, v))
			in.add(Assign(name(v), And(name(v), t))...)
		}
	}
	if f.While != nil {
		for _, v := range c.copies {
			in.add(Assign(name(v), And(name(v), g.val(f.While, v, byLane)))...)
		}
	}
	on := All("|", masks...)
	if c.vec {
		on = Call("v_any", on)
	}
	test := []Stmt{If{Cond: Pre("!", on), Then: []Stmt{Leave{}}}}
	here := len(in.body)
	g.body(c, in)
	if g.Schedule.Every <= 1 || g.exactLoads != loads {
		c.sc.add(c.loop(c.lo, c.hi, 1, slices.Insert(in.body, here, append(test, count.Ran(Int(1))...)...)))
		return
	}
	g.chunks(c, g.Schedule.Every, count, nil, in.body, test)
}
