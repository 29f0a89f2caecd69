package fleet

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Turn is jobs that a device has in line one behind the other and that may go there again as they went: nothing is copied for them and no memory is given, as long as devices hold what they
// held then.
type Turn struct {
	Jobs   []*Job
	m      *Member
	launch []func(region.Region) (device.Pending, error)
	other  atomic.Bool // something else was done for them
	takes  float64     // seconds, as far as that is known
}

// Record begins to note what is put in line, until Recorded.
func (f *Fleet) Record() { f.turn = &Turn{} }

// Recorded is what was put in line since Record; nil: it could not go there again, or nothing was noted.
func (f *Fleet) Recorded() *Turn {
	if f == nil {
		return nil
	}
	t := f.turn
	if f.turn = nil; t == nil || t.other.Load() || len(t.Jobs) == 0 {
		return nil
	}
	return t
}

// otherwise notes that something else is done than putting jobs in line.
func (f *Fleet) otherwise() {
	if f.turn != nil {
		f.turn.other.Store(true)
	}
}

// record notes a job in line.
func (f *Fleet) record(j *Job, m *Member, launch func(region.Region) (device.Pending, error)) {
	t := f.turn
	if t == nil {
		return
	}
	if t.m != nil && t.m != m || j.Gone == nil || j.Beside != nil {
		f.otherwise()
	}
	again := *j
	t.m, t.Jobs, t.launch = m, append(t.Jobs, &again), append(t.launch, launch)
	t.takes += m.paceOf(j.Kernel) * j.points()
}

// Share is what the device does of a job of the turn.
func (t *Turn) Share(job, times int) Share {
	rows := 1
	if over := t.Jobs[job].Over; len(over) > 0 {
		rows = over[0].Len()
	}
	return Share{Device: t.m.name, Ranges: times, Rows: times * rows}
}

// Held is what devices hold of some buffers, which may be compared.
type Held []held

type held struct {
	of    *replica
	valid region.Set
}

// Held is what devices hold now.
func (f *Fleet) Held(bufs []*ir.Buffer) (out Held) {
	for _, m := range f.members {
		for _, b := range bufs {
			h := held{of: m.replica(b)}
			if h.of != nil {
				h.of.mu.Lock()
				h.valid = h.of.valid
				h.of.mu.Unlock()
			}
			out = append(out, h)
		}
	}
	return out
}

// Equal reports whether devices held the same, in the same memory.
func (h Held) Equal(o Held) bool {
	return slices.EqualFunc(h, o, func(a, b held) bool {
		return a.of == b.of && slices.EqualFunc(a.valid, b.valid, region.Region.Equal)
	})
}

// Losing makes the error of what a device could not do of a job of a turn, by number.
type Losing interface {
	Lost(job int, why Failure) error
}

// Ready reports whether a turn may go in line again, as far as its device is there.
func (f *Fleet) Ready(t *Turn) bool {
	return t.m.out() == "" && (len(f.line) == 0 || f.line[0].job.Gone != nil)
}

// Repeat puts a turn in line again, behind what it was behind. What it makes is noted by Note, before somebody asks for it.
func (f *Fleet) Repeat(ctx context.Context, t *Turn, of Losing) error {
	if f.inLine >= mostInLine || f.behind > longestInLine {
		if err := f.settle(ctx); err != nil {
			return err
		}
	}
	q := &waiting{job: t.Jobs[0], m: t.m, turn: t, of: of, all: make([]device.Pending, 0, len(t.launch))}
	for i, launch := range t.launch {
		p, err := launch(t.Jobs[i].Over)
		if err == nil {
			q.done, q.all = p, append(q.all, p)
			continue
		}
		if i > 0 {
			f.line = append(f.line, q)
		}
		if err := f.settle(ctx); err != nil {
			return err
		}
		t.m.failed(err)
		return of.Lost(i, t.m.failure(t.Jobs[i], err.Error()))
	}
	f.line, f.inLine, f.behind = append(f.line, q), f.inLine+len(q.all), f.behind+t.takes
	return nil
}

// Note takes in that a turn made what it makes, as if its jobs had been put in line one by one.
func (f *Fleet) Note(t *Turn) {
	for _, j := range t.Jobs {
		f.jobs++
		for _, a := range j.Writes {
			made := j.made(a, j.Over)
			f.Forget(a.Buf, made)
			t.m.replica(a.Buf).computed(made)
			f.leave(j, a, j.Over, made)
		}
		for _, a := range slices.Concat(j.Reads, j.Writes) {
			t.m.replica(a.Buf).used = f.jobs
		}
	}
}

// settleTurn takes in what became of a turn that is over: the first job that failed and why.
func (q *waiting) settleTurn() (job int, failed error) {
	took := make([]time.Duration, len(q.all))
	n := 0
	for i, p := range q.all {
		var err error
		if took[i], err = p.Wait(); err != nil && failed == nil {
			job, failed = i, err
		}
		if failed == nil {
			n++
		}
	}
	q.turn.takes = 0
	for i, t := range took[:n] {
		q.turn.takes += t.Seconds()
		if j := q.turn.Jobs[i]; j.Later != nil {
			j.Later(t.Seconds())
		}
	}
	q.m.did(q.turn.Jobs[:n], took)
	return job, failed
}

// did counts jobs that went well, as wholes.
func (m *Member) did(jobs []*Job, took []time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, j := range jobs {
		m.usage.add(compute, took[i], 0, nil)
		m.paces[j.Kernel], m.ran[j.Kernel] = took[i].Seconds()/float64(max(1, j.Over.Points())), true
	}
	if len(jobs) > 0 {
		m.inRow = 0
	}
	m.usage.Ranges += len(jobs)
	m.usage.Kernels = len(m.ran)
}
