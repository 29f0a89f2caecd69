package planner

import (
	"maps"
	"math"
	"runtime/debug"
	"slices"

	"weft/kernels/device"
	"weft/ops"
	"weft/planner/fuse"
	"weft/planner/graph"
	"weft/planner/module"
	"weft/planner/plan"
)

// tries are what plans of a program with drives have in common, which are made with more and more memory until one fits.
type tries struct {
	need     int64 // that the last plan that did not fit takes at least, with what is beside it; 0: it is not known
	least    int64 // that the last try takes at least, in each of its plans; 0: it is not known
	verdicts map[string]known
}

// failed notes that a plan of a try does not fit.
func (t *tries) failed() {
	if t.least = min(t.least, t.need); t.least < 0 {
		t.least = 0
	}
	t.need = 0
}

// enough is the memory with which a program can be planned that cannot in what it was given: about a sixteenth beyond the least, or less. Where drives take of
// it what is left, more need not do.
func enough(sinks []*ops.Instance, dev device.Info, opt Options) int64 {
	opt.trial, opt.After = true, nil
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64)) // nothing of this runs, and to collect the heap over and over took as long as the rest
	works := func(memory int64) bool {
		opt.Memory = plan.Written(memory)
		_, err := Build(sinks, dev, opt)
		return err == nil
	}
	// What does not fit tells what it takes at least: that does, as a rule, or the next one tells more.
	least, most := opt.Memory, opt.Memory
	for i := int64(0); ; i++ {
		if known := opt.tries.least; known > least {
			least, most = known-1, known+known/16*min(i, 1)
		} else {
			most = 2*most + 1<<10
		}
		if most = max(most, least+least/8*i); most >= 1<<50 || works(most) {
			break
		}
		least = max(least, most)
	}
	for most-least > most/16 {
		if mid := least + (most-least)/2; works(mid) {
			most = mid
		} else {
			least = mid
		}
	}
	return most
}

// known are the verdicts on a graph, by the places of its stages: other plans of the same program have the same.
type known struct {
	stages []string
	fused  [][2]int
	fuse.Verdicts
}

// named are the stages of a graph by name.
func named(g *graph.Graph) (names []string) {
	for _, s := range g.Stages {
		names = append(names, s.Name)
	}
	return names
}

// decide gives the verdicts on a graph, which an earlier try may have found.
func decide(m *module.Module, opt Options, asked fuse.Options) (*fuse.Verdicts, error) {
	if opt.tries == nil || opt.way == "" {
		return fuse.Decide(m.Graph, asked)
	}
	key := opt.way + " " + opt.within
	if was, ok := opt.tries.verdicts[key]; ok && slices.Equal(was.stages, named(m.Graph)) {
		out := was.Verdicts
		out.Fused, out.Edges, out.Weighed = map[graph.Edge]bool{}, slices.Clone(was.Edges), maps.Clone(was.Weighed)
		for _, e := range was.fused {
			out.Fused[graph.Edge{From: m.Stages[e[0]], To: m.Stages[e[1]]}] = true
		}
		return &out, nil
	}
	found, err := fuse.Decide(m.Graph, asked)
	if err != nil {
		return found, err
	}
	v := known{stages: named(m.Graph), Verdicts: *found}
	v.Edges, v.Weighed = slices.Clone(found.Edges), maps.Clone(found.Weighed)
	for e, fused := range found.Fused {
		from, there := m.Place[e.From]
		to, placed := m.Place[e.To]
		if !there || !placed {
			return found, nil
		}
		if fused {
			v.fused = append(v.fused, [2]int{from, to})
		}
	}
	opt.tries.verdicts[key] = v
	return found, nil
}
