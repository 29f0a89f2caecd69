package runtime

import (
	"context"
	"runtime"
	"time"

	"weft/kernels/device"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
	"weft/runtime/exec"
	"weft/runtime/memory"
	"weft/runtime/progress"
	"weft/runtime/trace"
)

// Options of a run.
type Options struct {
	// Devices in order of preference: a stage that fails on one runs on the next. The first one holds the arrays.
	Devices []device.Device
	// Accelerators run the kernels that the plan places on them. They hold replicas of rows of the arrays; what fails on them is done by the
	// Devices.
	Accelerators []device.Device
	// Programs are kernels that are compiled already; the run adds its own. nil: none.
	Programs *exec.Programs
	// Missing are devices that would have been preferred but cannot be had: every kernel counts as fallen back from them.
	Missing []Missing

	Threads  int // launches at once; 0: one a processor
	Strict   bool
	Verify   bool          // compare a sample of every stored array with float64
	Seed     uint64        // of the sample; 0: audit.DefaultSeed
	Count    bool          // count what folds execute that may be left early
	Tune     bool          // measure schedules that were never measured
	TuneTime time.Duration // for each kernel, and again where some were measured; 0: a default time, once
	// Tiled hears, under Tune, of kernels whose tiles were measured to be fastest in another size than planned.
	Tiled    func(k *bound.Kernel) error
	Terminal ops.Terminal
	// Wider are the plans to run in place of one whose samples are beyond their tolerance, each where the one before was.
	Wider []Wider
	// Memory hands out what the arrays take; nil: whatever the plan asks for.
	Memory *memory.Governor
	// Resume goes on with outputs that an earlier run of the same plan in blocks left unfinished.
	Resume bool
	// Provenance is recorded beside outputs that have no room for it in themselves.
	Provenance bool
	Origin     ops.Origin // is recorded in or beside outputs
	// See looks at what each sink that takes whole arrays is given, before the sink runs; nil: nobody does.
	See func(step *bound.Step, in []ops.HostArray) error
	// Discard makes sinks do nothing: what they would be given is computed all the same.
	Discard bool
	// Inspect sees every kernel once it has run, in plans that keep whole arrays; an error ends the run.
	Inspect func(context.Context, *Inspection) error
	// Roof is what the machine can do at most, in operations and bytes a second, for kernels that move so many bytes; nil: nobody knows.
	Roof     func(bytes int64) (flops, bandwidth float64)
	Progress progress.Hears // nil: none
	Trace    *trace.Writer  // nil: none
}

// Wider is the same program in wider types.
type Wider struct {
	Types string
	Plan  func() (*bound.Plan, error)
}

// Missing is a device that cannot be had, and why.
type Missing struct {
	Kind   string // as device.Info's
	Reason string
}

func (o Options) withDefaults() Options {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Seed == 0 {
		o.Seed = audit.DefaultSeed
	}
	if o.Programs == nil {
		o.Programs = &exec.Programs{}
	}
	if o.Progress == nil {
		o.Progress = progress.Silence{}
	}
	return o
}
