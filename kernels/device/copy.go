package device

import (
	"context"
	"fmt"
)

// Remote is memory that the host cannot address. CopyIn writes src to it from a byte offset on, CopyOut reads from there
// to fill dst. Both return when the copy is done; several, and launches, may run at the same time over parts that do not
// overlap, and do so on a device with engines for each. A context that ends before a copy starts prevents it.
type Remote interface {
	Memory
	CopyIn(ctx context.Context, offset int64, src []byte) error
	CopyOut(ctx context.Context, dst []byte, offset int64) error
}

// Lines are pieces of memory a pitch apart: Count of Width bytes each, the first from byte Offset on.
type Lines struct {
	Offset, Pitch int64
	Width, Count  int
}

// Span is from the first byte to the last.
func (l Lines) Span() Span {
	if l.Count == 0 {
		return Span{From: l.Offset, To: l.Offset}
	}
	return Span{From: l.Offset, To: l.Offset + int64(l.Count-1)*l.Pitch + int64(l.Width)}
}

// Bytes are those of all lines, without what lies between them.
func (l Lines) Bytes() int { return l.Width * l.Count }

// Each calls f with where each line lies in the memory that Offset counts from, and among the lines alone.
func (l Lines) Each(f func(at int64, packed int)) {
	for i := range l.Count {
		f(l.Offset+int64(i)*l.Pitch, i*l.Width)
	}
}

// Pitched is remote memory that copies lines in one go; src and dst hold them one after the other. What lies between lines stays as it is. Else as Remote.
type Pitched interface {
	Remote
	CopyLinesIn(ctx context.Context, to Lines, src []byte) error
	CopyLinesOut(ctx context.Context, dst []byte, from Lines) error
}

// CheckLines reports lines that overlap or are not as long as their bytes.
func CheckLines(l Lines, n int) error {
	if l.Count < 0 || l.Width < 0 || l.Count > 1 && l.Pitch < int64(l.Width) || l.Bytes() != n {
		return fmt.Errorf("%d lines of %d bytes, %d apart, are not %d bytes", l.Count, l.Width, l.Pitch, n)
	}
	return nil
}

// Write copies src to any memory from a byte offset on.
func Write(ctx context.Context, m Memory, offset int64, src []byte) error {
	if r, ok := m.(Remote); ok {
		return r.CopyIn(ctx, offset, src)
	}
	part, err := hostPart(ctx, m, offset, len(src))
	copy(part, src)
	return err
}

// Read fills dst from any memory, from a byte offset on.
func Read(ctx context.Context, m Memory, dst []byte, offset int64) error {
	if r, ok := m.(Remote); ok {
		return r.CopyOut(ctx, dst, offset)
	}
	part, err := hostPart(ctx, m, offset, len(dst))
	copy(dst, part)
	return err
}

func hostPart(ctx context.Context, m Memory, offset int64, n int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data := m.Host()
	if err := CheckRange(int64(len(data)), offset, n); err != nil {
		return nil, err
	}
	return data[offset : offset+int64(n)], nil
}

// CheckRange reports a copy of n bytes at an offset that does not lie within memory of size bytes.
func CheckRange(size, offset int64, n int) error {
	if offset < 0 || offset > size || int64(n) > size-offset {
		return fmt.Errorf("a copy of %d bytes from byte %d on is not within the %d bytes of memory", n, offset, size)
	}
	return nil
}
