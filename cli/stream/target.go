package stream

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/npy"
)

// target takes an array of each frame.
type target interface {
	take(ctx context.Context, h ops.HostArray) error
	// close keeps what was taken, if anything was.
	close() error
}

// openTarget opens a target for arrays of a type.
func openTarget(ctx context.Context, way string, out io.Writer, t ops.Type, said func(string)) (target, error) {
	if _, known := format.DTypeOf(t.Elem); !known {
		t.Elem.Base = ops.F32.Base // as wide as bf16 and more exact
	}
	dtype, _ := format.DTypeOf(t.Elem)
	order := format.Order{Path: way, Elem: t.Elem, DType: dtype, Unit: t.Unit}
	if way == standard {
		return &messages{order: order, to: bufio.NewWriter(out)}, nil
	}
	if c, ok, err := connect(ctx, way, said); ok {
		if err != nil {
			return nil, err
		}
		return &messages{order: order, to: bufio.NewWriter(c), closes: c}, nil
	}
	g, err := npy.CreateGrowing(way, dtype, t.Shape())
	if err != nil {
		return nil, err
	}
	return &growing{g, order}, nil
}

// messages writes arrays one behind another, each with a header.
type messages struct {
	order  format.Order
	to     *bufio.Writer
	closes io.Closer
}

func (m *messages) take(ctx context.Context, h ops.HostArray) error {
	header, err := npy.FrameHeader(m.order.DType, h.Type.Shape())
	if err == nil {
		_, err = m.to.Write(header)
	}
	m.order.Type = h.Type
	if err == nil {
		err = format.Encode(ctx, m.to, m.order, h)
	}
	if err == nil {
		err = m.to.Flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.order.Path, err)
	}
	return nil
}

func (m *messages) close() error {
	if m.closes == nil {
		return nil
	}
	return m.closes.Close()
}

// growing writes arrays to a file, along a first dimension.
type growing struct {
	*npy.Growing
	order format.Order
}

func (g *growing) take(ctx context.Context, h ops.HostArray) error {
	g.order.Type = h.Type
	if err := format.Encode(ctx, g, g.order, h); err != nil {
		return err
	}
	g.Grown()
	return nil
}

func (g *growing) close() error {
	if g.Len() == 0 {
		return g.Abort()
	}
	return g.Commit(false)
}
