package beam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"weft/kernels/interp"
	"weft/ops"
	"weft/ops/optest"
)

// noisy fills a record with noise, which no interpolation or delay error survives unseen.
func noisy(t ops.Type) ops.Dense {
	r := rand.New(rand.NewPCG(1, 2))
	d := ops.NewDense(t.Elem.Complex, t.Shape()...)
	for i := range d.Re {
		d.Set(i, complex(r.NormFloat64(), r.NormFloat64()))
	}
	return d
}

// scene is a small acquisition: arguments of beamform, with values for its input.
type scene struct {
	args   arguments
	inputs map[string]ops.Dense
}

func newScene(t testing.TB, args arguments) scene {
	all := shot(t).with(args)
	in := map[string]ops.Dense{}
	for name, v := range all {
		if a, ok := v.(ops.Array); ok {
			in[name] = noisy(a.Type())
		}
	}
	return scene{all, in}
}

func (s scene) run(t testing.TB, mode interp.Mode, how optest.Fusion) ops.Dense {
	t.Helper()
	return optest.At(t, call(beamform, s.args), s.inputs, mode, how, nil)
}

func (s scene) reference(t testing.TB) ops.Dense {
	t.Helper()
	return optest.Reference(t, call(beamform, s.args), s.inputs)[0]
}

// tolerance of float32 relative to the peak; wideTolerance is left by the polynomials of the rotation alone.
const (
	tolerance     = 1e-4
	wideTolerance = 4e-5
)

func TestBeamformAgainstDefinition(t *testing.T) {
	input := func(d ...ops.Dim) ops.Value { return array(iq(d...)) }
	matrix := made[*Probe](t, matrixProbe, arguments{"nx": ops.Integer(4), "ny": ops.Integer(3), "pitch_x": mm(0.3), "pitch_y": mm(0.4)})
	arc := made[*Probe](t, customProbe, arguments{
		"x": numbers("mm", -2, -1.1, 0, 0.9, 2.1), "y": numbers("mm", 0.1, 0, -0.2, 0, 0.3), "z": numbers("mm", -0.5, -0.1, 0, -0.1, -0.4)})
	volume := made[*Grid](t, boxGrid, arguments{"x": span(-1, 1.5, 3), "y": span(-2, 1, 2), "z": span(6, 14, 4)})
	law := func(spec *ops.Spec, args arguments) ops.Value { return made[*Transmit](t, spec, args) }
	shots := func(n int) ops.Value { return input(dim("transmit", n), dim("sample", 200), dim("element", 16)) }
	delays := numbers("us", 0, 0.1, 0.2, 0.3, 0.2, 0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.05)
	later := numbers("us", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	cases := map[string]arguments{
		"plain":               nil,
		"element before time": {"input": input(dim("element", 16), dim("sample", 200))},
		"start":               {"start": us(3)},
		"start before zero":   {"start": us(-2)},
		"nearest":             {"interpolation": ops.Symbol("nearest")},
		"cubic":               {"interpolation": ops.Symbol("cubic")},
		"low carrier":         {"fc": mhz(0.5)},
		"carrier near fs":     {"fc": mhz(11.9)},
		"other speed":         {"c": ops.Quantity(1480, "m/s")},
		"hann":                {"apodization": ops.Symbol("hann")},
		"f-number":            {"fnumber": ops.Number{V: 1.7}},
		"f-number hann":       {"fnumber": ops.Number{V: 1.7}, "apodization": ops.Symbol("hann")},
		"f-number hamming":    {"fnumber": ops.Number{V: 2.5}, "apodization": ops.Symbol("hamming")},
		"f-number tukey":      {"fnumber": ops.Number{V: 1.7}, "apodization": made[*Window](t, tukeyWindow, arguments{"alpha": ops.Number{V: 0.4}})},
		"coherence":           {"weighting": ops.Symbol("coherence_factor")},
		"coherence f-number":  {"weighting": ops.Symbol("coherence_factor"), "fnumber": ops.Number{V: 2}, "apodization": ops.Symbol("hann")},
		"matrix":              {"probe": matrix, "grid": volume, "input": input(dim("sample", 200), dim("element", 12))},
		"matrix f-number":     {"probe": matrix, "grid": volume, "input": input(dim("sample", 200), dim("element", 12)), "fnumber": ops.Number{V: 4}, "apodization": ops.Symbol("hann")},
		"matrix hamming":      {"probe": matrix, "grid": volume, "input": input(dim("sample", 200), dim("element", 12)), "apodization": ops.Symbol("hamming")},
		"matrix coherence":    {"probe": matrix, "grid": volume, "input": input(dim("sample", 200), dim("element", 12)), "weighting": ops.Symbol("coherence_factor")},
		"arc":                 {"probe": arc, "grid": volume, "input": input(dim("sample", 200), dim("element", 5))},
		"arc f-number":        {"probe": arc, "grid": volume, "input": input(dim("sample", 200), dim("element", 5)), "fnumber": ops.Number{V: 1.5}},
		"delays":              {"transmit": law(firstArrivalLaw, arguments{"delays": delays})},
		"late":                {"transmit": law(firstArrivalLaw, arguments{"delays": later})},
		"delays compounded":   {"transmit": ops.List{ops.Symbol("first_arrival"), law(firstArrivalLaw, arguments{"delays": delays})}, "input": shots(2)},
		"late compounded":     {"transmit": ops.List{ops.Symbol("first_arrival"), law(firstArrivalLaw, arguments{"delays": later})}, "input": shots(2)},
		"plane":               {"transmit": law(planeLaw, arguments{"angle": deg(10)})},
		"planes":              {"transmit": law(planeLaw, arguments{"angle": numbers("deg", -10, 0, 10)}), "input": shots(3)},
		"planes coherence":    {"transmit": law(planeLaw, arguments{"angle": numbers("deg", -10, 0, 10)}), "input": shots(3), "weighting": ops.Symbol("coherence_factor")},
		"plane elevation":     {"transmit": law(planeLaw, arguments{"elevation": deg(20)}), "grid": volume},
		"diverging":           {"transmit": law(divergingLaw, arguments{"x": mm(1), "z": mm(-5)})},
		"sources":             {"transmit": law(divergingLaw, arguments{"x": numbers("mm", -1, 1), "z": mm(-5)}), "input": shots(2)},
		"focus":               {"transmit": law(divergingLaw, arguments{"x": mm(0.5), "z": mm(10.3)})},
		"one shot of one":     {"input": shots(1)},
		"frames":              {"input": input(dim("sample", 200), dim("frame", 2), dim("element", 16))},
		"frames of shots": {"input": input(dim("sample", 200), dim("transmit", 2), dim("frame", 2), dim("element", 16)),
			"transmit": law(planeLaw, arguments{"angle": numbers("deg", -10, 10)})},
		"float64 input":  {"input": array(ops.Type{Elem: ops.C128, Dims: []ops.Dim{dim("sample", 200), dim("element", 16)}})},
		"partly outside": {"input": input(dim("sample", 160), dim("element", 16)), "start": us(11)},
		"line":           {"grid": made[*Grid](t, boxGrid, arguments{"x": mm(0.2), "z": span(8, 12, 9)})},
		"one point":      {"grid": made[*Grid](t, boxGrid, arguments{"x": mm(0.2), "z": mm(10)})},
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, args)
			want := s.reference(t)
			optest.Near(t, s.run(t, interp.Wide, optest.Stored), want, wideTolerance)
			optest.Near(t, s.run(t, interp.Exact, optest.Stored), want, tolerance)
			optest.Near(t, s.run(t, interp.Wide, optest.Fused), want, wideTolerance)
		})
	}
}

// TestApertureEdge: elements and points on round coordinates, so that many elements lie exactly on the edge of the aperture. In float32,
// in float64 and by the definition the same ones count.
func TestApertureEdge(t *testing.T) {
	probe := made[*Probe](t, linearProbe, arguments{"n": ops.Integer(33), "pitch": mm(0.3)})
	grid := made[*Grid](t, boxGrid, arguments{"x": span(-4.8, 4.8, 33), "z": span(3, 13.8, 37)})
	for _, window := range []string{"rect", "hamming"} {
		for _, fnumber := range []float64{0.5, 1, 1.25, 1.5, 2, 2.5, 3} {
			t.Run(fmt.Sprint(window, fnumber), func(t *testing.T) {
				s := newScene(t, arguments{"probe": probe, "grid": grid, "fnumber": ops.Number{V: fnumber}, "apodization": ops.Symbol(window),
					"input": array(iq(dim("sample", 500), dim("element", 33)))})
				want := s.reference(t)
				optest.Near(t, s.run(t, interp.Wide, optest.Fused), want, wideTolerance)
				optest.Near(t, s.run(t, interp.Exact, optest.Fused), want, tolerance)
			})
		}
	}
}

func TestBeamformArrivals(t *testing.T) {
	s := newScene(t, nil)
	grid := s.args["grid"].(*Grid)
	times := ops.Type{Elem: ops.F64, Unit: ops.MustUnit("s"), Dims: []ops.Dim{dim("z", 5), dim("x", 5)}}
	law := simultaneous()
	d := ops.NewDense(false, 5, 5)
	for i, z := range grid.Axes[2].Points {
		for j, x := range grid.Axes[0].Points {
			d.Re[5*i+j] = law.Distance(s.args["probe"].(*Probe), 1540, 0, [3]float64{x, 0, z}) / 1540
		}
	}
	want := s.reference(t)
	s.args["transmit"] = array(times)
	s.inputs["transmit"] = d
	optest.Near(t, s.reference(t), want, 1e-12)
	optest.Near(t, s.run(t, interp.Wide, optest.Stored), want, wideTolerance)

	d.Re[0], d.Re[6], d.Re[12] = math.NaN(), math.Inf(1), math.Inf(-1)
	got := s.run(t, interp.Exact, optest.Stored)
	for _, i := range []int{0, 6, 12} { // (x, z) of the image is (z, x) of the times: the diagonal
		if got.At(i) != 0 {
			t.Errorf("a point that the wave never reaches holds %v", got.At(i))
		}
	}
	got.Re[0], got.Re[6], got.Re[12], got.Im[0], got.Im[6], got.Im[12] = 0, 0, 0, 0, 0, 0
	for _, i := range []int{0, 6, 12} {
		want.Set(i, 0)
	}
	optest.Near(t, got, want, tolerance)
}

// One element at the origin sees a point at depth z at s = 2 z fs/c samples: the ends of the record to the sample.
func TestEndsOfTheRecord(t *testing.T) {
	const n = 40
	cases := []struct {
		scheme      string
		first, last float64 // least place that counts, and the place where counting ends
	}{
		{"nearest", -0.5, n - 0.5},
		{"linear", 0, n - 1},
		{"cubic", 1, n - 2},
	}
	probe := made[*Probe](t, customProbe, arguments{"x": mm(0)})
	one := iq(dim("sample", n), dim("element", 1))
	ones := ops.NewDense(true, n, 1)
	for i := range ones.Re {
		ones.Re[i] = 1
	}
	const eps = 1e-3
	for _, c := range cases {
		for place, inside := range map[float64]bool{c.first - eps: false, c.first + eps: true, c.last - eps: true, c.last + eps: false} {
			const start = 10e-6
			z := (place/12e6 + start) * 1540 / 2
			s := scene{shot(t).with(arguments{"probe": probe, "input": array(one), "interpolation": ops.Symbol(c.scheme), "start": us(10),
				"grid": made[*Grid](t, boxGrid, arguments{"x": mm(0), "z": ops.Quantity(z, "m")})}), map[string]ops.Dense{"input": ones}}
			for _, mode := range []interp.Mode{interp.Exact, interp.Wide} {
				got := s.run(t, mode, optest.Stored).At(0)
				if magnitude := math.Hypot(real(got), imag(got)); inside && math.Abs(magnitude-1) > 1e-4 || !inside && got != 0 {
					t.Errorf("%s at sample %g (%s): %v", c.scheme, place, mode, got)
				}
			}
			if got := s.reference(t).At(0); (got != 0) != inside {
				t.Errorf("%s at sample %g: the reference is %v", c.scheme, place, got)
			}
		}
	}
}

// A wave of one frequency is what interpolation may not hurt: the focus of a source on the grid is the sum of all elements.
func TestPointTargetFocuses(t *testing.T) {
	for _, scheme := range schemeNames {
		t.Run(scheme, func(t *testing.T) {
			args := shot(t).with(arguments{"interpolation": ops.Symbol(scheme),
				"grid": made[*Grid](t, boxGrid, arguments{"x": span(-2, 2, 21), "z": span(8, 12, 21)})})
			probe, source := args["probe"].(*Probe), [3]float64{0.6e-3, 0, 10.4e-3}
			d := ops.NewDense(true, 200, 16)
			for e := range 16 {
				tau := (simultaneous().Distance(probe, 1540, 0, source) + distance(source, probe.Element(e))) / 1540
				for n := range 200 {
					u := float64(n)/12e6 - tau
					sin, cos := math.Sincos(-2 * math.Pi * 3e6 * tau)
					env := math.Exp(-u * u / (2 * 0.25e-6 * 0.25e-6))
					d.Set(n*16+e, complex(env*cos, env*sin))
				}
			}
			got := scene{args, map[string]ops.Dense{"input": d}}.run(t, interp.Exact, optest.Stored)
			best, at := 0.0, 0
			for i := range got.Re {
				if m := math.Hypot(got.Re[i], got.Im[i]); m > best {
					best, at = m, i
				}
			}
			if x, z := at/21, at%21; x != 13 || z != 12 {
				t.Errorf("brightest at (%d, %d), the source is at (13, 12)", x, z)
			}
			if best < 15 || best > 16.1 {
				t.Errorf("16 elements in phase give %g", best)
			}
		})
	}
}

func TestStagesAndSteps(t *testing.T) {
	s := newScene(t, arguments{"input": array(iq(dim("sample", 200), dim("transmit", 2), dim("element", 16))),
		"transmit": made[*Transmit](t, planeLaw, arguments{"angle": numbers("deg", -5, 5)}), "fnumber": ops.Number{V: 1}})
	pairs := 16 * 25
	var names []string
	for _, st := range optest.Stages(t, call(beamform, s.args), s.inputs) {
		names = append(names, st.Name)
		if st.Data == nil && !st.Source && st.Name != "beamform.prepare" && st.Type.Len() >= pairs {
			t.Errorf("stage %s holds %d elements: points times elements is %d", st.Name, st.Type.Len(), pairs)
		}
		if st.Name == "beamform" {
			want := []string{"delay (100 % of pairs in the record)", "interpolate", "rotate", "apodise", "sum", "compound"}
			if fmt.Sprint(st.Steps) != fmt.Sprint(want) {
				t.Errorf("steps %q", st.Steps)
			}
		}
	}
	if len(names) < 4 {
		t.Errorf("stages %q", names)
	}
}
