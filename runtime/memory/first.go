package memory

import (
	"fmt"
	"slices"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// First is memory of a few rows of a buffer that stands for its first ones: kernels see the buffer as if all of it were there, and must keep to these rows.
type First struct {
	all   []byte // as if it were
	there []byte
	own   *device.HostMemory // nil: it belongs to another memory
}

// NewFirst gives a buffer memory for so many rows.
func NewFirst(buf *ir.Buffer, rows int) (*First, error) {
	if len(buf.Shape) == 0 || rows > buf.Shape[0] {
		return nil, fmt.Errorf("memory: %s has not %d rows", buf.Name, rows)
	}
	few := *buf
	few.Shape = slices.Clone(buf.Shape)
	few.Shape[0] = rows
	own, err := device.NewHostMemory(&few)
	if err != nil {
		return nil, err
	}
	return &First{all: unsafe.Slice(unsafe.SliceData(own.Host()), buf.Bytes()), there: own.Host(), own: own}, nil
}

// From has rows of a buffer's memory, from one on, stand for its first ones.
func From(buf *ir.Buffer, m device.Memory, row int) *First {
	host := m.Host()
	if few, ok := m.(device.Sliding); ok {
		host = few.There()
	}
	bytes := int(buf.Bytes()) / max(1, buf.Shape[0])
	there := host[row*bytes:]
	return &First{all: unsafe.Slice(unsafe.SliceData(there), buf.Bytes()), there: there}
}

// Host is the buffer as a whole, of which only the rows that are there may be touched.
func (f *First) Host() []byte { return f.all }

// There is what may be touched.
func (f *First) There() []byte { return f.there }

// Bytes is the memory that it takes.
func (f *First) Bytes() int64 {
	if f.own == nil {
		return 0
	}
	return int64(len(f.there))
}

// Free gives it up; later calls do nothing.
func (f *First) Free() {
	f.all, f.there = nil, nil
	if f.own != nil {
		f.own.Free()
		f.own = nil
	}
}
