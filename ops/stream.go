package ops

import (
	"context"
	"encoding/json"
	"slices"

	"weft/kernels/region"
)

// TileSource gives the array of a source region by region, for programs whose arrays do not fit in memory. Reads follow each other.
type TileSource interface {
	// Read fills to with the elements of a region; its dims have the extents of that.
	Read(ctx context.Context, at region.Region, to HostArray) error
	// Close ends reading and says what was read.
	Close(ctx context.Context) (Note, error)
}

// TileSink takes an array region by region, every element once. It ends in one of Commit, Suspend and Abort.
type TileSink interface {
	// Write takes a region. Arrays belong to the caller again when it returns.
	Write(ctx context.Context, at region.Region, in []HostArray) error
	// Mark says from where a later run may go on, behind what was written, if the machine goes on.
	Mark() (Mark, error)
	// Sync waits until all that was marked before is on the disk, so that the machine may stop. It may go on beside Write and Mark.
	Sync() error
	// Commit completes the output.
	Commit(ctx context.Context) (Note, error)
	// Suspend ends an output that is not complete, so that OpenSink may take it up again.
	Suspend() error
	// Abort removes what was written.
	Abort() error
}

// Mark is a point at which a tile sink can be taken up again: There is what is there besides what the marks before say, State what
// the sink must know besides of what happened since.
type Mark struct {
	There region.Region   `json:"there"`
	State json.RawMessage `json:"state,omitempty"`
}

// Together is how many elements are read or written together with a region, in chunks of some extents; nil: its own.
func Together(at region.Region, chunk []int) int64 {
	n := at.Points()
	if n == 0 || len(chunk) != len(at) {
		return n
	}
	n = 1
	for d, along := range at {
		each := max(1, chunk[d])
		n *= int64(((along.Hi+each-1)/each - along.Lo/each) * each)
	}
	return n
}

// Frame is the system that coordinates are in, such as a map projection. Operators hand it on with their dims.
type Frame interface {
	// Same reports that coordinates in both frames mean the same places.
	Same(Frame) bool
	String() string
}

// Beside is the part of an array that goes with a part of another one of as many rows: the same, or these rows, if the extents of the others differ.
func (t Type) Beside(of Type, at region.Region) region.Region {
	if slices.Equal(t.Shape(), of.Shape()) {
		return at
	}
	return t.Whole().Along(0, at[0])
}

// RowCount is how many indices the first dim has; a single value is one row.
func (t Type) RowCount() int {
	if len(t.Dims) == 0 {
		return 1
	}
	return t.Dims[0].Size
}
