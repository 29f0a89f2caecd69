//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Gathering = (*memory)(nil)

// gatherKernel packs pieces of memory: a block has one after the other, each as where it is, where it goes, and its bytes.
var gatherKernel = own{"weft_pack_pieces", `
WEFT_KERNEL(128) weft_pack_pieces(const unsigned char *from, const long long *pieces, unsigned char *to, long long n) {
  for (long long i = blockIdx.x; i < n; i += gridDim.x)
    for (long long at = threadIdx.x; at < pieces[3 * i + 2]; at += 128) to[pieces[3 * i + 1] + at] = from[pieces[3 * i] + at];
}
`}

const (
	gatherThreads = 128
	mostBlocks    = 1 << 16
)

// own is a kernel that the device has for itself, of no pipeline.
type own struct{ name, text string }

// owned is such a kernel, compiled and loaded once.
type owned struct {
	mu       sync.Mutex
	loaded   bool
	function cu.Function
}

// own gives a kernel's function, which is kept in o.
func (d *Device) own(o *owned, k own) (cu.Function, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.loaded {
		return o.function, nil
	}
	image, err := d.compiler.source(k.name, k.text, d.target)
	if err == nil {
		err = d.with(func() error {
			module, err := d.module(image.Data)
			if err != nil {
				return err
			}
			o.function, err = module.Function(k.name)
			return err
		})
	}
	o.loaded = err == nil
	return o.function, err
}

// forget has the kernel loaded again when it is needed.
func (o *owned) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.loaded = false
}

// gathered is what a kernel of the device's own makes of some memory, on its way to the host.
type gathered struct {
	from    []*memory
	scratch []device.Memory
	steps   []device.Pending // what goes up, the launch, and what it makes down
	once    sync.Once
	took    time.Duration
	err     error
}

// EnqueueGather packs pieces by a launch on a stream of its own, behind what uses the memory, and copies them behind that.
func (m *memory) EnqueueGather(ctx context.Context, dst []byte, pieces []device.Span) (device.Pending, error) {
	m.mu.RLock()
	g := &gathered{from: []*memory{m}}
	err := device.CheckPieces(pieces, len(dst))
	if !m.there() {
		err = errors.New("it has been freed")
	}
	for _, p := range pieces {
		if err == nil {
			err = m.holds(p.From, int(p.To-p.From))
		}
	}
	if err == nil && len(dst) > 0 {
		err = g.begin(ctx, dst, pieces)
	}
	if err != nil {
		_, _ = g.Wait() // of what was begun nothing is wanted
		return nil, fmt.Errorf("%s: gathering from buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	return g, nil
}

// scratchFor is memory for a moment.
func (g *gathered) scratchFor(n int) (*memory, error) {
	m, err := g.from[0].dev.AllocBlank(&ir.Buffer{Name: "what is looked at", Type: ir.U8, Shape: []int{n}})
	if err != nil {
		return nil, err
	}
	g.scratch = append(g.scratch, m)
	return m.(*memory), nil
}

func (g *gathered) begin(ctx context.Context, dst []byte, pieces []device.Span) error {
	d := g.from[0].dev
	function, err := d.own(&d.gather, gatherKernel)
	if err != nil {
		return err
	}
	entries, packed := make([]int64, 0, 3*len(pieces)), int64(0)
	for _, p := range pieces {
		entries = append(entries, p.From, packed, p.To-p.From)
		packed += p.To - p.From
	}
	host := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(entries))), 8*len(entries))
	list, err := g.scratchFor(len(host))
	if err != nil {
		return err
	}
	to, err := g.scratchFor(len(dst))
	if err != nil {
		return err
	}
	up, err := list.enqueue(ctx, d.upload, device.Lines{Width: len(host), Count: 1}, host, func(at cu.DevicePtr, from unsafe.Pointer, s cu.Stream) error {
		return cu.MemcpyHtoDAsync(at, from, int64(len(host)), s)
	}, nil) // which is no array's
	if err != nil {
		return err
	}
	g.steps = append(g.steps, up)
	return g.launch(ctx, function, min(len(pieces), mostBlocks), gatherThreads, []uint64{uint64(g.from[0].first), uint64(list.first), uint64(to.first), uint64(len(pieces))}, to, dst, up.(*transfer).of)
}

// launch runs a kernel on a stream of its own, behind what uses the memory and one more piece, and copies what it makes behind that.
func (g *gathered) launch(ctx context.Context, function cu.Function, blocks, threads int, values []uint64, to *memory, dst []byte, also *piece) error {
	d := g.from[0].dev
	params := make([]unsafe.Pointer, len(values))
	for i := range values {
		params[i] = unsafe.Pointer(&values[i])
	}
	after := []*piece{also, to.last.Load()}
	for _, m := range g.from {
		after = append(after, m.last.Load())
	}
	q, err := d.begin(ctx, d.look, after, func(s cu.Stream) error {
		return function.Launch(blocks, 1, 1, threads, 1, 1, 0, s, params)
	})
	if err != nil {
		return err
	}
	g.steps = append(g.steps, q)
	to.last.Store(q)
	down, err := to.EnqueueOut(ctx, dst, device.Lines{Width: len(dst), Count: 1})
	if err == nil {
		g.steps = append(g.steps, down)
	}
	return err
}

// Wait returns when all is there, and gives up what that took.
func (g *gathered) Wait() (time.Duration, error) {
	g.once.Do(func() {
		for _, p := range slices.Backward(g.steps) { // those before are over then
			took, err := p.Wait()
			if g.took += took; g.err == nil {
				g.err = err
			}
		}
		for _, m := range g.scratch {
			m.Free()
		}
		for _, m := range g.from {
			m.mu.RUnlock()
		}
	})
	return g.took, g.err
}
