package session

import (
	"math"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/runtime"
	"weft/runtime/result"
)

// What is counted when it runs is reported as long as it was: what kernels compute and move, and the time that was to be expected.
func TestReportsGoByCounts(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	const rows, columns = 500, 4000
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	told := func(above string) (loop, points, placed, turns result.Kernel) {
		prog := CheckText("a.weft", []byte(`a = sum(axis(i, 0 .. 1 in 500) * axis(j, 0 .. 1 in 4000) * axis(k, 0 .. 2 in 2), over: k) @keep
s = a | scan((s, e) -> e, along: j, from: 0, keep: s -> s > `+above+`)
2 * s.value | write("twice.npy")
sum(s.value, over: j in s.first .. s.first + s.count - 1) | write("sum.npy")
axis(i, 0 .. 1 in 500) | iterate(x -> 0.5 * x + sum(s.value * (1 + x), over: j in s.first .. s.first + s.count - 1), at_most: 3) | write("turns.npy")
`), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		r, err := s.Run(t.Context(), prog, p, runtime.Options{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		for _, k := range r.Kernels {
			switch {
			case strings.HasPrefix(k.ID, "d1.") && strings.Contains(k.Name, "sum"):
				turns = k
			case strings.Contains(k.Name, "sum") && k.Flops > 0 && strings.Contains(k.Name, "scan"):
				loop = k
			case strings.HasPrefix(k.Name, "mul"):
				points = k
			case k.Name == "scan": // the last one brings what is kept to its place
				placed = k
			}
		}
		if loop.ID == "" || points.ID == "" || placed.ID == "" {
			t.Fatalf("%+v: no kernels of the sum, of what is twice as large and of what is kept", r.Kernels)
		}
		return loop, points, placed, turns
	}
	near := func(what string, is, want float64) {
		if math.Abs(is-want) > 0.1*want {
			t.Errorf("%s: %g, want %g", what, is, want)
		}
	}
	allLoop, allPoints, allPlaced, allTurns := told("-1")
	near("sums of all", allLoop.Flops, rows*columns)
	near("twice all", allPoints.Flops, rows*columns)
	near("bytes of all", float64(allPoints.Bytes), 8*rows*columns)
	near("sums of all in turns", allTurns.Flops, 3*2*rows*columns)
	fewLoop, fewPoints, fewPlaced, fewTurns := told("1.9") // x y > 0.95 of a square
	near("turns made again where all is kept", allPlaced.Flops, rows*columns)
	near("and what these read, and store", float64(allPlaced.Bytes), 8*rows*columns)
	const kept = rows * columns * (0.05 + 0.95*-0.051293294)
	near("sums of few", fewLoop.Flops, kept)
	near("sums of few in turns", fewTurns.Flops, 3*(2*kept+3.5*rows))
	near("twice few", fewPoints.Flops, kept)
	near("bytes of few", float64(fewPoints.Bytes), 8*kept)
	near("turns made again where there was room", fewPlaced.Flops, 0)
	near("and what is brought to its place", float64(fewPlaced.Bytes), 8*kept+16*rows)
	if fewLoop.Predicted > allLoop.Predicted/2 || fewPoints.Predicted > allPoints.Predicted/2 {
		t.Errorf("few are said to take %g and %g, and all %g and %g", fewLoop.Predicted, fewPoints.Predicted, allLoop.Predicted, allPoints.Predicted)
	}
}
