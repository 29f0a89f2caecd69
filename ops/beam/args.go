package beam

import (
	"errors"
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/problem"
)

// group is the heading under which the operators of this package are listed.
const group = "ultrasound"

// problems collects what is wrong with a call.
type problems []error

func (p *problems) add(code, arg, help, format string, a ...any) {
	*p = append(*p, problem.Wrong(code, arg, help, format, a...))
}

func (p *problems) warn(code, arg, help, format string, a ...any) {
	w := problem.Wrong(code, arg, help, format, a...)
	w.Warning = true
	*p = append(*p, w)
}

func (p *problems) join(err error) {
	if err != nil {
		*p = append(*p, err)
	}
}

func (p problems) err() error { return errors.Join(p...) }

// Numbers are the values of a number, a list of numbers or a range, in SI units, all finite and in the given unit.
func Numbers(c *ops.Call, name, unit string) ([]float64, error) {
	if r, is := c.Args[name].(ops.Range); is {
		rising := r
		if r.From.V > r.To.V { // shots have an order
			rising.From, rising.To, rising.Step = r.To, r.From, -r.Step
		}
		if err := checkRange(name, rising); err != nil {
			return nil, err
		}
		var list ops.List
		for _, v := range r.Points() {
			list = append(list, ops.Number{V: v, Unit: r.From.Unit})
		}
		return ListNumbers(name, list, unit)
	}
	return ListNumbers(name, c.List(name), unit)
}

// ListNumbers is Numbers of a list that stands within argument name.
func ListNumbers(name string, list ops.List, unit string) ([]float64, error) {
	var p problems
	want := ops.MustUnit(unit)
	out := make([]float64, 0, len(list))
	for i, v := range list {
		n, ok := v.(ops.Number)
		switch {
		case !ok:
			p.add(problem.WrongKind, name, "write numbers with a unit, such as "+example(unit), "item %d of %s is %s, which is no number", i+1, name, v)
		case n.Unit.Plain() && !want.Plain():
			p.add(problem.MissingUnit, name, "write a unit, such as "+example(unit), "item %d of %s is %s without a unit", i+1, name, v)
		case !n.Unit.Same(want):
			p.add(problem.WrongUnit, name, "write it in "+want.Describe(), "item %d of %s is in %s, not in %s", i+1, name, n.Unit.Describe(), want.Describe())
		case !finite(n.V):
			p.add(problem.NotFiniteConstant, name, "", "item %d of %s is not finite", i+1, name)
		default:
			out = append(out, n.V)
		}
	}
	return out, p.err()
}

var unitExamples = map[string]string{"m": "0.3 mm", "s": "2 us", "deg": "5 deg"}

func example(unit string) string {
	if e, ok := unitExamples[unit]; ok {
		return e
	}
	return "1 " + unit
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// millimetres writes a length for people.
func millimetres(v float64) string {
	return ops.Number{V: v, Unit: ops.MustUnit("mm")}.String()
}

// microseconds writes a time for people.
func microseconds(v float64) string {
	return ops.Number{V: v, Unit: ops.MustUnit("us")}.String()
}

// about writes a quantity to four digits.
func about(v float64, unit string) string {
	return fmt.Sprintf("%.4g %s", v/ops.MustUnit(unit).SI(), unit)
}
