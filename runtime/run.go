package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/arrays"
	"weft/runtime/audit"
	"weft/runtime/exec"
	"weft/runtime/fleet"
	"weft/runtime/journal"
	"weft/runtime/look"
	"weft/runtime/memory"
	"weft/runtime/pages"
	"weft/runtime/result"
	"weft/runtime/state"
	"weft/runtime/telemetry"
	"weft/runtime/usage"
)

// run is the state of one execution.
type run struct {
	plan   *bound.Plan
	opt    Options
	result *result.Result
	arrays *arrays.Arrays

	fleet  *fleet.Fleet    // of accelerators; nil: none
	onHost map[string]bool // kernel steps that no accelerator could run
	fallen sync.Map        // kernels that fell back, and what they run as

	references map[string]*audit.Reference      // by kernel step, where results are checked
	defined    func() error                     // waits until references can be evaluated
	inputs     []ops.InputIdentity              // what the sources read, where that is recorded
	counted    map[*bound.Kernel]device.Counted // under Options.Count
	meter      telemetry.Meter
	looks      look.Line // at what devices have in line

	program     *plan.DriveProgram // nil: of no drive
	stay        bool               // what kernels of its call under way make may stay on devices
	spots       bool               // what devices make in its call under way is looked at, in a few spots
	ahead       *drive             // of which the call under way goes ahead; nil: of none
	failing     *bound.Step        // that a device failed to do, and the host does
	made        map[string]bool    // arrays that hold what they should: memory may be there before
	carried     *carrying          // by kernels of the pass under way, in blocks
	checkpoint  string             // output that checkpoints of drives are beside; empty: there are none
	checkpoints *[]string          // those that there are
	doubt       audit.Doubt
	pages       *pages.Pages
	granted     *memory.Ticket // nil: anything
	kept        []string       // arrays that no step needs, but what devices alone hold was made from
	more        int64          // of what was granted, for those
	eased       int64          // of what was granted for what is known while planning: bytes that were given back
	layout      *blocks.Stream // of a run in blocks, of which so many passes are done
	passed      int
	laid        int64 // of what was granted, for blocks
	hands       *exec.Hands
	scratch     map[string]*state.Disk            // arrays that drives left on disk
	cuts        map[*bound.Step][]region.Interval // of chains, by their first step; nil: of what runs by itself
}

// Run executes a plan. It compiles the kernels that are not compiled yet. The result holds what was done so far also when
// an error is returned: a *StageError for a step that failed, or the context's error for a run that was cancelled.
func Run(ctx context.Context, p *bound.Plan, opt Options) (*result.Result, error) {
	if len(opt.Devices) == 0 {
		return nil, errors.New("runtime: no device to run on")
	}
	opt = opt.withDefaults()
	var accelerators *fleet.Fleet
	if len(opt.Accelerators) > 0 {
		accelerators = fleet.New(opt.Accelerators, fleet.Options{Memory: opt.Memory, Trace: opt.Trace, Log: opt.Progress.Log})
	}
	var repairs []result.Repair
	for {
		done, err := once(ctx, p, opt, accelerators)
		done.Repairs = repairs
		var narrow *beyond
		if !errors.As(err, &narrow) {
			return done, err
		}
		next, fault := opt.Wider[0].Plan()
		if fault != nil {
			return done, err
		}
		why := result.Repair{Reason: narrow.Message, Wider: opt.Wider[0].Types}
		opt.Progress.Log(fmt.Sprintf("%s; running again in %s", why.Reason, why.Wider))
		p, repairs, opt.Wider, opt.Resume = next, append(repairs, why), opt.Wider[1:], false // what there is to go on from is of the plan before
	}
}

func newRun(p *bound.Plan, opt Options, accelerators *fleet.Fleet) *run {
	held := arrays.New(p, opt.Devices[0], accelerators)
	return &run{plan: p, opt: opt, result: result.New(p, opt.Threads), arrays: held, fleet: accelerators,
		looks:  look.Line{Arrays: held, Fleet: accelerators, Threads: opt.Threads, Trace: opt.Trace},
		onHost: map[string]bool{}, made: map[string]bool{}, doubt: audit.Doubt{}, pages: pages.New(p, opt.Terminal), defined: func() error { return nil }, checkpoints: new([]string), hands: new(exec.Hands), scratch: map[string]*state.Disk{}}
}

// once is Run with one plan.
func once(ctx context.Context, p *bound.Plan, opt Options, accelerators *fleet.Fleet) (*result.Result, error) {
	r := newRun(p, opt, accelerators)
	if !opt.Discard {
		r.checkpoint = p.FirstFile() // beside which checkpoints are kept
	}
	defer accelerators.ReleaseAll()
	defer r.arrays.Spare.Release()
	defer r.arrays.FreeAll()
	defer func() {
		for _, d := range r.scratch {
			_ = d.Release() // all was read
		}
	}()
	start, cpu := time.Now(), usage.CPU()
	ctx, stop := context.WithCancel(ctx)
	err := r.execute(ctx)
	if err != nil && ctx.Err() == nil && r.checkpoint != "" { // it failed, and was not cut off
		if left := journal.Ended(r.checkpoint); left != nil {
			err = errors.Join(err, left)
		}
	}
	stop()
	if again := (*beyond)(nil); !errors.As(err, &again) {
		if unprinted := r.pages.Rest(); err == nil {
			err = unprinted
		}
	}
	for _, path := range slices.Backward(*r.checkpoints) { // what goes with a checkpoint goes after it
		if err == nil {
			err = journal.Forget(path)
		}
	}
	_ = r.defined() // if nobody needed it, nobody minds what became of it
	r.result.Wall, r.result.CPU = result.Since(start), (usage.CPU() - cpu).Seconds()
	r.result.PeakRSS, r.result.PeakBuffers = usage.PeakRSS(), r.arrays.Peak
	r.result.Moves = r.plan.Moves()
	r.result.Devices = append(r.result.Devices, accelerators.Usage()...)
	r.result.Telemetry = r.meter.Names(r.result, result.KindName("cuda"))
	return r.result, err
}

func (r *run) execute(ctx context.Context) error {
	if err := r.identify(); err != nil {
		return err
	}
	var err error
	if r.granted, err = r.ticket(); err != nil {
		return err
	}
	defer r.granted.Release()
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.compile(ctx); err != nil {
		return err
	}
	if err := r.prepareCounts(ctx); err != nil {
		return err
	}
	defer r.spare()()
	defer r.looks.End()
	if r.plan.Stream != nil {
		return r.stream(ctx)
	}
	for i := 0; i < len(r.plan.Steps); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := &r.plan.Steps[i]
		if !r.away(step) { // it may hand out, or read, what is looked at
			if err := r.looked(ctx); err != nil {
				return err
			}
		}
		if c, cuts := r.chained(step); cuts != nil {
			works := make([]*work, len(c.Steps))
			if err := r.runChain(ctx, c, cuts, works); err != nil {
				return err
			}
			for _, w := range works {
				w.finish()
			}
			r.arrays.Free(c.Inside)
			i += len(c.Steps) - 1
			step = &r.plan.Steps[i]
		} else if err := r.step(ctx, step); err != nil {
			return r.failed(ctx, step, err)
		}
		if err := r.free(ctx, step.Frees); err != nil {
			return err
		}
	}
	return r.looked(ctx)
}

// failed says where an error belongs; a cancelled run has no failing stage.
func (r *run) failed(ctx context.Context, step *bound.Step, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	if earlier := (*result.StageError)(nil); errors.As(err, &earlier) && step.Kind != plan.DriveStep { // what a device had in line
		return err
	}
	return &result.StageError{Stage: step.Name, Where: step.Where(), Err: err}
}

// allocate makes sure that what a step reads and writes has memory, and that what devices alone hold of it is there if the host reads it.
func (r *run) allocate(ctx context.Context, step *bound.Step) error {
	if err := r.room(step); err != nil {
		return err
	}
	if r.away(step) {
		return nil
	}
	if r.stays() {
		if err := r.arrays.Bring(ctx, step.Reads); err != nil {
			return err
		}
	}
	for _, id := range step.Reads {
		if err := r.arrays.Need(id, false); err != nil {
			return err
		}
	}
	return r.need(step)
}

// need makes sure that what a step writes has memory. In rounds, and where dims are counted, kernels do not store all of it.
func (r *run) need(step *bound.Step) error {
	for _, id := range step.Writes {
		filled := step.Kernel != nil && r.program == nil && !r.plan.Counted()
		for _, part := range r.arrays.ByID[id].Bufs {
			filled = filled && step.Kernel.IR.Fills(part)
		}
		if err := r.arrays.Need(id, filled); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) step(ctx context.Context, step *bound.Step) error {
	if step.Kind == plan.ReadStep && r.held(step) {
		return r.makes(step, nil)
	}
	if k := step.Kernel; k != nil && !r.accelerated(k) {
		r.hands.Rouse(min(r.opt.Threads, len(k.TileSet)) - 1)
	}
	if err := r.allocate(ctx, step); err != nil {
		return err
	}
	switch step.Kind {
	case plan.DriveStep:
		return r.makes(step, r.drive(ctx, step))
	case plan.ReadStep:
		return r.makes(step, r.read(ctx, step))
	case plan.SinkStep:
		return r.sink(ctx, step)
	}
	over, err := r.arrays.Extent(step)
	if err != nil || over.Empty() && !step.Kernel.IR.Domain().Empty() {
		return err
	}
	if err := r.makes(step, r.kernel(ctx, step, over)); err != nil {
		return err
	}
	return r.judge(ctx, step, over)
}

// makes notes that a step has made what it writes, unless it failed.
func (r *run) makes(step *bound.Step, failed error) error {
	for _, id := range step.Writes {
		r.made[id] = failed == nil
	}
	return failed
}

// judge looks at what a kernel stored of a region of its axes, while its inputs are still there.
func (r *run) judge(ctx context.Context, step *bound.Step, over region.Region) error {
	r.doubt.Spread(step)
	if r.looks.Of(step) != nil { // it is judged once that is over
		return nil
	}
	if over.Equal(step.Kernel.IR.Domain()) {
		blanks := r.arrays.Blanks(step)
		if err := blanks.Judge(ctx); err != nil {
			return err
		}
		if err := r.inspect(ctx, step); err != nil {
			return err
		}
	}
	if !r.opt.Verify {
		return nil
	}
	if err := r.looked(ctx); err != nil {
		return err
	}
	return r.verify(ctx, step, over)
}

// held takes the memory of a source as it is, where it has all of its array there as the plan stores it.
func (r *run) held(step *bound.Step) bool {
	h, ok := step.Op.Bound.(ops.Holder)
	b := r.arrays.ByID[step.Writes[0]]
	if !ok || r.arrays.Windowed[b.ID] || b.Transposed || b.Innermost > 0 || b.Interleaved || b.Box != nil || b.Scale != 0 {
		return false
	}
	parts := h.Held(b.Bufs)
	for i, data := range parts {
		r.arrays.Lend(b.Bufs[i], data)
	}
	r.arrays.Lent[b.ID] = parts != nil
	return parts != nil
}

func (r *run) read(ctx context.Context, step *bound.Step) error {
	start := time.Now()
	to, err := r.arrays.Host(step.Writes[0])
	if err != nil {
		return err
	}
	stop, err := r.prefault(step)
	if err != nil {
		return err
	}
	note, err := step.Op.Bound.(ops.Source).Fill(ctx, to)
	stop()
	r.result.ReadS += result.Since(start)
	r.transferred(&r.result.Sources, "read", step, note, start)
	return err
}

func (r *run) sink(ctx context.Context, step *bound.Step) error {
	if _, own := step.Op.Bound.(ops.Driver); own { // which has the arrays that its program fills
		return nil
	}
	start := time.Now()
	var in []ops.HostArray // of which there may be fewer elements than memory: step.Reads has how many behind them
	step.Op.Call.Arrays(func(string, ops.Array) { in = append(in, ops.HostArray{}) })
	for i := range in {
		h, err := r.arrays.Host(step.Reads[i])
		if err == nil {
			in[i], err = r.arrays.Part(h, step)
		}
		if err != nil {
			return err
		}
	}
	if r.opt.See != nil {
		if err := r.opt.See(step, in); err != nil {
			return err
		}
	}
	note, err := r.hand(ctx, step, in)
	r.result.SinkS += result.Since(start)
	r.transferred(&r.result.Sinks, "sink", step, note, start)
	return err
}

// discards reports whether a sink does nothing.
func (r *run) discards(step *bound.Step) bool {
	_, inner := step.Op.Bound.(ops.Inner)
	return r.opt.Discard && !inner
}

// hand gives a sink its arrays.
func (r *run) hand(ctx context.Context, step *bound.Step, in []ops.HostArray) (ops.Note, error) {
	if r.discards(step) {
		return exec.Discarded, nil
	}
	if err := r.leftovers(step); err != nil {
		return ops.Note{}, err
	}
	known, err := r.context(ctx, step)
	if err != nil {
		return ops.Note{}, err
	}
	var note ops.Note
	err = r.pages.Print(step, func(to ops.Terminal) (err error) {
		note, err = step.Op.Bound.(ops.Sink).Take(known, in, to)
		return err
	})
	if err == nil {
		r.announce(step)
	}
	return note, err
}

// transferred records what a source or sink did and what it warns of.
func (r *run) transferred(list *[]result.Transfer, category string, step *bound.Step, note ops.Note, start time.Time) {
	*list = append(*list, result.Transfer{ID: step.ID, Op: step.Name, Text: note.Text, Bytes: note.Bytes, Moved: note.Moved, Planned: note.Planned, Wall: result.Since(start)})
	r.opt.Trace.Span(0, category, step.Name, start, map[string]any{"bytes": note.Bytes, "text": note.Text})
	r.result.Warnings = append(r.result.Warnings, result.WarningsOf(note, step)...)
}
