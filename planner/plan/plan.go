// Package plan is the plan of a run as a value: what is computed by which kernels, in which order, where and how precisely, as data
// that can be printed, kept, sent and read back. It knows operators, stages and arrays by their names in the program, whose text it
// carries; what they are is found again by checking that text.
package plan

import (
	"cmp"
	"fmt"
	"strings"

	"weft/kernels/retype"
)

// FormatVersion of the plan value.
const FormatVersion = 5

// Plan is everything a run needs to know, as a value.
type Plan struct {
	Format  int     `yaml:"format" json:"format"`
	Weft    string  `yaml:"weft" json:"weft"`
	File    string  `yaml:"file" json:"file"`
	Program Program `yaml:"program,omitempty" json:"program,omitzero"`
	// Apart is set where each program of a drive makes for itself what does not vary in it, since it does not fit the memory as a whole.
	Apart bool `yaml:"apart,omitempty" json:"apart,omitempty"`
	// Room is the memory that drives were given whose arrays are on disk, in bytes; 0: none are.
	Room int64 `yaml:"room,omitempty" json:"room,omitempty"`
	// Spills says that what is made around such drives, and tiles of which they read, is stored on disk before.
	Spills bool `yaml:"spills,omitempty" json:"spills,omitempty"`
	// Strict says that what is only said of arrays which they read is looked at before, too.
	Strict bool `yaml:"strict,omitempty" json:"strict,omitempty"`
	// Unmirrored is set where all of a symmetric product is computed, and what is assumed looked at in strict runs alone, since it runs in blocks of rows.
	Unmirrored bool `yaml:"unmirrored,omitempty" json:"unmirrored,omitempty"`
	// Anew is set where what is read from a file is read anew for what has its dims renamed, since both together do not fit the memory.
	Anew    bool    `yaml:"anew,omitempty" json:"anew,omitempty"`
	Hash    string  `yaml:"hash" json:"hash"`
	Device  string  `yaml:"device" json:"device"`
	Machine Machine `yaml:"machine,omitempty" json:"machine,omitzero"`
	Rates   Rates   `yaml:"rates" json:"rates"`
	// Budget of memory that it was made for, in bytes; 0: none.
	Budget  int64    `yaml:"budget,omitempty" json:"budget,omitempty"`
	Buffers []Buffer `yaml:"buffers" json:"buffers"`
	Steps   []Step   `yaml:"steps" json:"steps"`
	Edges   []Edge   `yaml:"edges" json:"edges"`
	Totals  Totals   `yaml:"totals" json:"totals"`
	// Numbers are those that follow from params of the program.
	Numbers []Number `yaml:"numbers,omitempty" json:"numbers,omitempty"`
	// Approximations are what its operators say is not exact.
	Approximations []Approximation `yaml:"approximations,omitempty" json:"approximations,omitempty"`
	// Stream says how the program runs in blocks of rows, where its arrays do not fit the memory budget at once.
	Stream *Stream `yaml:"stream,omitempty" json:"stream,omitempty"`
	// Chains are kernels that run one behind the other over a few rows at a time, where the program does not run in blocks.
	Chains []Chain `yaml:"chains,omitempty" json:"chains,omitempty"`
	Search *Search `yaml:"search,omitempty" json:"search,omitempty"` // how the precision was found; nil where everything is in what its operators say
	Ways   []*Ways `yaml:"ways,omitempty" json:"ways,omitempty"`     // that arrays could be made in, and which one was taken
	// Decided is what was weighed; Repeated says that it was not, but taken from an earlier planning.
	Decided  Decisions `yaml:"decided" json:"decided"`
	Repeated bool      `yaml:"repeated,omitempty" json:"repeated,omitempty"`
}

// Program is what was planned.
type Program struct {
	Text      string            `yaml:"text,omitempty" json:"text,omitempty"`
	Params    map[string]string `yaml:"params,omitempty" json:"params,omitempty"`
	Tolerance string            `yaml:"tolerance,omitempty" json:"tolerance,omitempty"`
}

// Number follows from params. Kernels are compiled for any value of it and are given this one when they are launched, unless it is Fixed.
type Number struct {
	Name  string  `yaml:"name" json:"name"` // how it follows
	Value float64 `yaml:"value" json:"value"`
	Fixed string  `yaml:"fixed,omitempty" json:"fixed,omitempty"` // why the plan or its kernels are made for this value
}

// Arguments are the numbers that kernels are given when they are launched.
func (p *Plan) Arguments() map[string]float64 {
	out := map[string]float64{}
	for _, n := range p.Numbers {
		if n.Fixed == "" {
			out[n.Name] = n.Value
		}
	}
	return out
}

// Machine is what the plan was made for: kernels are built for the vectors and the memory of the host's device, and tiles for its threads.
type Machine struct {
	Kind         string   `yaml:"kind" json:"kind"`
	Detail       string   `yaml:"detail,omitempty" json:"detail,omitempty"`
	Threads      int      `yaml:"threads,omitempty" json:"threads,omitempty"`
	Accelerators []string `yaml:"accelerators,omitempty,flow" json:"accelerators,omitempty"`
}

// Totals sum a plan up.
type Totals struct {
	Kernels    int     `yaml:"kernels" json:"kernels"`
	Flops      float64 `yaml:"flops" json:"flops"`
	Bytes      int64   `yaml:"bytes" json:"bytes"`             // moved by kernels
	SavedBytes int64   `yaml:"saved_bytes" json:"saved_bytes"` // that fusion keeps from being moved
	PeakBytes  int64   `yaml:"peak_bytes" json:"peak_bytes"`   // of buffers alive at once
	PeakAt     string  `yaml:"peak_at" json:"peak_at"`         // the step at which they are
	// Later is set where the memory of arrays whose elements are counted is no part of PeakBytes: a run asks for it when the number is known.
	Later     bool    `yaml:"later,omitempty" json:"later,omitempty"`
	Predicted float64 `yaml:"predicted_ms" json:"predicted_ms"` // of all kernels
	// Wall is what a run is predicted to take, from the first step to the last. It is more than kernels and Besides together where a run waits, and less
	// where these run at the same time.
	Wall    float64  `yaml:"wall_ms,omitempty" json:"wall_ms,omitempty"`
	Besides []Beside `yaml:"besides,omitempty" json:"besides,omitempty"`
}

// Beside is what a run does apart from kernels.
type Beside struct {
	What  string  `yaml:"what" json:"what"` // load, check, or the id of a step that reads, writes or drives
	Kind  string  `yaml:"kind" json:"kind"` // load, check, read, write, drive
	Ms    float64 `yaml:"ms" json:"ms"`
	Model float64 `yaml:"model_ms" json:"model_ms"` // without what runs taught
}

// Buffer is an array in memory: one buffer of kernels, with its id, or one for each part, with the id, a dot and the role.
type Buffer struct {
	ID    string `yaml:"id" json:"id"`
	Stage string `yaml:"stage" json:"stage"`
	Label string `yaml:"label,omitempty" json:"label,omitempty"`
	Type  string `yaml:"type" json:"type"`
	Bytes int64  `yaml:"bytes" json:"bytes"`
	Role  Role   `yaml:"role" json:"role"`
	// Around is the array of the plan around a drive whose memory it is.
	Around string `yaml:"around,omitempty" json:"around,omitempty"`
	// Parts are those of an array that has several: the role, type and shape of each.
	Parts  []string `yaml:"parts,omitempty" json:"parts,omitempty"`
	Padded string   `yaml:"padded,omitempty" json:"padded,omitempty"`
	Unit   string   `yaml:"unit,omitempty" json:"unit,omitempty"`
	// Reached says what part of the array there is, where nobody reads the rest.
	Reached *Reached `yaml:"reached,omitempty" json:"reached,omitempty"`
	// Stored is the type in memory where it is not the array's own; integers count Units.
	Stored       string `yaml:"stored,omitempty" json:"stored,omitempty"`
	retype.Units `yaml:",inline"`
	// Pinned is why the array keeps its type; empty where it may be stored in fewer bits.
	Pinned string `yaml:"pinned,omitempty" json:"pinned,omitempty"`

	// Key names the stage among all of the program: see Key of a stage.
	Key    string `yaml:"key,omitempty" json:"key,omitempty"`
	Values string `yaml:"values,omitempty" json:"values,omitempty"` // what identifies the elements of a table
	// Transposed says that the last two dims lie in memory in the other order; Innermost which of the array's own dims lies innermost, counted from 1, if not the last; Block how many elements of it do, of which blocks there are where it was; Interleaved that real and imaginary part lie side by side, along a last dim; Box is which
	// part of the array there is, dim by dim as they lie; Margin what is there besides at both ends of a dim, as it lies; Pad the margins of rows and their value; Held how much of each row, with margins, there is at a time; 0: all.
	Transposed  bool    `yaml:"transposed,omitempty" json:"transposed,omitempty"`
	Innermost   int     `yaml:"innermost,omitempty" json:"innermost,omitempty"`
	Block       int     `yaml:"block,omitempty" json:"block,omitempty"`
	Interleaved bool    `yaml:"interleaved,omitempty" json:"interleaved,omitempty"`
	Box         []Box   `yaml:"box,omitempty,flow" json:"box,omitempty"`
	Margin      *Margin `yaml:"margin,omitempty" json:"margin,omitempty"`
	Pad         *Pad    `yaml:"pad,omitempty" json:"pad,omitempty"`
	Held        int     `yaml:"held,omitempty" json:"held,omitempty"`
}

// Box are the indices of one dim from Lo up to Hi.
type Box struct {
	Lo int `yaml:"lo" json:"lo"`
	Hi int `yaml:"hi" json:"hi"`
}

// Margin is a value that stands before and behind the elements of a dim.
type Margin struct {
	Dim   int    `yaml:"dim" json:"dim"`
	Value string `yaml:"value" json:"value"` // a number, which may be nan
}

// Pad is how many elements of a value stand before and after each row.
type Pad struct {
	Before int    `yaml:"before" json:"before"`
	After  int    `yaml:"after" json:"after"`
	Value  string `yaml:"value" json:"value"` // a number, which may be nan
}

// Role says where a buffer's elements come from.
type Role string

// Roles.
const (
	FromSource Role = "source"
	FromPlan   Role = "table"
	FromKernel Role = "computed"
	FromState  Role = "state"  // of a drive, before a call
	FromAround Role = "around" // of a drive: what does not depend on its state
)

// StepKind is what a step does.
type StepKind string

// Step kinds.
const (
	ReadStep   StepKind = "read"
	KernelStep StepKind = "kernel"
	SinkStep   StepKind = "sink"
	DriveStep  StepKind = "drive"
)

// Step is one thing to do; steps run in order.
type Step struct {
	ID   string   `yaml:"id" json:"id"`
	Kind StepKind `yaml:"kind" json:"kind"`
	Name string   `yaml:"name" json:"name"` // operators, for people
	Args string   `yaml:"args,omitempty" json:"args,omitempty"`
	// Reads and Writes are buffer ids; Frees are those not needed afterwards.
	Reads  []string `yaml:"reads,omitempty,flow" json:"reads,omitempty"`
	Writes []string `yaml:"writes,omitempty,flow" json:"writes,omitempty"`
	Frees  []string `yaml:"frees,omitempty,flow" json:"frees,omitempty"`
	Line   int      `yaml:"line,omitempty" json:"line,omitempty"`
	Kernel *Kernel  `yaml:"kernel,omitempty" json:"kernel,omitempty"`
	Drive  *Drive   `yaml:"drive,omitempty" json:"drive,omitempty"`
	// Instance is the number of the operator's use in the program, of sources and sinks.
	Instance int `yaml:"instance,omitempty" json:"instance,omitempty"`
}

// Walk visits all steps, those of drives' programs behind the drive.
func (p *Plan) Walk(visit func(*Step)) {
	for i := range p.Steps {
		visit(&p.Steps[i])
		if d := p.Steps[i].Drive; d != nil {
			for _, program := range d.Programs {
				program.Plan.Walk(visit)
			}
		}
	}
}

// Kernel is the plan of one kernel.
type Kernel struct {
	Ops        []string  `yaml:"ops,flow" json:"ops"`                                // operators, producers first
	Stages     []Fused   `yaml:"stages" json:"stages"`                               // what is computed in place
	Axes       []Axis    `yaml:"axes" json:"axes"`                                   // outermost first
	Tiles      int       `yaml:"tiles" json:"tiles"`                                 // launches
	TilesTuned bool      `yaml:"tiles_tuned,omitempty" json:"tiles_tuned,omitempty"` // their size was chosen by measurement
	Device     string    `yaml:"device" json:"device"`                               // of the host's, that it is compiled for
	Prefault   bool      `yaml:"prefault,omitempty" json:"prefault,omitempty"`       // its stores get pages while the sources before are read
	Again      bool      `yaml:"again,omitempty" json:"again,omitempty"`             // every call of a drive's program launches it
	Place      Placement `yaml:"place,omitempty" json:"place,omitzero"`              // which accelerators run it, where there are any
	Precision  Precision `yaml:"precision" json:"precision"`
	Flops      float64   `yaml:"flops" json:"flops"`
	Bytes      int64     `yaml:"bytes" json:"bytes"`
	Predicted  float64   `yaml:"predicted_ms" json:"predicted_ms"`
	Bound      string    `yaml:"bound" json:"bound"` // compute or bandwidth: what the prediction is limited by
	// Estimate is what the prediction is made of.
	Estimate Estimate `yaml:"estimate" json:"estimate"`
	Schedule string   `yaml:"schedule,omitempty" json:"schedule,omitempty"`
	Tuned    bool     `yaml:"tuned,omitempty" json:"tuned,omitempty"`
	Loads    []Count  `yaml:"loads,omitempty" json:"loads,omitempty"` // by class
	Tables   int      `yaml:"tables,omitempty" json:"tables,omitempty"`
	Hash     string   `yaml:"hash" json:"hash"` // of the kernel's IR
	// Text is the kernel as text.Encode writes it, with the ids of buffers.
	Text string `yaml:"ir,omitempty" json:"ir,omitempty"`
}

// Estimate is a prediction and what it is made of, in seconds.
type Estimate struct {
	Seconds  float64 `yaml:"seconds" json:"seconds"`       // in all
	Compute  float64 `yaml:"compute_s" json:"compute_s"`   // operations, over the threads that have work
	Memory   float64 `yaml:"memory_s" json:"memory_s"`     // bytes through the level that serves them
	Pages    float64 `yaml:"pages_s" json:"pages_s"`       // first touch of what is stored
	Overhead float64 `yaml:"overhead_s" json:"overhead_s"` // launches and handing out
	Bound    string  `yaml:"bound" json:"bound"`           // compute, bandwidth, pages or latency: the largest part
	Heaviest string  `yaml:"heaviest" json:"heaviest"`     // class of operations that takes most of Compute, and its share
	Level    string  `yaml:"level" json:"level"`           // of the memory
	Factor   float64 `yaml:"factor" json:"factor"`         // what was learned multiplies the rest by
	Source   string  `yaml:"source" json:"source"`         // "model", or from what it was learned
}

// Fused is a stage computed inside a kernel, with the steps it names.
type Fused struct {
	Name  string   `yaml:"name" json:"name"`
	Key   string   `yaml:"key,omitempty" json:"key,omitempty"` // among all stages of the program
	Label string   `yaml:"label,omitempty" json:"label,omitempty"`
	Steps []string `yaml:"steps,omitempty,flow" json:"steps,omitempty"`
	Line  int      `yaml:"line,omitempty" json:"line,omitempty"`
	// Function is the one of the program that the stage is in, Call where that is called, and Part what it is called there; empty: it is in none.
	Function string `yaml:"function,omitempty" json:"function,omitempty"`
	Call     int    `yaml:"call,omitempty" json:"call,omitempty"`
	Part     string `yaml:"part,omitempty" json:"part,omitempty"`
}

// Axis is a parallel axis and the extent of a tile along it.
type Axis struct {
	Name   string `yaml:"name" json:"name"`
	Extent int    `yaml:"extent" json:"extent"`
	Tile   int    `yaml:"tile" json:"tile"`
}

// Precision is the triple a stage is computed in.
type Precision struct {
	Storage    string `yaml:"storage" json:"storage"`
	Compute    string `yaml:"compute" json:"compute"`
	Accumulate string `yaml:"accumulate,omitempty" json:"accumulate,omitempty"`
	// Why says what is pinned, and by what.
	Why []string `yaml:"why,omitempty" json:"why,omitempty"`
	// Emulated says which types the device has no arithmetic for.
	Emulated []string `yaml:"emulated,omitempty" json:"emulated,omitempty"`
}

// Count is a named number.
type Count struct {
	Name string `yaml:"name" json:"name"`
	N    int    `yaml:"n" json:"n"`
}

// Buffer finds a buffer by id.
func (p *Plan) Buffer(id string) *Buffer {
	for i := range p.Buffers {
		if p.Buffers[i].ID == id {
			return &p.Buffers[i]
		}
	}
	return nil
}

// Placement is where a kernel runs. The zero value is the host's processor.
type Placement struct {
	// Devices are the names of the accelerators that share the kernel's rows; empty: the host's processor.
	Devices []string `yaml:"devices,omitempty,flow" json:"devices,omitempty"`
	// Weights are the predicted shares of these devices, in their order; they sum to 1.
	Weights []float64 `yaml:"weights,omitempty,flow" json:"weights,omitempty"`
	// Host, Accelerated and Transfer are predicted times in ms: on the host's processor, on the accelerators with what has to be
	// copied for it, and of the copies alone. All are 0 where there is no accelerator to weigh.
	Host        float64 `yaml:"host_ms,omitempty" json:"host_ms,omitempty"`
	Accelerated float64 `yaml:"accelerated_ms,omitempty" json:"accelerated_ms,omitempty"`
	Transfer    float64 `yaml:"transfer_ms,omitempty" json:"transfer_ms,omitempty"`
	// BytesIn and BytesOut are how many are copied to the accelerators for the kernel, and of what it makes to the host, whenever somebody asks for that.
	// On several devices they depend on who gets which rows, and are about these.
	BytesIn  int64 `yaml:"bytes_in,omitempty" json:"bytes_in,omitempty"`
	BytesOut int64 `yaml:"bytes_out,omitempty" json:"bytes_out,omitempty"`
	// Bound is what limits it on the accelerators: compute, bandwidth, latency or transfer.
	Bound string `yaml:"accelerated_bound,omitempty" json:"accelerated_bound,omitempty"`
	// Refused is why the kernel is not on the accelerators that the run was asked to be on; empty: it is where it was asked to be.
	Refused string `yaml:"refused,omitempty" json:"refused,omitempty"`
	// Why says what decided, for people.
	Why string `yaml:"why,omitempty" json:"why,omitempty"`

	// Once is what the first call and the last of a drive's program take more than others, in ms, for copies; it is of the first kernel.
	Once float64 `yaml:"once_ms,omitempty" json:"once_ms,omitempty"`
	// Learned is what runs taught: Accelerated is multiplied by it.
	Learned float64 `yaml:"learned,omitempty" json:"learned,omitempty"`
}

// Accelerates reports whether a kernel is placed on accelerators.
func (p Placement) Accelerates() bool { return len(p.Devices) > 0 }

// Unlearned is Accelerated without what runs taught, in ms.
func (p Placement) Unlearned() float64 { return p.Accelerated / cmp.Or(p.Learned, 1) }

// Key names the devices together, for what is learned of them.
func (p Placement) Key() string { return strings.Join(p.Devices, "+") }

// Expected is how long the kernel is predicted to take where it is placed, in ms, and what limits it there.
func (k *Kernel) Expected() (ms float64, bound string) {
	if k.Place.Accelerates() {
		return k.Place.Accelerated, k.Place.Bound
	}
	return k.Predicted, k.Bound
}

// Approximation is what is not exact about a use of an operator, by its arguments.
type Approximation struct {
	Op   string `yaml:"op" json:"op"`
	Line int    `yaml:"line,omitempty" json:"line,omitempty"`
	What string `yaml:"what" json:"what"`
}

// Reached is the part of an array that there is.
type Reached struct {
	Dims       []ReachedDim `yaml:"dims" json:"dims"`
	SavedBytes int64        `yaml:"saved_bytes" json:"saved_bytes"`
	SavedFlops float64      `yaml:"saved_flops" json:"saved_flops"`
}

// ReachedDim are the indices of one dim, of so many, from Lo up to Hi.
type ReachedDim struct {
	Name string `yaml:"name" json:"name"`
	Lo   int    `yaml:"lo" json:"lo"`
	Hi   int    `yaml:"hi" json:"hi"`
	Of   int    `yaml:"of" json:"of"`
}

// String is written as in explain: sample 130..520 of 559.
func (r *Reached) String() string {
	parts := make([]string, len(r.Dims))
	for i, d := range r.Dims {
		parts[i] = fmt.Sprintf("%s %d..%d of %d", d.Name, d.Lo, d.Hi-1, d.Of)
	}
	return strings.Join(parts, ", ")
}
