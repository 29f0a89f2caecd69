package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	launch []func() (device.Pending, error) // each, or all by one
	other  atomic.Bool                      // something else was done for them
	takes  float64                          // seconds, as far as that is known

	nodes []device.Node
	graph device.Graph // of all jobs; nil: each is launched by itself
	times int          // that they went again
	parts []float64    // seconds of each job, when it was launched by itself; nil: nobody waited for one yet
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

// record notes a job in line, which is launched by a node.
func (f *Fleet) record(j *Job, m *Member, n device.Node, launch func(region.Region) (device.Pending, error)) {
	t := f.turn
	if t == nil {
		return
	}
	if t.m != nil && t.m != m || j.Gone == nil || j.Beside != nil {
		f.otherwise()
	}
	again := *j
	t.m, t.Jobs, t.nodes = m, append(t.Jobs, &again), append(t.nodes, n)
	t.launch = append(t.launch, func() (device.Pending, error) { return launch(n.Tile) })
	t.takes += m.paceOf(j.Kernel) * j.points()
}

// A turn is launched as a graph once it went so often again, and where what launches take by themselves is so much of its time: then it is made in less than it saves, and what each
// job takes of it need not be known.
const (
	graphAfter = 8
	worthGraph = 0.1
)

// gather has a turn launched as a graph where that is worth it.
func (t *Turn) gather() {
	d, ok := t.m.dev.(device.Graphs)
	if t.times++; !ok || t.times < graphAfter || t.nodes == nil || t.parts == nil || float64(len(t.Jobs)-1)*t.m.rates.Launch <= worthGraph*t.takes {
		return
	}
	g, err := d.Graph(t.nodes)
	if t.nodes = nil; err == nil {
		t.graph, t.launch = g, []func() (device.Pending, error){g.Launch}
	} else if !errors.Is(err, device.ErrNoGraphs) && !errors.Is(err, device.ErrLost) { // which comes again
		t.m.opt.Log(fmt.Sprintf("%s: %s. Launching its kernels one by one.", t.m.name, err))
	}
}

// Free gives up what a turn is launched by.
func (t *Turn) Free() {
	if t.graph != nil {
		t.graph.Free()
	}
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
	t.gather()
	q := &waiting{job: t.Jobs[0], m: t.m, turn: t, of: of, whole: t.graph != nil, all: make([]device.Pending, 0, len(t.launch))}
	for i, launch := range t.launch {
		p, err := launch()
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
		i = q.failing(i, err)
		return of.Lost(i, t.m.failure(t.Jobs[i], err.Error()))
	}
	f.line, f.inLine, f.behind = append(f.line, q), f.inLine+len(t.Jobs), f.behind+t.takes
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

// failing is the job of a launch, by number, that failed.
func (q *waiting) failing(launch int, err error) int {
	if n := (*device.NodeError)(nil); q.whole && errors.As(err, &n) {
		return n.Node
	}
	return launch
}

// settleTurn takes in what became of a turn that is over: the first job that failed and why. Jobs of a graph have taken the parts of its time that they take by themselves.
func (q *waiting) settleTurn() (job int, failed error) {
	took, t := make([]float64, 0, len(q.turn.Jobs)), q.turn
	for i, p := range q.all {
		seconds, err := p.Wait()
		if failed == nil && err != nil {
			job, failed = q.failing(i, err), err
		}
		if failed == nil {
			took = append(took, seconds.Seconds())
		}
	}
	if all := sum(took); failed == nil {
		if t.takes = all; q.whole {
			took = took[:0]
			for _, part := range t.parts {
				took = append(took, all*part/max(sum(t.parts), math.SmallestNonzeroFloat64))
			}
		} else {
			t.parts = took
		}
	}
	for i, s := range took {
		if j := t.Jobs[i]; j.Later != nil {
			j.Later(s)
		}
	}
	q.m.did(t.Jobs[:len(took)], took, q.whole)
	return job, failed
}

func sum(of []float64) (s float64) {
	for _, v := range of {
		s += v
	}
	return s
}

// did counts jobs that went well, as wholes, by themselves or in a graph.
func (m *Member) did(jobs []*Job, took []float64, graph bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, j := range jobs {
		m.usage.add(compute, time.Duration(took[i]*float64(time.Second)), 0, nil)
		if m.ran[j.Kernel] = true; !graph {
			m.paces[j.Kernel] = took[i] / float64(max(1, j.Over.Points()))
		}
	}
	if len(jobs) > 0 {
		m.inRow = 0
	}
	m.usage.Ranges += len(jobs)
	m.usage.Kernels = len(m.ran)
}
