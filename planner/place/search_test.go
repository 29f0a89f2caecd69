package place_test

import (
	"testing"

	"weft/kernels/device"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/place"
	"weft/planner/plan"
)

const chains = `a = axis(t, 0 .. 1 in 32768) * 2
b = a * 2 + 1
c = sin(sin(sin(sin(b)))) * cos(exp(sin(b)))
c * 2 + b | write("c.npy")
a * 3 | write("a.npy")
`

// The search finds what trying every placement finds.
func TestSearchFindsTheBest(t *testing.T) {
	placed := 0
	for _, link := range []float64{1e6, 1e7, 1e8, 3e8, 1e9, 1e10} {
		p, found := check.File("p.weft", []byte(chains), catalogue.Standard(), check.Options{})
		if found.HasErrors() {
			t.Fatal(found.Summary())
		}
		gpu := place.DeviceModel{Info: device.Info{Name: "g:0", Kind: "emulated"},
			Rates: device.Rates{Flops: 4e9, Bandwidth: 4e9, Launch: 5e-6, LinkIn: link, LinkOut: link, LinkLatency: 1e-6}}
		made, err := planner.Build(p.Sinks, device.Info{Name: "cpu"}, planner.Options{Request: planner.Request{FuseLimit: new(0)}, Rates: plan.Rates{Flops: 1e9, Bandwidth: 1e9},
			Accelerators: []place.DeviceModel{gpu}})
		if err != nil {
			t.Fatal(err)
		}
		if made.Totals.Kernels < 8 || made.Totals.Kernels > 20 {
			t.Fatalf("%d kernels", made.Totals.Kernels)
		}
		for _, s := range made.Steps {
			if s.Kernel != nil && s.Kernel.Place.Accelerates() {
				placed++
			}
		}
		if is, best := place.Exhaustive(made, gpu); is > best*(1+1e-9) {
			t.Errorf("link %g: takes %g, the best %g", link, is, best)
		}
	}
	if placed == 0 {
		t.Error("nothing is ever placed on the device")
	}
}
