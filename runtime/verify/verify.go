// Package verify compares what every device, instruction set and schedule makes of a plan's kernels: with float64 at sampled
// points, and with what the run stored everywhere.
package verify

import (
	"context"
	"fmt"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/audit"
)

// Subject is a way to compute kernels that is put to the test.
type Subject struct {
	Name string
	// Variants compiles a kernel in every way the subject knows, each under a name. No variants and no error: the subject does
	// not take this kernel.
	Variants func(ctx context.Context, k *ir.Kernel) ([]Variant, error)
	// Device, where it is not nil, computes in memory of its own; it needs no Variants.
	Device device.Device
	// Alloc gives memory for results, which the host can address.
	Alloc func(*ir.Buffer) (device.Memory, error)
	// Pointwise subjects are slow: they compute the sampled points only.
	Pointwise bool
}

// Variant is a compiled kernel.
type Variant struct {
	Name    string
	Program device.Program
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
	// Apart is the largest difference from what the run stored, in the metric, over Compared elements.
	Apart    float64 `json:"apart"`
	Compared int     `json:"compared"`
	Skipped  string  `json:"skipped,omitempty"`
	OK       bool    `json:"ok"`
}

// Report is the outcome.
type Report struct {
	File     string `json:"file"`
	PlanHash string `json:"plan_hash"`
	Rows     []Row  `json:"rows"`
	OK       bool   `json:"ok"`
}

// Run runs the plan without its sinks and puts every kernel to the test.
func Run(ctx context.Context, p *bound.Plan, opt Options) (*Report, error) {
	if p.Stream != nil {
		return nil, problem.Wrong(problem.MemoryBudget, "", "give more --memory, or a smaller grid with -p", "arrays are verified as a whole, and these do not fit the memory at once")
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
	opt.Run.Inspect = func(ctx context.Context, i *runtime.Inspection) error {
		t := &trial{Inspection: i, opt: opt}
		if err := t.kernel(ctx); err != nil {
			return fmt.Errorf("verifying kernel %s: %w", i.Step.ID, err)
		}
		report.Rows = append(report.Rows, t.rows...)
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
