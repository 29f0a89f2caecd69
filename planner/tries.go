package planner

import (
	"maps"
	"math"
	"math/bits"
	"runtime/debug"
	"slices"

	"weft/kernels/device"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/fuse"
	"weft/planner/graph"
	"weft/planner/module"
)

// tries are what plans of a program with drives have in common, which are made with more and more memory until one fits.
type tries struct {
	need     int64 // that the last plan that did not fit takes at least, with what is beside it; 0: it is not known
	least    int64 // that the last try takes at least, in each of its plans; 0: it is not known
	verdicts map[string]known
	refused  map[string]refusal // by the way of a plan that did not fit
}

// refusal is why a plan did not fit, and what it takes at least, whatever it is given beyond what it was.
type refusal struct {
	need int64
	err  error
}

func newTries() *tries { return &tries{verdicts: map[string]known{}, refused: map[string]refusal{}} }

// plan makes one of a program in one way, unless it is known from a smaller memory that this needs more.
func (t *tries) plan(opt Options, make func() (*bound.Plan, error)) (*bound.Plan, error) {
	if was := t.refused[opt.way]; was.need > opt.Memory {
		t.need = was.need
		return nil, was.err
	}
	p, err := make()
	if err != nil && opt.beyond.given == 0 { // else its drives may take less
		t.refused[opt.way] = refusal{t.need, err}
	}
	return p, err
}

// collecting has the heap collected when it has doubled: plans that do not fit are made one after the other, and leave what they took. It returns what ends that.
func collecting() (end func()) {
	percent := debug.SetGCPercent(100)
	return func() { debug.SetGCPercent(percent) }
}

// failed notes that a plan of a try does not fit.
func (t *tries) failed() {
	if t.least = min(t.least, t.need); t.least < 0 {
		t.least = 0
	}
	t.need = 0
}

// enough is a memory with which a program can be planned that cannot in what it was given, and which was tried: at most a sixteenth beyond the least, but for rounding.
func enough(sinks []*ops.Instance, dev device.Info, opt Options) int64 {
	opt.trial, opt.After = true, nil
	works := func(memory int64) bool {
		opt.Memory = memory
		_, err := Build(sinks, dev, opt)
		return err == nil
	}
	// What does not fit tells what it takes at least: that does, as a rule. If not, the least is looked for, and not for long.
	least, most := opt.Memory, opt.Memory
	for i := 0; ; i++ {
		if most = max(opt.tries.least, most<<(2*min(i, 1))); most <= least {
			most = 4 * least
		}
		if most = rounded(most); most >= 1<<50 || works(most) {
			break
		}
		least = max(most, opt.tries.least-1)
	}
	for told := int64(0); most > least+least/16; { // what failed tells here too, every other time
		mid := rounded(int64(math.Sqrt(float64(least) * float64(most))))
		byTold := told > least && rounded(told) < mid
		if byTold {
			mid = rounded(told)
		}
		if mid <= least || mid >= most {
			break
		}
		if told = 0; works(mid) {
			most = mid
			continue
		}
		if least = max(mid, opt.tries.least-1); !byTold {
			told = opt.tries.least
		}
	}
	return most
}

// rounded is a budget of six digits in base two that holds so many bytes.
func rounded(n int64) int64 {
	unit := int64(1) << max(0, bits.Len64(uint64(max(1, n)))-6)
	return (n + unit - 1) / unit * unit
}

// roomy is build for a program of a drive, which may have drives of its own.
func roomy(g *graph.Graph, dev device.Info, opt Options) (*bound.Plan, error) {
	var beyond lack
	opt.beyond = &beyond
	p, err := build(g, dev, opt)
	if err != nil {
		if less, ok := narrowed(func() *graph.Graph { return g }, dev, opt, beyond); ok {
			return less, nil
		}
	}
	return p, err
}

// lack is what a memory is too small by around drives whose programs fit.
type lack struct {
	bytes int64
	given int // at most so many programs of a drive take what they are given, each: less for them leaves more around them; 0: none does
}

// narrowed plans what does not fit with drives whose programs take all that is left to them: blocks grow with the memory, and what goes by rows around the drives
// needs some too. The programs get less by as much as is missing, until it fits or they do not. So what fits a memory fits more of it.
func narrowed(g func() *graph.Graph, dev device.Info, opt Options, beyond lack) (p *bound.Plan, ok bool) {
	opt.room = opt.Memory
	for beyond.given > 0 && beyond.bytes > 0 {
		if opt.room -= beyond.bytes/int64(beyond.given) + opt.room/32; opt.room <= 0 {
			break
		}
		beyond, opt.beyond = lack{}, &beyond
		if p, err := build(g(), dev, opt); err == nil {
			return p, true
		}
	}
	return nil, false
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
