package profile

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"weft/kernels/clock"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// repeats of every measurement at most; the least time counts, since every disturbance only adds. Two that agree to a hundredth
// were not disturbed.
const (
	repeats = 5
	agree   = 1.01
)

// busyFrom is the ratio of time on the wall to processor time from which the machine counts as busy.
const busyFrom = 1.2

// Measure runs the benchmarks on a device; folder is where the disk is measured. It takes about half a second on an idle
// machine.
func Measure(ctx context.Context, dev device.Device, lanes int, folder string) (*Profile, error) {
	start := time.Now()
	p := &Profile{
		Schema: Schema, Fingerprint: FingerprintOf(dev.Info()), Created: start.UTC().Truncate(time.Second),
		Threads: runtime.GOMAXPROCS(0), Lanes: max(1, lanes), Ops: map[Class]float64{},
	}
	m := &meter{ctx: ctx, dev: dev, profile: p}
	defer m.free()
	var disk sync.WaitGroup
	defer disk.Wait()
	disk.Go(func() { p.DiskRead, p.DiskWrite = measureDisk(folder) }) // while the compiler computes
	for _, part := range []func() error{m.compile, func() error { disk.Wait(); return nil }, m.operations, m.memory, m.overheads} {
		if err := part(); err != nil {
			return nil, fmt.Errorf("measuring %s: %w", dev.Info().Name, err)
		}
	}
	if m.cpu > 0 {
		p.Noise = max(1, m.wall.Seconds()/m.cpu.Seconds())
	}
	p.Provisional = p.Noise > busyFrom
	p.Took = time.Since(start).Seconds()
	return p, nil
}

// meter is a measurement under way.
type meter struct {
	ctx       context.Context
	dev       device.Device
	profile   *Profile
	reach     int // of indices
	programs  []device.Program
	memories  []device.Memory
	wall, cpu time.Duration // of single-threaded measurements together
}

func (m *meter) free() {
	for _, mem := range m.memories {
		mem.Free()
	}
	m.memories = nil
}

// program is a compiled benchmark by the name of its kernel.
func (m *meter) program(name string) device.Program {
	return m.programs[slices.IndexFunc(m.programs, func(p device.Program) bool { return p.Kernel().Name == "profile."+name })]
}

// compile makes all kernels ready, and takes the time of a kernel that was in no cache.
func (m *meter) compile() error {
	n := streamLength()
	kernels := []*ir.Kernel{fillKernel(n), copyKernel(n), triadKernel(n)}
	for _, b := range benchmarks {
		if b.term != nil {
			kernels = append(kernels, b.kernel(m.profile.Lanes))
		}
	}
	start := time.Now()
	var err error
	if m.programs, err = m.dev.Compile(m.ctx, kernels, device.Options{}); err != nil {
		return err
	}
	made := 0
	for _, p := range m.programs {
		if !p.Report().Cached {
			made++
		}
	}
	if made == len(kernels) {
		m.profile.Compile = time.Since(start).Seconds() / float64(made)
		return nil
	}
	unique := stream(fmt.Sprintf("compile%d", start.UnixNano()), 16, 0, func(b *ir.Builder, _ []*ir.Node) *ir.Node {
		return b.F32(float64(start.UnixNano() & 0xffffff))
	})
	start = time.Now()
	_, err = m.dev.Compile(m.ctx, []*ir.Kernel{unique}, device.Options{})
	m.profile.Compile = time.Since(start).Seconds()
	return err
}

// alloc allocates memory that lives as long as the meter.
func (m *meter) alloc(buf *ir.Buffer) (device.Memory, error) {
	a, err := m.dev.Alloc(buf)
	if err == nil {
		m.memories = append(m.memories, a)
	}
	return a, err
}

// bind gives a program's buffers the memories there are, outputs first, and memory of their own beyond these.
func (m *meter) bind(p device.Program, use ...device.Memory) (launch func(region.Region) error, err error) {
	mem := map[*ir.Buffer]device.Memory{}
	k := p.Kernel()
	for i, buf := range slices.Concat(k.Outputs(), k.Inputs()) {
		if i < len(use) {
			mem[buf] = use[i]
			continue
		}
		if mem[buf], err = m.alloc(buf); err != nil {
			return nil, err
		}
	}
	return p.Bind(device.Bindings{Mem: mem, Args: map[string]device.Scalar{mask: {I: int64(m.reach - 1)}}})
}

// least is the least processor time of a single-threaded piece of work.
func (m *meter) least(times int, f func() error) (float64, error) {
	best := time.Duration(math.MaxInt64)
	for range times {
		if err := m.ctx.Err(); err != nil {
			return 0, err
		}
		wall, cpu, err := clock.Stopwatch(f)
		if err != nil {
			return 0, err
		}
		m.wall += wall
		m.cpu += cpu
		undisturbed := float64(max(best, cpu)) < agree*float64(min(best, cpu))
		if best = min(best, cpu); undisturbed {
			break
		}
	}
	return best.Seconds(), nil
}

// leastCost keeps a figure above zero where a class vanishes in the noise of what is subtracted.
const leastCost = 0.002 // nanoseconds

// operations times the kernel of every class.
func (m *meter) operations() error {
	times := map[Class]float64{}
	var cold []float64
	var program device.Program
	for _, b := range benchmarks {
		if b.term != nil {
			program = m.program(string(b.class))
		}
		m.reach = cmp.Or(b.reach, near)
		launch, err := m.bind(program)
		if err != nil {
			return err
		}
		whole := program.Kernel().Domain()
		first, err := m.least(1, func() error { return launch(whole) }) // brings code and tables into the caches
		if err != nil {
			return err
		}
		if times[b.class], err = m.least(repeats, func() error { return launch(whole) }); err != nil {
			return err
		}
		cold = append(cold, max(0, first-times[b.class]))
		if b.ops > 0 {
			ns := 1e9 * (times[b.class] - times[b.less]) / (b.ops * terms)
			m.profile.Ops[b.class] = max(leastCost, ns)
		}
	}
	derive(m.profile.Ops)
	slices.Sort(cold)
	m.profile.First = cold[len(cold)/2]
	return nil
}
