// Package launch is what CUDA devices and their emulation share between a kernel and its launch: which schedule, which
// source, which parameters, which grid.
package launch

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/codegen/cuda"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Code is a kernel rendered for devices of some limits.
type Code struct {
	Kernel   *ir.Kernel
	Schedule schedule.CUDA
	Out      cuda.Output
	Limits   device.Limits
}

// New renders a kernel under the first of the schedules that the kernel has and the limits allow. The function's name tells
// it from others. Schedules nil are the rules' own.
func New(k *ir.Kernel, schedules []schedule.CUDA, limits device.Limits) (*Code, error) {
	points := int64(1)
	for _, a := range k.Axes {
		if a.Extent < 0 || a.Extent > math.MaxInt32 {
			return nil, fmt.Errorf("kernel %s: axis %s of %d points; at most %d", k.Name, a.Name, a.Extent, math.MaxInt32)
		}
		if points > math.MaxInt64/int64(max(1, a.Extent)) {
			return nil, fmt.Errorf("kernel %s: more points than 64 bits count", k.Name)
		}
		points *= int64(max(1, a.Extent))
	}
	if schedules == nil {
		schedules = schedule.CUDACandidates(k)
	}
	var err error
	for _, s := range schedules {
		var out cuda.Output
		name := fmt.Sprintf("weft_%s_%s", ir.Hash(k)[:16], s.Digest())
		if out, err = cuda.Render(k, s, name); err != nil {
			continue
		}
		c := &Code{k, s, out, limits}
		if err = c.allowed(); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// For is New for a device, under the schedules that choose gives and, where none of these will do, the plain one; nil: the rules' own.
func For(d device.Info, k *ir.Kernel, choose func(*ir.Kernel) []schedule.CUDA) (*Code, error) {
	var schedules []schedule.CUDA
	if choose != nil {
		schedules = append(choose(k), schedule.CUDA{})
	}
	code, err := New(k, schedules, d.Limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return code, nil
}

// allowed reports a block that the device cannot run.
func (c *Code) allowed() error {
	threads := 1
	for d, n := range c.Out.Block {
		threads *= n
		if n > c.Limits.Block[d] {
			return fmt.Errorf("kernel %s: a block of %v threads; at most %v", c.Kernel.Name, c.Out.Block, c.Limits.Block)
		}
	}
	if threads > c.Limits.Threads || c.Out.Shared > c.Limits.Shared {
		return fmt.Errorf("kernel %s: a block of %d threads and %d bytes of shared memory; at most %d and %d",
			c.Kernel.Name, threads, c.Out.Shared, c.Limits.Threads, c.Limits.Shared)
	}
	return nil
}

// Report is what is known of the code before it is compiled.
func (c *Code) Report() device.Report {
	l := device.Layout{Flight: 1, FlightOn: map[int]int{}, LanesOn: map[int]int{}, FoldLanes: c.Schedule.Fold > 1}
	for _, a := range slices.Backward(c.Schedule.Block) {
		l.Lanes = append(l.Lanes, a.Axis)
		l.LanesOn[a.Axis] = a.N
	}
	for _, a := range c.Schedule.Unroll {
		l.Flight *= a.N
		l.FlightOn[a.Axis] = a.N
	}
	text := c.Schedule.Text(c.Kernel)
	if c.Out.Aside > 0 {
		text += fmt.Sprintf(", %d B of a thread's values aside in shared memory", c.Out.Aside)
	}
	return device.Report{Schedule: text, Loads: c.Out.Loads, Source: c.Out.Source, Layout: l}
}
