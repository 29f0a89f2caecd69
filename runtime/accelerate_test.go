package runtime

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/native"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/memory"
	"weft/runtime/result"
)

// emulations makes emulated devices of descriptions in YAML.
func emulations(t *testing.T, descriptions ...string) (out []device.Device) {
	t.Helper()
	cpu, err := native.New(native.FromEnv())
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := emulated.Parse([]byte("devices:\n  - " + strings.Join(descriptions, "\n  - ")))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range emulated.New(cpu, list, emulated.Options{}) {
		out = append(out, d)
	}
	return out
}

// placeAll puts every kernel on all devices.
func placeAll(p *bound.Plan, devices []device.Device) {
	for i := range p.Steps {
		if k := p.Steps[i].Kernel; k != nil {
			for _, d := range devices {
				k.Place.Devices = append(k.Place.Devices, d.Info().Name)
			}
		}
	}
}

// near reports values that differ by rounding only.
func near(a, b ops.Dense) bool {
	for i, v := range a.Re {
		if w := b.Re[i]; !(math.Abs(v-w) <= 1e-5*math.Max(1, math.Abs(w))) && !(v != v && w != w) {
			return false
		}
	}
	return len(a.Re) == len(b.Re)
}

// Runs in blocks of rows on devices give the bits of runs of the whole on devices, whether these hold whole arrays or parts, and the
// host's values; rows go to a device once.
func TestBlocksOnDevices(t *testing.T) {
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			var sources int64 // bytes that are not computed
			on := func(budget int64, descriptions ...string) (*streams, *result.Result) {
				w := newStreams()
				p, err := w.build(t, budget, c.build(w)...)
				if err != nil {
					t.Fatal(err)
				}
				if (p.Stream != nil) != (budget > 0) {
					t.Fatalf("budget %d: in blocks is %t", budget, p.Stream != nil)
				}
				sources = 0
				for _, b := range p.Buffers {
					if b.Role != plan.FromKernel {
						sources += b.Bytes
					}
				}
				opt := Options{Devices: []device.Device{newFaulty("native")}, Threads: 2, Verify: true, Strict: true}
				if budget > 0 {
					opt.Memory = memory.NewGovernor(budget)
				}
				if descriptions != nil {
					opt.Accelerators = emulations(t, descriptions...)
					placeAll(p, opt.Accelerators)
				}
				r, err := Run(t.Context(), p, opt)
				if err != nil {
					t.Fatal(err)
				}
				for i, d := range opt.Accelerators {
					u := d.(device.Metered).Usage()
					if u.Allocated != 0 || u.Peak > d.Info().Limits.Memory {
						t.Errorf("device %d holds %d bytes, had %d", i, u.Allocated, u.Peak)
					}
				}
				for _, k := range r.Kernels {
					if descriptions != nil && len(k.Shares) == 0 {
						t.Errorf("kernel %s did not run on devices: %+v", k.ID, k)
					}
				}
				return w, r
			}
			host, _ := on(0)
			whole, r := on(0, "{memory: 1 MiB}")
			budget := int64(float64(r.PeakBuffers) * (1 + c.share) / 2)
			for name, devices := range map[string][]string{
				"one that holds all":      {"{memory: 1 MiB}"},
				"one that holds a few":    {"{memory: 24 KiB}"},
				"several, some with less": {"{memory: 1 MiB}", "{memory: 30 KiB}", "{memory: 20 KiB, link: {pinned: false}}"},
			} {
				blocks, r := on(budget, devices...)
				for out := range host.got {
					if !near(whole.got[out], host.got[out]) {
						t.Errorf("%s: %s is not what the host makes", name, out)
					}
					if !sameBits(blocks.got[out], whole.got[out]) {
						t.Errorf("%s: %s differs from the run of the whole", name, out)
					}
				}
				if in := r.Devices[0].BytesIn; name == "one that holds all" && c.passes == 1 && in != sources {
					t.Errorf("%s: %d bytes went to the device, want %d", name, in, sources)
				}
			}
		})
	}
}

// What a kernel makes on a device is there for the next one: only the source and tables go to the device, once, and only what is asked for comes back.
func TestArraysStayOnTheDevice(t *testing.T) {
	w := newStreams()
	third := w.third(w.waves(matrix(311, 40)))
	p, err := w.build(t, 0, w.keepRows("out", w.blur(w.blur(third, 3), 5)), w.keepRows("third", third))
	if err != nil {
		t.Fatal(err)
	}
	devices := emulations(t, "{}")
	placeAll(p, devices)
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Accelerators: devices, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var in, out int64
	for _, b := range p.Buffers {
		asked := slices.ContainsFunc(p.Steps, func(s bound.Step) bool { return s.Kind == plan.SinkStep && slices.Contains(s.Reads, b.ID) })
		switch {
		case b.Role == plan.FromKernel && asked:
			out += b.Layout.Bytes() // without padding
		case b.Role != plan.FromKernel:
			in += b.Bytes
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Devices []map[string]any
		Kernels []struct{ Shares []map[string]any }
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "kind", "kernels", "ranges", "launches", "bytes_in", "bytes_out", "compute_s", "upload_s", "download_s", "memory_bytes", "peak_memory_bytes",
		"failures", "retries", "pins_refused"} {
		if _, ok := report.Devices[0][key]; !ok {
			t.Errorf("the report of a device is without %s", key)
		}
	}
	if len(report.Kernels[0].Shares) != 1 || report.Kernels[0].Shares[0]["device"] != "emulated:0" {
		t.Errorf("the report's kernels: %+v", report.Kernels)
	}
	if u := r.Devices[0]; u.BytesIn != in || u.BytesOut != out || len(r.Kernels) < 3 {
		t.Errorf("%d bytes in and %d out by %d kernels, want %d and %d", u.BytesIn, u.BytesOut, len(r.Kernels), in, out)
	}
}

// A placement on a device that the run does not have is a mistake of whoever planned it; a run without accelerators takes no notice.
func TestPlacementWithoutItsDevice(t *testing.T) {
	build := func() (*bound.Plan, []device.Device) {
		w := newWorld()
		dev := newFaulty("native")
		p := w.plan(t, dev, chain(w)...)
		for i := range p.Steps {
			if k := p.Steps[i].Kernel; k != nil {
				k.Place.Devices = []string{"elsewhere:7"}
			}
		}
		return p, []device.Device{dev}
	}
	p, devices := build()
	if r, err := Run(t.Context(), p, Options{Devices: devices, Verify: true}); err != nil || len(r.Devices) != 0 {
		t.Errorf("without accelerators: %v, %+v", err, r.Devices)
	}
	p, devices = build()
	if _, err := Run(t.Context(), p, Options{Devices: devices, Accelerators: emulations(t, "{}")}); err == nil || !strings.Contains(err.Error(), "elsewhere:7") {
		t.Errorf("with others: %v", err)
	}
}
