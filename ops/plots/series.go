package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// series is one line.
type series struct {
	name    string
	x, y, e plotter.Values // e may be nil
	lower   plotter.Values // errors downwards; nil: e
}

// above is a series of which what has no place on a logarithmic axis is NaN, and whose errors end above 0 there.
func (s series) above(logX, logY bool) series {
	if !logX && !logY {
		return s
	}
	least := math.Inf(1)
	x, y, e := slices.Clone(s.x), slices.Clone(s.y), slices.Clone(s.e)
	for i := range y {
		if logX && !(x[i] > 0) || logY && !(y[i] > 0) {
			y[i] = math.NaN()
		} else if y[i] > 0 {
			least = math.Min(least, y[i])
		}
	}
	s.x, s.y, s.e = x, y, nil
	for i := range e {
		low := e[i]
		if logY {
			low = math.Min(low, y[i]-least/10)
		}
		s.e, s.lower = append(s.e, e[i]), append(s.lower, low)
	}
	return s
}

// farthest is how large numbers on axes may be: what is beyond has no room for ticks around it.
const farthest = 1e300

// runs are the parts of a series between what cannot be drawn.
func (s series) runs() (out []plotter.XYs) {
	open := false
	for i, y := range s.y {
		x := s.x[i]
		drawn := math.Abs(x) <= farthest && math.Abs(y) <= farthest
		if drawn && !open {
			out = append(out, nil)
		}
		if open = drawn; drawn {
			out[len(out)-1] = append(out[len(out)-1], plotter.XY{X: x, Y: y})
		}
	}
	return out
}
