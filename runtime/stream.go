package runtime

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"weft/kernels/region"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/exec"
	"weft/runtime/journal"
)

// stream runs a plan in blocks of rows, pass by pass.
func (r *run) stream(ctx context.Context) error {
	if m, err := r.opt.Devices[0].Alloc(probe); err != nil || m.Host() == nil {
		return problem.Wrong(problem.MemoryBudget, "", "give --memory more, or choose another device", "%s holds arrays as a whole, and they do not fit the budget", r.opt.Devices[0].Info().Name)
	} else {
		m.Free()
	}
	layout, err := blocks.Lay(r.plan)
	if err != nil {
		return err
	}
	r.arrays.Block(layout)
	r.layout, r.laid = layout, r.plan.Stream.PeakBytes
	for i := range layout.Passes {
		r.passed = i
		p := &pass{run: r, index: i, layout: layout, Pass: &layout.Passes[i], works: map[string]*work{}, drives: map[string]*objects{}}
		if err := p.execute(ctx); err != nil {
			return err
		}
		if err := r.free(ctx, p.Frees); err != nil {
			return err
		}
		r.arrays.Spare.Release() // blocks come in windows, which take none of it
		r.arrays.FreeWindows()
	}
	return nil
}

// spare collects what planning left, and more often than commands do what sources and sinks leave: it would otherwise stay beside large arrays, and
// beyond the budget of a run that has little. It returns what ends that.
func (r *run) spare() (end func()) {
	if r.plan.Stream == nil && r.plan.Totals.PeakBytes < largeArrays {
		return func() {}
	}
	debug.FreeOSMemory()
	before := debug.SetGCPercent(100)
	return func() { debug.SetGCPercent(before) }
}

// largeArrays are those beside which a collection takes no time.
const largeArrays = 64 << 20

// pass is one pass of a run in blocks.
type pass struct {
	*blocks.Pass
	layout *blocks.Stream
	run    *run
	index  int
	steps  []*bound.Step
	strips [][]blocks.Block  // what is left to do
	blocks []blocks.Block    // of the strip under way
	begun  bool              // an earlier run did some of it
	before []journal.Sampled // what that sampled

	sampled [][]journal.Sampled // of each of the blocks

	sources []*tileSource
	sinks   []*tileSink
	works   map[string]*work // kernels, by step
	drives  map[string]*objects
	carried carrying
	wrong   bool // samples were beyond their tolerance: nothing to go on with
}

func (p *pass) execute(ctx context.Context) (err error) {
	r := p.run
	for i := range r.plan.Steps {
		if s := &r.plan.Steps[i]; slices.Contains(p.Steps, s.ID) {
			p.steps = append(p.steps, s)
		}
	}
	defer func() { err = errors.Join(err, p.close(ctx, err)) }()
	for _, s := range p.steps { // by which blocks may get smaller
		if err := r.room(s); err != nil {
			return r.failed(ctx, s, err)
		}
	}
	if err := p.open(ctx); err != nil {
		return err
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	r.opt.Progress.Begin(p.layout.Computes(p.index), p.layout.Tiles(p.index, p.strips, r.opt.Threads), p.layout.Predicted(p.index))
	defer r.opt.Progress.End()
	for i := range p.strips {
		if i > 0 {
			r.arrays.ClearWindows()
		}
		p.blocks, p.sampled = p.strips[i], make([][]journal.Sampled, len(p.strips[i]))
		if err := p.overlap(ctx); err != nil {
			return err
		}
	}
	return p.finish(ctx)
}

// prepare gives arrays their memory and reads those that are kept as a whole.
func (p *pass) prepare(ctx context.Context) error {
	r := p.run
	blocks := len(slices.Concat(p.strips...))
	for _, s := range p.steps {
		if s.Kind == plan.DriveStep && s.Drive.Tiles != nil {
			if r.scratch[s.Writes[0]] == nil {
				if err := r.step(ctx, s); err != nil {
					return r.failed(ctx, s, err)
				}
			}
			continue
		}
		most := p.most(s)
		whole := (s.Kind == plan.ReadStep || s.Kind == plan.DriveStep && most == 0) && !r.arrays.Windowed[s.Writes[0]] && !r.arrays.There(s.Writes[0])
		if err := r.room(s); err != nil {
			return r.failed(ctx, s, err)
		}
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			if err := r.arrays.Need(id, false); err != nil {
				return r.failed(ctx, s, err)
			}
		}
		if whole {
			if err := r.step(ctx, s); err != nil {
				return r.failed(ctx, s, err)
			}
		}
		if most > 0 {
			d, err := r.byObjects(ctx, s, most)
			if p.drives[s.ID] = d; err != nil {
				return r.failed(ctx, s, err)
			}
		}
		if s.Kind == plan.KernelStep {
			if p.works[s.ID] = r.work(s); !p.begun {
				p.works[s.ID].blanks = r.arrays.Blanks(s)
			}
		}
	}
	if err := p.carried.Hold(r.opt.Devices[0]); err != nil {
		return err
	}
	for _, s := range p.steps { // behind the sources, beside which references are made
		w := p.works[s.ID]
		if w == nil || !r.opt.Verify {
			continue
		}
		c, err := r.newSampling(s)
		if err != nil {
			return err
		}
		if w.checks = c; c.size > 0 {
			c.each = max(2, (c.size+blocks-1)/blocks)
			c.again(p.before)
		}
	}
	return nil
}

// overlap runs the blocks of a strip: while one is computed, the next is read and the one before written.
func (p *pass) overlap(ctx context.Context) error {
	r := p.run
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	var reading, writing exec.Task
	defer func() { reading.Wait(); writing.Wait() }()
	reading = exec.Beside(func() error { return p.read(stop, 0) })
	for t := range p.blocks {
		if err := reading.Wait(); err != nil {
			return err
		}
		if t+1 < len(p.blocks) {
			reading = exec.Beside(func() error { return p.read(stop, t+1) })
		}
		if err := p.compute(ctx, t); err != nil {
			cancel()
			return err
		}
		if err := writing.Wait(); err != nil {
			cancel()
			return err
		}
		p.drop(t)
		r.opt.Progress.Tile()
		kept, err := p.due(t)
		if err != nil {
			cancel()
			return err
		}
		writing = exec.Beside(func() error {
			if err := p.write(stop, t); err != nil {
				return err
			}
			return p.save(kept)
		})
	}
	return writing.Wait()
}

func (p *pass) read(ctx context.Context, t int) error {
	for _, s := range p.sources {
		at, ok := p.blocks[t].Read[s.buffer]
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.read(ctx, at); err != nil {
			return p.run.failed(ctx, s.step, err)
		}
	}
	return nil
}

func (p *pass) compute(ctx context.Context, t int) error {
	r := p.run
	for _, s := range p.steps {
		over, ok := p.blocks[t].Run[s.ID]
		if !ok {
			continue
		}
		if d := p.drives[s.ID]; d != nil {
			if err := d.next(over[0]); err != nil {
				return r.failed(ctx, s, r.makes(s, err))
			}
			continue
		}
		there, err := r.arrays.Extent(s)
		if err != nil {
			return r.failed(ctx, s, err)
		}
		if over = over.Intersect(there); over.Empty() && !s.Kernel.IR.Domain().Empty() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		turns, carries := p.blocks[t].Turns[s.ID]
		if carries {
			p.carried.Next(s, turns)
		}
		for _, id := range s.Writes {
			made := r.arrays.ByID[id].Layout.Whole()
			copy(made, r.elementsOf(s, over))
			r.arrays.Extend(id, made)
		}
		w := p.works[s.ID]
		err = w.part(ctx, over, s.Kernel.TilesOf(over, r.opt.Threads))
		var made region.Region
		if err == nil {
			made, err = r.stores(s, over)
		}
		if err == nil {
			err = w.blanks.Look(ctx, made)
		}
		if err == nil && w.checks != nil {
			err = p.sample(ctx, w.checks, t, over)
		}
		if err != nil {
			return r.failed(ctx, s, err)
		}
		if carries {
			p.carried.On(s)
		}
	}
	return nil
}

// sample compares some of what a kernel made of block t, and keeps it for the journals.
func (p *pass) sample(ctx context.Context, c *sampling, t int, over region.Region) error {
	taken, err := c.sample(ctx, over, c.each)
	if len(taken) == 0 {
		return err
	}
	s := journal.Sampled{Step: c.step.ID, Taken: make([]audit.Kept, len(taken))}
	for i := range taken {
		s.Taken[i] = taken[i].Keep()
	}
	p.sampled[t] = append(p.sampled[t], s)
	return err
}

// write hands a block to the sinks and records that it is there.
func (p *pass) write(ctx context.Context, t int) error {
	for _, s := range p.sinks {
		s.samples = append(s.samples, p.sampled[t]...)
		if err := s.write(ctx, p.blocks[t].Write[s.step.ID]); err != nil {
			return p.run.failed(ctx, s.step, err)
		}
	}
	return nil
}

// drop frees the rows that nothing needs behind block t, whose own rows the sinks still have to take.
func (p *pass) drop(t int) {
	for id, lo := range p.blocks[t].Keep {
		for _, s := range p.sinks {
			if slices.Contains(s.step.Reads, id) {
				lo = min(lo, p.blocks[t].Write[s.step.ID][0].Lo)
			}
		}
		p.run.arrays.Drop(id, lo)
	}
}

// finish judges the samples, completes the outputs and runs the sinks that take arrays as a whole.
func (p *pass) finish(ctx context.Context) error {
	r := p.run
	for _, s := range p.steps {
		if d := p.drives[s.ID]; d != nil {
			if err := r.makes(s, d.end()); err != nil {
				return r.failed(ctx, s, err)
			}
		}
		w := p.works[s.ID]
		if w == nil {
			continue
		}
		r.doubt.Spread(s)
		err := w.blanks.Judge(ctx)
		if err == nil && w.checks != nil {
			err = w.checks.judge()
		}
		if err != nil {
			p.wrong = true
			return r.failed(ctx, s, err)
		}
	}
	for _, s := range p.sinks {
		if err := ctx.Err(); err != nil {
			return err
		}
		known, err := r.context(ctx, s.step)
		if err == nil {
			err = s.commit(known)
		}
		if err != nil {
			return r.failed(ctx, s.step, err)
		}
	}
	for _, s := range p.steps {
		if s.Kind != plan.SinkStep || slices.ContainsFunc(p.sinks, func(k *tileSink) bool { return k.step == s }) {
			continue
		}
		if err := r.sink(ctx, s); err != nil {
			return r.failed(ctx, s, err)
		}
	}
	return nil
}

// close ends what is open. Outputs that are not complete can be taken up again.
func (p *pass) close(ctx context.Context, failure error) error {
	r := p.run
	var errs []error
	for _, s := range p.steps {
		if w := p.works[s.ID]; w != nil {
			w.finish()
			if p.begun { // the rest is in an earlier run's report
				r.result.Kernels[len(r.result.Kernels)-1].Part(blocks.Share(slices.Concat(p.strips...), s))
			}
		}
	}
	for _, d := range p.drives {
		d.close()
	}
	p.carried.Free()
	for _, s := range p.sources {
		errs = append(errs, s.close(ctx, failure != nil))
	}
	for _, s := range p.sinks {
		errs = append(errs, s.close(p.wrong))
	}
	if failure != nil {
		r.arrays.FreeWindows()
	}
	return errors.Join(errs...)
}
