package audit

import (
	"math"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
)

func TestRuleOf(t *testing.T) {
	spec := &ops.Spec{Name: "op", Error: ops.ErrorRule{Metric: ops.Absolute, Tolerance: 0.5}}
	bare := &ops.Spec{Name: "op"}
	level, pascal := ops.MustUnit("dB"), ops.MustUnit("Pa")
	for _, c := range []struct {
		name  string
		stage string
		spec  *ops.Spec
		elem  ops.ElemType
		unit  ops.Unit
		asked ops.Number
		want  ops.ErrorRule
	}{
		{"the operator's rule", "op", spec, ops.F32, ops.Unit{}, ops.Number{}, spec.Error},
		{"not for inner stages", "op.inner", spec, ops.F32, ops.Unit{}, ops.Quantity(1, "dB"), ops.ErrorRule{Metric: ops.Peak, Tolerance: 2e-5}},
		{"no rule, f64", "op", bare, ops.F64, ops.Unit{}, ops.Number{}, ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-11}},
		{"no rule, integers", "op", bare, ops.I32, ops.Unit{}, ops.Number{}, ops.ErrorRule{Metric: ops.Exact}},
		{"decibels of a level", "op", spec, ops.F32, level, ops.Quantity(0.1, "dB"), ops.ErrorRule{Metric: ops.Absolute, Tolerance: 0.1}},
		{"decibels below the peak", "op", spec, ops.C64, ops.Unit{}, ops.Quantity(-100, "dB"), ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}},
		{"a ratio in decibels", "op", spec, ops.F32, pascal, ops.Quantity(20, "dB"), ops.ErrorRule{Metric: ops.Level, Tolerance: 20}},
		{"the array's unit", "op", spec, ops.F32, pascal, ops.Quantity(3, "kPa"), ops.ErrorRule{Metric: ops.Absolute, Tolerance: 3000}},
		{"a plain number", "op", bare, ops.F32, pascal, ops.Number{V: 1e-3}, ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-3}},
		{"a plain number, in the operator's metric", "op", spec, ops.F32, ops.Unit{}, ops.Number{V: 1e-3}, ops.ErrorRule{Metric: ops.Absolute, Tolerance: 1e-3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &ops.Stage{Name: c.stage, Type: ops.Type{Elem: c.elem, Unit: c.unit}, Op: &ops.Instance{Spec: c.spec, Out: []ops.Output{{}}, Hints: ops.Hints{Tolerance: c.asked}}}
			got := Rule(s, s.Type.Elem.Base)
			if got.Metric != c.want.Metric || math.Abs(got.Tolerance-c.want.Tolerance) > 1e-9*c.want.Tolerance {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestRuleOfWhatIsMadeFromLess: an array in f64 is held to what the f32 arithmetic before it can give. Sources are exact, but
// for one rounding of what is made of them: the squares that norm adds up are f32. Tables are rounded.
func TestRuleOfWhatIsMadeFromLess(t *testing.T) {
	op := &ops.Instance{Spec: &ops.Spec{Name: "op"}, Out: []ops.Output{{}}}
	source := &ops.Stage{Type: ops.Type{Elem: ops.F32}, Source: true}
	double := &ops.Stage{Type: ops.Type{Elem: ops.F64}, Inputs: []*ops.Stage{source}}
	single := &ops.Stage{Type: ops.Type{Elem: ops.F32}, Inputs: []*ops.Stage{source}}
	table := &ops.Stage{Type: ops.Type{Elem: ops.F32}, Data: []float64{1}}
	for _, from := range []*ops.Stage{table, {Type: ops.Type{Elem: ops.F64}, Inputs: []*ops.Stage{table}}} {
		s := &ops.Stage{Name: "op", Type: ops.Type{Elem: ops.F64}, Op: op, Inputs: []*ops.Stage{from}}
		if got := Rule(s, ir.F64); got.Tolerance != 2e-5 {
			t.Errorf("of a table: %+v", got)
		}
	}
	whole := &ops.Stage{Type: ops.Type{Elem: ops.I32}, Inputs: []*ops.Stage{double}}
	if got := Rule(&ops.Stage{Name: "op", Type: ops.Type{Elem: ops.F64}, Op: op, Inputs: []*ops.Stage{whole}}, ir.F64); got.Tolerance != 2e-7 {
		t.Errorf("of whole numbers: %+v", got)
	}
	for want, from := range map[float64]*ops.Stage{2e-7: source, 2e-5: single, 1e-11: double} {
		s := &ops.Stage{Name: "op", Type: ops.Type{Elem: ops.F64}, Op: op, Inputs: []*ops.Stage{from}}
		if got := Rule(s, ir.F64); got.Tolerance != want {
			t.Errorf("%+v, want %g", got, want)
		}
	}
}

func TestEveryTypeOfFractionsHasADefaultTolerance(t *testing.T) {
	for d := ir.Bool; d <= ir.F64; d++ {
		if stores := d.Float() || d == ir.U16; stores != (defaultTolerance[d] > 0) {
			t.Errorf("%s: tolerance %g", d, defaultTolerance[d])
		}
	}
}
