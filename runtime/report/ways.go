package report

import (
	"fmt"

	"weft/lang/diag"
	"weft/planner/plan"
)

// way says which of several ways to an array is taken, and how that was found.
func way(w *plan.Ways) string {
	how := "measured in " + seconds(w.Seconds)
	if w.Cached {
		how = "measured before"
	}
	if w.Skipped != "" {
		how = "not measured: " + w.Skipped
	}
	return fmt.Sprintf("line %d, %s: %s (%s)", w.Line, w.Of, w.Chosen, how)
}

// ways says so of all, and what the others would take.
func (t *printer) ways() {
	for _, w := range t.plan.Ways {
		t.line("%s", way(w))
		if w.Skipped != "" {
			for _, o := range w.Tried[1:] {
				t.line("  or %s", o.Name)
			}
			continue
		}
		for _, o := range w.Tried {
			t.line("  %s: %s a turn, %s once, %s for %s, off by %.1g: %s", o.Name, millis(o.Turn), millis(o.Once), millis(o.All(w.Turns)), diag.Plural(w.Turns, "turn"), o.Error, o.Verdict)
		}
	}
}
