//go:build cuda

package cuda

import (
	"errors"
	"testing"
	"time"

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
