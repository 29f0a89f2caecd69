package main

import (
	"errors"
	"testing"

	"weft/kernels/cuda/sass/warp"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
)

// resident are the threads that an H200 has at a time.
const resident = 132 * 2048

// Threads of a warp that share a reduction load what lies side by side: machine code is executed up to where they join what they have. All are two waves of an
// H200's threads.
func TestSumsOfGPUsLoadWholeSectors(t *testing.T) {
	_, lib := compiler(t)
	for _, c := range counts {
		if c.kernel != "sum" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p, found := check.File("counted.weft", []byte(c.text), catalogue.Standard(), check.Options{})
			if found.HasErrors() {
				t.Fatal(found.Sorted())
			}
			plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: "counted.weft", Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			code := longestOf(t, plan, c)
			program, err := warp.New(machineCode(t, lib, code))
			if err != nil {
				t.Fatal(err)
			}
			l, hi := launchOf(code, func(b *ir.Buffer) []byte { return make([]byte, b.Bytes()) })
			for _, block := range []int{0, l.Grid[0] / 2, l.Grid[0] - 1} {
				for first := 0; first < l.Block[0]*l.Block[1]; first += warp.Lanes {
					n, err := program.Run(l, [3]int{block, 0, 0}, first)
					if !errors.Is(err, warp.ErrUnknown) {
						t.Fatalf("a warp did not come to where threads join what they have: %v", err)
					}
					if n.Requests == 0 || n.Sectors != 4*n.Requests {
						t.Errorf("%s: a warp made %d requests, of %d sectors, up to %v", code.Schedule.Text(code.Kernel), n.Requests, n.Sectors, err)
					}
				}
			}
			threads := l.Grid[0] * l.Block[0] * l.Block[1]
			t.Logf("%s, %d rows: %.2f waves", code.Schedule.Text(code.Kernel), hi[0], float64(threads)/resident)
			if threads < 2*resident {
				t.Errorf("%s: %d blocks of %d threads are less than two waves", code.Schedule.Text(code.Kernel), l.Grid[0], l.Block[0]*l.Block[1])
			}
		})
	}
}
