package fleet

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
)

// stepped is a program of which only the granularity matters.
type stepped struct {
	device.Program
	step int
}

func (s stepped) Step() []int { return []int{s.step} }

// Devices of any speed and granularity, some of which are out of memory, give rows back, or leave: every row is taken once,
// and none waits for ever.
func TestEveryRowIsTakenOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		b := ir.NewBuilder()
		lo, n := r.IntN(50), 1+r.IntN(400)
		j := &Job{Rows: ops.Interval{Lo: lo, Hi: lo + n}, Kernel: &ir.Kernel{Axes: []*ir.Node{b.Axis("y", lo+n)}}, Seconds: float64(r.IntN(2))}
		if r.IntN(3) == 0 {
			for at := lo; at < lo+n; at += 7 {
				tile := device.Tile{{Lo: at, Hi: min(lo+n, at+7)}}
				j.Cuts = append(j.Cuts, []device.Tile{tile})
			}
		}
		_, stop := context.WithCancel(t.Context())
		s := &sharing{job: j, stop: stop, queue: newQueue(j)}
		s.change.L = &s.mu
		for range 1 + r.IntN(5) {
			m := &Member{name: "d", opt: Options{Log: func(string) {}}}
			s.crews = append(s.crews, &crew{m: m, weight: r.Float64() + 1e-3, store: &store{m: m, job: j, program: stepped{step: 1 + r.IntN(9)}}})
			if at := lo + r.IntN(n); r.IntN(2) == 0 {
				s.crews[len(s.crews)-1].home = rowSet{{Lo: at, Hi: at + r.IntN(lo+n-at+1)}}.without(ops.Interval{Lo: at, Hi: at + 1})
			}
		}
		taken := make([]int, lo+n)
		var mu sync.Mutex
		var workers sync.WaitGroup
		for i, c := range s.crews {
			seed := uint64(round*10 + i)
			for slot := range slots {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(slot)))
					for {
						p, ok := s.take(c)
						if !ok {
							return
						}
						rows := p.rows.Hi - p.rows.Lo
						switch {
						case rows > 1 && r.IntN(6) == 0:
							first, second := p.split(p.rows.Lo + rows/2)
							s.giveBack(first)
							s.giveBack(second)
						default:
							mu.Lock()
							for _, tile := range p.tiles {
								for at := tile[0].Lo; at < tile[0].Hi; at++ {
									taken[at]++
								}
							}
							mu.Unlock()
							s.finished(c, p, timings{compute: float64(rows) * (0.01 + r.Float64())})
						}
						if r.IntN(40) == 0 {
							c.m.leave("it was told to")
						}
						s.closeRange()
					}
				})
			}
		}
		done := make(chan struct{})
		go func() { workers.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("round %d does not end", round)
		}
		stop()
		left := s.queue.left()
		for at := range taken {
			switch {
			case at < lo && taken[at] != 0, taken[at] > 1:
				t.Fatalf("round %d: row %d was taken %d times", round, at, taken[at])
			case at >= lo && taken[at] == 0:
				left--
			}
		}
		if left != 0 {
			t.Fatalf("round %d: %d rows are neither taken nor left", round, left)
		}
		for _, c := range s.crews {
			if c.m.out() == "" && s.queue.left() > 0 {
				t.Fatalf("round %d: rows are left, and a device", round)
			}
		}
	}
}
