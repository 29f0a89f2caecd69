package codegen

import (
	"fmt"
	"math/bits"

	. "weft/kernels/codegen/expr"
	"weft/kernels/ir"
)

// Operations of the generator's own: the least and the greatest value over the lanes of a tile.
const (
	laneMin = ir.OwnOp + iota
	laneMax
)

// alu computes an Alu node.
func (g *gen) alu(n *ir.Node, v int, m layout) value {
	if x, ok := g.fraction(n, v, m); ok {
		return x
	}
	if x, ok := g.selectAdd(n, v, m); ok {
		return x
	}
	if x, ok := g.powerOfTwo(n, v, m); ok {
		return x
	}
	args := make([]value, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.val(a, v, m)
	}
	if from := n.Args[0]; n.Op == ir.Cast && n.Type.Float() && from.Type.Int() && from.Op == ir.Cast && from.Args[0].Type.Float() {
		args[0] = opaque(args[0])
	}
	return op(n.Op, n.Type, args...)
}

// opaque keeps a compiler from making one truncation, which knows a minus zero, of a cast to an integer and back.
func opaque(x value) value {
	if !x.vec {
		return scalar(x.t, Call(fn("s_opaque", x.t), x.e[0]))
	}
	return each(x.t, func(h int) *Expr { return Call(fn("v_opaque", x.t), x.e[h]) })
}

// op applies an operation to values; t is the type of the result.
func op(o ir.Op, t ir.DType, a ...value) value {
	vec, info := false, o.Info()
	for _, x := range a {
		vec = vec || x.vec
	}
	switch {
	case o == ir.Cast || o == ir.Bits:
		return convert(o, t, a[0])
	case o == ir.Select:
		return choose(a[0], a[1], a[2])
	case o == laneMin:
		return scalar(t, a[0].reduced("v_low"))
	case o == laneMax:
		return scalar(t, a[0].reduced("v_high"))
	case info.Gives == ir.Truth && info.Takes != ir.Bools:
		return compare(o, a[0], a[1], vec)
	}
	part := func(h int) *Expr {
		args := make([]*Expr, len(a))
		for i, x := range a {
			if args[i] = x.e[0]; vec {
				args[i] = x.part(h)
			}
		}
		return arithmetic(o, t, vec, args)
	}
	if !vec {
		return scalar(t, part(0))
	}
	return each(t, part)
}

// arithmetic is an operation on scalars or registers.
func arithmetic(o ir.Op, t ir.DType, vec bool, args []*Expr) *Expr {
	info := o.Info()
	name, symbol, wrap := fn(map[bool]string{false: "s_", true: "v_"}[vec]+info.Name, t), info.Symbol, ""
	if !info.Written.Has(t) {
		return Call(name, args...)
	}
	if o == ir.Not && vec { // a mask
		symbol = "~"
	}
	if t.Int() && o != ir.BitAnd && o != ir.BitOr && o != ir.BitXor {
		wrap = name
	}
	return Apply(symbol, wrap, args...)
}

// powerOfTwo is an integer division or remainder by a constant power of two: a shift or a mask, which round down as the IR's do.
func (g *gen) powerOfTwo(n *ir.Node, v int, m layout) (value, bool) {
	if !n.Type.Int() || n.Op != ir.Div && n.Op != ir.Mod {
		return value{}, false
	}
	d := n.Args[1]
	if d.Kind != ir.KConst || d.I <= 0 || d.I&(d.I-1) != 0 {
		return value{}, false
	}
	x := g.val(n.Args[0], v, m)
	by := func(e *Expr) *Expr {
		if n.Op == ir.Mod {
			return Bin("&", e, Int(d.I-1))
		}
		return Bin(">>", e, Int(bits.TrailingZeros64(uint64(d.I))))
	}
	if !x.vec {
		return scalar(n.Type, by(x.e[0])), true
	}
	return each(n.Type, func(h int) *Expr { return by(x.e[h]) }), true
}

func compare(o ir.Op, x, y value, vec bool) value {
	if !vec {
		return scalar(ir.Bool, Bin(o.Info().Symbol, x.e[0], y.e[0]))
	}
	return narrowed(x.t, func(h int) *Expr { return Bin(o.Info().Symbol, x.part(h), y.part(h)) })
}

// narrowed is a Bool vector of comparisons of values of type t, register by register.
func narrowed(t ir.DType, test func(h int) *Expr) value {
	if registers(t) == 1 {
		return vector(ir.Bool, test(0))
	}
	return vector(ir.Bool, Call("cvt_li", Cast("vl", test(0)), Cast("vl", test(1))))
}

func and(x, y value) value { return op(ir.And, ir.Bool, x, y) }
func or(x, y value) value  { return op(ir.Or, ir.Bool, x, y) }
func not(x value) value    { return op(ir.Not, ir.Bool, x) }

// choose is c ? x : y.
func choose(c, x, y value) value {
	if !c.vec {
		if !x.vec && !y.vec {
			return scalar(x.t, Choose(c.e[0], x.e[0], y.e[0]))
		}
		return each(x.t, func(h int) *Expr { return Choose(c.e[0], x.part(h), y.part(h)) })
	}
	name := fn("sel", x.t)
	if x.t == ir.Bool {
		name = "sel_i"
	}
	return each(x.t, func(h int) *Expr { return Call(name, maskPart(c, x.t, h), x.part(h), y.part(h)) })
}

// maskPart is a Bool vector as wide as register h of a value of type t.
func maskPart(c value, t ir.DType, h int) *Expr {
	if registers(t) == 1 {
		return c.part(0)
	}
	return Call(fmt.Sprintf("wide%d", h), c.part(0))
}

// convert computes Cast and Bits.
func convert(o ir.Op, t ir.DType, x value) value {
	from, to := types[x.t], types[t]
	switch {
	case x.t == t:
		return x
	case o == ir.Bits && !x.vec:
		return scalar(t, Call("s_bits_"+from.sfx+to.sfx, x.e[0]))
	case o == ir.Bits:
		return each(t, func(h int) *Expr { return Cast(to.v, x.e[h]) })
	case t == ir.Bool && !x.vec:
		return scalar(t, Bin("!=", x.e[0], Int(0)))
	case t == ir.Bool:
		return narrowed(x.t, func(h int) *Expr { return Bin("!=", x.e[h], Int(0)) })
	case !x.vec:
		return scalar(t, Cast(to.c, x.e[0]))
	case x.t == ir.Bool:
		return convert(o, t, vector(ir.I32, Pre("-", x.e[0])))
	}
	name := "cvt_" + from.sfx + to.sfx
	switch {
	case registers(x.t) < registers(t):
		return each(t, func(h int) *Expr { return Call(fmt.Sprintf("%s%d", name, h), x.e[0]) })
	case registers(x.t) > registers(t):
		return vector(t, Call(name, x.list()...))
	}
	return each(t, func(h int) *Expr { return Call(name, x.e[h]) })
}

// fraction is x - rint(x), which some machines have as one instruction.
func (g *gen) fraction(n *ir.Node, v int, m layout) (value, bool) {
	if n.Op != ir.Sub || !n.Type.Float() || n.Args[1].Op != ir.Rint || n.Args[1].Args[0] != n.Args[0] || !g.isVec(n, m) {
		return value{}, false
	}
	x := g.val(n.Args[0], v, m)
	if !x.vec {
		return value{}, false
	}
	return each(n.Type, func(h int) *Expr { return Call(fn("v_frac", n.Type), x.e[h]) }), true
}

// selectAdd is c ? a+w : a as a + (c ? w : -0), and c ? a|w : a as a | (c ? w : 0): the accumulator then passes
// through one operation. Minus zero is exact for every a, plus zero would turn -0 into +0.
func (g *gen) selectAdd(n *ir.Node, v int, m layout) (value, bool) {
	if n.Op != ir.Select || !g.isVec(n.Args[0], m) {
		return value{}, false
	}
	sum, a := n.Args[1], n.Args[2]
	isAdd := sum.Op == ir.Add && n.Type.Float()
	if sum.Kind != ir.KAlu || !isAdd && sum.Op != ir.BitOr || sum.Args[0] != a {
		return value{}, false
	}
	w := choose(g.val(n.Args[0], v, m), g.val(sum.Args[1], v, m), minusZero(n.Type))
	return op(sum.Op, n.Type, g.val(a, v, m), w), true
}
