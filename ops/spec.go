package ops

import (
	"fmt"
	"io"
	"sync/atomic"

	"weft/ops/problem"
)

// Spec is an operator: what it takes, what is said of it, and Bind, which makes an Op of a use of it.
type Spec struct {
	Name     string
	Doc      string // one line
	Long     string // paragraphs: what it computes, conventions, source of its formulas
	Group    string // heading under which it is listed: beamforming, arithmetic, ...
	Params   []Param
	Returns  string    // shapes and units of what it gives, in words
	Examples []Example // run as tests
	Error    ErrorRule // how a tolerance on its output is stated
	// Telemetry names what runs of the operator are measured by; nil: it has no names of its own.
	Telemetry *Telemetry
	// Deduce adds to a call what was left out of it and follows from the rest; nil: nothing does.
	Deduce func(*Call) error
	// Bind reads arguments that fit Params, once, and finds every other mistake a user can make. It returns Problems (joined, if
	// several); beside an Op they are warnings.
	Bind func(*Call) (Op, error)
	// Expand takes the place of Bind where the operator calls functions of the program: its value is made of uses of other operators, and is nil
	// where a mistake is reported already.
	Expand func(*Call, Expander) (Value, error)
	// Expands tells for which calls Expand takes the place of Bind; nil: for all.
	Expands func(*Call) bool
	// Once says that it calls each function once for each thing it is given, so that these may require something.
	Once bool
	// Counts says that it takes arrays of which it is known only when it runs how many elements there are along a dimension.
	Counts bool
	// Body says what the operator is as a function of others: the lines of a block of the language, behind the libraries that it uses, in which
	// Params have their names and nothing of the program has one. Without Bind, all of Params are given or have defaults; with it, Bind makes a
	// Writer, the body has the names that this knows too, and gives a record of its outputs.
	Body string
}

// Telemetry gives an operator names of its own in the report of a run: PREFIX_tile_wall_time_s, PREFIX_UNIT_progress_rate and so on;
// docs/measuring.md lists them.
type Telemetry struct {
	Prefix string
	Unit   string // what progress is counted in: see Counter
}

// Output is one result of an operator.
type Output struct {
	Name string
	Type Type
}

// Example is a piece of a pipeline that runs by itself, with what it shows.
type Example struct {
	Title string
	Code  string
}

// Param is one argument of an operator. Parameters are taken by position in order, or by name.
type Param struct {
	Name    string
	Doc     string
	Accept  Kind
	Unit    string   // numbers, ranges and arrays: required unit by dimension; "" plain; "*" any
	Choices []string // symbols accepted
	Objects []string // type names of objects accepted
	Dims    []string // arrays: dims that must be there
	Default Value    // nil: required unless Optional
	// Optional parameters without default are simply absent.
	Optional bool
	Rest     bool     // takes all further positional arguments, as a List
	Min, Max *float64 // inclusive bounds on numbers, in SI units
	Positive bool     // numbers: > 0
	Integer  bool     // numbers: whole
	Makes    bool     // names: of dimensions that the result has anew
	ByDims   bool     // records: their parts have the names of dimensions
}

// ErrorRule is the metric in which a tolerance on an output is stated.
type ErrorRule struct {
	Metric    Metric
	Tolerance float64 // the default, in the metric's terms
}

// Metric compares a result with float64.
type Metric string

// Metrics.
const (
	Exact    Metric = "exact"    // bit for bit (masks, indices)
	Peak     Metric = "peak"     // |error| over the largest magnitude of the output
	Absolute Metric = "absolute" // |error| in the output's unit
	Relative Metric = "relative" // |error| over |value|
	Angle    Metric = "angle"    // |error| in radians, less whole turns
	// Level is the ratio of magnitudes in dB, over elements at most 60 dB below the largest: its 99th percentile is held to the
	// tolerance, since a few elements that nearly cancel may be off by any ratio.
	Level Metric = "level"
)

// Quantity writes an error in the metric's terms; unit is that of the array, whose elements are in SI units.
func (m Metric) Quantity(v float64, unit string) string {
	if u, err := ParseUnit(unit); m == Absolute && err == nil {
		v /= u.SI()
	}
	s := fmt.Sprintf("%.2g", v)
	switch {
	case m == Peak:
		return s + " of peak"
	case m == Level:
		return s + " dB"
	case m == Relative:
		return s + " relative"
	case m == Absolute && unit != "":
		return s + " " + unit
	}
	return s
}

// Note is what a source or sink did, for the summary, and what a person should know.
type Note struct {
	Text     string
	Bytes    int64
	Warnings []problem.Problem
	// Moved are bytes of the file that were read or written by parts, and Planned those that the plan said. 0: not by parts.
	Moved, Planned int64
}

// Terminal is where a sink may print.
type Terminal interface {
	Write([]byte) (int, error)
	Size() (columns, rows int)
	Rich() bool              // colours and pictures are welcome
	To(w io.Writer) Terminal // one like this that prints to w
}

// Instance is one use of an operator in a program: a node of its graph.
type Instance struct {
	ID    int
	Spec  *Spec
	Call  *Call
	Bound Op
	Out   []Output
	Label string // the variable that holds its array, or the record of them
	Where problem.Where
	// Within is the outermost call of a function of the program that the use is written in; nil: it stands in no function.
	Within *Scope
	Whole  *Instance // of whose body it is a part; nil: it stands in no operator's
	Own    bool      // it is written in the text of the program, not in a library or an operator
	Hints  Hints

	made atomic.Pointer[definition]
}

// Scope is a call of a function of the program.
type Scope struct {
	Function string // empty: it has no name
	Where    problem.Where
	Variable string // that holds what it gives, of a use that gives that
}

// Line is the line of the program that asks for the use: where a function is called, not the one within.
func (op *Instance) Line() int {
	if op.Within != nil {
		return op.Within.Where.Line
	}
	return op.Where.Line
}

// Dense is a float64 array for references: element i is Re[i] + j Im[i]; Im is nil for real arrays. C order.
type Dense struct {
	Shape  []int
	Re, Im []float64
}
