package planner

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
)

// group is a kernel to be: the stages it stores and those it computes on the way.
type group struct {
	roots   []*ops.Stage // stored, in the order of the graph
	inside  []*ops.Stage // computed, roots included, producers first
	loads   []*ops.Stage
	kernel  *ir.Kernel
	longest int          // position in the graph of the last root
	types   retype.Types // what the kernel was retyped to
}

func (g *group) load(s *ops.Stage) {
	if !slices.Contains(g.loads, s) {
		g.loads = append(g.loads, s)
	}
}

// assembler builds the kernels that the verdicts ask for.
type assembler struct {
	g     *graph
	fused map[[2]*ops.Stage]bool
	bufs  map[*ops.Stage]*ir.Buffer
	place map[*ops.Stage]int
}

func newAssembler(g *graph, fused map[[2]*ops.Stage]bool) *assembler {
	a := &assembler{g: g, fused: fused, bufs: map[*ops.Stage]*ir.Buffer{}, place: map[*ops.Stage]int{}}
	for i, s := range g.stages {
		a.place[s] = i
	}
	return a
}

// groups builds one kernel for every stored stage, save those that another kernel stores on its way.
func (a *assembler) groups() []*group {
	stored := a.stored()
	covered := map[*ops.Stage]bool{}
	var out []*group
	// A kernel built from the last of a chain stores the earlier wanted ones on the way, so begin at the end.
	for i := len(a.g.stages) - 1; i >= 0; i-- {
		s := a.g.stages[i]
		if stored[s] && !covered[s] {
			out = append(out, a.build(s, stored, covered))
		}
	}
	return a.order(out)
}

// stored are the stages whose elements must be in memory: a sink takes them or some reader loads them.
func (a *assembler) stored() map[*ops.Stage]bool {
	out := map[*ops.Stage]bool{}
	for _, s := range a.g.stages {
		if given(s) {
			continue
		}
		if a.g.wanted[s] {
			out[s] = true
		}
		for _, c := range a.g.users[s] {
			if !a.fused[[2]*ops.Stage{s, c}] {
				out[s] = true
			}
		}
	}
	return out
}

func (a *assembler) buffer(s *ops.Stage) *ir.Buffer {
	if b := a.bufs[s]; b != nil {
		return b
	}
	b := bufferOf(s, s.Name)
	a.bufs[s] = b
	if t := s.Tall; t != nil {
		b.Facts.Max = &ir.MaxPyramid{Top: a.buffer(t.Top)}
		for _, l := range t.Levels {
			b.Facts.Max.Tables = append(b.Facts.Max.Tables, ir.MaxTable{Buf: a.buffer(l.Table), Shift: l.Shift, Rows: l.Rows, Cols: l.Cols, Block: l.Block})
		}
	}
	return b
}

func (a *assembler) build(root *ops.Stage, stored, covered map[*ops.Stage]bool) *group {
	grp := &group{longest: a.place[root]}
	l := newLowerer(func(p, c *ops.Stage) *ir.Buffer {
		if a.fused[[2]*ops.Stage{p, c}] {
			return nil
		}
		grp.load(p)
		for _, t := range p.Tall.Stages() {
			if slices.Contains(c.Inputs, t) { // the tables are made from p: what makes them has p without them
				grp.load(t)
			}
		}
		return a.buffer(p)
	})
	l.proves = true
	axes := l.axes(root.Axes())
	l.storesOf(root, a.buffer(root), axes)
	a.siblings(l, root, axes, stored, covered)
	k := &ir.Kernel{Name: root.Name, Axes: axes, Contract: !l.exact()}
	for _, p := range l.placed {
		if !slices.Contains(grp.inside, p.stage) {
			grp.inside = append(grp.inside, p.stage)
		}
		own := p.index[:min(len(p.index), len(p.stage.Axes()))]
		if stored[p.stage] && !covered[p.stage] && slices.Equal(own, axes) && sameSizes(p.stage.Axes(), root.Axes()) && !a.waits(grp, p.stage) {
			covered[p.stage] = true
			grp.roots = append(grp.roots, p.stage)
			k.Stores = append(k.Stores, l.storesOf(p.stage, a.buffer(p.stage), axes)...)
		}
	}
	grp.kernel = k
	return grp
}

// waits reports that a kernel loads what is made from a stage by way of memory, so that it cannot be the one to store the stage.
func (a *assembler) waits(grp *group, s *ops.Stage) bool {
	return slices.ContainsFunc(grp.loads, func(in *ops.Stage) bool { return in == s || a.g.leads(s, in) })
}

// siblings defines, in the same kernel, the other stored outputs of root's operator over its axes that read the same stages, so
// that what they share is computed once. Stages with the same inputs cannot wait for each other, not even through others.
func (a *assembler) siblings(l *lowerer, root *ops.Stage, axes []*ir.Node, stored, covered map[*ops.Stage]bool) {
	for _, s := range a.g.stages {
		if s != root && s.Op == root.Op && stored[s] && !covered[s] && sameSizes(s.Axes(), root.Axes()) && sameInputs(s, root) {
			l.storesOf(s, a.buffer(s), axes)
		}
	}
}

func sameInputs(a, b *ops.Stage) bool {
	holds := func(list, of []*ops.Stage) bool {
		return !slices.ContainsFunc(of, func(s *ops.Stage) bool { return !slices.Contains(list, s) })
	}
	return holds(a.Inputs, b.Inputs) && holds(b.Inputs, a.Inputs)
}

// order sorts kernels so that each comes after those whose arrays it loads, and otherwise as in the program.
func (a *assembler) order(in []*group) []*group {
	maker := map[*ops.Stage]*group{}
	for _, g := range in {
		for _, r := range g.roots {
			maker[r] = g
		}
	}
	slices.SortStableFunc(in, func(x, y *group) int { return x.longest - y.longest })
	var out []*group
	done := map[*group]bool{}
	var visit func(g *group)
	visit = func(g *group) {
		if done[g] {
			return
		}
		done[g] = true
		for _, s := range g.loads {
			if m := maker[s]; m != nil && m != g {
				visit(m)
			}
		}
		out = append(out, g)
	}
	for _, g := range in {
		visit(g)
	}
	return out
}
