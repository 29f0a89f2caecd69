package simulate

import (
	"errors"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/ops"
	"weft/ops/beam"
	"weft/ops/optest"
	"weft/ops/problem"
)

type arguments map[string]ops.Value

func call(spec *ops.Spec, args, changes arguments) *ops.Call {
	c := &ops.Call{Spec: spec, Args: map[string]ops.Value{}}
	for _, p := range spec.Params {
		for _, v := range []ops.Value{p.Default, args[p.Name], changes[p.Name]} {
			if v != nil {
				c.Args[p.Name] = v
			}
		}
	}
	return c
}

func spec(all []*ops.Spec, name string) *ops.Spec {
	return all[slices.IndexFunc(all, func(s *ops.Spec) bool { return s.Name == name })]
}

func made(t testing.TB, name string, args arguments) ops.Value {
	t.Helper()
	operator := spec(append(beam.Specs(), Specs()...), name)
	return optest.Bind(t, call(operator, args, nil)).(ops.Known).Value
}

func mm(v float64) ops.Number { return ops.Quantity(v, "mm") }

func small(t testing.TB) arguments {
	return arguments{
		"probe":      made(t, "matrix_probe", arguments{"nx": ops.Integer(3), "ny": ops.Integer(2), "pitch": mm(0.4)}),
		"scatterers": ops.List{made(t, "point", arguments{"x": mm(1), "z": mm(8)}), ops.List{mm(-1), mm(0.5), mm(9)}},
		"fc":         ops.Quantity(3, "MHz"), "fs": ops.Quantity(12, "MHz"), "samples": ops.Integer(60), "start": ops.Quantity(9, "us"),
	}
}

func TestEchoesAgainstDefinition(t *testing.T) {
	delays := ops.List{}
	for i := range 6 {
		delays = append(delays, ops.Quantity(0.1*float64(i), "us"))
	}
	waves := made(t, "plane", arguments{"angle": ops.List{ops.Quantity(-5, "deg"), ops.Quantity(5, "deg")}})
	cases := map[string]arguments{
		"plain":     nil,
		"linear":    {"probe": made(t, "linear_probe", arguments{"n": ops.Integer(4), "pitch": mm(0.3), "width": mm(0.2)})},
		"any probe": {"probe": made(t, "custom_probe", arguments{"x": ops.List{mm(0), mm(1)}, "z": ops.List{mm(0), mm(-0.3)}})},
		"noise":     {"noise": ops.Quantity(-20, "dB"), "seed": ops.Integer(1 << 31)},
		"planes":    {"transmit": waves, "noise": ops.Quantity(-20, "dB")},
		"delays":    {"transmit": made(t, "first_arrival", arguments{"delays": delays})},
		"bandwidth": {"bandwidth": ops.Number{V: 0.3}, "c": ops.Quantity(1480, "m/s")},
		"rf":        {"signal": ops.Symbol("received"), "noise": ops.Quantity(-20, "dB")},
		"rf planes": {"signal": ops.Symbol("received"), "transmit": waves},
		"on axis":   {"scatterers": ops.List{made(t, "point", arguments{"z": mm(8)})}, "probe": made(t, "linear_probe", arguments{"n": ops.Integer(1), "pitch": mm(0.3)})},
	}
	for name, changes := range cases {
		t.Run(name, func(t *testing.T) {
			c := call(echoes, small(t), changes)
			want := optest.Reference(t, c, nil)
			for mode, most := range map[interp.Mode]float64{interp.Wide: 1e-7, interp.Exact: 1e-5} {
				optest.Near(t, optest.At(t, c, nil, mode, optest.Stored, nil), want[0], most)
				optest.Near(t, optest.At(t, c, nil, mode, optest.Fused, nil), want[0], most)
			}
		})
	}
}

// One element looks straight at a point at 10 mm: unit amplitude, at twice the way, with the phase of the delay.
func TestEchoOnAxis(t *testing.T) {
	c := call(echoes, small(t), arguments{
		"probe":      made(t, "linear_probe", arguments{"n": ops.Integer(1), "pitch": mm(0.3)}),
		"scatterers": ops.List{made(t, "point", arguments{"z": mm(10), "amplitude": ops.Integer(2)})},
		"fs":         ops.Quantity(1540./20e-3*200, "Hz"), "fc": ops.Quantity(1540./20e-3*10.25, "Hz"), "samples": ops.Integer(300), "start": ops.Quantity(0, "s"),
	})
	got := optest.At(t, c, nil, interp.Exact, optest.Stored, nil)
	if d := cmplx.Abs(got.At(200) - cmplx.Rect(2, -math.Pi/2)); d > 1e-6 { // 10.25 turns
		t.Errorf("sample 200 is %v", got.At(200))
	}
	// at half the pulse's spectrum: |F(f)| of env is exp(-2 pi^2 s^2 f^2), a half at bandwidth fc / 2
	var at0, atHalf complex128
	fc, fs := c.Number("fc"), c.Number("fs")
	for n := range 300 {
		v := got.At(n) * complex(0, 1)
		at0 += v
		atHalf += v * cmplx.Rect(1, -2*math.Pi*0.35*fc/fs*float64(n))
	}
	if r := cmplx.Abs(atHalf) / cmplx.Abs(at0); math.Abs(r-0.5) > 1e-3 {
		t.Errorf("the spectrum falls to %g at half the bandwidth, want 0.5", r)
	}
}

// What is received, demodulated, is what is simulated demodulated.
func TestDemodulatedEchoes(t *testing.T) {
	iq := call(echoes, small(t), arguments{"samples": ops.Integer(120), "start": ops.Quantity(6, "us")})
	rf := call(echoes, small(t), arguments{"samples": ops.Integer(120), "start": ops.Quantity(6, "us"), "signal": ops.Symbol("received")})
	demodulate := spec(beam.Specs(), "demodulate")
	in := ops.Array{Of: optest.Instance(t, rf)}
	c := call(demodulate, arguments{"input": in, "fc": rf.Args["fc"], "fs": rf.Args["fs"], "start": rf.Args["start"]}, nil)
	received := optest.At(t, rf, nil, interp.Exact, optest.Stored, nil)
	got := optest.At(t, c, map[string]ops.Dense{"input": received}, interp.Exact, optest.Fused, nil)
	optest.Near(t, got, optest.At(t, iq, nil, interp.Exact, optest.Stored, nil), 1e-2)
}

func TestNoise(t *testing.T) {
	record := func(changes arguments) ops.Dense {
		c := call(echoes, small(t), changes)
		return optest.At(t, c, nil, interp.Exact, optest.Stored, nil)
	}
	level := arguments{"noise": ops.Quantity(-40, "dB"), "samples": ops.Integer(500)}
	clean, one := record(arguments{"samples": ops.Integer(500)}), record(level)
	level["seed"] = ops.Integer(2)
	two := record(level)

	var power, between, cross complex128
	for i := range one.Re {
		a, b := one.At(i)-clean.At(i), two.At(i)-clean.At(i)
		power += a * cmplx.Conj(a)
		between += a * cmplx.Conj(b)
		cross += complex(real(a)*imag(a), 0)
	}
	n := complex(float64(len(one.Re)), 0)
	s, err := resolve(call(echoes, small(t), level))
	if err != nil {
		t.Fatal(err)
	}
	strongest := 0.0
	for _, p := range s.points {
		for e := range s.probe.Elements() {
			strongest = max(strongest, math.Abs(s.amplitude(p, e)))
		}
	}
	want := strongest * strongest * 1e-4
	if r := real(power/n) / want; math.Abs(r-1) > 0.06 { // 3000 draws of power: 1.8 % each deviation
		t.Errorf("noise power %g of what is asked for", r)
	}
	for name, v := range map[string]complex128{"of two seeds": between, "of real and imaginary part": cross} {
		if r := cmplx.Abs(v) / real(power); r > 0.07 {
			t.Errorf("correlation %s: %g", name, r)
		}
	}
}

// Uniform words: every bit is set half of the time, and neighbours share no bits but by chance.
func TestHash(t *testing.T) {
	const n = 1 << 14
	var set, same [32]int
	for i := range uint32(n) {
		h, next := hash(i), hash(i+1)
		for b := range 32 {
			set[b] += int(h >> b & 1)
			same[b] += int(^(h ^ next) >> b & 1)
		}
	}
	for b := range 32 {
		for what, k := range map[string]int{"set": set[b], "same as the next": same[b]} {
			if math.Abs(float64(k)/n-0.5) > 0.02 { // 5 deviations
				t.Errorf("bit %d is %s in %d of %d", b, what, k, n)
			}
		}
	}
	for x, want := range map[uint32]uint32{1: 0x688990c0, 2: 0xd1132181, 12345: 0x912efcf7} { // recordings depend on it
		if got := hash(x); got != want {
			t.Errorf("hash(%d) is %#x, want %#x", x, got, want)
		}
	}
}

func TestEchoesInfer(t *testing.T) {
	point := func(z float64) ops.Value { return Scatterer{At: [3]float64{0, 0, z}, Amplitude: 1} }
	cases := []struct {
		name    string
		changes arguments
		code    string
		arg     string
	}{
		{"good", nil, "", ""},
		{"no points", arguments{"scatterers": ops.List{}}, problem.ZeroExtent, "scatterers"},
		{"two coordinates", arguments{"scatterers": ops.List{ops.List{mm(1), mm(2)}}}, problem.ExtentMismatch, "scatterers.0"},
		{"plain coordinates", arguments{"scatterers": ops.List{ops.List{mm(1), mm(2), ops.Integer(3)}}}, problem.MissingUnit, "scatterers"},
		{"a number", arguments{"scatterers": ops.List{mm(1)}}, problem.WrongKind, "scatterers.0"},
		{"behind", arguments{"scatterers": ops.List{point(-1e-3)}}, problem.OutOfBounds, "scatterers"},
		{"fc above fs", arguments{"fc": ops.Quantity(13, "MHz")}, problem.Undersampled, "fc"},
		{"endless", arguments{"samples": ops.Integer(1 << 40)}, problem.OutOfBounds, "samples"},
		{"another probe's delays", arguments{"transmit": made(t, "first_arrival", arguments{"delays": ops.List{ops.Quantity(0, "s")}})}, problem.ExtentMismatch, "transmit"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := echoes.Bind(call(echoes, small(t), c.changes))
			var p problem.Problem
			if errors.As(err, &p) != (c.code != "") || p.Code != c.code || p.Arg != c.arg {
				t.Errorf("%s %s: %v", p.Code, p.Arg, err)
			}
			if err != nil {
				return
			}
			if got := out.Outputs()[0].Type; got.String() != "c64 [sample: 60, element: 6]" || got.Dims[0].Coords[12] != 9e-6+12/12e6 {
				t.Errorf("output %s", got)
			}
		})
	}
}
