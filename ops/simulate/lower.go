package simulate

import (
	"math"
	"math/cmplx"

	"weft/kernels/ir"
	"weft/ops"
)

// tables are the scene's geometry in samples, float64: a phase of hundreds of radians hangs on it.
type tables struct {
	way      *ops.Stage // transmit way [transmit, point]
	point    [3]*ops.Stage
	element  [3]*ops.Stage
	strength *ops.Stage
	cos, sin *ops.Stage // of the carrier, by sample; nil for iq

	turns, start ops.Number    // of the carrier from sample to sample; the first sample
	decay, sigma ops.Number    // of the pulse; of the noise
	halves       [2]ops.Number // see halfWaves
}

func (s *scene) tables(l *ops.Lowering) tables {
	scale := s.fs / s.c
	list := func(name string, n int, value func(i int) float64) *ops.Stage {
		data := make([]float64, n)
		for i := range data {
			data[i] = value(i)
		}
		return l.Table(name, ir.F64, data, ops.Dim{Name: name, Size: n})
	}
	points, elements := len(s.points), s.probe.Elements()
	kx, ky := s.halfWaves()
	t := tables{turns: l.Number("turns", s.fc/s.fs), start: l.Number("start", s.start*s.fs), decay: l.Number("decay", -s.decay()), sigma: l.Number("sigma", s.noise()),
		halves: [2]ops.Number{l.Number("half_x", kx), l.Number("half_y", ky)}}
	ways := make([]float64, 0, s.law.Shots()*points)
	for shot := range s.law.Shots() {
		for _, p := range s.points {
			ways = append(ways, s.law.Distance(s.probe, s.c, shot, p.At)*scale)
		}
	}
	t.way = l.Table("transmit_way", ir.F64, ways, ops.Dim{Name: "transmit", Size: s.law.Shots()}, ops.Dim{Name: "point", Size: points})
	for a, name := range []string{"x", "y", "z"} {
		t.point[a] = list("point_"+name, points, func(i int) float64 { return s.points[i].At[a] * scale })
		t.element[a] = list("element_"+name, elements, func(i int) float64 { return s.probe.Element(i)[a] * scale })
	}
	if s.rf {
		t.cos = list("carrier_re", s.samples, func(n int) float64 { return math.Cos(s.carrier(n)) })
		t.sin = list("carrier_im", s.samples, func(n int) float64 { return math.Sin(s.carrier(n)) })
	}
	t.strength = list("amplitude", points, func(i int) float64 { return s.points[i].Amplitude * referenceDistance * scale })
	return t
}

func (t tables) all() []*ops.Stage {
	return append(append([]*ops.Stage{t.way, t.strength}, t.point[:]...), t.element[:]...)
}

// from is the way from element e to point k, and its length.
func (t tables) from(b *ops.Body, k, e *ir.Node) (d [3]*ir.Node, r *ir.Node) {
	for a := range d {
		d[a] = b.Sub(t.point[a].At(b, k).Re, t.element[a].At(b, e).Re)
	}
	return d, b.Sqrt(b.Add(b.Add(b.Mul(d[0], d[0]), b.Mul(d[1], d[1])), b.Mul(d[2], d[2])))
}

// Lower stores delays and echoes of pairs of point and element, and sums over the points.
func (s *scene) Lower(l *ops.Lowering) []*ops.Stage {
	t := s.tables(l)
	pairs := []ops.Dim{{Name: "transmit", Size: s.law.Shots()}, {Name: "point", Size: len(s.points)}, {Name: "element", Size: s.probe.Elements()}}
	delay := l.Stage("delay", ops.Type{Elem: ops.F64, Dims: pairs}, t.all(), func(b *ops.Body, i []*ir.Node) ops.Elem {
		_, r := t.from(b, i[1], i[2])
		return ops.Real(b.Add(t.way.At(b, i[0], i[1]).Re, r))
	})
	echo := l.Stage("echo", ops.Type{Elem: ops.C64, Dims: pairs}, append(t.all(), delay), func(b *ops.Body, i []*ir.Node) ops.Elem {
		a := s.amplitudeNode(b, t, i[1], i[2])
		turns := b.Mul(delay.At(b, i...).Re, b.Number(ir.F64, t.turns))
		angle := b.Mul(b.Cast(ir.F32, b.Sub(turns, b.Alu(ir.Rint, turns))), b.F32(2*math.Pi))
		return ops.Elem{Re: b.Mul(a, b.Alu(ir.Cos, angle)), Im: b.Neg(b.Mul(a, b.Alu(ir.Sin, angle)))}
	})
	inputs, steps := []*ops.Stage{delay, echo}, []string{"delay", "pulse", "sum"}
	if s.level > 0 {
		steps = append(steps, "noise")
	}
	if s.rf {
		inputs, steps = append(inputs, t.cos, t.sin), append(steps, "modulate")
	}
	out := l.Stage("", s.output(), inputs, func(b *ops.Body, i []*ir.Node) ops.Elem {
		v := s.sample(b, t, delay, echo, i)
		if !s.rf {
			return v
		}
		n := i[len(i)-2]
		cos, sin := b.Cast(ir.F32, t.cos.At(b, n).Re), b.Cast(ir.F32, t.sin.At(b, n).Re)
		return ops.Real(b.Sub(b.Mul(v.Re, cos), b.Mul(v.Im, sin)))
	})
	out.Steps = steps
	return []*ops.Stage{out}
}

// amplitudeNode is amplitude in a kernel.
func (s *scene) amplitudeNode(b *ops.Body, t tables, k, e *ir.Node) *ir.Node {
	d, r := t.from(b, k, e)
	a := b.Cast(ir.F32, b.Mul(b.Div(t.strength.At(b, k).Re, r), b.Div(d[2], r)))
	for axis, half := range t.halves {
		if half.V > 0 {
			x := b.Mul(b.Cast(ir.F32, b.Div(d[axis], r)), b.Number(ir.F32, half))
			small := b.Lt(b.Abs(x), b.F32(1e-4)) // 1 - x^2/6 is 1 there
			a = b.Mul(a, b.Select(small, b.F32(1), b.Div(b.Alu(ir.Sin, x), x)))
		}
	}
	return a
}

// sample is one element of the demodulated record.
func (s *scene) sample(b *ops.Body, t tables, delay, echo *ops.Stage, index []*ir.Node) ops.Elem {
	shot := b.I32(0)
	if len(index) == 3 {
		shot, index = index[0], index[1:]
	}
	n, e := index[0], index[1]
	now := b.Add(b.Cast(ir.F64, n), b.Number(ir.F64, t.start))
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(len(s.points)), Init: []*ir.Node{b.F32(0), b.F32(0)}, Monoid: ir.Sum}
	sum := b.Fold(spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		u := b.Cast(ir.F32, b.Sub(now, delay.At(b, shot, k, e).Re))
		pulse := b.Alu(ir.Exp, b.Mul(b.Mul(u, u), b.Number(ir.F32, t.decay)))
		a := echo.At(b, shot, k, e)
		return []*ir.Node{b.Add(acc[0], b.Mul(pulse, a.Re)), b.Add(acc[1], b.Mul(pulse, a.Im))}, nil
	})
	out := ops.Elem{Re: sum[0], Im: sum[1]}
	if t.sigma.V > 0 {
		row := b.Add(b.Mul(shot, b.I32(s.samples)), n)
		x, y := normalNodes(b, s.seed, b.Add(b.Mul(row, b.I32(s.probe.Elements())), e))
		sigma := b.Number(ir.F32, t.sigma)
		out = ops.CAdd(b, out, ops.Elem{Re: b.Mul(x, sigma), Im: b.Mul(y, sigma)})
	}
	return out
}

// Reference is the formula of the documentation.
func (s *scene) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(!s.rf, s.output().Shape()...)
	sigma, i := s.noise(), 0
	for shot := range s.law.Shots() {
		for n := range s.samples {
			for e := range s.probe.Elements() {
				var sum complex128
				for _, p := range s.points {
					tau := s.delay(shot, p, e)
					t := s.start*s.fs + float64(n) - tau*s.fs
					sum += cmplx.Rect(s.amplitude(p, e)*math.Exp(-t*t*s.decay()), -2*math.Pi*s.fc*tau)
				}
				if sigma > 0 {
					x, y := normalPair(s.seed, uint32(i))
					sum += complex(sigma*x, sigma*y)
				}
				if s.rf {
					sum *= cmplx.Rect(1, s.carrier(n))
				}
				out.Set(i, sum)
				i++
			}
		}
	}
	return []ops.Dense{out}, nil
}
