package planner

import (
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
)

// drive adds the step of the drive that a stage is an output of, with all its outputs that are needed. Its programs are planned as pipelines
// are, within the memory that the outputs leave.
func (b *builder) drive(s *ops.Stage, step bound.Step) {
	number := len(b.Plan.Steps) + 1
	opt := b.opt
	opt.After, opt.Params = nil, nil
	for _, in := range b.Around[s] {
		step.Reads = append(step.Reads, b.use(in))
	}
	b.add(step, plan.DriveStep, "d", number) // before its outputs have buffers, which would add it again
	at := len(b.Plan.Steps) - 1
	taken := ops.BytesOf(b.Arrays.Of(s))
	for _, out := range b.Stages {
		if out.Op == s.Op && out != s {
			b.Plan.Steps[at].Writes = append(b.Plan.Steps[at].Writes, b.array(out))
			taken += ops.BytesOf(b.Arrays.Of(out))
		}
	}
	d := &plan.Drive{}
	var programs []*bound.Plan
	for _, g := range graph.Programs(s.Op) {
		name := b.Plan.Steps[at].ID + "." + g.Name
		opt.within = name + "."
		if b.opt.Decided != nil {
			decided := b.opt.Decided.Drives[name]
			opt.Decided = &decided
		}
		p, err := b.program(g, opt, taken, bound.Step{Step: plan.Step{Drive: d}, Programs: programs})
		if err != nil {
			b.fault = fmt.Errorf("%s of %s: %w", g.Name, s.Op.Spec.Name, err)
			return
		}
		if b.Plan.Decided.Drives == nil {
			b.Plan.Decided.Drives = map[string]plan.Decisions{}
		}
		b.Plan.Decided.Drives[name] = p.Decided
		ids := func(stages []*ops.Stage) []string {
			out := make([]string, len(stages))
			for i, s := range stages {
				if at := slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Array == s }); at >= 0 {
					out[i] = p.Buffers[at].ID
				}
			}
			return out
		}
		if d.Rounds = g.Rounds; d.Rounds != nil {
			if err := alone(p, g); err != nil {
				b.fault = err
				return
			}
		}
		first := once(p, g)
		for i := range p.Steps {
			if s := &p.Steps[i]; s.Kernel != nil && !slices.Contains(first, s.ID) {
				s.Kernel.Again = true
				s.Kernel.Predict()
			}
		}
		p.SumPredictions()
		d.Programs = append(d.Programs, plan.DriveProgram{Name: g.Name, Most: g.Most, Now: ids(g.State), Next: ids(g.Next), Once: first})
		programs = append(programs, p)
	}
	b.Plan.Steps[at].Drive, b.Plan.Steps[at].Programs = d, programs
}

// program plans one of a drive's programs, in the memory that those before it leave: it has the same state, and what sources gave to them.
func (b *builder) program(g graph.Program, opt Options, taken int64, before bound.Step) (*bound.Plan, error) {
	if b.opt.Memory == 0 {
		return opt.build(g.Graph, b.Device, opt)
	}
	left, there := b.opt.Memory-taken-before.Takes(), before.Read()
	read := int64(0)
	for _, s := range g.Stages {
		read += there[graph.Key(s)]
		if before.Programs != nil && g.Lasts(s) {
			left += s.Type.Bytes()
		}
	}
	within := func(memory int64) {
		opt.Memory = max(1, memory)
		opt.taken = b.opt.taken + b.opt.Memory - opt.Memory
	}
	within(left + read)
	p, err := opt.build(g.Graph, b.Device, opt)
	if read > 0 && (err != nil || p.Stream != nil) { // in blocks each reads for itself
		within(left)
		p, err = opt.build(g.Graph, b.Device, opt)
	}
	return p, err
}

// alone makes sure that objects which are done by themselves are computed from what the state holds of each alone.
func alone(p *bound.Plan, g graph.Program) error {
	for i := range p.Steps { // without those of drives in it, whose buffers are their own
		s := &p.Steps[i]
		if s.Kernel == nil {
			continue
		}
		needs := p.Footprint(s)
		at := region.Interval{Lo: p.Buffer(s.Writes[0]).Layout.RowCount() / 2}
		at.Hi = at.Lo + 1
		for id, need := range needs(s.Kernel.Objects(g.Rounds, at)) {
			b := p.Buffer(id)
			if i := b.Layout.Dim(g.Rounds.Dim); i >= 0 && g.Varies[b.Array] && need[i].Hull(at) != at {
				return fmt.Errorf("%s: %s reads %d..%d of %s for %s %d, and only what stands there may be read in rounds",
					g.Name, s.Name, need[i].Lo, need[i].Hi-1, b.Stage, g.Rounds.Dim, at.Lo)
			}
		}
	}
	return nil
}

// once are the steps of a program that do the same in every call.
func once(p *bound.Plan, g graph.Program) (out []string) {
	for _, s := range p.Steps {
		varies := func(id string) bool { return g.Varies[p.Buffer(id).Array] }
		if p.Stream == nil && !slices.ContainsFunc(s.Reads, varies) && !slices.ContainsFunc(s.Writes, varies) && s.Kind != plan.SinkStep {
			out = append(out, s.ID)
		}
	}
	return out
}
