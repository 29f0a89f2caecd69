package optest

import (
	"context"
	"weft/kernels/region"

	"weft/ops"
)

// Lowered, Filled and Taken are uses of operators made of a function: one that is lowered, a source and a sink. Their outputs are the
// instance's.
type (
	Lowered func(*ops.Lowering) []*ops.Stage
	Filled  func(context.Context, ops.HostArray) (ops.Note, error)
	Taken   func(context.Context, []ops.HostArray, ops.Terminal) (ops.Note, error)
)

func (Lowered) Outputs() []ops.Output { return nil }
func (Filled) Outputs() []ops.Output  { return nil }
func (Taken) Outputs() []ops.Output   { return nil }

func (f Lowered) Lower(l *ops.Lowering) []*ops.Stage { return f(l) }

func (f Filled) Fill(ctx context.Context, to ops.HostArray) (ops.Note, error) { return f(ctx, to) }

func (f Taken) Take(ctx context.Context, in []ops.HostArray, t ops.Terminal) (ops.Note, error) {
	return f(ctx, in, t)
}

// Chunks is what sources and sinks that work by parts have in common: extents of what they read or write together.
type Chunks []int

// Fits is no question.
func (Chunks) Fits() error { return nil }

// Scratch is nothing.
func (Chunks) Scratch(region.Region) int64 { return 0 }

// Chunk is itself.
func (c Chunks) Chunk() []int { return c }

// Moves is a byte an element.
func (c Chunks) Moves(at region.Region) int64 { return ops.Together(at, c) }

// TileFill is a source that works by parts too.
type TileFill struct {
	Chunks
	Filled
	Open func() (ops.TileSource, error)
}

// OpenSource begins to read.
func (s TileFill) OpenSource() (ops.TileSource, error) { return s.Open() }

// TileTake is a sink that works by parts too, into a file if it has a path.
type TileTake struct {
	Chunks
	Taken
	Path string
	Open func([]ops.Mark) (ops.TileSink, error)
}

// File is the path.
func (s TileTake) File() string { return s.Path }

// OpenSink begins to write.
func (s TileTake) OpenSink(marks []ops.Mark) (ops.TileSink, error) { return s.Open(marks) }
