package stream

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"weft/kernels/device"
	"weft/ops"
)

// frame is an array for each source.
type frame struct {
	arrays []ops.HostArray
	number int       // from 1, of those that came
	came   time.Time // all of it, or when it was due
}

// feed has frames come beside what is done with those before.
type feed struct {
	ready   chan *frame // one frame that waits
	free    chan *frame // that are done with
	rate    float64     // frames a second; 0: each frame is waited for
	sources []source
	paced   bool // whether frames come at the rate because they are read at it

	came, dropped atomic.Int64
	err           error // why no more come, once ready is closed
}

// inFlight is the frames that there is memory for: one is worked on, one waits, and one comes.
const inFlight = 3

// newFeed has memory for frames of some types. release gives it back.
func newFeed(types []ops.Type) (f *feed, release func(), err error) {
	f = &feed{ready: make(chan *frame, 1), free: make(chan *frame, inFlight)}
	var all []device.Memory
	release = func() {
		for _, m := range all {
			m.Free()
		}
	}
	for range inFlight {
		fr := new(frame)
		for _, t := range types {
			h := ops.HostArray{Type: t}
			for _, b := range t.Buffers("") {
				m, err := device.NewHostMemory(b)
				if err != nil {
					return f, release, err
				}
				all = append(all, m)
				h.Parts = append(h.Parts, ops.HostPart{Buf: b, Data: m.Host()})
			}
			fr.arrays = append(fr.arrays, h)
		}
		f.free <- fr
	}
	return f, release, nil
}

// run reads frames until there are none, or so many have come (0: any number), and closes ready then.
func (f *feed) run(ctx context.Context, most int) {
	defer close(f.ready)
	start := time.Now()
	for n := 1; most == 0 || n <= most; n++ {
		var fr *frame
		select {
		case fr = <-f.free:
		case <-ctx.Done():
			return
		}
		due := start.Add(time.Duration(float64(n-1) / max(f.rate, 1e-9) * float64(time.Second)))
		if f.paced {
			select {
			case <-time.After(time.Until(due)):
			case <-ctx.Done():
				return
			}
		}
		for i, s := range f.sources {
			if err := s.next(fr.arrays[i]); err != nil {
				if err != io.EOF && ctx.Err() == nil {
					f.err = fmt.Errorf("frame %d: %w", n, err)
				} else if err == io.EOF && i > 0 {
					f.err = fmt.Errorf("frame %d: its first array came, and another one is missing", n)
				}
				return
			}
		}
		f.came.Add(1)
		fr.number, fr.came = n, time.Now()
		if f.paced {
			fr.came = due
		}
		if !f.hand(ctx, fr) {
			return
		}
	}
}

// hand has a frame wait. Where there is a rate, it takes the place of one that waits already, so that what is done is never older than a frame's time.
func (f *feed) hand(ctx context.Context, fr *frame) bool {
	if f.rate > 0 {
		select {
		case old := <-f.ready:
			f.dropped.Add(1)
			f.free <- old
		default:
		}
	}
	select {
	case f.ready <- fr:
		return true
	case <-ctx.Done():
		return false
	}
}
