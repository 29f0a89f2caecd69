package emulated

import (
	"errors"
	"strings"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// A device says what kernels take of a GPU of its capability, or that there is nobody to ask.
func TestDescribe(t *testing.T) {
	kernels := map[string]*ir.Kernel{}
	for _, c := range conformance.Cases() {
		kernels[c.Name] = c.Kernel
	}
	block := func(k *ir.Kernel) []schedule.CUDA { return []schedule.CUDA{{Fold: 64}} }
	_, missing := nvrtc.Open()
	for _, c := range []struct {
		device, name string
		schedules    func(*ir.Kernel) []schedule.CUDA
		architecture string
		shared       bool
	}{
		{"{}", "matrix-vector product", nil, "sm_90", false},
		{`{capability: "8.0"}`, "matrix-vector product", block, "sm_80", true},
		{`{capability: "9.0"}`, "matrix-vector product", block, "sm_90", true},
		{`{capability: "3.5"}`, "matrix-vector product", nil, "", false}, // no NVRTC of today makes code for it
	} {
		d := open(t, c.device, Options{Schedules: c.schedules})
		r, err := d.Describe(kernels[c.name])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Source, "WEFT_KERNEL") || r.Schedule == "" {
			t.Errorf("%s: schedule %q, source\n%s", c.device, r.Schedule, r.Source)
		}
		if errors.Is(missing, nvrtc.ErrNotFound) {
			if r.Unknown != "NVRTC not found (tools/nvrtc.sh)" || r.Registers != 0 {
				t.Errorf("%s without NVRTC: %+v", c.device, r.Resources)
			}
			continue
		}
		if r.Architecture != c.architecture || (r.Registers > 0) != (c.architecture != "") || (r.Unknown != "") != (c.architecture == "") || (r.Shared > 0) != c.shared {
			t.Errorf("%s: %+v", c.device, r.Resources)
		}
	}
	for _, bad := range []string{"nine", "9", "9.0.1", "-9.0"} {
		if _, err := Parse([]byte("devices: [{capability: \"" + bad + "\"}]")); err == nil || !strings.Contains(err.Error(), "capability") {
			t.Errorf("capability %s: %v", bad, err)
		}
	}
}
