package places

import (
	"math"
	"slices"

	"weft/ops"
	"weft/ops/problem"
)

// place is where an array is read along a dim, in steps of that dim: counted from the index of the result where it is relative to that.
type place struct {
	dim   int // of the input
	of    ops.Dim
	here  bool
	own   int       // the dim of the result that it is relative to
	value ops.Value // a number or an array; nil: nothing is added to here
	array int       // which of the arrays among the places; -1: none
	pick  []int     // the dims of the result that are those of the array
	whole bool      // whole numbers of steps

	// What is no whole number is (value - first) / step, or is looked up among the coordinates.
	first, step float64
	lookup      bool
}

func newPlace(dim int, d ops.Dim, v ops.Value) (place, error) {
	p := place{dim: dim, of: d, value: v, array: -1, step: 1}
	if h, ok := v.(ops.Here); ok {
		p.here, p.value = true, h.Offset
	}
	arg := argument(d.Name)
	var unit ops.Unit
	switch x := p.value.(type) {
	case nil:
		p.whole = true
		return p, nil
	case ops.Number:
		p.whole = x.Int
		unit = x.Unit
	case ops.Array:
		t := x.Type()
		if t.Elem.Complex || t.Elem == ops.Bool {
			return p, problem.Wrong(problem.WrongElementType, arg, "", "a place is a whole number or a coordinate, and this is %s", t)
		}
		p.whole = ops.IsWhole(x)
		unit = t.Unit
	default:
		return p, problem.Wrong(problem.WrongKind, arg, "", "dimension %s is indexed by numbers, a range or an array, not by %s", d.Name, p.value)
	}
	if p.whole || unit.Plain() && (d.Coords == nil || !d.Unit.Plain()) {
		return p, nil
	}
	return p, p.byCoordinate(arg, unit)
}

// byCoordinate makes steps of places in the unit of the coordinates.
func (p *place) byCoordinate(arg string, unit ops.Unit) error {
	d := p.of
	switch {
	case d.Coords == nil:
		return problem.Wrong(problem.NoCoordinates, arg, "index it by whole numbers, or give it coordinates by with_coordinates", "dimension %s has no coordinates, so places in %s are nowhere", d.Name, unit)
	case !unit.Same(d.Unit) && !(p.here && unit.Same(difference(d.Unit))):
		return problem.Wrong(problem.UnitMismatch, arg, "", "the coordinates of %s are %s, and these places are %s", d.Name, d.Unit.Describe(), unit.Describe())
	}
	step, even := spacing(d)
	p.step, p.first = step, d.Coords[0]
	if p.here {
		p.first = 0
	}
	if !even {
		rising := slices.IsSorted(d.Coords)
		if !rising && !slices.IsSortedFunc(d.Coords, func(a, b float64) int { return -compare(a, b) }) || len(d.Coords) < 2 || repeats(d.Coords) {
			return problem.Wrong(problem.OutsideCoordinates, arg, "index it by whole numbers", "the coordinates of %s neither rise nor fall throughout", d.Name)
		}
		p.lookup = true
		return nil
	}
	if n, ok := p.value.(ops.Number); ok {
		steps := (n.V - p.first) / step
		if whole := math.Round(steps); math.Abs(steps-whole) <= 1e-6 {
			p.whole, p.value = true, ops.Number{V: whole, Int: true}
		}
	}
	return nil
}

// sameFrame checks that places which are the coordinates of a dim as they are, are in the system of the array's, and takes that over where they name none. Others
// may have been computed so.
func (p *place) sameFrame(of *ops.Dim, read ops.Dim, places ops.Array) error {
	if _, plain := places.Of.Bound.(ops.Shaped); !plain || of.Coords == nil || read.Frame == nil {
		return nil
	}
	if of.Frame != nil && !of.Frame.Same(read.Frame) {
		return problem.Wrong(problem.CoordinateMismatch, argument(read.Name), "compute where these places are in the system of the array",
			"these places along %s are in %s, and the array is in %s", read.Name, of.Frame, read.Frame)
	}
	of.Frame = read.Frame
	return nil
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func repeats(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if x[i] == x[i-1] {
			return true
		}
	}
	return false
}

// difference is the unit of a difference of two values of a unit.
func difference(u ops.Unit) ops.Unit { return u.Sum(u, true) }

// inside proves that all places are within their dim where nothing is said of what is beyond.
func (t *take) inside(p *place) error {
	if a, ok := p.value.(ops.Array); ok && a.Type().Elem.Base.Int() && (t.beyond != "" || t.filled) { // none is NaN, and beyond is something
		return nil
	}
	n := float64(p.of.Size)
	arg := argument(p.of.Name)
	lo, hi, nan, known := p.steps(t.period(p) > 0)
	switch {
	case !nan || t.filled:
	case t.out.Elem.Base.Float():
		t.fill = math.NaN()
	default:
		or := ""
		if t.period(p) > 0 {
			or = " or infinite"
		}
		return problem.Wrong(problem.PlaceOutside, arg, "give `outside` a value, or cast the array to f32", "these places along %s may be NaN%s, and whole numbers have none", p.of.Name, or)
	}
	reach := slack
	if p.whole {
		reach = 0
	} else if t.between == nearest {
		reach = 0.5 - slack
	}
	switch {
	case t.beyond != "" || t.filled || p.value == nil:
	case !known:
		return problem.Wrong(problem.PlaceOutside, arg, beyondHelp, "nothing is known of where these places along %s lie, and there are 0 to %g", p.of.Name, n-1)
	case lo < -reach || hi > n-1+reach:
		return problem.Wrong(problem.PlaceOutside, arg, beyondHelp, "places along %s may lie from %.6g to %.6g, and there are 0 to %g", p.of.Name, lo, hi, n-1)
	}
	return nil
}

// slack is how far beyond the ends, in steps, a place counts as at the end: rounding may put it there.
const slack = 1e-3

const beyondHelp = "say what is beyond the ends: outside: 0, or another value, or nearest, wrap or mirror"

// steps bounds the places, in steps from the first point; nan is whether one may be none: NaN, or infinite where all comes over and over.
func (p *place) steps(over bool) (lo, hi float64, nan, known bool) {
	switch v := p.value.(type) {
	case ops.Number:
		lo, hi, known = v.V, v.V, true
	case ops.Array:
		lo, hi, nan, known = p.bounds(v)
		nan = nan || over && v.Type().Elem.Base.Float() && (!known || max(-lo, hi) > math.MaxFloat32)
	}
	if p.lookup && p.here || !known {
		return 0, 0, nan, false
	}
	lo, hi = p.stepsOf(lo), p.stepsOf(hi)
	lo, hi = min(lo, hi), max(lo, hi)
	if p.here {
		hi += float64(p.of.Size - 1)
	}
	return lo, hi, nan, true
}

// bounds are those of places: of whole ones no narrower than the dim has to have them.
func (p *place) bounds(a ops.Array) (lo, hi float64, nan, known bool) {
	if p.whole && !p.here && !p.lookup {
		return ops.BoundsWithin(a, 0, float64(p.of.Size-1))
	}
	return ops.Bounds(a)
}

// stepsOf is a place, or a distance from one, in steps.
func (p *place) stepsOf(x float64) float64 {
	switch {
	case p.lookup:
		return find(p.of.Coords, x)
	case p.whole:
		return x
	}
	return (x - p.first) / p.step
}

// find is where a value lies among coordinates that rise or fall, in steps.
func find(coords []float64, x float64) float64 {
	i := 0
	for i < len(coords)-2 && (coords[i+1] <= x) == (coords[0] < coords[1]) {
		i++
	}
	return float64(i) + (x-coords[i])/(coords[i+1]-coords[i])
}
