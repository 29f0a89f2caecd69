package simulate

import (
	"math"
	"testing"

	"weft/kernels/interp"
	"weft/ops"
	"weft/ops/beam"
	"weft/ops/optest"
)

// image simulates points and beamforms them on a grid of x and z.
func image(t testing.TB, acquisition, imaging arguments, x, z ops.Range) [][]float64 {
	t.Helper()
	record := call(echoes, acquisition, nil)
	data := optest.At(t, record, nil, interp.Exact, optest.Stored, nil)
	imaging["input"] = ops.Array{Of: optest.Instance(t, record)}
	imaging["grid"] = made(t, "box", arguments{"x": x, "z": z})
	for _, same := range []string{"probe", "fc", "fs", "start", "transmit"} {
		imaging[same] = acquisition[same]
	}
	c := call(spec(beam.Specs(), "beamform"), imaging, nil)
	d := optest.At(t, c, map[string]ops.Dense{"input": data}, interp.Exact, optest.Stored, nil)
	rows := make([][]float64, d.Shape[0])
	for i := range rows {
		for k := range d.Shape[1] {
			j := i*d.Shape[1] + k
			rows[i] = append(rows[i], math.Hypot(d.Re[j], d.Im[j]))
		}
	}
	return rows
}

// width of a peak at half its height (-6 dB), in samples of v.
func width(v []float64, peak int) float64 {
	side := func(step int) float64 {
		for i := peak; i+step >= 0 && i+step < len(v); i += step {
			if half := v[peak] / 2; v[i+step] <= half {
				return math.Abs(float64(i-peak)) + (v[i]-half)/(v[i]-v[i+step])
			}
		}
		return math.Inf(1)
	}
	return side(-1) + side(1)
}

// Five plane waves through 128 elements, compounded with a Hann window at f-number 1.5: every target within half a wavelength
// of its place, and no wider than the aperture and the pulse allow.
func TestPlaneWavesFindTargets(t *testing.T) {
	var angles ops.List
	for a := -10.; a <= 10; a += 5 {
		angles = append(angles, ops.Quantity(a, "deg"))
	}
	const fc, c = 5e6, 1540.
	const wavelength = c / fc
	for _, target := range [][2]float64{{0, 20e-3}, {8e-3, 20e-3}, {-5e-3, 30e-3}} {
		x, z := target[0], target[1]
		const step = 0.05e-3
		around := func(v float64) ops.Range {
			n := ops.MustUnit("m")
			return ops.Range{From: ops.Number{V: v - 18*step, Unit: n}, To: ops.Number{V: v + 18*step, Unit: n}, N: 37}
		}
		got := image(t, arguments{
			"probe":      made(t, "linear_probe", arguments{"n": ops.Integer(128), "pitch": mm(0.3)}),
			"scatterers": ops.List{Scatterer{At: [3]float64{x, 0, z}, Amplitude: 1}},
			"fc":         ops.Quantity(5, "MHz"), "fs": ops.Quantity(20, "MHz"), "samples": ops.Integer(300),
			"start": ops.Quantity(2e6*(z-2e-3)/c-1, "us"), "noise": ops.Quantity(-40, "dB"),
			"transmit": made(t, "plane", arguments{"angle": angles}),
		}, arguments{"apodization": ops.Symbol("hann"), "fnumber": ops.Number{V: 1.5}}, around(x), around(z))
		bi, bk := 0, 0
		for i := range got {
			for k := range got[i] {
				if got[i][k] > got[bi][bk] {
					bi, bk = i, k
				}
			}
		}
		column := make([]float64, len(got))
		for i := range got {
			column[i] = got[i][bk]
		}
		off := math.Hypot(float64(bi-18), float64(bk-18)) * step
		lateral, axial := width(column, bi)*step, width(got[bi], bk)*step
		t.Logf("target at (%g, %g) mm: off by %.3g mm, %.3g mm wide, %.3g mm deep", 1e3*x, 1e3*z, 1e3*off, 1e3*lateral, 1e3*axial)
		if off > wavelength/2 {
			t.Errorf("off by %g wavelengths", off/wavelength)
		}
		// the receive beam alone is 2 wavelengths times the f-number wide; the pulse is as deep as its envelope is long
		sigma := math.Sqrt(2*math.Ln2) / (math.Pi * 0.7 * fc)
		if lateral > 2*1.5*wavelength || axial > 1.1*c/2*2*math.Sqrt(2*math.Ln2)*sigma {
			t.Errorf("%g mm wide, %g mm deep", 1e3*lateral, 1e3*axial)
		}
	}
}
