package check

import (
	"math"

	"weft/ops"
)

// functions are operators that, of numbers, give a number known now, so that settings can be computed. Angles go in as
// radians; the others take plain numbers, or keep the unit of their operands.
var functions = map[string]struct {
	f        func(x []float64) float64
	keeps    bool // the result has the operands' unit
	angle    bool // takes an angle
	operands int
}{
	"sqrt":  {func(x []float64) float64 { return math.Sqrt(x[0]) }, false, false, 1},
	"abs":   {func(x []float64) float64 { return math.Abs(x[0]) }, true, false, 1},
	"exp":   {func(x []float64) float64 { return math.Exp(x[0]) }, false, false, 1},
	"log":   {func(x []float64) float64 { return math.Log(x[0]) }, false, false, 1},
	"log10": {func(x []float64) float64 { return math.Log10(x[0]) }, false, false, 1},
	"floor": {func(x []float64) float64 { return math.Floor(x[0]) }, false, false, 1},
	"round": {func(x []float64) float64 { return math.RoundToEven(x[0]) }, false, false, 1},
	"sin":   {func(x []float64) float64 { return math.Sin(x[0]) }, false, true, 1},
	"cos":   {func(x []float64) float64 { return math.Cos(x[0]) }, false, true, 1},
	"tan":   {func(x []float64) float64 { return math.Tan(x[0]) }, false, true, 1},
	"min":   {func(x []float64) float64 { return math.Min(x[0], x[1]) }, true, false, 2},
	"max":   {func(x []float64) float64 { return math.Max(x[0], x[1]) }, true, false, 2},
}

// fold computes a function of numbers. It leaves alone what has a unit the function cannot take: the operator reports that.
func (c *checker) fold(spec *ops.Spec, call *ops.Call) (ops.Value, bool) {
	f, ok := functions[spec.Name]
	if !ok {
		return nil, false
	}
	var x []float64
	var u ops.Unit
	for _, p := range spec.Params {
		n, isNumber := call.Args[p.Name].(ops.Number)
		if !isNumber {
			if call.Args[p.Name] != nil && p.Default == nil {
				return nil, false
			}
			continue
		}
		fits := n.Unit.Plain() || f.keeps || f.angle && n.Unit.Same(ops.MustUnit("rad"))
		if !fits || len(x) > 0 && !n.Unit.Same(u) {
			return nil, false
		}
		x, u = append(x, n.V), n.Unit
	}
	if len(x) != f.operands {
		return nil, false
	}
	v := ops.Number{V: f.f(x)}
	if f.keeps {
		v.Unit = u
	}
	return v, true
}
