package ops

import (
	"context"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// Op is a use of an operator whose arguments Spec.Bind has read. What it can do besides is said by the interfaces below: it is a
// Lowerer, a Source, a Driver, a Sink, or Known.
type Op interface {
	Outputs() []Output // a single one may have an empty name
}

// Lowerer defines its outputs as stages, in their order.
type Lowerer interface {
	Lower(*Lowering) []*Stage
}

// Doubtful is a lowerer that has no answer to some of what it may be given. What Doubt gives is computed too, and handed to the sink, which an Op is here: nil where
// that cannot be told, or is the business of whoever wrote the use (Instance.Own).
type Doubtful interface {
	Lowerer
	Doubt(*Lowering) (told *Stage, to Op)
}

// Source fills its outputs from outside when the plan runs.
type Source interface {
	Fill(context.Context, HostArray) (Note, error)
}

// Holder is a source whose array lies in memory already. Held are its parts as they are, if they are laid out as some buffers, with margins that
// may be read; nil: they are not. The run reads them where they lie and does not write to them.
type Holder interface {
	Held(as []*ir.Buffer) [][]byte
}

// Pairer is a source that can give a complex array in pairs: as an array of real numbers with one dim more, the last one, along which real and
// imaginary part lie.
type Pairer interface{ Pairs(output int) bool }

// Sink hands arrays to the outside world when they are computed: the reason anything runs.
type Sink interface {
	Take(context.Context, []HostArray, Terminal) (Note, error)
}

// Condition is a sink that takes what has to hold: all that it looks for is found, as a rule.
type Condition interface {
	Sink
	Holds()
}

// Guesser counts in an output what is known only when it runs, and guesses beforehand which share of the most there can be that is.
type Guesser interface {
	Likely(output int) float64
}

// Filer is a source or sink of a file, whose path is its argument path; empty: of none.
type Filer interface {
	File() string
}

// Ranger bounds the values of an output, NaN and infinities apart, where that is cheap to know while planning: a generator knows its
// own, a file can be scanned. See RangeOf.
type Ranger interface {
	Range(output int) (lo, hi float64, err error)
}

// Starter is a source that can tell its elements while planning where they may be starts of rows: whole numbers in a line that never fall. It
// then gives no others when it runs. nil: they are none.
type Starter interface{ Starts(output int) []int }

// Bounded is a source that may know while planning where all elements of an output lie. It then gives no others when it runs, so that kernels need no
// guards against them.
type Bounded interface {
	Within(output int) (lo, hi float64, ok bool)
}

// Wholer tells whether all values of an output are whole numbers, though floats may hold them.
type Wholer interface{ Whole() bool }

// IsWhole reports whether an array holds plain whole numbers and nothing else, so that it may index.
func IsWhole(a Array) bool {
	t := a.Type()
	w, ok := a.Of.Bound.(Wholer)
	return !t.Elem.Complex && t.Unit.Plain() && (t.Elem.Base.Int() || t.Elem.Base.Float() && ok && w.Whole())
}

// Mover is a use whose result is elements of an array as they are, elsewhere or under other names.
type Mover interface{ From() Array }

// Approximator says, a line each, what is not exact by the choice of whoever wrote the call: explain and summary print it. It is for
// planning: it may read files.
type Approximator interface {
	Approximations() []string
}

// Counter tells how many of its Telemetry's units a use has.
type Counter interface {
	Units() int
}

// Later is a source of what a sink of the same program takes, which is no output of that.
type Later interface{ After(sink Op) bool }

// Inner is such a sink.
type Inner interface {
	Sink
	Inner()
}

// TileReader is a source that also gives its array part by part.
type TileReader interface {
	Streamer
	OpenSource() (TileSource, error)
}

// TileWriter is a sink that also takes its array part by part. With marks, all that its sink gave in an earlier run, it goes on after the
// last.
type TileWriter interface {
	Streamer
	OpenSink(marks []Mark) (TileSink, error)
}

// Streamer is what TileReader and TileWriter have in common.
type Streamer interface {
	Fits() error // why this use cannot work by parts after all
	// Scratch is the bytes of memory that working by parts as wide as a region takes besides the arrays.
	Scratch(at region.Region) int64
	// Chunk is the extents of what can only be read or written together; nil: any elements that follow each other.
	Chunk() []int
	// Moves is the bytes of the file that reading or writing a region moves: those of the elements, and of all that can only be read together.
	Moves(at region.Region) int64
}

// Referencer computes its outputs in plain float64, independently of Lower, from the array arguments under their names (see
// ReferenceKey for lists). Tests compare with it, and Evaluate computes what must be known while a program is checked.
type Referencer interface {
	Reference(map[string]Dense) ([]Dense, error)
}

// Known is a use that gives a value while the program is checked: a number, a probe, a grid.
type Known struct{ Value Value }

// Outputs are none: the value is there already.
func (Known) Outputs() []Output { return nil }

// Make is the Bind of an operator whose uses are all Known.
func Make(value func(*Call) (Value, error)) func(*Call) (Op, error) {
	return func(c *Call) (Op, error) {
		v, err := value(c)
		if err != nil {
			return nil, err
		}
		return Known{v}, nil
	}
}

// Gives are outputs, for embedding in an Op.
type Gives []Output

// Outputs makes part of an Op of it.
func (g Gives) Outputs() []Output { return g }

// One is a single output without a name.
func One(t Type) Gives { return Gives{{Type: t}} }

// IsSource reports whether an array arrives from outside.
func (op *Instance) IsSource() bool { _, ok := op.Bound.(Source); return ok }

// File is the path of the file that a source reads or a sink writes; empty where there is none.
func (op *Instance) File() string {
	if f, ok := op.Bound.(Filer); ok {
		return f.File()
	}
	return ""
}
