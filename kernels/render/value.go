package render

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// value is the C text of a computed value: a scalar, or a vector in as many parts as its type takes registers.
type value struct {
	t   ir.DType
	vec bool
	s   [2]string
}

// ctype is how a type is spelled: scalar, vector, and the suffix of prelude functions.
type ctype struct{ c, v, sfx string }

var ctypes = map[ir.DType]ctype{
	ir.Bool: {"int", "vi", "b"},
	ir.I32:  {"int", "vi", "i"},
	ir.I64:  {"long long", "vl", "l"},
	ir.F32:  {"float", "vf", "f"},
	ir.F64:  {"double", "vd", "d"},
}

// storageTypes is how a buffer's elements are declared.
var storageTypes = map[ir.DType]string{
	ir.Bool: "unsigned char", ir.I8: "signed char", ir.U8: "unsigned char", ir.I16: "short", ir.U16: "unsigned short",
	ir.I32: "int", ir.U32: "unsigned", ir.I64: "long long", ir.F16: "unsigned short", ir.BF16: "unsigned short",
	ir.F32: "float", ir.F64: "double",
}

func scalar(t ir.DType, s string) value { return value{t: t, s: [2]string{s}} }

func vector(t ir.DType, s ...string) value {
	x := value{t: t, vec: true}
	copy(x.s[:], s)
	return x
}

// part is register h of a value, a scalar being broadcast.
func (x value) part(h int) string {
	if x.vec {
		return x.s[h]
	}
	return fmt.Sprintf("splat_%s(%s)", ctypes[x.t].sfx, x.s[0])
}

// each builds a vector of type t part by part.
func each(t ir.DType, f func(h int) string) value {
	x := value{t: t, vec: true}
	for h := range schedule.Registers(t) {
		x.s[h] = f(h)
	}
	return x
}

// asVec broadcasts a scalar.
func (x value) asVec() value {
	if x.vec {
		return x
	}
	return each(x.t, x.part)
}

// literal is a constant in C.
func literal(n *ir.Node) string {
	switch n.Type {
	case ir.F32:
		return floatLiteral(float64(float32(n.F)), "%.9ef", "f")
	case ir.F64:
		return floatLiteral(n.F, "%.17e", "")
	case ir.I64:
		if n.I == math.MinInt64 {
			return "(-9223372036854775807LL-1)"
		}
		return fmt.Sprintf("%dLL", n.I)
	}
	if n.I == math.MinInt32 {
		return "(-2147483647-1)"
	}
	return fmt.Sprint(n.I)
}

func floatLiteral(v float64, format, sfx string) string {
	switch {
	case math.IsNaN(v):
		return fmt.Sprintf("__builtin_nan%s(\"\")", sfx)
	case math.IsInf(v, 1):
		return fmt.Sprintf("__builtin_inf%s()", sfx)
	case math.IsInf(v, -1):
		return fmt.Sprintf("(-__builtin_inf%s())", sfx)
	case v < 0 || math.Signbit(v):
		return "(" + fmt.Sprintf(format, v) + ")"
	}
	return fmt.Sprintf(format, v)
}

// name declares x in a scope and returns the names.
func (r *renderer) name(sc *scope, x value) value {
	r.names++
	y := value{t: x.t, vec: x.vec}
	if !x.vec {
		y.s[0] = fmt.Sprintf("v%d", r.names)
		r.emit(sc, "const %s %s = %s;", ctypes[x.t].c, y.s[0], x.s[0])
		return y
	}
	for h := range schedule.Registers(x.t) {
		y.s[h] = fmt.Sprintf("v%d_%d", r.names, h)
		r.emit(sc, "const %s %s = %s;", ctypes[x.t].v, y.s[h], x.s[h])
	}
	return y
}
