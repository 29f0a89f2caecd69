package module

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/graph"
)

// kernels builds one kernel for every stored stage, save those that another kernel stores on its way.
func (a *assembler) kernels() []*Kernel {
	stored := a.stored()
	covered := map[*ops.Stage]bool{}
	var out []*Kernel
	// A kernel built from the last of a chain stores the earlier wanted ones on the way, so begin at the end.
	for i := len(a.Stages) - 1; i >= 0; i-- {
		s := a.Stages[i]
		if stored[s] && !covered[s] {
			k := a.build(s, stored, covered)
			if out = append(out, k); len(k.Roots) > 1 {
				a.several = append(a.several, k)
			}
		}
	}
	return a.order(out)
}

// stored are the stages whose elements must be in memory: a sink takes them or some reader loads them.
func (a *assembler) stored() map[*ops.Stage]bool {
	out := map[*ops.Stage]bool{}
	for _, s := range a.Stages {
		if graph.Given(s) {
			continue
		}
		if a.Wanted[s] {
			out[s] = true
		}
		for _, c := range a.Users[s] {
			if !a.Verdicts.Fused[graph.Edge{From: s, To: c}] {
				out[s] = true
			}
		}
	}
	return out
}

func (a *assembler) build(root *ops.Stage, stored, covered map[*ops.Stage]bool) *Kernel {
	grp := &Kernel{longest: a.Place[root]}
	l := a.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if a.Verdicts.Fused[graph.Edge{From: p, To: c}] {
			return nil
		}
		grp.load(p)
		for _, t := range p.Tall.Stages() {
			if slices.Contains(c.Inputs, t) { // the tables are made from p: what makes them has p without them
				grp.load(t)
			}
		}
		return a.Arrays.Of(p)
	})
	l.Proves = true
	axes := l.Axes(a.Axes(root))
	l.Stores(root, a.Arrays.Of(root), axes)
	a.siblings(l, root, axes, stored, covered)
	k := &ir.Kernel{Name: root.Name, Axes: axes, Contract: !l.Exact(), Whole: a.Holds(root)}
	for _, p := range l.Placed {
		if !slices.Contains(grp.Inside, p.Stage) {
			grp.Inside = append(grp.Inside, p.Stage)
		}
		own := p.Index[:min(len(p.Index), len(a.Axes(p.Stage)))]
		beside := alike(p.Stage, root) && slices.Equal(own, axes) && graph.SameSizes(a.Axes(p.Stage), a.Axes(root))
		if beside && stored[p.Stage] && !covered[p.Stage] && !a.waits(grp, p.Stage) {
			covered[p.Stage] = true
			grp.Roots = append(grp.Roots, p.Stage)
			k.Stores = append(k.Stores, l.Stores(p.Stage, a.Arrays.Of(p.Stage), axes)...)
		}
	}
	slices.SortStableFunc(grp.Roots, func(x, y *ops.Stage) int { return len(a.Points(y)) - len(a.Points(x)) })
	if slices.ContainsFunc(grp.Loads, func(s *ops.Stage) bool { return s.Tall != nil }) {
		k.Contract = false // bounds of what is compared round as that does
	}
	grp.IR = subst.Merge(subst.Along(k))
	return grp
}

// waits reports that a kernel loads what is made from a stage by way of memory, or of which there is as much as that says, so that it cannot be the
// one to store the stage. Of a kernel that stores several and loads what is made from one, all wait.
func (a *assembler) waits(grp *Kernel, s *ops.Stage) bool {
	from, rest := []*ops.Stage{s}, slices.Clone(a.several)
	follows := func(in *ops.Stage) bool {
		return slices.ContainsFunc(from, func(f *ops.Stage) bool { return in == f || a.Leads(f, in) || slices.Contains(a.Counting(in), f) })
	}
	for !slices.ContainsFunc(grp.Loads, follows) {
		i := slices.IndexFunc(rest, func(k *Kernel) bool { return slices.ContainsFunc(a.Before(k), follows) })
		if i < 0 {
			return false
		}
		from, rest = append(from, rest[i].Roots...), slices.Delete(rest, i, i+1)
	}
	return true
}

// siblings defines, in the same kernel, the other stored stages that share with root what is computed once for all. Those of the same inputs
// cannot wait for each other, not even through others, nor can what follows from them alone.
func (a *assembler) siblings(l *graph.KernelBuilder, root *ops.Stage, axes []*ir.Node, stored, covered map[*ops.Stage]bool) {
	family := a.byOp[root.Op]
	if of := a.Core(root).Op; of != root.Op {
		family = slices.Concat(family, a.byOp[of])
	}
	for i, s := range family {
		if s == root || !alike(s, root) || !stored[s] || covered[s] || slices.Contains(family[:i], s) || !a.Siblings(s, root) {
			continue
		}
		if s.Op == root.Op || a.computes(s, a.Core(s)) && a.computes(root, a.Core(root)) {
			l.Stores(s, a.Arrays.Of(s), axes)
		}
	}
}

// computes reports whether the kernel of a stage computes its core, along all ways. Ways meet, so each stage is looked at once.
func (a *assembler) computes(s, core *ops.Stage) bool {
	if s == core {
		return true
	}
	known, ok := a.computed[graph.Edge{From: core, To: s}]
	if !ok {
		known = !slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool {
			return a.Core(in) == core && !(a.Verdicts.Fused[graph.Edge{From: in, To: s}] && a.computes(in, core))
		})
		a.computed[graph.Edge{From: core, To: s}] = known
	}
	return known
}

// alike reports whether two stages can be stored by one kernel, if they have the same axes: its points are elements of both or of none, or those
// of one are found by the turns that store the other.
func alike(s, root *ops.Stage) bool {
	if s.Put == nil || root.Put == nil {
		return s.Put == root.Put || s.Put != nil && s.Put.Finds == root || root.Put != nil && root.Put.Finds == s
	}
	return graph.SameShape(s, root)
}

// Before are the stages that must be there when a kernel runs: what it loads, and what says how much it stores.
func (m *Module) Before(k *Kernel) []*ops.Stage {
	out := slices.Clone(k.Loads)
	seen := map[*ops.Stage]bool{}
	for i := 0; i < len(out); i++ { // what a drive gives follows from what lies around it, once, as drives behind others have much of that in common
		for _, s := range m.Around[out[i]] {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	for _, s := range k.Roots {
		out = append(out, m.Counting(s)...)
	}
	return out
}

// order sorts kernels so that each comes after those whose arrays it loads and those that count what it stores, and otherwise as in the program.
func (a *assembler) order(in []*Kernel) []*Kernel {
	maker := map[*ops.Stage]*Kernel{}
	for _, g := range in {
		for _, r := range g.Roots {
			maker[r] = g
		}
	}
	slices.SortStableFunc(in, func(x, y *Kernel) int { return x.longest - y.longest })
	var out []*Kernel
	done, begun := map[*Kernel]bool{}, map[*Kernel]bool{}
	var visit func(g *Kernel)
	visit = func(g *Kernel) {
		if done[g] {
			return
		}
		if begun[g] {
			panic("planner: kernels that wait for each other: " + g.Roots[0].Name) // what it stores would be read before
		}
		begun[g] = true
		for _, s := range a.Before(g) {
			if m := maker[s]; m != nil && m != g {
				visit(m)
			}
		}
		done[g] = true
		out = append(out, g)
	}
	for _, g := range in {
		visit(g)
	}
	return out
}
