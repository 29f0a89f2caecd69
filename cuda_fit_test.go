package main

import (
	"errors"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
)

// scanned is a scan of spectra of 4000 pixels at 432 velocities.
const scanned = `use fit
param terms = 10
param spectra = 64

w    = cast(axis(pixel, 3900 .. 7900 in 4000), f64) * 1 angstrom @keep
star = (flux: axis(spectrum, 1 .. 2 in spectra) + 0 * axis(pixel, 3900 .. 7900 in 4000) @keep, ivar: 100 + axis(spectrum, 1 .. 2 in spectra) + 0 * axis(pixel, 3900 .. 7900 in 4000) @keep, wavelength: w)
lib  = (flux: axis(spectrum, 1 .. 2 in spectra) * axis(template, 1 .. 1 in 1) * axis(knot, 0 .. 1e-3 in 6535) @keep, wavelength: 3800 angstrom * exp(cast(axis(knot, 0 .. 0.75 in 6535), f64)) @keep)
v    = 5 km/s * (cast(axis(velocity, 0 .. 431 in 432), f64) - 216)
basis = fit.rbf(w, pixel, terms)
curve = fit.likelihood(star, lib, v, basis)
curve | write("curve.npy")
`

// fitted are full fits of spectra of 1600 pixels.
const fitted = `use fit
use simulate
param terms = 10
param spectra = 64

grid = (teff: array([4500, 5000, 5500, 6000, 6500, 7000, 7500, 8000, 9000, 10000, 11000, 12000, 13000], dims: teff), logg: array([3, 4, 5], dims: logg),
    feh: array([-2, -1.5, -1, -0.5, 0, 0.5], dims: feh), alpha: array([0, 0.4], dims: alpha))
g    = simulate.grid(grid.teff, grid.logg, grid.feh, grid.alpha)
w    = cast(axis(pixel, 3900 .. 5300 in 1600), f64) * 1 angstrom @keep
star = (flux: axis(spectrum, 1 .. 2 in spectra) + 0 * axis(pixel, 3900 .. 5300 in 1600) @keep, ivar: 100 + axis(spectrum, 1 .. 2 in spectra) + 0 * axis(pixel, 3900 .. 5300 in 1600) @keep, wavelength: w)
lib  = (flux: axis(template, 0 .. 1 in 468) * axis(knot, 0 .. 1e-3 in 3600) @keep, wavelength: 3780 angstrom * exp(cast(axis(knot, 0 .. 0.35 in 3600), f64)) @keep, teff: g.teff, logg: g.logg, feh: g.feh, alpha: g.alpha)
one  = 0 * axis(spectrum, 1 .. 2 in spectra)
start = (velocity: one * 1 km/s, teff: 5500 + one, logg: 4 + one, feh: one, alpha: one, vsini: (50 + one) * 1 km/s)
x = fit.full(star, lib, grid, start, fit.rbf(w, pixel, terms), limit: 300 km/s, fastest: 300 km/s, reach: 20)
(velocity: x.velocity, error: x.velocity_error, chisq: x.chisq, warnings: x.warnings) | write("fits.npz")
`

// TestFitsCompileForGPUs has NVIDIA's compiler compile the kernels of scans and of full fits of 10 and 15 terms: templates, likelihoods, and the equations of both. Nothing may be spilled.
func TestFitsCompileForGPUs(t *testing.T) {
	if _, err := nvrtc.Open(); errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	t.Setenv("WEFT_CACHE", cachetest.Folder())
	for _, c := range []struct {
		name, text string
		params     map[string]string
		least      int // lines of a kernel that is compiled: others do not depend on the terms, or are small
	}{
		{"scan of 10 terms", scanned, map[string]string{"terms": "10"}, manyLines},
		{"scan of 15 terms", scanned, map[string]string{"terms": "15"}, manyLines},
		{"scan of 15 terms, many spectra", scanned, map[string]string{"terms": "15", "spectra": "500"}, 2 * manyLines},
		{"fit of 10 terms", fitted, map[string]string{"terms": "10"}, 0},
		{"fit of 15 terms", fitted, map[string]string{"terms": "15"}, manyLines},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, found := check.File("fit.weft", []byte(c.text), catalogue.Standard(), check.Options{Params: c.params})
			if found.HasErrors() {
				t.Fatal(found.Sorted())
			}
			plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: "fit.weft", Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			long := 0
			for _, s := range plan.Kernels() {
				k := s.Kernel.IR
				code, err := launch.New(k, nil, gpu)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Count(code.Out.Source, "\n") < c.least {
					continue
				}
				long++
				for _, capability := range architectures(code.Out.Source) {
					r, err := code.Described(capability)
					if err != nil || r.Registers == 0 {
						t.Fatalf("%s under %s: %v %s", k.Name, r.Schedule, err, r.Unknown)
					}
					if r.Spill > 0 {
						t.Errorf("%s under %s takes %d registers and %d B of local memory on %s", k.Name, r.Schedule, r.Registers, r.Spill, r.Architecture)
					}
					t.Logf("%s: %s: %s: %d registers, %d B shared, %d B local", k.Name, r.Schedule, r.Architecture, r.Registers, r.Shared, r.Spill)
				}
			}
			if long == 0 {
				t.Error("no kernels")
			}
		})
	}
}

// manyLines are those of a kernel that may hold more values than there are registers.
const manyLines = 300
