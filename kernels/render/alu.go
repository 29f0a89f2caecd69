package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// alu renders an Alu node.
func (r *renderer) alu(n *ir.Node, v int, m layout) value {
	if x, ok := r.fraction(n, v, m); ok {
		return x
	}
	if x, ok := r.selectAdd(n, v, m); ok {
		return x
	}
	args := make([]value, len(n.Args))
	for i, a := range n.Args {
		args[i] = r.val(a, v, m)
	}
	if from := n.Args[0]; n.Op == ir.Cast && n.Type.Float() && from.Type.Int() && from.Op == ir.Cast && from.Args[0].Type.Float() {
		args[0] = opaque(args[0])
	}
	return r.op(n.Op, n.Type, args...)
}

// opaque keeps a compiler from making one truncation, which knows a minus zero, of a cast to an integer and back.
func opaque(x value) value {
	sfx := ctypes[x.t].sfx
	if !x.vec {
		return scalar(x.t, fmt.Sprintf("s_opaque_%s(%s)", sfx, x.s[0]))
	}
	return each(x.t, func(h int) string { return fmt.Sprintf("v_opaque_%s(%s)", sfx, x.s[h]) })
}

// op applies an operation to values; t is the type of the result.
func (r *renderer) op(o ir.Op, t ir.DType, a ...value) value {
	vec, info := false, o.Info()
	for _, x := range a {
		vec = vec || x.vec
	}
	switch {
	case o == ir.Cast || o == ir.Bits:
		return convert(o, t, a[0])
	case o == ir.Select:
		return choose(a[0], a[1], a[2])
	case o == laneMin || o == laneMax:
		return lanewise(o, a[0])
	case info.Gives == ir.Truth && info.Takes != ir.Bools:
		return compare(o, a[0], a[1], vec)
	}
	text := func(arg func(x value) string) string {
		switch {
		case r.wraps(o, t): // a function of the prelude
		case o == ir.Not && vec: // a mask
			return "~" + arg(a[0])
		case info.Written.Has(a[0].t) && info.Arity == 1:
			return info.Symbol + arg(a[0])
		case info.Written.Has(a[0].t):
			return arg(a[0]) + " " + info.Symbol + " " + arg(a[1])
		}
		if x, ok := powerOfTwo(o, t, a, arg); ok {
			return x
		}
		prefix := "s"
		if vec {
			prefix = "v"
		}
		list := arg(a[0])
		for _, x := range a[1:] {
			list += ", " + arg(x)
		}
		return fmt.Sprintf("%s_%s_%s(%s)", prefix, o, ctypes[t].sfx, list)
	}
	if !vec {
		return scalar(t, text(func(x value) string { return x.s[0] }))
	}
	return each(t, func(h int) string { return text(func(x value) string { return x.part(h) }) })
}

// powerOfTwo renders an integer division or remainder by a constant power of two as a shift or a mask, which round down
// as the IR's do.
func powerOfTwo(o ir.Op, t ir.DType, a []value, arg func(value) string) (string, bool) {
	if !t.Int() || o != ir.Div && o != ir.Mod || a[1].vec {
		return "", false
	}
	var c int64
	if _, err := fmt.Sscanf(a[1].s[0], "%d", &c); err != nil || c <= 0 || c&(c-1) != 0 {
		return "", false
	}
	if o == ir.Mod {
		return fmt.Sprintf("%s & %d", arg(a[0]), c-1), true
	}
	k := 0
	for ; c > 1; c /= 2 {
		k++
	}
	return fmt.Sprintf("%s >> %d", arg(a[0]), k), true
}

func compare(o ir.Op, x, y value, vec bool) value {
	symbol := o.Info().Symbol
	if !vec {
		return scalar(ir.Bool, x.s[0]+" "+symbol+" "+y.s[0])
	}
	part := func(h int) string { return "(" + x.part(h) + " " + symbol + " " + y.part(h) + ")" }
	if schedule.Registers(x.t) == 1 {
		return vector(ir.Bool, part(0))
	}
	return vector(ir.Bool, fmt.Sprintf("cvt_li((vl)%s, (vl)%s)", part(0), part(1)))
}

// The renderer's own operations: the least and the greatest value over the lanes of a patch.
const (
	laneMin = ir.OwnOp + iota
	laneMax
)

// lanewise is the least or largest lane, NaN apart.
func lanewise(o ir.Op, x value) value {
	if !x.vec {
		return x
	}
	fn := map[ir.Op]string{laneMin: "v_low", laneMax: "v_high"}[o]
	return scalar(x.t, fmt.Sprintf("%s_%s(%s)", fn, ctypes[x.t].sfx, strings.Join(x.s[:schedule.Registers(x.t)], ", ")))
}

// choose is c ? x : y.
func choose(c, x, y value) value {
	vec := c.vec || x.vec || y.vec
	if !c.vec {
		if !vec {
			return scalar(x.t, c.s[0]+" ? "+x.s[0]+" : "+y.s[0])
		}
		return each(x.t, func(h int) string { return c.s[0] + " ? " + x.part(h) + " : " + y.part(h) })
	}
	sfx := ctypes[x.t].sfx
	if x.t == ir.Bool {
		sfx = "i"
	}
	return each(x.t, func(h int) string {
		return fmt.Sprintf("sel_%s(%s, %s, %s)", sfx, maskPart(c, x.t, h), x.part(h), y.part(h))
	})
}

// maskPart is a Bool vector as wide as part h of a value of type t.
func maskPart(c value, t ir.DType, h int) string {
	if schedule.Registers(t) == 1 {
		return c.part(0)
	}
	return fmt.Sprintf("wide%d(%s)", h, c.part(0))
}

// convert renders Cast and Bits.
func convert(o ir.Op, t ir.DType, x value) value {
	from, to := ctypes[x.t], ctypes[t]
	switch {
	case x.t == t:
		return x
	case o == ir.Bits && !x.vec:
		return scalar(t, fmt.Sprintf("s_bits_%s%s(%s)", from.sfx, to.sfx, x.s[0]))
	case o == ir.Bits:
		return each(t, func(h int) string { return "(" + to.v + ")" + x.s[h] })
	case t == ir.Bool && !x.vec:
		return scalar(t, x.s[0]+" != 0")
	case t == ir.Bool && schedule.Registers(x.t) == 1:
		return vector(t, "("+x.s[0]+" != 0)")
	case t == ir.Bool:
		return vector(t, fmt.Sprintf("cvt_li((vl)(%s != 0), (vl)(%s != 0))", x.s[0], x.s[1]))
	case !x.vec:
		return scalar(t, "("+to.c+")"+x.s[0])
	case x.t == ir.Bool:
		return convert(o, t, vector(ir.I32, "-"+x.s[0]))
	}
	fn := "cvt_" + from.sfx + to.sfx
	switch {
	case schedule.Registers(x.t) < schedule.Registers(t):
		return each(t, func(h int) string { return fmt.Sprintf("%s%d(%s)", fn, h, x.s[0]) })
	case schedule.Registers(x.t) > schedule.Registers(t):
		return vector(t, fmt.Sprintf("%s(%s, %s)", fn, x.s[0], x.s[1]))
	}
	return each(t, func(h int) string { return fmt.Sprintf("%s(%s)", fn, x.s[h]) })
}

// fraction renders x - rint(x), which some machines have as one instruction.
func (r *renderer) fraction(n *ir.Node, v int, m layout) (value, bool) {
	if n.Op != ir.Sub || !n.Type.Float() || n.Args[1].Op != ir.Rint || n.Args[1].Args[0] != n.Args[0] || !r.isVec(n, m) {
		return value{}, false
	}
	x := r.val(n.Args[0], v, m)
	if !x.vec {
		return value{}, false
	}
	return each(n.Type, func(h int) string { return fmt.Sprintf("v_frac_%s(%s)", ctypes[n.Type].sfx, x.s[h]) }), true
}

// selectAdd renders c ? a+w : a as a + (c ? w : -0), and c ? a|w : a as a | (c ? w : 0): the accumulator then passes
// through one operation. Minus zero is exact for every a, plus zero would turn -0 into +0.
func (r *renderer) selectAdd(n *ir.Node, v int, m layout) (value, bool) {
	if n.Op != ir.Select || !r.isVec(n.Args[0], m) {
		return value{}, false
	}
	sum, a := n.Args[1], n.Args[2]
	isAdd := sum.Op == ir.Add && n.Type.Float()
	if sum.Kind != ir.KAlu || !isAdd && sum.Op != ir.BitOr || sum.Args[0] != a {
		return value{}, false
	}
	zero := scalar(n.Type, "0")
	if isAdd {
		zero = scalar(n.Type, "-0.0")
	}
	w := choose(r.val(n.Args[0], v, m), r.val(sum.Args[1], v, m), zero)
	for h := range w.s {
		w.s[h] = "(" + w.s[h] + ")"
	}
	return r.op(sum.Op, n.Type, r.val(a, v, m), w), true
}
