package fuse

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/plan"
)

// along are stages that one kernel would make in order, and what reads them through stages that follow from them element by element: folds that may
// carry them.
type along struct {
	made, between, folds []*ops.Stage
	carried, stored      float64 // seconds
}

// stages are all that folds would make.
func (a *along) stages() []*ops.Stage { return slices.Concat(a.made, a.between) }

// carry reports whether folds carry a stage that is made in order in place of loading it, which is decided for all its readers at once, and for what the
// same turns make besides.
func (d *producer) carry(e *plan.Edge) bool {
	f, p := d.fuser, d.stage
	a := f.inOrder[p]
	if a == nil {
		a = &along{carried: math.Inf(1)}
		if f.follow(a, p) {
			stored := f.siblings(a, p)
			a.carried, a.stored = d.carriedOrStored(a, stored)
		}
		fuse := a.carried < a.stored*recomputeDoubt || p.Hints().Fuse // nothing is computed again
		fuse = !math.IsInf(a.carried, 1) && f.weighed(p, d.users[0], fuse)
		for _, s := range a.made {
			f.inOrder[s] = a
		}
		for _, s := range a.stages() {
			f.along[s] = fuse
		}
	}
	if !math.IsInf(a.carried, 1) {
		e.FusedMs, e.StoredMs, e.Margin = 1e3*a.carried, 1e3*a.stored, 1/recomputeDoubt
	}
	return f.along[p]
}

// siblings adds what the turns that make a stage make besides, as far as folds may carry it: the others are stored in any case.
func (f *fuser) siblings(a *along, p *ops.Stage) (stored []*ops.Stage) {
	for at := f.g.Place[p] + 1; at < len(f.g.Stages) && f.g.Stages[at].Op == p.Op; at++ {
		s, more := f.g.Stages[at], along{}
		switch {
		case s.Put == nil || !f.g.Siblings(s, p):
		case !f.follow(&more, s):
			stored = append(stored, s)
		default:
			f.follow(a, s)
		}
	}
	for at := f.g.Place[p] - 1; at >= 0 && f.g.Stages[at].Op == p.Op; at-- {
		if s := f.g.Stages[at]; s.Put != nil && f.g.Siblings(s, p) { // it was decided
			stored = append(stored, s)
		}
	}
	return stored
}

// followed reports a stage that folds may carry.
func (f *fuser) followed(s *ops.Stage) bool { return s.Put != nil && f.follow(&along{}, s) }

// follow finds the readers of a stage that lead to folds, and reports whether all do, with no rule between them that forbids it.
func (f *fuser) follow(a *along, s *ops.Stage) bool {
	users, barred := f.g.Users[s], f.barred
	switch {
	case len(users) == 0 || f.g.Wanted[s] || f.Limit >= 0:
		return false
	case s.Put == nil:
		a.between = append(a.between, s)
	case s.Hints().Keep || s.Put.Along == "":
		return false
	default:
		a.made, barred = append(a.made, s), f.parted
	}
	return !slices.ContainsFunc(users, func(c *ops.Stage) bool {
		switch {
		case barred(s, c) != "" || c.Put != nil || f.jumps(c):
			return true
		case !f.g.Alone(c).Folds:
			return !slices.Contains(a.between, c) && !f.follow(a, c)
		case !slices.Contains(a.folds, c):
			a.folds = append(a.folds, c)
		}
		return false
	})
}

// jumps reports a stage whose elements may change by much where floats that it loads change in their last digits, as those that are made
// in several loops do: what finds one of them again, or counts them, needs the ones that are stored, which are also what it is checked by.
func (f *fuser) jumps(s *ops.Stage) (yes bool) {
	f.g.Alone(s).Kernel.Walk(func(n *ir.Node) {
		if n.Kind != ir.KAlu || !slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return a.Type.Float() }) {
			return
		}
		switch info := n.Op.Info(); {
		case info.Gives == ir.Truth && (len(n.Args) < 2 || n.Args[0] != n.Args[1]), info.Gives == ir.Whole, !n.Type.Float() && info.Gives == ir.Other:
			yes = true
		}
	})
	return yes
}

// carriedOrStored are what two choices take, in seconds: that folds carry what is made in order, those over the same axes which do not need each other in
// one kernel, or that it is stored, beside what is in any case, and loaded. A fold that would make it anew for each turn cannot carry it.
func (d *producer) carriedOrStored(a *along, others []*ops.Stage) (carried, stored float64) {
	f := d.fuser
	var kernels [][]*ops.Stage
	for _, h := range locator(f.home).of(a.folds) {
		i := slices.IndexFunc(kernels, func(k []*ops.Stage) bool {
			return graph.SameSizes(f.g.Axes(k[0]), f.g.Axes(h)) && !slices.ContainsFunc(k, func(o *ops.Stage) bool { return f.g.Leads(o, h) || f.g.Leads(h, o) })
		})
		if i < 0 {
			i, kernels = len(kernels), append(kernels, nil)
		}
		kernels[i] = append(kernels[i], h)
	}
	defer func(at int) { f.at = at }(f.at)
	most, loops := mostNodes, 0
	for _, s := range a.made { // what a stage needs by itself is no reason to store it
		most, loops = most+f.g.Alone(s).Nodes, loops+conditional(f.g.Alone(s).Kernel)
		f.at = max(f.at, f.g.Place[s])
	}
	for _, k := range kernels {
		more := 0
		for _, h := range k {
			more += f.g.Alone(h).Nodes
		}
		loaded, ok := f.lowered(k, f.inPlace(k, a.between))
		made, fits := f.lowered(k, f.inPlace(k, a.stages()))
		if !ok || !fits || conditional(made) > conditional(loaded)+loops || len(made.Nodes()) > most+more {
			return math.Inf(1), 0
		}
		if f.Cost != nil {
			carried += f.time(k, f.inPlace(k, a.stages()), false)
		}
	}
	if f.Cost == nil {
		return float64(len(kernels)) * d.compute(), d.compute() + d.bytes*(1+float64(len(d.users)))/d.Rates.Bandwidth
	}
	stored = f.time(slices.Concat(a.made, others), f.inPlace(nil, nil), false)
	if len(others) > 0 {
		stored -= f.time(others, f.inPlace(nil, nil), false)
	}
	var readers []*ops.Stage
	for _, s := range a.made {
		readers = append(readers, f.g.Users[s]...)
	}
	for _, h := range locator(f.home).of(readers) {
		stored += f.predicted(h, nil, f.home)
	}
	return carried, stored
}

// inPlace tells what is computed in the kernel of some stages, with more than what is decided so.
func (f *fuser) inPlace(stages, more []*ops.Stage) computed {
	return func(in, c *ops.Stage) bool {
		return f.Fused[graph.Edge{From: in, To: c}] || slices.Contains(more, in) || f.g.Place[in] > f.at && slices.Contains(stages, f.home(in))
	}
}

// lowered is the kernel of some stages.
func (f *fuser) lowered(stages []*ops.Stage, in computed) (*ir.Kernel, bool) {
	bufs := map[*ops.Stage][]*ir.Buffer{}
	l := f.g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if in(p, c) {
			return nil
		}
		if bufs[p] == nil {
			bufs[p] = f.g.Buffers(p)
		}
		return bufs[p]
	})
	l.Most = mostBinders
	return l.Try(stages...)
}

// conditional is how many folds of a kernel end by a condition, as those do that make an element of what is made in order by itself.
func conditional(k *ir.Kernel) (n int) {
	k.Walk(func(m *ir.Node) {
		if m.Kind == ir.KFold && m.Fold.While != nil {
			n++
		}
	})
	return n
}
