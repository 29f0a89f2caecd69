package planner_test

import (
	"strings"
	"testing"

	"weft/planner"
)

// Where elements are taken at loaded places, what is taken for all of another dim lies side by side, if readers gain by it.
func TestGatheredArraysLieCrosswise(t *testing.T) {
	const rows = `entry = axis(entry, 0 .. 1 in 2000000)
column = cast(mod(indices(entry, entry) * 7919, 2000), u16) @keep
first = cast(1000 * indices(axis(row, 0 .. 1 in 2000), row), i64)
`
	for text, want := range map[string]bool{
		`w = axis(k, 0 .. 1 in 16) + axis(probe, 0 .. 1 in 16)
z = sum(sin(axis(x, 0 .. 1 in 2000) * axis(k, 0 .. 1 in 16)) * w, over: k)
`: true,
		`z = sum(sin(axis(row, 0 .. 1 in 2000) * axis(x, 0 .. 1 in 2000)) * axis(k, 0 .. 1 in 2), over: k)
`: false, // each row has its own
	} {
		text = rows + text + `sum(entry * z[x: column], over: entry in first .. first + 999) | write("y.npy")`
		p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Threads: 4})
		if err != nil {
			t.Fatal(err)
		}
		crosswise, there := false, false
		for _, b := range p.Buffers {
			if len(b.Array.Type.Dims) == 2 && !strings.HasPrefix(b.Array.Name, "write") {
				there, crosswise = true, crosswise || b.Transposed
			}
		}
		if !there || crosswise != want {
			t.Errorf("crosswise: %v, want %v\n%s", crosswise, want, text)
		}
	}
}
