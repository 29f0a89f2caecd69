package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
)

// trial is a plan whose kernels are run to see what they give: up to the outputs that have a tolerance, without sinks.
type trial struct {
	*runtime.Part
	plan    *bound.Plan
	threads int
	steps   []*bound.Step              // to run, in order
	changed map[string]bool            // buffers that they fill
	parts   map[string][]region.Region // kernels of which a few tiles do, and these
}

// newTrial prepares a plan. With a base only what differs from it runs, and what follows from that.
func newTrial(p, base *bound.Plan, outputs []string, opt Options) *trial {
	t := &trial{plan: p, threads: opt.Threads, changed: map[string]bool{},
		Part: runtime.NewPart(p, runtime.Options{Devices: []device.Device{opt.Device}, Programs: opt.Programs, Threads: opt.Threads})}
	changed := t.changed
	needed := upstream(p, outputs)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind == plan.SinkStep || !slices.ContainsFunc(s.Writes, func(id string) bool { return needed[id] }) {
			continue
		}
		differs := base == nil || s.Kernel != nil && s.Kernel.Hash != base.Steps[i].Kernel.Hash
		if !differs && !slices.ContainsFunc(s.Reads, func(id string) bool { return changed[id] }) {
			continue
		}
		t.steps = append(t.steps, s)
		for _, id := range s.Writes {
			changed[id] = true
		}
	}
	return t
}

// share takes over the arrays of a base that hold the same.
func (t *trial) share(base *trial) {
	for i := range t.plan.Buffers {
		if b, from := &t.plan.Buffers[i], &base.plan.Buffers[i]; !t.changed[b.ID] && from.Storage() == b.Storage() {
			t.Lend(b, base.Part, from)
		}
	}
}

// upstream are the buffers that some buffers are made from, themselves included.
func upstream(p *bound.Plan, ids []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	for _, s := range slices.Backward(p.Steps) {
		if s.Kind != plan.SinkStep && slices.ContainsFunc(s.Writes, func(id string) bool { return out[id] }) {
			for _, id := range s.Reads {
				out[id] = true
			}
		}
	}
	return out
}

// kernels are those that the trial runs.
func (t *trial) kernels() (out []*bound.Kernel) {
	for _, s := range t.steps {
		if s.Kernel != nil {
			out = append(out, s.Kernel)
		}
	}
	return out
}

// run fills the arrays.
func (t *trial) run(ctx context.Context) error {
	for _, s := range t.steps {
		if err := t.Run(ctx, s, t.tiles(s)); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// tiles are those of a kernel that the trial runs.
func (t *trial) tiles(s *bound.Step) []region.Region {
	if part := t.parts[s.ID]; part != nil || s.Kernel == nil {
		return part
	}
	return s.Kernel.TileSet
}

// spread are tiles from all over a kernel that take about so long on one thread, at least two.
func spread(k *bound.Kernel, most time.Duration) []region.Region {
	all := k.TileSet
	each := k.Predicted * 1e-3 / float64(max(1, len(all)))
	n := len(all)
	if each > 0 {
		n = min(n, max(2, int(most.Seconds()/each)))
	}
	out := make([]region.Region, 0, n)
	for i := range n {
		out = append(out, all[(2*i+1)*len(all)/(2*n)])
	}
	return out
}
