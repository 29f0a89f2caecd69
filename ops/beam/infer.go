package beam

import (
	"errors"
	"math"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/problem"
)

// furthest is how many samples away a point may be: far beyond any record, and well within a 32-bit index.
const furthest = 1 << 28

func bindBeamform(c *ops.Call) (ops.Op, error) {
	s, err := resolve(c)
	var p problems
	p.join(err)
	s.checkInput(&p)
	s.checkRates(&p)
	s.checkGrid(&p)
	s.checkTransmit(&p)
	if len(p) > 0 && hasErrors(p) {
		return nil, p.err()
	}
	s.checkCoverage(&p)
	if hasErrors(p) {
		return nil, p.err()
	}
	return s, p.err()
}

// Outputs is the image.
func (s *setup) Outputs() []ops.Output { return ops.One(s.output()) }

func hasErrors(list []error) bool {
	return slices.ContainsFunc(list, func(err error) bool {
		var p problem.Problem
		return !errors.As(err, &p) || !p.Warning
	})
}

var inputDims = []string{"frame", "transmit", "sample", "element"}

func (s *setup) checkInput(p *problems) {
	checkDims(p, s.input, []string{"sample", "element"}, inputDims)
	if !s.input.Elem.Complex {
		p.add(problem.WrongElementType, "input", "for radio-frequency data, demodulate(fc: ..., fs: ...) comes first", "beamform needs complex samples (IQ), and the input is %s", s.input.Elem)
	}
	if s.sample < 0 || s.element < 0 {
		return
	}
	if n := s.size(s.element); n != s.probe.Elements() {
		p.add(problem.ExtentMismatch, "probe", "the probe lists the elements of the input, one each", "the probe has %d elements, and the input has %d", s.probe.Elements(), n)
	}
	if s.places() < 1 {
		p.add(problem.ExtentMismatch, "input", "give a longer record, or interpolation: nearest", "%s interpolation reads %d samples, and the input has %d", s.interpolation, s.scheme.reach(), s.size(s.sample))
	}
	checkTiming(p, s.input.Dims[s.sample], s.start, s.fs)
}

// checkDims reports dims that are missing and dims of which nothing is known.
func checkDims(p *problems, t ops.Type, need, known []string) {
	for _, d := range need {
		if t.Dim(d) < 0 {
			p.add(problem.MissingDim, "input", "name the dimensions where the array is read, or rename them", "the input has no dimension %s; it has %s", d, strings.Join(t.DimNames(), ", "))
		}
	}
	for _, d := range t.DimNames() {
		if !slices.Contains(known, d) {
			p.add(problem.ExtraDim, "input", "reduce over "+d+", or choose one index: ["+d+": 0]", "the input has a dimension %s, of which beamform knows nothing: it takes %s", d, strings.Join(known, ", "))
		}
	}
}

// checkTiming compares start and fs with the times the samples say of themselves.
func checkTiming(p *problems, sample ops.Dim, start, fs float64) {
	if len(sample.Coords) == 0 || !sample.Unit.Same(ops.MustUnit("s")) {
		return
	}
	if t := sample.Coords[0]; math.Abs(t-start)*fs > 0.5 {
		p.warn(problem.ContradictArguments, "start", "write start: "+microseconds(t), "the samples of the input begin at %s, and start is %s", microseconds(t), microseconds(start))
	}
	const alike = 1e-3
	if n := len(sample.Coords); n > 1 {
		step := (sample.Coords[n-1] - sample.Coords[0]) / float64(n-1)
		if told := 1 / step; step > 0 && math.Abs(told/fs-1) > alike {
			p.warn(problem.ContradictArguments, "fs", "write fs: "+megahertz(told), "the samples of the input are %s apart, as at %s, and fs is %s", about(step, "ns"), megahertz(told), megahertz(fs))
		}
	}
}

func megahertz(f float64) string { return ops.Number{V: f, Unit: ops.MustUnit("MHz")}.String() }

func (s *setup) checkRates(p *problems) {
	if s.fc > s.fs {
		p.add(problem.Undersampled, "fc", "check both values and their prefixes", "the centre frequency %s exceeds the sampling frequency %s", megahertz(s.fc), megahertz(s.fs))
	}
	if far := math.Abs(s.start) * s.fs; far > furthest {
		p.add(problem.OutOfBounds, "start", "check its unit", "the record starts %.3g samples away from the transmit", far)
	}
}

func (s *setup) checkGrid(p *problems) {
	nearest, deepest := slices.Min(s.grid.Axes[2].Points), slices.Max(s.grid.Axes[2].Points)
	back, front := slices.Min(s.probe.Z), slices.Max(s.probe.Z)
	switch {
	case deepest <= back:
		p.add(problem.GridBehindProbe, "grid", "the probe looks towards +z: choose z beyond "+millimetres(front), "the grid lies behind the probe: z ends at %s, and the elements stand at %s", millimetres(deepest), millimetres(back))
	case nearest < back:
		p.add(problem.GridBehindProbe, "grid", "begin z at "+millimetres(front)+" or beyond", "the grid reaches behind the probe: z begins at %s, and the elements stand at %s", millimetres(nearest), millimetres(back))
	case nearest < front:
		p.warn(problem.GridBehindProbe, "grid", "begin z beyond "+millimetres(front)+" unless the probe is curved that way", "part of the grid lies behind some elements: z begins at %s, and elements stand up to %s", millimetres(nearest), millimetres(front))
	}
}

func (s *setup) checkTransmit(p *problems) {
	switch {
	case s.law != nil:
		p.join(s.law.Fits(s.probe))
	case s.given != nil:
		s.checkArrivals(p)
	default:
		return // reported already
	}
	have := s.size(s.transmit)
	switch {
	case have == s.shots() && s.transmit >= 0, s.transmit < 0 && s.shots() == 1:
	case s.transmit < 0:
		p.add(problem.MissingDim, "input", "stack the records of the shots along a dimension transmit", "there are %d transmits, and the input has no dimension transmit", s.shots())
	default:
		p.add(problem.ExtentMismatch, "transmit", "give one law a shot", "the input has %d transmits, and transmit has %d", have, s.shots())
	}
}

// checkArrivals compares an array of arrival times with the grid.
func (s *setup) checkArrivals(p *problems) {
	t := *s.given
	checkTimes(p, "transmit", t)
	known := []string{"transmit"}
	for _, d := range s.grid.Dims() {
		known = append(known, d.Name)
		switch at := t.Dim(d.Name); {
		case at < 0:
			p.add(problem.MissingDim, "transmit", "arrivals(grid: ...) gives them for each point", "the arrival times have no dimension %s", d.Name)
		case t.Dims[at].Size != d.Size:
			p.add(problem.ExtentMismatch, "transmit", "compute them on the grid that is imaged", "the arrival times have %d points along %s, and the grid %d", t.Dims[at].Size, d.Name, d.Size)
		}
	}
	for _, d := range t.DimNames() {
		if !slices.Contains(known, d) {
			p.add(problem.ExtraDim, "transmit", "reduce over it, or choose one index", "the arrival times have a dimension %s, which the grid has not", d)
		}
	}
}

// worthTelling is the share of a grid without echoes that is no margin.
const worthTelling = 0.15

// checkCoverage refuses delays that no index holds, and warns when the record has nothing of the grid.
func (s *setup) checkCoverage(p *problems) {
	if s.law == nil {
		return
	}
	share, dark, least, most := s.coverage()
	s.share = share
	if far := max(-least, most); far > furthest {
		p.add(problem.OutOfBounds, "grid", "check the units of the grid, of c, of fs and of delays", "echoes of the grid come %.3g samples away from the record", far)
		return
	}
	end := s.start + float64(s.size(s.sample)-1)/s.fs
	us := func(t float64) string { return about(t, "us") }
	mm := func(t float64) string { return about(t*s.c/2, "mm") }
	if least < float64(s.size(s.sample)-1) && most >= 0 { // places change gradually over the grid, so some lie in the record
		if dark >= worthTelling {
			p.warn(problem.OutOfBounds, "grid", "check start, fs and the depths of the grid",
				"about %.0f %% of the grid has no echo in the record, and is zero in the image: the record is from %s to %s (depths of about %s to %s)", 100*dark, us(s.start), us(end), mm(s.start), mm(end))
		}
		return
	}
	p.warn(problem.OutOfBounds, "grid", "check start, fs and the depths of the grid",
		"no echo of the grid is in the record, so the image is zero: echoes come from %s to %s, the record from %s to %s (depths of about %s to %s)",
		us(s.start+least/s.fs), us(s.start+most/s.fs), us(s.start), us(end), mm(s.start), mm(end))
}
