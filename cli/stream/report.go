package stream

import (
	"fmt"
	"io"
	"time"
)

// Report is what became of the frames.
type Report struct {
	Came, Done, Dropped int
	Planned             int           // how often the program was planned
	Verified            int           // frames that were compared with float64
	Median, P99, Worst  time.Duration // from when a frame had come until all was done with it; the first two to 1 %
	Rate                float64       // frames a second, as asked; 0: each was waited for
}

func (r *Report) finish(f *feed, d *delays, rate float64) {
	r.Came, r.Dropped, r.Rate = int(f.came.Load()), int(f.dropped.Load()), rate
	r.Median, r.P99, r.Worst = d.within(0.5), d.within(0.99), d.worst
}

// Write says it in words.
func (r *Report) Write(to io.Writer) error {
	text := fmt.Sprintf("%d frames came: %d done, %d dropped", r.Came, r.Done, r.Dropped)
	if left := r.Came - r.Done - r.Dropped; left > 0 {
		text += fmt.Sprintf(", %d not begun", left)
	}
	if r.Done > 0 {
		text += fmt.Sprintf("; done after a median of %.1f ms, 99 of 100 within %.1f, the last after %.1f", ms(r.Median), ms(r.P99), ms(r.Worst))
		if r.Rate > 0 {
			text += fmt.Sprintf(" (a frame every %.1f)", 1e3/r.Rate)
		}
	}
	if r.Done > 0 {
		text += "; planned " + times(r.Planned)
	}
	if r.Verified > 0 {
		text += fmt.Sprintf(", %d compared with float64", r.Verified)
	}
	_, err := fmt.Fprintln(to, text)
	return err
}

func ms(d time.Duration) float64 { return 1e3 * d.Seconds() }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
