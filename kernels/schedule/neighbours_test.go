package schedule

import (
	"strings"
	"testing"
)

// A neighbour differs in one choice, and leaves the schedule it comes from alone.
func TestNeighbours(t *testing.T) {
	s := CPU{
		Order: []int{0, 1, 2}, Lanes: []AxisN{{Axis: 0, N: 4}, {Axis: 1, N: 4}}, Unroll: []AxisN{{Axis: 2, N: 8}},
		Window: 16, Guard: true, Table: 32, Every: 8,
	}
	was := s.String()
	seen := map[string]bool{}
	for _, n := range s.Neighbours(3) {
		text := n.String()
		if text == was {
			t.Errorf("a neighbour is the schedule itself")
		}
		if seen[text] {
			t.Errorf("%s twice", text)
		}
		seen[text] = true
		if product := Product(n.Lanes); product != 16 {
			t.Errorf("%s has %d lanes", text, product)
		}
	}
	if s.String() != was {
		t.Errorf("the schedule changed from %s to %s", was, s)
	}
	for _, want := range []string{"unroll 2:16", "unroll 2:4", "unroll 0:8", "window 32", "table 64", "every 4", "lanes 0:2x1:8", "order 1>0>2", "accmajor"} {
		found := false
		for text := range seen {
			found = found || strings.Contains(text, want)
		}
		if !found {
			t.Errorf("no neighbour has %s", want)
		}
	}
}
