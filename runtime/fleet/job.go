package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/runtime/fleet/ranges"
	"weft/runtime/fleet/space"
)

const slots = space.Slots

// Job is a part of a kernel to run on some devices of a fleet.
type Job struct {
	Stage         string
	Kernel        *ir.Kernel
	Over          region.Region // of the kernel's axes
	Reads, Writes []Array
	// Need is which regions of the buffers it reads a region of its axes needs; those that are missing are needed as a whole.
	Need func(over region.Region) map[*ir.Buffer]region.Region
	// Reach is which regions of them a region of its axes loads, as Need but wherever a value is then thrown away too: what lies there must have an address. nil: as Need.
	Reach func(over region.Region) map[*ir.Buffer]region.Region
	// Tiles are those whose rows are the ranges, where they are given; nil: they are as large as is good.
	Tiles []region.Region
	// Stays says which of Writes are left on devices that hold all of them, until somebody asks. What is lost before that is made again from
	// what the job reads, so Host must be ready to be called as long as the fleet names that as a source. nil: none.
	Stays func(*ir.Buffer) bool
	// Array is one of Reads or Writes with its memory on the host, for those that come without; nil: none does.
	Array func(*ir.Buffer) (Array, error)
	// Whole says that rows of the kernel's axes are not rows of what it makes: it runs as one range on one device.
	Whole bool

	Devices []string
	Weights []float64 // predicted shares of the devices; nil: by their rates
	Seconds float64   // predicted for all; 0: not known

	// Failed hears of what devices could not do, before the host does it; an error ends the job.
	Failed func(Failure) error
	// Gone is the error of what a device could not do and the host cannot do either, because what it takes is no longer there: Failed is not called. nil: the host can.
	Gone func(Failure) error
	// Host computes a range on the host's processor.
	Host func(ctx context.Context, at region.Region) error
	// Check looks at ranges once all are done, and says what is wrong with each; empty: nothing is. nil: nothing is looked at.
	Check func(ctx context.Context, ranges []region.Region) (faults []string, err error)
	// Beside begins to look at all that the job makes, which a device has in line then, beside what follows: the job is not waited for to be checked. nil: it is.
	Beside func() (Look, error)
	// Relieve gives up what is kept for the sake of being looked at; it is called where a device lacks room. nil: nothing is.
	Relieve func(ctx context.Context) error
	// Done hears how many points of the kernel are done, and how long after they were begun.
	Done func(points int64, took time.Duration)
	// Later hears how long a device took for what was in line when Run returned. nil: nobody asks.
	Later func(seconds float64)
}

// Names are the devices of shares.
func Names(shares []Share) string {
	names := make([]string, len(shares))
	for i, s := range shares {
		names[i] = s.Device
	}
	return strings.Join(names, " + ")
}

// points are those of the whole job.
func (j *Job) points() float64 { return float64(j.Over.Points()) }

// rows is the part of the job in the rows of a tile.
func (j *Job) rows(tile region.Region) region.Region {
	at := slices.Clone(j.Over)
	copy(at, tile[:min(1, len(tile))])
	return at
}

// cuttable is how many leading axes are dims of all that the kernel makes, in order, so that a range of them is a box of each array.
func (j *Job) cuttable() (n int) {
	if j.Whole {
		return 0
	}
	for n < len(j.Kernel.Axes) && !slices.ContainsFunc(j.Kernel.Stores, func(s ir.Store) bool {
		return n >= len(s.Index) || s.Index[n] != j.Kernel.Axes[n] || s.Buf.Shape[n] != j.Kernel.Axes[n].Extent
	}) {
		n++
	}
	return min(len(j.Over), max(1, n))
}

// rowsOf are the rows of an array whose addresses a range uses: all of what is needed as a whole.
func (j *Job) rowsOf(a Array, at region.Region, need, reach map[*ir.Buffer]region.Region) region.Region {
	rows := j.made(a, at)
	if !j.writes(a.Buf) {
		rows = need[a.Buf]
		if r := reach[a.Buf]; len(rows) > 0 && !r.Empty() {
			rows = rows.Hull(r)
		}
	}
	if len(rows) == 0 {
		return a.whole()
	}
	return ops.RowsOf(a.Buf, rows[0])
}

func (j *Job) reach(at region.Region) map[*ir.Buffer]region.Region {
	if j.Reach == nil {
		return nil
	}
	return j.Reach(at)
}

func (j *Job) writes(b *ir.Buffer) bool {
	return slices.ContainsFunc(j.Writes, func(a Array) bool { return a.Buf == b })
}

// made is the part of an output that a range makes.
func (j *Job) made(a Array, at region.Region) region.Region {
	made := a.whole()
	copy(made, at[:j.cuttable()])
	return made
}

// need is what a range needs of an input.
func (j *Job) need(a Array, need map[*ir.Buffer]region.Region) region.Region {
	return ops.CopiedOf(a.Buf, need[a.Buf])
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

// Together adds what devices did of another part of the same.
func Together(of, other []Share) []Share {
	for _, s := range other {
		if at := slices.IndexFunc(of, func(x Share) bool { return x.Device == s.Device }); at >= 0 {
			of[at].Add(s)
		} else {
			of = append(of, s)
		}
	}
	return of
}

// Took adds seconds that a device computed for what was in line when it was told of it.
func Took(shares []Share, seconds float64) {
	if len(shares) == 1 {
		shares[0].Compute += seconds
	}
}

// worker is a device at work on a job.
type worker struct {
	m       *Member
	program device.Program
	store   *store // nil: it has not taken anything yet
	weight  float64
	pace    float64    // measured seconds a point; 0: not measured yet
	wave    float64    // points that the device computes at once; 0: not known
	hand    float64    // points of the ranges that it works on
	began   time.Time  // with the first of them
	out     string     // why it does no more of this job; empty: it does
	home    region.Set // of the job, for which it holds the largest input
	points  int64      // done
	before  Usage      // what the device had done when the job began
	busy    bool       // making room for it
	share   Share

	done []region.Region // ranges to be looked at
}

// sharing is a job under way.
type sharing struct {
	job     *Job
	fleet   *Fleet
	workers []*worker

	mu     sync.Mutex
	change sync.Cond // something came back, a device left, or all is done
	queue  ranges.Queue
	open   int // ranges being worked on
	err    error
	stop   context.CancelFunc
}

// Run does a job, or leaves it in line on a device. What no device does, the host does. The error is of the host, of Failed, or the context's.
func (f *Fleet) Run(ctx context.Context, j *Job) ([]Share, error) {
	if j.Relieve != nil && f.crowded(j) {
		if err := j.Relieve(ctx); err != nil {
			return nil, err
		}
	}
	if shares, ok, err := f.enqueue(ctx, j); ok || err != nil {
		return shares, err
	}
	f.otherwise()
	if err := f.settle(ctx); err != nil {
		return nil, err
	}
	return f.run(ctx, j)
}

// begin finds who may do a job, of which devices hold nothing but what is of an earlier time.
func (f *Fleet) begin(j *Job, stop context.CancelFunc) *sharing {
	f.jobs++
	s := &sharing{job: j, fleet: f, stop: stop}
	s.change.L = &s.mu
	for _, a := range j.Writes {
		f.Forget(a.Buf, j.made(a, j.Over))
	}
	s.enlist()
	return s
}

// run does a job that is not left in line, with nothing in line.
func (f *Fleet) run(ctx context.Context, j *Job) ([]Share, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := f.begin(j, stop)
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
	for _, c := range s.workers {
		if c.store != nil {
			c.store.close()
		}
	}
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
	steps := slices.Repeat([]int{1}, len(j.Over))
	for i, name := range j.Devices {
		m := s.fleet.member(name)
		if m == nil || m.out() != "" || m.programs[j.Kernel] == nil {
			continue
		}
		c := &worker{m: m, program: m.programs[j.Kernel], weight: j.weight(i, m), share: Share{Device: name}}
		if p, ok := c.program.(device.Waved); ok {
			c.wave = p.Wave()
		}
		for axis := range steps {
			steps[axis] = max(steps[axis], stepOf(c.program, axis))
		}
		s.workers = append(s.workers, c)
	}
	if j.Whole {
		s.workers = fastest(s.workers)
	}
	s.queue = newQueue(j, len(s.workers), steps)
	for _, c := range s.workers {
		c.home, c.pace, c.before = c.m.home(j), c.m.paceOf(j.Kernel), c.m.report()
	}
	s.settle()
}

// settle gives each device a part of the rows to begin with where none has inputs of some: kernels that follow each other have the same ones then, and a
// device that is done with its own goes on with those of others.
func (s *sharing) settle() {
	sum := 0.0
	for _, c := range s.workers {
		if sum += c.weight; len(c.home) > 0 {
			return
		}
	}
	if len(s.workers) < 2 || s.queue.Given || len(s.queue.Steps) == 0 {
		return
	}
	rows, step := s.job.Over[0], float64(s.queue.Steps[0])
	from, before := rows.Lo, 0.0
	for i, c := range s.workers {
		before += c.weight
		to := rows.Lo + int(step*math.Round(before/sum*float64(rows.Len())/step))
		if to = min(to, rows.Hi); i == len(s.workers)-1 {
			to = rows.Hi
		}
		if from < to {
			c.home = region.Set{s.job.Over.Along(0, region.Interval{Lo: from, Hi: to})}
		}
		from = to
	}
}

// equip makes room on a device for its part of the job. Others go on meanwhile; the device's other slots wait.
func (s *sharing) equip(ctx context.Context, c *worker) {
	if c.busy {
		s.change.Wait()
		return
	}
	c.busy = true
	ranges := s.queue.Extremes(s.most(c))
	s.mu.Unlock()
	store, err := s.fleet.prepare(ctx, c.m, s.job, ranges)
	if errors.Is(err, device.ErrMemory) && !errors.Is(err, errTooLarge) { // it should have had room
		c.m.retries(fmt.Sprintf("%s: %s. Retrying with nothing else in its memory.", s.job.Stage, err))
		if err = s.fleet.evict(ctx, c.m, nil); err == nil {
			store, err = s.fleet.prepare(ctx, c.m, s.job, ranges)
		}
	}
	s.mu.Lock()
	c.busy = false
	s.change.Broadcast()
	if err == nil {
		c.store = store
		return
	}
	c.out = err.Error()
	if fault := (hostFault{}); errors.As(err, &fault) {
		s.failed(fault.error)
		return
	}
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
	row := s.job.points()
	if len(s.job.Over) > 0 {
		row /= float64(max(1, s.job.Over[0].Len()))
	}
	for _, c := range s.workers {
		if c.share.Ranges > 0 {
			now := c.m.report()
			c.share.Compute, c.share.Upload = now.Compute-c.before.Compute, now.Upload-c.before.Upload
			c.share.Download = now.Download - c.before.Download
			c.share.Rows = int(math.Round(float64(c.points) / row))
			out = append(out, c.share)
		}
	}
	return out
}
