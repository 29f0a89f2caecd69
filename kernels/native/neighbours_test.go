package native

import (
	"strings"
	"testing"

	"weft/kernels/schedule"
)

// Of a block of registers in chunks, every number is a step of tuning, and chunks stay whole steps.
func TestNeighboursInChunks(t *testing.T) {
	s := schedule.CPU{
		Order: []int{1, 0}, Lanes: []schedule.AxisN{{Axis: 1, N: 16}}, Unroll: []schedule.AxisN{{Axis: 0, N: 6}, {Axis: 1, N: 4}}, AccMajor: true,
		AccBlock: 512, Split: 512, Chunk: []schedule.AxisN{{Axis: 1, N: 256}, {Axis: 0, N: 252}}, Pack: true,
	}
	var all strings.Builder
	for _, n := range neighbours(s, 2) {
		for _, c := range n.Chunk {
			if c.N%n.Step(c.Axis) != 0 || c.N == 0 {
				t.Errorf("%s: chunks of %d in steps of %d", n, c.N, n.Step(c.Axis))
			}
		}
		all.WriteString(n.String() + "\n")
	}
	for _, want := range []string{"unroll 0:7x1:4", "unroll 0:6x1:3", "accblock 512, split 1024", "accblock 512, split 256", "chunk 1:512x0:252", "chunk 1:256x0:126", "chunk 1:256x0:252, accmajor"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no neighbour has %s in\n%s", want, all.String())
		}
	}
}

// A neighbour differs in one choice, and leaves the schedule it comes from alone.
func TestNeighbours(t *testing.T) {
	s := schedule.CPU{
		Order: []int{0, 1, 2}, Lanes: []schedule.AxisN{{Axis: 0, N: 4}, {Axis: 1, N: 4}}, Unroll: []schedule.AxisN{{Axis: 2, N: 8}},
		Window: 16, Guard: true, Table: 32, Every: 8,
	}
	was := s.String()
	seen := map[string]bool{}
	for _, n := range neighbours(s, 3) {
		text := n.String()
		if text == was {
			t.Errorf("a neighbour is the schedule itself")
		}
		if seen[text] {
			t.Errorf("%s twice", text)
		}
		seen[text] = true
		if product := schedule.Product(n.Lanes); product != 16 {
			t.Errorf("%s has %d lanes", text, product)
		}
	}
	if s.String() != was {
		t.Errorf("the schedule changed from %s to %s", was, s)
	}
	for _, want := range []string{"unroll 2:16", "unroll 2:4", "unroll 2:7", "unroll 2:9", "unroll 2:8x0:2", "unroll 0:8", "window 32", "table 64", "every 4", "lanes 0:2x1:8", "order 1>0>2", "accmajor"} {
		found := false
		for text := range seen {
			found = found || strings.Contains(text, want)
		}
		if !found {
			t.Errorf("no neighbour has %s", want)
		}
	}
}
