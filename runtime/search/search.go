package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/exec"
)

// Options of a search.
type Options struct {
	// Build plans the same program with other precision.
	Build    func(plan.Choices) (*bound.Plan, error)
	Device   device.Device
	Programs *exec.Programs // to add to
	Threads  int
	Seed     uint64 // of the samples; 0: audit.DefaultSeed
	Cache    string // folder that keeps what was found; empty: none
	Memory   int64  // that arrays may take; 0: no limit
}

const (
	// safety is the part of a tolerance that samples of a choice may use, since they are not everything.
	safety = 0.5
	// noise is what times may differ by without meaning. A type of half the size whose time is within it is worth having: it
	// takes half the memory.
	noise = 0.03
	// mostStages are tried, those with the most at stake first, and none whose loads and stores would take less than this part
	// of all the time if each went to memory, or that stay in a core's nearest cache.
	mostStages = 2
	leastStake = 0.05
	leastBytes = 32 << 10
	// partTime is what a kernel that nothing follows runs for, on one thread, in place of all its tiles.
	partTime = 60 * time.Millisecond
	// worthwhile is the longest that a search is predicted to take.
	worthwhile = 2 * time.Second
)

var infinite = math.Inf(1)

// Find returns the plan to run in place of base: base itself where nothing has a tolerance or nothing is gained. The plan holds
// the search.
func Find(ctx context.Context, base *bound.Plan, opt Options) (*bound.Plan, error) {
	if opt.Seed == 0 {
		opt.Seed = audit.DefaultSeed
	}
	f := &finder{base: base, opt: opt, outputs: outputsOf(base), said: &plan.Search{Factor: safety, Seed: opt.Seed}}
	if len(f.outputs) == 0 {
		return base, nil
	}
	key := f.key()
	if p, ok := f.recall(key); ok {
		return p, nil
	}
	start := time.Now()
	p, err := f.search(ctx)
	if err != nil {
		return nil, err
	}
	f.said.Seconds, f.said.Inputs = time.Since(start).Seconds(), inputs(f.base)
	if f.said.Skipped == "" { // what was not tried may be tried when predictions are better
		if err := remember(path(opt.Cache, "precision", key), f.said); err != nil {
			return nil, err
		}
	}
	p.Search = f.said
	return p, nil
}

// recall is the plan by what was found before. Integers fit the data that they were scaled for, and no others, and so do errors of all its elements.
func (f *finder) recall(key string) (*bound.Plan, bool) {
	s, ok := recall[plan.Search](path(f.opt.Cache, "precision", key))
	if !ok {
		return nil, false
	}
	for _, c := range s.Choices {
		if (c.Scale != 0 || !within(s.Proofs, safety)) && s.Inputs != inputs(f.base) {
			return nil, false
		}
	}
	p, err := f.plan(s.Choices)
	if err != nil {
		return nil, false
	}
	s.Seconds, s.Cached = 0, true
	p.Search = s
	return p, true
}

type finder struct {
	base    *bound.Plan
	opt     Options
	outputs []*output
	said    *plan.Search
	trials  []*trial
	own     []plan.Proof // of the plan as it is
}

// outputsOf are the stored arrays that have a tolerance of the user's, and, if there are any, what sinks take besides: choices
// for the one must not break the other.
func outputsOf(p *bound.Plan) (out []*output) {
	asked := false
	for i := range p.Buffers {
		if _, ok := audit.Asked(p.Buffers[i].Array); ok && p.Buffers[i].Role == plan.FromKernel {
			asked = true
		}
	}
	if !asked {
		return nil
	}
	taken := map[string]bool{}
	for _, s := range p.Steps {
		for _, id := range s.Reads {
			taken[id] = taken[id] || s.Kind == plan.SinkStep
		}
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Role != plan.FromKernel || b.Interleaved || !b.Layout.Elem.Base.Float() {
			continue
		}
		rule, ok := audit.Asked(b.Array)
		if !ok && taken[b.ID] {
			rule, ok = audit.Rule(b.Array, b.Layout.Elem.Base), true
		}
		if ok {
			out = append(out, &output{id: b.ID, rule: rule})
		}
	}
	return out
}

func (f *finder) ids() (out []string) {
	for _, o := range f.outputs {
		out = append(out, o.id)
	}
	return out
}

func (f *finder) plan(c plan.Choices) (*bound.Plan, error) {
	if len(c) == 0 {
		return f.base, nil
	}
	return f.opt.Build(c)
}

// Wider are the precisions to run a plan in whose samples are beyond their tolerance, by name: as operators say, then float64 throughout.
func Wider(p *bound.Plan) (names []string, choices []plan.Choices) {
	f := &finder{base: p, outputs: outputsOf(p)}
	if p.Search == nil {
		return nil, nil
	}
	if len(p.Search.Choices) > 0 {
		names, choices = append(names, "f32"), append(choices, nil)
	}
	return append(names, "f64"), append(choices, f.double())
}

// search measures.
func (f *finder) search(ctx context.Context) (*bound.Plan, error) {
	defer func() {
		for _, t := range f.trials {
			t.Free()
		}
	}()
	stages := f.stages()
	if f.said.Skipped = f.unfit(); f.said.Skipped != "" {
		return f.base, nil
	}
	base := newTrial(f.base, nil, f.ids(), f.opt)
	var halves []*attempt
	for _, b := range stages {
		a, err := f.attempt(b, plan.Choice{Storage: ir.F16})
		if err != nil {
			return nil, err
		}
		halves = append(halves, a)
	}
	if err := f.compile(ctx, append(trialsOf(halves), base)...); err != nil {
		return nil, err
	}
	base.parts = f.parts(f.base) // now that the kernels are cut as they are compiled
	f.trials = append(f.trials, base)
	if f.said.Skipped = f.tooDear(base.parts, len(stages)); f.said.Skipped != "" {
		return f.base, nil
	}
	if err := base.run(ctx); err != nil {
		return nil, err
	}
	plain, err := f.unforced(ctx, base)
	if err != nil {
		return nil, err
	}
	if err := f.sample(ctx, plain); err != nil || f.said.Skipped != "" {
		return f.base, err
	}
	proofs := prove(base, f.outputs)
	f.said.Proofs, f.own = proofs, proofs
	if plain != base {
		if err := f.refused(proofs); err != nil {
			return nil, err
		}
	}
	switch {
	case f.asks(proofs):
		leave(halves, "not tried: f32 is beyond the tolerance")
		return f.upward(ctx, base)
	case !within(proofs, safety):
		leave(halves, fmt.Sprintf("not tried: f32 leaves no room, it takes %.0f %% of the tolerance", 100*strain(proofs)))
		return f.base, nil
	}
	return f.downward(ctx, base, stages, halves)
}

// stages are the arrays worth trying in fewer bits, those with the most at stake first.
func (f *finder) stages() (out []*bound.Buffer) {
	need := upstream(f.base, f.ids())
	stakes := map[*bound.Buffer]float64{}
	for i := range f.base.Buffers {
		b := &f.base.Buffers[i]
		if b.Role != plan.FromKernel || b.Pinned != "" || b.Stored != "" || b.Storage() != ir.F32 || b.Bytes <= leastBytes || !need[b.ID] {
			continue
		}
		if stakes[b] = f.stake(b); stakes[b] >= leastStake*f.base.Totals.Predicted*1e-3 {
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b *bound.Buffer) int { return cmp.Compare(stakes[b], stakes[a]) })
	return out[:min(len(out), mostStages)]
}

// stake is the time that all loads and stores of an array would take if each went to memory, in seconds.
func (f *finder) stake(b *bound.Buffer) float64 {
	elements := 0.0
	for _, part := range b.Bufs {
		elements += float64(part.Len())
		for _, s := range f.base.Steps {
			if s.Kernel != nil && slices.Contains(s.Reads, b.ID) {
				elements += count.CostOf(s.Kernel.IR).Loads[part]
			}
		}
	}
	return elements * float64(b.Storage().Size()) / f.base.Rates.Bandwidth
}

// unfit says why nothing can be measured here.
func (f *finder) unfit() string {
	var bytes int64
	for _, b := range f.base.Buffers {
		bytes += b.Bytes
	}
	if f.opt.Device.Info().Kind == "interp" {
		return "the interpreter is for checking, not for speed"
	}
	if slices.ContainsFunc(f.base.Steps, func(s bound.Step) bool { return s.Kind == plan.DriveStep }) {
		return "a drive of the program runs many times"
	}
	if f.base.Stream != nil || f.opt.Memory > 0 && 3*bytes > f.opt.Memory {
		return "its arrays do not fit the memory budget at once"
	}
	return ""
}

// tooDear says why measuring would cost more than it may, by what compiled kernels are predicted to take.
func (f *finder) tooDear(parts map[string][]region.Region, stages int) string {
	need := upstream(f.base, f.ids())
	each := 0.0
	for _, s := range f.base.Steps {
		if s.Kernel == nil || !slices.ContainsFunc(s.Writes, func(id string) bool { return need[id] }) {
			continue
		}
		t := s.Kernel.Predicted * 1e-3
		if parts[s.ID] != nil {
			t = min(t, partTime.Seconds())
		}
		each += t
	}
	if all := each * float64(1+stages); all > worthwhile.Seconds() {
		return fmt.Sprintf("trying would take about %.1f s", all)
	}
	return ""
}

// parts are the long kernels of which a few tiles do: nothing that an output needs is made from all of what they store.
func (f *finder) parts(p *bound.Plan) map[string][]region.Region {
	out := map[string][]region.Region{}
	need := upstream(p, f.ids())
	for _, s := range p.Steps {
		if s.Kernel == nil || s.Kernel.Predicted*1e-3 < 2*partTime.Seconds() {
			continue
		}
		followed := slices.ContainsFunc(p.Steps, func(r bound.Step) bool {
			return r.Kernel != nil && slices.ContainsFunc(r.Writes, func(id string) bool { return need[id] }) &&
				slices.ContainsFunc(r.Reads, func(id string) bool { return slices.Contains(s.Writes, id) })
		})
		if !followed {
			out[s.ID] = spread(s.Kernel, partTime)
		}
	}
	return out
}

// trial compiles and runs a plan.
func (f *finder) trial(ctx context.Context, p *bound.Plan, base *trial) (*trial, error) {
	t := newTrial(p, f.base, f.ids(), f.opt)
	f.trials = append(f.trials, t)
	t.parts = base.parts
	t.share(base)
	if err := f.compile(ctx, t); err != nil {
		return nil, err
	}
	return t, t.run(ctx)
}

// compile makes the kernels of trials ready, in one go.
func (f *finder) compile(ctx context.Context, trials ...*trial) error {
	var ks []*bound.Kernel
	for _, t := range trials {
		for _, k := range t.kernels() {
			if f.opt.Programs.Of(k) == nil {
				ks = append(ks, k)
			}
		}
	}
	return f.opt.Programs.Compile(ctx, f.opt.Device, f.opt.Threads, device.Options{}, ks)
}

func (f *finder) sample(ctx context.Context, base *trial) error {
	for _, o := range f.outputs {
		ok, err := o.sample(ctx, base, f.opt.Device, sampleBudget/float64(len(f.outputs)), f.opt.Seed)
		if err != nil {
			return err
		}
		if !ok {
			f.said.Skipped = fmt.Sprintf("an element of %s takes too long in float64", audit.Name(f.base.Buffer(o.id)))
			return nil
		}
		f.said.Samples += len(o.taken.At)
	}
	return nil
}
