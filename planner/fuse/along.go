package fuse

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/plan"
)

// along are stages that one kernel would make in order, and what reads them through stages that follow from them element by element: folds that may
// carry them.
type along struct {
	made, between, folds []*ops.Stage
	carried, stored      float64   // seconds
	why                  plan.Code // that folds do not carry them
	finds, moved         bool      // some reader compares or rounds what it reads, and needs what every loop makes alike; some reads it elsewhere than where it stands
}

// stages are all that folds would make.
func (a *along) stages() []*ops.Stage { return slices.Concat(a.made, a.between) }

// carry reports whether folds carry a stage that is made in order in place of loading it, which is decided for all its readers at once, and for what the
// same turns make besides.
func (d *producer) carry(e *plan.Edge) bool {
	f, p := d.fuser, d.stage
	a := f.inOrder[p]
	if a == nil {
		a = &along{why: plan.InOrder}
		if f.g.Wanted[p] {
			a.why = plan.AskedFor
		}
		if f.follow(a, p) {
			stored := f.siblings(a, p)
			a.carried, a.stored, a.why = d.carriedOrStored(a, stored)
		}
		fuse := a.carried < a.stored*recomputeDoubt || p.Hints().Fuse // nothing is computed again
		fuse = a.why == plan.Sooner && f.weighed(p, d.users[0], fuse)
		for _, s := range a.made {
			f.inOrder[s] = a
		}
		for _, s := range a.stages() {
			f.along[s] = fuse
		}
	}
	if a.why == plan.Sooner {
		e.FusedMs, e.StoredMs, e.Margin = 1e3*a.carried, 1e3*a.stored, 1/recomputeDoubt
	}
	e.Code = a.why
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
		a.finds, a.moved = a.finds || count.Jumps(f.g.Alone(c).Kernel), a.moved || !f.inPlaceOf(s, c)
		switch {
		case barred(s, c) != "" || c.Put != nil:
			return true
		case !f.g.Alone(c).Folds:
			return !slices.Contains(a.between, c) && !f.follow(a, c)
		case !slices.Contains(a.folds, c):
			a.folds = append(a.folds, c)
		}
		return false
	})
}

// inPlaceOf reports whether a stage reads another where that stands, all of it: each dim by an axis, or by a fold, of its own. What
// follows from them then differs over the same variables, which have the same ranges.
func (f *fuser) inPlaceOf(s, c *ops.Stage) bool {
	own, in := f.g.Alone(c), true
	own.Kernel.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad || own.Stages[n.Buf] != s {
			return
		}
		for i, x := range n.Index() {
			whole := x.Kind == ir.KAxis && !slices.Contains(n.Index()[:i], x)
			switch {
			case !whole:
			case x.Role == ir.RoleParallel:
				whole = x.Extent == n.Buf.Shape[i]
			default:
				whole = x.Fold.Lo.IsConst(0) && x.Fold.Hi.IsConst(float64(n.Buf.Shape[i]))
			}
			in = in && whole
		}
	})
	return in
}

// repeats reports a kernel that stores in its turns what is the same to the bit in every kernel that makes it: no sums of floats are among it, whose order may be
// another, nor axes that it does not differ over in truth.
func repeats(k *ir.Kernel) bool {
	same := subst.Differs(k)
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold && (n.Fold.Monoid == ir.Sum || n.Fold.Monoid == ir.Product) {
			same = same && !slices.ContainsFunc(n.Fold.Accs, func(a *ir.Node) bool { return a.Type.Float() })
		}
	})
	return same
}

// carriedOrStored are what two choices take, in seconds: that folds carry what is made in order, those over the same axes which do not need each other in
// one kernel, or that it is stored, beside what is in any case, and loaded. A fold that would make it anew for each turn cannot carry it: the code is that
// of what forbids it, or of storing if that takes less.
func (d *producer) carriedOrStored(a *along, others []*ops.Stage) (carried, stored float64, why plan.Code) {
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
	own, ok := f.lowered(a.made, f.inPlace(nil, nil))
	if a.finds && (!ok || a.moved || f.Mixed || !repeats(own)) {
		return 0, 0, plan.Alike
	}
	for _, k := range kernels {
		more := 0
		for _, h := range k {
			more += f.g.Alone(h).Nodes
		}
		loaded, ok := f.lowered(k, f.inPlace(k, a.between))
		made, fits := f.lowered(k, f.inPlace(k, a.stages()))
		switch {
		case !ok || !fits || subst.Crowded(made) || len(made.Nodes()) > most+more:
			return 0, 0, plan.Budget
		case conditional(made) > conditional(loaded)+loops:
			return 0, 0, plan.InOrder
		case a.finds && made.Contract != own.Contract:
			return 0, 0, plan.Alike
		}
		if f.Cost != nil {
			carried += f.time(k, f.inPlace(k, a.stages()), false)
		}
	}
	if f.Cost == nil {
		return float64(len(kernels)) * d.compute(), d.compute() + d.bytes*(1+float64(len(d.users)))/d.Rates.Bandwidth, plan.Sooner
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
	return carried, stored, plan.Sooner
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
