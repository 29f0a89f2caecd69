package codegen

import (
	"fmt"
	"math"

	. "weft/kernels/codegen/expr"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// value is a computed value: a scalar, or a vector in as many registers as its type takes.
type value struct {
	t   ir.DType
	vec bool
	e   [2]*Expr
}

// spelling is how a type is spelled: scalar, vector, and the suffix of prelude functions.
type spelling struct{ c, v, sfx string }

var types = map[ir.DType]spelling{
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

// fn is a function of the prelude for a type.
func fn(name string, t ir.DType) string { return name + "_" + types[t].sfx }

func registers(t ir.DType) int { return schedule.Registers(t) }

func scalar(t ir.DType, e *Expr) value { return value{t: t, e: [2]*Expr{e}} }

func vector(t ir.DType, e ...*Expr) value {
	x := value{t: t, vec: true}
	copy(x.e[:], e)
	return x
}

// each builds a vector of type t register by register.
func each(t ir.DType, f func(h int) *Expr) value {
	x := value{t: t, vec: true}
	for h := range registers(t) {
		x.e[h] = f(h)
	}
	return x
}

// part is register h of a value, a scalar being broadcast.
func (x value) part(h int) *Expr {
	if x.vec {
		return x.e[h]
	}
	return Call(fn("splat", x.t), x.e[0])
}

// list are the registers.
func (x value) list() []*Expr { return x.e[:registers(x.t)] }

// asVec broadcasts a scalar.
func (x value) asVec() value {
	if x.vec {
		return x
	}
	return each(x.t, x.part)
}

// reduced is a function of the prelude over all lanes; a scalar stays as it is.
func (x value) reduced(name string) *Expr {
	if !x.vec {
		return x.e[0]
	}
	return Call(fn(name, x.t), x.list()...)
}

func number(t ir.DType, x float64) value {
	return scalar(t, Lit(&ir.Node{Kind: ir.KConst, Type: t, F: x, I: int64(x)}))
}

// highest is above or equal to every value of a type but NaN, lowest below or equal.
func highest(t ir.DType) value { return extreme(t, 1) }
func lowest(t ir.DType) value  { return extreme(t, -1) }

func extreme(t ir.DType, sign int) value {
	n := &ir.Node{Type: t, F: math.Inf(sign), I: math.MaxInt64}
	if t == ir.I32 {
		n.I = math.MaxInt32
	}
	if sign < 0 {
		n.I = -n.I - 1
	}
	return scalar(t, Lit(n))
}

// identity is the neutral element of a monoid.
func identity(m ir.Monoid, t ir.DType) value {
	switch m {
	case ir.Smallest:
		return highest(t)
	case ir.Largest:
		return lowest(t)
	case ir.Product, ir.All:
		return scalar(t, Int(1))
	case ir.Sum:
		return minusZero(t)
	}
	return scalar(t, Int(0))
}

var negativeZero = math.Copysign(0, -1)

// minusZero is what a sum starts from: plus zero would lose the sign of a sum of minus zeros.
func minusZero(t ir.DType) value {
	if !t.Float() {
		return scalar(t, Int(0))
	}
	return number(t, negativeZero)
}

// declare declares variables for a value, set to another; to nothing if that is of no type.
func (sc *scope) declare(name, x value) {
	if !name.vec {
		sc.add(Var{types[name.t].c, name.e[0].Text, x.e[0]})
		return
	}
	for h, e := range name.list() {
		v := Var{Type: types[name.t].v, Name: e.Text}
		if x.e[0] != nil {
			v.Value = x.part(h)
		}
		sc.add(v)
	}
}

// set assigns a value to variables.
func set(name, x value) (out []Stmt) {
	if !name.vec {
		return []Stmt{Set{To: name.e[0], Value: x.e[0]}}
	}
	for h, e := range name.list() {
		out = append(out, Set{To: e, Value: x.part(h)})
	}
	return out
}

// name computes a value in a scope and returns its names.
func (g *gen) name(sc *scope, x value) value {
	g.names++
	if !x.vec {
		name := Name(fmt.Sprintf("v%d", g.names))
		sc.add(Let{types[x.t].c, name.Text, x.e[0]})
		return scalar(x.t, name)
	}
	y := named(x.t, fmt.Sprintf("v%d", g.names))
	for h, e := range y.list() {
		sc.add(Let{types[x.t].v, e.Text, x.e[h]})
	}
	return y
}

// named is a vector of registers with a name and a number.
func named(t ir.DType, base string) value {
	return each(t, func(h int) *Expr { return Name(fmt.Sprintf("%s_%d", base, h)) })
}

// variable is a vector or a scalar with a name.
func variable(t ir.DType, vec bool, base string) value {
	if vec {
		return named(t, base)
	}
	return scalar(t, Name(base))
}
