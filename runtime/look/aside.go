package look

import (
	"context"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
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
	Taken   []audit.Sample      // by array that the kernel stores; nil: none within the rules
	Numbers map[*ops.Stage]bool // those of its stages of which some element is finite
	Waited  time.Duration       // of who needed to know
	ref     *audit.Reference
	stored  []audit.Array
	mem     map[*ir.Buffer]device.Memory
	wants   []fleet.Glimpse
	of      Sought
	points  [][]int   // the sample, once it is known
	raw     []float64 // the largest magnitudes, as they are stored; nil: nobody asked
	done    chan struct{}
	stop    context.CancelFunc
	fine    bool
	failure error
}

// Sought is at what a look is taken.
type Sought struct {
	Spots    [][]int       // elements that are off by more than rounding if the kernel was lost or damaged
	Elements region.Region // of which a sample is picked
	Size     int
	Seed     uint64
}

// leveled reports whether which elements are looked at depends on how loud the arrays are.
func (a *Aside) leveled() bool {
	return slices.ContainsFunc(a.stored, func(s audit.Array) bool { return s.Rule().Metric == ops.Level })
}

// Begin looks at elements that a device has in line, once they are there.
func (l *Line) Begin(ctx context.Context, step *bound.Step, over region.Region, ref *audit.Reference, of Sought) (*Aside, error) {
	a := &Aside{Step: step, Over: over, ref: ref, of: of, Numbers: map[*ops.Stage]bool{}, done: make(chan struct{})}
	loads := bounds.Needed(ref.Kernel)
	var err error
	if a.stored, err = l.Arrays.Stored(step); err != nil {
		return nil, err
	}
	if a.leveled() {
		if err := l.Arrays.Ready(loads, ref.Kernel.Domain()); err != nil {
			return nil, err
		}
		a.wants, err = l.Arrays.Glimpses(step.Writes, nil, slices.Concat(of.Spots, audit.Drawn(a.stored, of.Elements, of.Size, of.Seed)))
	} else {
		a.points = audit.Points(of.Elements, of.Size, of.Seed)
		a.wants, err = l.Arrays.Glimpses(step.Writes, loads, slices.Concat(of.Spots, a.points))
	}
	if err != nil {
		return nil, err
	}
	if a.stored, err = l.Arrays.Stored(step); err != nil { // with data
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

// look takes and compares. What is wrong with the definition is found once more by who waits.
func (l *Line) look(ctx context.Context, a *Aside) error {
	seen, err := l.Fleet.Glimpse(ctx, a.Step.Name, a.wants)
	if err != nil || !seen {
		return err
	}
	if a.leveled() {
		if ok, err := l.pick(ctx, a); err != nil || !ok {
			return err
		}
	}
	spots, err := audit.Take(ctx, a.ref, a.stored, a.of.Spots, a.mem, l.Threads)
	if err != nil {
		return nil
	}
	for i := range spots {
		spots[i].Largest = spots[i].Seen()
	}
	if audit.Gross(spots) != "" {
		if ok, err := l.peaks(ctx, a); err != nil || !ok {
			return err
		}
		for i := range spots {
			spots[i].Largest = a.stored[i].Of.Peak(a.raw[i])
		}
	}
	if a.fine = audit.Gross(spots) == ""; !a.fine {
		return nil
	}
	taken, err := audit.Take(ctx, a.ref, a.stored, a.points, a.mem, l.Threads)
	if err != nil {
		return nil
	}
	for i := range taken {
		s := &taken[i]
		a.Numbers[s.Array.Of.Array] = s.Numbers()
		if s.Largest = s.Seen(); s.Rule().Metric != ops.Level && s.Figures().Within(s.Rule()) {
			continue
		}
		if ok, err := l.peaks(ctx, a); err != nil || !ok {
			return err
		}
		if s.Largest = s.Array.Of.Peak(a.raw[i]); !s.Figures().Within(s.Rule()) {
			return nil
		}
	}
	a.Taken = taken
	return nil
}

// peaks has the device find the largest magnitudes, if that was not done; false: it cannot.
func (l *Line) peaks(ctx context.Context, a *Aside) (ok bool, err error) {
	if ok = a.raw != nil; !ok {
		var of [][]*ir.Buffer
		for _, s := range a.stored {
			of = append(of, s.Of.Bufs)
		}
		a.raw, ok, err = l.Fleet.Peaks(ctx, a.Step.Name, of)
	}
	return ok, err
}

// pick chooses the elements of a sample by how loud they are, and has the host see what they are made from; false: that cannot be seen.
func (l *Line) pick(ctx context.Context, a *Aside) (ok bool, err error) {
	if ok, err = l.peaks(ctx, a); err != nil || !ok {
		return false, err
	}
	peak := func(of audit.Array) float64 {
		return a.raw[slices.IndexFunc(a.stored, func(s audit.Array) bool { return s.Of == of.Of })]
	}
	a.points = audit.Pick(a.stored, peak, a.of.Elements, a.of.Size, a.of.Seed)
	wants, ok := l.Arrays.GlimpsesIn(a.mem, bounds.Needed(a.ref.Kernel), slices.Concat(a.of.Spots, a.points))
	if !ok {
		return false, nil
	}
	return l.Fleet.Glimpse(ctx, a.Step.Name, wants)
}

// Wait is fleet.Look's.
func (a *Aside) Wait() (fine bool, err error) {
	start := time.Now()
	<-a.done
	a.Waited += time.Since(start)
	return a.fine, a.failure
}

// Void is fleet.Look's.
func (a *Aside) Void() { a.Taken, a.Numbers = nil, nil }

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
