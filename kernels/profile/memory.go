package profile

import (
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// floatSize is that of the elements of the stream kernels.
const floatSize = 4

// streamLength is how many elements make three arrays that the last cache does not hold, within reason.
func streamLength() int {
	const least, most = 16 << 20, 64 << 20 // bytes of an array
	return int(min(max(cacheSize("3", 32<<20), least), most)) / floatSize
}

// memory measures the rates of every level, and of writing where no page is yet.
func (m *meter) memory() error {
	n, threads := streamLength(), m.profile.Threads
	var arrays [3]device.Memory
	for round := range 2 { // a virtual machine's first use of a page costs its host work that later ones do not; all cores share it
		for i := range arrays {
			if round > 0 {
				arrays[i].Free()
			}
			var err error
			if arrays[i], err = m.touch(round == 0 || i == 1); err != nil {
				return err
			}
		}
	}
	if err := m.touchSmall(); err != nil {
		return err
	}
	streams := map[string]func(region.Region) error{}
	for _, name := range []string{"copy", "triad"} {
		launch, err := m.bind(m.program(name), arrays[:]...)
		if err != nil {
			return err
		}
		streams[name] = launch
	}
	l2, l3 := cacheSize("2", 512<<10), cacheSize("3", 8<<20)
	for _, l := range []struct {
		name  string
		bytes int64 // of a core's working set
		serve int64 // that the level serves at most
	}{
		{"L2", l2 / 2, l2},
		{"L3", l3 / 2 / int64(threads), l3 / int64(threads)},
		{"memory", int64(n) * 3 * floatSize / int64(threads), 0},
	} {
		level := Level{Name: l.name, Bytes: l.serve}
		for _, s := range []struct {
			name   string
			arrays int
			rate   *Rate
		}{{"copy", 2, &level.Copy}, {"triad", 3, &level.Triad}} {
			each := min(int(l.bytes)/s.arrays/floatSize, n/threads)
			passes := max(1, 1<<20/(each*s.arrays*floatSize)) + 1
			var err error
			for _, of := range []struct {
				threads int
				rate    *float64
			}{{1, &s.rate.Core}, {threads, &s.rate.All}} {
				over := region.Interval{Lo: 0, Hi: each * of.threads}
				if *of.rate, err = m.rate(of.threads, passes, s.arrays*floatSize, over, streams[s.name]); err != nil {
					return err
				}
			}
		}
		m.profile.Levels = append(m.profile.Levels, level)
	}
	return nil
}

// rate is the bytes a second of some threads that each pass several times over their part of a range, the best of a few
// attempts; what is passed over once is measured once.
func (m *meter) rate(threads, passes, bytes int, over region.Interval, launch func(region.Region) error) (float64, error) {
	attempts := 3
	if passes == 1 {
		attempts = 1
	}
	each := (over.Hi - over.Lo) / threads
	work := func(i int) error {
		tile := region.Region{{Lo: over.Lo + i*each, Hi: over.Lo + (i+1)*each}}
		for range passes {
			if err := launch(tile); err != nil {
				return err
			}
		}
		return m.ctx.Err()
	}
	moved := float64(each) * float64(threads) * float64(bytes) * float64(passes)
	if threads == 1 {
		t, err := m.least(attempts, func() error { return work(0) })
		return moved / t, err
	}
	best := 0.0
	for range attempts {
		faults := make([]error, threads)
		var wg sync.WaitGroup
		start := time.Now()
		for i := range threads {
			wg.Go(func() { faults[i] = work(i) })
		}
		wg.Wait()
		best = max(best, moved/time.Since(start).Seconds())
		for _, err := range faults {
			if err != nil {
				return 0, err
			}
		}
	}
	return best, nil
}

// touchSmall writes to the pages of arrays that are not large enough for large ones: it is the middle one's time, since systems now and then do
// something else first.
func (m *meter) touchSmall() error {
	const page, elements = 4096, device.HugePage / 4 / floatSize
	var times []float64
	for range 9 {
		small, err := m.alloc(&ir.Buffer{Name: "small", Type: ir.F32, Shape: []int{elements}})
		if err != nil {
			return err
		}
		host := small.Host()
		if host == nil { // memory of another device has its pages from the start
			m.profile.TouchSmall = m.profile.Touch.Core
			return nil
		}
		t, err := m.least(1, func() error {
			for i := 0; i < len(host); i += page {
				host[i] = 1
			}
			return nil
		})
		if err != nil {
			return err
		}
		times = append(times, t/float64(len(host)))
	}
	slices.Sort(times)
	m.profile.TouchSmall = 1 / times[len(times)/2]
	return nil
}

// touch allocates a large array and writes to all of it for the first time, on one core or on all.
func (m *meter) touch(all bool) (device.Memory, error) {
	fill := m.program("fill")
	a, err := m.alloc(fill.Kernel().Outputs()[0])
	if err != nil {
		return nil, err
	}
	launch, err := m.bind(fill, a)
	if err != nil {
		return nil, err
	}
	threads, rate := 1, &m.profile.Touch.Core
	if all {
		threads, rate = m.profile.Threads, &m.profile.Touch.All
	}
	r, err := m.rate(threads, 1, floatSize, region.Interval{Lo: 0, Hi: streamLength() / threads * threads}, launch)
	*rate = max(*rate, r)
	return a, err
}
