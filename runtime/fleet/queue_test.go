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
			Need:   func(region.Region) map[*ir.Buffer]region.Region { return nil },
		}
		if r.IntN(3) == 0 {
			for at := lo; at < lo+n; at += 7 {
				tile := region.Region{{Lo: at, Hi: min(lo+n, at+7)}, {Hi: columns}}
				j.Tiles = append(j.Tiles, tile)
			}
		}
		workers, steps := 1+r.IntN(5), []int{1 + r.IntN(9), 1 + r.IntN(20)}
		_, stop := context.WithCancel(t.Context())
		s := &sharing{job: j, stop: stop, queue: newQueue(j, workers, steps)}
		s.change.L = &s.mu
		for range workers {
			m := &Member{name: "d", opt: Options{Log: func(string) {}}}
			s.workers = append(s.workers, &worker{m: m, weight: r.Float64() + 1e-3, wave: float64(r.IntN(2) * r.IntN(2000)), program: stepped{step: steps}, store: &store{m: m, job: j}})
			if at := lo + r.IntN(n); r.IntN(2) == 0 {
				s.workers[len(s.workers)-1].home = region.Set{}.With(region.Region{{Lo: at, Hi: at + r.IntN(lo+n-at+1)}, {Hi: 1 + r.IntN(columns)}})
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
						at, ok := s.take(t.Context(), c)
						if !ok {
							return
						}
						half := s.queue.Cut(at, float64(at.Points())/2, r.IntN(2) == 0)
						switch {
						case !half.Equal(at) && r.IntN(6) == 0:
							s.giveBack(append(region.Set{at}.Without(half), half)...)
						default:
							mu.Lock()
							for i := range at.Indices() {
								taken[i[0]*columns+i[1]]++
							}
							mu.Unlock()
							s.finished(c, at, timings{compute: float64(at.Points()) * (0.01 + r.Float64())})
						}
						if r.IntN(40) == 0 {
							c.m.leave("it was told to")
						}
						s.closeRange(c, at)
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
		left := int64(s.queue.Points())
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
			if c.m.out() == "" && left > 0 {
				t.Fatalf("round %d: rows are left, and a device", round)
			}
		}
	}
}

// Ranges are cut along as many axes as it takes to have enough of them, in steps; whole, given and turned ones along none or the first, and those of one device along the first.
func TestRangesAreCutInSteps(t *testing.T) {
	b := ir.NewBuilder()
	z, y, x := b.Axis("z", 5), b.Axis("y", 7), b.Axis("x", 1000)
	out := &ir.Buffer{Type: ir.F32, Shape: []int{5, 7, 1000}}
	turned := &ir.Buffer{Type: ir.F32, Shape: []int{1000, 7, 5}}
	for name, c := range map[string]struct {
		change  func(*Job)
		devices int
		steps   []int
		n       float64
		want    region.Region
	}{
		"few":        {func(*Job) {}, 2, []int{1, 1, 8}, 100, region.Region{{Hi: 1}, {Hi: 1}, {Hi: 104}}},
		"lines":      {func(*Job) {}, 2, []int{1, 1, 8}, 2500, region.Region{{Hi: 1}, {Hi: 3}, {Hi: 1000}}},
		"of steps":   {func(*Job) {}, 2, []int{2, 2, 50}, 100, region.Region{{Hi: 2}, {Hi: 2}, {Hi: 50}}},
		"one alone":  {func(*Job) {}, 1, []int{1, 1, 8}, 100, region.Region{{Hi: 1}, {Hi: 7}, {Hi: 1000}}},
		"planes":     {func(*Job) {}, 1, []int{1, 1, 8}, 15000, region.Region{{Hi: 3}, {Hi: 7}, {Hi: 1000}}},
		"whole":      {func(j *Job) { j.Whole = true }, 1, []int{1, 1, 8}, 100, region.Whole(5, 7, 1000)},
		"given":      {func(j *Job) { j.Tiles = []region.Region{j.Over} }, 1, []int{1, 1, 8}, 100, region.Whole(5, 7, 1000)},
		"other axes": {func(j *Job) { j.Kernel.Stores[0] = ir.Store{Buf: turned, Index: []*ir.Node{x, y, z}} }, 1, []int{1, 1, 8}, 100, region.Region{{Hi: 1}, {Hi: 7}, {Hi: 1000}}},
	} {
		j := &Job{Over: region.Whole(5, 7, 1000), Kernel: &ir.Kernel{Axes: []*ir.Node{z, y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{z, y, x}}}}}
		c.change(j)
		q := newQueue(j, c.devices, c.steps)
		at := q.First(c.n, nil, nil)
		if !at.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, at, c.want)
		}
		q.Remove(at)
		if left := q.Points() + float64(at.Points()); left != j.points() {
			t.Errorf("%s: %g points of %g", name, left, j.points())
		}
	}
}
