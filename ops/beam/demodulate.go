package beam

import (
	"math"
	"math/cmplx"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

var demodulate = &ops.Spec{
	Name:  "demodulate",
	Doc:   "Radio-frequency echoes to IQ: mix down by the centre frequency and keep the low frequencies.",
	Group: group,
	Long: `iq(t) = 2 sum over k of h[k] rf(t - k/fs) exp(-2 pi j fc (t - k/fs)), t = start + n/fs: the complex envelope, with its phase at
the physical time t, as beamform expects. h is a low-pass filter of odd length, a sinc cut off at the frequency cutoff (fc by default, or
fs/4 if that is less) under a Hamming window, scaled to pass a constant unchanged; it is centred, so nothing is delayed. Its length is
3.3 fs / (cutoff/2) samples, a transition of half the cutoff (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5), unless taps
says otherwise. Beyond the ends of the record the echoes count as 0. The dim sample keeps its length. A constant offset of a line lies at fc
after mixing, where the filter passes half of it: take it away first (rf - mean(rf, over: sample)), or take a lower cutoff.`,
	Params: []ops.Param{
		ops.In("input", "echoes: real, with a dim sample", "sample"),
		ops.Num("fc", "Hz", "centre frequency").Above0(),
		ops.Num("fs", "Hz", "sampling frequency").Above0(),
		ops.Num("start", "s", "time of the first sample").Or(ops.Quantity(0, "s")),
		ops.Num("cutoff", "Hz", "half the bandwidth that is kept").Above0().Opt(),
		ops.Count("taps", "length of the filter, odd").Opt(),
	},
	Returns: "complex, the dims and the unit of the input; along sample, the times of the samples",
	Examples: []ops.Example{{Title: "echoes as a probe receives them, to IQ", Code: `probe = linear_probe(n: 8, pitch: 0.3 mm)
rf = simulate.echoes(probe, [point(z: 10 mm)], fc: 3 MHz, fs: 12 MHz, samples: 256, signal: received)
rf | demodulate(fc: 3 MHz, fs: 12 MHz) | abs | show`}},
	Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5},
	Bind:  bindDemodulate,
}

const maxTaps = 1 << 16

// lowPass is the filter of a call: 2 h[k] exp(2 pi j fc k / fs) for k from -half to half, so that mixing is one turn behind it.
type lowPass struct {
	half         int
	h            []float64 // low pass, gain 2 at zero frequency
	fc, fs, from float64
	out          ops.Type
}

func newLowPass(c *ops.Call) (*lowPass, error) {
	var p problems
	f := &lowPass{fc: c.Number("fc"), fs: c.Number("fs"), from: c.Number("start")}
	if 2*f.fc > f.fs {
		p.add(problem.Undersampled, "fc", "sample at twice the centre frequency or more", "a centre frequency of %.4g Hz needs more than %.4g samples a second", f.fc, f.fs)
	}
	cutoff := c.Number("cutoff")
	switch {
	case !c.Has("cutoff"):
		cutoff = min(f.fc, f.fs/4)
	case cutoff >= f.fs/2:
		p.add(problem.OutOfBounds, "cutoff", "take less than half the sampling frequency", "a cutoff of %.4g Hz is not below half of %.4g samples a second", cutoff, f.fs)
	}
	taps := 3.3 * f.fs / (cutoff / 2)
	if c.Has("taps") {
		taps = c.Number("taps")
		if c.Int("taps")%2 == 0 {
			p.add(problem.OutOfBounds, "taps", "take an odd number, so that the filter has a middle", "the filter has %d taps", c.Int("taps"))
		}
	}
	if taps > maxTaps {
		p.add(problem.ArrayTooLarge, "taps", "take a higher cutoff or a lower sampling frequency", "a filter of %.3g taps is too long", taps)
	}
	if len(p) > 0 {
		return f, p.err()
	}
	f.half = int(taps) / 2
	f.h = hammingSinc(f.half, cutoff/f.fs)
	return f, nil
}

// hammingSinc is a low-pass filter of 2 half + 1 taps that cuts at the given frequency in turns a sample, with gain 2.
func hammingSinc(half int, cut float64) []float64 {
	h := make([]float64, 2*half+1)
	sum := 0.0
	for i := range h {
		k := float64(i - half)
		h[i] = 2 * cut
		if k != 0 {
			h[i] = math.Sin(2*math.Pi*cut*k) / (math.Pi * k)
		}
		if half > 0 {
			h[i] *= 0.54 + 0.46*math.Cos(math.Pi*k/float64(half))
		}
		sum += h[i]
	}
	for i := range h {
		h[i] *= 2 / sum
	}
	return h
}

// turn is the angle of the mixing frequency after n samples.
func (f *lowPass) turn(n float64) float64 { return 2 * math.Pi * f.fc * n / f.fs }

func bindDemodulate(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	var p problems
	checkDims(&p, t, []string{"sample"}, t.DimNames())
	if t.Elem.Complex {
		p.add(problem.WrongElementType, "input", "leave demodulate out", "the input is complex (%s): it is demodulated already", t.Elem)
	}
	if t.Elem.Base == ir.Bool {
		p.add(problem.WrongElementType, "input", "", "demodulate needs numbers, and the input is bool")
	}
	f, err := newLowPass(c)
	p.join(err)
	if hasErrors(p) {
		return nil, p.err()
	}
	t.Dims = slices.Clone(t.Dims)
	sample := &t.Dims[t.Dim("sample")]
	checkTiming(&p, *sample, f.from, f.fs)
	if sample.Coords == nil { // so that whoever goes on knows when samples are
		sample.Unit = ops.MustUnit("s")
		for n := range sample.Size {
			sample.Coords = append(sample.Coords, f.from+float64(n)/f.fs)
		}
	}
	t.Elem = ops.ElemType{Base: ops.Inexact(t.Elem.Base), Complex: true}
	f.out = t
	return f, p.err()
}

// Outputs is the complex envelope.
func (f *lowPass) Outputs() []ops.Output { return ops.One(f.out) }

// Lower filters and then mixes, by tables.
func (f *lowPass) Lower(l *ops.Lowering) []*ops.Stage {
	in, t := l.In("input"), f.out
	at := t.Dim("sample")
	n := t.Dims[at].Size
	table := func(name string, size int, value func(i int) float64) *ops.Stage {
		data := make([]float64, size)
		for i := range data {
			data[i] = value(i)
		}
		return l.Table(name, t.Elem.Base, data, ops.Dim{Name: name, Size: size})
	}
	taps := len(f.h)
	re := table("filter_re", taps, func(i int) float64 { return f.h[i] * math.Cos(f.turn(float64(i-f.half))) })
	im := table("filter_im", taps, func(i int) float64 { return f.h[i] * math.Sin(f.turn(float64(i-f.half))) })
	phase := func(i int) float64 { return -f.turn(float64(i) + f.from*f.fs) }
	cos := table("mixer_re", n, func(i int) float64 { return math.Cos(phase(i)) })
	sin := table("mixer_im", n, func(i int) float64 { return math.Sin(phase(i)) })
	base := t.Elem.Base
	out := l.Stage("", t, []*ops.Stage{in, re, im, cos, sin}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		zero := b.Const(base, 0)
		spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(taps), Init: []*ir.Node{zero, zero}, Monoid: ir.Sum}
		sum := b.Fold(spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			m := b.Sub(b.Add(index[at], b.I32(f.half)), k)
			inside := b.And(b.Le(b.I32(0), m), b.Lt(m, b.I32(n)))
			place := append([]*ir.Node{}, index...)
			place[at] = m
			v := b.Cast(base, in.AtOr(b, inside, 0, place...).Re)
			return []*ir.Node{b.Add(acc[0], b.Mul(v, re.At(b, k).Re)), b.Add(acc[1], b.Mul(v, im.At(b, k).Re))}, nil
		})
		turn := ops.Elem{Re: cos.At(b, index[at]).Re, Im: sin.At(b, index[at]).Re}
		return ops.CMul(b, ops.Elem{Re: sum[0], Im: sum[1]}, turn)
	})
	out.Steps = []string{"filter", "mix"}
	return []*ops.Stage{out}
}

// Reference mixes first and filters then, as the formula says.
func (f *lowPass) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	t := f.out
	x := in["input"]
	out := ops.Dense{Shape: t.Shape(), Re: make([]float64, len(x.Re)), Im: make([]float64, len(x.Re))}
	at := t.Dim("sample")
	n, stride := t.Dims[at].Size, 1
	for _, d := range t.Dims[at+1:] {
		stride *= d.Size
	}
	for i := range x.Re {
		here := i / stride % n
		var sum complex128
		for k := -f.half; k <= f.half; k++ {
			if m := here - k; m >= 0 && m < n {
				mixed := complex(x.Re[i-k*stride], 0) * cmplx.Exp(complex(0, -2*math.Pi*f.fc*(f.from+float64(m)/f.fs)))
				sum += complex(f.h[k+f.half], 0) * mixed
			}
		}
		out.Re[i], out.Im[i] = real(sum), imag(sum)
	}
	return []ops.Dense{out}, nil
}
