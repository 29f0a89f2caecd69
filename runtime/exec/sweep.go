package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/runtime/trace"
)

// queuedPerThread bounds the tiles in flight: launched or next in line.
const queuedPerThread = 2

// Sweep launches one kernel over many tiles, and measures.
type Sweep struct {
	Name string
	Bound
	Threads int
	Hands   *Hands
	Done    func() // after every tile, from any worker
	Trace   *trace.Writer
	Tally   device.Tally // of programs that count

	bound      bindings
	mu         sync.Mutex
	waiting    []region.Region // not queued yet
	queue      []job
	Turnaround []time.Duration
	Walls      []time.Duration // of launches alone
	QueuePeak  int
	Left       []region.Region // not done, because a launch failed
	Fault      error           // why the first of them failed
}

type job struct {
	tile   region.Region
	queued time.Time
}

// Run works the tiles off, several at once, one of them here. After a launch that fails no other is started: what is left then lies in
// s.Left, with the reason in s.Fault. The error is the context's.
func (s *Sweep) Run(ctx context.Context, tiles []region.Region) error {
	// The longest ones first, so that the last ones even out.
	s.waiting = slices.Clone(tiles)
	slices.SortStableFunc(s.waiting, func(a, b region.Region) int { return cmp.Compare(b.Points(), a.Points()) })
	var others sync.WaitGroup
	for other := range min(s.Threads, len(tiles)) - 1 {
		s.Hands.begin(&others, func() { s.work(ctx, other+2) })
	}
	s.work(ctx, 1)
	others.Wait()
	for _, j := range s.queue {
		s.Left = append(s.Left, j.tile)
	}
	s.Left, s.queue = append(s.Left, s.waiting...), nil
	return ctx.Err()
}

// worthAssisting is how long a thread's last launch took where those still under way may have enough left to be shared.
const worthAssisting = 2 * time.Millisecond

func (s *Sweep) work(ctx context.Context, lane int) {
	var last time.Duration
	for ctx.Err() == nil {
		j, ok := s.next()
		if !ok {
			break
		}
		last = s.do(j, lane)
	}
	for start := time.Now(); s.Assist != nil && last > worthAssisting && s.Assist(); start = time.Now() {
		s.Trace.Span(lane, "tile", s.Name, start, map[string]any{"shared": true})
	}
}

// next takes the next tile, unless there is none or one failed.
func (s *Sweep) next() (j job, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Fault != nil {
		return j, false
	}
	for len(s.waiting) > 0 && len(s.queue) < queuedPerThread*s.Threads {
		s.queue, s.waiting = append(s.queue, job{s.waiting[0], time.Now()}), s.waiting[1:]
	}
	s.QueuePeak = max(s.QueuePeak, len(s.queue))
	if len(s.queue) == 0 {
		return j, false
	}
	j, s.queue = s.queue[0], s.queue[1:]
	return j, true
}

// do launches a tile, and tells how long that took.
func (s *Sweep) do(j job, lane int) time.Duration {
	start := time.Now()
	if err := s.Launch(j.tile); err != nil {
		s.leave(j.tile, err)
		return 0
	}
	took := time.Since(start)
	s.finish(time.Since(j.queued), took)
	if s.Trace != nil {
		s.Trace.Span(lane, "tile", s.Name, start, map[string]any{"tile": j.tile})
	}
	return took
}

func (s *Sweep) leave(t region.Region, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Left = append(s.Left, t)
	if s.Fault == nil {
		s.Fault = err
	}
}

func (s *Sweep) finish(turnaround, wall time.Duration) {
	s.mu.Lock()
	s.Turnaround, s.Walls = append(s.Turnaround, turnaround), append(s.Walls, wall)
	s.mu.Unlock()
	if s.Done != nil {
		s.Done()
	}
}

// mostRemembered bounds what is kept of the tiles of a kernel that runs many times.
const mostRemembered = 4096

// Forget drops what is known of most tiles, but for the first ones.
func (s *Sweep) Forget() {
	s.Turnaround, s.Walls = s.Turnaround[:min(len(s.Turnaround), mostRemembered)], s.Walls[:min(len(s.Walls), mostRemembered)]
}

// Again counts launches of all tiles as one, which took so long each.
func (s *Sweep) Again(times int, took time.Duration) {
	s.Forget()
	for range min(times, max(0, mostRemembered-len(s.Turnaround))) {
		s.Turnaround = append(s.Turnaround, took)
	}
}

// MeanAndP95 of the tiles done so far, in seconds.
func MeanAndP95(d []time.Duration) (mean, p95 float64) {
	if len(d) == 0 {
		return 0, 0
	}
	d = slices.Sorted(slices.Values(d))
	var sum time.Duration
	for _, x := range d {
		sum += x
	}
	return sum.Seconds() / float64(len(d)), d[(len(d)*95+99)/100-1].Seconds()
}

// Shown hears of points of all that devices did, and shows as many tiles as the host would have had for them.
func (s *Sweep) Shown(tiles int, all int64) func(points int64, took time.Duration) {
	done, shown := int64(0), int64(0)
	return func(points int64, took time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.Turnaround = append(s.Turnaround, took)
		for done += points; shown < min(int64(tiles), int64(tiles)*done/max(1, all)); shown++ {
			s.Done()
		}
	}
}
