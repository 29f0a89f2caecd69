package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// progress is what both kinds offer.
type progress interface {
	Begin(string, int, time.Duration)
	Tile()
	End()
	Log(string)
}

// play runs a kernel of some tiles that take a given time each.
func play(p progress, tiles int, each time.Duration) {
	p.Begin("beamform", tiles, time.Duration(tiles)*each)
	for range tiles {
		time.Sleep(each)
		p.Tile()
	}
	p.End()
}

func TestLinesOfALongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		play(NewLines(&out), 10, time.Second)
		want := "beamform: 2 of 10, 8s left\nbeamform: 4 of 10, 6s left\nbeamform: 6 of 10, 4s left\n" +
			"beamform: 8 of 10, 2s left\n"
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
	})
}

func TestShortRunsAreSilent(t *testing.T) {
	for name, make := range map[string]func(*bytes.Buffer) progress{
		"lines": func(b *bytes.Buffer) progress { return NewLines(b) },
		"bars":  func(b *bytes.Buffer) progress { return NewBars(b) },
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			play(make(&out), 10, 40*time.Millisecond)
			if out.Len() > 0 {
				t.Errorf("%s: %q", name, &out)
			}
		})
	}
}

func TestBarsOfALongRunAreTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := NewBars(&out)
		b.Begin("beamform", 100, 2*time.Second)
		b.now.start = b.now.start.Add(-time.Second) // as if it had begun a second ago
		for range 50 {
			b.Tile()
		}
		b.Log("[CPU] beamform failed")
		time.Sleep(300 * time.Millisecond) // two refreshes
		b.End()
		for _, want := range []string{"beamform", "50 %", "left", "[CPU] beamform failed"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in %q", want, out.String())
			}
		}
		before := out.Len()
		b.Log("after")
		if got := out.String()[before:]; got != "after\n" {
			t.Errorf("between kernels a line is written as %q", got)
		}
	})
}

func TestTimeLeftComesFromThePlanUntilTilesAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{tiles: 4, start: time.Now(), predicted: 10 * time.Second}
		time.Sleep(4 * time.Second)
		if got := s.eta(); got != 6*time.Second {
			t.Errorf("nothing done: %s left", got)
		}
		s.done.Store(1)
		if got := s.eta(); got != 12*time.Second {
			t.Errorf("a quarter done in 4 s: %s left", got)
		}
		s.done.Store(0)
		time.Sleep(time.Minute)
		if got := s.eta(); got != 0 {
			t.Errorf("overdue: %s left", got)
		}
	})
}
