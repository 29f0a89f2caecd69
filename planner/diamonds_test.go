package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/kernels/native"
	"weft/planner"
)

// Stages that several read are looked at once, by whatever asks what a long reduction or an order of elements follows from: each level has two ways
// to the one before, of which 60 levels have more than anybody walks.
func TestPlanningLooksOnceAtWhatSeveralRead(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ first, step, last string }{
		"sum":  {"x * y * k", "here + 1", "sum(a60, over: k) | write(\"o.npy\")"},
		"sort": {"x * x", "here + 1", "sort(a60, along: x) | write(\"o.npy\")"},
		// What follows from a sum element by element, stored with another of the kind.
		"siblings": {"sum(x * y * k, over: k)", "here", "c = a60 * 2\nwrite(c, \"o.npy\")\nwrite(mean(a60 + 1, over: x), \"p.npy\")\nwrite(sum(c, over: y), \"q.npy\")"},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			fmt.Fprintf(&text, "x = axis(x, 0 .. 1 in 20)\ny = axis(y, 0 .. 1 in 20)\nk = axis(k, 0 .. 1 in 5000)\na0 = %s\n", c.first)
			for i := range 60 {
				fmt.Fprintf(&text, "b%d = a%d[x: %s, outside: nearest] * 2\na%d = b%d + a%d * 0.5\n", i, i, c.step, i+1, i, i)
			}
			text.WriteString(c.last + "\n")
			program, done := checked(t, text.String()), make(chan error)
			go func() {
				_, err := planner.Build(program.Sinks, described.Info(), planner.Options{Threads: 2})
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Error("planning takes longer than a minute")
			}
		})
	}
}
