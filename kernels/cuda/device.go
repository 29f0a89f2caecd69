//go:build cuda

package cuda

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// Device is an NVIDIA GPU.
type Device struct {
	gpu       cu.Device
	context   cu.CUContext
	info      device.Info
	compiler  builder
	target    nvrtc.Target
	extra     *extra
	schedules func(*ir.Kernel) []schedule.CUDA
	ordinal   int
	pool      pool

	upload, compute, download, look *engine // look packs what is copied in pieces

	gather, largest owned // kernels of its own

	contexts atomic.Int64 // that it had before this one

	capability int
	speeds     speeds
	measure    sync.Once
	rates      device.Rates

	mu    sync.Mutex
	usage device.Usage
	lost  error

	leaving sync.Mutex
	left    []*piece // that nobody waits for

	reaching sync.Mutex
	peers    map[peering]bool // that it can copy from

	loading sync.Mutex
	modules map[[sha256.Size]byte]cu.Module // what was loaded, by image
}

var (
	_ device.Device  = (*Device)(nil)
	_ device.Metered = (*Device)(nil)
	_ device.Pinner  = (*Device)(nil)
	_ device.Blank   = (*Device)(nil)
)

// lockThread keeps the goroutine on its thread, to which the driver ties the current context.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// with runs calls of the driver in the device's context.
func (d *Device) with(calls func() error) error {
	d.mu.Lock()
	lost := d.lost
	d.mu.Unlock()
	if lost != nil {
		return lost
	}
	unlock := lockThread()
	defer unlock()
	if err := cu.SetCurrentContext(d.context); err != nil {
		return d.judge(err)
	}
	return d.judge(calls())
}

// outOfMemory and fatalCodes are what functions that cu does not bind answer in the same cases.
const outOfMemory = 2

var fatalCodes = []int32{4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999}

// fatal are errors after which a context answers nothing but them.
var fatal = []error{
	cu.IllegalAddress, cu.IllegalInstruction, cu.MisalignedAddress, cu.InvalidAddressSpace, cu.InvalidPc, cu.LaunchFailed,
	cu.LaunchTimeout, cu.HardwareStackError, cu.EccUncorrectable, cu.Deinitialized, cu.Unknown,
	cu.NvlinkUncorrectable, cu.ContextIsDestroyed, cu.Assert,
}

// judge marks errors that callers react to.
func (d *Device) judge(err error) error {
	var other *driverError
	coded := errors.As(err, &other)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cu.OutOfMemory), coded && other.code == outOfMemory:
		return fmt.Errorf("%w: %w", device.ErrMemory, err)
	case slices.ContainsFunc(fatal, func(f error) bool { return errors.Is(err, f) }), coded && slices.Contains(fatalCodes, other.code):
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.lost == nil {
			d.lost = fmt.Errorf("%w: %w", device.ErrLost, err)
		}
		return d.lost
	}
	return err
}

// Info describes the GPU, its driver and the compiler.
func (d *Device) Info() device.Info { return d.info }

// Usage is what the device has done; times are measured by its own events.
func (d *Device) Usage() device.Usage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.usage
}

func (d *Device) account(f func(u *device.Usage)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.usage)
}

// Compile renders the kernels, compiles those that are not in the cache, and loads them.
func (d *Device) Compile(ctx context.Context, kernels []*ir.Kernel, _ device.Options) ([]device.Program, error) {
	codes := make([]*launch.Code, len(kernels))
	for i, k := range kernels {
		code, err := launch.For(d.info, k, d.schedules)
		if err != nil {
			return nil, err
		}
		codes[i] = code
	}
	images, err := d.compiler.build(ctx, codes, d.target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	out := make([]device.Program, len(kernels))
	for i, code := range codes {
		p := &program{Program: launch.Program{Code: code, Owner: d, Cached: images[i].Cached}, dev: d}
		p.Run, p.Queue = p.launch, p.enqueue
		err := d.with(func() error {
			module, err := d.module(images[i].Data)
			if err != nil {
				return err
			}
			if p.function, err = module.Function(code.Out.Name); err != nil {
				return err
			}
			p.Resources, err = resources(p.function, d.target)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: loading kernel %s: %w", d.info.Name, code.Kernel.Name, err)
		}
		out[i] = p
	}
	return out, nil
}

// module loads an image, once: a session compiles the same kernels for each of its runs.
func (d *Device) module(image []byte) (cu.Module, error) {
	d.loading.Lock()
	defer d.loading.Unlock()
	key := sha256.Sum256(image)
	if m, ok := d.modules[key]; ok {
		return m, nil
	}
	m, err := cu.LoadData(string(image))
	if err == nil {
		if d.modules == nil {
			d.modules = map[[sha256.Size]byte]cu.Module{}
		}
		d.modules[key] = m
	}
	return m, err
}

// program is a loaded kernel.
type program struct {
	launch.Program
	dev      *Device
	function cu.Function
}

// launch runs a grid and waits for it.
func (p *program) launch(bound *launch.Bound, l launch.Launch, _ region.Region) error {
	q, err := p.begin(bound, l)
	if err == nil {
		_, err = q.Wait()
	}
	return err
}

// enqueue is launch that does not wait: what else uses the memory does, on the device.
func (p *program) enqueue(bound *launch.Bound, l launch.Launch, _ region.Region) (device.Pending, error) {
	q, err := p.begin(bound, l)
	if err != nil {
		return nil, err
	}
	for _, m := range bound.Memories() {
		m.(*memory).last.Store(q)
	}
	return q, nil
}

// begin puts a launch behind what its memory waits for.
func (p *program) begin(bound *launch.Bound, l launch.Launch) (*piece, error) {
	var after []*piece
	for _, m := range bound.Memories() {
		after = append(after, m.(*memory).last.Load())
	}
	q, err := p.dev.begin(context.Background(), p.dev.compute, after, func(s cu.Stream) error { return p.put(l, s) })
	if err == nil {
		q.done = func(u *device.Usage, took time.Duration) { u.Launches++; u.Compute += took }
	}
	return q, err
}

// put puts a launch on a stream.
func (p *program) put(l launch.Launch, s cu.Stream) error {
	params := make([]unsafe.Pointer, len(l.Params))
	for i := range l.Params {
		params[i] = unsafe.Pointer(&l.Params[i])
	}
	return p.function.Launch(l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2], 0, s, params)
}
