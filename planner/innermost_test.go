package planner_test

import (
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/schedule"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/place"
	"weft/planner/plan"
)

// batch are frames that are beamformed.
const batch = `probe = matrix_probe(nx: 16, ny: 16, pitch: 0.3 mm, width: 0.25 mm)
grid = box(x: -10 mm .. 10 mm in 32, y: -10 mm .. 10 mm in 32, z: 20 mm .. 40 mm in 64)
iq = simulate.echoes(probe, [point(z: 30 mm)], fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us)
iq * axis(frame, 1 .. 2 in FRAMES) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us) | envelope | write("volume.npy")
`

// onto plans a batch for devices that are as fast as one likes.
func onto(t *testing.T, frames, on string, devices int, memory int64) *bound.Plan {
	t.Helper()
	text := strings.ReplaceAll(batch, "FRAMES", frames)
	opt := planner.Options{File: "p.weft", Weft: "test", Threads: 4, Program: plan.Program{Text: text}, Device: on}
	for i := range devices {
		opt.Accelerators = append(opt.Accelerators, place.DeviceModel{Info: device.Info{Name: string('a'+rune(i)) + ":0", Kind: "emulated", Limits: device.Limits{Memory: memory}},
			Rates: device.Rates{Flops: 1e12, Bandwidth: 1e12, LinkIn: 1e11, LinkOut: 1e11}})
	}
	p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Arrays that one GPU makes and reads lie with frames innermost where these share most of what a fold computes: a thread loads several of them together. They have
// margins where loads are guarded. Of what several share, blocks of frames are innermost; what the host has lies as it does without GPUs.
func TestFramesLieInnermostOnAGPU(t *testing.T) {
	for _, c := range []struct {
		name, frames, on string
		devices          int
		memory           int64 // of each; 0: any
		want, block      int   // 1: the first dim
	}{
		{"a batch on a GPU", "32", "gpu", 1, 0, 1, 0},
		{"a batch on two", "32", "gpu", 2, 0, 1, 8},
		{"a batch on eight", "32", "gpu", 8, 0, 1, 4},
		{"frames that GPUs would share by less than they load", "30", "gpu", 2, 0, 0, 0},
		{"a batch on the host", "32", "cpu", 1, 0, 0, 0},
		{"a batch without GPUs", "32", "", 0, 0, 0, 0},
		{"threads would begin anywhere", "33", "gpu", 1, 0, 0, 0},
		{"a GPU that has too little memory for it", "32", "", 1, 24 << 20, 0, 0},
	} {
		p := onto(t, c.frames, c.on, c.devices, c.memory)
		i := slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Array.Name == "beamform.prepare" })
		if b := p.Buffers[i]; b.Innermost != c.want || b.Block != c.block || (b.Margin != nil) != (c.want > 0) {
			t.Errorf("%s: %s, %d of dim %d innermost, margin %v", c.name, b.Type, b.Block, b.Innermost, b.Margin)
		}
		last := p.Kernels()[len(p.Kernels())-1].Kernel.IR
		if s := schedule.CUDADefault(last); s.Together != (c.want > 0) {
			t.Errorf("%s: %s", c.name, s.Text(last))
		}
		readBack(t, p, plan.YAML)
	}
}
