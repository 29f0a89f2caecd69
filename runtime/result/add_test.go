package result

import "testing"

// A kernel that ran in several turns is told of as all of them: what it did is added up, and how near it came to the roof is a mean over the time that it took.
func TestAddKernels(t *testing.T) {
	turn := func(wall, roof float64) *Result {
		return &Result{Kernels: []Kernel{{ID: "k1", Wall: wall, CPU: wall, Flops: 6, Executed: 4, Bytes: 8, Roof: roof, Tiles: 2}}}
	}
	var all Result
	all.Add(turn(1, 0.5))
	all.Add(turn(3, 0.1))
	all.Add(turn(0, 0))
	k := all.Kernels[0]
	if len(all.Kernels) != 1 || k.Calls != 3 || k.Flops != 18 || k.Executed != 12 || k.Bytes != 24 || k.Tiles != 6 || k.Wall != 4 || k.Roof != 0.2 {
		t.Errorf("%+v", k)
	}
}
