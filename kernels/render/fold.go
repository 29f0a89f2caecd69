package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// loop is a fold being rendered.
type loop struct {
	f      *ir.Fold
	sc     *scope // around the loop
	in     *scope // its body
	copies []int  // distinct vectors in flight
	vec    bool
	lo, hi string
	masked bool                      // lanes leave one by one
	kept   int                       // the first register that it keeps between parts of a split fold
	narrow map[int][]schedule.Signed // accumulators summed in float32 within a block, with the float32 terms
}

// fold renders a fold, all vectors in flight together, into the scope at a depth, and leaves the accumulators' variables.
func (r *renderer) fold(f *ir.Fold, at int) {
	sc := r.stack[at]
	done := key{n: f.Node}
	if _, ok := sc.vals[done]; ok {
		return
	}
	sc.vals[done] = value{}
	saved := r.stack
	r.stack = r.stack[: at+1 : at+1]
	vary := r.vary.Of(f.Node)
	c := &loop{f: f, sc: sc, in: newScope(f.IndexBind.Or(f.AccBind)), copies: r.copies(vary), vec: vary.Meets(r.lanes)}
	c.in.fold = f
	r.limits(c)
	r.initial(c)
	part := r.resume(c, at)
	switch {
	case r.threads != nil && (r.sharedFold(c) || r.leavingFold(c, at)):
	case c.masked || f.While != nil:
		r.maskedLoop(c)
	case (f.Monoid == ir.Any || f.Monoid == ir.All) && !r.s.FoldLanes && r.anyFold(c, at):
	case f.Monoid == ir.Ordered && !r.s.FoldLanes && r.absorbingFold(c, at):
	case r.s.FoldLanes && r.foldLanes(c):
	case max(r.s.Table, r.s.AccBlock) > 0 && r.innermost(f) && r.iter == nil:
		r.blockedLoop(c)
	default:
		r.push(c.in)
		r.body(c, c.in)
		r.emit(sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(c.in.lines, "\n"))
	}
	r.stack = saved
	if part {
		r.suspend(c)
	}
}

func (c *loop) index() string { return axisName(c.f.Index) }

func (c *loop) ctype() ctype { return ctypes[c.f.Index.Type] }

// header is the loop over [from, to).
func (c *loop) header(from, to string) string {
	return fmt.Sprintf("for (%s %s = %s; %s < %s; %s++)", c.ctype().c, c.index(), from, c.index(), to, c.index())
}

// ownStart reports a fold whose lower bound differs over lanes or vectors in flight: its loop variable then counts from 0.
func (r *renderer) ownStart(f *ir.Fold) bool { return r.differs(f.Lo) }

// differs reports a value that is not one scalar for the whole patch and all vectors in flight.
func (r *renderer) differs(n *ir.Node) bool {
	return r.laned(n) || len(r.copies(r.vary.Of(n))) > 1
}

// limits sets the bounds of the loop. Where they differ over lanes (sparse rows), the loop runs for the longest, and a lane
// whose own trip is over is masked.
func (r *renderer) limits(c *loop) {
	f := c.f
	if !r.differs(f.Lo) && !r.differs(f.Hi) {
		c.lo, c.hi = r.val(f.Lo, 0, patch).s[0], r.val(f.Hi, 0, patch).s[0]
		return
	}
	c.masked = true
	c.lo = "0"
	if !r.ownStart(f) {
		c.lo = r.val(f.Lo, 0, patch).s[0]
	}
	most := ""
	for _, v := range c.copies {
		x := r.end(c, v)
		text := x.s[0]
		if x.vec {
			text = fmt.Sprintf("v_hmax_%s(%s)", c.ctype().sfx, strings.Join(x.s[:schedule.Registers(x.t)], ", "))
		}
		if most != "" {
			text = fmt.Sprintf("s_max_%s(%s, %s)", c.ctype().sfx, most, text)
		}
		most = text
	}
	c.hi = r.name(c.sc, scalar(f.Hi.Type, most)).s[0]
}

// end is where vector v's loop variable stops.
func (r *renderer) end(c *loop, v int) value {
	hi := r.val(c.f.Hi, v, patch)
	if !r.ownStart(c.f) {
		return hi
	}
	k := fmt.Sprintf("trip%d_%d", c.f.Node.ID(), v)
	if x, ok := c.sc.texts[k]; ok {
		return x
	}
	x := r.name(c.sc, r.op(ir.Sub, hi.t, hi, r.val(c.f.Lo, v, patch)))
	c.sc.texts[k] = x
	return x
}

// initial declares the accumulators.
func (r *renderer) initial(c *loop) {
	for q, a := range c.f.Accs {
		for _, v := range c.copies {
			x := r.val(c.f.Init[q], v, patch)
			r.variable(c.sc, r.accName(a, v), x)
		}
	}
}

// variable declares a variable named as a value, set to another.
func (r *renderer) variable(sc *scope, name, x value) {
	if !name.vec {
		r.emit(sc, "%s %s = %s;", ctypes[name.t].c, name.s[0], x.s[0])
		return
	}
	for h := range schedule.Registers(name.t) {
		r.emit(sc, "%s %s = %s;", ctypes[name.t].v, name.s[h], x.part(h))
	}
}

// set assigns a value to a variable.
func set(name, x value) string {
	if !name.vec {
		return fmt.Sprintf("%s = %s;", name.s[0], x.s[0])
	}
	out := make([]string, schedule.Registers(name.t))
	for h := range out {
		out[h] = fmt.Sprintf("%s = %s;", name.s[h], x.part(h))
	}
	return strings.Join(out, " ")
}

// body renders one iteration of all vectors in flight into a scope at the top of the stack. Accumulators are written back
// together at the end; with AccMajor, one at a time where no other step still reads it.
func (r *renderer) body(c *loop, in *scope) {
	var last []string
	atOnce := make([]bool, len(c.f.Accs))
	for q := range atOnce {
		atOnce[q] = r.s.AccMajor && !r.readElsewhere(c.f, q)
	}
	step := func(q, v int) {
		if terms, ok := c.narrow[q]; ok {
			last = append(last, r.narrowStep(c, q, v, terms))
			return
		}
		a := r.accName(c.f.Accs[q], v)
		x := r.stepValue(c, q, v)
		if in.mask != nil {
			x = choose(in.mask(v), x, a)
		}
		if atOnce[q] {
			in.lines = append(in.lines, set(a, x))
			return
		}
		if n := c.f.Step[q]; in.mask != nil || n.Kind == ir.KAxis && n.Role == ir.RoleAcc {
			x = r.name(in, x) // as it was before any accumulator is written back
		}
		last = append(last, set(a, x))
	}
	if r.s.AccMajor {
		for q := range c.f.Accs {
			for _, v := range c.copies {
				step(q, v)
			}
		}
	} else {
		for _, v := range c.copies {
			for q := range c.f.Accs {
				step(q, v)
			}
		}
	}
	in.lines = append(in.lines, last...)
}

func (r *renderer) stepValue(c *loop, q, v int) value {
	x := r.val(c.f.Step[q], v, patch)
	if c.vec {
		return x.asVec()
	}
	return x
}

// readElsewhere reports an accumulator that another accumulator's step or the while condition reads.
func (r *renderer) readElsewhere(f *ir.Fold, q int) bool {
	var roots []*ir.Node
	for k, s := range f.Step {
		if k != q {
			roots = append(roots, s)
		}
	}
	if f.While != nil {
		roots = append(roots, f.While)
	}
	found := false
	ir.WalkNodes(roots, func(n *ir.Node) { found = found || n == f.Accs[q] })
	return found
}

// innermost reports a fold with no other fold in its body.
func (r *renderer) innermost(f *ir.Fold) bool {
	own := f.IndexBind.Or(f.AccBind)
	yes := true
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KFold && n.Free().Meets(own) {
			yes = false
		}
	})
	return yes
}
