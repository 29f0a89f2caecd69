package look

import (
	"context"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/runtime/arrays"
	"weft/runtime/audit"
	"weft/runtime/fleet"
	"weft/runtime/trace"
)

// lane is that of looks in the trace, before those of devices.
const lane = 999

// Line is the looks of a run that go on beside it, one after the other, in the order of their kernels.
type Line struct {
	Arrays  *arrays.Arrays
	Fleet   *fleet.Fleet
	Threads int
	Trace   *trace.Writer

	asides []*Aside
	held   []string // arrays that are given up once they were looked at
	last   chan struct{}
	all    sync.WaitGroup
}

// Aside is looking at what a kernel stored.
type Aside struct {
	Step    *bound.Step
	Over    region.Region
	Taken   []audit.Sample // by array that the kernel stores; nil: none within the rules
	Waited  time.Duration  // of who needed to know
	ref     *audit.Reference
	stored  []audit.Array
	mem     map[*ir.Buffer]device.Memory
	wants   []fleet.Glimpse
	spots   [][]int // elements that are off by more than rounding if the kernel was lost or damaged
	points  [][]int // the sample
	done    chan struct{}
	stop    context.CancelFunc
	fine    bool
	failure error
}

// Begin looks at elements that a device has in line, once they are there.
func (l *Line) Begin(ctx context.Context, step *bound.Step, over region.Region, ref *audit.Reference, spots, points [][]int) (*Aside, error) {
	a := &Aside{Step: step, Over: over, ref: ref, spots: spots, points: points, done: make(chan struct{})}
	var err error
	if a.wants, err = l.Arrays.Glimpses(step.Writes, bounds.Needed(ref.Kernel), slices.Concat(spots, points)); err != nil {
		return nil, err
	}
	if a.stored, err = l.Arrays.Stored(step); err != nil {
		return nil, err
	}
	a.mem = l.Arrays.Snapshot()
	ctx, a.stop = context.WithCancel(ctx)
	before := l.last
	if before == nil {
		l.Trace.Name(lane, "checks")
	}
	l.last = a.done
	l.asides = append(l.asides, a)
	l.all.Go(func() {
		defer close(a.done)
		if before != nil {
			<-before
		}
		start := time.Now()
		a.failure = l.look(ctx, a)
		l.Trace.Span(lane, "verify", step.Name, start, nil)
	})
	return a, nil
}

// look takes and compares.
func (l *Line) look(ctx context.Context, a *Aside) error {
	seen, err := l.Fleet.Glimpse(ctx, a.Step.Name, a.wants)
	if err != nil || !seen {
		return err
	}
	take := func(points [][]int) ([]audit.Sample, bool) {
		taken, err := audit.Take(ctx, a.ref, a.stored, points, a.mem, l.Threads)
		for i := range taken {
			taken[i].Largest = taken[i].Seen()
		}
		return taken, err == nil // what is wrong with the definition is found once more by who waits
	}
	spots, ok := take(a.spots)
	if a.fine = ok && audit.Gross(spots) == ""; !a.fine {
		return nil
	}
	taken, ok := take(a.points)
	if ok && !slices.ContainsFunc(taken, func(s audit.Sample) bool { return !s.Figures().Within(s.Rule()) }) {
		a.Taken = taken
	}
	return nil
}

// Wait is fleet.Look's.
func (a *Aside) Wait() (fine bool, err error) {
	start := time.Now()
	<-a.done
	a.Waited += time.Since(start)
	return a.fine, a.failure
}

// Void is fleet.Look's.
func (a *Aside) Void() { a.Taken = nil }

// Under reports whether there are looks of which the run does not know yet what they found.
func (l *Line) Under() bool { return len(l.asides) > 0 }

// Of is the look at a kernel, as long as the run does not know what it found; nil: there is none.
func (l *Line) Of(step *bound.Step) *Aside {
	if at := slices.IndexFunc(l.asides, func(a *Aside) bool { return a.Step == step }); at >= 0 {
		return l.asides[at]
	}
	return nil
}

// Hold keeps arrays for looks that are not over; false where there are none.
func (l *Line) Hold(ids []string) bool {
	if l.Under() {
		l.held = append(l.held, ids...)
	}
	return l.Under()
}

// Next is the first look, once it is over, and nil when there are no more.
func (l *Line) Next() *Aside {
	if !l.Under() {
		return nil
	}
	a := l.asides[0]
	_, _ = a.Wait()
	return a
}

// Known ends the first look: what it found is known. With the last go the arrays that were kept for them.
func (l *Line) Known() (held []string) {
	l.asides[0].stop()
	if l.asides = l.asides[1:]; !l.Under() {
		held, l.held = l.held, nil
	}
	return held
}

// End stops all looks, and waits for them.
func (l *Line) End() {
	for _, a := range l.asides {
		a.stop()
	}
	l.all.Wait()
}
