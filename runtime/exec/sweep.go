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
	Name    string
	Launch  func(region.Region) error
	Threads int
	Done    func() // after every tile, from any worker
	Trace   *trace.Writer
	Tally   device.Tally // of programs that count

	mu         sync.Mutex
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

// Run works the tiles off, several at once. After a launch that fails no other is started: what is left then lies in
// s.Left, with the reason in s.Fault. The error is the context's.
func (s *Sweep) Run(ctx context.Context, tiles []region.Region) error {
	if len(tiles) == 1 && ctx.Err() == nil { // which needs no workers
		s.do(func() {}, job{tiles[0], time.Now()}, 1)
		return ctx.Err()
	}
	// The longest ones first, so that the last ones even out.
	tiles = slices.Clone(tiles)
	slices.SortStableFunc(tiles, func(a, b region.Region) int { return cmp.Compare(b.Points(), a.Points()) })
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan job, queuedPerThread*s.Threads)
	var workers sync.WaitGroup
	for lane := range min(s.Threads, len(tiles)) {
		workers.Go(func() { s.work(stop, cancel, queue, lane+1) })
	}
	unsent := s.feed(stop, queue, tiles)
	close(queue)
	workers.Wait()
	s.Left = append(s.Left, unsent...)
	return ctx.Err()
}

// feed queues tiles until it is told to stop and returns those it did not.
func (s *Sweep) feed(stop context.Context, queue chan<- job, tiles []region.Region) []region.Region {
	for i, t := range tiles {
		select {
		case queue <- job{t, time.Now()}:
			s.QueuePeak = max(s.QueuePeak, len(queue))
		case <-stop.Done():
			return tiles[i:]
		}
	}
	return nil
}

func (s *Sweep) work(stop context.Context, cancel func(), queue <-chan job, lane int) {
	for j := range queue {
		if stop.Err() != nil {
			s.leave(j.tile, nil)
			continue
		}
		s.do(cancel, j, lane)
	}
}

// do launches a tile.
func (s *Sweep) do(cancel func(), j job, lane int) {
	start := time.Now()
	if err := s.Launch(j.tile); err != nil {
		s.leave(j.tile, err)
		cancel()
		return
	}
	s.finish(time.Since(j.queued), time.Since(start))
	if s.Trace != nil {
		s.Trace.Span(lane, "tile", s.Name, start, map[string]any{"tile": j.tile})
	}
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
