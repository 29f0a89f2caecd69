package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/look"
	"weft/runtime/progress"
	"weft/runtime/result"
	"weft/runtime/state"
)

// drive is a drive under way: what its algorithm sees of the run. Each program is a run of its own, whose arrays stay from call to call.
type drive struct {
	ctx      context.Context
	run      *run
	step     *bound.Step
	programs []*program
	state    *state.State
	calls    int
	left     bool // whole numbers left their type, and that was said
	rounds   rounds
	log      checkpoints
	began    time.Time
	hopeless bool        // it has no result, and would have none if it went on
	fits     bool        // all that its programs read and make, in the memory of each device
	copies   look.Seldom // of the state to the host
	looks    look.Seldom // at calls that devices make
}

// program is one of a drive's.
type program struct {
	*run
	*state.Call
	works []*work // of its kernels, by step
	calls int
	turns int           // calls, those made again too
	asked int           // calls, those of an earlier run among them
	box   region.Region // that the call under way stores; nil: all
}

// drive runs a drive, and hands out what its state holds in the end.
func (r *run) drive(ctx context.Context, step *bound.Step) (err error) {
	start := time.Now()
	d := &drive{ctx: ctx, run: r, step: step, began: start}
	defer d.close()
	place, err := d.place()
	if err != nil {
		return err
	}
	if d.state, err = state.Begin(step, r.arrays, r.plan.Stream != nil, place); err != nil {
		return err
	}
	d.fits = r.fleet.Fits(step.OnDevices())
	for i, p := range step.Programs {
		d.programs = append(d.programs, d.program(p, step.Drive.Programs[i]))
	}
	if d.rounds.Rounds = step.Drive.Rounds; d.rounds.Rounds != nil {
		d.rounds.there = d.state.Objects()
		d.rounds.left = d.rounds.there
	}
	if err := d.resume(); err != nil {
		return err
	}
	var predicted float64
	for i, p := range step.Drive.Programs {
		each, first := step.Call(i)
		predicted += each*float64(p.Most) + first
	}
	r.opt.Progress.Begin(step.Name, step.Drive.Told(), time.Duration(predicted*float64(time.Millisecond)))
	defer r.opt.Progress.End()
	note, err := step.Op.Bound.(ops.Driver).Drive(d)
	if d.hopeless = problem.Has(err, problem.Singular) || problem.Has(err, problem.CannotHonour); err != nil {
		return err
	}
	if err := d.bring(r.opt.Verify); err != nil {
		return err
	}
	again, err := d.redo(d.verifyLast())
	if again && err == nil {
		err = d.verifyLast()
	}
	if err != nil {
		return err
	}
	if err := d.onDisk(&note); err != nil {
		return err
	}
	if err := d.log.save(d, true); err != nil {
		return err
	}
	if d.rounds.Rounds != nil {
		if err := d.state.HandOutObjects(d.rounds.there, func(int) bool { return true }); err != nil {
			return err
		}
	}
	for _, id := range step.Writes {
		if err := d.state.HandOut(id, r.plan.Stream == nil && r.program == nil); err != nil {
			return err
		}
	}
	return d.told(note, start)
}

// told says what a drive did, and what its outputs are worth.
func (d *drive) told(note ops.Note, start time.Time) error {
	r, step := d.run, d.step
	if i := slices.IndexFunc(note.Warnings, func(w problem.Problem) bool { return w.Code == problem.Unfinished }); i >= 0 && r.opt.Strict {
		return &result.StageError{Stage: step.Name, Where: step.Where(), Err: note.Warnings[i]}
	}
	r.doubt.Spread(step)
	for _, id := range step.Writes {
		if len(d.log.doubt) > 0 || slices.ContainsFunc(d.programs, func(p *program) bool { return len(p.doubt) > 0 }) {
			r.doubt[id] = true
		}
		r.arrays.Forget(id) // replicas hold what was there before
	}
	r.transferred(&r.result.Sources, "drive", step, note, start)
	took := &r.result.Sources[len(r.result.Sources)-1]
	took.Calls = d.calls - d.log.calls
	for _, p := range d.programs { // which are told of by themselves
		took.Wall -= p.result.VerifyS + p.result.CompileS
	}
	return nil
}

// program makes the run of a program ready.
func (d *drive) program(p *bound.Plan, about plan.DriveProgram) *program {
	opt := d.run.opt
	opt.Progress, opt.Tune, opt.Wider = progress.Quiet{To: opt.Progress}, false, nil
	r := newRun(p, opt, d.run.fleet)
	r.hands = d.run.hands
	r.granted = d.run.granted
	r.onHost, r.counted, r.checkpoints, r.checkpoint, r.inputs = d.run.onHost, d.run.counted, d.run.checkpoints, d.run.checkpoint, d.run.inputs
	r.program, r.arrays.Spare = &about, d.run.arrays.Spare
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Role != plan.FromAround {
			continue
		}
		r.arrays.Lent[b.ID], r.made[b.ID] = true, true
		for _, part := range b.Bufs { // the same as around the drive
			r.arrays.Memory[part] = d.run.arrays.Memory[part]
		}
		if d.run.doubt[b.Around] {
			r.doubt[b.ID] = true
		}
	}
	return &program{run: r, Call: state.NewCall(about, p, r.arrays), works: make([]*work, len(p.Steps))}
}

// again reports whether a step is done in every call.
func (p *program) again(s *bound.Step) bool { return !slices.Contains(p.Once, s.ID) }

// Launch implements ops.Host.
func (d *drive) Launch(call int) error {
	return d.once(true, func() error { return d.call(d.programs[call]) })
}

// once makes a call, unless an earlier run made it already. Of a drive that has tasks, they are told of.
func (d *drive) once(told bool, call func() error) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if d.calls++; d.calls > d.log.calls {
		if err := call(); err != nil {
			return err
		}
		if d.state.Disk == nil { // else when a task begins
			if err := d.log.save(d, false); err != nil {
				return err
			}
		}
	}
	if told && d.state.Disk == nil {
		d.run.opt.Progress.Tile()
	}
	return nil
}

// Box implements ops.Host.
func (d *drive) Box(call int, box region.Region) error {
	p := d.programs[call]
	if !p.Boxed || box.Empty() {
		return fmt.Errorf("%s stores no box %v", p.Name, box)
	}
	p.asked++
	p.box = box
	return d.once(true, func() error { return d.call(p) })
}

// Edit implements ops.Host.
func (d *drive) Edit(change func(of [][]float64) error, boxes ...ops.StateBox) error {
	return d.once(false, func() error {
		if err := d.bring(false); err != nil {
			return err
		}
		return d.state.Edit(change, boxes)
	})
}

// Scalar implements ops.Host.
func (d *drive) Scalar(i int) (float64, error) {
	v, err := d.Values(i)
	if err == nil && len(v) != 1 {
		err = fmt.Errorf("%s is no single number", d.state.Buffer(i).Stage)
	}
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Values implements ops.Host.
func (d *drive) Values(i int) ([]float64, error) {
	if _, err := d.redo(d.state.Bring(d.ctx, i)); err != nil {
		return nil, err
	}
	part, err := d.state.Numbers(i)
	if err != nil {
		return nil, err
	}
	out := make([]float64, d.state.Buffer(i).Layout.Len())
	part.Load(out, 0)
	for k := range out {
		if v, known := d.log.told.Again(); known {
			out[k] = v
		} else {
			d.log.told.Tell(out[k])
		}
	}
	return out, nil
}

// Set implements ops.Host: what was set before an earlier run's last call is in the state already.
func (d *drive) Set(i, at int, v ...float64) error {
	if d.calls < d.log.calls {
		return nil
	}
	again, err := d.redo(d.state.Set(d.ctx, i, at, v))
	if again && err == nil {
		err = d.state.Set(d.ctx, i, at, v)
	}
	return err
}

// Progress implements ops.Host.
func (d *drive) Progress(row string) { d.run.opt.Progress.Note(row) }

// call launches a program. The first call is compared with float64, from what it was given.
func (d *drive) call(p *program) error {
	if again, err := d.again(p); again {
		return err
	}
	first := p.calls == 0
	if first && p.opt.Verify {
		p.define(d.ctx)
	}
	p.calls++
	p.opt.Verify = d.run.opt.Verify && (first || p.Boxed && p.asked == p.Most)
	ahead := d.goesAhead(p)
	if !ahead || d.copies.Due(0, betweenCopies, copiesPart) {
		if err := d.bring(false); err != nil {
			return err
		}
	}
	if p.spots = d.run.opt.Verify && !p.opt.Verify && d.run.fleet != nil && d.looks.Due(d.run.fleet.Behind(), 0, looksPart); p.spots {
		if _, err := d.redo(d.run.fleet.Settle(d.ctx)); err != nil {
			return err
		}
		defer d.looks.Did(time.Now())
	}
	_, err := d.redo(d.turn(p, first, ahead))
	return err
}

// turn is a call, with what the state holds now.
func (d *drive) turn(p *program, first, ahead bool) error {
	p.turns++
	if ahead && d.run.opt.Trace == nil {
		d.run.fleet.Record()
	}
	if err := d.state.Lend(p.Call, ahead); err != nil {
		return err
	}
	p.stay = ahead || d.state.Stays(p.Call) && !first && !p.opt.Verify
	if p.ahead = nil; ahead {
		p.ahead = d
	}
	if p.run.plan.Stream != nil {
		return p.stream(d.ctx)
	}
	for i := 0; i < len(p.run.plan.Steps); i++ {
		s := &p.run.plan.Steps[i]
		if s.Kind == plan.SinkStep || !p.again(s) && !first {
			continue
		}
		if c, cuts := d.chained(p, s); cuts != nil {
			if err := d.chain(p, c, cuts, p.works[i:i+len(c.Steps)]); err != nil {
				return err
			}
			i += len(c.Steps) - 1
		} else if err := d.launch(p, i, s); err != nil {
			return p.failed(d.ctx, s, err)
		}
	}
	if line := d.run.fleet.Recorded(); ahead {
		d.went(p, line)
	}
	return d.state.End(d.ctx, p.Call, p.stay, ahead)
}

// launch runs a step of a call.
func (d *drive) launch(p *program, i int, s *bound.Step) error {
	if s.Kernel == nil {
		return p.step(d.ctx, s)
	}
	first := p.works[i] == nil
	if first || p.stay && !p.away(s) {
		if err := p.allocate(d.ctx, s); err != nil {
			return err
		}
	}
	if first {
		p.works[i] = p.work(s)
	}
	w, over := p.works[i], d.over(p, s)
	if err := p.makes(s, w.part(d.ctx, over, s.Kernel.Tiled(over, p.opt.Threads))); err != nil {
		return err
	}
	if first {
		if err := w.tell(); err != nil {
			return err
		}
	}
	w.sweep.Forget()
	if p.calls > 1 && !p.opt.Verify {
		return d.watch(p, s, over)
	}
	return p.judge(d.ctx, s, over)
}

// watched reports whether some of what a step stores in each call is looked at.
func (d *drive) watched(s *bound.Step) bool {
	return d.run.opt.Verify && !d.left && s.Kernel != nil && slices.ContainsFunc(s.Kernel.Roots, func(s *ops.Stage) bool { return s.Type.Elem.Base.Int() })
}

// Between the first call and the last, a few elements of whole numbers are compared with float64 in each that does not go ahead of the host, where that takes no time: which call it is in
// that they leave their type nobody knows, and the next ones look right.
const (
	watching    = 4
	watchedCost = 2e3 // operations of an element
)

func (d *drive) watch(p *program, s *bound.Step, over region.Region) error {
	if !d.watched(s) || p.ahead != nil && !p.spots {
		return nil
	}
	c, err := p.newSampling(s)
	if err != nil || c.size == 0 || c.ref.Price() > watchedCost {
		return err
	}
	seed := p.opt.Seed
	p.opt.Seed += uint64(p.calls) // others in each call
	_, err = c.sample(d.ctx, over, watching)
	p.opt.Seed = seed
	if d.left = slices.ContainsFunc(c.taken, func(s audit.Sample) bool { return !s.OK() }); err != nil || !d.left {
		return err
	}
	return c.judge()
}

// verifyLast compares what the last call stored with float64: what it was given is still there. What came in blocks is made
// once more, and is the same.
func (d *drive) verifyLast() (err error) {
	at := slices.IndexFunc(d.programs, func(p *program) bool { return p.Call == d.state.Last() })
	if at < 0 || d.programs[at].calls < 2 || !d.run.opt.Verify {
		return nil
	}
	p := d.programs[at]
	p.opt.Verify, p.opt.Inspect = true, nil
	defer func(parity, warnings int) {
		if g := (*state.Gone)(nil); errors.As(err, &g) { // all of it is looked at again
			p.result.Parity, p.result.Warnings = p.result.Parity[:parity], p.result.Warnings[:warnings]
		}
	}(len(p.result.Parity), len(p.result.Warnings))
	if p.run.plan.Stream != nil {
		return p.stream(d.ctx)
	}
	for i := 0; i < len(p.run.plan.Steps); i++ {
		s := &p.run.plan.Steps[i]
		if s.Kernel == nil || !p.again(s) {
			continue
		}
		if c, cuts := d.chained(p, s); cuts != nil {
			if err := d.chain(p, c, cuts, p.works[i:i+len(c.Steps)]); err != nil {
				return err
			}
			i += len(c.Steps) - 1
		} else if err := p.judge(d.ctx, s, d.over(p, s)); err != nil {
			return p.failed(d.ctx, s, err)
		}
	}
	return nil
}

// close reports what the programs took, and frees their arrays.
func (d *drive) close() {
	r := d.run
	var bytes int64
	if d.state != nil {
		defer d.state.Close()
		d.state.Settle()
	}
	for _, p := range d.programs {
		_ = p.defined() // if nobody needed it, nobody minds what became of it
		for i, w := range p.works {
			if w != nil {
				calls := p.turns
				if !p.again(&p.run.plan.Steps[i]) {
					calls = 1
				}
				w.finish()
				p.result.Kernels[len(p.result.Kernels)-1].Times(calls, p.Works())
			}
		}
		for _, b := range p.run.plan.Buffers { // those that are lent, too: the next time they are others
			if b.Role != plan.FromAround {
				r.fleet.Release(b.Bufs...)
			}
		}
		bytes += p.arrays.Peak
		p.arrays.FreeAll()
		r.result.Add(p.result)
	}
	r.arrays.Count(bytes) // beside the state
	r.arrays.Count(-bytes)
	d.leave()
}
