package beam

import (
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// shot is a call that checks: a record of 200 samples from 16 elements, a small grid well within.
func shot(t testing.TB) arguments {
	return arguments{
		"input": array(iq(dim("sample", 200), dim("element", 16))),
		"probe": made[*Probe](t, linearProbe, arguments{"n": ops.Integer(16), "pitch": mm(0.3)}),
		"grid":  made[*Grid](t, boxGrid, arguments{"x": span(-1, 1, 5), "z": span(8, 12, 5)}),
		"fc":    mhz(3), "fs": mhz(12),
	}
}

func TestBeamformInfer(t *testing.T) {
	grid := func(z ops.Range) ops.Value { return made[*Grid](t, boxGrid, arguments{"x": span(-1, 1, 5), "z": z}) }
	input := func(d ...ops.Dim) arguments { return arguments{"input": array(iq(d...))} }
	times := func(unit string, elem ops.ElemType, d ...ops.Dim) arguments {
		return arguments{"transmit": array(ops.Type{Elem: elem, Dims: d, Unit: ops.MustUnit(unit)})}
	}
	waves := made[*Transmit](t, planeLaw, arguments{"angle": numbers("deg", -5, 5)})
	timed := dim("sample", 200)
	timed.Coords, timed.Unit = make([]float64, 200), ops.MustUnit("us")
	for i := range timed.Coords {
		timed.Coords[i] = 2e-6 + float64(i)/12e6
	}
	real := iq(dim("sample", 200), dim("element", 16))
	real.Elem = ops.F32
	cases := []struct {
		name  string
		args  arguments
		codes []string
		says  string // part of the first message
	}{
		{"good", nil, nil, ""},
		{"no element", input(dim("sample", 200), dim("elemnt", 16)), []string{problem.MissingDim + " input", problem.ExtraDim + " input"}, "no dimension element"},
		{"extra dim", input(dim("subject", 2), dim("sample", 200), dim("element", 16)), []string{problem.ExtraDim + " input"}, "subject"},
		{"element count", input(dim("sample", 200), dim("element", 15)), []string{problem.ExtentMismatch + " probe"}, "the probe has 16 elements, and the input has 15"},
		{"one sample", input(dim("sample", 1), dim("element", 16)), []string{problem.ExtentMismatch + " input"}, "reads 2 samples"},
		{"real input", arguments{"input": array(real)}, []string{problem.WrongElementType + " input"}, "complex"},
		{"fc above fs", arguments{"fc": mhz(30)}, []string{problem.Undersampled + " fc"}, "30 MHz exceeds the sampling frequency 12 MHz"},
		{"behind", arguments{"grid": grid(span(-12, -8, 5))}, []string{problem.GridBehindProbe + " grid"}, "lies behind"},
		{"partly behind", arguments{"grid": grid(span(-1, 8, 5))}, []string{problem.GridBehindProbe + " grid"}, "reaches behind the probe: z begins at -1 mm"},
		{"nothing recorded", arguments{"grid": grid(span(80, 90, 5))}, []string{problem.OutOfBounds + "w grid"}, "from 0 us to 16.5"},
		{"units of lengths", arguments{"grid": grid(span(8, 8e9, 5))}, []string{problem.OutOfBounds + " grid"}, "samples away"},
		{"units of times", arguments{"start": ops.Quantity(1e6, "s")}, []string{problem.OutOfBounds + " start"}, "starts 1.2e+13 samples"},
		{"start", input(timed, dim("element", 16)), []string{problem.ContradictArguments + "w start"}, "begin at 2 us, and start is 0 us"},
		{"two laws, one shot", arguments{"transmit": waves}, []string{problem.MissingDim + " input"}, "2 transmits"},
		{"one law, two shots", input(dim("transmit", 2), dim("sample", 200), dim("element", 16)), []string{problem.ExtentMismatch + " transmit"}, "the input has 2 transmits, and transmit has 1"},
		{"two laws, two shots", input(dim("sample", 200), dim("transmit", 2), dim("element", 16)).with(arguments{"transmit": waves}), nil, ""},
		{"laws of two kinds", arguments{"transmit": ops.List{waves, ops.Symbol("first_arrival")}}, []string{problem.MixedList + " transmit"}, "mixes plane and first_arrival"},
		{"no law", arguments{"transmit": ops.List{}}, []string{problem.ZeroExtent + " transmit"}, "no transmits"},
		{"no law at all", arguments{"transmit": ops.List{mm(1)}}, []string{problem.WrongKind + " transmit"}, "1 mm"},
		{"delays of another probe", arguments{"transmit": made[*Transmit](t, firstArrivalLaw, arguments{"delays": numbers("us", 0, 1)})}, []string{problem.ExtentMismatch + " transmit"}, "2 delays, and the probe 16 elements"},
		{"times", times("us", ops.F64, dim("z", 5), dim("x", 5)), nil, ""},
		{"times of another grid", times("us", ops.F64, dim("z", 6), dim("x", 5)), []string{problem.ExtentMismatch + " transmit"}, "6 points along z, and the grid 5"},
		{"times without z", times("us", ops.F64, dim("x", 5)), []string{problem.MissingDim + " transmit"}, "no dimension z"},
		{"times with more", times("us", ops.F64, dim("x", 5), dim("y", 5), dim("z", 5)), []string{problem.ExtraDim + " transmit"}, "dimension y"},
		{"times that are lengths", times("mm", ops.F64, dim("x", 5), dim("z", 5)), []string{problem.WrongUnit + " transmit"}, "in mm"},
		{"times that are whole", times("us", ops.I32, dim("x", 5), dim("z", 5)), []string{problem.WrongElementType + " transmit"}, "i32"},
		{"several", arguments{"fc": mhz(30), "grid": grid(span(-12, -8, 5)), "input": array(real)},
			[]string{problem.WrongElementType + " input", problem.Undersampled + " fc", problem.GridBehindProbe + " grid"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := beamform.Bind(call(beamform, shot(t).with(c.args)))
			if got := codes(t, err); !slices.Equal(got, c.codes) {
				t.Fatalf("codes %q, want %q (%v)", got, c.codes, err)
			}
			if err != nil && !strings.Contains(problemsOf(t, err)[0].Message, c.says) {
				t.Errorf("message %q does not say %q", err, c.says)
			}
		})
	}
}

func TestBeamformOutput(t *testing.T) {
	args := shot(t).with(arguments{"input": array(ops.Type{Elem: ops.C128, Unit: ops.MustUnit("Pa"),
		Dims: []ops.Dim{dim("element", 16), dim("frame", 3), dim("sample", 200)}})})
	out, err := beamform.Bind(call(beamform, args))
	if err != nil {
		t.Fatal(err)
	}
	got := out.Outputs()[0].Type
	if got.String() != "c64 [frame: 3, x: 5, z: 5] Pa" {
		t.Errorf("output %s", got)
	}
	z := got.Dims[2]
	if z.Unit.Symbol != "mm" || z.Coords[0] != 8e-3 || z.Coords[4] != 12e-3 {
		t.Errorf("z coordinates %v in %s", z.Coords, z.Unit)
	}
}

func TestDemodulateInfer(t *testing.T) {
	rf := ops.Type{Elem: ops.ElemType{Base: ir.I16}, Dims: []ops.Dim{dim("sample", 64), dim("element", 4)}}
	good := arguments{"input": array(rf), "fc": mhz(3), "fs": mhz(12)}
	complex, noSample := rf, rf
	complex.Elem = ops.C64
	noSample.Dims = []ops.Dim{dim("time", 64)}
	timed := rf
	timed.Dims = slices.Clone(rf.Dims)
	timed.Dims[0].Coords, timed.Dims[0].Unit = make([]float64, 64), ops.MustUnit("us")
	cases := []struct {
		name  string
		args  arguments
		codes []string
	}{
		{"good", nil, nil},
		{"complex", arguments{"input": array(complex)}, []string{problem.WrongElementType + " input"}},
		{"start", arguments{"input": array(timed), "start": us(2)}, []string{problem.ContradictArguments + "w start"}},
		{"no sample", arguments{"input": array(noSample)}, []string{problem.MissingDim + " input"}},
		{"undersampled", arguments{"fc": mhz(7)}, []string{problem.Undersampled + " fc"}},
		{"cutoff", arguments{"cutoff": mhz(6)}, []string{problem.OutOfBounds + " cutoff"}},
		{"even taps", arguments{"taps": ops.Integer(32)}, []string{problem.OutOfBounds + " taps"}},
		{"endless filter", arguments{"cutoff": ops.Quantity(1, "Hz")}, []string{problem.ArrayTooLarge + " taps"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := demodulate.Bind(call(demodulate, good.with(c.args)))
			if got := codes(t, err); !slices.Equal(got, c.codes) {
				t.Fatalf("codes %q, want %q (%v)", got, c.codes, err)
			}
			if out != nil && out.Outputs()[0].Type.String() != "c64 [sample: 64, element: 4]" {
				t.Errorf("output %s", out.Outputs()[0].Type)
			}
		})
	}
}
