package tiff

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/format"
)

// output writes an array.
type output struct {
	*Writer
	fresh Rect // written and not yet marked
}

func createRaster(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	header, err := headerOf(o)
	if err != nil {
		return nil, err
	}
	out := &output{}
	switch {
	case !resumable:
		out.Writer, err = Create(o.Path, header)
	case len(marks) == 0:
		out.Writer, err = CreateResumable(o.Path, header)
	default:
		var taken []Checkpoint
		for _, m := range marks {
			var p Checkpoint
			if err := json.Unmarshal(m.State, &p); err != nil {
				return nil, fmt.Errorf("files: the journal of %s is damaged: %w", o.Path, err)
			}
			taken = append(taken, p)
		}
		out.Writer, err = Resume(o.Path, header, taken)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// rect is a region of the raster.
func (w *output) rect(at region.Region) Rect {
	r := Rect{Y0: at[0].Lo, Y1: at[0].Hi, X0: at[1].Lo, X1: at[1].Hi}
	if w.fresh.Y1 != r.Y0 || w.fresh.X0 != r.X0 || w.fresh.X1 != r.X1 { // it does not go on below what came last
		w.fresh = r
	}
	w.fresh.Y1 = r.Y1
	return r
}

// WriteMemory takes a part as it is in memory.
func (w *output) WriteMemory(ctx context.Context, src []byte, stride int, at region.Region) error {
	d := w.Header().DType
	return w.WriteRect(ctx, src, Layout{DType: d, RowStride: stride, NodataAsNaN: d.Float()}, w.rect(at))
}

func (w *output) Part(at region.Region) io.WriteCloser { return &band{w: w.Writer, rest: w.rect(at)} }

func (w *output) Sync() (ops.Mark, error) {
	done, p, err := w.Checkpoint(w.fresh)
	if err != nil {
		return ops.Mark{}, err
	}
	w.fresh.Y0 = done.Y1
	state, err := json.Marshal(p)
	return ops.Mark{There: region.Region{{Lo: done.Y0, Hi: done.Y1}, {Lo: done.X0, Hi: done.X1}}, State: state}, err
}

// band collects the elements of a part until they make rows of blocks.
type band struct {
	w    *Writer
	rest Rect
	data []byte
}

func (b *band) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	if len(b.data) >= b.w.Header().BlockH*b.rowBytes() {
		return len(p), b.Close()
	}
	return len(p), nil
}

func (b *band) rowBytes() int { return b.rest.Width() * b.w.Header().DType.Size() }

// Close writes the whole rows that have come.
func (b *band) Close() error {
	d, row := b.w.Header().DType, b.rowBytes()
	n := len(b.data) / row
	next := b.rest
	next.Y1 = next.Y0 + n
	if err := b.w.WriteRect(context.Background(), b.data, Layout{DType: d, NodataAsNaN: d.Float()}, next); err != nil {
		return err
	}
	b.rest.Y0 = next.Y1
	b.data = append(b.data[:0], b.data[n*row:]...)
	return nil
}
