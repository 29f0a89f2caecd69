package tree

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Value is a computed value: a scalar, or a vector in as many registers as its type takes.
type Value struct {
	Type   ir.DType
	Vec    bool
	Regs   [2]*Expr
	Halves [2]*Expr // of truths about values of two registers: as wide as each of these; nil otherwise
}

// Spelling is how a type is spelled: scalar, vector, and the suffix of prelude functions.
type Spelling struct{ Scalar, Vector, Suffix string }

// Spelled is how values of a type are spelled.
var Spelled = map[ir.DType]Spelling{
	ir.Bool: {"int", "vi", "b"},
	ir.I32:  {"int", "vi", "i"},
	ir.I64:  {"long long", "vl", "l"},
	ir.F32:  {"float", "vf", "f"},
	ir.F64:  {"double", "vd", "d"},
}

// Storage is how a buffer's elements are declared.
var Storage = map[ir.DType]string{
	ir.Bool: "unsigned char", ir.I8: "signed char", ir.U8: "unsigned char", ir.I16: "short", ir.U16: "unsigned short",
	ir.I32: "int", ir.U32: "unsigned", ir.I64: "long long", ir.F16: "unsigned short", ir.BF16: "unsigned short",
	ir.F32: "float", ir.F64: "double",
}

// Fn is a function of the prelude for a type.
func Fn(name string, t ir.DType) string { return name + "_" + Spelled[t].Suffix }

// Scalar is a scalar value.
func Scalar(t ir.DType, e *Expr) Value { return Value{Type: t, Regs: [2]*Expr{e}} }

// Vector is a vector in these registers.
func Vector(t ir.DType, e ...*Expr) Value {
	x := Value{Type: t, Vec: true}
	copy(x.Regs[:], e)
	return x
}

// Each builds a vector of type t register by register.
func Each(t ir.DType, f func(h int) *Expr) Value {
	x := Value{Type: t, Vec: true}
	for h := range schedule.Registers(t) {
		x.Regs[h] = f(h)
	}
	return x
}

// Part is register h of a value, a scalar being broadcast.
func (x Value) Part(h int) *Expr {
	if x.Vec {
		return x.Regs[h]
	}
	return Call(Fn("splat", x.Type), x.Regs[0])
}

// List are the registers.
func (x Value) List() []*Expr { return x.Regs[:schedule.Registers(x.Type)] }

// AsVec broadcasts a scalar.
func (x Value) AsVec() Value {
	if x.Vec {
		return x
	}
	return Each(x.Type, x.Part)
}

// Reduced is a function of the prelude over all lanes; a scalar stays as it is.
func (x Value) Reduced(name string) *Expr {
	if !x.Vec {
		return x.Regs[0]
	}
	return Call(Fn(name, x.Type), x.List()...)
}

// Number is a constant.
func Number(t ir.DType, x float64) Value {
	return Scalar(t, Lit(&ir.Node{Kind: ir.KConst, Type: t, F: x, I: int64(x)}))
}

// Highest is above or equal to every value of a type but NaN.
func Highest(t ir.DType) Value { return extreme(t, 1) }

// Lowest is below or equal to every value of a type but NaN.
func Lowest(t ir.DType) Value { return extreme(t, -1) }

func extreme(t ir.DType, sign int) Value {
	n := &ir.Node{Type: t, F: math.Inf(sign), I: math.MaxInt64}
	if t == ir.I32 {
		n.I = math.MaxInt32
	}
	if sign < 0 {
		n.I = -n.I - 1
	}
	return Scalar(t, Lit(n))
}

// Identity is the neutral element of a monoid.
func Identity(m ir.Monoid, t ir.DType) Value {
	switch m {
	case ir.Smallest:
		return Highest(t)
	case ir.Largest:
		return Lowest(t)
	case ir.Product, ir.All:
		return Scalar(t, Int(1))
	case ir.Sum:
		return MinusZero(t)
	}
	return Scalar(t, Int(0))
}

var negativeZero = math.Copysign(0, -1)

// MinusZero is what a sum starts from: plus zero would lose the sign of a sum of minus zeros.
func MinusZero(t ir.DType) Value {
	if !t.Float() {
		return Scalar(t, Int(0))
	}
	return Number(t, negativeZero)
}

// Assign assigns a value to variables.
func Assign(name, x Value) (out []Stmt) {
	if !name.Vec {
		return []Stmt{Set{To: name.Regs[0], Value: x.Regs[0]}}
	}
	for h, e := range name.List() {
		out = append(out, Set{To: e, Value: x.Part(h)})
	}
	return out
}

// Named is a vector of registers with a name and a number.
func Named(t ir.DType, base string) Value {
	return Each(t, func(h int) *Expr { return Name(fmt.Sprintf("%s_%d", base, h)) })
}

// Variable is a vector or a scalar with a name.
func Variable(t ir.DType, vec bool, base string) Value {
	if vec {
		return Named(t, base)
	}
	return Scalar(t, Name(base))
}

// AnyLane is a condition: the mask holds somewhere.
func AnyLane(mask Value) *Expr {
	if mask.Vec {
		return Call("v_any", mask.Regs[0])
	}
	return mask.Regs[0]
}
