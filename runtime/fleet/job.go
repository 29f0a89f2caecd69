package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// slots is how many ranges a device has at once: one being uploaded, one computed, one downloaded.
const slots = 3

// Job is a part of a kernel to run on some devices of a fleet.
type Job struct {
	Stage         string
	Kernel        *ir.Kernel
	Over          region.Region // of the kernel's axes
	Reads, Writes []Array
	// Need is which regions of the buffers it reads a region of its axes needs; those that are missing are needed as a whole.
	Need func(over region.Region) map[*ir.Buffer]region.Region
	// Cuts are the ranges, each a list of tiles of the same rows, where they are given; nil: they are as large as is good.
	Cuts [][]region.Region
	// Whole says that rows of the kernel's axes are not rows of what it makes: it runs as one range on one device.
	Whole bool

	Devices []string
	Weights []float64 // predicted shares of the devices; nil: by their rates
	Seconds float64   // predicted for all; 0: not known

	// Failed hears of what devices could not do, before the host does it; an error ends the job.
	Failed func(Failure) error
	// Host computes tiles on the host's processor; of a whole one the only one.
	Host func(ctx context.Context, tiles []region.Region) error
	// Check looks at tiles that are done, and says later, when the whole array is there, what is wrong with them; nil: nothing is looked at.
	Check func(ctx context.Context, tiles []region.Region) (verdict func() string, err error)
	// Done hears how many points of the kernel are done, and how long after they were begun.
	Done func(points int64, took time.Duration)
}

// rows are those of the first axis; of a kernel without axes 0 to 1.
func (j *Job) rows() region.Interval {
	if len(j.Over) == 0 {
		return region.Interval{Hi: 1}
	}
	return j.Over[0]
}

// madeOf are the rows of an output that the job makes.
func (j *Job) madeOf(a Array) region.Interval {
	if j.Whole {
		return a.rows()
	}
	return j.rows()
}

// over is the part of the job in some of its rows.
func (j *Job) over(rows region.Interval) region.Region {
	if len(j.Over) == 0 {
		return j.Over
	}
	return j.Over.Along(0, rows)
}

// need are the rows of the arrays it reads that some of its rows need; those that are missing are needed as a whole.
func (j *Job) need(rows region.Interval) map[*ir.Buffer]region.Interval {
	out, need := map[*ir.Buffer]region.Interval{}, j.Need(j.over(rows))
	for _, a := range j.Reads {
		if at := need[a.Buf]; len(at) > 0 {
			out[a.Buf] = at[0]
		}
	}
	return out
}

// Share is what one device did of a job.
type Share struct {
	Device string `json:"device"`
	Ranges int    `json:"ranges"`
	Rows   int    `json:"rows"`
	// Seconds of computing and copying, by the device's own clock where it keeps one.
	Compute  float64 `json:"compute_s"`
	Upload   float64 `json:"upload_s"`
	Download float64 `json:"download_s"`
}

// Add adds what the device did of another part of the same.
func (s *Share) Add(o Share) {
	s.Ranges += o.Ranges
	s.Rows += o.Rows
	s.Compute += o.Compute
	s.Upload += o.Upload
	s.Download += o.Download
}

// worker is a device at work on a job.
type worker struct {
	m       *Member
	program device.Program
	store   *store // nil: it has not taken anything yet
	weight  float64
	pace    float64 // measured seconds a cell; 0: not measured yet
	most    int     // cells at a time, after it was out of memory; 0: as many as is good
	hand    int     // cells of the ranges that it works on
	alone   bool    // it works on one range at a time, after it was out of memory with several
	out     string  // why it does no more of this job; empty: it does
	home    rowSet  // cells of which it holds the largest input
	points  int64   // done
	before  Usage   // what the device had done when the job began
	busy    bool    // making room for it
	share   Share

	judged []judged
}

// judged is a range that was looked at.
type judged struct {
	piece   piece
	verdict func() string
}

// sharing is a job under way.
type sharing struct {
	job     *Job
	fleet   *Fleet
	workers []*worker
	host    sync.Mutex // one range at a time on the host's processor

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
	s := &sharing{job: j, fleet: f, stop: stop}
	s.change.L = &s.mu
	for _, a := range j.Writes { // what devices hold of it is of an earlier time
		f.Forget(a.Buf, j.madeOf(a))
	}
	s.enlist()
	var working sync.WaitGroup
	for _, c := range s.workers {
		n := slots
		if j.Whole {
			n = 1
		}
		for range n {
			working.Go(func() { s.work(ctx, c) })
		}
	}
	working.Wait()
	if s.err == nil {
		s.rest(ctx)
	}
	if s.err == nil {
		s.judge(ctx)
	}
	return s.shares(), s.err
}

// enlist finds the devices that take part, and cuts the job for them.
func (s *sharing) enlist() {
	j := s.job
	steps := []int{1, 1}
	for i, name := range j.Devices {
		m := s.fleet.member(name)
		if m == nil || m.out() != "" || m.programs[j.Kernel] == nil {
			continue
		}
		c := &worker{m: m, program: m.programs[j.Kernel], weight: j.weight(i, m), share: Share{Device: name}}
		for axis := range steps {
			steps[axis] = max(steps[axis], stepOf(c.program, axis))
		}
		s.workers = append(s.workers, c)
	}
	if j.Whole {
		s.workers = fastest(s.workers)
	}
	s.queue = newQueue(newGrid(j, len(s.workers), steps))
	for _, c := range s.workers {
		c.home = s.queue.grid.allWithin(c.m.home(j))
		c.pace = c.m.paceOf(j.Kernel) * s.cell()
		c.before = c.m.report()
	}
}

// cell is the points of a cell.
func (s *sharing) cell() float64 {
	return float64(s.job.Over.Points()) / float64(s.queue.total())
}

// equip makes room on a device for its part of the job. Others go on meanwhile; the device's other slots wait.
func (s *sharing) equip(c *worker) {
	if c.busy {
		s.change.Wait()
		return
	}
	c.busy = true
	s.mu.Unlock()
	store, err := c.m.prepare(s.job, s.fleet.jobs)
	if errors.Is(err, device.ErrMemory) && !errors.Is(err, errTooLarge) { // it should have had room
		c.m.retries(fmt.Sprintf("%s: %s. Retrying with nothing else in its memory.", s.job.Stage, err))
		c.m.evict(nil)
		store, err = c.m.prepare(s.job, s.fleet.jobs)
	}
	s.mu.Lock()
	c.busy = false
	s.change.Broadcast()
	if err == nil {
		c.store = store
		return
	}
	c.out = err.Error()
	if !errors.Is(err, errTooLarge) {
		c.m.failed(err)
	}
	if len(s.workers) > 1 {
		c.m.opt.Log(fmt.Sprintf("%s does not take part in %s: %s", c.m.name, s.job.Stage, err))
	}
}

// fastest is the one of largest weight.
func fastest(workers []*worker) []*worker {
	var best *worker
	for _, c := range workers {
		if best == nil || c.weight > best.weight {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return []*worker{best}
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
	row := s.cell() * float64(s.queue.total()) / float64(max(1, s.job.rows().Hi-s.job.rows().Lo))
	for _, c := range s.workers {
		if c.share.Ranges > 0 {
			now := c.m.report()
			c.share.Compute, c.share.Upload, c.share.Download = now.Compute-c.before.Compute, now.Upload-c.before.Upload, now.Download-c.before.Download
			c.share.Rows = int(math.Round(float64(c.points) / row))
			out = append(out, c.share)
		}
	}
	return out
}
