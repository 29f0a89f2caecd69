// Package places holds the operator that reads an array at computed places, and those that say how a dimension lies.
//
// A place along a dim is a whole number of steps and a fraction of one. The whole part is kept as an integer, relative to the index of
// the result where the place is: windows, halos and blocks follow from it.
package places

import (
	"errors"
	"math"
	"slices"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// The words for what lies beyond the ends of a dim, and for values between its points.
const (
	nearest = "nearest"
	wrap    = "wrap"
	mirror  = "mirror"
	linear  = "linear"
	cubic   = "cubic"
)

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return append(extentSpecs(), takeSpec())
}

func takeSpec() *ops.Spec {
	return &ops.Spec{
		Name: "take", Doc: "Elements of an array at computed places.", Group: "shape and selection",
		Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5},
		Long: "Written a[x: place]. Places that are arrays of whole numbers are indices, counted from 0. Places in the unit of the coordinates of the " +
			"dimension are coordinates, and plain fractions are indices too: both lie between points, so `interpolation` says how. The dimensions of " +
			"the places take the place of x and join the others of the array by name: one that both have is gone through once.\n\n" +
			"`here` is the place where the result stands, and `here + e` one so many steps, or so far, from it: then the array keeps x, its extent and " +
			"its coordinates.\n\n" +
			"`outside` is what lies beyond the ends of a dimension: a value; nearest, the value at the end; wrap, the array over and over; mirror, the array " +
			"turned round at its end points, which are not repeated. It may be left out where all places are known to be inside. A place that is NaN gives " +
			"`outside` if that is a value, and NaN otherwise; so does one further than 2^53 steps away where the array comes over and over. cubic is the spline of Catmull and Rom; beyond the ends it takes the value at the end.",
		Returns: "an array over the new dimensions of the places, then those that the array keeps, in its order.",
		Params: []ops.Param{ops.In("input", "array"),
			{Name: "index", Doc: "dimension: place, for each dimension that has computed places", Accept: ops.KList | ops.KPair},
			{Name: "outside", Doc: "what lies beyond the ends: a value, nearest, wrap or mirror", Accept: ops.KNumber | ops.KBool | ops.KSymbol, Unit: "*",
				Choices: []string{nearest, wrap, mirror}, Optional: true},
			ops.Choose("interpolation", "between points", nearest, linear, cubic).Opt()},
		Examples: []ops.Example{
			{Title: "Differences of neighbours", Code: "x = axis(x, 0 m .. 4 m in 5)\na = x ^ 2\nshow(a[x: here + 1, outside: nearest] - a[x: here - 1, outside: nearest])"},
			{Title: "A table looked up", Code: "k = axis(k, 0 .. 3 in 4)\ny = axis(y, 0 .. 6 in 7)\nshow((k * k)[k: round(y / 2)])"},
			{Title: "Between the points of a line", Code: "x = axis(x, 0 mm .. 4 mm in 5)\nt = axis(t, 0 mm .. 3.5 mm in 8)\nshow((x ^ 2)[x: t, interpolation: linear])"}},
		Bind:   bind,
		Counts: true,
	}
}

// take is a use of it.
type take struct {
	input, out ops.Type
	places     []place
	keeps      []int // for each dim of the input, the dim of the result that it is; -1: it has a place of its own
	between    string
	beyond     string  // nearest, wrap or mirror; empty: fill
	fill       float64 // for places beyond the ends, and for those that are NaN
	filled     bool    // a value was given
	whole      bool    // the elements are whole numbers
}

// Outputs is one array.
func (t *take) Outputs() []ops.Output { return ops.One(t.out) }

// Whole tells whether it gives whole numbers.
func (t *take) Whole() bool {
	return t.whole && (t.beyond != "" || t.fill == math.Trunc(t.fill)) && !slices.ContainsFunc(t.places, func(p place) bool { return !p.whole && t.between != nearest })
}

func bind(c *ops.Call) (ops.Op, error) {
	a, _ := c.Array("input")
	t := &take{input: a.Type(), between: c.Symbol("interpolation"), whole: ops.IsWhole(a)}
	errs := []error{t.findPlaces(c)}
	if errs[0] == nil {
		errs[0] = t.types()
	}
	if errs[0] == nil {
		errs = append(errs, t.outside(c))
		for i := range t.places {
			errs = append(errs, t.inside(&t.places[i]))
		}
	}
	return t, errors.Join(errs...)
}

// findPlaces reads the index.
func (t *take) findPlaces(c *ops.Call) error {
	var errs []error
	arrays := 0
	for _, v := range c.List("index") {
		p := v.(ops.Pair)
		d := t.input.Dim(p.Name)
		switch {
		case d < 0:
			errs = append(errs, unknownDim(argument(p.Name), p.Name, t.input))
			continue
		case slices.ContainsFunc(t.places, func(q place) bool { return q.dim == d }):
			errs = append(errs, problem.Wrong(problem.DuplicateDim, argument(p.Name), "leave one out", "dimension %s is indexed twice", p.Name))
			continue
		}
		if t.input.Dims[d].Count != nil {
			errs = append(errs, problem.Wrong(problem.WrongDims, argument(p.Name), "read filled(..., with: 0), which has as many as there is room for", "how many elements there are along %s is known only when it runs: it is %s", p.Name, t.input))
			continue
		}
		at, err := newPlace(d, t.input.Dims[d], p.Value)
		errs = append(errs, err)
		if _, ok := at.value.(ops.Array); ok {
			at.array, arrays = arrays, arrays+1
		}
		n, fixed := at.value.(ops.Number)
		near := at.here && at.array < 0 && t.beyond != mirror && !(fixed && math.Abs(at.stepsOf(n.V)) > mostNear)
		if size := t.input.Dims[d].Size; err == nil && size > mostSteps && !near {
			errs = append(errs, problem.Wrong(problem.ArrayTooLarge, argument(p.Name), "", "places that are computed, or far, are found among %d points at most, and %s has %d", mostSteps, p.Name, size))
		}
		if err == nil && !at.whole && t.between == "" {
			errs = append(errs, problem.Wrong(problem.BetweenPoints, argument(p.Name), "say how: interpolation: nearest, linear or cubic", "places along %s may lie between its points", p.Name))
		}
		t.places = append(t.places, at)
	}
	return errors.Join(errs...)
}

// argument names the part of the index that belongs to a dim.
func argument(dim string) string { return "index." + dim }

// types finds the dims of the result: new ones first, then those of the array in its order.
func (t *take) types() error {
	at := map[int]*place{}
	joined := []operand.Operand{{Name: "input"}}
	for i := range t.places {
		p := &t.places[i]
		at[p.dim] = p
		if a, ok := p.value.(ops.Array); ok {
			joined = append(joined, operand.Operand{Name: argument(p.of.Name), Type: a.Type()})
		}
	}
	t.keeps = make([]int, len(t.input.Dims))
	own := &joined[0].Type
	for i, d := range t.input.Dims {
		p := at[i]
		t.keeps[i] = -1
		if p != nil && !p.here {
			a, _ := p.value.(ops.Array)
			j := -1
			if a.Of != nil {
				j = a.Type().Dim(d.Name)
			}
			if j < 0 {
				continue
			}
			of := d
			if d = a.Type().Dims[j]; !p.whole && of.Coords != nil {
				if err := p.sameFrame(&d, of, a); err != nil {
					return err
				}
			}
		} else {
			t.keeps[i] = len(own.Dims)
		}
		own.Dims = append(own.Dims, d)
	}
	dims, err := operand.Broadcast("take", joined)
	if err != nil {
		return err
	}
	first := len(own.Dims)
	added := len(dims) - first
	moved := func(d int) int {
		if d < first {
			return d + added
		}
		return d - first
	}
	t.out = ops.Type{Elem: t.input.Elem.Widen(), Unit: t.input.Unit, Dims: slices.Concat(dims[first:], dims[:first])}
	for i, k := range t.keeps {
		if k >= 0 {
			t.keeps[i] = moved(k)
		}
	}
	for i := range t.places {
		p := &t.places[i]
		if p.here {
			p.own = t.keeps[p.dim]
		}
		if p.array >= 0 {
			for _, d := range joined[1+p.array].Pick {
				p.pick = append(p.pick, moved(d))
			}
		}
		if !p.whole && t.between != nearest {
			t.out.Elem.Base = ops.Inexact(t.out.Elem.Base)
		}
	}
	return nil
}

// outside reads what lies beyond the ends.
func (t *take) outside(c *ops.Call) (err error) {
	t.beyond = c.Symbol("outside")
	if t.filled = c.Has("outside") && t.beyond == ""; t.filled {
		t.fill, err = operand.Element(c, "outside", ops.Type{Elem: t.out.Elem, Unit: t.input.Unit})
	}
	return err
}
