package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
)

// slots is how many ranges a device has at once: one being uploaded, one computed, one downloaded.
const slots = 3

// Job is a kernel to run over some rows of its first axis, on some devices of a fleet.
type Job struct {
	Stage         string
	Kernel        *ir.Kernel
	Rows          ops.Interval // of the first axis; of a kernel without axes 0 to 1
	Reads, Writes []Array
	// Need are the rows of the arrays it reads that some of its rows need; those that are missing are needed as a whole.
	Need func(rows ops.Interval) map[*ir.Buffer]ops.Interval
	// Cuts are the ranges, each a list of tiles of the same rows, where they are given; nil: they are as large as is good.
	Cuts [][]device.Tile
	// Joins is a kernel that adds to what is there: it runs as one range on one device.
	Joins bool

	Devices []string
	Weights []float64 // predicted shares of the devices; nil: by their rates
	Seconds float64   // predicted for all; 0: not known

	// Failed hears of what devices could not do, before the host does it; an error ends the job.
	Failed func(Failure) error
	// Host computes rows on the host's processor.
	Host func(ctx context.Context, rows ops.Interval) error
	// Check looks at rows that are done, and says later, when the whole array is there, what is wrong with them; nil: nothing is looked at.
	Check func(ctx context.Context, rows ops.Interval) (verdict func() string, err error)
	// Done hears of ranges that are done, and how long after they were begun.
	Done func(rows ops.Interval, took time.Duration)
}

// Share is what one device did of a job.
type Share struct {
	Device string `json:"device"`
	Ranges int    `json:"ranges"`
	Rows   int    `json:"rows"`
}

// crew is a device at work on a job.
type crew struct {
	m      *Member
	store  *store
	weight float64
	pace   float64 // measured seconds a row; 0: not measured yet
	most   int     // rows at a time, after it was out of memory; 0: as many as is good
	out    string  // why it does no more of this job; empty: it does
	home   rowSet  // rows of which it holds the largest input
	share  Share

	judged []judged
}

// judged is a range that was looked at.
type judged struct {
	rows    ops.Interval
	verdict func() string
}

// sharing is a job under way.
type sharing struct {
	job   *Job
	fleet *Fleet
	crews []*crew
	host  sync.Mutex // one range at a time on the host's processor

	mu     sync.Mutex
	change sync.Cond // something came back, a device left, or all is done
	queue  queue
	open   int // ranges being worked on
	err    error
	stop   context.CancelFunc
}

// Run does a job. What no device does, the host does. The error is of the host, of Failed, or the context's.
func (f *Fleet) Run(ctx context.Context, j *Job) ([]Share, error) {
	f.jobs++
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &sharing{job: j, fleet: f, stop: stop, queue: newQueue(j)}
	s.change.L = &s.mu
	for _, a := range j.Writes { // what devices hold of it is of an earlier time
		f.Forget(a.Buf, j.Rows)
	}
	if err := s.enlist(ctx); err != nil {
		return nil, err
	}
	var workers sync.WaitGroup
	for _, c := range s.crews {
		n := slots
		if j.Joins {
			n = 1
		}
		for range n {
			workers.Go(func() { s.work(ctx, c) })
		}
	}
	workers.Wait()
	if s.err == nil {
		s.rest(ctx)
	}
	if s.err == nil {
		s.judge(ctx)
	}
	return s.shares(), s.err
}

// enlist prepares the devices that take part.
func (s *sharing) enlist(ctx context.Context) error {
	j := s.job
	var able []*crew
	for i, name := range j.Devices {
		m := s.fleet.member(name)
		if m == nil || m.out() != "" || m.programs[j.Kernel] == nil {
			continue
		}
		able = append(able, &crew{m: m, weight: j.weight(i, m), pace: m.paceOf(j.Kernel), share: Share{Device: name}})
	}
	if j.Joins {
		able = fastest(able)
	}
	for _, c := range able {
		if err := ctx.Err(); err != nil {
			return err
		}
		store, err := c.m.prepare(j, s.fleet.jobs)
		if err == nil {
			c.store, c.home = store, store.home()
			s.crews = append(s.crews, c)
			continue
		}
		if !errors.Is(err, device.ErrMemory) {
			c.m.failed(err)
		}
		s.queue.refusal = Failure{Stage: j.Stage, Device: c.m.name, Kind: c.m.kind, Reason: err.Error()}
		if len(able) > 1 {
			c.m.opt.Log(fmt.Sprintf("%s does not take part in %s: %s", c.m.name, j.Stage, err))
		}
	}
	return nil
}

// fastest is the one of largest weight.
func fastest(crews []*crew) []*crew {
	var best *crew
	for _, c := range crews {
		if best == nil || c.weight > best.weight {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return []*crew{best}
}

func (m *Member) paceOf(k *ir.Kernel) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paces[k]
}

// leastWeight keeps a device in play that was predicted to be of no use.
const leastWeight = 1e-6

// weight is the predicted share of device i.
func (j *Job) weight(i int, m *Member) float64 {
	if len(j.Weights) == len(j.Devices) {
		return max(j.Weights[i], leastWeight)
	}
	return cmp.Or(m.rates.Flops, 1)
}

func (s *sharing) shares() []Share {
	var out []Share
	for _, c := range s.crews {
		if c.share.Ranges > 0 {
			out = append(out, c.share)
		}
	}
	return out
}
