package planner_test

import (
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/native"
	"weft/kernels/profile"
	"weft/planner"
	"weft/planner/cost"
	"weft/planner/plan"
)

// What is stored between kernels is rounded, so that verdicts, and with them bits, may not depend on how many threads a run is given.
func TestVerdictsAreTheSameOnAnyThreads(t *testing.T) {
	described, err := native.Describing("avx512")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"beamform/volume.weft", "repeat/kmeans.weft"} {
		text, err := os.ReadFile(filepath.Join("..", "pipelines", file))
		if err != nil {
			t.Fatal(err)
		}
		var first []plan.Edge
		for _, threads := range []int{2, 1, 7} {
			p, err := planner.Build(checked(t, string(text)).Sinks, described.Info(), planner.Options{Threads: threads,
				Cost: &cost.Model{Profile: profile.Default(2), Kind: "native", Rules: described.Info().Rules, Threads: threads}})
			if err != nil {
				t.Fatal(err)
			}
			edges := p.Edges
			for _, s := range p.Steps {
				for _, program := range s.Programs {
					edges = append(edges, program.Edges...)
				}
			}
			if first == nil {
				first = edges
			}
			if len(edges) != len(first) {
				t.Fatalf("%s: %d edges on %d threads, %d on 2", file, len(edges), threads, len(first))
			}
			for i, e := range edges {
				if first[i].Code != e.Code {
					t.Errorf("%s: %s -> %s is %s on %d threads, %s on 2", file, e.From, e.To, e.Code, threads, first[i].Code)
				}
			}
		}
	}
}
