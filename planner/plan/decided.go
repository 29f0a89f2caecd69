package plan

import (
	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
)

// Choice is the precision of one stored stage where it differs from what its operator says: how its array lies in memory, and
// what the kernel that stores it computes and sums in. 0 leaves a part as it is.
type Choice struct {
	Storage      ir.DType         `yaml:"storage,omitempty" json:"storage,omitempty"`
	retype.Units `yaml:",inline"` // of integer storage
	Compute      ir.DType         `yaml:"compute,omitempty" json:"compute,omitempty"`
	Accumulate   ir.DType         `yaml:"accumulate,omitempty" json:"accumulate,omitempty"`
}

// Choices are by StageKey.
type Choices map[string]Choice

// Decisions are what a planning weighed by figures of the machine. With them the same plan can be made when the figures have
// changed, as they do when a machine is measured.
type Decisions struct {
	Fused     map[string]bool `yaml:"fused,omitempty" json:"fused,omitempty"` // verdicts by edge, of those that were weighed
	Precision Choices         `yaml:"precision,omitempty" json:"precision,omitempty"`
	Ways      map[string]int  `yaml:"ways,omitempty" json:"ways,omitempty"` // that were taken, by what tells them apart: see ops.Ways
	// Places are the accelerators of the kernels that ran on some, by step: devices round as they like.
	Places    map[string][]string  `yaml:"places,omitempty" json:"places,omitempty"`
	Drives    map[string]Decisions `yaml:"drives,omitempty" json:"drives,omitempty"`         // of the programs of drives, by step and name
	FuseLimit *int                 `yaml:"fuse_limit,omitempty" json:"fuse_limit,omitempty"` // that was asked for
}

// On are the accelerators that any kernel ran on, those of drives among them.
func (d Decisions) On() (names []string) {
	for _, on := range d.Places {
		names = append(names, on...)
	}
	for _, program := range d.Drives {
		names = append(names, program.On()...)
	}
	return names
}

// Rates are the machine's figures that a verdict weighs.
type Rates struct {
	Flops     float64 `yaml:"flops" json:"flops"`         // single-precision additions a second, all cores, in kernels as rendered
	Bandwidth float64 `yaml:"bandwidth" json:"bandwidth"` // bytes a second to and from memory
	// Doubt is why the figures may not be the machine's; empty: they are.
	Doubt string `yaml:"doubt,omitempty" json:"doubt,omitempty"`
}

// Search is how the precision of a plan was found: what was tried and measured, and what it was held to.
type Search struct {
	Seconds float64 `yaml:"seconds" json:"seconds"` // that it took; 0 where it was found before
	Cached  bool    `yaml:"cached,omitempty" json:"cached,omitempty"`
	Samples int     `yaml:"samples" json:"samples"`
	Seed    uint64  `yaml:"seed" json:"seed"`
	Factor  float64 `yaml:"factor" json:"factor"` // of the tolerance that a choice may use
	// Skipped is why nothing was tried.
	Skipped    string       `yaml:"skipped,omitempty" json:"skipped,omitempty"`
	Proofs     []Proof      `yaml:"proofs,omitempty" json:"proofs,omitempty"`
	Candidates []*Candidate `yaml:"candidates,omitempty" json:"candidates,omitempty"`
	Inputs     string       `yaml:"inputs,omitempty" json:"inputs,omitempty"` // files that were read
	Choices    Choices      `yaml:"choices,omitempty" json:"choices,omitempty"`
}

// Proof is the measured error of one output, end to end, under what was chosen.
type Proof struct {
	Output    string     `yaml:"output" json:"output"`
	Metric    ops.Metric `yaml:"metric" json:"metric"`
	Tolerance float64    `yaml:"tolerance" json:"tolerance"`
	Max       float64    `yaml:"max" json:"max"`
	P99       float64    `yaml:"p99" json:"p99"`
	Judged    string     `yaml:"judged" json:"judged"` // max or p99: the figure that is held to the tolerance
	// Every is that figure of all elements against the plan as operators say it; 0: they are equal, or were not compared.
	Every   float64 `yaml:"every,omitempty" json:"every,omitempty"`
	Samples int     `yaml:"samples" json:"samples"`
	Unit    string  `yaml:"unit,omitempty" json:"unit,omitempty"`
	// Mismatched counts samples where one side is finite and the other is not.
	Mismatched int `yaml:"mismatched,omitempty" json:"mismatched,omitempty"`
	// Ties counts samples beside a discontinuity that lies within rounding, compared with the branch that the kernel took.
	Ties int `yaml:"ties,omitempty" json:"ties,omitempty"`
}

// Quantity writes an error in the proof's metric.
func (p Proof) Quantity(v float64) string { return p.Metric.Quantity(v, p.Unit) }

// Figure is the one of the two errors that is held to the tolerance.
func (p Proof) Figure() float64 {
	if p.Judged == "p99" {
		return p.P99
	}
	return p.Max
}

// Candidate is a precision that was tried for one stage.
type Candidate struct {
	Stage  string `yaml:"stage" json:"stage"`
	Name   string `yaml:"name" json:"name"`
	Choice Choice `yaml:"choice,omitempty" json:"choice"`
	// Millis is the processor time of the kernels it touches, Was that of the same kernels without it; 0: not measured.
	Millis float64 `yaml:"ms,omitempty" json:"ms,omitempty"`
	Was    float64 `yaml:"was_ms,omitempty" json:"was_ms,omitempty"`
	Bytes  int64   `yaml:"bytes,omitempty" json:"bytes,omitempty"`
	Proofs []Proof `yaml:"proofs,omitempty" json:"proofs,omitempty"`
	// Verdict is chosen, or why not.
	Verdict string `yaml:"verdict" json:"verdict"`
}

// Ways is how it was found which of several ways to the same array is taken: what each was measured to take.
type Ways struct {
	Of      string  `yaml:"of" json:"of"` // the function of the program, or the variable, that has them
	Line    int     `yaml:"line" json:"line"`
	Turns   int     `yaml:"turns" json:"turns"` // that the program may make
	Chosen  string  `yaml:"chosen" json:"chosen"`
	Seconds float64 `yaml:"seconds" json:"seconds"` // that measuring took; 0 where it was found before
	Cached  bool    `yaml:"cached,omitempty" json:"cached,omitempty"`
	// Skipped is why nothing was measured.
	Skipped string `yaml:"skipped,omitempty" json:"skipped,omitempty"`
	Tried   []*Way `yaml:"tried,omitempty" json:"tried,omitempty"`
}

// Way is one of Ways: the processor time of all that it needs once and another one does not, and of a turn, and how far its trial is from that of the first.
type Way struct {
	Name    string  `yaml:"name" json:"name"`
	Once    float64 `yaml:"once_ms" json:"once_ms"`
	Turn    float64 `yaml:"turn_ms" json:"turn_ms"`
	Error   float64 `yaml:"error" json:"error"`
	Verdict string  `yaml:"verdict" json:"verdict"` // chosen, or why not
}

// All is what it takes with so many turns, in ms.
func (w *Way) All(turns int) float64 { return w.Once + float64(turns)*w.Turn }
