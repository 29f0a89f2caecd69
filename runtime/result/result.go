package result

import (
	"fmt"
	"math"
	"time"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/fleet"
)

// Result is what a run did and what it took: the report of `weft run --report`.
type Result struct {
	Weft     string  `json:"weft"`           // version
	File     string  `json:"file,omitempty"` // of the pipeline
	PlanHash string  `json:"plan_hash"`      // the same of two plans that do the same
	Wall     float64 `json:"wall_s"`         // of the whole run
	CPU      float64 `json:"cpu_s"`          // of all threads
	Threads  int     `json:"threads"`

	Compile  Compile      `json:"compile"`
	CompileS float64      `json:"compile_s"`       // wall time of making kernels ready
	ReadS    float64      `json:"read_s"`          // of reading
	VerifyS  float64      `json:"verify_s"`        // of comparing samples with float64
	SinkS    float64      `json:"sink_s"`          // of writing and showing
	Kernels  []Kernel     `json:"kernels"`         // in the order that they ran in
	Sources  []Transfer   `json:"sources"`         // what was read
	Sinks    []Transfer   `json:"sinks"`           // what was written and shown
	Moves    *bound.Moves `json:"moves,omitempty"` // what was to be moved of files in blocks and tiles, and how fast
	// Devices are the accelerators, and what each did.
	Devices []fleet.Usage `json:"devices"`

	// Approximations are what operators say is not exact, by their arguments.
	Approximations []plan.Approximation `json:"approximations,omitempty"`

	Parity    []Parity   `json:"parity"`    // samples of arrays against float64
	Fallbacks []Fallback `json:"fallbacks"` // what ran elsewhere than planned
	Telemetry Telemetry  `json:"telemetry"` // by the names that docs/measuring.md lists
	Warnings  []Warning  `json:"warnings"`  // what a person should know about the results
	// Search is how the precision was found, where something has a tolerance.
	Search *plan.Search `json:"search,omitempty"`
	// Ways are those that arrays could be made in.
	Ways []*plan.Ways `json:"ways,omitempty"`
	// Repairs are the runs that were given up because a sample was beyond its tolerance, and done again in wider types.
	Repairs []Repair `json:"repairs,omitempty"`

	Error string `json:"error,omitempty"` // why the run failed

	Counted ops.Counted `json:"-"` // how much there was, of the most there could be, of what was counted

	PeakRSS     int64 `json:"peak_rss_bytes"`    // memory of the process at most
	PeakBuffers int64 `json:"peak_buffer_bytes"` // arrays alive at once, as measured
}

// Compile says how kernels were made ready.
type Compile struct {
	Kernels int `json:"kernels"` // all of them
	Cached  int `json:"cached"`  // objects that were found, not made
}

// Kernel is one kernel step, measured.
type Kernel struct {
	ID     string        `json:"id"`               // such as k3, as in explain
	Name   string        `json:"name"`             // of the stages in it
	Ops    []string      `json:"ops"`              // the operators that these are of
	Device string        `json:"device"`           // that it ran on
	Shares []fleet.Share `json:"shares,omitempty"` // of the accelerators that it ran on
	Tiles  int           `json:"tiles"`            // parts that it was cut into
	Calls  int           `json:"calls,omitempty"`  // of the drive's program that it is in; 0: it is in none
	Wall   float64       `json:"wall_s"`           // from the first tile to the last
	CPU    float64       `json:"cpu_s"`            // of all threads
	Flops  float64       `json:"flops"`            // that its definition asks for
	// Executed are those of it that ran, where folds may end early; 0: they were not counted. Roof is the share of what the machine can do in
	// the time; 0: not known.
	Executed  float64        `json:"executed_flops,omitempty"`
	Roof      float64        `json:"share_of_roof,omitempty"`
	Bytes     int64          `json:"bytes"`              // that it loads and stores, each element once
	Predicted float64        `json:"predicted_s"`        // wall time that the plan expected, of as much as there turned out to be
	Factor    float64        `json:"-"`                  // by which that was corrected by what was learned
	Precision plan.Precision `json:"precision"`          // the types that it stores and computes in
	Schedule  string         `json:"schedule,omitempty"` // how its loops run
	Cached    bool           `json:"cached"`             // its object was found, not made
	// Turnaround is the time from when a tile is queued to when it is done.
	TurnaroundMean float64 `json:"turnaround_mean_s"`
	TurnaroundP95  float64 `json:"turnaround_p95_s"`
	QueuePeak      int     `json:"queue_peak"` // tiles queued at once
	// Folds are those that may be left early, where the run counted.
	Folds []Fold `json:"folds,omitempty"`
}

// Transfer is a source or a sink.
type Transfer struct {
	ID    string `json:"id"`   // such as r1 or s4, as in explain
	Op    string `json:"op"`   // the operator
	Text  string `json:"text"` // what it did, in its own words
	Bytes int64  `json:"bytes"`
	Calls int    `json:"calls,omitempty"` // of a drive's programs
	// Moved is the bytes of the file that it read or wrote, and Planned those that it was to, where the run is in blocks.
	Moved   int64   `json:"moved_bytes,omitempty"`
	Planned int64   `json:"planned_bytes,omitempty"`
	Wall    float64 `json:"wall_s"` // of all of it
}

// Parity compares a sample of one stored array with float64.
type Parity struct {
	Value   string     `json:"value"`           // the variable or stage
	Kernel  string     `json:"kernel"`          // that stored it
	Inner   bool       `json:"inner,omitempty"` // neither named in the file nor handed to a sink
	Samples int        `json:"samples"`         // elements that were compared
	Finds   float64    `json:"finds"`           // the chance of so many samples to find that 1 % of the elements is wrong
	Seed    uint64     `json:"seed"`            // by which they were drawn
	Metric  ops.Metric `json:"metric"`          // in which errors are measured
	// Worst and P99 are the largest error and the one that 99 of 100 samples stay below, in the metric.
	Worst     float64 `json:"worst"`
	P99       float64 `json:"p99"`
	Judged    string  `json:"judged,omitempty"` // which of the two is held to the tolerance
	Tolerance float64 `json:"tolerance"`        // what it may be at most, in the metric
	MaxAbs    float64 `json:"max_abs"`          // in the array's unit
	MaxRel    float64 `json:"max_rel"`          // relative to the array's largest magnitude
	MeanAbs   float64 `json:"mean_abs"`         // over samples that are finite
	// FiniteEqual is the percentage of samples that are finite on both sides or on neither.
	FiniteEqual float64 `json:"percent_finite_equal"`
	Peak        float64 `json:"peak"` // that magnitude
	// Mismatched counts samples where one side is finite and the other is not.
	Mismatched int `json:"mismatched"`
	// NotFinite counts samples that are infinite or NaN, and are so in float64 too.
	NotFinite int    `json:"not_finite,omitempty"`
	At        []int  `json:"at,omitempty"`   // index of the worst sample
	Unit      string `json:"unit,omitempty"` // of the array
	// Ties counts samples beside a discontinuity that lies within rounding, which were compared with the branch that the kernel took; Rounding
	// those beyond the tolerance by no more than rounding in the array's own type may give, which counts where no tolerance was asked for.
	Ties     int `json:"ties,omitempty"`
	Rounding int `json:"rounding,omitempty"`
	// Remainder says that the array measures rounding, so that Rounding counts what is as it should be; Type is that of its elements as they are stored.
	Remainder bool   `json:"remainder,omitempty"`
	Type      string `json:"type,omitempty"`
	// Unexamined counts samples beyond the tolerance that may be ties: a second look at all of them takes too long, and those that were looked at are explained.
	Unexamined int `json:"unexamined,omitempty"`
	// Leaves is what the worst sample should be where it is a whole number that its type does not hold.
	Leaves float64 `json:"leaves,omitempty"`
	// Recomputed counts points that the kernel computed a second time and found as they were.
	Recomputed int `json:"recomputed,omitempty"`
	// Skipped says why no sample was taken; OK then says nothing.
	Skipped string `json:"skipped,omitempty"`
	OK      bool   `json:"ok"` // it is within the tolerance
}

// Figure is the error that is held to the tolerance.
func (p Parity) Figure() float64 {
	if p.Judged == audit.Judged(ops.Level) {
		return p.P99
	}
	return p.Worst
}

// Quantity writes an error in its metric.
func (p Parity) Quantity(v float64) string { return p.Metric.Quantity(v, p.Unit) }

// Fold is what a fold of a kernel that may be left before its last iteration did, over all points. Iterations of a vector count
// once a lane.
type Fold struct {
	Name     string  `json:"name"`     // of its index
	Nominal  int64   `json:"nominal"`  // iterations that its bounds ask for
	Executed int64   `json:"executed"` // those that ran
	Culled   int64   `json:"culled"`   // those left out because a bound proved them idle; the rest ended with an early exit
	Share    float64 `json:"share"`    // executed of nominal
}

// Violation is what to report of a sample beyond its tolerance.
func (p Parity) Violation() problem.Problem {
	if p.Leaves != 0 {
		should := fmt.Sprintf("%.17g", p.Leaves)
		if math.Abs(p.Leaves) >= 1<<63 {
			should = "beyond 2^63"
		}
		return problem.Wrong(problem.WholeTooLarge, "", "make it of numbers cast to i64, or to f64", "%s should be %s at %v, which its type does not hold", p.Value, should, p.At)
	}
	what := fmt.Sprintf("differs from float64 by %s, the tolerance is %s", p.Quantity(p.Figure()), p.Quantity(p.Tolerance))
	if p.Metric == ops.Level && p.P99 <= p.Tolerance {
		what = fmt.Sprintf("differs from float64 by %.2g of its largest magnitude at a sampled element, which is no rounding", p.MaxRel)
	}
	if p.Mismatched > 0 {
		what = fmt.Sprintf("has other infinities or NaN than float64 at %d of %d sampled elements", p.Mismatched, p.Samples)
	}
	at := ""
	if len(p.At) > 0 {
		at = fmt.Sprintf(" (worst at %v)", p.At)
	}
	return problem.Wrong(problem.ParityViolated, "", "compute in float64 by @precision(compute: f64), allow more with @tolerance, or report it with the pipeline file", "%s %s%s", p.Value, what, at)
}

// Fallback counts the tiles of a stage that ran on another device than planned.
type Fallback struct {
	Stage  string `json:"stage"`  // that was to run
	Device string `json:"device"` // the one that failed
	Reason string `json:"reason"` // in the words of the device
	Count  int    `json:"count"`  // tiles
}

// Warning is something a person should know about a result.
type Warning struct {
	Code    string        `json:"code,omitempty"` // `weft errors CODE` explains it
	Message string        `json:"message"`        // what it is
	Help    string        `json:"help,omitempty"` // what to do
	Mild    bool          `json:"mild,omitempty"` // no error, whatever the code is elsewhere
	Where   problem.Where `json:"where"`          // in the pipeline file
}

// StageError is a step that failed, and where in the program it stands.
type StageError struct {
	Stage string
	Where problem.Where
	Err   error
}

func (e *StageError) Error() string { return e.Stage + ": " + e.Err.Error() }

// Unwrap is the reason.
func (e *StageError) Unwrap() error { return e.Err }

// Telemetry is a run by the names that monitoring asks for; docs/measuring.md lists them. Spread values hold mean, p95 and
// count, maps are by array or stage.
type Telemetry map[string]any

// Spread sums up how long pieces of work took.
type Spread struct {
	Mean  float64 `json:"mean"`
	P95   float64 `json:"p95"`
	Count int     `json:"count"`
}

// Repair is a run that was given up because its precision turned out too low.
type Repair struct {
	Reason string `json:"reason"` // which sample was beyond its tolerance
	Wider  string `json:"wider"`  // what it was done again in
}

// New is the result of a run that begins.
func New(p *bound.Plan, threads int) *Result {
	return &Result{Weft: p.Weft, File: p.File, PlanHash: p.Hash, Search: p.Search, Ways: p.Ways, Approximations: p.Approximations, Threads: threads,
		Kernels: []Kernel{}, Sources: []Transfer{}, Sinks: []Transfer{}, Parity: []Parity{}, Fallbacks: []Fallback{}, Warnings: []Warning{}, Devices: []fleet.Usage{}}
}

// Since is the seconds since a time.
func Since(t time.Time) float64 { return time.Since(t).Seconds() }
