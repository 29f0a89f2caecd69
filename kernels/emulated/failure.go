package emulated

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"weft/kernels/device"
)

// Failure makes the device misbehave when an event happens for the At-th time, counted from 1 over the device's life.
type Failure struct {
	On       string  `yaml:"on"`       // alloc, launch, upload, download, compile, pin or graph, the making of one
	At       int     `yaml:"at"`       // which of them
	Until    int     `yaml:"until"`    // the last of several; default only At
	Kind     string  `yaml:"kind"`     // fail (default), lost, wrong (launch only), memory (launch only), slow (launch only; without until, from then on)
	Factor   float64 `yaml:"factor"`   // slow: how much slower
	Back     bool    `yaml:"back"`     // lost: it can be opened once more
	Fraction float64 `yaml:"fraction"` // wrong: of the elements that the launch writes; default all
}

// The events that may fail.
const (
	onAlloc    = "alloc"
	onLaunch   = "launch"
	onUpload   = "upload"
	onDownload = "download"
	onCompile  = "compile"
	onPin      = "pin"
	onGraph    = "graph"
)

// kinds are what may go wrong, with the events it may go wrong at.
var kinds = map[string][]string{
	"fail":   {onAlloc, onLaunch, onUpload, onDownload, onCompile, onPin, onGraph},
	"lost":   {onAlloc, onLaunch, onUpload, onDownload, onGraph},
	"wrong":  {onLaunch},
	"memory": {onLaunch},
	"slow":   {onLaunch},
}

func (f *Failure) kind() string {
	if f.Kind == "" {
		return "fail"
	}
	return f.Kind
}

func (f *Failure) check() error {
	events, ok := kinds[f.kind()]
	switch {
	case !ok:
		return fmt.Errorf("kind %q; one of %s", f.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	case !slices.Contains(events, f.On):
		return fmt.Errorf("on %q; kind %s takes one of %s", f.On, f.kind(), strings.Join(events, ", "))
	case f.At < 1:
		return fmt.Errorf("at %d; the first is 1", f.At)
	case f.Until != 0 && f.Until < f.At:
		return fmt.Errorf("until %d is before at %d", f.Until, f.At)
	case f.kind() == "slow" && f.Factor <= 0:
		return errors.New("slow needs a positive factor")
	case !(f.Fraction >= 0 && f.Fraction <= 1):
		return fmt.Errorf("fraction %v; from 0 to 1", f.Fraction)
	case f.Fraction != 0 && f.kind() != "wrong":
		return fmt.Errorf("kind %s has no fraction; wrong has", f.kind())
	case f.Back && f.kind() != "lost":
		return fmt.Errorf("kind %s does not come back; lost may", f.kind())
	}
	return nil
}

// covers reports the n-th event.
func (f *Failure) covers(on string, n int) bool {
	last := f.Until
	switch {
	case last == 0 && f.kind() == "slow":
		last = n
	case last == 0:
		last = f.At
	}
	return f.On == on && n >= f.At && n <= last
}

// fate counts events and says what becomes of them.
type fate struct {
	mu       sync.Mutex
	failures []Failure
	counts   map[string]int
	lost     error
	back     bool // it can be opened once more
}

// reopen ends a loss from which there is a way back.
func (f *fate) reopen() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.back {
		return fmt.Errorf("it does not come back, as described: %w", f.lost)
	}
	f.lost, f.back = nil, false
	return nil
}

// outcome is what an event that does not fail comes to.
type outcome struct {
	wrong float64 // of the elements
	slow  float64
}

// next is the fate of one more event. After a loss every event fails.
func (f *fate) next(on string) (o outcome, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost != nil {
		return o, f.lost
	}
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	f.counts[on]++
	n := f.counts[on]
	o.slow = 1
	for i := range f.failures {
		if !f.failures[i].covers(on, n) {
			continue
		}
		switch f.failures[i].kind() {
		case "lost":
			f.back = f.failures[i].Back
			f.lost = fmt.Errorf("%w (at %s %d, as described)", device.ErrLost, on, n)
			return o, f.lost
		case "memory":
			return o, fmt.Errorf("%w (%s %d needs more, as described)", device.ErrMemory, on, n)
		case "wrong":
			o.wrong = max(o.wrong, cmp.Or(f.failures[i].Fraction, 1))
		case "slow":
			o.slow *= f.failures[i].Factor
		default:
			if on == onAlloc {
				return o, fmt.Errorf("%w (%s %d fails as described)", device.ErrMemory, on, n)
			}
			return o, fmt.Errorf("%s %d fails as described", on, n)
		}
	}
	return o, nil
}
