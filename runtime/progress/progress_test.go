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

// play runs a kernel of some tiles that take a given time each.
func play(p *Progress, tiles int, each time.Duration) {
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
		play(New(&out, 0), 10, time.Second)
		want := "beamform: 2 of 10, 8s left\nbeamform: 4 of 10, 6s left\nbeamform: 6 of 10, 4s left\n" +
			"beamform: 8 of 10, 2s left\n"
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
	})
}

// The compiler is talked about while it works, and rarely where that stays.
func TestLinesOfALongCompilation(t *testing.T) {
	for columns, want := range map[int]string{
		0: "compiling: 3 of 5 kernels, which later runs find\n",
		40: "\rcompiling: 1 of 5 kernels, which later \x1b[K\rcompiling: 2 of 5 kernels, which later \x1b[K\rcompiling: 3 of 5 kernels, which later \x1b[K" +
			"\rcompiling: 4 of 5 kernels, which later \x1b[K\r\x1b[K",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := New(&out, columns)
			time.Sleep(time.Minute) // a session's prompt
			p.Compiled(0, 5)
			for i := range 5 {
				time.Sleep(4 * time.Second)
				p.Compiled(i+1, 5)
			}
			p.End()
			if out.String() != want {
				t.Errorf("%d columns: %q", columns, &out)
			}
		})
	}
}

func TestShortRunsAreSilent(t *testing.T) {
	for name, columns := range map[string]int{"lines": 0, "bars": 80} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			play(New(&out, columns), 10, 40*time.Millisecond)
			if out.Len() > 0 {
				t.Errorf("%s: %q", name, &out)
			}
		})
	}
}

func TestBarsOfALongRunAreTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := New(&out, 100)
		p.Begin("beamform", 100, 2*time.Second)
		for i := range 51 {
			if i == 30 {
				p.Note("round 3")
				p.Log("[CPU] beamform failed")
			}
			time.Sleep(20 * time.Millisecond)
			p.Tile()
		}
		p.End()
		for _, want := range []string{"\rbeamform [", "==--", " 51 %  1s left  round 3\x1b[K", "\r\x1b[K[CPU] beamform failed\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in %q", want, out.String())
			}
		}
		if !strings.HasSuffix(out.String(), "\r\x1b[K") {
			t.Errorf("the bar is still there: %q", out.String())
		}
		before := out.Len()
		p.Log("after")
		if got := out.String()[before:]; got != "after\n" {
			t.Errorf("between kernels a line is written as %q", got)
		}
	})
}

func TestBarsFitTheTerminal(t *testing.T) {
	p := New(nil, 30)
	p.Begin("skyview of the whole of a city", 3, 0)
	if row := p.bar(); len(row) != 29 {
		t.Errorf("%q", row)
	}
}

func TestTimeLeftComesFromThePlanUntilTilesAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(nil, 0)
		p.Begin("beamform", 4, 10*time.Second)
		for _, c := range []struct {
			after time.Duration
			done  int
			want  string
		}{{4 * time.Second, 0, "6s left"}, {0, 1, "12s left"}, {time.Minute, 0, "0s left"}} {
			time.Sleep(c.after)
			if p.done = c.done; p.left() != c.want {
				t.Errorf("%d done: %s, want %s", c.done, p.left(), c.want)
			}
		}
	})
}
