package ops

import (
	"context"
	"encoding/json"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// TileSource gives the array of a source part by part, for programs whose arrays do not fit in memory. Parts are rows: whole
// along every dim but the first. Reads follow each other; each row is read once a pass over the array.
type TileSource interface {
	// Read fills to with the elements at the given intervals, one a dim; its dims have their extents.
	Read(ctx context.Context, at region.Region, to HostArray) error
	// Close ends reading and says what was read.
	Close(ctx context.Context) (Note, error)
}

// TileSink takes an array part by part: rows, in order. It ends in one of Commit, Suspend and Abort.
type TileSink interface {
	// Write takes the next rows. Arrays belong to the caller again when it returns.
	Write(ctx context.Context, at region.Region, in []HostArray) error
	// Sync makes what was written last through a crash and says from where a later run may go on.
	Sync() (Mark, error)
	// Commit completes the output.
	Commit(ctx context.Context) (Note, error)
	// Suspend ends an output that is not complete, so that OpenSink may take it up again.
	Suspend() error
	// Abort removes what was written.
	Abort() error
}

// Mark is a point at which a tile sink can be taken up again: rows before Rows are there. State is what the sink must know
// besides of what happened since the Mark before.
type Mark struct {
	Rows  int             `json:"rows"`
	State json.RawMessage `json:"state,omitempty"`
}

// Frame is the system that coordinates are in, such as a map projection. Operators hand it on with their dims.
type Frame interface {
	// Same reports that coordinates in both frames mean the same places.
	Same(Frame) bool
	String() string
}

// RowCount is how many indices the first dim has; a single value is one row.
func (t Type) RowCount() int {
	if len(t.Dims) == 0 {
		return 1
	}
	return t.Dims[0].Size
}

// RowsOf is the part of a real array from row lo up to, not including, hi: a view of the same memory. The rows of a complex array
// lie in two pieces of memory, one a plane: it has no such view.
func (h HostArray) RowsOf(lo, hi int) HostArray {
	if h.Planes() == 2 {
		panic("ops: rows of a complex array are not one piece of memory")
	}
	out := HostArray{Type: h.Type.Rows(lo, hi), Out: h.Out}
	buf := *h.Buf
	buf.Shape = PlanesOf(out.Type)
	if len(buf.Shape) == 1 {
		buf.Pad = ir.Pad{} // the padding is before the first and behind the last row
	}
	out.Buf = &buf
	from, to := RowBytes(h.Buf, h.Type, 0, lo, hi)
	out.Data = h.Data[from:to:to]
	return out
}

// Rows is the type of the part of an array from row lo up to, not including, hi.
func (t Type) Rows(lo, hi int) Type {
	dims := append([]Dim(nil), t.Dims...)
	dims[0].Size = hi - lo
	if dims[0].Coords != nil {
		dims[0].Coords = dims[0].Coords[lo:hi]
	}
	t.Dims = dims
	return t
}

// RowBytes is where the rows from lo up to hi of one plane of an array of type t, stored as buf, lie in its memory. Rows are
// those of the first dim; in an array of one dim they are its elements.
func RowBytes(buf *ir.Buffer, t Type, plane, lo, hi int) (from, to int) {
	size := buf.Type.Size()
	rows := t.Dims[0].Size
	if len(t.Dims) == 1 {
		first := plane*buf.Row() + buf.Pad.Before
		return (first + lo) * size, (first + hi) * size
	}
	row := buf.Cells() / t.Elem.Planes() / max(1, rows) * size
	return (plane*rows + lo) * row, (plane*rows + hi) * row
}
