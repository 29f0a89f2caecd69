package check

import (
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// unitAsked is the unit that a value is to be in, plain for a whole number.
func unitAsked(k *syntax.Constraint) (unit string, whole bool) {
	if unit = strings.Join(k.Unit, ""); unit == syntax.Whole {
		return "", true
	}
	return unit, false
}

// sides are what a number on one side of a limit holds to, and how that is said.
var sides = map[string]struct {
	holds func(x, limit float64) bool
	says  string
}{
	">":  {func(x, limit float64) bool { return x > limit }, "more than"},
	">=": {func(x, limit float64) bool { return x >= limit }, "at least"},
	"<":  {func(x, limit float64) bool { return x < limit }, "less than"},
	"<=": {func(x, limit float64) bool { return x <= limit }, "at most"},
}

// holds checks a number against the limits of what it is given to, which are in the unit that is asked for. Elements of arrays are for `require`.
func (c *checker) holds(what string, asked *syntax.Constraint, limits []*syntax.Limit, at diag.Span, v ops.Value) bool {
	n, ok := v.(ops.Number)
	if !ok {
		return true
	}
	for _, l := range limits {
		sign := 1.0
		if l.Minus {
			sign = -1
		}
		limit, ok := c.number(l.Number, sign).(ops.Number)
		if asked != nil && l.Number.Unit == nil {
			text, _ := unitAsked(asked)
			unit := ops.MustUnit(text)
			limit.V, limit.Unit = limit.V*unit.SI()+unit.Offset, unit
		}
		side := sides[l.Sign]
		switch {
		case !ok:
			return false
		case !limit.Unit.Same(n.Unit) && !limit.AnyUnit() && !n.AnyUnit():
			c.report(problem.WrongUnit, at, "%s must be %s %s, and this is %s", what, side.says, limit, n)
			return false
		case !side.holds(n.V, limit.V):
			if limit.Unit.Plain() {
				limit.Unit, limit.Int = n.Unit, false
			}
			c.report(problem.OutOfBounds, at, "%s must be %s %s, not %s", what, side.says, limit, n)
			return false
		}
	}
	return true
}
