package memory

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Sliding is memory for a few rows of a buffer. It stands for any of them: kernels see the buffer as if all of it were there, and must keep to the rows
// that it is moved to.
type Sliding struct {
	buf   *ir.Buffer
	there []byte
	row   int // bytes
	at    region.Interval
	of    *shared
}

// shared is memory that several have parts of; it goes with the last of them.
type shared struct {
	memory *device.HostMemory
	users  atomic.Int32
}

// Slide gives buffers of more than one dim memory for so many rows of each, of the first ones at the beginning. All lie in one piece, which has huge pages
// where they would have none by themselves.
func Slide(bufs []*ir.Buffer, rows int) ([]*Sliding, error) {
	const line = 64
	out, bytes := make([]*Sliding, len(bufs)), 0
	from := make([]int, len(bufs))
	for i, b := range bufs {
		if len(b.Shape) < 2 || b.Shape[0] == 0 {
			return nil, fmt.Errorf("memory: %s has no rows", b.Name)
		}
		row := int(b.Bytes()) / b.Shape[0]
		from[i] = (bytes + device.MarginBytes(b) + line - 1) / line * line
		out[i] = &Sliding{buf: b, row: row, at: region.Interval{Hi: min(rows, b.Shape[0])}}
		bytes = from[i] + row*out[i].at.Len() + device.MarginBytes(b)
	}
	all, err := device.NewHostMemory(&ir.Buffer{Name: "rows", Type: ir.I8, Shape: []int{bytes}})
	if err != nil {
		return nil, err
	}
	of := &shared{memory: all}
	of.users.Store(int32(len(out)))
	for i, s := range out {
		end := from[i] + s.row*s.at.Len()
		s.of, s.there = of, all.Host()[from[i]:end:end]
		part := *s.buf
		part.Shape = slices.Clone(part.Shape)
		part.Shape[0] = s.at.Len()
		whole := make(region.Region, len(part.Shape))
		for d, n := range part.Shape {
			whole[d].Hi = n
		}
		ops.FillPadding(&part, whole, s.there)
	}
	return out, nil
}

// Move makes it stand for other rows, whose elements may be anything. There may be no more than it has memory for.
func (s *Sliding) Move(rows region.Interval) error {
	if rows.Len()*s.row > len(s.there) || rows.Lo < 0 || rows.Hi > s.buf.Shape[0] {
		return fmt.Errorf("memory: rows %d to %d of %s, with room for %d", rows.Lo, rows.Hi, s.buf.Name, len(s.there)/max(1, s.row))
	}
	s.at = rows
	return nil
}

// Host is the buffer as a whole, of which only the rows that it stands for may be touched.
func (s *Sliding) Host() []byte {
	if s.there == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.there)), -s.at.Lo*s.row)), s.buf.Bytes())
}

// There is what may be touched.
func (s *Sliding) There() []byte { return s.there }

// Bytes is the memory that it takes.
func (s *Sliding) Bytes() int64 { return int64(len(s.there)) }

// Free gives it up; later calls do nothing.
func (s *Sliding) Free() {
	if s.there == nil {
		return
	}
	if s.there = nil; s.of.users.Add(-1) == 0 {
		s.of.memory.Free()
	}
}
