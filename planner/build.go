package planner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/cost"
	"weft/planner/plan"
)

// Options of a planning.
type Options struct {
	File      string
	Weft      string       // version of weft, recorded in the plan
	Program   plan.Program // recorded in the plan too, which can then be read back
	FuseLimit int          // at most so many fusions; negative: no limit
	Threads   int          // launches at once, which tiles are cut for
	Memory    int64        // bytes that buffers may take together; 0: no limit
	Rates     Rates
	Cost      *cost.Model // of the device; nil: predictions from Rates alone
	Precision Choices     // that differ from what operators say; @precision goes first
	Decided   *Decisions  // of an earlier planning of the same program, to make its plan again; nil: weigh
	// Accelerators are what kernels may be placed on besides the host's processor; Device is what the whole run was asked to be on,
	// see Placing.
	Accelerators []DeviceModel
	Device       string
}

// defaultRates stand in until a machine is measured: one core of a current desktop or server, times the threads.
func defaultRates(threads int) Rates {
	return Rates{Flops: 40e9 * float64(max(1, threads)), Bandwidth: 20e9}
}

// Build plans what the sinks of a program ask for. Kernels are not compiled yet: see Plan.Compile.
func Build(sinks []*ops.Instance, dev device.Info, opt Options) (*Plan, error) {
	if opt.Rates == (Rates{}) && opt.Cost != nil {
		opt.Rates = Rates{Flops: opt.Cost.Flops(), Bandwidth: opt.Cost.Bandwidth()}
	}
	if opt.Rates == (Rates{}) {
		opt.Rates = defaultRates(opt.Threads)
	}
	var decided map[string]bool
	if opt.Decided != nil {
		decided, opt.Precision, opt.FuseLimit = opt.Decided.Fused, opt.Decided.Precision, opt.Decided.FuseLimit
	}
	g := collect(sinks)
	f := &fuser{g: g, rates: opt.Rates, limit: opt.FuseLimit, fused: map[[2]*ops.Stage]bool{}, alone: map[*ops.Stage]isolated{}, places: places{},
		cost: opt.Cost, decided: decided, weighings: map[string]bool{}}
	f.run()
	if len(f.faults) > 0 {
		return nil, errors.Join(f.faults...)
	}
	a := newAssembler(g, f.fused)
	groups := a.groups()
	if layOut(a, groups, dev.Prefers) {
		a = newAssembler(g, f.fused)
		groups = a.groups()
	}
	if crop(a, groups) {
		a = newAssembler(g, f.fused)
		groups = a.groups()
	}
	b := &builder{opt: opt, dev: dev, a: a, fuser: f, ids: map[*ops.Stage]string{}, scales: map[*ops.Stage]float64{}}
	b.plan = &Plan{graph: g, costs: costs{opt.Cost, opt.Rates}, Plan: plan.Plan{Budget: opt.Memory, Format: FormatVersion, Weft: opt.Weft, File: opt.File,
		Program: opt.Program, Machine: machineOf(dev, opt), Device: dev.Name, Rates: opt.Rates, Edges: f.edges,
		Decided: Decisions{Fused: f.weighings, Precision: opt.Precision, FuseLimit: opt.FuseLimit}}}
	if err := b.retype(groups); err != nil {
		return nil, err
	}
	b.build(groups)
	if err := b.fit(); err != nil {
		return nil, err
	}
	b.ready()
	if err := Place(b.plan, opt.Accelerators, Placing{Device: opt.Device, Decided: opt.Decided, Cost: opt.Cost}); err != nil {
		return nil, err
	}
	return b.plan, nil
}

// builder writes the plan value.
type builder struct {
	opt   Options
	dev   device.Info
	a     *assembler
	fuser *fuser
	plan  *Plan
	ids   map[*ops.Stage]string

	pins   *pins
	scales map[*ops.Stage]float64 // of one unit of arrays stored as integers
}

func (b *builder) build(groups []*group) {
	ks := make([]*ir.Kernel, len(groups))
	for i, g := range groups {
		ks[i] = g.kernel
	}
	mayPad := map[*ir.Buffer]bool{}
	for _, buf := range b.a.bufs {
		mayPad[buf] = true
	}
	padGuarded(ks, mayPad)
	for i, g := range groups {
		for _, s := range g.loads {
			b.use(s)
		}
		b.kernelStep(i, g)
	}
	for _, s := range b.a.g.sinks {
		for _, in := range s.inputs {
			b.use(in)
		}
		b.sinkStep(s)
	}
	b.placeSinks()
	b.frees()
	b.keepForProof()
	b.totals(groups)
	b.plan.Approximations = approximations(b.a.g.stages)
	b.plan.Hash = hashPlan(b.plan)
}

// use makes sure a stage has a buffer and, when it comes from outside, a step that reads it.
func (b *builder) use(s *ops.Stage) string {
	if id, ok := b.ids[s]; ok {
		return id
	}
	id := fmt.Sprintf("b%d", len(b.plan.Buffers)+1)
	b.ids[s] = id
	buf := b.a.buffer(s)
	pb := Buffer{Ir: buf, Array: s, Buffer: plan.Buffer{ID: id, Key: StageKey(s), Stage: s.Name, Label: label(s), Type: s.Type.String(), Bytes: buf.Bytes(),
		Role: roleOf(s), Unit: s.Type.Unit.String(), Exchanged: s.Exchanged()}}
	if p := buf.Pad; p != (ir.Pad{}) {
		pb.Padded = fmt.Sprintf("rows of %d + %d + %d, %g outside", p.Before, buf.Shape[len(buf.Shape)-1], p.After, p.Value)
		pb.Pad = &plan.Pad{Before: p.Before, After: p.After, Value: strconv.FormatFloat(p.Value, 'g', -1, 64)}
	}
	for _, at := range s.Box() {
		pb.Box = append(pb.Box, plan.Box(at))
	}
	pb.Reached = reachedOf(s)
	b.describeStorage(&pb)
	b.plan.Buffers = append(b.plan.Buffers, pb)
	if s.Source {
		b.plan.Steps = append(b.plan.Steps, Step{Op: s.Op, Step: plan.Step{ID: fmt.Sprintf("r%d", len(b.plan.Steps)+1), Kind: ReadStep, Name: s.Op.Spec.Name,
			Args: arguments(s.Op), Writes: []string{id}, Line: s.Op.Where.Line, Instance: s.Op.ID}})
	}
	return id
}

func roleOf(s *ops.Stage) Role {
	switch {
	case s.Source:
		return FromSource
	case s.Data != nil:
		return FromPlan
	}
	return FromKernel
}

// label is the variable an operator's result is held by; inner stages have none.
func label(s *ops.Stage) string {
	if s.Op == nil || s.Name != s.Op.Spec.Name {
		return ""
	}
	return s.Op.Label
}

// variable is how a pipeline names a result of an operator: by the variable that holds it, or the record that it is in.
func variable(s *ops.Stage) string {
	if !s.IsOutput() || s.Op.Label == "" {
		return ""
	}
	return s.Op.Label + strings.TrimPrefix(s.Name, s.Op.Spec.Name)
}

// arguments writes an operator's settings for people: everything but arrays.
func arguments(op *ops.Instance) string {
	var out []string
	for _, p := range op.Spec.Params {
		v, ok := op.Call.Args[p.Name]
		if !ok || v == nil || v.Kind()&(ops.KArray|ops.KObject|ops.KRecord) != 0 || p.Default != nil && v.String() == p.Default.String() {
			continue
		}
		out = append(out, p.Name+": "+v.String())
	}
	return strings.Join(out, ", ")
}

// idOf is the id of a kernel's buffer.
func (b *builder) idOf(buf *ir.Buffer) string {
	i := slices.IndexFunc(b.plan.Buffers, func(pb Buffer) bool { return pb.Ir == buf })
	return b.plan.Buffers[i].ID
}

// machineOf is what a plan is made for.
func machineOf(dev device.Info, opt Options) plan.Machine {
	m := plan.Machine{Kind: dev.Kind, Detail: dev.Detail, Threads: opt.Threads}
	for _, a := range opt.Accelerators {
		m.Accelerators = append(m.Accelerators, a.Info.Name)
	}
	return m
}

func (b *builder) kernelStep(i int, g *group) {
	step := Step{Step: plan.Step{ID: fmt.Sprintf("k%d", i+1), Kind: KernelStep}}
	k := &Kernel{Kernel: plan.Kernel{Device: b.dev.Name, Hash: ir.Hash(g.kernel)}, Ir: g.kernel, Roots: g.roots, group: g}
	for _, s := range g.inside {
		k.Stages = append(k.Stages, Fused{Name: s.Name, Key: StageKey(s), Label: variable(s), Steps: s.Steps, Line: s.Where.Line})
		if !slices.Contains(k.Ops, s.Op.Spec.Name) {
			k.Ops = append(k.Ops, s.Op.Spec.Name)
		}
	}
	step.Name = strings.Join(k.Ops, " + ")
	for _, s := range g.loads {
		step.Reads = append(step.Reads, b.use(s))
	}
	for _, s := range g.roots {
		step.Writes = append(step.Writes, b.use(s))
		if step.Line == 0 || s.Where.Line > 0 {
			step.Line = s.Where.Line
		}
	}
	k.IR = ir.Encode(g.kernel, b.idOf)
	b.estimate(k, g)
	for _, id := range step.Writes {
		countSaved(b.plan.Buffer(id).Reached, k.Flops, g)
	}
	k.Precision = precisionOf(g.kernel, g.types)
	k.Precision.Why = b.pins.because(g)
	k.setTiles(nil, b.opt.Threads)
	k.predictTiles()
	step.Kernel = k
	b.plan.Steps = append(b.plan.Steps, step)
}

func (b *builder) sinkStep(s sink) {
	step := Step{Op: s.op, Step: plan.Step{ID: fmt.Sprintf("s%d", len(b.plan.Steps)+1), Kind: SinkStep, Name: s.op.Spec.Name, Args: arguments(s.op),
		Line: s.op.Where.Line, Instance: s.op.ID}}
	for _, in := range s.inputs {
		step.Reads = append(step.Reads, b.ids[in])
	}
	b.plan.Steps = append(b.plan.Steps, step)
}
