package emulated

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// Launches, copies and allocations at the same time, of kernels whose threads wait for each other: each host thread has a
// block of its own.
func TestConcurrentUse(t *testing.T) {
	const rows, cols, workers = 96, 300, 6
	dev := open(t, "{streams: 6}", Options{Schedules: func(*ir.Kernel) []schedule.CUDA { return []schedule.CUDA{{Fold: 64}} }})
	b := ir.NewBuilder()
	y := b.Axis("y", rows)
	in := &ir.Buffer{Name: "in", Type: ir.I32, Shape: []int{rows, cols}}
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{rows}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(cols), Init: []*ir.Node{y}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(a[0], b.Load(in, y, i))}, nil
	})
	k := &ir.Kernel{Name: "rows", Axes: []*ir.Node{y}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y}, Value: sum[0]}}}
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := map[*ir.Buffer]device.Memory{}
	for _, buf := range []*ir.Buffer{in, out} {
		if mem[buf], err = dev.Alloc(buf); err != nil {
			t.Fatal(err)
		}
		defer mem[buf].Free()
	}
	run, err := programs[0].Bind(device.Bindings{Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	problems := make([]error, workers)
	for w := range workers {
		group.Go(func() {
			for row := w; row < rows; row += workers {
				host := make([]byte, 4*cols)
				for i := range device.View[int32](host, ir.I32) {
					device.View[int32](host, ir.I32)[i] = int32(row + i)
				}
				scratch, err := dev.Alloc(&ir.Buffer{Name: "scratch", Type: ir.U8, Shape: []int{1000}})
				if err == nil {
					scratch.Free()
				}
				problems[w] = errors.Join(problems[w], err,
					device.Write(t.Context(), mem[in], int64(row*cols*4), host), run(region.Region{{Lo: row, Hi: row + 1}}))
			}
		})
	}
	group.Wait()
	if err := errors.Join(problems...); err != nil {
		t.Fatal(err)
	}
	host := make([]byte, out.Bytes())
	if err := device.Read(t.Context(), mem[out], host, 0); err != nil {
		t.Fatal(err)
	}
	for row, got := range device.View[int32](host, ir.I32) {
		if want := int32(row + cols*row + cols*(cols-1)/2); got != want {
			t.Errorf("row %d: %d, want %d", row, got, want)
		}
	}
	if u := dev.Usage(); u.Launches != rows {
		t.Errorf("%d launches", u.Launches)
	}
}

// Devices of one description wait for each other where the way to the host is described as shared, and those of others do not; the host hears of a
// copy as much later as described.
func TestSharedWayToTheHost(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"{count: 2, pace: 1, link: {rate: 1e6}}":               100 * time.Millisecond,
		"{count: 2, pace: 1, link: {rate: 1e6, shared: 1e6}}":  200 * time.Millisecond,
		"{count: 2, pace: 1, sync: 7ms, link: {rate: 1e6}}":    107 * time.Millisecond,
		"{count: 2, pace: 1, link: {rate: 1e6, shared: 4e6}}":  100 * time.Millisecond,
		"{count: 2, pace: 1, link: {rate: 1e6, latency: 5ms}}": 105 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			list, err := Parse([]byte("devices:\n  - " + text))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			var group sync.WaitGroup
			for _, d := range New(nil, list, Options{}) {
				m, err := d.Alloc(&ir.Buffer{Name: "a", Type: ir.U8, Shape: []int{100000}})
				if err != nil {
					t.Fatal(err)
				}
				data, free, err := d.Pin(100000)
				if err != nil {
					t.Fatal(err)
				}
				group.Go(func() {
					defer m.Free()
					defer free()
					if err := device.Write(t.Context(), m, 0, data); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if took := time.Since(start); took != want {
				t.Errorf("%s: %s, want %s", text, took, want)
			}
		})
	}
}

// Blocks come in waves of as many as the multiprocessors have at a time: one more takes as long as a whole wave, and nothing less than the shortest.
func TestWaves(t *testing.T) {
	d := New(nil, []Description{{SMs: 4, Resident: 512, Flops: 1e6, Shortest: Duration(10 * time.Millisecond)}}, Options{})[0]
	for blocks, want := range map[int]time.Duration{1: 80, 8: 80, 9: 160, 16: 160, 17: 240} {
		work := count.Work{Flops: 1e4 * float64(blocks)}
		if took := d.launchTime(work, blocks, 256, 1); took.Round(time.Microsecond) != want*time.Millisecond {
			t.Errorf("%d blocks: %s, want %s", blocks, took, want*time.Millisecond)
		}
	}
	if took := d.launchTime(count.Work{Flops: 1}, 1, 256, 1); took != 10*time.Millisecond {
		t.Errorf("hardly any work: %s", took)
	}
}
