package cost

import (
	"weft/kernels/device"
	"weft/kernels/ir/count"
)

// Traffic is what a device copies for a kernel, in bytes, and in how many copies a range of rows takes.
type Traffic struct {
	Whole               float64 // inputs that every device needs all of, once
	WholeCopies         int
	In, Out             float64 // rows of inputs and outputs, all ranges together
	InCopies, OutCopies int     // for each range
	Blocks              int     // that the kernel is run in one after the other; 0: one
	Queued              bool    // its launch is in line, and nobody waits for it but for what is copied behind it
}

// Pipeline is how long one device takes for its part of a kernel.
type Pipeline struct {
	Seconds  float64 // in all
	Transfer float64 // of the copies alone, up and down at once
	Bound    string  // what decides: compute, bandwidth, latency or transfer
}

// What the host does for a kernel on devices, and for each of its ranges, in seconds: workers to wake, copies to hand out, waiting for
// what comes back; and for a kernel in line, which is 30 of a chain's kernels in a ms (a processor with other work).
const (
	perJob    = 150e-6
	perQueued = 30e-6
	PerRange  = 10e-6
)

// Overlapped is the time of a kernel's part on one device that uploads, computes and downloads at once, in so many ranges of
// rows: the longest of the three, and the others' share in the first and the last range.
func Overlapped(r device.Rates, w count.Work, t Traffic, ranges int) Pipeline {
	n := float64(max(1, ranges))
	copying := r.LinkLatency + r.Wait
	compute, launches := r.Compute(w), n*(r.Launch+r.Wait+PerRange)
	handing := perJob * float64(max(1, t.Blocks))
	if t.Queued {
		launches, handing = r.Launch, perQueued+PerRange*float64(t.WholeCopies+t.InCopies+t.OutCopies)
		if t.OutCopies > 0 {
			launches += r.Wait
		}
	}
	whole := device.Quotient(t.Whole, r.LinkIn) + float64(t.WholeCopies)*copying
	in := device.Quotient(t.In, r.LinkIn) + n*float64(t.InCopies)*copying
	out := device.Quotient(t.Out, r.LinkOut) + n*float64(t.OutCopies)*copying
	most := max(in, compute+launches, out)
	p := Pipeline{Seconds: handing + whole + most + (in+compute+launches+out-most)/n, Transfer: whole + max(in, out) + min(in, out)/n}
	switch {
	case whole+max(in, out) > compute+launches+handing:
		p.Bound = "transfer"
	case launches+handing > compute:
		p.Bound = "latency"
	case device.Quotient(w.Bytes, r.Bandwidth) >= compute:
		p.Bound = "bandwidth"
	default:
		p.Bound = "compute"
	}
	return p
}

// Learned is what runs taught about a kernel on a kind of device that is not the model's: what predictions are multiplied by, and
// where that comes from.
func (m *Model) Learned(hash, kind string, ops []string, bound string) (factor float64, source string) {
	if m == nil || m.History == nil {
		return 1, "model"
	}
	return m.History.factor(m.key(hash, kind), m.kin(ops, bound, kind))
}
