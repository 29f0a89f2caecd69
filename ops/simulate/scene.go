package simulate

import (
	"errors"
	"math"

	"weft/ops"
	"weft/ops/beam"
	"weft/ops/problem"
)

// scene is a use of simulate.echoes.
type scene struct {
	probe                       *beam.Probe
	points                      []Scatterer
	law                         beam.Law
	fc, fs, c, start, bandwidth float64
	samples                     int
	level                       float64 // rms of the noise over the strongest echo
	seed                        uint32
	rf                          bool
}

func resolve(c *ops.Call) (*scene, error) {
	s := &scene{
		fc: c.Number("fc"), fs: c.Number("fs"), c: c.Number("c"), start: c.Number("start"), bandwidth: c.Number("bandwidth"),
		samples: c.Int("samples"), seed: uint32(c.Number("seed")), rf: c.Symbol("signal") == "received",
	}
	s.probe, _ = c.Args["probe"].(*beam.Probe)
	if n, ok := c.Args["noise"].(ops.Number); ok {
		s.level = math.Pow(10, n.V/20)
	}
	var err, err2 error
	s.points, err = scatterers(c, "scatterers")
	s.law, err2 = beam.ParseTransmit("transmit", c.Args["transmit"])
	return s, errors.Join(err, err2)
}

// maxSamples bounds a record so that its coordinates do not fill memory while checking.
const maxSamples = 1 << 24

func bindEchoes(c *ops.Call) (ops.Op, error) {
	s, err := resolve(c)
	if err == nil {
		err = s.law.Fits(s.probe)
	}
	wrong := []error{err}
	if s.fc > s.fs {
		hz := func(v float64) ops.Number { return ops.Number{V: v, Unit: ops.MustUnit("MHz")} }
		wrong = append(wrong, problem.Wrong(problem.Undersampled, "fc", "check both values and their prefixes", "the centre frequency %s exceeds the sampling frequency %s", hz(s.fc), hz(s.fs)))
	}
	if s.samples > maxSamples {
		wrong = append(wrong, problem.Wrong(problem.OutOfBounds, "samples", "take fewer samples", "a record of %d samples is beyond the limit of %d", s.samples, maxSamples))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return s, nil
}

// Outputs is the record.
func (s *scene) Outputs() []ops.Output { return ops.One(s.output()) }

func (s *scene) output() ops.Type {
	t := ops.Type{Elem: ops.C64}
	if s.rf {
		t.Elem = ops.F32
	}
	if s.law.Shots() > 1 {
		t.Dims = append(t.Dims, ops.Dim{Name: "transmit", Size: s.law.Shots()})
	}
	times := make([]float64, s.samples)
	for n := range times {
		times[n] = s.start + float64(n)/s.fs
	}
	sample := ops.Dim{Name: "sample", Size: s.samples, Coords: times, Unit: ops.MustUnit("us")}
	t.Dims = append(t.Dims, sample, ops.Dim{Name: "element", Size: s.probe.Elements()})
	return t
}

// carrier is the angle by which demodulation turns sample n back.
func (s *scene) carrier(n int) float64 { return 2 * math.Pi * s.fc * (s.start + float64(n)/s.fs) }

// delay is the time from transmit to element by way of a point.
func (s *scene) delay(shot int, p Scatterer, e int) float64 {
	return (s.law.Distance(s.probe, s.c, shot, p.At) + norm(s.from(p, e))) / s.c
}

// from is the way from an element to a point.
func (s *scene) from(p Scatterer, e int) (d [3]float64) {
	for a, r := range s.probe.Element(e) {
		d[a] = p.At[a] - r
	}
	return d
}

// amplitude is A of the documentation.
func (s *scene) amplitude(p Scatterer, e int) float64 {
	d := s.from(p, e)
	r := norm(d)
	kx, ky := s.halfWaves()
	return p.Amplitude * referenceDistance / r * d[2] / r * sinc(kx*d[0]/r) * sinc(ky*d[1]/r)
}

// halfWaves are k w/2 and k h/2.
func (s *scene) halfWaves() (kx, ky float64) {
	k := math.Pi * s.fc / s.c
	return k * s.probe.Width, k * s.probe.Height
}

// decay is the factor of t^2 in the exponent of the pulse, t in samples.
func (s *scene) decay() float64 {
	sigma := math.Sqrt(2*math.Ln2) / (math.Pi * s.bandwidth * s.fc) * s.fs
	return 1 / (2 * sigma * sigma)
}

// noise is the standard deviation of the real and of the imaginary part.
func (s *scene) noise() float64 {
	if s.level == 0 {
		return 0
	}
	strongest := 0.0
	for _, p := range s.points {
		for e := range s.probe.Elements() {
			strongest = max(strongest, math.Abs(s.amplitude(p, e)))
		}
	}
	return s.level * strongest / math.Sqrt2
}

func norm(d [3]float64) float64 { return math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) }
