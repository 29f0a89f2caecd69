package audit

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// defaultTolerance, relative to the peak, of stages whose operator states no error rule: what plain summation of a few
// thousand terms may lose in the type.
var defaultTolerance = map[ir.DType]float64{ir.U16: 1e-4, ir.F16: 2e-3, ir.BF16: 2e-2, ir.F32: 2e-5, ir.F64: 1e-11}

// Rule is the metric and tolerance that a stage, stored in some type, is held to: the user's @tolerance, else its operator's
// rule, which is about the operator's output and not about its inner stages, else what the type allows.
func Rule(s *ops.Stage, stored ir.DType) ops.ErrorRule {
	if stored == ir.F64 {
		stored = s.Type.Elem.Base // what it is made from has no more digits for it
	}
	if r, ok := Asked(s); ok {
		return r
	}
	if s.IsOutput() && stored == s.Type.Elem.Base {
		if r := s.Op.Spec.Error; r.Metric != "" && s.Type.Elem.Base.Float() {
			return r
		}
	}
	if !s.Type.Elem.Base.Float() {
		return ops.ErrorRule{Metric: ops.Exact}
	}
	if stored == ir.F64 {
		stored = narrowest(s)
	}
	tolerance := defaultTolerance[stored]
	if slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool {
		return (in.Source || !in.Type.Elem.Base.Float()) && ops.Inexact(in.Type.Elem.Base) == ir.F32
	}) {
		tolerance = max(tolerance, oneRounding)
	}
	return ops.ErrorRule{Metric: ops.Peak, Tolerance: tolerance}
}

// oneRounding is what exact values, of a source or whole numbers, may lose on their way through f32 into an array in f64: the squares
// that norm adds up are rounded.
const oneRounding = 2e-7

// narrowest is the float type with the fewest digits among a stage and what is computed for it: values that are kept in f64 are no
// better than that. What sources hold is exact; tables, such as those of axes, are rounded.
func narrowest(s *ops.Stage) ir.DType {
	least := s.Type.Elem.Base
	seen := map[*ops.Stage]bool{}
	var visit func(*ops.Stage)
	visit = func(in *ops.Stage) {
		if seen[in] || in.Source {
			return
		}
		seen[in] = true
		for _, t := range []ir.DType{in.Type.Elem.Base, in.Digits} {
			if t.Float() && t.Size() < least.Size() {
				least = t
			}
		}
		for _, from := range in.Inputs {
			visit(from)
		}
	}
	visit(s)
	return least
}

// Asked is the rule that the user states with @tolerance; ok is false where there is none.
func Asked(s *ops.Stage) (rule ops.ErrorRule, ok bool) {
	if !s.IsOutput() || !s.Type.Elem.Base.Float() {
		return rule, false
	}
	if n := s.Hints().Tolerance; n.V != 0 {
		return toleranceOf(n, s), true
	}
	return rule, false
}

// toleranceOf reads @tolerance: in the array's own unit it is absolute. On an array that is no level, decibels below zero
// are relative to the peak and others the ratio of magnitudes; a plain number is in the metric that the operator states its own errors in,
// and relative to the peak where it states none.
func toleranceOf(n ops.Number, s *ops.Stage) ops.ErrorRule {
	level := ops.MustUnit("dB")
	switch {
	case n.Unit.Same(level) && !s.Type.Unit.Same(level) && n.V < 0:
		return ops.ErrorRule{Metric: ops.Peak, Tolerance: math.Pow(10, n.V/20)}
	case n.Unit.Same(level) && !s.Type.Unit.Same(level):
		return ops.ErrorRule{Metric: ops.Level, Tolerance: n.V}
	case !n.Unit.Plain() && n.Unit.Same(s.Type.Unit):
		return ops.ErrorRule{Metric: ops.Absolute, Tolerance: n.V}
	}
	if m := s.Op.Spec.Error.Metric; m != "" && m != ops.Exact {
		return ops.ErrorRule{Metric: m, Tolerance: n.V}
	}
	return ops.ErrorRule{Metric: ops.Peak, Tolerance: n.V}
}
