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
