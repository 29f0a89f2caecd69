package planner_test

import (
	"fmt"
	"strings"
	"testing"
)

// Long rows of what kernels make end with a line, those that would all begin at the same place of a page with one more; short ones and sources lie as they are.
func TestLongRowsEndWithLines(t *testing.T) {
	for columns, after := range map[int]int{6535: 9, 1000: 8, 1024: 0, 1023: 17, 510: 0} {
		text := fmt.Sprintf("a = sin(axis(row, 0 .. 1 in 2000) * axis(col, 0 .. 1 in %d)) @keep\na + mean(a, over: col) | write(\"a.npy\")\n", columns)
		p := made(t, text, 0)
		for _, b := range p.Buffers {
			if part := b.Bufs[0]; len(part.Shape) == 2 && part.Pad.After != after {
				t.Errorf("rows of %d: %s has %d elements behind each", columns, b.ID, part.Pad.After)
			}
		}
	}
}

// Arrays that are stored side by side go past caches that together they fill, though one of them does not.
func TestArraysSideBySideAreStoredPast(t *testing.T) {
	const text = `a = sin(axis(row, 0 .. 1 in 1600) * axis(col, 0 .. 1 in 2003)) @keep
(up: a + 1, down: a - 1) | write("two.npz")
`
	for rows, want := range map[string]bool{"1600": true, "800": false} {
		past := false
		for _, s := range made(t, strings.Replace(text, "1600", rows, 1), 0).Steps {
			if s.Kernel != nil && len(s.Writes) == 2 {
				past = past || s.Kernel.IR.Past
			}
		}
		if past != want {
			t.Errorf("two arrays of %s rows: stored past the caches: %v", rows, past)
		}
	}
}
