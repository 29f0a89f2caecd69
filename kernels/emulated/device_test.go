package emulated

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// ramp is a kernel out[y, x] = 2 in[y, x] + y + x/8 over a plane, with its buffers.
type ramp struct {
	kernel  *ir.Kernel
	in, out *ir.Buffer
	rows    int
	cols    int
}

func newRamp(rows, cols int) ramp {
	b := ir.NewBuilder()
	y, x := b.Axis("y", rows), b.Axis("x", cols)
	r := ramp{
		in:   &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, cols}},
		out:  &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, cols}},
		rows: rows, cols: cols,
	}
	v := b.Add(b.Mul(b.F32(2), b.Load(r.in, y, x)), b.Add(b.Cast(ir.F32, y), b.Mul(b.F32(0.125), b.Cast(ir.F32, x))))
	r.kernel = &ir.Kernel{Name: "ramp", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: r.out, Index: []*ir.Node{y, x}, Value: v}}}
	return r
}

// session is a ramp on a device.
type session struct {
	ramp
	dev     *Device
	mem     map[*ir.Buffer]device.Memory
	launch  func(region.Region) error
	program device.Program
}

func (r ramp) on(t *testing.T, dev *Device) *session {
	t.Helper()
	s := &session{ramp: r, dev: dev, mem: map[*ir.Buffer]device.Memory{}}
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{r.kernel}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*ir.Buffer{r.in, r.out} {
		if s.mem[b], err = dev.Alloc(b); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.mem[b].Free)
	}
	s.program = programs[0]
	if s.launch, err = programs[0].Bind(device.Bindings{Mem: s.mem}); err != nil {
		t.Fatal(err)
	}
	host := make([]byte, r.in.Bytes())
	for i := range device.View[float32](host, ir.F32) {
		device.View[float32](host, ir.F32)[i] = float32(i % 100)
	}
	if err := device.Write(t.Context(), s.mem[r.in], 0, host); err != nil {
		t.Fatal(err)
	}
	return s
}

// wrong counts the elements that are not as they must be.
func (s *session) wrong(t *testing.T) (n int) {
	t.Helper()
	host := make([]byte, s.out.Bytes())
	if err := device.Read(t.Context(), s.mem[s.out], host, 0); err != nil {
		t.Fatal(err)
	}
	for i, v := range device.View[float32](host, ir.F32) {
		if v != 2*float32(i%100)+float32(i/s.cols)+0.125*float32(i%s.cols) {
			n++
		}
	}
	return n
}

// Shapes whose long side exceeds what a grid has in y and z, under the rules' schedule and under ones that put the
// long axis there.
func TestOddGeometries(t *testing.T) {
	for _, shape := range [][2]int{{70000, 3}, {3, 70000}, {1, 1}, {65536, 1}, {1, 65537}} {
		for _, s := range []schedule.CUDA{
			{},
			schedule.CUDADefault(newRamp(shape[0], shape[1]).kernel),
			{Block: []schedule.AxisN{{Axis: 1, N: 4}}},
			{Block: []schedule.AxisN{{Axis: 0, N: 1}}},
			{Block: []schedule.AxisN{{Axis: 1, N: 2}, {Axis: 0, N: 3}}, Unroll: []schedule.AxisN{{Axis: 0, N: 3}, {Axis: 1, N: 2}}},
		} {
			t.Run(fmt.Sprintf("%d x %d, %s", shape[0], shape[1], s), func(t *testing.T) {
				dev := open(t, "{}", Options{Schedules: func(*ir.Kernel) []schedule.CUDA { return []schedule.CUDA{s} }})
				run := newRamp(shape[0], shape[1]).on(t, dev)
				if err := run.launch(run.kernel.Domain()); err != nil {
					t.Fatal(err)
				}
				if n := run.wrong(t); n > 0 {
					t.Errorf("%d of %d elements are wrong", n, shape[0]*shape[1])
				}
			})
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	dev := open(t, "{memory: 1 MiB}", Options{})
	block := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{100000}}
	var held []device.Memory
	for range 2 {
		m, err := dev.Alloc(block)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, m)
	}
	if _, err := dev.Alloc(block); !errors.Is(err, device.ErrMemory) {
		t.Errorf("beyond the limit: %v", err)
	}
	peak := dev.Usage().Peak
	held[0].Free()
	held[0].Free()
	m, err := dev.Alloc(block)
	if err != nil {
		t.Fatalf("after a buffer was freed: %v", err)
	}
	m.Free()
	held[1].Free()
	if u := dev.Usage(); u.Allocated != 0 || u.Peak != peak || peak < 800000 || peak > 1<<20 {
		t.Errorf("usage %+v, peak before %d", u, peak)
	}
}

func TestFailures(t *testing.T) {
	half := func(s *session, second bool) region.Region {
		w := s.kernel.Domain()
		if second {
			w[0].Lo = s.rows / 2
		} else {
			w[0].Hi = s.rows / 2
		}
		return w
	}
	for _, c := range []struct {
		name, failure string
		launches      [3]string // what each launch says; empty: it works
		wrong         int       // elements after all three: the first row, the first half, the second half (one element is 0 as it should)
		lost          bool
	}{
		{"none", "", [3]string{}, 0, false},
		{"launch", "{on: launch, at: 2}", [3]string{"", "launch 2 fails", ""}, 19 * 33, false},
		{"launches", "{on: launch, at: 1, until: 2}", [3]string{"launch 1 fails", "launch 2 fails", ""}, 20*33 - 1, false},
		{"lost", "{on: launch, at: 2, kind: lost}", [3]string{"", "device lost (at launch 2", "device lost (at launch 2"}, -1, true},
		{"wrong", "{on: launch, at: 3, kind: wrong}", [3]string{}, 20 * 33, false},
		{"partly wrong", "{on: launch, at: 3, kind: wrong, fraction: 0.01}", [3]string{}, 7, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRamp(40, 33).on(t, open(t, "{failures: ["+c.failure+"]}", Options{}))
			for i, tile := range []region.Region{half(s, false)[:2], half(s, false), half(s, true)} {
				if i == 0 {
					tile[0].Hi = tile[0].Lo + 1
				}
				err := s.launch(tile)
				if (err == nil) != (c.launches[i] == "") || err != nil && !strings.Contains(err.Error(), c.launches[i]) {
					t.Errorf("launch %d: %v, want %q", i+1, err, c.launches[i])
				}
				if errors.Is(err, device.ErrLost) != (c.lost && i > 0) {
					t.Errorf("launch %d: %v", i+1, err)
				}
			}
			if c.lost {
				if err := device.Read(t.Context(), s.mem[s.out], make([]byte, 4), 0); !errors.Is(err, device.ErrLost) {
					t.Errorf("a copy from a lost device: %v", err)
				}
				if _, err := s.dev.Alloc(s.in); !errors.Is(err, device.ErrLost) {
					t.Errorf("memory of a lost device: %v", err)
				}
				return
			}
			n := s.wrong(t)
			if n != c.wrong {
				t.Errorf("%d elements are wrong, want %d", n, c.wrong)
			}
		})
	}
}

func TestFailuresOfMemoryAndCopies(t *testing.T) {
	dev := open(t, "{failures: [{on: alloc, at: 2}, {on: upload, at: 1}, {on: download, at: 2}, {on: pin, at: 1}, {on: compile, at: 1}]}", Options{})
	b := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{8}}
	m, err := dev.Alloc(b)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	_, second := dev.Alloc(b)
	pin := func() error { _, _, err := dev.Pin(64); return err }
	compile := func() error {
		_, err := dev.Compile(t.Context(), []*ir.Kernel{newRamp(2, 2).kernel}, device.Options{})
		return err
	}
	host := make([]byte, 32)
	ctx := t.Context()
	for _, c := range []struct {
		what  string
		err   error
		fails bool
	}{
		{"second allocation", second, true},
		{"first upload", device.Write(ctx, m, 0, host), true}, {"second upload", device.Write(ctx, m, 0, host), false},
		{"first download", device.Read(ctx, m, host, 0), false}, {"second download", device.Read(ctx, m, host, 0), true},
		{"first pin", pin(), true}, {"second pin", pin(), false},
		{"first compilation", compile(), true}, {"second compilation", compile(), false},
	} {
		if (c.err != nil) != c.fails {
			t.Errorf("%s: %v", c.what, c.err)
		}
	}
	if !errors.Is(second, device.ErrMemory) {
		t.Errorf("second allocation: %v", second)
	}
}

// The clock follows from the description: 1e6 additions and products, 12 MB moved.
func TestClock(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		name, device     string
		compute, up, out float64 // seconds
	}{
		{"by bandwidth", "{bandwidth: 1e9, flops: 1e12, link: {rate: 2e9}}", 8 * n / 1e9, 4 * n / 1e9, 4 * n / 1e9},
		{"by flops", "{bandwidth: 1e12, flops: 1e6, link: {rate: 2e9, latency: 1s}}", -1, 1 + 4*n/1e9, 1 + 4*n/1e9},
		{"latency", "{launch: 3ms}", 3e-3, 0, 0},
		{"slow", "{bandwidth: 1e9, failures: [{on: launch, at: 1, kind: slow, factor: 10}]}", 80 * n / 1e9, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRamp(1024, 1024).on(t, open(t, c.device, Options{}))
			if err := s.launch(s.kernel.Domain()); err != nil {
				t.Fatal(err)
			}
			if s.wrong(t) > 0 {
				t.Error("wrong results")
			}
			if c.compute < 0 {
				c.compute = count.CostOf(s.kernel).Flops / 1e6
			}
			u := s.dev.Usage()
			near := func(what string, d time.Duration, want float64) {
				if math.Abs(d.Seconds()-want) > 1e-6+1e-3*want {
					t.Errorf("%s %v, want %v s", what, d, want)
				}
			}
			near("compute", u.Compute, c.compute)
			near("upload", u.Upload, c.up)
			near("download", u.Download, c.out)
			if u.Launches != 1 || u.BytesIn != 4*n || u.BytesOut != 4*n {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

// Page-locked memory goes at twice the rate, with equal results; a pace holds calls.
func TestPinnedAndPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := open(t, "{link: {rate: 1e9}, pace: 1}", Options{})
		b := &ir.Buffer{Name: "b", Type: ir.U8, Shape: []int{4000000}}
		m, err := dev.Alloc(b)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		data, free, err := dev.Pin(5000000)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := device.Write(t.Context(), m, 0, data[7:][:4000000]); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 4*time.Millisecond {
			t.Errorf("4 MB at 1 GB/s in %v", d)
		}
		pinned := dev.Usage().Upload
		free()
		if err := device.Write(t.Context(), m, 0, data[:4000000]); err != nil {
			t.Fatal(err)
		}
		if both := dev.Usage().Upload; both != 3*pinned {
			t.Errorf("%v page-locked, then %v more", pinned, both-pinned)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := device.Write(ctx, m, 0, data[:4000000]); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a copy of 8 ms within 1 ms: %v", err)
		}
		if _, _, err := open(t, "{link: {pinned: false}}", Options{}).Pin(10); err == nil {
			t.Error("page-locked memory that the description refuses")
		}
	})
}

// Pieces come together, as a copy that waits for what is in line; what is not there, freed, or fails as described does not.
func TestGather(t *testing.T) {
	d := open(t, "{memory: 1 MiB, launch: 4us, shortest: 2us, link: {rate: 1e9, latency: 8us}, failures: [{on: download, at: 2}]}", Options{})
	buf := &ir.Buffer{Name: "b", Type: ir.U8, Shape: []int{100}}
	m, err := d.Alloc(buf)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 100)
	for i := range data {
		data[i] = byte(i)
	}
	if err := device.Write(t.Context(), m, 0, data); err != nil {
		t.Fatal(err)
	}
	gather := func(n int, pieces ...device.Span) ([]byte, time.Duration, error) {
		got := make([]byte, n)
		p, err := m.(device.Gathering).EnqueueGather(t.Context(), got, pieces)
		if err != nil {
			return nil, 0, err
		}
		took, err := p.Wait()
		return got, took, err
	}
	got, took, err := gather(5, device.Span{From: 3, To: 5}, device.Span{From: 97, To: 100})
	if want := 14*time.Microsecond + 2*5*time.Nanosecond; err != nil || string(got) != "\x03\x04\x61\x62\x63" || took != want { // from memory that is not page-locked
		t.Errorf("%v in %v, %v", got, took, err)
	}
	if u := d.Usage(); u.BytesOut != 5 || u.Launches != 0 || u.Download != took {
		t.Errorf("%+v", u)
	}
	if _, _, err := gather(1, device.Span{From: 3, To: 4}); err == nil || !strings.Contains(err.Error(), "download 2 fails") {
		t.Error(err)
	}
	for _, p := range []device.Span{{From: 3, To: 5}, {From: 100, To: 101}, {From: -1, To: 0}} {
		if _, _, err := gather(1, p); err == nil {
			t.Errorf("%v was gathered", p)
		}
	}
	m.Free()
	if _, _, err := gather(1, device.Span{From: 3, To: 4}); err == nil || !strings.Contains(err.Error(), "freed") {
		t.Error(err)
	}
}
