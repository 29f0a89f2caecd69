package beam

import (
	"math"

	"weft/ops"
)

// setup is a call of beamform with its arguments resolved.
type setup struct {
	probe *Probe
	grid  *Grid

	fc, fs, c, start float64
	fnumber          float64
	window           *Window
	coherence        bool
	interpolation    string
	scheme           scheme

	law   Law       // nil: arrival times are given
	given *ops.Type // of the arrival times; nil: there is a law
	share float64   // of the pairs of point and element that lie in the record, about; of a law

	input                            ops.Type
	frame, transmit, sample, element int // which dims of the input; -1: it has none
}

// resolve reads the arguments of a call. Positions of dims are -1 where the input lacks them.
func resolve(c *ops.Call) (*setup, error) {
	s := &setup{
		fc: c.Number("fc"), fs: c.Number("fs"), c: c.Number("c"), start: c.Number("start"), fnumber: c.Number("fnumber"),
		coherence: c.Symbol("weighting") == "coherence_factor", interpolation: c.Symbol("interpolation"),
		input: c.Type("input"),
	}
	s.probe, _ = c.Args["probe"].(*Probe)
	s.grid, _ = c.Args["grid"].(*Grid)
	s.scheme = schemes[s.interpolation]
	if w, ok := c.Args["apodization"].(*Window); ok {
		s.window = w
	} else {
		s.window = windows[c.Symbol("apodization")]
	}
	s.frame, s.transmit = s.input.Dim("frame"), s.input.Dim("transmit")
	s.sample, s.element = s.input.Dim("sample"), s.input.Dim("element")
	if a, ok := c.Array("transmit"); ok {
		t := a.Type()
		s.given = &t
		return s, nil
	}
	law, err := ParseTransmit("transmit", c.Args["transmit"])
	s.law = law
	return s, err
}

// size is the extent of a dim of the input by position; 1 for one it lacks.
func (s *setup) size(dim int) int {
	if dim < 0 {
		return 1
	}
	return s.input.Dims[dim].Size
}

// shots is how many transmits the law has.
func (s *setup) shots() int {
	if s.law != nil {
		return s.law.Shots()
	}
	if d := s.given.Dim("transmit"); d >= 0 {
		return s.given.Dims[d].Size
	}
	return 1
}

// places is the number of places between samples at which interpolation can start.
func (s *setup) places() int { return s.size(s.sample) - s.scheme.reach() + 1 }

// output is the type of the image.
func (s *setup) output() ops.Type {
	t := ops.Type{Elem: ops.C64, Unit: s.input.Unit}
	if s.frame >= 0 {
		t.Dims = append(t.Dims, s.input.Dims[s.frame])
	}
	t.Dims = append(t.Dims, s.grid.Dims()...)
	return t
}

// coverage estimates what share of the pairs of point and element lies in the record, what share of the points has none there, and the range of places
// seen, from a coarse grid. It needs a law: given arrival times are not known while checking.
func (s *setup) coverage() (share, dark, least, most float64) {
	g := s.probes()
	step := max(1, s.probe.Elements()/64)
	least, most = math.Inf(1), math.Inf(-1)
	inside, pairs, without := 0, 0, 0
	top := float64(s.size(s.sample) - 1)
	for i := range g.Len() {
		at, before := g.Point(i), inside
		for shot := range s.law.Shots() {
			tx := s.law.Distance(s.probe, s.c, shot, at)
			for e := 0; e < s.probe.Elements(); e += step {
				place := s.place(tx + distance(at, s.probe.Element(e)))
				least, most = min(least, place), max(most, place)
				pairs++
				if place >= 0 && place < top {
					inside++
				}
			}
		}
		if inside == before {
			without++
		}
	}
	return float64(inside) / float64(pairs), float64(without) / float64(g.Len()), least, most
}

// checkWork is how many distances coverage may measure: well below a millisecond.
const checkWork = 3e4

// probes are a few points of the grid: corners and centre at least.
func (s *setup) probes() *Grid {
	const most = 7
	for n := most; ; n-- {
		g := s.grid.sparse(n)
		if n == 3 || float64(g.Len())*float64(s.probe.Elements())*float64(s.law.Shots()) <= checkWork {
			return g
		}
	}
}

// place is where in the record a way of the given length ends, in samples.
func (s *setup) place(way float64) float64 { return (way/s.c - s.start) * s.fs }

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
