package simulate

import (
	"errors"
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/beam"
	"weft/ops/problem"
)

// Scatterer is a point that sends sound back.
type Scatterer struct {
	At        [3]float64 // m
	Amplitude float64    // of its echo at the reference distance
}

// Kind, TypeName and String make a Scatterer an object of the language.
func (Scatterer) Kind() ops.Kind   { return ops.KObject }
func (Scatterer) TypeName() string { return "scatterer" }
func (s Scatterer) String() string {
	mm := func(v float64) string { return ops.Number{V: v, Unit: ops.MustUnit("mm")}.String() }
	return fmt.Sprintf("point at (%s, %s, %s), amplitude %g", mm(s.At[0]), mm(s.At[1]), mm(s.At[2]), s.Amplitude)
}

var pointScatterer = &ops.Spec{
	Name:  "point",
	Doc:   "A point scatterer, for simulate.echoes.",
	Group: group,
	Params: []ops.Param{
		ops.Num("x", "m", "lateral place").Or(ops.Quantity(0, "mm")),
		ops.Num("y", "m", "elevation").Or(ops.Quantity(0, "mm")),
		ops.Num("z", "m", "depth").Above0(),
		ops.Num("amplitude", "", "strength of the echo").Or(ops.Integer(1)),
	},
	Returns:  "a scatterer",
	Examples: []ops.Example{{Title: "a point 30 mm deep", Code: "point(z: 30 mm) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		return Scatterer{[3]float64{c.Number("x"), c.Number("y"), c.Number("z")}, c.Number("amplitude")}, nil
	}),
}

// scatterers reads a list of points, each an object or a list [x, y, z].
func scatterers(c *ops.Call, name string) ([]Scatterer, error) {
	var out []Scatterer
	var wrong []error
	for i, v := range c.List(name) {
		switch s := v.(type) {
		case Scatterer:
			out = append(out, s)
		case ops.List:
			at, err := beam.ListNumbers(name, s, "m")
			if err == nil && len(at) != 3 {
				err = problem.Wrong(problem.ExtentMismatch, fmt.Sprintf("%s.%d", name, i), "write [x, y, z], or point(x: ..., z: ..., amplitude: ...)", "a point has 3 coordinates, and this has %d", len(at))
			}
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			out = append(out, Scatterer{[3]float64(at), 1})
		default:
			wrong = append(wrong, problem.Wrong(problem.WrongKind, fmt.Sprintf("%s.%d", name, i), "write point(x: ..., z: ..., amplitude: ...)", "a point is expected, and this is %s", v))
		}
	}
	for i, s := range out {
		if s.At[2] <= 0 {
			wrong = append(wrong, problem.Wrong(problem.OutOfBounds, name, "the probe looks towards +z", "point %d of %s is not in front of the probe: %s", i+1, name, s))
		}
	}
	if len(out) == 0 && len(wrong) == 0 {
		wrong = append(wrong, problem.Wrong(problem.ZeroExtent, name, "list at least one point", "`%s` lists no points", name))
	}
	return out, errors.Join(wrong...)
}

// referenceDistance is where a scatterer of amplitude 1 gives an echo of amplitude 1, on the axis of an element.
const referenceDistance = 0.01 // m

// sinc is sin(x)/x.
func sinc(x float64) float64 {
	if math.Abs(x) < 1e-6 {
		return 1
	}
	return math.Sin(x) / x
}
