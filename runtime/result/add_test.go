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

// Of several calls that do half the work each, or of a part of the work, all that is counted is told in proportion, against the time that it took.
func TestPartOfAKernel(t *testing.T) {
	whole := Kernel{Flops: 6, Executed: 4, Bytes: 8, Predicted: 2, Roof: 0.1, Wall: 3}
	calls := whole
	calls.Times(8, 0.5)
	part := whole
	part.Part(4)
	part.Calls = 8
	if want := (Kernel{Flops: 24, Executed: 16, Bytes: 32, Predicted: 8, Roof: 0.4, Wall: 3, Calls: 8}); calls.Flops != want.Flops || calls.Executed != want.Executed ||
		calls.Bytes != want.Bytes || calls.Predicted != want.Predicted || calls.Roof != want.Roof || calls.Wall != want.Wall || calls.Calls != want.Calls || part.Roof != calls.Roof || part.Flops != calls.Flops {
		t.Errorf("%+v, %+v", calls, part)
	}
}
