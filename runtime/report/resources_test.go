package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/kernels/device"
)

// A kernel that a device was asked about shows that device's source and what it takes there, or why that is unknown; the others
// show the host's.
func TestSourcesOfDevices(t *testing.T) {
	for _, c := range []struct {
		found device.Resources
		want  string
	}{
		{device.Resources{Architecture: "sm_90", Registers: 40, Shared: 768}, "schedule block x:256; sm_90: 40 registers a thread, 768 B shared a block, no spill\n__global__ k\n"},
		{device.Resources{Architecture: "sm_80", Registers: 255, Spill: 16}, "sm_80: 255 registers a thread, 0 B shared a block, 16 B of local memory"},
		{device.Resources{Unknown: "NVRTC not found (tools/nvrtc.sh)"}, "NVRTC not found (tools/nvrtc.sh): registers unknown\n"},
	} {
		p, _ := example()
		k := p.Steps[2].Kernel
		k.Place.Devices = []string{"fast:0", "fast:1"}
		k.Described = &device.Report{Schedule: "block x:256", Source: "__global__ k\n", Resources: c.found}
		var out bytes.Buffer
		if err := Write(&out, "text", p, Options{Kernels: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{c.want, "source of k2, kernel , on fast:0, fast:1\n", "void f(void)"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	}
}
