package launch

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"weft/kernels/codegen/cuda"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Memory is memory that launches can be given: Address is that of its buffer's first byte in the device's address space, There which of its bytes
// are there, and owner identifies the device.
type Memory interface {
	device.Memory
	Address() (address uint64, bytes int64)
	There() device.Span
	Owner() any
}

// Bound is code with its buffers and scalars, ready for any number of launches at the same time.
type Bound struct {
	code  *Code
	fixed []uint64 // parameters but for the tile's bounds, 8 bytes each
	mem   []Memory
	last  atomic.Pointer[tiled] // which comes again where a loop makes the same each turn
}

// tiled is the launch for a tile, which has points.
type tiled struct {
	tile region.Region
	Launch
}

// Bind checks that every buffer and scalar is there, that memory belongs to the device owner, and that what is written
// overlaps nothing else.
func (c *Code) Bind(owner any, b device.Bindings) (*Bound, error) {
	k := c.Kernel
	out := &Bound{code: c}
	for _, buf := range c.Out.Bufs {
		m, ok := b.Mem[buf]
		if !ok || m == nil {
			return nil, fmt.Errorf("kernel %s: no memory for its buffer %s", k.Name, buf.Name)
		}
		own, ok := m.(Memory)
		if !ok || own.Owner() != owner {
			return nil, fmt.Errorf("kernel %s: the memory of buffer %s is not on this device", k.Name, buf.Name)
		}
		address, size := own.Address()
		if size < buf.Bytes() {
			return nil, fmt.Errorf("kernel %s: buffer %s %v of %s takes %d bytes, its memory has %d (freed?)",
				k.Name, buf.Name, buf.Shape, buf.Type, buf.Bytes(), size)
		}
		out.mem = append(out.mem, own)
		out.fixed = append(out.fixed, address+uint64(buf.Pad.Before*buf.Type.Size()))
	}
	if err := out.apart(); err != nil {
		return nil, err
	}
	for i, m := range out.mem {
		if address, _ := m.Address(); address%cuda.Aligned != 0 {
			return nil, fmt.Errorf("kernel %s: the memory of buffer %s begins at %#x, which is no multiple of %d", k.Name, c.Out.Bufs[i].Name, address, cuda.Aligned)
		}
	}
	for _, a := range c.Out.Args {
		s, ok := device.ScalarOf(b.Args, a)
		switch {
		case !ok:
			return nil, fmt.Errorf("kernel %s: no value for its argument %s", k.Name, a.Name)
		case a.Type.Float():
			out.fixed = append(out.fixed, math.Float64bits(s.F))
		default:
			out.fixed = append(out.fixed, uint64(s.I))
		}
	}
	return out, nil
}

// apart reports an output that shares memory with another buffer: generated code takes buffers not to overlap.
func (b *Bound) apart() error {
	outputs := b.code.Kernel.Outputs()
	for i, x := range b.code.Out.Bufs {
		if !slices.Contains(outputs, x) {
			continue
		}
		lo, hi := ends(b.mem[i])
		for j, y := range b.code.Out.Bufs {
			if from, to := ends(b.mem[j]); i != j && lo < to && from < hi {
				return fmt.Errorf("kernel %s writes buffer %s in memory that buffer %s uses too; give them memory of their own",
					b.code.Kernel.Name, x.Name, y.Name)
			}
		}
	}
	return nil
}

// ends are the addresses between which memory is there.
func ends(m Memory) (lo, hi uint64) {
	address, _ := m.Address()
	there := m.There()
	return address + uint64(there.From), address + uint64(there.To)
}

// Launch is one launch: a grid of blocks and the parameters in order, 8 bytes each, which nobody changes.
type Launch struct {
	Grid, Block [3]int
	Params      []uint64
}

// At is the launch for a tile; ok is false for a tile without points. It checks that the tile lies within the kernel's
// axes and that no memory was freed.
func (b *Bound) At(t region.Region) (l Launch, ok bool, err error) {
	k := b.code.Kernel
	for i, m := range b.mem {
		if _, size := m.Address(); size < b.code.Out.Bufs[i].Bytes() {
			return l, false, fmt.Errorf("kernel %s: buffer %s has been freed", k.Name, b.code.Out.Bufs[i].Name)
		}
	}
	if was := b.last.Load(); was != nil && was.tile.Equal(t) {
		return was.Launch, true, nil
	}
	if len(t) != len(k.Axes) {
		return l, false, fmt.Errorf("kernel %s has %d axes, the tile %d", k.Name, len(k.Axes), len(t))
	}
	lo, hi := make([]int, len(t)), make([]int, len(t))
	for i, r := range t {
		if a := k.Axes[i]; r.Lo < 0 || r.Hi < r.Lo || r.Hi > a.Extent {
			return l, false, fmt.Errorf("kernel %s: tile %d..%d is outside axis %s of %d points", k.Name, r.Lo, r.Hi, a.Name, a.Extent)
		}
		lo[i], hi[i] = r.Lo, r.Hi
	}
	grid, ok := b.code.Out.Grid(lo, hi, b.code.Limits.Grid)
	if !ok {
		return l, false, nil
	}
	params := slices.Clone(b.fixed)
	for i := range t {
		params = append(params, uint64(lo[i]), uint64(hi[i]))
	}
	l = Launch{grid, b.code.Out.Block, params}
	b.last.Store(&tiled{slices.Clone(t), l})
	return l, true, nil
}

// Memories are those of all its buffers.
func (b *Bound) Memories() []Memory { return b.mem }

// Written are the memories of the buffers that the kernel writes.
func (b *Bound) Written() (bufs []*ir.Buffer, mem []Memory) {
	outputs := b.code.Kernel.Outputs()
	for i, buf := range b.code.Out.Bufs {
		if slices.Contains(outputs, buf) {
			bufs, mem = append(bufs, buf), append(mem, b.mem[i])
		}
	}
	return bufs, mem
}
