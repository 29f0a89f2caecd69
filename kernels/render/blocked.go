package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
)

// blockedLoop renders a fold in blocks of iterations with tables and windows, or plainly if it has use for neither.
func (r *renderer) blockedLoop(c *loop) {
	in, sc := c.in, c.sc
	b := &block{size: max(r.s.Table, r.s.AccBlock), start: r.fresh("s"), outer: newScope(ir.Set{}), fill: newScope(c.f.IndexBind)}
	if r.s.Table > 0 {
		in.block = b
	}
	if r.s.AccBlock > 0 {
		r.narrowSums(c, b)
	}
	r.push(in)
	r.body(c, in)
	if b.tables == 0 && len(b.guards) == 0 && len(c.narrow) == 0 {
		r.emit(sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(in.lines, "\n"))
		return
	}
	i, t, end := c.index(), c.ctype(), r.fresh("e")
	alt := ""
	if len(b.guards) > 0 {
		alt = r.gatherCopy(c)
	}
	out := append([]string{}, b.outer.lines...)
	line := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	line("const %s %s = s_min_%s(%s + %d, %s), %s_last = %s - 1;", t.c, end, t.sfx, b.start, b.size, c.hi, i, end)
	unproven := ""
	if alt != "" {
		unproven = r.fresh("w")
		line("vi %s = (vi){};", unproven)
		r.spanTests(c, unproven, end)
	}
	if len(b.fill.lines) > 0 {
		line("for (%s %s = %s, %s_in = 0; %s < %s; %s += %d, %s_in += %d) {\n%s\n}", t.c, i, b.start, i, i, end, i, r.W, i, r.W, strings.Join(b.fill.lines, "\n"))
	}
	if alt != "" {
		line("if (__builtin_expect(v_any(%s), 0)) %s {\n%s\n} else", unproven, c.header(b.start, end), alt)
	}
	line("for (%s %s = %s, %s_in = 0; %s < %s; %s++, %s_in++) {\n%s\n}", t.c, i, b.start, i, i, end, i, i, strings.Join(in.lines, "\n"))
	out = append(out, r.widenSums(c)...)
	r.emit(sc, "for (%s %s = %s; %s < %s; %s += %d) {\n%s\n}", t.c, b.start, c.lo, b.start, c.hi, b.start, b.size, strings.Join(out, "\n"))
}

// gatherCopy is the body for blocks whose spans are not proven.
func (r *renderer) gatherCopy(c *loop) string {
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
