package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/npy"
)

// source gives frames of one array.
type source interface {
	// next fills an array with the next frame, whose numbers are in the array's unit; io.EOF: there is none.
	next(h ops.HostArray) error
	Close() error
}

// Ways to a source or a target that is no file.
const (
	standard = "-"         // standard input or output
	dials    = "tcp://"    // a program that listens
	listens  = "listen://" // a program that calls
)

func connects(way string) bool {
	return strings.HasPrefix(way, dials) || strings.HasPrefix(way, listens)
}

// connect opens a connection by its way; ok is false where the way is that of no connection. Without a host, what listens does so on this machine alone.
func connect(ctx context.Context, way string, said func(string)) (c net.Conn, ok bool, err error) {
	if at, is := strings.CutPrefix(way, dials); is {
		c, err = new(net.Dialer).DialContext(ctx, "tcp", at)
		return c, true, err
	}
	at, is := strings.CutPrefix(way, listens)
	if !is {
		return nil, false, nil
	}
	if !strings.Contains(at, ":") {
		at = ":" + at
	}
	if strings.HasPrefix(at, ":") {
		at = "localhost" + at
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, true, err
	}
	defer l.Close()
	said("waiting for a connection to " + l.Addr().String())
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	c, err = l.Accept()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return c, true, err
}

// openSource opens a source of arrays of a type.
func openSource(ctx context.Context, way string, in io.Reader, t ops.Type, said func(string)) (source, error) {
	if way == standard {
		return &arrays{Frames: npy.NewFrames("standard input", in), shape: t}, nil
	}
	if c, ok, err := connect(ctx, way, said); ok {
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { c.Close() }) // which ends a read that waits
		return &arrays{Frames: npy.NewFrames(way, c), shape: t, close: func() error {
			if !stop() {
				return nil
			}
			return c.Close()
		}}, nil
	}
	f, err := npy.Open(way)
	if err != nil {
		return nil, err
	}
	h := f.Header()
	if len(h.Shape) == 0 {
		err = fmt.Errorf("%s: it holds one number, and no frames along a first dimension", way)
	} else {
		err = suits(t, h.DType, h.Shape[1:])
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: frames lie along its first dimension: %w", way, err), f.Close())
	}
	return &rows{File: f, frames: h.Shape[0]}, nil
}

// suits says why frames of a type and shape cannot be read as arrays of a type.
func suits(t ops.Type, from element.DType, shape []int) error {
	to, known := format.DTypeOf(t.Elem)
	if !slices.Equal(shape, t.Shape()) {
		return fmt.Errorf("a frame has the shape %v, and %s has %v", element.Shape(shape), t, element.Shape(t.Shape()))
	}
	if loss := element.Conversion(from, to); !known || loss != element.Exact && loss != element.Rounded {
		return fmt.Errorf("elements of frames are %v, which %s does not hold", from, t)
	}
	return nil
}

// arrays is a source of arrays one behind another, each with a header.
type arrays struct {
	*npy.Frames
	shape ops.Type
	close func() error
	elements
}

func (a *arrays) next(h ops.HostArray) error {
	f, err := a.Next(func(of npy.Header) error { return suits(a.shape, of.DType, of.Shape) })
	if err != nil {
		return err
	}
	return a.fill(h, f, region.Whole(f.Header().Shape...))
}

func (a *arrays) Close() error {
	if a.close == nil {
		return nil
	}
	return a.close()
}

// rows is a source of the rows of a file.
type rows struct {
	*npy.File
	at, frames int
	elements
}

func (r *rows) next(h ops.HostArray) error {
	if r.at == r.frames {
		return io.EOF
	}
	tile := region.Whole(r.Header().Shape...)
	tile[0] = region.Interval{Lo: r.at, Hi: r.at + 1}
	r.at++
	return r.fill(h, r.File, tile)
}

// elements are those of a frame as its file has them, in the machine's byte order.
type elements []byte

// fill fills an array with a part of a file, whose numbers are in the array's unit.
func (e *elements) fill(h ops.HostArray, from *npy.File, tile region.Region) error {
	d := from.Header().DType
	n := h.Type.Len() * d.Size()
	*e = slices.Grow((*e)[:0], n)[:n]
	if err := from.ReadTile(*e, npy.Layout{DType: d}, tile); err != nil {
		return err
	}
	format.Decode(h, h.Type.Unit, d, *e)
	return nil
}
