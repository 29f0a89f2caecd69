package ops

import "weft/kernels/ir"

// Widen is the type that elements of type t compute in: small integers as i32 (u32 as i64), small floats as f32.
func (t ElemType) Widen() ElemType { return ElemType{t.Base.Compute(), t.Complex} }

// Promote is the type two arrays compute in together. Floats win over integers, wide over narrow, complex over real.
// An integer of up to 32 bits with f32 gives f32 (not f64 as in NumPy: the wide type is slow where it is not asked for);
// an i64 with a float gives f64. Booleans count as i32.
func Promote(a, b ElemType) ElemType {
	return ElemType{promoteBase(a.Base.Compute(), b.Base.Compute()), a.Complex || b.Complex}
}

func promoteBase(a, b ir.DType) ir.DType {
	switch {
	case a == ir.F64 || b == ir.F64:
		return ir.F64
	case a.Float() && b == ir.I64, a == ir.I64 && b.Float():
		return ir.F64
	case a.Float() || b.Float():
		return ir.F32
	case a == ir.I64 || b == ir.I64:
		return ir.I64
	}
	return ir.I32
}

// PromoteNumber is the type an array of type t computes in together with a number written in the program: the array's own,
// except that a number with a fraction makes integers floats and one beyond 32 bits makes them i64. So 2.5 does not turn an
// f32 array into f64.
func PromoteNumber(t ElemType, n Number) ElemType {
	switch w := t.Widen(); {
	case w.Base.Float():
		return w
	case !n.Int:
		return ElemType{Base: Inexact(w.Base)}
	case n.V != float64(int32(n.V)):
		return I64
	case w.Base == ir.Bool:
		return I32
	default:
		return w
	}
}

// Inexact is the floating-point type in which division, roots and the like of values of type t are computed: f64 for f64
// and i64, f32 for the others.
func Inexact(t ir.DType) ir.DType {
	if c := t.Compute(); c == ir.F64 || c == ir.I64 {
		return ir.F64
	}
	return ir.F32
}

// NumberType is the type of a number written in a program where nothing else decides: i32 or i64 for integers, f32 otherwise.
func NumberType(n Number) ElemType {
	switch {
	case !n.Int:
		return F32
	case n.V != float64(int32(n.V)):
		return I64
	}
	return I32
}
