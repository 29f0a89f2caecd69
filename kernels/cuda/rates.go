//go:build cuda

package cuda

import (
	"context"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/device"
)

var _ device.Rated = (*Device)(nil)

// cores are the float32 units of a multiprocessor, by compute capability; those that are not listed have 128. From the CUDA C
// Programming Guide, arithmetic instructions.
var cores = map[int]int{60: 64, 70: 64, 72: 64, 75: 64, 80: 64}

// speeds are the attributes that rates follow from; 0 where a driver does not say.
type speeds struct {
	units, clock  int // multiprocessors, kHz
	memory, width int // kHz, bits
	single        int // how many times faster float32 is than float64
}

// describeSpeeds asks the driver. What it does not say is 0: not known.
func (d *Device) describeSpeeds() {
	for _, a := range []struct {
		attribute cu.DeviceAttribute
		to        *int
	}{
		{cu.MultiprocessorCount, &d.speeds.units}, {cu.ClockRate, &d.speeds.clock},
		{cu.MemoryClockRate, &d.speeds.memory}, {cu.GlobalMemoryBusWidth, &d.speeds.width},
		{cu.SingleToDoublePrecisionPerfRatio, &d.speeds.single},
	} {
		if v, err := d.gpu.Attribute(a.attribute); err == nil {
			*a.to = v
		}
	}
}

// Rates are peaks of arithmetic and memory by the GPU's attributes, and measured times of the link and of a launch. They are
// measured when first asked for, in some ms; what cannot be measured is 0.
func (d *Device) Rates() device.Rates {
	d.measure.Do(func() { d.rates = d.speeds.rates(d.capability); d.measureLink(&d.rates) })
	return d.rates
}

// rates: every unit does a multiplication and an addition a cycle; memory moves twice a cycle.
func (s speeds) rates(capability int) device.Rates {
	per, ok := cores[capability]
	if !ok {
		per = 128
	}
	r := device.Rates{Flops: float64(s.units) * float64(s.clock) * 1e3 * float64(per) * 2, Bandwidth: float64(s.memory) * 1e3 * float64(s.width) / 8 * 2}
	if s.single > 0 {
		r.Flops64 = r.Flops / float64(s.single)
	}
	return r
}

// Sizes and repetitions of the measured copies: long enough for the link's rate, short enough not to be noticed.
const (
	probeBytes = 16 << 20
	probes     = 3
	inLine     = 10 // launches behind the first, of which nobody waits for each
)

// measureLink times copies from and to page-locked memory by the device's events, and tiny ones by the host's clock: of several launches in line each but the first adds what one takes, and the
// rest is waiting.
func (d *Device) measureLink(r *device.Rates) {
	data, free, err := d.Pin(probeBytes)
	if err != nil {
		return
	}
	defer free()
	var at cu.DevicePtr
	if err := d.with(func() (err error) { at, _, err = d.take(probeBytes); return err }); err != nil {
		return
	}
	// The only errors are those of earlier work, which showed there, or a lost device's.
	defer func() { _ = d.with(func() error { return cu.MemFree(at) }) }()
	host := unsafe.Pointer(unsafe.SliceData(data))
	in := func(n int64) probe {
		return d.probe(d.upload, func(s cu.Stream) error { return cu.MemcpyHtoDAsync(at, host, n, s) })
	}
	out := d.probe(d.download, func(s cu.Stream) error { return cu.MemcpyDtoHAsync(host, at, probeBytes, s) })
	launches := func(n int) probe {
		return d.probe(d.compute, func(s cu.Stream) (err error) {
			for i := 0; i < n && err == nil; i++ {
				err = cu.MemsetD8Async(at, 0, 4, s)
			}
			return err
		})
	}
	one, several := launches(1).host.Seconds(), launches(1+inLine).host.Seconds()
	if p := in(probeBytes); p.device > 0 {
		r.LinkIn = probeBytes / p.device.Seconds()
	}
	if out.device > 0 {
		r.LinkOut = probeBytes / out.device.Seconds()
	}
	r.Launch = min(one, max(0, several-one)/inLine)
	r.Wait = one - r.Launch
	r.LinkLatency = max(0, in(4).host.Seconds()-r.Wait)
}

// probe is the least time of several pieces of work on the device's clock and on the host's; 0 if one fails.
type probe struct{ device, host time.Duration }

func (d *Device) probe(e *engine, work func(cu.Stream) error) (best probe) {
	for i := range probes {
		start := time.Now()
		piece, err := d.begin(context.Background(), e, nil, work)
		if err != nil {
			return probe{}
		}
		took, err := piece.Wait()
		if err != nil {
			return probe{}
		}
		p := probe{took, time.Since(start)}
		if i > 0 {
			p = probe{min(p.device, best.device), min(p.host, best.host)}
		}
		best = p
	}
	return best
}
