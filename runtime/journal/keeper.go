package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/ops/problem"
)

// A run that is cut off loses no more than the most of these times, and what was under way; less where checkpoints are cheap, which take a share of the time.
var LeastBetween, MostBetween = 100 * time.Millisecond, longBetween

// It is so many times longer than a checkpoint took to the next one, or, where that would be too long, still leastShare times.
const (
	longBetween     = 3 * time.Second
	checkpointShare = 50
	leastShare      = 20
	notedTimes      = 10 // as much longer where what is done is noted beside: half a minute, after which systems write what they have cached by themselves
)

// Keeper makes checkpoints of a step beside an output, one in place of the other, as often as they are cheap. The zero value makes none.
type Keeper struct {
	Path  string
	Head  Header
	Noted bool // what is done is noted as it is done, so that what stops the machine, and not what stops the run, loses what comes behind a checkpoint
	saved time.Time
	wait  time.Duration // until the next

	begun time.Time     // from when on notes of what was done since take their share
	spent time.Duration // on those that were written whole
	last  string        // where the last one is
	wrote bool          // by this run, with this checksum
	sum   uint64
	note  []byte
}

// NewKeeper keeps checkpoints of a step.
func NewKeeper(output, step string, head Header) Keeper {
	return Keeper{Path: CheckpointOf(output, step), Head: head, saved: time.Now(), begun: time.Now(), wait: LeastBetween}
}

// Left is the checkpoint that an earlier run left of the step, which people know by a name; nil: there is none.
func (k *Keeper) Left(name string) (*Checkpoint, error) {
	was, err := ReadCheckpoint(k.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if why := was.Header.Foreign(k.Head); why != "" {
		return nil, Strange("checkpoint of "+name, why)
	}
	return &was, nil
}

// Last is what an earlier run left of the step: the checkpoint of what was done since the other, where the tiles of the tasks between them are whole.
func (k *Keeper) Last(name string, whole func(from, to int) bool) (*Checkpoint, error) {
	was, err := k.Left(name)
	if err != nil {
		return nil, err
	}
	from := 0
	if was != nil {
		from = was.Tasks
	}
	if since := k.since(); since != nil && since.Tasks > from && whole(from, since.Tasks) {
		was = since
	}
	return was, nil
}

// Strange is the error of what was left of another run.
func Strange(what, why string) error {
	return problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the %s is of another run: %s", what, why)
}

// Late reports whether it is time for a checkpoint.
func (k *Keeper) Late() bool { return k.Path != "" && time.Since(k.saved) >= k.wait }

// Write makes a checkpoint that was begun at some time.
func (k *Keeper) Write(now Checkpoint, begun time.Time) error {
	if err := now.Write(k.Path); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	k.saved = time.Now()
	k.after(k.saved.Sub(begun))
	return nil
}

// Expect says how many bytes the first one will have: it waits as if one had been written, at about a gigabyte a second, so that of a short step with a large state
// none is made.
func (k *Keeper) Expect(bytes int) { k.after(time.Duration(bytes) * time.Nanosecond) }

// after sets when the next one is due, from what one takes.
func (k *Keeper) after(took time.Duration) {
	k.wait = min(MostBetween, max(LeastBetween, checkpointShare*took))
	if large := leastShare * took; large > longBetween {
		k.wait = large
	}
	if k.Noted {
		k.wait = max(k.wait, notedTimes*MostBetween)
	}
}

// Copy is the checkpoint with a state of its own, which does not go on: in the memory of a copy that is not needed any more.
func (c Checkpoint) Copy(was Checkpoint) Checkpoint {
	c.State = slices.Clone(c.State)
	for i, part := range c.State {
		var memory []byte
		if i < len(was.State) {
			memory = was.State[i][:0]
		}
		c.State[i] = append(memory, part...)
	}
	return c
}

// Fill copies the state of a checkpoint to where it belongs. It is of another run if it does not fit there.
func (c *Checkpoint) Fill(parts [][]byte, name string) error {
	if !slices.EqualFunc(parts, c.State, func(a, b []byte) bool { return len(a) == len(b) }) {
		return Strange("checkpoint of "+name, "its arrays are others")
	}
	for i := range parts {
		copy(parts[i], c.State[i])
	}
	return nil
}
