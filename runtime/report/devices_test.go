package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/planner/bound"
	"weft/planner/plan"
)

// placed is the example with its second kernel on two devices, and its first kept on the host.
func placed() (*bound.Plan, *Analysis) {
	p, a := example()
	p.Steps[1].Kernel.Device = "cpu"
	p.Steps[1].Kernel.Place = plan.Placement{Host: 1, Accelerated: 4, Transfer: 3, Bound: "transfer", Why: "CPU: transfers alone take 3 ms, the CPU 1 ms"}
	k := p.Steps[2].Kernel
	k.Axes = []plan.Axis{{Name: "x", Extent: 8, Tile: 4}}
	k.Place = plan.Placement{
		Devices: []string{"fast:0", "slow:1"}, Weights: []float64{0.75, 0.25}, Host: 2, Accelerated: 0.5, Transfer: 0.125, Bound: "latency",
		Why: "GPU: 500 us, of the copies alone 125 us; the CPU 2 ms",
	}
	k.Described = &device.Report{Schedule: "block x:256", Source: "__global__ void k2() {}"}
	return p, a
}

func TestEveryFormatSaysWhereKernelsRun(t *testing.T) {
	p, a := placed()
	for format, marks := range map[string][]string{
		"text": {
			"device cpu, fast:0, slow:1; predicted", "axes    x 8: ranges of rows on fast:0 75 %, slow:1 25 %\n", "place   GPU: 500 us, of the copies alone 125 us; the CPU 2 ms\n",
			"predicted 500 us, bound by latency\n", "threads block x:256\n", "place   CPU: transfers alone take 3 ms, the CPU 1 ms\n", "predicted 1 ms, bound by compute\n",
		},
		"json": {`"devices": [`, `"fast:0"`, `"accelerated_ms": 0.5`, `"transfer_ms": 3`, `"why": "CPU: transfers`},
		"yaml": {"devices: ['fast:0', 'slow:1']", "weights: [0.75, 0.25]", "host_ms: 2"},
		"dot":  {"on fast:0 75 %, slow:1 25 %", "500 us predicted"},
		"html": {"fast:0 75 %, slow:1 25 %", "transfers alone take 3 ms", "__global__ void k2()", "#f3e8fd"},
	} {
		out := render(t, format, p, a)
		for _, m := range marks {
			if !strings.Contains(out, m) {
				t.Errorf("%s does not say %q:\n%s", format, m, out)
			}
		}
	}
	again, err := plan.Read([]byte(render(t, "yaml", p, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Steps[2].Kernel.Place; got.Devices[1] != "slow:1" || got.Why != p.Steps[2].Kernel.Place.Why {
		t.Errorf("read back as %+v", got)
	}
}

func TestWhyAPlace(t *testing.T) {
	p, _ := placed()
	for name, want := range map[string]string{
		"blur":  "blur, kernel k1: stores f32, computes f32\n  runs on cpu\n  CPU: transfers alone take 3 ms, the CPU 1 ms\n  predicted CPU 1 ms\n            GPU 4 ms, bound by transfer; its copies alone 3 ms\n",
		"level": "level, kernel k2: stores f32, computes f32\n  runs on fast:0 75 %, slow:1 25 %\n  GPU: 500 us, of the copies alone 125 us; the CPU 2 ms\n  predicted CPU 2 ms\n            GPU 500 us, bound by latency; its copies alone 125 us\n",
	} {
		var out bytes.Buffer
		if err := Why(&out, p, nil, name, ""); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%v:\n%s\nwant\n%s", err, out.String(), want)
		}
	}
}
