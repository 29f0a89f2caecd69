//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"sync"

	"gorgonia.org/cu"

	"weft/kernels/cuda/driver"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
)

// slots is how many pieces of work keep a device's three engines busy: one is copied in, one computed, one copied out.
const slots = 3

// Devices opens the GPUs of this machine. The error says, for people, why there is none, or which of several cannot be had.
func Devices(c Config) ([]device.Device, error) {
	if err := driver.Open(); err != nil {
		return nil, err
	}
	count, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("counting GPUs: %w", err)
	}
	if count == 0 {
		return nil, errors.New("the driver finds no GPU")
	}
	lib, err := nvrtc.OpenFor(cu.Version() / 1000)
	if err != nil {
		return nil, err
	}
	kept, err := lib.In(c.Cache)
	if err != nil {
		return nil, err
	}
	extra, err := openExtra()
	if err != nil {
		return nil, err
	}
	found, problems := make([]*Device, count), make([]error, count)
	var opening sync.WaitGroup
	for i := range count { // a context takes a tenth of a second and more
		opening.Go(func() {
			if found[i], problems[i] = open(i, c, compiler{kept}, extra); problems[i] != nil {
				problems[i] = fmt.Errorf("GPU %d: %w", i, problems[i])
			}
		})
	}
	opening.Wait()
	var out []device.Device
	for _, d := range found {
		if d != nil {
			out = append(out, d)
		}
	}
	return out, errors.Join(problems...)
}

func open(ordinal int, c Config, compiler compiler, extra *extra) (*Device, error) {
	gpu, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, err
	}
	d := &Device{gpu: gpu, compiler: compiler, extra: extra, schedules: c.Schedules, ordinal: ordinal}
	if err := d.describe(ordinal, compiler.kept.Library); err != nil {
		return nil, err
	}
	d.describeSpeeds()
	unlock := lockThread()
	defer unlock()
	if active, err := d.start(); err != nil {
		if active {
			err = errors.Join(err, gpu.ReleasePrimaryCtx())
		}
		return nil, err
	}
	return d, nil
}

// start takes the context that a process has on the GPU, and makes in it what is needed of it; active: it was taken.
func (d *Device) start() (active bool, err error) {
	if err := d.gpu.SetPrimaryCtxFlags(cu.SchedBlockingSync); err != nil && !errors.Is(err, cu.PrimaryContextActive) {
		return false, fmt.Errorf("setting a context's flags: %w", err)
	}
	if d.context, err = d.gpu.RetainPrimaryCtx(); err != nil {
		return false, fmt.Errorf("making a context: %w", err)
	}
	if err := cu.SetCurrentContext(d.context); err != nil {
		return true, err
	}
	for _, e := range []**engine{&d.upload, &d.compute, &d.download, &d.look} {
		if *e, err = newEngine(); err != nil {
			return true, err
		}
	}
	if d.info.Limits.Memory, _, err = cu.MemInfo(); err != nil { // what the context and other programs leave
		return true, err
	}
	d.pool.most = int64(kept * float64(d.info.Limits.Memory))
	return true, nil
}

// Reopen takes a new context in place of one that answers nothing but errors. What was in that is no more: memory, code, and work that was not over. Nothing else uses the device meanwhile.
func (d *Device) Reopen() error {
	d.mu.Lock()
	lost := d.lost
	d.mu.Unlock()
	if lost == nil {
		return nil
	}
	unlock := lockThread()
	defer unlock()
	for _, e := range []*engine{d.upload, d.compute, d.download, d.look} {
		e.gone.Store(true)
	}
	d.contexts.Add(1)
	d.pool.forget()
	d.leaving.Lock()
	d.left = nil
	d.leaving.Unlock()
	d.loading.Lock()
	d.modules = nil
	d.loading.Unlock()
	d.gather.forget()
	d.largest.forget()
	_ = d.gpu.ReleasePrimaryCtx() // which may answer with what broke the context
	if err := d.gpu.ResetPrimaryCtx(); err != nil {
		return fmt.Errorf("resetting the context: %w", err)
	}
	memory := d.info.Limits.Memory
	if active, err := d.start(); err != nil {
		if active {
			err = errors.Join(err, d.gpu.ReleasePrimaryCtx())
		}
		return err
	}
	d.info.Limits.Memory = memory // as it was planned with
	d.mu.Lock()
	d.lost = nil
	d.mu.Unlock()
	return nil
}

// describe fills in what the device is.
func (d *Device) describe(ordinal int, lib *nvrtc.Library) error {
	name, err := d.gpu.Name()
	if err != nil {
		return err
	}
	memory, err := d.gpu.TotalMem()
	if err != nil {
		return err
	}
	l := device.Limits{Memory: memory}
	var major, minor, units int
	for _, a := range []struct {
		attribute cu.DeviceAttribute
		to        *int
	}{
		{cu.ComputeCapabilityMajor, &major}, {cu.ComputeCapabilityMinor, &minor}, {cu.MultiprocessorCount, &units},
		{cu.MaxGridDimX, &l.Grid[0]}, {cu.MaxGridDimY, &l.Grid[1]}, {cu.MaxGridDimZ, &l.Grid[2]},
		{cu.MaxBlockDimX, &l.Block[0]}, {cu.MaxBlockDimY, &l.Block[1]}, {cu.MaxBlockDimZ, &l.Block[2]},
		{cu.MaxThreadsPerBlock, &l.Threads}, {cu.MaxSharedMemoryPerBlock, &l.Shared},
	} {
		if *a.to, err = d.gpu.Attribute(a.attribute); err != nil {
			return fmt.Errorf("attribute %d: %w", a.attribute, err)
		}
	}
	d.capability = 10*major + minor
	d.target = lib.Best(d.capability)
	version := cu.Version()
	d.info = device.Info{
		Name: fmt.Sprintf("cuda:%d", ordinal),
		Kind: "cuda",
		Detail: fmt.Sprintf("%s; capability %d.%d, %d multiprocessors; driver for CUDA %d.%d; %s",
			name, major, minor, units, version/1000, version%1000/10, lib),
		Threads: slots,
		Limits:  l,
	}
	return nil
}
