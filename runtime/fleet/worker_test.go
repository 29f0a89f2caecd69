package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/fleet"
	"weft/runtime/result"
)

// One of three devices fails for good, at any tile: the others go on, and only what it had in hand runs on the host: three ranges,
// and two more where one that still worked ended between two that failed.
func TestOthersGoOn(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		want, _, err := run(t, program(t, twelve, cpu, 0), runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range []string{"on: launch, at: %d, kind: lost", "on: launch, at: %d, until: 99", "on: download, at: %d, kind: lost", "on: compile, at: %d"} {
			for n := 1; n <= 4; n++ {
				devices := emulatedDevices(t, cpu, fmt.Sprintf("{name: bad, launch: 1ms, pace: 1, failures: [{"+failure+"}]}", n), "{name: good, launch: 1ms, pace: 1}", "{name: fine, launch: 1ms, pace: 1, memory: 16 KiB}")
				p := program(t, twelve, cpu, 0)
				last(t, p, devices)
				log := &logbook{}
				got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Progress: log})
				if err != nil {
					t.Fatal(err)
				}
				if apart := got.apart(t, want); apart > 0 {
					t.Errorf("%s, %d: %g apart", failure, n, apart)
				}
				checkDevices(t, r, devices)
				fell := 0
				for _, f := range r.Fallbacks {
					fell += f.Count
				}
				if others := r.Devices[1].Ranges + r.Devices[2].Ranges; fell > 5 || fell+others+r.Devices[0].Ranges != 12 || others < 4 {
					t.Errorf("%s, %d: %d fell back, %+v", failure, n, fell, r.Devices)
				}
				if failure == "on: compile, at: %d" && n == 1 && (r.Devices[0].Failures != 1 || !log.holds("compile 1 fails as described. Other devices go on.")) {
					t.Errorf("%q, %+v", log.lines, r.Devices[0])
				}
			}
		}
	})(t)
}

// A device that is always wrong is left out, also of the kernels that follow; its results reach nobody.
func TestWrongDeviceIsLeftOut(t *testing.T) {
	cpu := host(t)
	text := strings.Replace(twelve, "show(b)", "c = sqrt(b ^ 2 + a ^ 2) @tile(y: 8)\nshow(c)", 1)
	text = strings.Replace(text, "+ 1 mm @tile", "+ 1 mm @keep @tile", 1)
	want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	devices := emulatedDevices(t, cpu, "{name: bad, failures: [{on: launch, at: 1, until: 9999, kind: wrong}]}", "{name: good, launch: 20ms, pace: 1}") // which leaves some to the other
	log := &logbook{}
	got, r, err := run(t, program(t, text, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Progress: log})
	if err != nil {
		t.Fatal(err)
	}
	if apart := got.apart(t, want); apart > 0 {
		t.Errorf("%g apart", apart)
	}
	if u := r.Devices[0]; !strings.Contains(u.Quarantined, "wrong result") || !log.holds("bad:0 is left out for the rest of the run: wrong result") || r.Devices[1].Quarantined != "" {
		t.Errorf("%+v, %q", r.Devices, log.lines)
	}
	for _, p := range r.Parity {
		if !p.OK {
			t.Errorf("%+v", p)
		}
	}
}

// A run that is cancelled stops, gives all memory back, and names no failing stage.
func TestCancelledJob(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, "{launch: 50ms, pace: 1}", "{launch: 50ms, pace: 1, memory: 16 KiB}")
		p := program(t, twelve, cpu, 0)
		last(t, p, devices)
		ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
		defer cancel()
		r, err := runtime.Run(ctx, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Threads: 2})
		var stage *result.StageError
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &stage) || len(r.Fallbacks) > 0 {
			t.Errorf("%v, %+v", err, r.Fallbacks)
		}
		checkDevices(t, r, devices)
	})(t)
}

// Two devices keep to the rows they have: of what the kernel before left on them they need little from each other.
func TestDevicesKeepToTheirRows(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		const text = `
y = axis(y, 0 mm .. 1199 mm in 1200)
x = axis(x, 0 mm .. 31 mm in 32)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @keep
show(b ^ 3 / (a + b) ^ 2)
`
		devices := emulatedDevices(t, cpu, "{flops: 2e6, pace: 1}", "{flops: 3e6, pace: 1}")
		p := program(t, text, cpu, 0, devices...)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices})
		if err != nil {
			t.Fatal(err)
		}
		in := r.Devices[0].BytesIn + r.Devices[1].BytesIn
		var made int64
		for _, b := range p.Buffers {
			if b.Role == plan.FromKernel {
				made += b.Bytes
			}
		}
		t.Logf("%d bytes in, %d made", in, made)
		if len(r.Kernels) < 3 || in > made/4 {
			t.Errorf("%d bytes in, %d made by %d kernels", in, made, len(r.Kernels))
		}
	})(t)
}

// A kernel that adds to what is there runs as one range on one device, and afresh on the host if that fails.
func TestKernelInAnOrderOfItsOwn(t *testing.T) {
	cpu := host(t)
	const rows, columns = 40, 30
	build := func() (*ir.Kernel, fleet.Array, fleet.Array) {
		b := ir.NewBuilder()
		x := b.Axis("x", columns)
		in := &ir.Buffer{Name: "in", Type: ir.I32, Shape: []int{rows, columns}}
		out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{rows, columns}}
		k := &ir.Kernel{Name: "bins", Axes: []*ir.Node{x}}
		b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: []*ir.Node{b.I32(0)}}, func(y *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			sum := b.Add(acc[0], b.Load(in, y, x))
			k.Stores = []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: sum, In: y.Fold}}
			return []*ir.Node{sum}, nil
		})
		return k, fleet.Array{Buf: in, Data: make([]byte, in.Bytes())},
			fleet.Array{Buf: out, Data: make([]byte, out.Bytes())}
	}
	for _, failure := range []string{"", "{on: launch, at: 1}", "{on: download, at: 1}", "{on: alloc, at: 1, until: 99}"} {
		k, in, out := build()
		want := make([]int32, rows*columns)
		for i, v := range device.View[int32](in.Data, ir.I32) {
			v = int32(i * i % 13)
			device.View[int32](in.Data, ir.I32)[i] = v
			if want[i] = v; i >= columns {
				want[i] += want[i-columns]
			}
		}
		devices := emulatedDevices(t, cpu, "{flops: 1e9}", "{flops: 5e9, failures: ["+failure+"]}")
		f := fleet.New(devices, fleet.Options{})
		names := []string{devices[0].Info().Name, devices[1].Info().Name}
		if failures, err := f.Compile(t.Context(), []fleet.Target{{Stage: "bins", Kernel: k, Devices: names}}); err != nil || len(failures) > 0 {
			t.Fatal(failures, err)
		}
		fell := 0
		shares, err := f.Run(t.Context(), &fleet.Job{
			Stage: "bins", Kernel: k, Over: k.Domain(), Reads: []fleet.Array{in}, Writes: []fleet.Array{out}, Whole: true, Devices: names,
			Need: func(at region.Region) map[*ir.Buffer]region.Region {
				return map[*ir.Buffer]region.Region{in.Buf: region.Whole(rows, columns)}
			},
			Failed: func(fleet.Failure) error { return nil },
			Host: func(_ context.Context, at region.Region) error {
				fell++
				if !at.Equal(k.Domain()) {
					t.Errorf("%s: %v on the host", failure, at)
				}
				copy(device.View[int32](out.Data, ir.I32), want)
				return nil
			},
			Done: func(int64, time.Duration) {},
		})
		f.ReleaseAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := device.View[int32](out.Data, ir.I32); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", failure, got, want)
		}
		if (failure != "") != (fell == 1) || failure == "" && (len(shares) != 1 || shares[0].Device != names[1] || shares[0].Ranges != 1) {
			t.Errorf("%s: %d on the host, %+v", failure, fell, shares)
		}
		for _, d := range devices {
			if u := d.(device.Metered).Usage(); u.Allocated != 0 {
				t.Errorf("%s: %+v", failure, u)
			}
		}
	}
}

// A device that has less memory than it says gets parts of arrays in place of whole ones, which is told; without room for even these, the
// host takes over.
func TestLessMemoryThanSaid(t *testing.T) {
	cpu := host(t)
	want, _, err := run(t, program(t, twelve, cpu, 0), runtime.Options{Devices: chain(cpu)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		failures string
		falls    bool
	}{{"{on: alloc, at: 1}", false}, {"{on: alloc, at: 2}", false}, {"{on: alloc, at: 1, until: 2}", false}, {"{on: alloc, at: 1, until: 999}", true}} {
		devices := emulatedDevices(t, cpu, "{failures: ["+c.failures+"]}")
		p := program(t, twelve, cpu, 0)
		last(t, p, devices)
		log := &logbook{}
		got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: !c.falls, Progress: log})
		if err != nil {
			t.Fatal(err)
		}
		if apart := got.apart(t, want); apart > 0 {
			t.Errorf("%s: %g apart", c.failures, apart)
		}
		if u := r.Devices[0]; u.Retries == 0 || !log.holds("out of device memory") || c.falls != (len(r.Fallbacks) > 0) || c.falls == (u.Ranges >= 12) {
			t.Errorf("%s: %+v, %q, %+v", c.failures, u, log.lines, r.Fallbacks)
		}
		checkDevices(t, r, devices)
	}
}

// A device that is named for a kernel and gets no range of it allocates nothing.
func TestIdleDeviceHoldsNothing(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, "{name: busy, flops: 1e8, pace: 1}", "{name: idle, flops: 10, pace: 1}")
		p := program(t, twelve, cpu, 0)
		last(t, p, devices)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if busy, idle := r.Devices[0], r.Devices[1]; busy.Ranges != 12 || busy.Peak == 0 || idle.Ranges != 0 || idle.Peak != 0 || idle.BytesIn != 0 {
			t.Errorf("%+v", r.Devices)
		}
	})(t)
}

// meeting is a device that compiles once all others do that it meets.
type meeting struct {
	device.Device
	here *sync.WaitGroup
}

func (d meeting) Compile(ctx context.Context, kernels []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	d.here.Done()
	met := make(chan struct{})
	go func() { d.here.Wait(); close(met) }()
	select {
	case <-met:
		return d.Device.Compile(ctx, kernels, opt)
	case <-time.After(20 * time.Second):
		return nil, errors.New("others do not compile")
	}
}

// Devices and the host compile side by side.
func TestDevicesCompileTogether(t *testing.T) {
	cpu := host(t)
	here := &sync.WaitGroup{}
	here.Add(3)
	var devices []device.Device
	for _, d := range emulatedDevices(t, cpu, "{}", "{}") {
		devices = append(devices, meeting{d, here})
	}
	p := program(t, twelve, cpu, 0, devices...)
	_, r, err := run(t, p, runtime.Options{Devices: []device.Device{meeting{cpu, here}, interp.New(interp.Options{})}, Accelerators: devices, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fallbacks) > 0 {
		t.Errorf("%+v", r.Fallbacks)
	}
}
