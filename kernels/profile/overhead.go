package profile

import (
	"slices"
	"sync"
	"time"

	"weft/kernels/region"
)

// overheads measures what starting work costs: a launch, and a step that hands one tile to workers.
func (m *meter) overheads() error {
	program := m.program(string(plain))
	small, err := m.alloc(program.Kernel().Outputs()[0])
	if err != nil {
		return err
	}
	launch, err := m.bind(program, small)
	if err != nil {
		return err
	}
	point := region.Region{{Lo: 0, Hi: 1}}
	const launches = 200
	total, err := m.least(repeats, func() error {
		for range launches {
			if err := launch(point); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.profile.Launch = total / launches
	var steps []float64
	for range 9 {
		time.Sleep(time.Millisecond) // idle processors take time to wake, as they do between the steps of a run
		start := time.Now()
		if _, err := m.bind(program, small); err != nil {
			return err
		}
		if err := handOver(launch, point, m.profile.Threads); err != nil {
			return err
		}
		steps = append(steps, time.Since(start).Seconds())
	}
	slices.Sort(steps)
	m.profile.Dispatch = steps[len(steps)/2]
	return nil
}

// handOver does what a runtime does around the tiles of a kernel: start workers, queue, wait.
func handOver(launch func(region.Region) error, tile region.Region, workers int) error {
	queue := make(chan region.Region, workers)
	faults := make(chan error, 1)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for t := range queue {
				faults <- launch(t)
			}
		})
	}
	queue <- tile
	close(queue)
	wg.Wait()
	return <-faults
}
