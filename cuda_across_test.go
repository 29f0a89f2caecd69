package main

import (
	"testing"

	"weft/kernels/cuda/sass/warp"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/place"
)

// Kernels whose loads lie along one axis and whose stores along another touch few pieces of memory at a time all the same: machine code is executed.
func TestWarpsOfGPUsLieAcrossTransposes(t *testing.T) {
	_, lib := compiler(t)
	for _, c := range []struct {
		counted
		most float64 // pieces of a request, on average
	}{
		{counted{name: "echoes of a frame prepared", text: echoes(" @keep", ""), kernel: "beamform.prepare"}, 3.4},                                                     // 5.78 along one axis
		{counted{name: "of 32 frames", text: echoes(" * axis(frame, 1 .. 2 in 32)", ""), kernel: "beamform.prepare"}, 1.31},                                            // 5.30
		{counted{name: "a transpose", text: "a = axis(y, 0 .. 1 in 2048) * axis(x, 0 .. 1 in 2048) @keep\ntranspose(2 * a, order: [x, y]) | write(\"b.npy\")\n"}, 6.4}, // 28.8; of 16 bytes a thread, 16 are least
	} {
		t.Run(c.name, func(t *testing.T) {
			p, found := check.File("counted.weft", []byte(c.text), catalogue.Standard(), check.Options{})
			if found.HasErrors() {
				t.Fatal(found.Sorted())
			}
			plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: "counted.weft", Threads: 1, Accelerators: []place.DeviceModel{onGPU("gpu:0")}, Device: "gpu"})
			if err != nil {
				t.Fatal(err)
			}
			code := longestOf(t, plan, c.counted)
			program, err := warp.New(machineCode(t, lib, code))
			if err != nil {
				t.Fatal(err)
			}
			l, _ := launchOf(code, func(b *ir.Buffer) []byte { return make([]byte, b.Bytes()) })
			requests, sectors := 0, 0
			for _, block := range [][3]int{{}, {l.Grid[0] / 2, l.Grid[1] / 2, l.Grid[2] / 2}} {
				for first := 0; first < l.Block[0]*l.Block[1]*l.Block[2]; first += warp.Lanes {
					n, err := program.Run(l, block, first)
					if err != nil {
						t.Fatal(err)
					}
					requests, sectors = requests+n.Requests, sectors+n.Sectors
				}
			}
			each := float64(sectors) / float64(requests)
			t.Logf("%s: %d requests of %.2f pieces", code.Schedule.Text(code.Kernel), requests, each)
			if each > c.most {
				t.Errorf("%s: requests of %.2f pieces, more than %.2f", code.Schedule.Text(code.Kernel), each, c.most)
			}
		})
	}
}
