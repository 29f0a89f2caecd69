package runtime

import (
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

// sweep launches one kernel over many tiles.
type sweep struct {
	name    string
	launch  func(region.Region) error
	threads int
	done    func() // after every tile, from any worker
	trace   *trace.Writer
	tally   device.Tally // of programs that count

	mu         sync.Mutex
	turnaround []time.Duration
	walls      []time.Duration // of launches alone
	queuePeak  int
	left       []region.Region // not done, because a launch failed
	fault      error           // why the first of them failed
}

type job struct {
	tile   region.Region
	queued time.Time
}

// run works the tiles off, several at once. After a launch that fails no other is started: what is left then lies in
// s.left, with the reason in s.fault. The error is the context's.
func (s *sweep) run(ctx context.Context, tiles []region.Region) error {
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan job, queuedPerThread*s.threads)
	var workers sync.WaitGroup
	for lane := range min(s.threads, len(tiles)) {
		workers.Go(func() { s.work(stop, cancel, queue, lane+1) })
	}
	unsent := s.feed(stop, queue, tiles)
	close(queue)
	workers.Wait()
	s.left = append(s.left, unsent...)
	return ctx.Err()
}

// feed queues tiles until it is told to stop and returns those it did not.
func (s *sweep) feed(stop context.Context, queue chan<- job, tiles []region.Region) []region.Region {
	for i, t := range tiles {
		select {
		case queue <- job{t, time.Now()}:
			s.queuePeak = max(s.queuePeak, len(queue))
		case <-stop.Done():
			return tiles[i:]
		}
	}
	return nil
}

func (s *sweep) work(stop context.Context, cancel func(), queue <-chan job, lane int) {
	for j := range queue {
		if stop.Err() != nil {
			s.leave(j.tile, nil)
			continue
		}
		start := time.Now()
		if err := s.launch(j.tile); err != nil {
			s.leave(j.tile, err)
			cancel()
			continue
		}
		s.finish(time.Since(j.queued), time.Since(start))
		s.trace.Span(lane, "tile", s.name, start, map[string]any{"tile": j.tile})
	}
}

func (s *sweep) leave(t region.Region, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, t)
	if s.fault == nil {
		s.fault = err
	}
}

func (s *sweep) finish(turnaround, wall time.Duration) {
	s.mu.Lock()
	s.turnaround, s.walls = append(s.turnaround, turnaround), append(s.walls, wall)
	s.mu.Unlock()
	s.done()
}

// meanAndP95 of the tiles done so far, in seconds.
func meanAndP95(d []time.Duration) (mean, p95 float64) {
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
