//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Gathering = (*memory)(nil)

// gatherName and gatherText are the kernel that packs pieces of memory: a block has one after the other, each as where it is, where it goes, and its bytes.
const (
	gatherName    = "weft_pack_pieces"
	gatherThreads = 128
	gatherText    = `
WEFT_KERNEL(128) weft_pack_pieces(const unsigned char *from, const long long *pieces, unsigned char *to, long long n) {
  for (long long i = blockIdx.x; i < n; i += gridDim.x)
    for (long long at = threadIdx.x; at < pieces[3 * i + 2]; at += 128) to[pieces[3 * i + 1] + at] = from[pieces[3 * i] + at];
}
`
	mostBlocks = 1 << 16
)

// gatherer is that kernel, compiled and loaded once.
type gatherer struct {
	mu       sync.Mutex
	loaded   bool
	function cu.Function
}

// gathering gives the kernel.
func (d *Device) gathering() (cu.Function, error) {
	d.gather.mu.Lock()
	defer d.gather.mu.Unlock()
	if d.gather.loaded {
		return d.gather.function, nil
	}
	image, err := d.compiler.source(gatherName, gatherText, d.target)
	if err == nil {
		err = d.with(func() error {
			module, err := d.module(image.Data)
			if err != nil {
				return err
			}
			d.gather.function, err = module.Function(gatherName)
			return err
		})
	}
	d.gather.loaded = err == nil
	return d.gather.function, err
}

// gathered are pieces on their way to the host.
type gathered struct {
	from            *memory
	scratch         []device.Memory
	list, packed, q device.Pending // the list of pieces up, the launch, and what it packs down
	once            sync.Once
	took            time.Duration
	err             error
}

// EnqueueGather packs pieces by a launch on a stream of its own, behind what uses the memory, and copies them behind that.
func (m *memory) EnqueueGather(ctx context.Context, dst []byte, pieces []device.Span) (device.Pending, error) {
	m.mu.RLock()
	g := &gathered{from: m}
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
	m, err := g.from.dev.AllocBlank(&ir.Buffer{Name: "what is looked at", Type: ir.U8, Shape: []int{n}})
	if err != nil {
		return nil, err
	}
	g.scratch = append(g.scratch, m)
	return m.(*memory), nil
}

func (g *gathered) begin(ctx context.Context, dst []byte, pieces []device.Span) error {
	d := g.from.dev
	function, err := d.gathering()
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
	g.list = up
	values := [4]uint64{uint64(g.from.first), uint64(list.first), uint64(to.first), uint64(len(pieces))}
	params := make([]unsafe.Pointer, len(values))
	for i := range values {
		params[i] = unsafe.Pointer(&values[i])
	}
	q, err := d.begin(ctx, d.look, []*piece{g.from.last.Load(), up.(*transfer).of, to.last.Load()}, func(s cu.Stream) error {
		return function.Launch(min(len(pieces), mostBlocks), 1, 1, gatherThreads, 1, 1, 0, s, params)
	})
	if err != nil {
		return err
	}
	g.q = q
	to.last.Store(q)
	g.packed, err = to.EnqueueOut(ctx, dst, device.Lines{Width: len(dst), Count: 1})
	return err
}

// Wait returns when the pieces are there, and gives up what that took.
func (g *gathered) Wait() (time.Duration, error) {
	g.once.Do(func() {
		for _, p := range []device.Pending{g.packed, g.q, g.list} { // those before are over then
			if p == nil {
				continue
			}
			took, err := p.Wait()
			if g.took += took; g.err == nil {
				g.err = err
			}
		}
		for _, m := range g.scratch {
			m.Free()
		}
		g.from.mu.RUnlock()
	})
	return g.took, g.err
}
