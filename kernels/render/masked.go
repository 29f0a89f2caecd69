package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
)

// maskedLoop renders a fold that lanes leave at different times: by their own bounds, or by the while condition.
func (r *renderer) maskedLoop(c *loop) {
	f, in := c.f, c.in
	lanewise := c.masked || f.While != nil && r.differs(f.While)
	depth := len(r.stack) - 1
	var count *tally
	if f.While != nil {
		count = r.counting(c)
	}
	r.push(in)
	if !lanewise {
		r.emit(in, "if (!(%s)) break;", r.val(f.While, 0, patch).s[0])
		in.lines = append(in.lines, count.ran("1")...)
		r.body(c, in)
		r.emit(c.sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(in.lines, "\n"))
		return
	}
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
		if on, ok := r.active(depth, r.vary.Of(f.Node), v); ok {
			start = on
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
		lines := append(append(append(append([]string{}, in.lines[:here]...), test), count.ran("1")...), in.lines[here:]...)
		r.emit(c.sc, "%s {\n%s\n}", c.header(c.lo, c.hi), strings.Join(lines, "\n"))
		return
	}
	e := r.fresh("e")
	r.emit(c.sc, "for (%s %s = %s; %s < %s;) {\nconst %s %s = s_min_%s(%s + %d, %s);%s\nfor (; %s < %s; %s++) {\n%s\n}\n%s\n}",
		c.ctype().c, c.index(), c.lo, c.index(), c.hi, c.ctype().c, e, c.ctype().sfx, c.index(), r.s.Every, c.hi, count.block(e),
		c.index(), e, c.index(), strings.Join(in.lines, "\n"), test)
}
