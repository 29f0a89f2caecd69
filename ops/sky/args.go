package sky

import (
	"errors"
	"math"

	"weft/ops"
	"weft/ops/problem"
)

// group is the heading under which the operators of this package are listed.
const group = "urban climate"

// problems collects what is wrong with a call.
type problems []error

func (p *problems) add(code, arg, help, format string, a ...any) {
	*p = append(*p, problem.Wrong(code, arg, help, format, a...))
}

// warn says what the user should know.
func (p *problems) warn(code, arg, help, format string, a ...any) {
	w := problem.Wrong(code, arg, help, format, a...)
	w.Warning = true
	*p = append(*p, w)
}

// bound is an operator use unless something is wrong with it, and all that is to be said about it.
func bound(op ops.Op, p problems) (ops.Op, error) {
	for _, e := range p {
		if !e.(problem.Problem).Warning {
			return nil, errors.Join(p...)
		}
	}
	return op, errors.Join(p...)
}

// pixelParam is the size of a pixel of rasters that do not say it themselves.
var pixelParam = ops.Num("pixel", "m", "size of a pixel, where the input has no coordinates along y and x, or where it is not square").Above0().Opt()

// vegetation are the arguments that skyview and shadow share.
var vegetation = []ops.Param{
	ops.In("canopy", "tops of trees", "y", "x").Opt(),
	ops.In("trunk", "tops of the trunk zones below, or how high they reach as a share of the canopy's height: 25 percent", "y", "x").Also(ops.KNumber).Opt(),
	ops.In("bush", "tops of vegetation without trunk", "y", "x").Opt(),
	ops.Choose("heights", "of canopy, trunk and bush: elevations above the same zero as the input, or relative to it, as most files have them", "absolute", "relative").Or(ops.Symbol("absolute")),
}

// degrees is an angle in degrees without the rounding errors of converting it to radians and back.
func degrees(radians float64) float64 { return math.Round(radians*180/math.Pi*1e10) / 1e10 }

// angles are the values of a number or list of numbers in degrees.
func angles(c *ops.Call, name string, p *problems) []float64 {
	var out []float64
	deg := ops.MustUnit("deg")
	for i, v := range c.List(name) {
		n, ok := v.(ops.Number)
		switch {
		case !ok:
			p.add(problem.WrongKind, name, "write angles, such as 60 deg", "item %d of %s is %s, which is no number", i+1, name, v)
		case n.Unit.Plain():
			p.add(problem.MissingUnit, name, "write a unit, such as 60 deg", "item %d of %s is %s without a unit", i+1, name, v)
		case !n.Unit.Same(deg):
			p.add(problem.WrongUnit, name, "write it in degrees", "item %d of %s is in %s, which is no angle", i+1, name, n.Unit)
		case math.IsNaN(n.V) || math.IsInf(n.V, 0):
			p.add(problem.NotFiniteConstant, name, "", "item %d of %s is not finite", i+1, name)
		default:
			out = append(out, degrees(n.V))
		}
	}
	return out
}
