package tree

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Operations of the generator's own: the least and the greatest value over the lanes of a tile.
const (
	LaneMin = ir.OwnOp + iota
	LaneMax
)

// Opaque keeps a compiler from making one truncation, which knows a minus zero, of a cast to an integer and back.
func Opaque(x Value) Value {
	if !x.Vec {
		return Scalar(x.Type, Call(Fn("s_opaque", x.Type), x.Regs[0]))
	}
	return Each(x.Type, func(h int) *Expr { return Call(Fn("v_opaque", x.Type), x.Regs[h]) })
}

// Op applies an operation to values; t is the type of the result.
func Op(o ir.Op, t ir.DType, a ...Value) Value {
	vec, info := false, o.Info()
	for _, x := range a {
		vec = vec || x.Vec
	}
	switch {
	case o == ir.Cast || o == ir.Bits:
		return convert(o, t, a[0])
	case o == ir.Select:
		return Select(a[0], a[1], a[2])
	case o == LaneMin:
		return Scalar(t, a[0].Reduced("v_low"))
	case o == LaneMax:
		return Scalar(t, a[0].Reduced("v_high"))
	case info.Gives == ir.Truth && info.Takes != ir.Bools:
		return Compare(o, a[0], a[1], vec)
	}
	part := func(h int) *Expr {
		args := make([]*Expr, len(a))
		for i, x := range a {
			if args[i] = x.Regs[0]; vec {
				args[i] = x.Part(h)
			}
		}
		return arithmetic(o, t, vec, args)
	}
	if !vec {
		return Scalar(t, part(0))
	}
	if t == ir.Bool && !slices.ContainsFunc(a, func(x Value) bool { return x.Halves[0] == nil }) {
		half := func(h int) *Expr {
			args := make([]*Expr, len(a))
			for i, x := range a {
				args[i] = x.Halves[h]
			}
			return arithmetic(o, t, vec, args)
		}
		return truths(half(0), half(1))
	}
	return Each(t, part)
}

// MulAdd is a sum or difference of which one operand is the product of a and b and the other is c, in one rounding.
func MulAdd(o ir.Op, product int, a, b, c Value) Value {
	name := "fma"
	if o == ir.Sub {
		name = [2]string{"fms", "fnma"}[product]
	}
	return Function(name, a, b, c)
}

// Function applies a function of the preludes to operands of one type, which is that of its result.
func Function(name string, a ...Value) Value {
	t := a[0].Type
	part := func(prefix string, of func(x Value) *Expr) *Expr {
		args := make([]*Expr, len(a))
		for i, x := range a {
			args[i] = of(x)
		}
		return Call(Fn(prefix+name, t), args...)
	}
	if !slices.ContainsFunc(a, func(x Value) bool { return x.Vec }) {
		return Scalar(t, part("s_", func(x Value) *Expr { return x.Regs[0] }))
	}
	return Each(t, func(h int) *Expr { return part("v_", func(x Value) *Expr { return x.Part(h) }) })
}

// arithmetic is an operation on scalars or registers.
func arithmetic(o ir.Op, t ir.DType, vec bool, args []*Expr) *Expr {
	info := o.Info()
	name, symbol, wrap := Fn(map[bool]string{false: "s_", true: "v_"}[vec]+info.Name, t), info.Symbol, ""
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

// Compare is whether a comparison holds: a mask, for vectors.
func Compare(o ir.Op, x, y Value, vec bool) Value {
	if !vec {
		return Scalar(ir.Bool, Bin(o.Info().Symbol, x.Regs[0], y.Regs[0]))
	}
	return Narrowed(x.Type, func(h int) *Expr { return Bin(o.Info().Symbol, x.Part(h), y.Part(h)) })
}

// Narrowed is a Bool vector of comparisons of values of type t, register by register.
func Narrowed(t ir.DType, test func(h int) *Expr) Value {
	if schedule.Registers(t) == 1 {
		return Vector(ir.Bool, test(0))
	}
	return truths(Cast("vl", test(0)), Cast("vl", test(1)))
}

// truths are those of which each half is as wide as registers of two are: what chooses between such values takes them so, and does not make one register of them first.
func truths(low, high *Expr) Value {
	x := Vector(ir.Bool, Call("cvt_li", low, high))
	x.Halves = [2]*Expr{low, high}
	return x
}

// And is x and y.
func And(x, y Value) Value { return Op(ir.And, ir.Bool, x, y) }

// Or is x or y.
func Or(x, y Value) Value { return Op(ir.Or, ir.Bool, x, y) }

// Not is not x.
func Not(x Value) Value { return Op(ir.Not, ir.Bool, x) }

// Select is c ? x : y.
func Select(c, x, y Value) Value {
	if !c.Vec {
		if !x.Vec && !y.Vec {
			return Scalar(x.Type, Choose(c.Regs[0], x.Regs[0], y.Regs[0]))
		}
		return Each(x.Type, func(h int) *Expr { return Choose(c.Regs[0], x.Part(h), y.Part(h)) })
	}
	name := Fn("sel", x.Type)
	if x.Type == ir.Bool {
		name = "sel_i"
	}
	return Each(x.Type, func(h int) *Expr { return Call(name, MaskPart(c, x.Type, h), x.Part(h), y.Part(h)) })
}

// MaskPart is a Bool vector as wide as register h of a value of type t.
func MaskPart(c Value, t ir.DType, h int) *Expr {
	if schedule.Registers(t) == 1 {
		return c.Part(0)
	}
	if c.Halves[h] != nil {
		return c.Halves[h]
	}
	return Call(fmt.Sprintf("wide%d", h), c.Part(0))
}

// convert computes Cast and Bits.
func convert(o ir.Op, t ir.DType, x Value) Value {
	from, to := Spelled[x.Type], Spelled[t]
	switch {
	case x.Type == t:
		return x
	case o == ir.Bits && !x.Vec:
		return Scalar(t, Call("s_bits_"+from.Suffix+to.Suffix, x.Regs[0]))
	case o == ir.Bits:
		return Each(t, func(h int) *Expr { return Cast(to.Vector, x.Regs[h]) })
	case t == ir.Bool && !x.Vec:
		return Scalar(t, Bin("!=", x.Regs[0], Int(0)))
	case t == ir.Bool:
		return Narrowed(x.Type, func(h int) *Expr { return Bin("!=", x.Regs[h], Int(0)) })
	case !x.Vec:
		return Scalar(t, Cast(to.Scalar, x.Regs[0]))
	case x.Type == ir.Bool:
		return convert(o, t, Vector(ir.I32, Pre("-", x.Regs[0])))
	}
	name := "cvt_" + from.Suffix + to.Suffix
	switch {
	case schedule.Registers(x.Type) < schedule.Registers(t):
		return Each(t, func(h int) *Expr { return Call(fmt.Sprintf("%s%d", name, h), x.Regs[0]) })
	case schedule.Registers(x.Type) > schedule.Registers(t):
		return Vector(t, Call(name, x.List()...))
	}
	return Each(t, func(h int) *Expr { return Call(name, x.Regs[h]) })
}

// TakeBetter takes over a candidate that is better than the best so far, or than none yet, or as good and before it.
func TakeBetter(f *ir.Fold, value, best, at, bestAt *Expr, take ...Stmt) Stmt {
	worse := map[ir.Monoid]string{ir.ArgMin: ">=", ir.ArgMax: "<="}[f.Monoid]
	better := Bin("&&", Bin("==", value, value), Pre("!", Bin(worse, value, best)))
	first := Bin("&&", Bin("==", value, best), Bin("<", at, bestAt))
	return If{Cond: Bin("||", better, first), Then: take}
}

// Join joins what an accumulator starts from with the joined shares.
func Join(m ir.Monoid, init, shares Value) Value {
	if m == ir.Smallest || m == ir.Largest {
		init, shares = shares, init
	}
	return Op(schedule.JoinOps[m], init.Type, init, shares)
}

// Divided is an integer division or remainder by a positive constant, rounded down: by a power of two as a shift or a mask, which do so; by another as
// compilers write it for vectors, of what is not less than -up times it, so that adding as much leaves nothing below 0.
func Divided(op ir.Op, x Value, by, up int64) Value {
	one := func(e *Expr) *Expr {
		power := by&(by-1) == 0
		switch {
		case power && op == ir.Mod:
			return Bin("&", e, Int(by-1))
		case power:
			return Bin(">>", e, Int(bits.TrailingZeros64(uint64(by))))
		}
		if up > 0 {
			e = Bin("+", e, Int(up*by))
		}
		if op == ir.Mod {
			return Bin("%", e, Int(by))
		}
		if e = Bin("/", e, Int(by)); up > 0 {
			e = Bin("-", e, Int(up))
		}
		return e
	}
	if !x.Vec {
		return Scalar(x.Type, one(x.Regs[0]))
	}
	return Each(x.Type, func(h int) *Expr { return one(x.Regs[h]) })
}

// PartFunc is the prelude function that yields register h of a loaded vector.
func PartFunc(what string, n *ir.Node, h int) string {
	if schedule.Registers(n.Type) == 1 {
		return fmt.Sprintf("%s_%s", what, n.Buf.Type)
	}
	return fmt.Sprintf("%s_%s_%d", what, n.Buf.Type, h)
}

// InnerLimit cuts the innermost index of a covered load to the padding next to its row, below lanes before it.
func InnerLimit(n *ir.Node, x Value, before int) Value {
	x = Op(ir.Max, x.Type, x, Scalar(x.Type, Int(-before)))
	return Op(ir.Min, x.Type, x, Scalar(x.Type, Int(n.Buf.Shape[len(n.Buf.Shape)-1])))
}

// StoreElement stores one element; adds: to what is there.
func StoreElement(t ir.DType, adds bool, p, x *Expr) Stmt {
	name := "s_store_"
	if adds {
		name = "s_more_"
	}
	return Do(Call(name+t.String(), p, x))
}
