package check

import (
	"fmt"
	"math"

	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// unit checks numbers, ranges and arrays against the parameter's unit.
func (b *binder) unit(p *ops.Param, a argument, v ops.Value) bool {
	if p.Unit == "*" {
		return true
	}
	want := ops.MustUnit(p.Unit)
	var got ops.Unit
	switch v := v.(type) {
	case ops.Number:
		got = v.Unit
	case ops.Range:
		got = v.From.Unit
	case ops.List:
		if p.Unit == "" {
			return true
		}
		for i, x := range v {
			at := a
			if l, ok := syntax.Unparen(orNothing(a.expr)).(*syntax.List); ok {
				at.expr = l.Items[i]
			}
			if !b.unit(p, at, x) {
				return false
			}
		}
		return true
	case ops.Array:
		if p.Unit == "" {
			return true // arrays of any unit unless one is asked for
		}
		got = v.Type().Unit
	default:
		return true
	}
	switch {
	case got.Same(want):
		return true
	case want.Plain():
		b.wrong(problem.UnexpectedUnit, a, "`%s` of `%s` is a plain number, and this is in %s", p.Name, b.spec.Name, got).Helpf("leave out the unit")
	case got.Plain():
		b.wrong(problem.MissingUnit, a, "`%s` of `%s` needs a unit: it is measured in %s", p.Name, b.spec.Name, want).Helpf("%s", sample(v, want))
	default:
		b.wrong(problem.WrongUnit, a, "`%s` of `%s` is measured in %s, and this is in %s", p.Name, b.spec.Name, want, got).Helpf("any unit of that kind will do, such as %s", usual(want))
	}
	return false
}

// usualUnits are what people measure in, where it is not the SI unit.
var usualUnits = []string{"mm", "us", "MHz"}

func usual(u ops.Unit) string {
	if u.SI() != 1 { // it says what it is measured in
		return u.String()
	}
	for _, name := range usualUnits {
		if ops.MustUnit(name).Same(u) {
			return name
		}
	}
	return u.String()
}

// likely gives plain numbers the unit that was probably meant: the usual one, or the SI unit, written in the usual one, where the
// numbers would be very small or large in that: 0.3e-3 is a pitch of 0.3 mm, not of 0.0003 mm.
func likely(u ops.Unit, plain ...ops.Number) []ops.Number {
	unit := ops.MustUnit(usual(u))
	largest := 0.0
	for _, n := range plain {
		largest = max(largest, math.Abs(n.V))
	}
	scale := unit.SI()
	if largest != 0 && (largest < 0.05 || largest >= 1e5) {
		scale = 1
	}
	out := make([]ops.Number, len(plain))
	for i, n := range plain {
		out[i] = ops.Number{V: n.V*scale + unit.Offset, Unit: unit}
	}
	return out
}

func sample(v ops.Value, u ops.Unit) string {
	switch v := v.(type) {
	case ops.Number:
		return fmt.Sprintf("write the unit behind the number, such as `%s`", likely(u, v)[0])
	case ops.Range:
		ends := likely(u, v.From, v.To)
		return fmt.Sprintf("write the unit behind both ends, such as `%s .. %s`", ends[0], ends[1])
	}
	return fmt.Sprintf("multiply it by a unit first, such as `* (1 %s)`", usual(u))
}
