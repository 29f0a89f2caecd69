package beam

import (
	"math"
	"math/cmplx"

	"weft/ops"
)

// Reference is the definition in float64, element by element.
func (s *setup) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.Dense{Shape: s.output().Shape()}
	static := staticWeights(s.probe, s.window)
	for f := range s.size(s.frame) {
		for i := range s.grid.Len() {
			v := s.focus(in, static, f, i)
			out.Re, out.Im = append(out.Re, real(v)), append(out.Im, imag(v))
		}
	}
	return []ops.Dense{out}, nil
}

// focus is one point of the image.
func (s *setup) focus(in map[string]ops.Dense, static []float64, frame, i int) complex128 {
	at := s.grid.Point(i)
	var sum complex128
	var power, count float64
	for shot := range s.shots() {
		tx := s.wayTo(in["transmit"], shot, i)
		for e := range s.probe.Elements() {
			w := static[e]
			if s.fnumber > 0 {
				w = s.weight(at, e)
			}
			tau := (tx + distance(at, s.probe.Element(e))) / s.c
			q, ok := s.sampleAt(in["input"], frame, shot, e, (tau-s.start)*s.fs)
			if !ok || w < 0 {
				continue
			}
			v := complex(w, 0) * q * cmplx.Exp(complex(0, 2*math.Pi*s.fc*tau))
			sum += v
			power += real(v)*real(v) + imag(v)*imag(v)
			count++
		}
	}
	switch {
	case !s.coherence:
		return sum
	case power == 0:
		return 0
	}
	return sum * complex((real(sum)*real(sum)+imag(sum)*imag(sum))/(count*power), 0)
}

// wayTo is the transmit distance to point i.
func (s *setup) wayTo(given ops.Dense, shot, i int) float64 {
	if s.law != nil {
		return s.law.Distance(s.probe, s.c, shot, s.grid.Point(i))
	}
	place := map[string]int{"transmit": shot}
	for a := 2; a >= 0; a-- {
		n := len(s.grid.Axes[a].Points)
		place[axisNames[a]] = i % n
		i /= n
	}
	return given.Re[flatIndex(*s.given, place)] * s.c
}

// flatIndex is the position of an element given by the names of its dims; unnamed ones count as 0.
func flatIndex(t ops.Type, place map[string]int) int {
	at := 0
	for _, d := range t.Dims {
		at = at*d.Size + place[d.Name]
	}
	return at
}

// weight of an element for a point where the aperture goes by the f-number; -1 outside it.
func (s *setup) weight(at [3]float64, e int) float64 {
	r := s.probe.Element(e)
	depth := at[2] - r[2]
	narrow := 4 * s.fnumber * s.fnumber / (depth * depth)
	w := 1.0
	for a := range 2 {
		if constant(s.probe.along(a)) {
			continue
		}
		d := at[a] - r[a]
		q := d * d * narrow
		if !(q <= apertureEdge) {
			return -1
		}
		w *= s.window.At(math.Sqrt(min(q, 1)))
	}
	return w
}

// sampleAt interpolates channel e at place p, by the textbook formulas; ok is false where a sample it needs does not exist.
func (s *setup) sampleAt(in ops.Dense, frame, shot, e int, p float64) (v complex128, ok bool) {
	q := func(n int) complex128 {
		if n < 0 || n >= s.size(s.sample) {
			ok = false
			return 0
		}
		i := flatIndex(s.input, map[string]int{"frame": frame, "transmit": shot, "sample": n, "element": e})
		return complex(in.Re[i], in.Im[i])
	}
	ok = true
	n := int(math.Floor(p))
	w := complex(p-math.Floor(p), 0)
	switch s.interpolation {
	case "nearest":
		v = q(int(math.RoundToEven(p)))
	case "linear":
		v = (1-w)*q(n) + w*q(n+1)
	case "cubic":
		a, b, c, d := q(n-1), q(n), q(n+1), q(n+2)
		v = b + w/2*(c-a+w*(2*a-5*b+4*c-d+w*(3*(b-c)+d-a)))
	}
	return v, ok
}
