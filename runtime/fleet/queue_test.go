package fleet

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// stepped is a program of which only the granularity matters.
type stepped struct {
	device.Program
	step []int
}

func (s stepped) Step() []int { return s.step }

// Devices of any speed and granularity, some of which are out of memory, give ranges back, or leave: every point is taken once, be it in
// whole rows or in parts of them, and none waits for ever.
func TestEveryPointIsTakenOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		b := ir.NewBuilder()
		lo, n, columns := r.IntN(50), 1+r.IntN(400), 1+r.IntN(90)
		out := &ir.Buffer{Type: ir.F32, Shape: []int{lo + n, columns}}
		y, x := b.Axis("y", lo+n), b.Axis("x", columns)
		j := &Job{
			Over: region.Region{{Lo: lo, Hi: lo + n}, {Hi: columns}}, Seconds: float64(r.IntN(2)),
			Kernel: &ir.Kernel{Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}}}},
			Writes: []Array{{Buf: out}},
		}
		if r.IntN(3) == 0 {
			for at := lo; at < lo+n; at += 7 {
				tile := region.Region{{Lo: at, Hi: min(lo+n, at+7)}, {Hi: columns}}
				j.Cuts = append(j.Cuts, []region.Region{tile})
			}
		}
		workers, steps := 1+r.IntN(5), []int{1 + r.IntN(9), 1 + r.IntN(20)}
		_, stop := context.WithCancel(t.Context())
		s := &sharing{job: j, stop: stop, queue: newQueue(newGrid(j, workers, steps))}
		s.change.L = &s.mu
		for range workers {
			m := &Member{name: "d", opt: Options{Log: func(string) {}}}
			s.workers = append(s.workers, &worker{m: m, weight: r.Float64() + 1e-3, program: stepped{step: steps}, store: &store{m: m, job: j}})
			if at := lo + r.IntN(n); r.IntN(2) == 0 {
				s.workers[len(s.workers)-1].home = s.queue.grid.allWithin(rowSet{{Lo: at, Hi: at + r.IntN(lo+n-at+1)}}.without(region.Interval{Lo: at, Hi: at + 1}))
			}
		}
		taken := make([]int, (lo+n)*columns)
		var mu sync.Mutex
		var working sync.WaitGroup
		for i, c := range s.workers {
			seed := uint64(round*10 + i)
			for slot := range slots {
				working.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(slot)))
					for {
						p, ok := s.take(c)
						if !ok {
							return
						}
						cells := p.cells.Hi - p.cells.Lo
						switch {
						case cells > 1 && r.IntN(6) == 0:
							first, second := s.queue.grid.split(p, p.cells.Lo+cells/2)
							s.giveBack(first)
							s.giveBack(second)
						default:
							mu.Lock()
							for _, tile := range p.tiles {
								for at := tile[0].Lo * columns; at < tile[0].Hi*columns; at++ {
									if c := at % columns; c >= tile[1].Lo && c < tile[1].Hi {
										taken[at]++
									}
								}
							}
							mu.Unlock()
							s.finished(c, p, timings{compute: float64(cells) * (0.01 + r.Float64())})
						}
						if r.IntN(40) == 0 {
							c.m.leave("it was told to")
						}
						s.closeRange(c, p)
					}
				})
			}
		}
		done := make(chan struct{})
		go func() { working.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("round %d does not end", round)
		}
		stop()
		left := int64(0)
		for _, p := range s.queue.cut {
			left += p.points()
		}
		for _, cells := range s.queue.rest {
			left += s.queue.grid.piece(cells).points()
		}
		for at := range taken {
			switch {
			case at < lo*columns && taken[at] != 0, taken[at] > 1:
				t.Fatalf("round %d: point %d was taken %d times", round, at, taken[at])
			case at >= lo*columns && taken[at] == 0:
				left--
			}
		}
		if left != 0 {
			t.Fatalf("round %d: %d points are neither taken nor left", round, left)
		}
		for _, c := range s.workers {
			if c.m.out() == "" && s.queue.left() > 0 {
				t.Fatalf("round %d: rows are left, and a device", round)
			}
		}
	}
}
