package sky

import (
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

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
