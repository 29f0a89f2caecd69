package planner

import (
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/cost"
)

// FormatVersion of the plan value.
const FormatVersion = 1

// Plan is everything a run needs to know, as a value.
type Plan struct {
	Format  int      `yaml:"format" json:"format"`
	Weft    string   `yaml:"weft" json:"weft"`
	File    string   `yaml:"file" json:"file"`
	Hash    string   `yaml:"hash" json:"hash"`
	Device  string   `yaml:"device" json:"device"`
	Rates   Rates    `yaml:"rates" json:"rates"`
	Buffers []Buffer `yaml:"buffers" json:"buffers"`
	Steps   []Step   `yaml:"steps" json:"steps"`
	Edges   []Edge   `yaml:"edges" json:"edges"`
	Totals  Totals   `yaml:"totals" json:"totals"`
	// Approximations are what its operators say is not exact.
	Approximations []Approximation `yaml:"approximations,omitempty" json:"approximations,omitempty"`
	// Stream says how the program runs in blocks of rows, where its arrays do not fit the memory budget at once.
	Stream *Stream `yaml:"stream,omitempty" json:"stream,omitempty"`

	Decided Decisions `yaml:"-" json:"-"` // what was weighed
	again   bool      // by decisions of an earlier planning
	Budget  int64     `yaml:"-" json:"-"` // of memory that it was made for; 0: none
	// Search is how the precision was found; nil where everything is in what its operators say.
	Search *Search `yaml:"search,omitempty" json:"search,omitempty"`
	// Wider plans the same program in wider types, and names them, for a run whose samples are beyond their tolerance; nil, or a
	// nil plan, where there are none.
	Wider func() (*Plan, string, error) `yaml:"-" json:"-"`
}

// Again reports a plan made by the decisions of an earlier planning.
func (p *Plan) Again() bool { return p.again }

// Totals sum a plan up.
type Totals struct {
	Kernels    int     `yaml:"kernels" json:"kernels"`
	Flops      float64 `yaml:"flops" json:"flops"`
	Bytes      int64   `yaml:"bytes" json:"bytes"`             // moved by kernels
	SavedBytes int64   `yaml:"saved_bytes" json:"saved_bytes"` // that fusion keeps from being moved
	PeakBytes  int64   `yaml:"peak_bytes" json:"peak_bytes"`   // of buffers alive at once
	PeakAt     string  `yaml:"peak_at" json:"peak_at"`         // the step at which they are
	Predicted  float64 `yaml:"predicted_ms" json:"predicted_ms"`
}

// Buffer is an array in memory.
type Buffer struct {
	ID     string `yaml:"id" json:"id"`
	Stage  string `yaml:"stage" json:"stage"`
	Label  string `yaml:"label,omitempty" json:"label,omitempty"`
	Type   string `yaml:"type" json:"type"`
	Bytes  int64  `yaml:"bytes" json:"bytes"`
	Role   Role   `yaml:"role" json:"role"`
	Padded string `yaml:"padded,omitempty" json:"padded,omitempty"`
	Unit   string `yaml:"unit,omitempty" json:"unit,omitempty"`
	// Reached says what part of the array there is, where nobody reads the rest.
	Reached *Reached `yaml:"reached,omitempty" json:"reached,omitempty"`
	// Stored is the type in memory where it is not the array's own; one unit of integers is worth Scale; see ir.Stored.
	Stored string  `yaml:"stored,omitempty" json:"stored,omitempty"`
	Scale  float64 `yaml:"scale,omitempty" json:"scale,omitempty"`
	// Pinned is why the array keeps its type; empty where it may be stored in fewer bits.
	Pinned string `yaml:"pinned,omitempty" json:"pinned,omitempty"`

	Ir    *ir.Buffer `yaml:"-" json:"-"`
	Array *ops.Stage `yaml:"-" json:"-"`
}

// Role says where a buffer's elements come from.
type Role string

// Roles.
const (
	FromSource Role = "source"
	FromPlan   Role = "table"
	FromKernel Role = "computed"
)

// StepKind is what a step does.
type StepKind string

// Step kinds.
const (
	ReadStep   StepKind = "read"
	KernelStep StepKind = "kernel"
	SinkStep   StepKind = "sink"
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

	Op *ops.Instance `yaml:"-" json:"-"`
}

// Where is the place of a step in the program: of its operator, or of the last stage that a kernel stores.
func (s *Step) Where() problem.Where {
	switch {
	case s.Op != nil:
		return s.Op.Where
	case s.Kernel != nil && len(s.Kernel.Roots) > 0:
		return s.Kernel.Roots[len(s.Kernel.Roots)-1].Where
	}
	return problem.Where{}
}

// Kernel is the plan of one kernel.
type Kernel struct {
	Ops        []string  `yaml:"ops,flow" json:"ops"`                                // operators, producers first
	Stages     []Fused   `yaml:"stages" json:"stages"`                               // what is computed in place
	Axes       []Axis    `yaml:"axes" json:"axes"`                                   // outermost first
	Tiles      int       `yaml:"tiles" json:"tiles"`                                 // launches
	TilesTuned bool      `yaml:"tiles_tuned,omitempty" json:"tiles_tuned,omitempty"` // their size was chosen by measurement
	Device     string    `yaml:"device" json:"device"`                               // of the host's, that it is compiled for
	Ready      bool      `yaml:"ready,omitempty" json:"ready,omitempty"`             // what it stores gets its pages while the source before it is read
	Place      Placement `yaml:"place,omitempty" json:"place,omitzero"`              // which accelerators run it, where there are any
	Precision  Precision `yaml:"precision" json:"precision"`
	Flops      float64   `yaml:"flops" json:"flops"`
	Bytes      int64     `yaml:"bytes" json:"bytes"`
	Predicted  float64   `yaml:"predicted_ms" json:"predicted_ms"`
	Bound      string    `yaml:"bound" json:"bound"` // compute or bandwidth: what the prediction is limited by
	// Estimate is what the prediction is made of.
	Estimate cost.Estimate `yaml:"estimate" json:"estimate"`
	Schedule string        `yaml:"schedule,omitempty" json:"schedule,omitempty"`
	Tuned    bool          `yaml:"tuned,omitempty" json:"tuned,omitempty"`
	Loads    []Count       `yaml:"loads,omitempty" json:"loads,omitempty"` // by class
	Tables   int           `yaml:"tables,omitempty" json:"tables,omitempty"`
	Hash     string        `yaml:"hash" json:"hash"` // of the kernel's IR

	Ir      *ir.Kernel      `yaml:"-" json:"-"`
	Program device.Program  `yaml:"-" json:"-"`
	TileSet []region.Region `yaml:"-" json:"-"`
	Roots   []*ops.Stage    `yaml:"-" json:"-"` // the stages it stores
	Source  string          `yaml:"-" json:"-"`
	// Described is how the accelerators that it is placed on run it, once Plan.Describe has asked; nil: nobody did, or they cannot tell.
	Described *device.Report `yaml:"-" json:"-"`

	group     *group
	tuned     func() []int // the tiles measured fastest; nil: there is nothing to ask
	predictor func(tiles int, known *device.Report) cost.Estimate
	kind      string  // of the device it is compiled for
	slow      float64 // how much longer than predicted the device takes; see slowness
}

// Fused is a stage computed inside a kernel, with the steps it names.
type Fused struct {
	Name  string   `yaml:"name" json:"name"`
	Label string   `yaml:"label,omitempty" json:"label,omitempty"`
	Steps []string `yaml:"steps,omitempty,flow" json:"steps,omitempty"`
	Line  int      `yaml:"line,omitempty" json:"line,omitempty"`
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
