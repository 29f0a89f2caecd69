package device

import (
	"context"
	"slices"
	"sync"

	"weft/kernels/region"
)

// FoldCount is what a fold that may be left before its last iteration did. Iterations are counted a lane, also of lanes that had
// their answer already: what was executed is what it cost.
type FoldCount struct {
	Fold string // name of its index
	Due  int64  // iterations that its bounds ask for
	Ran  int64  // iterations whose body was executed
	Idle int64  // iterations left out because a bound proved that they change nothing; the others were left out by an early exit
}

// Tally adds up what launches count. It is safe for concurrent use.
type Tally struct {
	mu    sync.Mutex
	folds []FoldCount
}

// Add counts one launch: the folds of a program, in its order.
func (t *Tally) Add(launch []FoldCount) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folds == nil {
		t.folds = make([]FoldCount, len(launch))
	}
	for i, f := range launch {
		s := &t.folds[i]
		*s = FoldCount{f.Fold, s.Due + f.Due, s.Ran + f.Ran, s.Idle + f.Idle}
	}
}

// Folds are the sums so far.
func (t *Tally) Folds() []FoldCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.folds)
}

// Counting is a Program that can be made to count what its folds execute.
type Counting interface {
	Program
	// Counted compiles the kernel once more, under the schedule in use, with counters; nil where it has no fold to count. It
	// computes the same bits.
	Counted(ctx context.Context) (Counted, error)
}

// Counted is a program that counts.
type Counted interface {
	// Bind is Program.Bind; launches add to the tally.
	Bind(b Bindings, t *Tally) (func(region.Region) error, error)
}
