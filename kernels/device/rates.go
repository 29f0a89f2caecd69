package device

import (
	"cmp"

	"weft/kernels/ir/count"
)

// Rates are how fast a device is, for predictions and for the first division of work among several. Zero is unknown, or free.
type Rates struct {
	Flops       float64 // float32 operations a second
	Flops64     float64 // float64 operations a second; 0: as many as float32
	Bandwidth   float64 // of its memory, bytes a second
	Launch      float64 // seconds that a launch in line takes before it computes
	Wait        float64 // seconds from the end of a launch or copy that the host waits for until it goes on
	LinkIn      float64 // bytes a second from page-locked host memory to the device
	LinkOut     float64 // and back
	LinkLatency float64 // seconds that a copy in line takes before it moves bytes
}

// Compute is the seconds that launches of all of the work take, their latency apart: the longer of arithmetic and memory.
func (r Rates) Compute(w count.Work) float64 {
	wide := cmp.Or(r.Flops64, r.Flops)
	return max(Quotient(w.Flops-w.Wide, r.Flops)+Quotient(w.Wide, wide), Quotient(w.Bytes, r.Bandwidth))
}

// Quotient is the seconds that an amount takes at a rate. A rate of 0 costs nothing.
func Quotient(amount, rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	return amount / rate
}

// Rated is a device that knows its rates.
type Rated interface {
	Rates() Rates
}
