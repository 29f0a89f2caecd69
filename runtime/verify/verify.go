// Package verify compares what every device, instruction set and schedule makes of a plan's kernels: with float64 at sampled
// points, and with what the run stored everywhere.
package verify

import (
	"context"
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/audit"
)

// Subject is a way to compute kernels that is put to the test. What goes wrong with one is a row of its own: the others go on.
type Subject struct {
	Name string
	// Variants makes a kernel ready in every way the subject knows; release gives up what they hold and may be nil. No variants and no
	// error: the subject does not take this kernel.
	Variants func(ctx context.Context, i *runtime.Inspection) (variants []Variant, release func(), err error)
	// Alloc gives memory for results, which the host can address.
	Alloc func(*ir.Buffer) (device.Memory, error)
	// Pointwise subjects are slow: they compute the sampled points only.
	Pointwise bool
}

// Variant is a kernel that is ready to run: over its tiles, or as many as there is time for, into memory of its own.
type Variant struct {
	Name  string
	Tiles []region.Region
	Run   func(ctx context.Context, tiles []region.Region, own map[*ir.Buffer]device.Memory) error
}

// Options of a verification.
type Options struct {
	Run      runtime.Options // Devices, Threads, Progress and the like; what it says of Verify and Inspect does not count
	Subjects []Subject
	Samples  int     // points of each kernel; 0: DefaultSamples
	Seconds  float64 // that each variant of a kernel may take, about; 0: DefaultSeconds
}

// Defaults.
const (
	DefaultSamples = 1024
	DefaultSeconds = 0.5
)

// Row is one stored array as one variant of a subject computes it, or as the run stored it.
type Row struct {
	Value     string     `json:"value"`
	Kernel    string     `json:"kernel"`
	Subject   string     `json:"subject"`
	Variant   string     `json:"variant,omitempty"`
	Metric    ops.Metric `json:"metric"`
	Unit      string     `json:"unit,omitempty"`
	Tolerance float64    `json:"tolerance"`
	// Max and P99 are errors against float64 over Samples points, in the metric.
	Max     float64 `json:"max"`
	P99     float64 `json:"p99"`
	Samples int     `json:"samples"`
	Finite  int     `json:"finite"` // samples that are finite
	// Mismatched counts samples that are finite on one side only.
	Mismatched int `json:"mismatched"`
	// Difference is the largest from what the run stored, in the metric, over Compared elements.
	Difference float64 `json:"difference"`
	Compared   int     `json:"compared"`
	// Ties counts elements beside a discontinuity that lies within rounding, which took another branch than float64 or the run.
	Ties    int    `json:"ties,omitempty"`
	Skipped string `json:"skipped,omitempty"`
	OK      bool   `json:"ok"`
}

// Report is the outcome.
type Report struct {
	File     string `json:"file"`
	PlanHash string `json:"plan_hash"`
	Rows     []Row  `json:"rows"`
	OK       bool   `json:"ok"`
}

// streams reports whether a plan, or a program of its drives, has arrays that are never there as a whole.
func streams(p *bound.Plan) bool {
	return p.Stream != nil || slices.ContainsFunc(p.Steps, func(s bound.Step) bool { return slices.ContainsFunc(s.Programs, streams) })
}

// Run runs the plan without its sinks and puts every kernel to the test.
func Run(ctx context.Context, p *bound.Plan, opt Options) (*Report, error) {
	if streams(p) {
		return nil, problem.Wrong(problem.MemoryBudget, "", "give more --memory, or a smaller grid with -p",
			"arrays are verified as a whole, and these do not fit the memory at once")
	}
	if opt.Samples <= 0 {
		opt.Samples = DefaultSamples
	}
	if opt.Seconds <= 0 {
		opt.Seconds = DefaultSeconds
	}
	if opt.Run.Seed == 0 {
		opt.Run.Seed = audit.DefaultSeed
	}
	report := &Report{File: p.File, PlanHash: p.Hash, OK: true, Rows: []Row{}}
	opt.Run.Verify, opt.Run.Discard = false, true
	right := map[*ops.Stage]bool{} // as the run left it; what it was made from is given up with its last reader
	opt.Run.Inspect = func(ctx context.Context, i *runtime.Inspection) error {
		i.Known = func(s *ops.Stage) bool { return right[s] }
		c := &comparison{Inspection: i, opt: opt}
		if err := c.kernel(ctx); err != nil {
			return fmt.Errorf("verifying kernel %s: %w", i.Step.ID, err)
		}
		for _, s := range c.ran {
			right[s.Array.Of.Array] = s.OK()
		}
		report.Rows = append(report.Rows, c.rows...)
		return nil
	}
	if _, err := runtime.Run(ctx, p, opt.Run); err != nil {
		return report, err
	}
	for _, r := range report.Rows {
		report.OK = report.OK && r.OK
	}
	return report, nil
}
