package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/planner/plan"
)

// An outline says which kernels stay two because one would take longer, with both times, also of those in a drive, and says it of no others.
func TestOutlinesTellWhatStaysTwo(t *testing.T) {
	outline := func(change func(e *plan.Edge)) string {
		p, _ := example()
		change(&p.Edges[1])
		var b bytes.Buffer
		if err := Write(&b, "text", p, Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := outline(func(*plan.Edge) {}); !strings.Contains(got, "k1 and k2 stay two kernels: 1 ms with ") || !strings.Contains(got, " stored in between, 4 ms as one\n") {
		t.Errorf("two kernels of which one would take four times as long:\n%s", got)
	}
	for what, change := range map[string]func(e *plan.Edge){
		"kept":                      func(e *plan.Edge) { e.Code = plan.Kept },
		"as fast":                   func(e *plan.Edge) { e.FusedMs = e.StoredMs },
		"faster by next to nothing": func(e *plan.Edge) { e.FusedMs = e.StoredMs + 1e-6 },
	} {
		if got := outline(change); strings.Contains(got, "stay two") {
			t.Errorf("%s:\n%s", what, got)
		}
	}
}
