package emulated

import (
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

// A buffer much larger than the device's memory: its parts can be copied to and from, computed on, and count alone.
func TestParts(t *testing.T) {
	dev := open(t, "{memory: 64 KiB}", Options{})
	r := newRamp(4096, 33)
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{r.kernel}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const row = 4 * 33
	rows := func(lo, hi int64) device.Span { return device.Span{From: lo * row, To: hi * row} }
	mem := map[*ir.Buffer]device.Memory{}
	for b, parts := range map[*ir.Buffer][]device.Span{r.in: {rows(2000, 2010), rows(2010, 2020), rows(0, 1)}, r.out: {rows(2000, 2020)}} {
		if _, err := dev.Alloc(b); !errors.Is(err, device.ErrMemory) {
			t.Errorf("the whole of %s: %v", b.Name, err)
		}
		m, err := dev.AllocParts(b, parts)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		mem[b] = m
	}
	if got, want := dev.Usage().Allocated, int64(41*row+3*2*64*4); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	host := make([]byte, 20*row)
	for i := range device.View[float32](host, ir.F32) {
		device.View[float32](host, ir.F32)[i] = float32(i)
	}
	if err := device.Write(t.Context(), mem[r.in], 2000*row, host); err != nil {
		t.Fatal(err)
	}
	launch, err := programs[0].Bind(device.Bindings{Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	if err := launch(region.Region{{Lo: 2000, Hi: 2020}, {Lo: 0, Hi: 33}}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 20*row)
	if err := device.Read(t.Context(), mem[r.out], got, 2000*row); err != nil {
		t.Fatal(err)
	}
	for i, v := range device.View[float32](got, ir.F32) {
		if want := 2*float32(i) + float32(2000+i/33) + 0.125*float32(i%33); v != want {
			t.Fatalf("element %d: %v, want %v", i, v, want)
		}
	}
	for _, span := range []device.Span{rows(1999, 2001), rows(2019, 2021), rows(1, 2), rows(4095, 4097), {From: -1, To: 3}} {
		if err := device.Write(t.Context(), mem[r.in], span.From, make([]byte, span.To-span.From)); err == nil {
			t.Errorf("a copy to %v, which is not there", span)
		}
	}
	if _, err := dev.AllocParts(r.in, []device.Span{{From: 0, To: r.in.Bytes() + 1}}); err == nil || errors.Is(err, device.ErrMemory) {
		t.Errorf("parts beyond the buffer: %v", err)
	}
	if err := launch(region.Region{{Lo: 2020, Hi: 2021}, {Lo: 0, Hi: 33}}); err != nil {
		t.Fatal(err)
	}
	if err := device.Read(t.Context(), mem[r.out], got, 2000*row); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a launch that wrote beyond the parts: %v", err)
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
