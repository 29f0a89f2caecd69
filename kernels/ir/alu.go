package ir

import (
	"fmt"
	"math"
)

// Alu applies an operation. Operand types must agree (the condition of Select and the target of Cast apart). Constants are
// folded where the result is exact whatever the rounding: integer arithmetic, selects and casts on constants,
// and identities that hold for every value (x+0 on integers, x-0, x*1, select of equal branches).
func (b *Builder) Alu(op Op, args ...*Node) *Node {
	info := op.Info()
	if len(args) != info.Arity || op == Cast || op == Bits {
		panic(fmt.Sprintf("ir: %s takes %d operands (got %d); use Cast and Bits for conversions", op, info.Arity, len(args)))
	}
	t := args[0].Type
	if op == Select {
		if t != Bool || args[1].Type != args[2].Type {
			panic(fmt.Sprintf("ir: select of (%s, %s, %s)", t, args[1].Type, args[2].Type))
		}
		t = args[1].Type
	} else {
		for _, a := range args {
			if a.Type != t {
				panic(fmt.Sprintf("ir: %s of mixed types %s and %s", op, t, a.Type))
			}
		}
		if !info.Takes.Has(t) {
			panic(fmt.Sprintf("ir: %s does not take %s", op, t))
		}
	}
	if info.Gives == Truth {
		t = Bool
	}
	if n := b.simplify(op, t, args); n != nil {
		return n
	}
	return b.intern(Node{Kind: KAlu, Type: t, Op: op, Args: args})
}

// Own applies an operation of a renderer's own.
func (b *Builder) Own(op Op, a *Node) *Node {
	return b.intern(Node{Kind: KAlu, Type: a.Type, Op: op, Args: []*Node{a}})
}

// Cast converts to another compute type.
func (b *Builder) Cast(t DType, a *Node) *Node {
	switch {
	case a.Type == t:
		return a
	case a.Kind == KConst && !a.Type.Float() && t.Int():
		return b.Int(t, a.I)
	case a.Kind == KConst && !a.Type.Float() && (t == Bool || float64Exact(a.I)):
		return b.Const(t, float64(a.I))
	case a.Kind == KConst && a.Type == F64 && t == F32:
		return b.Const(t, a.F)
	case t.Int() && a.Op == Cast && a.Type.Float() && a.Args[0].Type.Int() && holds(a.Type, a.Args[0]):
		return b.Cast(t, a.Args[0])
	case t == I32 && a.Type == I64 && a.Op == Cast && a.Args[0].Type == I32:
		return a.Args[0]
	case t == I32 && a.Type == I64 && (a.Op == Add || a.Op == Sub || a.Op == Mul): // whose low words follow from those of its operands
		return b.Alu(a.Op, b.Cast(t, a.Args[0]), b.Cast(t, a.Args[1]))
	}
	return b.intern(Node{Kind: KAlu, Type: t, Op: Cast, Args: []*Node{a}})
}

// holds reports whether a float type holds an integer exactly, whatever it is.
func holds(t DType, n *Node) bool {
	lo, hi, _ := RangeOf(n, nil)
	most := map[DType]float64{F32: 1 << 24, F64: 1 << 53}[t]
	return lo >= -most && hi <= most
}

// float64Exact reports whether a float64 holds an integer exactly, so that converting it to a float rounds at most once.
func float64Exact(i int64) bool { return -1<<53 <= i && i <= 1<<53 }

// Reinterpret gives a value the type t of the same size with the same bits.
func (b *Builder) Reinterpret(t DType, a *Node) *Node {
	if a.Type == t {
		return a
	}
	if a.Type.Size() != t.Size() {
		panic(fmt.Sprintf("ir: bits of %s as %s", a.Type, t))
	}
	return b.intern(Node{Kind: KAlu, Type: t, Op: Bits, Args: []*Node{a}})
}

func (b *Builder) simplify(op Op, t DType, a []*Node) *Node {
	if op == Select {
		switch {
		case a[1] == a[2]:
			return a[1]
		case a[0].Kind == KConst && a[0].I != 0:
			return a[1]
		case a[0].Kind == KConst:
			return a[2]
		}
		return nil
	}
	if op == And || op == Or {
		return b.simplifyBool(op, a)
	}
	if op == Not && a[0].Kind == KConst {
		return b.Const(Bool, float64(1-a[0].I))
	}
	if (op == Mul || op == Div) && t.Float() && a[1].IsConst(1) {
		return a[0]
	}
	if op == Mul && t.Float() && a[0].IsConst(1) {
		return a[1]
	}
	if op == Sub && t.Float() && a[1].IsConst(0) && !math.Signbit(a[1].F) {
		return a[0] // adding 0 would make another 0 of -0
	}
	if !t.Int() || len(a) != 2 {
		return nil
	}
	x, y := a[0], a[1]
	if x.Kind == KConst && y.Kind == KConst {
		switch op {
		case Add:
			return b.Int(t, x.I+y.I)
		case Sub:
			return b.Int(t, x.I-y.I)
		case Mul:
			return b.Int(t, x.I*y.I)
		case BitAnd:
			return b.Int(t, x.I&y.I)
		}
		return nil
	}
	switch {
	case (op == Add || op == Sub) && y.IsConst(0), (op == Mul || op == Div) && y.IsConst(1):
		return x
	case op == Add && x.IsConst(0), op == Mul && x.IsConst(1):
		return y
	case op == Mul && (x.IsConst(0) || y.IsConst(0)):
		return b.Int(t, 0)
	}
	return nil
}

func (b *Builder) simplifyBool(op Op, a []*Node) *Node {
	absorbing := int64(0)
	if op == Or {
		absorbing = 1
	}
	for i, x := range a {
		if x.Kind == KConst && x.I == absorbing {
			return x
		}
		if x.Kind == KConst {
			return a[1-i]
		}
	}
	if a[0] == a[1] {
		return a[0]
	}
	return nil
}

// Short forms for the common operations.
func (b *Builder) Add(x, y *Node) *Node       { return b.Alu(Add, x, y) }
func (b *Builder) Sub(x, y *Node) *Node       { return b.Alu(Sub, x, y) }
func (b *Builder) Mul(x, y *Node) *Node       { return b.Alu(Mul, x, y) }
func (b *Builder) Div(x, y *Node) *Node       { return b.Alu(Div, x, y) }
func (b *Builder) Mod(x, y *Node) *Node       { return b.Alu(Mod, x, y) }
func (b *Builder) Neg(x *Node) *Node          { return b.Alu(Neg, x) }
func (b *Builder) Abs(x *Node) *Node          { return b.Alu(Abs, x) }
func (b *Builder) Min(x, y *Node) *Node       { return b.Alu(Min, x, y) }
func (b *Builder) Max(x, y *Node) *Node       { return b.Alu(Max, x, y) }
func (b *Builder) Lt(x, y *Node) *Node        { return b.Alu(Lt, x, y) }
func (b *Builder) Le(x, y *Node) *Node        { return b.Alu(Le, x, y) }
func (b *Builder) And(x, y *Node) *Node       { return b.Alu(And, x, y) }
func (b *Builder) Or(x, y *Node) *Node        { return b.Alu(Or, x, y) }
func (b *Builder) Not(x *Node) *Node          { return b.Alu(Not, x) }
func (b *Builder) Sqrt(x *Node) *Node         { return b.Alu(Sqrt, x) }
func (b *Builder) Select(c, x, y *Node) *Node { return b.Alu(Select, c, x, y) }
