package planner_test

import (
	"strings"
	"testing"

	"weft/kernels/native"
	"weft/kernels/profile"
	"weft/kernels/schedule/sums"
	"weft/planner"
	"weft/planner/cost"
)

// Spectra with wavelengths of their own, as a spectrograph of a resolution sees them, are scanned in one kernel: what a template is at a pixel and a velocity is
// computed once, and handed on to the turns of the ten pixels that see it too. Nothing of that size is stored.
func TestTemplatesAreHandedOnFromPixelToPixel(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	for _, pixels := range []string{"800", "1597"} { // blocks are all alike, or not
		testHandedOn(t, described, pixels)
	}
}

func testHandedOn(t *testing.T, described *native.Device, pixels string) {
	p, err := planner.Build(checked(t, strings.ReplaceAll(`use fit
param pixels = 800
k = axis(knot, 0 .. 1999 in 2000)
lib = (flux: -0.5 * exp(-((k - axis(template, 900 .. 1100 in 2)) / 3) ^ 2), wavelength: 5000 angstrom * exp(1e-4 * cast(k, f64)))
x = cast(axis(pixel, 0 .. pixels - 1 in pixels), f64)
w = 5100 angstrom * exp(1e-4 * x)
n = axis(spectrum, 0 .. 31 in 32)
star = (flux: 1 - 0.001 * n * cos(x), ivar: fill(1e4, dims: pixel, extents: pixels), wavelength: (1 + 1e-5 * cast(n, f64)) * w)
fit.likelihood(star, lib, axis(velocity, -300 km/s .. 300 km/s in 200), fit.rbf(w, pixel, 5), resolution: 2000) | write("y.npy")
`, "800", pixels)).Sinks, described.Info(), planner.Options{Threads: 2, Cost: &cost.Model{Profile: profile.Default(2), Kind: "native", Rules: described.Info().Rules, Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	carried := 0
	for _, s := range p.Kernels() {
		carried = max(carried, sums.Carried(s.Kernel.IR))
	}
	if carried != 10 {
		t.Errorf("%s pixels: %d values are handed on, want those of 10 neighbours", pixels, carried)
	}
	for _, b := range p.Buffers {
		if b.Array == nil {
			continue
		}
		dims := map[string]bool{}
		for _, d := range b.Array.Type.Dims {
			dims[d.Name] = true
		}
		if dims["pixel"] && dims["velocity"] {
			t.Errorf("%s pixels: %s is stored, %s", pixels, b.ID, b.Array.Type)
		}
	}
}
