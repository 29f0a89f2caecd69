package cost

import (
	"cmp"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Work is what a kernel asks of a device with memory of its own.
type Work struct {
	Flops float64 // weighted as ir.OpInfo.Flops
	Wide  float64 // of these, those in float64
	Bytes float64 // through the device's memory: of a buffer no more than there is of it, since caches serve the rest
}

// WorkOf counts a kernel's work. Folds that may end early count in full.
func WorkOf(k *ir.Kernel) Work {
	c := ir.CostOf(k)
	w := Work{Flops: c.Flops, Wide: c.Wide}
	for b, n := range c.Loads {
		w.Bytes += min(n*float64(b.Type.Size()), float64(b.Bytes()))
	}
	for _, s := range k.Stores {
		w.Bytes += float64(k.Points()) * float64(s.Buf.Type.Size())
	}
	return w
}

// Compute is the seconds that launches of all of the work take, their latency apart: the longer of arithmetic and memory. A rate
// of 0 costs nothing.
func Compute(r device.Rates, w Work) float64 {
	wide := cmp.Or(r.Flops64, r.Flops)
	return max(quotient(w.Flops-w.Wide, r.Flops)+quotient(w.Wide, wide), quotient(w.Bytes, r.Bandwidth))
}

func quotient(x, rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	return x / rate
}

// Traffic is what a device copies for a kernel, in bytes, and in how many copies a range of rows takes.
type Traffic struct {
	Whole               float64 // inputs that every device needs all of, once
	WholeCopies         int
	In, Out             float64 // rows of inputs and outputs, all ranges together
	InCopies, OutCopies int     // for each range
	Blocks              int     // that the kernel is run in one after the other; 0: one
}

// Pipeline is how long one device takes for its part of a kernel.
type Pipeline struct {
	Seconds  float64 // in all
	Transfer float64 // of the copies alone, up and down at once
	Bound    string  // what decides: compute, bandwidth, latency or transfer
}

// What the host does for a kernel on devices, and for each of its ranges, in seconds: workers to wake, copies to hand out, waiting for
// what comes back.
const (
	perJob   = 150e-6
	PerRange = 10e-6
)

// Overlapped is the time of a kernel's part on one device that uploads, computes and downloads at once, in so many ranges of
// rows: the longest of the three, and the others' share in the first and the last range.
func Overlapped(r device.Rates, w Work, t Traffic, ranges int) Pipeline {
	n := float64(max(1, ranges))
	compute, launches := Compute(r, w), n*(r.Launch+PerRange)
	whole := quotient(t.Whole, r.LinkIn) + float64(t.WholeCopies)*r.LinkLatency
	in := quotient(t.In, r.LinkIn) + n*float64(t.InCopies)*r.LinkLatency
	out := quotient(t.Out, r.LinkOut) + n*float64(t.OutCopies)*r.LinkLatency
	most := max(in, compute+launches, out)
	handing := perJob * float64(max(1, t.Blocks))
	p := Pipeline{Seconds: handing + whole + most + (in+compute+launches+out-most)/n, Transfer: whole + max(in, out) + min(in, out)/n}
	switch {
	case whole+max(in, out) > compute+launches+handing:
		p.Bound = "transfer"
	case launches+handing > compute:
		p.Bound = "latency"
	case quotient(w.Bytes, r.Bandwidth) >= compute:
		p.Bound = "bandwidth"
	default:
		p.Bound = "compute"
	}
	return p
}

// Scale is the work and the traffic of a share of a kernel's rows.
func (w Work) Scale(share float64) Work {
	w.Flops, w.Wide, w.Bytes = w.Flops*share, w.Wide*share, w.Bytes*share
	return w
}

// Learned is what runs taught about a kernel on a kind of device that is not the model's: what predictions are multiplied by, and
// where that comes from.
func (m *Model) Learned(hash, kind string, ops []string, bound string) (factor float64, source string) {
	if m == nil || m.History == nil {
		return 1, "model"
	}
	return m.History.factor(m.key(hash, kind), m.kin(ops, bound, kind))
}
