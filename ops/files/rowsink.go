package files

import (
	"context"
	"fmt"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/format"
)

// Fits says why the file cannot be written by rows.
func (w *writing) Fits() error {
	if w.format.Create == nil {
		return fmt.Errorf("%s is written as a whole; %s files are written by rows", w.order.Path, endings(those(byRows), false, "and"))
	}
	return nil
}

// Scratch is what the format says.
func (w *writing) Scratch(at region.Region) int64 {
	if w.format.Scratch == nil {
		return little
	}
	return w.format.Scratch(w.order, at)
}

// Chunk is what the format says.
func (w *writing) Chunk() []int {
	if w.format.Chunk == nil {
		return nil
	}
	return w.format.Chunk(w.order)
}

// Moves is the elements as the file has them.
func (w *writing) Moves(at region.Region) int64 {
	return at[:min(len(at), len(w.order.Type.Dims))].Points() * int64(w.order.DType.Size())
}

// OpenSink starts a file that is written part by part, or takes one up.
func (w *writing) OpenSink(marks []ops.Mark) (ops.TileSink, error) {
	out, err := w.format.Create(w.order, true, marks)
	if err != nil {
		return nil, failure(err, true)
	}
	return &fileSink{out, w}, nil
}

// fileSink writes a file part by part.
type fileSink struct {
	format.Output
	*writing
}

func (s *fileSink) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	return failure(format.Send(ctx, s.Output, s.order, at, in[0]), true)
}

func (s *fileSink) Mark() (ops.Mark, error) {
	m, err := s.Output.Mark()
	return m, failure(err, true)
}

func (s *fileSink) Sync() error { return failure(s.Output.Sync(), true) }

func (s *fileSink) Commit(ctx context.Context) (ops.Note, error) {
	if err := annotate(ctx, s.Output); err != nil {
		return ops.Note{}, err
	}
	path := ops.PathFor(ctx, s.order.Path)
	if err := s.Output.Rename(path); err != nil {
		return ops.Note{}, failure(err, true)
	}
	if err := s.Output.Commit(true); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, s.format, path, s.order.Type.String())
}
