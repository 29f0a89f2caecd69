package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
)

// loop is a fold being rendered.
type loop struct {
	f      *ir.Fold
	sc     *scope // around the loop
	in     *scope // its body
	copies []int  // distinct vectors in flight
	vec    bool
	lo, hi string
	masked bool // lanes leave one by one
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
	switch {
	case c.masked || f.While != nil:
		r.maskedLoop(c)
	case r.s.Table > 0 && r.innermost(f):
		r.blockedLoop(c)
	default:
		r.push(c.in)
		r.body(c, c.in)
		r.emit(sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(c.in.lines, "\n"))
	}
	r.stack = saved
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
			text = fmt.Sprintf("v_hmax_%s(%s)", c.ctype().sfx, strings.Join(x.s[:parts(x.t)], ", "))
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
	for h := range parts(name.t) {
		r.emit(sc, "%s %s = %s;", ctypes[name.t].v, name.s[h], x.part(h))
	}
}

// set assigns a value to a variable.
func set(name, x value) string {
	if !name.vec {
		return fmt.Sprintf("%s = %s;", name.s[0], x.s[0])
	}
	out := make([]string, parts(name.t))
	for h := range out {
		out[h] = fmt.Sprintf("%s = %s;", name.s[h], x.part(h))
	}
	return strings.Join(out, " ")
}

// body renders one iteration of all vectors in flight into a scope at the top of the stack. Accumulators are written back
// together at the end; with AccMajor, one at a time where no other step still reads it.
func (r *renderer) body(c *loop, in *scope) {
	var last []string
	step := func(q, v int) {
		a := r.accName(c.f.Accs[q], v)
		x := r.stepValue(c, q, v)
		if in.mask != nil {
			x = choose(in.mask(v), x, a)
		}
		if r.s.AccMajor && !r.readElsewhere(c.f, q) {
			in.lines = append(in.lines, set(a, x))
			return
		}
		if in.mask != nil {
			x = r.name(in, x)
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

// maskedLoop renders a fold that lanes leave at different times: by their own bounds, or by the while condition.
func (r *renderer) maskedLoop(c *loop) {
	f, in := c.f, c.in
	lanewise := c.masked || f.While != nil && r.differs(f.While)
	depth := len(r.stack) - 1
	r.push(in)
	if !lanewise {
		r.emit(in, "if (!(%s)) break;", r.val(f.While, 0, patch).s[0])
		r.body(c, in)
		r.emit(c.sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(in.lines, "\n"))
		return
	}
	outer := r.activeMask(depth)
	name := func(v int) value {
		s := fmt.Sprintf("m%d_%d", f.Node.ID(), r.canon(r.vary.Of(f.Node), v))
		if c.vec {
			return vector(ir.Bool, s)
		}
		return scalar(ir.Bool, s)
	}
	var masks []string
	for _, v := range c.copies {
		start := scalar(ir.Bool, "1")
		if outer != nil {
			start = outer(v)
		}
		m := name(v)
		if start.vec && !m.vec {
			start = scalar(ir.Bool, anyLane(start))
		}
		r.variable(c.sc, m, start)
		masks = append(masks, m.s[0])
	}
	in.mask = name
	loads := r.exactLoads
	for _, v := range c.copies {
		if c.masked {
			t := r.op(ir.Lt, ir.Bool, scalar(f.Index.Type, c.index()), r.end(c, v))
			in.lines = append(in.lines, set(name(v), r.op(ir.And, ir.Bool, name(v), paren(t))))
		}
	}
	if f.While != nil {
		for _, v := range c.copies {
			w := r.val(f.While, v, patch)
			in.lines = append(in.lines, set(name(v), r.op(ir.And, ir.Bool, name(v), w)))
		}
	}
	test := fmt.Sprintf("if (!(%s)) break;", strings.Join(masks, " | "))
	if c.vec {
		test = fmt.Sprintf("if (!v_any(%s)) break;", strings.Join(masks, " | "))
	}
	here := len(in.lines)
	r.body(c, in)
	if r.s.Every <= 1 || r.exactLoads != loads {
		lines := append(append(append([]string{}, in.lines[:here]...), test), in.lines[here:]...)
		r.emit(c.sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(lines, "\n"))
		return
	}
	e := r.fresh("e")
	r.emit(c.sc, "for (%s %s = %s; %s < %s;) {\nconst %s %s = s_min_%s(%s + %d, %s);\nfor (; %s < %s; %s++) {\n%s\n}\n%s\n}",
		c.ctype().c, c.index(), c.lo, c.index(), c.hi, c.ctype().c, e, c.ctype().sfx, c.index(), r.s.Every, c.hi,
		c.index(), e, c.index(), strings.Join(in.lines, "\n"), test)
}

// blockedLoop renders a fold in blocks of iterations with tables and windows, or plainly if it has use for neither.
func (r *renderer) blockedLoop(c *loop) {
	in, sc := c.in, c.sc
	b := &block{size: r.s.Table, start: r.fresh("s"), outer: newScope(ir.Set{}), fill: newScope(c.f.IndexBind)}
	in.block = b
	r.push(in)
	r.body(c, in)
	if b.tables == 0 && len(b.guards) == 0 {
		r.emit(sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(in.lines, "\n"))
		return
	}
	i, t, end := c.index(), c.ctype(), r.fresh("e")
	alt := r.gatherCopy(c)
	out := append([]string{}, b.outer.lines...)
	line := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	line("const %s %s = s_min_%s(%s + %d, %s), %s_last = %s - 1;", t.c, end, t.sfx, b.start, b.size, c.hi, i, end)
	unproven := ""
	if alt != "" {
		unproven = r.fresh("w")
		line("vi %s = (vi){};", unproven)
		r.spanTests(c, unproven, end)
	}
	line("for (%s %s = %s, %s_in = 0; %s < %s; %s += %d, %s_in += %d) {\n%s\n}", t.c, i, b.start, i, i, end, i, r.W, i, r.W, strings.Join(b.fill.lines, "\n"))
	if alt != "" {
		line("if (__builtin_expect(v_any(%s), 0)) %s {\n%s\n} else", unproven, c.header(b.start, end), alt)
	}
	line("for (%s %s = %s, %s_in = 0; %s < %s; %s++, %s_in++) {\n%s\n}", t.c, i, b.start, i, i, end, i, i, strings.Join(in.lines, "\n"))
	r.emit(sc, "for (%s %s = %s; %s < %s; %s += %d) {\n%s\n}", t.c, b.start, c.lo, b.start, c.hi, b.start, b.size, strings.Join(out, "\n"))
}

// gatherCopy is the body for blocks whose spans are not proven, empty if there is nothing to prove.
func (r *renderer) gatherCopy(c *loop) string {
	if len(c.in.block.guards) == 0 {
		return ""
	}
	in := newScope(c.in.binds)
	in.fold = c.f
	saved := r.stack
	r.stack = append(append([]*scope{}, r.stack[:len(r.stack)-1]...), in)
	r.gathering = true
	r.body(c, in)
	r.gathering = false
	r.stack = saved
	return strings.Join(in.lines, "\n")
}

// spanTests emits the proofs of a block's windows into its fill loop.
func (r *renderer) spanTests(c *loop, flag, end string) {
	b := c.in.block
	lanes := make([]string, r.W)
	for l := range lanes {
		lanes[l] = fmt.Sprint(l)
	}
	for _, g := range b.guards {
		r.inFill(c.in, func() {
			bad := r.val(g.bad, g.v, iter).asVec()
			r.emit(b.fill, "%s |= %s & ((vi){%s} < (int)(%s - %s));", flag, bad.s[0], strings.Join(lanes, ","), end, c.index())
		})
	}
}
