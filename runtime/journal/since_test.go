package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A checkpoint of what is noted beside waits longer, so that the disk is left alone for half a minute.
func TestCheckpointsOfWhatIsNotedAreRare(t *testing.T) {
	for took, want := range map[time.Duration][2]time.Duration{
		time.Nanosecond:  {LeastBetween, 30 * time.Second},
		time.Second:      {20 * time.Second, 30 * time.Second},
		10 * time.Second: {200 * time.Second, 200 * time.Second},
	} {
		for i, noted := range []bool{false, true} {
			k := NewKeeper("out.npy", "d1", Header{})
			k.Noted = noted
			if k.after(took); k.wait != want[i] {
				t.Errorf("one of %v is followed by another in %v, want %v (noted: %v)", took, k.wait, want[i], noted)
			}
		}
	}
}

// What was done since a checkpoint counts where its tiles are whole, and the one before where the process was killed while it was written.
func TestWhatWasDoneSinceACheckpoint(t *testing.T) {
	h := Header{Plan: "p"}
	output := filepath.Join(t.TempDir(), "out.npy")
	k := NewKeeper(output, "d1", h)
	k.begun = time.Now().Add(-time.Hour)
	now := func(tasks int) Checkpoint {
		return Checkpoint{Header: h, Calls: 10 * tasks, Tasks: tasks, State: [][]byte{{byte(tasks)}, []byte("state")}}
	}
	asked := [2]int{}
	last := func(whole bool) int {
		t.Helper()
		k := NewKeeper(output, "d1", h)
		c, err := k.Last("it", func(from, to int) bool { asked = [2]int{from, to}; return whole })
		switch {
		case err != nil:
			t.Fatal(err)
		case c == nil:
			return 0
		case c.Calls != 10*c.Tasks || len(c.State) != 2 || c.State[0][0] != byte(c.Tasks):
			t.Errorf("%d tasks with another state: %v", c.Tasks, c)
		}
		return c.Tasks
	}
	note := func(c Checkpoint) {
		t.Helper()
		write, err := k.Note(c)
		if err == nil {
			err = write()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	since := func(tasks int) { t.Helper(); note(now(tasks)) }
	since(1)
	if since(2); last(true) != 2 || asked != [2]int{0, 2} || last(false) != 0 {
		t.Errorf("with no checkpoint: asked %v", asked)
	}
	if err := k.Write(now(3), time.Now()); err != nil || last(true) != 3 {
		t.Errorf("%v; what was done before a checkpoint counts", err)
	}
	for tasks := 4; tasks < 8; tasks++ {
		if since(tasks); last(true) != tasks || asked != [2]int{3, tasks} || last(false) != 3 {
			t.Errorf("%d tasks, asked %v", tasks, asked)
		}
	}
	text, err := os.ReadFile(k.last)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range text {
		if err := os.WriteFile(k.last, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := last(true); got != 6 {
			t.Fatalf("cut off at %d of %d: %d", cut, len(text), got)
		}
	}
	for tasks := 7; tasks < 9; tasks++ { // nothing has changed but how far it is, and then all
		was := k.last
		c := now(6)
		c.Calls, c.Tasks = 10*tasks, tasks
		note(c)
		if got := k.since(); got.Tasks != tasks || got.Calls != 10*tasks || got.State[0][0] != 6 || (k.last == was) != (tasks > 7) {
			t.Errorf("%d tasks: %v", tasks, got)
		}
	}
	for at := range sinceHead { // of a head that is not whole nothing counts
		text, err := os.ReadFile(k.last)
		if err != nil {
			t.Fatal(err)
		}
		text[at] ^= 1
		if err := os.WriteFile(k.last, text, 0o600); err != nil {
			t.Fatal(err)
		}
		other := NewKeeper(output, "d1", h)
		if c := other.since(); c != nil && c.Tasks > 6 {
			t.Errorf("byte %d is another: %v", at, c)
		}
		text[at] ^= 1
		if err := os.WriteFile(k.last, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k.spent, k.begun = time.Second, time.Now()
	if write, err := k.Note(now(9)); err != nil || write != nil {
		t.Errorf("%v, and notes have taken their share", err)
	}
	k = NewKeeper(output, "d1", h) // of a run that goes on
	if last := k.since(); last == nil || last.Tasks != 8 {
		t.Fatalf("%v", last)
	}
	was := k.last
	if since(9); k.last == was || last(true) != 9 {
		t.Error("a run that goes on writes over what it goes on from")
	}
	other := NewKeeper(output, "d1", Header{Plan: "q"})
	if c := other.since(); c != nil {
		t.Errorf("another run goes on from %v", c)
	}
	if err := ForgetAll(k.Path); err != nil || There(k.Path) {
		t.Errorf("%v, there %v", err, There(k.Path))
	}
}
