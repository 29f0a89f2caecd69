package main

import (
	"context"
	"slices"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/cuda/sass"
	"weft/kernels/cuda/sass/warp"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/schedule"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/runtime"
)

// march executes the machine code of the city's march for some warps, on the buffers of a run on the processor, and wants what that stored. It gives the
// instructions that a warp is issued for its points and all directions.
func march(t *testing.T, lib nvrtc.Kept, text string) (n sass.Counts, warps float64, under string) {
	t.Helper()
	config := native.FromEnv()
	config.Cache = cachetest.Folder()
	host, err := native.New(config)
	if err != nil {
		t.Skip(err)
	}
	p, found := check.File("march.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found.Sorted())
	}
	plan, err := planner.Build(p.Sinks, host.Info(), planner.Options{File: "march.weft", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(_ context.Context, i *runtime.Inspection) error {
		if k := i.Step.Kernel.IR; schedule.CUDADefault(k).Skip {
			n, warps, under = someWarps(t, lib, i)
		}
		return nil
	}
	t.Chdir(t.TempDir())
	if _, err := runtime.Run(t.Context(), plan, runtime.Options{Devices: []device.Device{host}, Inspect: inspect}); err != nil {
		t.Fatal(err)
	}
	if warps == 0 {
		t.Fatal("no march")
	}
	return n, warps, under
}

// apart are the warps from one that is executed to the next: few of many, at all kinds of places.
const apart = 401

func someWarps(t *testing.T, lib nvrtc.Kept, i *runtime.Inspection) (n sass.Counts, warps float64, under string) {
	k := i.Step.Kernel.IR
	code, err := launch.New(k, nil, gpu)
	if err != nil {
		t.Fatal(err)
	}
	machine := machineCode(t, lib, code)
	program, err := warp.New(machine)
	if err != nil {
		t.Fatal(err)
	}
	// An output holds what it must not, so that what is right was stored.
	var stored, want []byte
	l, _ := launchOf(code, func(b *ir.Buffer) []byte {
		data := i.Arrays.Memory[b].Host()
		if !slices.Contains(k.Outputs(), b) {
			return data
		}
		want, stored = data, slices.Clone(data)
		for c := range stored {
			stored[c] = ^stored[c]
		}
		return stored
	})
	dims := code.Schedule.Grid(len(k.Axes))
	dim := slices.IndexFunc(dims[:], func(axes []int) bool {
		return slices.ContainsFunc(axes, func(a int) bool { return k.Axes[a].Name == "byte" })
	})
	if dim < 0 || len(dims[dim]) > 1 {
		t.Fatalf("%s: no dim of the grid counts directions", code.Schedule.Text(k))
	}
	each := l.Block[0] * l.Block[1] * l.Block[2] / warp.Lanes // warps of a block
	around := l.Grid
	around[dim] = 1
	for one := 0; one < around[0]*around[1]*around[2]*each; one += apart {
		at := one / each
		block := [3]int{at % around[0], at / around[0] % around[1], at / around[0] / around[1]}
		for block[dim] = range l.Grid[dim] {
			c, err := program.Run(l, block, one%each*warp.Lanes)
			if err != nil {
				t.Fatal(err)
			}
			for at, times := range c.Times {
				n = n.Plus(sass.Part{machine.Code[at]}.Count(), times)
			}
		}
	}
	right, wrong := 0, 0
	for c, x := range stored {
		switch x {
		case want[c]:
			right++
		case ^want[c]: // nobody stored it
		default:
			wrong++
		}
	}
	if wrong > 0 || right == 0 {
		t.Errorf("%s: warps stored %d bytes that are right, and %d that are wrong", code.Schedule.Text(k), right, wrong)
	}
	warps = float64(right) / float64(warp.Lanes*l.Grid[dim]) // some of a block may have nothing to do
	return n, warps, code.Schedule.Text(k)
}

// launchOf is a launch of all points of a kernel that takes no numbers.
func launchOf(code *launch.Code, memory func(b *ir.Buffer) []byte) (l *warp.Launch, hi []int) {
	l = &warp.Launch{Block: code.Out.Block}
	for at, b := range code.Out.Bufs {
		address := uint64(at+1) << 36
		l.Memory = append(l.Memory, warp.Piece{At: address, Data: memory(b)})
		l.Params = append(l.Params, address+uint64(b.Pad.Before*b.Type.Size()))
	}
	for _, x := range code.Kernel.Axes {
		hi = append(hi, x.Extent)
		l.Params = append(l.Params, 0, uint64(x.Extent))
	}
	l.Grid, _ = code.Out.Grid(make([]int, len(hi)), hi, gpu.Grid)
	return l, hi
}
