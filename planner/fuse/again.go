package fuse

import (
	"slices"

	"weft/ops"
	"weft/planner/graph"
)

// weighing is a kernel that was built and predicted. Another one of the same stage that would be told the same of all edges is the same, and need not be
// built to find that out: most are asked for again and again, while edges before them are weighed, and what binds too much is given up late.
type weighing struct {
	passing, blind bool
	asked          []asked
	seconds        float64
}

// asked is what building a kernel asked about an edge, and what it was told.
type asked struct {
	edge     graph.Edge
	computed bool // where it is read
	lies     bool // else: where its elements do is known
}

// found is the time of the kernel that stores a stage, found once.
func (f *fuser) found(s *ops.Stage, in computed, settled bool) float64 {
	f.Asked++
	w := weighing{passing: f.passing(s), blind: f.blind}
	lies := func(p *ops.Stage) bool { return f.within[p] != nil }
	if !settled || lies(s) { // else its ranges are to be found
		for _, was := range f.before[s] {
			if was.passing == w.passing && was.blind == w.blind && !slices.ContainsFunc(was.asked, func(a asked) bool {
				return in(a.edge.From, a.edge.To) != a.computed || !a.computed && lies(a.edge.From) != a.lies
			}) {
				return was.seconds
			}
		}
	}
	f.Built++
	told := map[graph.Edge]bool{}
	w.seconds = f.time([]*ops.Stage{s}, func(p, c *ops.Stage) bool {
		e := graph.Edge{From: p, To: c}
		computed, ok := told[e]
		if !ok {
			computed = in(p, c)
			told[e] = computed
			w.asked = append(w.asked, asked{e, computed, lies(p)})
		}
		return computed
	}, settled)
	f.before[s] = append(f.before[s], w)
	return w.seconds
}
