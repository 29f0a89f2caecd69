package planner_test

import (
	"testing"

	"weft/planner"
	"weft/planner/module"
)

// Fits of more spectra than the memory holds go on with some of them at a time: what a turn makes has rows of objects, whatever its readers would rather have.
func TestFitsGoByObjects(t *testing.T) {
	text := `use fit
use simulate
grid = (teff: axis(teff, 3750 .. 7500 in 6), logg: axis(logg, 3.5 .. 4.5 in 3), feh: axis(feh, -1 .. 0 in 3), alpha: axis(alpha, 0 .. 0 in 1))
g    = simulate.grid(grid.teff, grid.logg, grid.feh, grid.alpha)
wide = simulate.templates(g.teff, g.logg, g.feh, g.alpha, start: 4550 angstrom, end: 5900 angstrom)
i = axis(spectrum, 1 .. 2 in 60000)
w = 4700 angstrom + 0.5 angstrom * cast(axis(pixel, 0 .. 1999 in 2000), f64)
seen = cast(2 + sin(i * axis(pixel, 0 .. 1999 in 2000)), f32)
terms = fit.rbf(w, pixel, 4)
found = fit.full((flux: seen, ivar: 1 / seen, wavelength: w), wide, grid, (velocity: 0 km/s * i, teff: 5600, logg: 4, feh: -0.5, alpha: 0, vsini: 0 km/s), terms, fastest: 0 km/s, reach: 3)
(velocity: found.velocity, chisq: found.chisq) | write("full.npz")
`
	const memory = 400 << 20
	p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Threads: 2, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; len(s.Programs) > 0 {
			if n, _ := p.ByObject(s); n != 60000 {
				t.Errorf("%s goes by %d objects", s.Name, n)
			}
		}
	}
	if p.Stream == nil {
		t.Error("not in blocks")
	}
}

// What is missing around rounds that go by objects is not found by giving these less, which take what they take: it is not tried over and over.
func TestRoundsByObjectsAreNotNarrowed(t *testing.T) {
	text := `use fit
use simulate
grid = (teff: axis(teff, 3750 .. 7500 in 6), logg: axis(logg, 3.5 .. 4.5 in 3), feh: axis(feh, -1 .. 0 in 3), alpha: axis(alpha, 0 .. 0 in 1))
g    = simulate.grid(grid.teff, grid.logg, grid.feh, grid.alpha)
wide = simulate.templates(g.teff, g.logg, g.feh, g.alpha, start: 4550 angstrom, end: 5900 angstrom)
i = axis(spectrum, 1 .. 2 in 400)
w = 4700 angstrom + 0.5 angstrom * cast(axis(pixel, 0 .. 1999 in 2000), f64)
seen = cast(2 + sin(i * axis(pixel, 0 .. 1999 in 2000)), f32)
s = (flux: seen, ivar: 1 / seen, wavelength: w)
terms = fit.rbf(w, pixel, 4)
start = fit.starts(fit.scan(s, wide, axis(velocity, -300 km/s .. 300 km/s in 61), terms), g, vsini: 80 km/s)
found = fit.full(s, wide, grid, start, terms, limit: 300 km/s, fastest: 300 km/s, reach: 3)
(velocity: found.velocity, chisq: found.chisq) | write("full.npz")
`
	builds := 0
	opt := planner.Options{Threads: 2, Memory: 16 << 20}
	opt.After = func(pass string, _ *module.Module) error {
		if pass == planner.Passes()[0] {
			builds++
		}
		return nil
	}
	if _, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), opt); err == nil || builds > 4 {
		t.Errorf("%d plans were made: %v", builds, err)
	}
}
