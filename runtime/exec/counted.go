package exec

import (
	"context"

	"weft/kernels/region"
	"weft/ops"
)

// Reader is a source whose reads by parts are counted.
type Reader struct {
	ops.TileReader
	Planned int64 // bytes of its file
}

// OpenSource begins to read.
func (r Reader) OpenSource() (ops.TileSource, error) {
	s, err := r.TileReader.OpenSource()
	if err != nil {
		return nil, err
	}
	return &countedSource{TileSource: s, of: r}, nil
}

type countedSource struct {
	ops.TileSource
	of    Reader
	moved int64
}

func (s *countedSource) Read(ctx context.Context, at region.Region, to ops.HostArray) error {
	err := s.TileSource.Read(ctx, at, to)
	if err == nil {
		s.moved += s.of.Moves(at)
	}
	return err
}

func (s *countedSource) Close(ctx context.Context) (ops.Note, error) {
	note, err := s.TileSource.Close(ctx)
	note.Moved, note.Planned = s.moved, s.of.Planned
	return note, err
}

// Writer is a sink whose writes by parts are counted.
type Writer struct {
	ops.TileWriter
	Planned int64 // bytes of its file
}

// OpenSink begins to write, or goes on.
func (w Writer) OpenSink(marks []ops.Mark) (ops.TileSink, error) {
	s, err := w.TileWriter.OpenSink(marks)
	if err != nil {
		return nil, err
	}
	return &countedSink{TileSink: s, of: w}, nil
}

type countedSink struct {
	ops.TileSink
	of    Writer
	moved int64
}

func (s *countedSink) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	err := s.TileSink.Write(ctx, at, in)
	if err == nil {
		s.moved += s.of.Moves(at)
	}
	return err
}

func (s *countedSink) Commit(ctx context.Context) (ops.Note, error) {
	note, err := s.TileSink.Commit(ctx)
	note.Moved, note.Planned = s.moved, s.of.Planned
	return note, err
}
