package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/schedule"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/runtime"
)

// TestCityIsCulledAlike runs the marches of the city on an emulated GPU that leaves out what maximum tables prove idle, by
// threads and by warps, and wants the bits of the processor's own run. With tables that promise nothing rises, nothing must be
// found to rise: that the tables are looked at.
func TestCityIsCulledAlike(t *testing.T) {
	config := native.FromEnv()
	config.Cache = cachetest.Folder()
	host, err := native.New(config)
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	voting := func(k *ir.Kernel) []schedule.CUDA {
		s := schedule.CUDADefault(k)
		s.Vote, s.Fold, s.Unroll, s.Block = true, 0, nil, []schedule.AxisN{{Axis: len(k.Axes) - 1, N: 32}}
		return []schedule.CUDA{s}
	}
	culled := 0
	inspect := func(ctx context.Context, i *runtime.Inspection) error {
		k := i.Step.Kernel.IR
		if !schedule.CUDADefault(k).Skip {
			return nil
		}
		culled++
		for name, schedules := range map[string]func(*ir.Kernel) []schedule.CUDA{"threads": nil, "warps": voting} {
			dev := emulated.New(host, []emulated.Description{{Name: "gpu"}}, emulated.Options{Schedules: schedules})[0]
			if differing, report := onDevice(t, dev, i, false); differing > 0 {
				t.Errorf("%s, culled by %s: %d bytes differ under %s", i.Step.ID, name, differing, report.Schedule)
			}
			if differing, _ := onDevice(t, dev, i, true); differing == 0 {
				t.Errorf("%s, culled by %s: tables that hide everything change nothing", i.Step.ID, name)
			}
		}
		return nil
	}
	const file = "pipelines/skyview/city.weft"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	p, found := check.File(file, text, catalogue.Standard(), check.Options{Params: map[string]string{"size": "96", "patches": "145"}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	plan, err := planner.Build(p.Sinks, host.Info(), planner.Options{File: file, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Run(t.Context(), plan, runtime.Options{Devices: []device.Device{host}, Inspect: inspect}); err != nil {
		t.Fatal(err)
	}
	if culled == 0 {
		t.Error("no kernel is culled")
	}
}

// onDevice runs a kernel that has just run once more, on a device, and counts the bytes of its outputs that come out
// otherwise. Blind tables say that nothing is above anything.
func onDevice(t *testing.T, dev device.Device, i *runtime.Inspection, blind bool) (differing int, report device.Report) {
	t.Helper()
	k := i.Step.Kernel.IR
	tables := map[*ir.Buffer]bool{}
	bufs := append(k.Inputs(), k.Outputs()...)
	outputs := k.Outputs()
	for _, b := range k.Inputs() {
		if m := b.Facts.Max; m != nil {
			tables[m.Top] = true
			for _, l := range m.Tables {
				tables[l.Buf] = true
			}
		}
	}
	for b := range tables {
		bufs = append(bufs, b)
	}
	mem := map[*ir.Buffer]device.Memory{}
	for _, b := range bufs {
		m, err := dev.Alloc(b)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		mem[b] = m
		if slices.Contains(outputs, b) {
			continue
		}
		data := i.Arrays.Memory[b].Host()
		if tables[b] && blind {
			data = bytes.Clone(data)
			for c := range len(data) / b.Type.Size() {
				device.SetFloat(b.Type, data, c, math.Inf(-1))
			}
		}
		if err := device.Write(t.Context(), m, 0, data); err != nil {
			t.Fatal(err)
		}
	}
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := programs[0].Bind(device.Bindings{Mem: mem})
	if err == nil {
		err = run(k.Domain())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range outputs {
		got := make([]byte, b.Bytes())
		if err := device.Read(t.Context(), mem[b], got, 0); err != nil {
			t.Fatal(err)
		}
		for c, x := range i.Arrays.Memory[b].Host() {
			if got[c] != x {
				differing++
			}
		}
	}
	return differing, programs[0].Report()
}
