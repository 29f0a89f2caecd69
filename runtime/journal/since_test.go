package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What was done since a checkpoint counts where its tiles are whole, and the one before where the process was killed while it was written.
func TestWhatWasDoneSinceACheckpoint(t *testing.T) {
	h := Header{Plan: "p"}
	output := filepath.Join(t.TempDir(), "out.npy")
	k := NewKeeper(output, "d1", h)
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
	since := func(tasks int) {
		t.Helper()
		if err := k.WriteSince(now(tasks)); err != nil {
			t.Fatal(err)
		}
	}
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
	k = NewKeeper(output, "d1", h) // of a run that goes on
	if last := k.since(); last == nil || last.Tasks != 6 {
		t.Fatalf("%v", last)
	}
	was := k.last
	if since(8); k.last == was || last(true) != 8 {
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
