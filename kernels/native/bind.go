package native

import (
	"fmt"
	"slices"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// memories returns the memory of each of the variant's buffers, all there, large enough, and apart from what is written.
func memories(v *variant, b device.Bindings) ([]device.Memory, error) {
	mem := make([]device.Memory, len(v.out.Bufs))
	for i, buf := range v.out.Bufs {
		m, ok := b.Mem[buf]
		if !ok || m == nil {
			return nil, fmt.Errorf("native: kernel %s: no memory for its buffer %s", v.kernel.Name, buf.Name)
		}
		host := m.Host()
		if host == nil {
			return nil, fmt.Errorf("native: kernel %s: the memory of buffer %s is not on the host, or freed", v.kernel.Name, buf.Name)
		}
		if int64(len(host)) < buf.Bytes() {
			return nil, fmt.Errorf("native: kernel %s: buffer %s %v of %s takes %d bytes, its memory has %d",
				v.kernel.Name, buf.Name, buf.Shape, buf.Type, buf.Bytes(), len(host))
		}
		if address(host)%uintptr(buf.Type.Size()) != 0 {
			return nil, fmt.Errorf("native: kernel %s: the memory of buffer %s is not aligned to its type %s", v.kernel.Name, buf.Name, buf.Type)
		}
		mem[i] = m
	}
	return mem, apart(v.kernel, v.out.Bufs, mem)
}

func address[T any](b []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// apart reports an output that shares memory with another buffer: generated code takes buffers not to overlap.
func apart(k *ir.Kernel, bufs []*ir.Buffer, mem []device.Memory) error {
	type extent struct {
		buf    *ir.Buffer
		lo, hi uintptr
	}
	all := make([]extent, len(bufs))
	for i, b := range bufs {
		there := mem[i].Host()[:b.Bytes()]
		if m, ok := mem[i].(device.Sliding); ok {
			there = m.There()
		}
		lo := address(there)
		all[i] = extent{b, lo, lo + uintptr(len(there))}
	}
	outputs := k.Outputs()
	for _, x := range all {
		if !slices.Contains(outputs, x.buf) {
			continue
		}
		for _, y := range all {
			if x.buf != y.buf && x.lo < y.hi && y.lo < x.hi {
				return fmt.Errorf("native: kernel %s writes buffer %s in memory that buffer %s uses too; give them memory of their own",
					k.Name, x.buf.Name, y.buf.Name)
			}
		}
	}
	return nil
}
