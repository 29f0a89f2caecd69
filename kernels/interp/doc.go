// Package interp runs kernels one value at a time. It is the definition of the kernel language: a device is right if it
// agrees with the interpreter's Exact mode. Its Wide mode, float64 throughout, is the reference against which the error of
// any precision is measured at sampled points.
//
// A kernel is compiled to a flat program over registers. Every value is computed in the outermost loop that knows all it
// depends on: for the axes, loop nest by loop nest; for folds, before the loop. A load that depends on nothing a fold binds is
// therefore executed even if the fold turns zero times, as on every device: guard it if its index may be out of range.
package interp

// Mode is the arithmetic of F32 values.
type Mode uint8

const (
	// Exact rounds every F32 operation to float32, once, a product and a sum together where contraction.Rule says so. Transcendental
	// functions are those of float64 rounded to float32.
	Exact Mode = iota
	// Wide computes F32 values in float64 without rounding, from unrounded constants. Only the bits of an F32 (ir.Bits) are
	// those of the rounded value.
	Wide
	// Narrow rounds as Exact does, and has whole numbers as Wide has them: none wraps.
	Narrow
)

func (m Mode) String() string { return [...]string{"exact", "wide", "narrow"}[m] }
