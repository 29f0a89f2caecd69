package sky

import (
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

func TestSkyviewReference(t *testing.T) {
	land(7, 9, 1, hills(1, 0, 30, 0)).check(t, skyview)
	land(6, 8, 2.5, hills(2, -40, 10, 0.2)).check(t, skyview)
	land(1, 9, 1, hills(3, 0, 10, 0)).check(t, skyview)
	land(9, 1, 0.5, hills(4, 0, 10, 0)).check(t, skyview)
	land(1, 1, 1, hills(5, 0, 10, 0)).check(t, skyview)
	land(5, 4, 1, hills(6, 0, 10, 0)).with("patches", ops.Integer(609)).check(t, skyview)
}

// wood adds trees to a call: canopies over trunks, some without trunk, some missing.
func wood(a *arguments, rows, columns int, seed uint64) *arguments {
	crown, bare := hills(seed, -5, 25, 0.2), hills(seed+1, -5, 12, 0.2)
	a.layer("canopy", rows, columns, crown)
	return a.layer("trunk", rows, columns, func(r, c int) float64 {
		if (r+c)%5 == 0 {
			return 0
		}
		return bare(r, c)
	})
}

func TestSkyviewVegetationReference(t *testing.T) {
	wood(land(6, 7, 1, hills(1, 0, 20, 0)), 6, 7, 7).check(t, skyview)
	wood(land(5, 8, 2, hills(2, -10, 20, 0.15)), 5, 8, 8).with("zenith", ops.Symbol("umep")).check(t, skyview)
	wood(land(4, 5, 1, hills(3, 0, 20, 0)), 4, 5, 9).layer("bush", 4, 5, hills(10, 0, 4, 0.1)).check(t, skyview)
}

// Heights above ground and trunks as a share of the canopy are the elevations that they stand for.
func TestRelativeHeights(t *testing.T) {
	const rows, columns = 6, 7
	ground := hills(1, 100, 120, 0)
	above := func(seed uint64) func(r, c int) float64 {
		return func(r, c int) float64 { return max(0, hills(seed, -5, 25, 0.1)(r, c)) }
	}
	stacked := func(heights func(r, c int) float64) func(r, c int) float64 {
		return func(r, c int) float64 {
			if v := float32(heights(r, c)); v > 0 {
				return float64(float32(ground(r, c)) + v)
			}
			return 0
		}
	}
	crown, trunk, bush := above(7), above(8), above(9)
	quarter := func(r, c int) float64 { // of the canopy, as elevation
		g, top := float32(ground(r, c)), float32(stacked(crown)(r, c))
		if top > g {
			return float64(g + float32(0.25*float32(top-g)))
		}
		return 0
	}
	base := func() *arguments { return land(rows, columns, 1, ground) }
	relative := func(a *arguments) *arguments { return a.with("heights", ops.Symbol("relative")) }
	share := ops.Number{V: 0.25, Unit: ops.MustUnit("percent")}
	for name, c := range map[string]struct{ got, want *arguments }{
		"layers": {
			relative(base().layer("canopy", rows, columns, crown).layer("trunk", rows, columns, trunk).layer("bush", rows, columns, bush)),
			base().layer("canopy", rows, columns, stacked(crown)).layer("trunk", rows, columns, stacked(trunk)).layer("bush", rows, columns, stacked(bush)),
		},
		"share of a relative canopy": {
			relative(base().layer("canopy", rows, columns, crown)).with("trunk", share),
			base().layer("canopy", rows, columns, stacked(crown)).layer("trunk", rows, columns, quarter),
		},
		"share of an absolute canopy": {
			base().layer("canopy", rows, columns, stacked(crown)).with("trunk", share),
			base().layer("canopy", rows, columns, stacked(crown)).layer("trunk", rows, columns, quarter),
		},
	} {
		c.got.check(t, skyview)
		got := optest.Reference(t, optest.Call(skyview, c.got.values), c.got.data)
		want := optest.Reference(t, optest.Call(skyview, c.want.values), c.want.data)
		for i := range got {
			if err := optest.Differ(got[i], want[i], ops.ErrorRule{Metric: ops.Exact}); err != nil {
				t.Errorf("%s: output %d: %v", name, i, err)
			}
		}
	}
}

// A canopy that lies below all ground was most likely meant relative to it.
func TestTreesInTheGroundAreToldOf(t *testing.T) {
	heights := func(name string, lo, hi float64) ops.Value {
		a := optest.Array(landType(5, 6))
		a.Of.Spec, a.Of.Bound = &ops.Spec{Name: name}, between{lo, hi}
		return a
	}
	values := map[string]ops.Value{"input": heights("ground", 109, 174), "canopy": heights("trees", 0, 24), "trunk": heights("trunks", 0, 6), "pixel": ops.Quantity(1, "m")}
	if got := optest.Bind(t, optest.Call(skyview, values)).(ops.Approximator).Approximations(); len(got) != 1 || !strings.Contains(got[0], "heights: relative") {
		t.Errorf("said: %q", got)
	}
	values["heights"] = ops.Symbol("relative")
	if got := optest.Bind(t, optest.Call(skyview, values)).(ops.Approximator).Approximations(); len(got) != 0 {
		t.Errorf("said: %q", got)
	}
}

// between is a raster whose heights are known to lie between two.
type between struct{ low, high float64 }

func (between) Outputs() []ops.Output                   { return nil }
func (w between) Range(int) (lo, hi float64, err error) { return w.low, w.high, nil }
