package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
)

// mostInLine are as many jobs as are in line at a time, and longestInLine what they take: a GPU's driver takes a few hundred before it waits itself, what they take of the host is kept until
// they are over, and nobody knows until then what became of them.
const (
	mostInLine    = 256
	longestInLine = 0.1
)

// waiting is a job that a device has in line as a whole, and for which nobody has waited.
type waiting struct {
	job   *Job
	m     *Member
	done  device.Pending
	look  Look // nil: nobody looks at it
	asked bool // somebody asks for what it makes; else, if kept, what it makes is what something is made again from
	kept  bool
	begun time.Time // as far as the host can tell

	turn *Turn            // of which job is the first; nil: it is one by itself
	of   Losing           // of a turn
	all  []device.Pending // of its launches; done is the last

	whole bool // they are one, of all jobs
	lost  int  // the job that failed
}

// enqueue puts a job in line on its only device, where what it makes is left until somebody asks, and nobody must look at it at once: kernels that follow each other do so without the
// host. False: it is to be done as others are. Who asks for what it makes has it settled.
func (f *Fleet) enqueue(ctx context.Context, j *Job) (shares []Share, ok bool, err error) {
	if j.Check != nil && j.Beside == nil || j.Tiles != nil || j.Stays == nil {
		return nil, false, nil
	}
	if f.inLine >= mostInLine || f.behind > longestInLine {
		if err := f.settle(ctx); err != nil {
			return nil, true, err
		}
	}
	s := f.begin(j, func() {})
	if len(s.workers) != 1 || !s.peek(s.workers[0]).Equal(j.Over) {
		return nil, false, nil
	}
	c, start := s.workers[0], time.Now()
	program, queues := c.program.(device.Queued)
	if !queues {
		return nil, false, nil
	}
	arrays := slices.Concat(j.Reads, j.Writes)
	var fault hostFault
	switch err := f.hold(ctx, c.m, j, arrays, arrays); {
	case errors.As(err, &fault):
		return nil, true, fault.error
	case errors.Is(err, device.ErrMemory) && !errors.Is(err, errTooLarge):
		c.m.retries(fmt.Sprintf("%s: %s. Retrying with nothing in line.", j.Stage, err))
		return nil, false, nil
	case err != nil:
		return nil, false, nil // it happens again, and is told then
	}
	q := &waiting{job: j, m: c.m, begun: start}
	err = q.put(ctx, f, program)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, true, ctx.Err()
	case errors.As(err, &fault):
		return nil, true, fault.error
	default:
		if err := f.settle(ctx); err != nil {
			return nil, true, err
		}
		c.m.failed(err)
		err = f.instead(ctx, j, j.Over, c.m.failure(j, err.Error()))
		j.Done(j.Over.Points(), time.Since(start))
		return nil, true, err
	}
	for _, a := range j.Writes {
		c.m.replica(a.Buf).computed(j.made(a, j.Over))
		f.leave(j, a, j.Over, j.made(a, j.Over))
	}
	f.line, f.inLine = append(f.line, q), f.inLine+1
	f.behind += c.m.paceOf(j.Kernel) * float64(j.Over.Points())
	if j.Beside != nil {
		if q.look, err = j.Beside(); err != nil {
			return nil, true, err
		}
	}
	j.Done(j.Over.Points(), time.Since(start))
	c.share.Ranges, c.points = 1, j.Over.Points()
	return s.shares(), true, nil
}

// put brings what a job needs, and launches it.
func (q *waiting) put(ctx context.Context, f *Fleet, program device.Queued) error {
	st := &store{fleet: f, m: q.m, job: q.job, replicas: q.m.replicasOf(q.job)}
	copies := &staging{m: q.m, stage: q.job.Stage}
	copies.borrow()
	defer copies.close()
	if err := st.bring(ctx, copies, q.job.Over, st.memories(), &timings{}); err != nil {
		return err
	}
	n := device.Node{Program: program, Bindings: device.Bindings{Mem: st.memories()}, Tile: q.job.Over}
	launch, err := program.Enqueue(n.Bindings)
	if err == nil {
		q.done, err = launch(n.Tile)
	}
	if err == nil {
		f.record(q.job, q.m, n, launch)
	}
	return err
}

// failure is what a device could not do of a job.
func (m *Member) failure(j *Job, why string) Failure {
	return Failure{Stage: j.Stage, Device: m.name, Kind: m.kind, Reason: why, Ranges: 1}
}

// settle waits for all that is in line, and has what failed or is wrong done again: that by the host, and what came behind it, which may have read it, once more. It is called
// by who runs jobs or asks for what they make, one at a time.
func (f *Fleet) settle(ctx context.Context) error {
	if len(f.line) == 0 {
		return nil
	}
	defer func(start time.Time) { f.waited += time.Since(start) }(time.Now())
	line := f.line
	f.line, f.inLine, f.behind = nil, 0, 0
	waited := map[*Member]bool{}
	for _, q := range slices.Backward(line) { // those before are over then, and what became of them is known without waiting
		if !waited[q.m] {
			_, _ = q.done.Wait()
			waited[q.m] = true
		}
	}
	for _, q := range line { // those who look closer may have the host get it, whatever it is
		if q.job.Gone != nil {
			continue
		}
		for _, a := range q.job.Writes {
			q.kept = q.kept || f.Lacks(a.Buf)
			q.asked = q.asked || f.Lacks(a.Buf) && !f.unheld(a)
		}
	}
	ended := map[*Member]time.Time{}
	for i, q := range line {
		why, blame, err := q.became(ctx, ended)
		if err != nil {
			return err
		}
		if why != "" && q.job.Gone != nil {
			q.failed(line[i+1:])
			blame()
			return q.gone(why)
		}
		if why != "" {
			return f.again(ctx, line[i:], why, blame)
		}
	}
	return nil
}

// Waited is the time so far in which the host waited for jobs that devices had in line, and saw to them. It is part of what it did when somebody asked for what they make.
func (f *Fleet) Waited() time.Duration { return f.waited }

// Behind is how long what is in line takes, as far as that is known.
func (f *Fleet) Behind() time.Duration { return time.Duration(f.behind * float64(time.Second)) }

// became is why a job is to be done again, and what counts that for its device; empty: it is not.
func (q *waiting) became(ctx context.Context, ended map[*Member]time.Time) (why string, blame func(), err error) {
	failed, fault := q.settle(ended), ""
	if failed == nil {
		if fault, failed, err = q.looked(ctx); err != nil {
			return "", nil, err
		}
	}
	switch {
	case failed != nil:
		return failed.Error(), func() { q.m.failed(failed) }, nil
	case fault != "":
		return "wrong result: " + fault, func() { q.m.count(func(u *Usage) { u.Failures++ }) }, nil
	}
	return "", nil, nil
}

// gone is the error of what a device could not do and nobody else can.
func (q *waiting) gone(why string) error {
	if q.turn != nil {
		return q.of.Lost(q.lost, q.m.failure(q.turn.Jobs[q.lost], why))
	}
	return q.job.Gone(q.m.failure(q.job, why))
}

// settle takes in what became of a job that is over, behind others that ended then.
func (q *waiting) settle(ended map[*Member]time.Time) (err error) {
	if q.turn != nil {
		q.lost, err = q.settleTurn()
		return err
	}
	took, err := q.done.Wait()
	q.m.count(func(u *Usage) { u.add(compute, took, 0, err) })
	if last := ended[q.m]; q.begun.Before(last) {
		q.begun = last
	}
	ended[q.m] = q.begun.Add(took)
	if t := q.m.opt.Trace; t != nil {
		lane := q.m.lanes[compute]
		t.Took(lane.number, lane.name, q.job.Stage, q.begun, took, map[string]any{"tile": q.job.Over})
	}
	if err != nil {
		return err
	}
	q.m.worked(q.job.Kernel)
	q.m.mu.Lock()
	q.m.paces[q.job.Kernel] = took.Seconds() / float64(max(1, q.job.Over.Points()))
	q.m.mu.Unlock()
	q.later(took.Seconds())
	return nil
}

// later tells what the device took for the job, which was not known when it was put in line.
func (q *waiting) later(seconds float64) {
	if q.job.Later != nil {
		q.job.Later(seconds)
	}
}

// again has jobs done once more of which the first failed, or was wrong.
func (f *Fleet) again(ctx context.Context, failed []*waiting, why string, blame func()) error {
	var unheld []Array
	failed[0].failed(failed[1:])
	for _, q := range failed {
		q.void()
		for _, a := range q.job.Writes {
			if r := q.m.replica(a.Buf); r != nil {
				r.forget(q.job.made(a, q.job.Over))
			}
			if f.unheld(a) {
				unheld = append(unheld, a)
			}
		}
	}
	blame()
	f.redone++
	first := failed[0]
	if err := f.replace(ctx, first, first.m.failure(first.job, why)); err != nil {
		return err
	}
	for _, q := range failed[1:] {
		if !q.kept {
			continue // nobody asks for it any more
		}
		if why := q.m.out(); why != "" {
			if err := f.replace(ctx, q, q.m.failure(q.job, why)); err != nil {
				return err
			}
			continue
		}
		shares, err := f.run(ctx, q.job)
		if err != nil {
			return err
		}
		for _, s := range shares {
			q.later(s.Compute)
		}
	}
	for _, a := range unheld {
		if f.Lacks(a.Buf) {
			f.Unload(a.Buf)
		}
	}
	return nil
}

// failed counts what failed of the jobs behind one.
func (q *waiting) failed(behind []*waiting) {
	if q.turn != nil {
		q.m.failures(q.all[min(q.lost+1, len(q.all)):]...)
	}
	for _, b := range behind {
		if b.turn != nil {
			b.m.failures(b.all...)
		} else {
			b.m.failures(b.done)
		}
	}
}

func (m *Member) failures(of ...device.Pending) {
	for _, p := range of {
		if _, err := p.Wait(); err != nil {
			m.failed(err)
		}
	}
}

// replace has the host do what a device failed to do, unless it was given up: then it is made again if something is made again from it.
func (f *Fleet) replace(ctx context.Context, q *waiting, why Failure) error {
	if q.asked {
		return f.instead(ctx, q.job, q.job.Over, why)
	}
	return q.job.Failed(why)
}

// instead does a range of a job on the host that a device failed to do.
func (f *Fleet) instead(ctx context.Context, j *Job, at region.Region, why Failure) error {
	f.moving.Lock()
	defer f.moving.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if j.Gone != nil {
		return j.Gone(why)
	}
	if err := j.Failed(why); err != nil {
		return err
	}
	return f.onHost(ctx, j, at)
}

// unheld reports whether an array was given up but for what is made from it.
func (f *Fleet) unheld(a Array) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.aparts[a.Buf]
	return e != nil && e.unheld
}

// abandon waits for what is in line, whatever became of it.
func (f *Fleet) abandon() {
	for _, q := range f.line {
		_, _ = q.done.Wait()
	}
	f.line, f.inLine = nil, 0
}
