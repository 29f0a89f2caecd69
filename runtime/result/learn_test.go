package result

import (
	"math"
	"testing"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
	"weft/runtime/fleet"
)

// What ran on accelerators is learned of them, and only where all of it ran there and their time is this machine's.
func TestAcceleratorsAreLearnedApart(t *testing.T) {
	kernel := func(devices ...string) *bound.Kernel {
		return &bound.Kernel{Kernel: plan.Kernel{
			Ops: []string{"blur", "sqrt"}, Hash: "h", Device: "cpu", Estimate: cost.Estimate{Seconds: 4, Factor: 2}, Bound: "compute",
			Place: plan.Placement{Devices: devices, Accelerated: 500, Bound: "transfer"},
		}}
	}
	ran := func(devices ...string) Kernel {
		k := Kernel{ID: "k1", Name: "blur + sqrt", Ops: []string{"blur", "sqrt"}, Device: "cpu", Wall: 0.75, Predicted: 4, Factor: 2}
		for _, d := range devices {
			k.Shares = append(k.Shares, fleet.Share{Device: d, Ranges: 1, Rows: 1})
		}
		return k
	}
	gpus := []fleet.Usage{{Name: "cuda:0", Kind: "cuda"}, {Name: "cuda:1", Kind: "cuda"}, {Name: "fast:2", Kind: "emulated"}}
	for _, c := range []struct {
		name string
		was  *bound.Kernel
		ran  Kernel
		fell []Fallback
		want *cost.Observation
	}{
		{"on the host", kernel(), ran(), nil, &cost.Observation{Bound: "compute", Predicted: 2, Measured: 0.75}},
		{"on a GPU", kernel("cuda:0"), ran("cuda:0"), nil, &cost.Observation{Kind: "cuda:0", Bound: "transfer", Predicted: 0.5, Measured: 0.75}},
		{"on two", kernel("cuda:0", "cuda:1"), ran("cuda:1", "cuda:0"), nil, &cost.Observation{Kind: "cuda:0+cuda:1", Bound: "transfer", Predicted: 0.5, Measured: 0.75}},
		{"on an emulated one", kernel("fast:2"), ran("fast:2"), nil, nil},
		{"in part on the host", kernel("cuda:0"), ran("cuda:0"), []Fallback{{Stage: "blur + sqrt"}}, nil},
		{"while another stage fell back", kernel("cuda:0"), ran("cuda:0"), []Fallback{{Stage: "peak"}}, &cost.Observation{Kind: "cuda:0", Bound: "transfer", Predicted: 0.5, Measured: 0.75}},
		{"on the host altogether", kernel("cuda:0"), ran(), nil, nil},
	} {
		p := &bound.Plan{Steps: []bound.Step{{Step: plan.Step{ID: "k1"}, Kernel: c.was}}}
		got := Observations(p, &Result{Threads: 1, Kernels: []Kernel{c.ran}, Devices: gpus, Fallbacks: c.fell})
		if (len(got) == 1) != (c.want != nil) {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		if c.want == nil {
			continue
		}
		if o := got[0]; o.Kind != c.want.Kind || o.Bound != c.want.Bound || o.Predicted != c.want.Predicted || o.Measured != c.want.Measured || o.Hash != "h" {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// Kernels of drives are learned by what all their launches took together: a counted array of a hundredth of its room is a hundredth of the work.
func TestLaunchesOfDrivesAreLearned(t *testing.T) {
	k := bound.Kernel{Kernel: plan.Kernel{Hash: "h", Device: "cpu", Tiles: 2, Estimate: cost.Estimate{Seconds: 4, Factor: 2}, Bound: "compute"}}
	drive := bound.Step{Step: plan.Step{ID: "d1", Drive: &plan.Drive{Programs: []plan.DriveProgram{{Name: "turn"}}}},
		Programs: []*bound.Plan{{Steps: []bound.Step{{Step: plan.Step{ID: "d1.turn.k1"}, Kernel: &k}}}}}
	ran := Kernel{ID: "d1.turn.k1", Device: "cpu", Tiles: 20, Calls: 10, Wall: 1, CPU: 0.8, Predicted: 40, Factor: 2}
	see := func() []cost.Observation {
		return Observations(&bound.Plan{Steps: []bound.Step{drive}}, &Result{Threads: 4, Kernels: []Kernel{ran}})
	}
	if got := see(); len(got) != 1 || got[0].Hash != "h" || got[0].Predicted != 20 || math.Abs(got[0].Measured-0.4-10*settle) > 1e-9 {
		t.Errorf("of ten launches: %+v", got)
	}
	drive.Drive.Rounds = &ops.Rounds{}
	if got := see(); len(got) != 0 {
		t.Errorf("of rounds, whose launches have ever fewer objects: %+v", got)
	}
}

func TestUndisturbed(t *testing.T) {
	for _, c := range []struct {
		name string
		k    Kernel
		want float64
	}{
		{"a quiet machine", Kernel{Wall: 1, CPU: 1.99, Tiles: 8}, 0.995 + settle},
		{"others took half of it", Kernel{Wall: 2, CPU: 2, Tiles: 8}, 1 + settle},
		{"one tile keeps one thread busy", Kernel{Wall: 1, CPU: 1, Tiles: 1}, 1},
		{"too short to count", Kernel{Wall: 1e-5, CPU: 1e-5, Tiles: 1}, 1e-5},
		{"no processor times here", Kernel{Wall: 1, Tiles: 8}, 1},
	} {
		if got := c.k.Undisturbed(2); got < 0.999*c.want || got > 1.001*c.want {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
}

// What a run takes as a whole is learned against its parts, one after the other: kernels of a drive are parts of the drive.
func TestDrivesCountOnce(t *testing.T) {
	p := &bound.Plan{}
	p.Totals.Besides = []plan.Beside{{What: "d1", Kind: "drive", Model: 1000}, {What: "check", Kind: "check", Model: 100}}
	r := &Result{Threads: 1, Wall: 5.6, VerifyS: 1, Sources: []Transfer{{ID: "d1", Wall: 4}},
		Kernels: []Kernel{{ID: "k1", Wall: 0.5, CPU: 0.5, Tiles: 1}, {ID: "d1.turn.k1", Wall: 3, CPU: 2, Tiles: 1}}}
	want := map[string][2]float64{"d1": {1, 3}, "check": {0.1, 1}, bound.Whole: {4.5, 4.6}} // others had the processor for a second
	for _, o := range Besides(p, r) {
		w := want[o.Kind]
		if delete(want, o.Kind); o.Predicted < w[0]-1e-3 || o.Predicted > w[0]+1e-3 || o.Measured < w[1]-1e-3 || o.Measured > w[1]+1e-3 {
			t.Errorf("%s: predicted %g, measured %g; want %g", o.Kind, o.Predicted, o.Measured, w)
		}
	}
	if len(want) > 0 {
		t.Error("nothing said of", want)
	}
}
