// Package device is what a planner and a runtime need of a machine that runs kernels, and nothing else.
package device

import (
	"context"
	"math"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// Info describes a device.
type Info struct {
	Name    string // "cpu", "interpreter", "cuda:0"
	Kind    string // native, interp, cuda, emulated
	Detail  string // processor, compiler, instruction set: for people
	Threads int    // how many launches it runs at once
	Limits  Limits
	Rules   Rules `json:"-" yaml:"-"` // nil where there is nothing to say
}

// Text tells devices apart that may round in another way.
func (i Info) Text() string { return i.Kind + ": " + i.Detail }

// Rules are what can be said of kernels on a device before they are compiled. Values are comparable.
type Rules interface {
	// Transposed are buffers of more than two dims that a kernel loads faster with the last two transposed.
	Transposed(*ir.Kernel) []*ir.Buffer
	// Layout is how a kernel would be laid out where nothing is measured.
	Layout(*ir.Kernel) Layout
}

// Device compiles kernels and owns memory. All methods are safe for concurrent use.
type Device interface {
	Info() Info
	// Compile prepares kernels for launch, together where that is cheaper. The programs come in the kernels' order.
	Compile(ctx context.Context, kernels []*ir.Kernel, opt Options) ([]Program, error)
	// Alloc gives memory for a buffer: zeroed, padding set to its value, margins readable.
	Alloc(buf *ir.Buffer) (Memory, error)
}

// Options for a compilation.
type Options struct {
	Tune bool // measure candidate schedules when no measurement is cached
	// TuneTime bounds the measurements of each kernel and makes them happen again where some are cached; 0: a default time, once.
	TuneTime time.Duration
	// Small says that small tiles will come: what is for them alone is not left until the first one does.
	Small bool
	// Describe asks for reports alone: nothing is built, and the programs cannot be bound.
	Describe bool
	Built    func(done, of int) // hears how many kernels are compiled of those that were not there, first that none is; one call at a time; nil: nobody does
}

// Memory holds one buffer's elements, padding included, in the layout of ir.Buffer.Strides.
type Memory interface {
	// Host is the memory itself where the host can address it; nil otherwise, then the memory is a Remote. The first byte is the
	// first element of the first row's padding, so element i of the first row lies at (Pad.Before+i)*Type.Size().
	Host() []byte
	Free()
}

// Sliding is Memory of which only a part is there, and Host is where all of it would be.
type Sliding interface {
	Memory
	There() []byte
}

// Scalar is the value of an ir.Arg: F for float types, I for the others.
type Scalar struct {
	F float64
	I int64
}

// Bindings give a program its buffers and launch scalars.
type Bindings struct {
	Mem  map[*ir.Buffer]Memory
	Args map[string]Scalar
}

// ScalarOf is the value of a launch argument: what a launch gives, or what the kernel has for it; false where there is neither.
func ScalarOf(given map[string]Scalar, a *ir.Node) (Scalar, bool) {
	if s, ok := given[a.Name]; ok {
		return s, true
	}
	return Scalar{F: a.F}, !math.IsNaN(a.F)
}

// Program is a compiled kernel.
type Program interface {
	Kernel() *ir.Kernel
	// Bind checks that every buffer and scalar is there and returns the launch: it runs the kernel over a tile, a region
	// of its axes, and returns when its stores are visible. Launches of one binding may run at the same time over disjoint tiles.
	Bind(b Bindings) (func(region.Region) error, error)
	// Step is, an axis, the granularity at which tiles cost least: ranges that start and end on multiples of it.
	Step() []int
	Report() Report
}

// Waved is a Program that knows how many points of its axes its device computes at once: ranges are multiples of that, as a part of it takes as long; 0:
// it is not known.
type Waved interface {
	Program
	Wave() float64
}

// Shared is a Program whose launches under way can give some of what is left of them to threads that have nothing else to do.
type Shared interface {
	Program
	// BindShared is Bind with what such a thread calls: it does a part of a launch under way, or reports that none is. nil: launches give nothing away.
	BindShared(b Bindings) (launch func(region.Region) error, assist func() bool, err error)
}

// Preparing is a Program whose launches may need memory of their own.
type Preparing interface {
	Program
	// Prepare gets that of as many launches at once its pages, until ended says so.
	Prepare(launches int, ended func() bool) error
}

// Report is what explain prints of a compiled kernel.
type Report struct {
	Schedule string         // how lanes, vectors and loops are laid out; empty on the interpreter
	Tuned    bool           // chosen by measurement, not by rule alone
	Loads    map[string]int // loads by class: uniform, contiguous, window, gather
	Tables   int            // lane-uniform values tabulated over a fold
	Source   string         // generated source, empty on the interpreter
	Cached   bool           // the compiled object was found, not made
	Layout   Layout         // the schedule, as far as what it costs depends on it
	Resources
}

// Packing is how many points share a value that is packed, which is an operand that they load or lies inside one.
type Packing struct {
	Points  int
	Operand bool
	Single  bool // values are laid out one by one, not in vectors
}

// Layout says how points and iterations lie on lanes. The zero value is scalar code.
type Layout struct {
	Order     []int                // of the loops over axes, outer ones first; nil: as in the kernel
	Lanes     []int                // axes that the lanes of a vector lie along, outer ones first
	LanesOn   map[int]int          // how many lie along each of several; nil: they are points one after the other
	Flight    int                  // vectors in flight, which share what differs along none of their axes
	FlightOn  map[int]int          // these axes, and how many lie along each
	Waste     float64              // lanes computed for each that is of a point, where axes are no multiples of their lanes; 0: one
	FoldLanes bool                 // lanes are iterations of the innermost folds that are the same for all lanes of points
	Fetched   float64              // cache lines that a vector's load through a window brings into a core's own caches, as estimated
	Windows   bool                 // loads that scatter along the lanes go through windows
	Narrow    bool                 // float64 sums of float32 terms are float32 for many iterations
	Packed    map[*ir.Node]Packing `json:"-"` // values inside the operands of contractions, where these are packed
	Step      []int                // points an axis that are computed at a time; of fewer, code takes as long; nil: not known
	Parts     bool                 // many points take a part of a fold's iterations before the next part begins: what it loads stays near
}
