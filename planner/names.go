package planner

import (
	"weft/ops"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/place"
	"weft/planner/plan"
)

// What a plan is made of.
type (
	Plan          = bound.Plan
	Buffer        = bound.Buffer
	Step          = bound.Step
	Kernel        = bound.Kernel
	Reference     = bound.Reference
	Stream        = blocks.Stream
	Pass          = blocks.Pass
	Block         = blocks.Block
	DeviceModel   = place.DeviceModel
	Placing       = place.Placing
	Rates         = plan.Rates
	Totals        = plan.Totals
	Role          = plan.Role
	StepKind      = plan.StepKind
	Fused         = plan.Fused
	Axis          = plan.Axis
	Precision     = plan.Precision
	Code          = plan.Code
	Edge          = plan.Edge
	Placement     = plan.Placement
	Choice        = plan.Choice
	Choices       = plan.Choices
	Decisions     = plan.Decisions
	Search        = plan.Search
	Proof         = plan.Proof
	Candidate     = plan.Candidate
	Approximation = plan.Approximation
	Reached       = plan.Reached
)

// FormatVersion of the plan value.
const FormatVersion = plan.FormatVersion

// Roles and kinds of steps.
const (
	FromSource = plan.FromSource
	FromPlan   = plan.FromPlan
	FromKernel = plan.FromKernel
	ReadStep   = plan.ReadStep
	KernelStep = plan.KernelStep
	SinkStep   = plan.SinkStep
)

// Codes of verdicts.
const (
	Given       = plan.Given
	Costly      = plan.Costly
	Limit       = plan.Limit
	Budget      = plan.Budget
	OtherDevice = plan.OtherDevice
)

// Meaning explains every code in a sentence.
var Meaning = plan.Meaning

// FormatBytes writes a size for people.
func FormatBytes(n int64) string { return plan.FormatBytes(n) }

// FormatMillis writes a time, given in ms, for people.
func FormatMillis(ms float64) string { return plan.FormatMillis(ms) }

// StageKey names a stage within its program.
func StageKey(s *ops.Stage) string { return graph.Key(s) }

// Bind finds in a checked program what a plan of it names.
var Bind = bound.Bind

// Compile compiles some kernels of a plan.
var Compile = bound.Compile

// Place places the kernels of a plan again.
var Place = place.Place

// ModelOf describes a device.
var ModelOf = place.ModelOf
