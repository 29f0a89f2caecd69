package emulated

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Buffers much larger than the device's memory: parts of them can be copied to and from, and computed on, in a room that alone counts, which the next parts use
// over; they hold nothing of the parts before, unless they are to be cleared.
func TestViews(t *testing.T) {
	dev := open(t, "{memory: 64 KiB}", Options{})
	r := newRamp(4096, 33)
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{r.kernel}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const row = 4 * 33
	rows := func(lo, hi int64) device.Span { return device.Span{From: lo * row, To: hi * row} }
	each := device.ViewBytes(r.in, 20*row)
	if _, err := dev.AllocRoom(64<<10 + 1); !errors.Is(err, device.ErrMemory) {
		t.Errorf("a room larger than memory: %v", err)
	}
	space, err := dev.AllocRoom(2 * each)
	if err != nil {
		t.Fatal(err)
	}
	if got := dev.Usage().Allocated; got != 2*each {
		t.Errorf("%d bytes, want %d", got, 2*each)
	}
	views := func(in, out device.Span) map[*ir.Buffer]device.Memory {
		t.Helper()
		a, err := space.View(r.in, in, 0, false)
		b, bad := space.View(r.out, out, each, true)
		if err := errors.Join(err, bad); err != nil {
			t.Fatal(err)
		}
		return map[*ir.Buffer]device.Memory{r.in: a, r.out: b}
	}
	host, got := make([]byte, 20*row), make([]byte, 20*row)
	for i := range device.View[float32](host, ir.F32) {
		device.View[float32](host, ir.F32)[i] = float32(i)
	}
	var launch func(region.Region) error
	var mem map[*ir.Buffer]device.Memory
	for _, at := range []int64{0, 7, 2000, 4076} {
		mem = views(rows(at, at+20), rows(at, at+20))
		if err := device.Read(t.Context(), mem[r.in], got, at*row); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{marginFill}, len(got))) {
			t.Errorf("new at %d: %v", at, err)
		}
		if err := device.Read(t.Context(), mem[r.out], got, at*row); err != nil || !bytes.Equal(got, make([]byte, len(got))) {
			t.Errorf("cleared at %d: %v", at, err)
		}
		if err := device.Write(t.Context(), mem[r.in], at*row, host); err != nil {
			t.Fatal(err)
		}
		if launch, err = programs[0].Bind(device.Bindings{Mem: mem}); err != nil {
			t.Fatal(err)
		}
		if err := launch(region.Region{{Lo: int(at), Hi: int(at) + 20}, {Lo: 0, Hi: 33}}); err != nil {
			t.Fatal(err)
		}
		if err := device.Read(t.Context(), mem[r.out], got, at*row); err != nil {
			t.Fatal(err)
		}
		for i, v := range device.View[float32](got, ir.F32) {
			if want := 2*float32(i) + float32(int(at)+i/33) + 0.125*float32(i%33); v != want {
				t.Fatalf("element %d from row %d on: %v, want %v", i, at, v, want)
			}
		}
	}
	for _, span := range []device.Span{rows(4075, 4077), rows(4095, 4097), rows(1, 2), {From: -1, To: 3}} {
		if err := device.Write(t.Context(), mem[r.in], span.From, make([]byte, span.To-span.From)); err == nil {
			t.Errorf("a copy to %v, which is not there", span)
		}
	}
	for _, bad := range []struct {
		part device.Span
		at   int64
	}{{device.Span{From: 0, To: r.in.Bytes() + 1}, 0}, {rows(0, 20), 2 * each}, {rows(0, 20), 4}} {
		if _, err := space.View(r.in, bad.part, bad.at, false); err == nil || errors.Is(err, device.ErrMemory) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := launch(region.Region{{Lo: 4075, Hi: 4076}, {Lo: 0, Hi: 33}}); err != nil {
		t.Fatal(err)
	}
	if err := device.Read(t.Context(), mem[r.out], got, 4076*row); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a launch that wrote beyond the part: %v", err)
	}
	mem[r.in].Free()
	if err := device.Write(t.Context(), mem[r.in], 4076*row, host); err == nil || !strings.Contains(err.Error(), "freed") {
		t.Errorf("a copy to a view that was freed: %v", err)
	}
	space.Free()
	space.Free()
	if u := dev.Usage(); u.Allocated != 0 || u.Peak != 2*each {
		t.Errorf("%+v", u)
	}
}

// Launches follow each other, and so do copies of one direction; launches and copies of both directions go side by side.
func TestEngines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock stands still while anybody works
		dev := open(t, "{launch: 50ms, link: {latency: 50ms}, pace: 1}", Options{})
		s := newRamp(8, 8).on(t, dev)
		host, out := make([]byte, s.in.Bytes()), make([]byte, s.in.Bytes())
		start := time.Now()
		var group sync.WaitGroup
		problems := make([]error, 4)
		for i, work := range []func() error{
			func() error { return s.launch(s.kernel.Domain()) },
			func() error { return s.launch(s.kernel.Domain()) },
			func() error { return device.Write(t.Context(), s.mem[s.in], 0, host) },
			func() error { return device.Read(t.Context(), s.mem[s.out], out, 0) },
		} {
			group.Go(func() { problems[i] = work() })
		}
		group.Wait()
		if err := errors.Join(problems...); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 100*time.Millisecond {
			t.Errorf("two launches and two copies of 50 ms each took %v, want 100 ms", d)
		}
	})
}

// Lines are copied without what lies between them, and only where all of them are there.
func TestLines(t *testing.T) {
	dev := open(t, "{link: {rate: 1e6}}", Options{})
	b := &ir.Buffer{Name: "b", Type: ir.U8, Shape: []int{4, 3}, Pad: ir.Pad{Before: 2, After: 5, Value: 9}}
	m, err := dev.Alloc(b)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	lines := device.Lines{Offset: 2, Pitch: 10, Width: 3, Count: 4}
	if err := m.(device.Pitched).CopyLinesIn(t.Context(), lines, []byte("abcdefghijkl")); err != nil {
		t.Fatal(err)
	}
	all, some := make([]byte, 40), make([]byte, 6)
	if err := device.Read(t.Context(), m, all, 0); err != nil || string(all[:20]) != "\x09\x09abc\x09\x09\x09\x09\x09\x09\x09def\x09\x09\x09\x09\x09" {
		t.Errorf("%q, %v", all, err)
	}
	if err := m.(device.Pitched).CopyLinesOut(t.Context(), some, device.Lines{Offset: 13, Pitch: 20, Width: 3, Count: 2}); err != nil || string(some) != "ef\x09kl\x09" {
		t.Errorf("%q, %v", some, err)
	}
	if u := dev.Usage(); u.BytesIn != 12 || u.BytesOut != 46 {
		t.Errorf("%+v", u)
	}
	for _, bad := range []device.Lines{{Offset: 2, Pitch: 10, Width: 3, Count: 3}, {Offset: 2, Pitch: 2, Width: 3, Count: 4}, {Offset: 8, Pitch: 10, Width: 3, Count: 4}, {Offset: -1, Pitch: 10, Width: 3, Count: 4}} {
		if err := m.(device.Pitched).CopyLinesIn(t.Context(), bad, make([]byte, 12)); err == nil {
			t.Errorf("%+v are copied", bad)
		}
	}
}
