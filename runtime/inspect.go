package runtime

import (
	"context"
	"maps"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner"
)

// Inspection is a kernel that just ran, while all its arrays are in memory. Inspectors may read the arrays, and write none.
type Inspection struct {
	Plan    *planner.Plan
	Step    *planner.Step
	Mem     map[*ir.Buffer]device.Memory
	Threads int
	run     *run
}

// inspect shows a kernel to whoever asked to see it.
func (r *run) inspect(ctx context.Context, step *planner.Step) error {
	if r.opt.Inspect == nil {
		return nil
	}
	return r.opt.Inspect(ctx, &Inspection{Plan: r.plan, Step: step, Mem: r.arrays.mem, Threads: r.opt.Threads, run: r})
}

// Points picks at most n points of the kernel's axes, and fewer where each is dear to compute in float64; cost is that of one,
// in operations. None are picked where even one takes too long.
func (i *Inspection) Points(n int, seed uint64) (points [][]int, cost float64) {
	roots := i.Step.Kernel.Roots
	ref := i.Plan.Reference(roots, i.run.arrays.holds)
	if ref.Cost > dearestSample {
		return nil, ref.Cost
	}
	n = max(1, min(n, int(inspectBudget/max(1, ref.Cost))))
	return samplePoints(ops.Type{Dims: roots[0].Axes()}.Shape(), n, seed), ref.Cost
}

// inspectBudget bounds the operations in float64 that an inspection of one kernel takes: some seconds.
const inspectBudget = 1e9

// Expected is what the kernel's stages should hold at points of its axes: by stage, then by the elements of it that belong to the points.
func (i *Inspection) Expected(ctx context.Context, points [][]int) ([][]complex128, error) {
	roots := i.Step.Kernel.Roots
	return Evaluate(ctx, i.Plan.Reference(roots, i.run.arrays.holds), roots, points, i.Mem, i.Threads)
}

// Values are the elements of a stage at points of its kernel's axes, as memory holds them, in the stage's own unit.
func (i *Inspection) Values(s *ops.Stage, mem device.Memory, points [][]int) []complex128 {
	b := i.run.arrays.byStage[s]
	h := ops.HostArray{Type: s.Type, Buf: b.Ir, Data: mem.Host()}
	var out []complex128
	for _, p := range pointsOf(s, points) {
		out = append(out, b.Value(h.Complex(flatten(p, s.Type.Shape()))))
	}
	return out
}

// Buffer is where a stage is stored.
func (i *Inspection) Buffer(s *ops.Stage) *planner.Buffer { return i.run.arrays.byStage[s] }

// Name is the variable that holds a stage, or the stage's own.
func (i *Inspection) Name(s *ops.Stage) string { return valueName(i.run.arrays.byStage[s]) }

// Rule is the metric and tolerance a stage is held to.
func (i *Inspection) Rule(s *ops.Stage) ops.ErrorRule { return i.run.ruleOf(s) }

// Peak is the largest finite magnitude of a stage as stored.
func (i *Inspection) Peak(s *ops.Stage) float64 {
	b := i.run.arrays.byStage[s]
	h := ops.HostArray{Type: s.Type, Buf: b.Ir, Data: i.Mem[b.Ir].Host()}
	return b.Peak(peakOf(h, region.Interval{Hi: rowsOf(s.Type)}, i.Threads))
}

// Sweep launches a program over tiles on all threads, with memory of its own for some buffers.
func (i *Inspection) Sweep(ctx context.Context, p device.Program, tiles []region.Region, instead map[*ir.Buffer]device.Memory) error {
	k := p.Kernel()
	mem := maps.Clone(i.Mem) // the tables that bound what the kernel loads among them
	maps.Copy(mem, instead)
	launch, err := p.Bind(device.Bindings{Mem: mem})
	if err != nil {
		return err
	}
	s := &sweep{name: k.Name, launch: launch, threads: i.Threads, done: func() {}}
	if err := s.run(ctx, tiles); err != nil {
		return err
	}
	return s.fault
}
