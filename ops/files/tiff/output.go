package tiff

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/format"
)

// output writes an array.
type output struct {
	*Writer
	fresh region.Region // written and not yet marked
	dims  int
}

func createRaster(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	header, err := headerOf(o)
	if err != nil {
		return nil, err
	}
	out := &output{dims: len(o.Type.Dims)}
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

// note takes a region down as written.
func (w *output) note(at region.Region) {
	if len(w.fresh) == 0 || w.fresh[0].Hi != at[0].Lo || !w.fresh[1:].Equal(at[1:]) { // it does not go on behind what came last
		w.fresh = slices.Clone(at)
	}
	w.fresh[0].Hi = at[0].Hi
}

// WriteMemory takes a part as it is in memory.
func (w *output) WriteMemory(ctx context.Context, src []byte, stride int, at region.Region) error {
	w.note(at)
	d := w.Header().DType
	bands, r := split(at)
	as := Layout{DType: d, RowStride: stride, NodataAsNaN: d.Float()}
	for i := range bands.Len() {
		if err := w.writeRect(ctx, src[i*as.stride(r.Width())*r.Height():], as, bands.Lo+i, r); err != nil {
			return err
		}
	}
	return nil
}

func (w *output) Part(at region.Region) io.WriteCloser {
	w.note(at)
	bands, r := split(at)
	return &rowWriter{w: w.Writer, bands: bands, of: r, rest: r}
}

func (w *output) Sync() error { return w.pending.Sync() }

func (w *output) Mark() (ops.Mark, error) {
	if len(w.fresh) == 0 {
		w.fresh = make(region.Region, w.dims)
	}
	bands, r := split(w.fresh)
	there := slices.Clone(w.fresh)
	var p Checkpoint
	if w.dims > 2 {
		there[0].Hi, p = w.checkpointBands(bands.Lo, bands.Hi, r)
	} else {
		var done Rect
		done, p = w.Checkpoint(r)
		there[0].Hi = done.Y1
	}
	w.fresh[0].Lo = there[0].Hi
	state, err := json.Marshal(p)
	return ops.Mark{There: there, State: state}, err
}

// rowWriter collects the elements of a part until they make rows of blocks.
type rowWriter struct {
	w        *Writer
	bands    region.Interval // that are to come
	of, rest Rect            // of each, and of the first of them
	data     []byte
}

func (b *rowWriter) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	if len(b.data) >= b.w.Header().BlockH*b.rowBytes() {
		return len(p), b.Close()
	}
	return len(p), nil
}

func (b *rowWriter) rowBytes() int { return b.rest.Width() * b.w.Header().DType.Size() }

// Close writes the whole rows that have come.
func (b *rowWriter) Close() error {
	d, row := b.w.Header().DType, b.rowBytes()
	for n := len(b.data) / row; n > 0; n = len(b.data) / row {
		next := b.rest
		next.Y1 = min(next.Y0+n, next.Y1)
		if next.Height() == 0 {
			return b.w.fail(fmt.Errorf("%d rows more than there are", n))
		}
		if err := b.w.writeRect(context.Background(), b.data, Layout{DType: d, NodataAsNaN: d.Float()}, b.bands.Lo, next); err != nil {
			return err
		}
		b.data = append(b.data[:0], b.data[next.Height()*row:]...)
		if b.rest.Y0 = next.Y1; b.rest.Y0 == b.of.Y1 && b.bands.Len() > 1 {
			b.rest, b.bands.Lo = b.of, b.bands.Lo+1
		}
	}
	return nil
}
