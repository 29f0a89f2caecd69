package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// savedBytes bounds what points keep on the stack between the parts of a split fold.
const savedBytes = 48 << 10

// flat writes the function whose lanes are points of the tile one after the other. What is left over in the last vectors
// repeats the last point. With a split fold, some points take all of a part of its iterations before the next part begins,
// so that what these iterations load stays near.
func (u *unit) flat(s schedule.CPU, out Output) Output {
	r := u.renderer(s)
	r.clamp = true // coordinates of lanes follow no pattern
	for _, a := range u.k.Axes {
		r.lanes = r.lanes.Or(a.Bind())
	}
	if s.Split > 0 {
		r.parted = schedule.Outermost(u.k, u.t)
	}
	root, in := newScope(ir.Set{}), newScope(r.lanes)
	r.stack = []*scope{root, in}
	for _, st := range outputs(u.k.Stores) {
		r.store(st)
	}
	u.bufs = r.bufs
	out.Loads, out.Tables = r.loads, r.tables
	out.Step = schedule.FlatStep(u.k, u.t)
	counters, collect := u.count.declared()
	out.Source = fmt.Sprintf("void %s(const weft_args *a) {\n%s\n%s%s\n%s\n%s}\n", u.name, r.pointers(), counters, strings.Join(root.lines, "\n"), r.flatLoops(in), collect)
	out.Bufs, out.Args = u.bufs, u.argList
	if u.count != nil {
		out.Counted = u.count.folds
	}
	return out
}

// flatLoops are the loops over chunks of the tile's points, parts of the split fold, and vectors.
func (r *renderer) flatLoops(in *scope) string {
	var text strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&text, format+"\n", a...) }
	var names []string
	points := "1L"
	for q, a := range r.k.Axes {
		x := axisName(a)
		names = append(names, x)
		line("const int %s_lo = a->lo[%d], %s_hi = a->hi[%d]; int %s = %s_lo;", x, q, x, q, x, x)
		points += fmt.Sprintf(" * (%s_hi - %s_lo)", x, x)
	}
	step := r.W * r.V
	line("const long points = %s;", points)
	split := r.parted != nil && r.saved > 0
	if split {
		vectors := max(1, savedBytes/(4*r.W*r.saved)/r.V) * r.V
		line("char saved[%d] __attribute__((aligned(64)));", vectors*4*r.W*r.saved)
		line("enum { SAVED = %d };", r.saved)
		line("for (long from = 0; from < points; from += %d) {", vectors*r.W)
		line("const long to = s_min_l(from + %d, points);", vectors*r.W)
		for _, x := range names {
			line("const int %s_from = %s;", x, x)
		}
		line("for (int part = %d; part < %d; part += %d) {", r.parted.Lo.I, r.parted.Hi.I, r.s.Split)
		line("const int part_end = s_min_i(part + %d, %d);", r.s.Split, r.parted.Hi.I)
		for _, x := range names {
			line("%s = %s_from;", x, x)
		}
	} else {
		line("{ { const long from = 0, to = points;")
	}
	line("for (long point = from; point < to; point += %d) {", step)
	for _, x := range names {
		line("int %s_at[%d] __attribute__((aligned(64)));", x, step)
	}
	line("for (int l = 0; l < %d; l++) {", step)
	for _, x := range names {
		line("%s_at[l] = %s;", x, x)
	}
	line("if (point + l + 1 < points) {")
	next := ""
	for i := range names {
		x := names[i]
		if i == 0 {
			next = fmt.Sprintf("%s++;", x)
		} else {
			next = fmt.Sprintf("if (++%s == %s_hi) { %s = %s_lo; %s }", x, x, x, x, next)
		}
	}
	line("%s\n}\n}", next)
	line("%s\n}\n}\n}", strings.Join(in.lines, "\n"))
	return text.String()
}

// resume gives the accumulators of a fold around which points are split into parts what they were after the part before:
// the split fold goes on, others are over. It reports whether there is something to keep for the next part.
func (r *renderer) resume(c *loop, at int) bool {
	f := c.f
	if r.parted == nil || at != 1 || c.masked || f.While != nil || f.Monoid == ir.Any || f.Monoid == ir.All || !c.vec || f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst {
		return false
	}
	c.kept = r.saved
	for _, a := range f.Accs {
		r.saved += schedule.Registers(a.Type)
	}
	if f == r.parted {
		r.emit(c.sc, "if (part != %d) {%s}", f.Lo.I, r.kept(c, func(name, place string) string { return fmt.Sprintf(" %s = %s;", name, place) }))
		c.lo, c.hi = "part", "part_end"
	} else {
		c.hi = fmt.Sprintf("(part == %d ? %s : %s)", r.parted.Lo.I, c.hi, c.lo)
	}
	return true
}

// suspend keeps the accumulators for the next part. Only the last part goes on to what follows the split fold.
func (r *renderer) suspend(c *loop) {
	keep := r.kept(c, func(name, place string) string { return fmt.Sprintf(" %s = %s;", place, name) })
	if c.f != r.parted {
		load := r.kept(c, func(name, place string) string { return fmt.Sprintf(" %s = %s;", name, place) })
		r.emit(c.sc, "if (part == %d) {%s} else {%s}", r.parted.Lo.I, keep, load)
		return
	}
	r.emit(c.sc, "if (part_end != %d) {%s continue; }", r.parted.Hi.I, keep)
}

// kept visits the accumulators' registers with their places in memory.
func (r *renderer) kept(c *loop, visit func(name, place string) string) string {
	text := ""
	slot := c.kept
	for _, a := range c.f.Accs {
		for h := range schedule.Registers(a.Type) {
			for _, v := range c.copies {
				place := fmt.Sprintf("*(%s *)(saved + ((point - from) * SAVED + %d) * 4)", ctypes[a.Type].v, (slot*r.V+v)*r.W)
				text += visit(r.accName(a, v).s[h], place)
			}
			slot++
		}
	}
	return text
}
