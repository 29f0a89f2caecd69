package beam

import (
	"math"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/problem"
)

func TestMatrixProbe(t *testing.T) {
	p := made[*Probe](t, matrixProbe, arguments{"nx": ops.Integer(4), "ny": ops.Integer(3), "pitch_x": mm(1), "pitch_y": mm(2)})
	if p.Elements() != 12 || p.Width != 1e-3 || p.Height != 2e-3 {
		t.Errorf("%d elements of %g by %g", p.Elements(), p.Width, p.Height)
	}
	for e, want := range map[int][3]float64{0: {-1.5e-3, -2e-3, 0}, 1: {-0.5e-3, -2e-3, 0}, 4: {-1.5e-3, 0, 0}, 11: {1.5e-3, 2e-3, 0}} {
		if got := p.Element(e); distance(got, want) > 1e-15 {
			t.Errorf("element %d at %v, want %v", e, got, want)
		}
	}
	if got := p.String(); got != "matrix probe of 4 x 3 elements, pitch 1 mm by 2 mm" {
		t.Errorf("said %q", got)
	}
}

func TestBadObjects(t *testing.T) {
	box := func(changes arguments) arguments {
		return arguments{"x": span(-1, 1, 3), "z": span(8, 9, 3)}.with(changes)
	}
	matrix := arguments{"nx": ops.Integer(2), "ny": ops.Integer(2)}
	stepped := ops.Range{From: mm(0), To: mm(1), Step: 2e-3}
	nan := ops.Number{V: math.NaN(), Unit: ops.MustUnit("mm")}
	cases := []struct {
		name  string
		spec  *ops.Spec
		args  arguments
		codes []string
	}{
		{"no pitch", matrixProbe, matrix, []string{problem.MissingArgument + " "}},
		{"half a pitch", matrixProbe, matrix.with(arguments{"pitch_x": mm(1)}), []string{problem.MissingArgument + " "}},
		{"two pitches", matrixProbe, matrix.with(arguments{"pitch": mm(1), "pitch_x": mm(1)}), []string{problem.ContradictArguments + " pitch"}},
		{"too many elements", matrixProbe, arguments{"nx": ops.Integer(1 << 40), "ny": ops.Integer(1 << 40), "pitch": mm(1)}, []string{problem.ArrayTooLarge + " nx"}},
		{"too many along", linearProbe, arguments{"n": ops.Integer(1 << 40), "pitch": mm(1)}, []string{problem.ArrayTooLarge + " n"}},
		{"no element", customProbe, arguments{"x": ops.List{}}, []string{problem.ZeroExtent + " x"}},
		{"plain numbers", customProbe, arguments{"x": ops.List{ops.Integer(1), mm(1)}}, []string{problem.MissingUnit + " x"}},
		{"seconds", customProbe, arguments{"x": numbers("us", 1, 2)}, []string{problem.WrongUnit + " x", problem.WrongUnit + " x"}},
		{"names", customProbe, arguments{"x": ops.List{ops.Symbol("a")}}, []string{problem.WrongKind + " x"}},
		{"not finite", customProbe, arguments{"x": ops.List{nan}}, []string{problem.NotFiniteConstant + " x"}},
		{"two lengths of list", customProbe, arguments{"x": numbers("mm", 1, 2, 3), "y": numbers("mm", 1, 2)}, []string{problem.ExtentMismatch + " y"}},
		{"uncounted", boxGrid, box(arguments{"x": ops.Range{From: mm(0), To: mm(1)}}), []string{problem.RangeWithoutCount + " x"}},
		{"negative count", boxGrid, box(arguments{"x": span(0, 1, -2)}), []string{problem.ZeroExtent + " x"}},
		{"backwards", boxGrid, box(arguments{"x": span(1, -1, 3)}), []string{problem.EmptyRange + " x"}},
		{"no extent", boxGrid, box(arguments{"z": span(1, 1, 3)}), []string{problem.EmptyRange + " z"}},
		{"one of two ends", boxGrid, box(arguments{"z": span(1, 2, 1)}), []string{problem.EmptyRange + " z"}},
		{"long step", boxGrid, box(arguments{"z": stepped}), []string{problem.BadStep + " z"}},
		{"endless", boxGrid, box(arguments{"z": ops.Range{From: nan, To: mm(1), N: 2}}), []string{problem.NotFiniteConstant + " z"}},
		{"nowhere", boxGrid, box(arguments{"z": nan}), []string{problem.NotFiniteConstant + " z"}},
		{"several", boxGrid, box(arguments{"x": span(1, -1, 3), "z": nan}), []string{problem.EmptyRange + " x", problem.NotFiniteConstant + " z"}},
		{"huge axis", boxGrid, box(arguments{"z": span(1, 2, 1<<30)}), []string{problem.ArrayTooLarge + " z"}},
		{"huge grid", boxGrid, arguments{"x": span(0, 1, 1<<20), "y": span(0, 1, 1<<20), "z": span(1, 2, 4)}, []string{problem.ArrayTooLarge + " "}},
		{"no delays", firstArrivalLaw, arguments{"delays": ops.List{}}, []string{problem.ZeroExtent + " delays"}},
		{"sideways", planeLaw, arguments{"angle": numbers("deg", 0, 90)}, []string{problem.OutOfBounds + " angle"}},
		{"angles without a count", planeLaw, arguments{"angle": ops.Range{From: ops.Quantity(-5, "deg"), To: ops.Quantity(5, "deg")}}, []string{problem.RangeWithoutCount + " angle"}},
		{"endless angles", planeLaw, arguments{"angle": ops.Range{From: ops.Quantity(-5, "deg"), To: ops.Quantity(5, "deg"), N: 1 << 30}}, []string{problem.ArrayTooLarge + " angle"}},
		{"no angle", planeLaw, arguments{"angle": ops.List{}}, []string{problem.ZeroExtent + " angle"}},
		{"two counts of shots", divergingLaw, arguments{"x": numbers("mm", 1, 2, 3), "z": numbers("mm", -1, -2)}, []string{problem.ExtentMismatch + " z"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.spec.Bind(call(c.spec, c.args))
			if got := codes(t, err); !slices.Equal(got, c.codes) {
				t.Errorf("codes %q, want %q (%v)", got, c.codes, err)
			}
		})
	}
}

func TestBoxHasEndsAndPlanes(t *testing.T) {
	g := made[*Grid](t, boxGrid, arguments{"x": span(-1, 1, 3), "z": ops.Range{From: mm(8), To: mm(10), Step: 1e-3}})
	if g.Len() != 9 || len(g.Dims()) != 2 || g.Dims()[1].Name != "z" {
		t.Fatalf("%d points, dims %v", g.Len(), g.Dims())
	}
	if got := g.Point(5); distance(got, [3]float64{0, 0, 10e-3}) > 1e-15 {
		t.Errorf("point 5 is %v", got)
	}
	if got := g.String(); got != "grid of x: -1 mm .. 1 mm in 3, y: 0 mm, z: 8 mm .. 10 mm by 1 mm" {
		t.Errorf("said %q", got)
	}
}

// The laws at places where geometry gives the answer.
func TestLaws(t *testing.T) {
	probe := made[*Probe](t, linearProbe, arguments{"n": ops.Integer(2), "pitch": mm(6)}) // at x = -3, 3 mm
	law := func(spec *ops.Spec, args arguments) Law { return made[*Transmit](t, spec, args).Law }
	cases := []struct {
		name string
		law  Law
		at   [3]float64 // mm
		want float64    // mm
	}{
		{"nearest element", simultaneous(), [3]float64{6, 0, 4}, 5},
		{"later element", law(firstArrivalLaw, arguments{"delays": numbers("us", 0, 10)}), [3]float64{6, 0, 4}, math.Sqrt(97)},
		{"straight down", law(planeLaw, nil), [3]float64{5, 3, 7}, 7},
		{"30 degrees", law(planeLaw, arguments{"angle": deg(30)}), [3]float64{4, 9, 0}, 2},
		{"first of a range", law(planeLaw, arguments{"angle": ops.Range{From: deg(30), To: deg(-30), N: 5}}), [3]float64{4, 9, 0}, 2},
		{"elevation", law(planeLaw, arguments{"elevation": deg(30)}), [3]float64{4, 4, 0}, 2},
		{"diverging", law(divergingLaw, arguments{"z": mm(-3)}), [3]float64{8, 0, 3}, 7},
		{"before the focus", law(divergingLaw, arguments{"z": mm(10)}), [3]float64{3, 0, 6}, 5},
		{"at the focus", law(divergingLaw, arguments{"z": mm(10)}), [3]float64{0, 0, 10}, 10},
		{"behind the focus", law(divergingLaw, arguments{"z": mm(10)}), [3]float64{3, 0, 14}, 15},
	}
	for _, c := range cases {
		at := [3]float64{c.at[0] / 1e3, c.at[1] / 1e3, c.at[2] / 1e3}
		if got := 1e3 * c.law.Distance(probe, 1540, 0, at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %.12g mm, want %g", c.name, got, c.want)
		}
	}
}

func TestWindows(t *testing.T) {
	tukey := made[*Window](t, tukeyWindow, arguments{"alpha": ops.Number{V: 0.5}})
	hann := made[*Window](t, tukeyWindow, arguments{"alpha": ops.Number{V: 1}})
	cases := []struct {
		w       *Window
		r, want float64
	}{
		{windows["rect"], 1, 1}, {windows["rect"], 1.001, 0},
		{windows["hann"], 0, 1}, {windows["hann"], -0.5, 0.5}, {windows["hann"], 1, 0},
		{windows["hamming"], 0, 1}, {windows["hamming"], 0.5, 0.54}, {windows["hamming"], 1, 0.08}, {windows["hamming"], 1.1, 0},
		{tukey, 0.5, 1}, {tukey, 0.75, 0.5}, {tukey, 1, 0},
		{hann, 0.5, 0.5},
		{made[*Window](t, tukeyWindow, arguments{"alpha": ops.Number{V: 0}}), 1, 1},
	}
	for _, c := range cases {
		if got := c.w.At(c.r); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s at %g is %g, want %g", c.w, c.r, got, c.want)
		}
	}
	probe := made[*Probe](t, linearProbe, arguments{"n": ops.Integer(4), "pitch": mm(1)})
	for e, want := range []float64{windows["hann"].At(0.75), windows["hann"].At(0.25)} {
		if got := staticWeights(probe, windows["hann"])[e]; math.Abs(got-want) > 1e-15 {
			t.Errorf("weight of element %d of 4 is %g, want %g", e, got, want)
		}
	}
}

// Polynomials keep their promise, with as many terms as the kernel's speed counts on at fs = 4 fc.
func TestRotationPolynomials(t *testing.T) {
	for _, theta := range []float64{0.1, 1, math.Pi / 2, 3, 2 * math.Pi} {
		r := newRotation(theta, constants)
		for i := range 101 {
			u := float64(i)/100 - 0.5
			eval := func(c []ops.Number) (p float64) {
				for _, v := range slices.Backward(c) {
					p = p*u*u + v.V
				}
				return p
			}
			if d := math.Hypot(u*eval(r.sin)-math.Sin(theta*u), eval(r.cos)-math.Cos(theta*u)); d > 1.5*rotationError {
				t.Errorf("theta %g u %g: error %g", theta, u, d)
			}
		}
		if theta == math.Pi/2 && (len(r.sin) > 3 || len(r.cos) > 3) {
			t.Errorf("%d and %d terms at theta = pi/2", len(r.sin), len(r.cos))
		}
	}
}
