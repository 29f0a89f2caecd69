package emulated

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// Device is one emulated device.
type Device struct {
	host        *native.Device
	description Description
	info        device.Info
	schedules   func(*ir.Kernel) []schedule.CUDA
	blocks      device.Limits // of blocks, on all that were made together
	fate        fate
	meter       meter
	pins        pins
	engines     map[string]*engine // by what they do: launch, upload, download
	bus         *bus               // what devices of one description share of the way to the host
}

var (
	_ device.Device  = (*Device)(nil)
	_ device.Metered = (*Device)(nil)
	_ device.Pinner  = (*Device)(nil)
	_ device.Blank   = (*Device)(nil)
	_ device.Rated   = (*Device)(nil)

	_ device.Reopener = (*Device)(nil)
)

// Options of emulated devices.
type Options struct {
	// Schedules gives the schedules to try for a kernel, in order; nil: the rules' own.
	Schedules func(*ir.Kernel) []schedule.CUDA
}

// New makes the devices that descriptions ask for. Their code is compiled by a native device's compiler.
func New(host *native.Device, list []Description, opt Options) []*Device {
	var out []*Device
	for _, desc := range list {
		desc.complete()
		shared := &bus{rate: desc.Link.Shared}
		for range desc.Count {
			d := &Device{host: host, description: desc, bus: shared, schedules: opt.Schedules, engines: map[string]*engine{onLaunch: newEngine(), onUpload: newEngine(), onDownload: newEngine()}}
			d.fate.failures = desc.Failures
			capability := desc.Capability
			if capability != "" {
				capability = "; capability " + capability
			}
			d.info = device.Info{
				Name:    fmt.Sprintf("%s:%d", desc.Name, len(out)),
				Kind:    "emulated",
				Detail:  "CUDA dialect on the CPU" + capability,
				Threads: desc.Streams,
				Limits:  desc.limits(),
			}
			out = append(out, d)
		}
	}
	for _, d := range out { // whichever takes a part of a kernel, its sums are added up in one order
		for _, o := range out {
			d.blocks = d.blocks.Least(o.info.Limits)
		}
	}
	return out
}

// Info describes the device as it was described.
func (d *Device) Info() device.Info { return d.info }

// Reopen ends a loss, where that is described.
func (d *Device) Reopen() error { return d.fate.reopen() }

// Description is what the device was made from.
func (d *Device) Description() Description { return d.description }

// Compile renders the kernels as CUDA and compiles them for the CPU, together.
func (d *Device) Compile(ctx context.Context, kernels []*ir.Kernel, _ device.Options) ([]device.Program, error) {
	if _, err := d.fate.next(onCompile); err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	programs := make([]*program, len(kernels))
	for i, k := range kernels {
		info := d.info
		info.Limits.Block, info.Limits.Threads, info.Limits.Shared = d.blocks.Block, d.blocks.Threads, d.blocks.Shared
		code, err := launch.For(info, k, d.schedules)
		if err != nil {
			return nil, err
		}
		p := &program{Program: launch.Program{Code: code, Owner: d}, dev: d, work: count.WorkOf(k)}
		p.Run, p.Queue, programs[i] = p.launch, p.enqueue, p
	}
	if err := d.build(ctx, programs); err != nil {
		return nil, err
	}
	out := make([]device.Program, len(kernels))
	for i, p := range programs {
		out[i] = p
	}
	return out, nil
}

// unitSize is how many kernels are compiled together at most.
const unitSize = 24

func (d *Device) build(ctx context.Context, programs []*program) error {
	var codes []*launch.Code
	var symbols []string
	byName := map[string][]*program{}
	for _, p := range programs {
		name := runnerOf(p.Code.Out)
		if byName[name] == nil {
			codes, symbols = append(codes, p.Code), append(symbols, name)
		}
		byName[name] = append(byName[name], p)
	}
	var problems []error
	for from := 0; from < len(codes); from += unitSize {
		to := min(from+unitSize, len(codes))
		addresses, cached, err := d.host.CompileText(ctx, Text(codes[from:to]), symbols[from:to]...)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", d.info.Name, err))
			continue
		}
		for i, s := range symbols[from:to] {
			for _, p := range byName[s] {
				p.run, p.Cached = addresses[i], cached
			}
		}
	}
	return errors.Join(problems...)
}

// program is a compiled kernel.
type program struct {
	launch.Program
	dev  *Device
	work count.Work
	run  uintptr
}

// arguments is the shim's weft_launch.
type arguments struct {
	params      uintptr
	grid, block [3]int32
}

func (p *program) launch(bound *launch.Bound, l launch.Launch, t region.Region) error {
	err := p.dev.engines[onLaunch].run(context.Background(), p.dev.description.Pace, time.Time{}, func() (time.Duration, error) {
		took, err := p.perform(bound, l, t)
		if err != nil {
			return 0, err
		}
		p.dev.meter.launched(took)
		return took + time.Duration(p.dev.description.Sync), nil
	})
	if err == nil {
		p.dev.meter.waited()
	}
	return err
}

// perform runs a launch, and says how long the described device takes for it.
func (p *program) perform(bound *launch.Bound, l launch.Launch, t region.Region) (time.Duration, error) {
	o, err := p.dev.fate.next(onLaunch)
	if err != nil {
		return 0, err
	}
	var d *damage
	if o.wrong > 0 {
		d = damageTo(bound, p.Code.Kernel, t, o.wrong)
	}
	if err := p.execute(l); err != nil {
		return 0, err
	}
	if d != nil {
		d.strike()
	}
	return p.dev.launchTime(p.work.Scale(float64(t.Points())/float64(max(1, p.Code.Kernel.Points()))), product(l.Grid), product(l.Block), o.slow), nil
}

// product of a grid or a block.
func product(n [3]int) int { return n[0] * n[1] * n[2] }

// Wave is how many points the device computes at once, as far as that is described.
func (p *program) Wave() float64 {
	points := 1
	for axis, n := range p.Code.Out.Step {
		points *= min(n, max(1, p.Code.Kernel.Axes[axis].Extent))
	}
	return float64(p.dev.wave(product(p.Code.Out.Block)) * points)
}

// execute runs the grid.
func (p *program) execute(l launch.Launch) error {
	a := &arguments{}
	for d := range 3 {
		a.grid[d], a.block[d] = int32(l.Grid[d]), int32(l.Block[d])
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	if len(l.Params) > 0 {
		pin.Pin(&l.Params[0])
		a.params = uintptr(unsafe.Pointer(&l.Params[0]))
	}
	pin.Pin(a)
	switch status := native.Invoke(p.run, uintptr(unsafe.Pointer(a))); status {
	case 0:
		return nil
	case 1:
		return errors.New("threads wait at a barrier that others of their block do not reach")
	default:
		return fmt.Errorf("no memory on the host for %v threads", l.Block)
	}
}
