package cost

import (
	"math"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/profile"
)

// The time of a device is the longer of arithmetic and memory; float64 has a rate of its own.
func TestComputeTakesTheLonger(t *testing.T) {
	for _, c := range []struct {
		rates device.Rates
		work  count.Work
		want  float64
	}{
		{device.Rates{Flops: 100, Bandwidth: 10}, count.Work{Flops: 1000, Bytes: 20}, 10},
		{device.Rates{Flops: 100, Bandwidth: 10}, count.Work{Flops: 1000, Bytes: 200}, 20},
		{device.Rates{Flops: 100, Flops64: 10}, count.Work{Flops: 1000, Wide: 400}, 46},
		{device.Rates{Flops: 100}, count.Work{Flops: 1000, Wide: 400, Bytes: 1e9}, 10},
		{device.Rates{}, count.Work{Flops: 1000, Bytes: 1000}, 0},
	} {
		if got := c.rates.Compute(c.work); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v on %+v takes %g, want %g", c.work, c.rates, got, c.want)
		}
	}
}

// One range is a sum, many approach the longest of copies and compute; what every device needs as a whole goes before.
func TestOverlap(t *testing.T) {
	r := device.Rates{Flops: 1, LinkIn: 1, LinkOut: 1}
	for _, c := range []struct {
		ranges         int
		flops, in, out float64
		whole          float64
		want           float64
		bound          string
	}{
		{1, 8, 4, 2, 0, 14, "compute"},
		{2, 8, 4, 2, 0, 11, "compute"},
		{10000, 8, 4, 2, 0, 8, "compute"},
		{10000, 4, 8, 2, 0, 8, "transfer"},
		{10000, 4, 2, 8, 0, 8, "transfer"},
		{10000, 8, 4, 2, 5, 13, "transfer"},
	} {
		p := Overlapped(r, count.Work{Flops: c.flops}, Traffic{Whole: c.whole, In: c.in, Out: c.out, WholeCopies: 1, InCopies: 1, OutCopies: 1}, c.ranges)
		if host := perJob + float64(c.ranges)*PerRange; math.Abs(p.Seconds-c.want) > 1e-3+host || p.Bound != c.bound {
			t.Errorf("%+v: %+v", c, p)
		}
		if p.Transfer > p.Seconds+1e-9 || p.Transfer < max(c.in, c.out)+c.whole {
			t.Errorf("%+v: copies take %g of %g", c, p.Transfer, p.Seconds)
		}
	}
	r = device.Rates{Flops: 1, Launch: 1, LinkLatency: 3}
	if p := Overlapped(r, count.Work{Flops: 1}, Traffic{InCopies: 1}, 10); math.Abs(p.Seconds-(30+11.0/10)) > 1e-3 || p.Bound != "transfer" {
		t.Errorf("latencies: %+v", p)
	}
	if p := Overlapped(device.Rates{}, count.Work{}, Traffic{Blocks: 100}, 1); math.Abs(p.Seconds-100*perJob) > 2*PerRange {
		t.Errorf("blocks: %+v", p)
	}
	if p := Overlapped(r, count.Work{Flops: 1}, Traffic{}, 10); math.Abs(p.Seconds-11) > 1e-3 || p.Bound != "latency" {
		t.Errorf("launches: %+v", p)
	}
	r = device.Rates{Flops: 1, Launch: 1, Wait: 100, LinkLatency: 3}
	for _, c := range []struct {
		t    Traffic
		want float64
	}{
		{Traffic{}, 1 + 1 + 100}, {Traffic{Queued: true}, 1 + 1}, {Traffic{Queued: true, OutCopies: 1}, 1 + 1 + 100 + 103}, {Traffic{Queued: true, WholeCopies: 1}, 1 + 1 + 103},
	} {
		if p := Overlapped(r, count.Work{Flops: 1}, c.t, 1); math.Abs(p.Seconds-c.want) > 1e-3 {
			t.Errorf("waits: %+v takes %g, not %g", c.t, p.Seconds, c.want)
		}
	}
}

// What a run on one device teaches says nothing of another, nor of the host.
func TestDevicesLearnApart(t *testing.T) {
	p := profile.Default(1)
	m := &Model{Profile: p, History: OpenHistory(t.TempDir(), p), Kind: "native", Threads: 1}
	ops := []string{"square"}
	if err := m.Learn([]Observation{{Hash: "h", Kind: "cuda:0", Ops: ops, Bound: "compute", Predicted: 1, Measured: 4}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hash, kind string
		want       float64
	}{{"h", "cuda:0", 4}, {"other", "cuda:0", 2}, {"h", "cuda:1", 1}, {"other", "cuda:1", 1}, {"h", "native", 1}} {
		if f, why := m.Learned(c.hash, c.kind, ops, "compute"); math.Abs(f-c.want) > 1e-9 {
			t.Errorf("%s on %s: %g (%s), want %g", c.hash, c.kind, f, why, c.want)
		}
	}
	k := adding(100, 10, 1, plain)
	if e := m.Predict(Kernel{IR: k, Hash: "h", Ops: ops}); e.Factor != 1 {
		t.Errorf("the host learned %g of a device", e.Factor)
	}
	if f, _ := (*Model)(nil).Learned("h", "cuda:0", ops, "compute"); f != 1 {
		t.Error("no model knows something")
	}
}

// The work of a kernel counts no more bytes of a buffer than it has.
func TestWorkOfAKernel(t *testing.T) {
	k := adding(1000, 100, 1, func(b *ir.Builder, v *ir.Node) *ir.Node {
		return b.Cast(ir.F32, b.Mul(b.Cast(ir.F64, v), b.Cast(ir.F64, v)))
	})
	w := count.WorkOf(k)
	if want := float64(4*1100 + 4*1000); w.Bytes != want {
		t.Errorf("%g bytes, want %g", w.Bytes, want)
	}
	if !(w.Wide >= 1e5 && w.Wide < w.Flops) {
		t.Errorf("%g of %g operations in float64", w.Wide, w.Flops)
	}
}
