//go:build cuda

package cuda

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"weft/kernels/cuda/cubin"
	"weft/kernels/device"
	"weft/kernels/ir"
)

// counting is a kernel that stores places, on a device, in new memory.
func counting(t *testing.T, d *Device, n int) (*ir.Kernel, device.Queued, device.Memory) {
	t.Helper()
	b := ir.NewBuilder()
	x := b.Axis("x", n)
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{n}, Pad: ir.Pad{Before: 2, After: 1, Value: 7}}
	k := &ir.Kernel{Name: "count", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: x}}}
	programs, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.AllocBlank(out)
	if err != nil {
		t.Fatal(err)
	}
	return k, programs[0].(device.Queued), m
}

// Launches in line are not waited for, copies from what they write are behind them, and so is whoever gets the memory next; a wait for the last is one for all. Loaded code
// is loaded once.
func TestOnFakeLine(t *testing.T) {
	const each, n = 40 * time.Millisecond, 5
	d := onFake(t)
	k, program, m := counting(t, d, 1000)
	counting(t, d, 1000)
	if len(d.modules) != 1 {
		t.Errorf("%d modules", len(d.modules))
	}
	launch, err := program.Enqueue(device.Bindings{Mem: map[*ir.Buffer]device.Memory{k.Stores[0].Buf: m}})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var line [n]device.Pending
	for i := range line {
		if line[i], err = launch(k.Domain()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took > 2*each {
		t.Errorf("%d launches of %v were put in line in %v", n, each, took)
	}
	got := make([]byte, 4*1003)
	if err := device.Read(t.Context(), m, got, 0); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < (n+1)*each {
		t.Errorf("a copy behind %d launches of %v is over after %v", n, each, took)
	}
	for i, v := range device.View[int32](got, ir.I32) {
		want := int32(i - 2)
		if i < 2 || i == 1002 {
			want = 7
		}
		if v != want {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	for _, p := range line {
		if took, err := p.Wait(); err != nil || took == 0 {
			t.Errorf("%v, %v", took, err)
		}
	}
	if u := d.Usage(); u.Launches != n || u.Waits != 1 || u.Compute == 0 {
		t.Errorf("%+v", u)
	}
	if _, err := launch(k.Domain()); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	m.Free()
	again, err := d.AllocBlank(k.Stores[0].Buf)
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Read(t.Context(), again, got, 0); err != nil || time.Since(start) < each/2 {
		t.Errorf("memory of a launch in line is read after %v, %v", time.Since(start), err)
	}
}

// A launch in line that breaks the context is told to who waits, for it or for one behind it.
func TestOnFakeLineLost(t *testing.T) {
	d := onFake(t)
	k, program, m := counting(t, d, 10)
	launch, err := program.Enqueue(device.Bindings{Mem: map[*ir.Buffer]device.Memory{k.Stores[0].Buf: m}})
	if err != nil {
		t.Fatal(err)
	}
	var last device.Pending
	for range 2 {
		if last, err = launch(k.Domain()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := last.Wait(); err != nil {
		t.Fatal(err)
	}
	if last, err = launch(k.Domain()); err == nil {
		_, err = last.Wait()
	}
	if !errors.Is(err, device.ErrLost) {
		t.Errorf("got %v", err)
	}
	m.Free()
}

// What one GPU holds goes to another without the host, and only to another.
func TestOnFakePeers(t *testing.T) {
	if os.Getenv(fakeDriver) == "" {
		t.Skip("TestFakeDriver runs this")
	}
	devices, err := Devices(Config{Cache: t.TempDir()})
	if err != nil || len(devices) != 2 {
		t.Fatalf("%d devices, %v", len(devices), err)
	}
	buf := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{1000}}
	var mem [2]device.Memory
	for i, d := range devices {
		if mem[i], err = d.Alloc(buf); err != nil {
			t.Fatal(err)
		}
	}
	to := mem[1].(device.Peer)
	if to.Reaches(to) || !to.Reaches(mem[0]) || !to.Reaches(mem[0]) {
		t.Error("who reaches whom")
	}
	got := make([]byte, 12)
	err = errors.Join(device.Write(t.Context(), mem[0], 100, []byte("abcdefghijkl")),
		to.CopyAcross(t.Context(), mem[0], []device.Span{{From: 100, To: 104}, {From: 108, To: 112}}), device.Read(t.Context(), to, got, 100))
	if err != nil || string(got) != "abcd\x00\x00\x00\x00ijkl" {
		t.Errorf("%q, %v", got, err)
	}
	if u := devices[1].(*Device).Usage(); u.BytesAcross != 8 || u.BytesIn != 0 || u.Upload == 0 {
		t.Errorf("%+v", u)
	}
	if err := to.CopyAcross(t.Context(), mem[0], []device.Span{{From: 3996, To: 4004}}); err == nil {
		t.Error("a copy beyond the end")
	}
	mem[0].Free()
	if err := to.CopyAcross(t.Context(), mem[0], []device.Span{{From: 0, To: 4}}); err == nil {
		t.Error("a copy of freed memory")
	}
	mem[1].Free()
}

// Pieces of what a launch in line makes are gathered behind it, beside launches behind that one, by one wait; those of what is not there are refused, and nothing is left over.
func TestOnFakeGather(t *testing.T) {
	const each = 40 * time.Millisecond
	d := onFake(t)
	k, program, m := counting(t, d, 100000)
	launch, err := program.Enqueue(device.Bindings{Mem: map[*ir.Buffer]device.Memory{k.Stores[0].Buf: m}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.own(&d.gather, gatherKernel); err != nil {
		t.Fatal(err)
	}
	before := d.Usage().Allocated
	start := time.Now()
	first, err := launch(k.Domain())
	if err != nil {
		t.Fatal(err)
	}
	var want []int32
	var pieces []device.Span
	for i := int32(0); i < 100000; i += 397 {
		n := i%3 + 1
		pieces = append(pieces, device.Span{From: 4 * int64(i+2), To: 4 * int64(i+2+n)})
		for j := range min(n, 100000-i) {
			want = append(want, i+j)
		}
	}
	got := make([]byte, 4*len(want))
	gathered, err := m.(device.Gathering).EnqueueGather(t.Context(), got, pieces)
	if err != nil {
		t.Fatal(err)
	}
	var last device.Pending
	for range 10 {
		if last, err = launch(k.Domain()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := gathered.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 3*each || took > 9*each {
		t.Errorf("what is behind one launch of %v and before ten others is there after %v", each, took)
	}
	if out := device.View[int32](got, ir.I32); !slices.Equal(out, want) {
		t.Errorf("%v, not %v", out[:10], want[:10])
	}
	for _, p := range []device.Pending{last, first} {
		if _, err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	if u := d.Usage(); u.Launches != 2 || u.BytesIn != 0 || u.BytesOut != int64(len(got)) || u.Allocated != before {
		t.Errorf("%+v, before it %d allocated", u, before)
	}
	for _, p := range [][]device.Span{{{From: 0, To: 8}}, {{From: 4 * 100003, To: 4 * 100004}}} {
		if _, err := m.(device.Gathering).EnqueueGather(t.Context(), got[:4], p); err == nil {
			t.Errorf("%v was gathered in 4 bytes", p)
		}
	}
	m.Free()
	if _, err := m.(device.Gathering).EnqueueGather(t.Context(), got[:4], []device.Span{{From: 0, To: 4}}); err == nil {
		t.Error("freed memory was gathered")
	}
}

// NVRTC makes machine code of the kernels that devices have for themselves.
func TestOwnKernelsCompile(t *testing.T) {
	lib := library(t)
	kept, err := lib.In(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []own{gatherKernel, peakKernel} {
		for _, capability := range capabilities {
			image, err := compiler{kept}.source(k.name, k.text, lib.Best(capability))
			if err != nil {
				t.Fatal(err)
			}
			if found, err := cubin.Read(image.Data); err != nil || found[k.name].Registers == 0 || found[k.name].Stack > 0 {
				t.Errorf("%s, capability %d: %+v, %v", k.name, capability, found, err)
			}
		}
	}
}
