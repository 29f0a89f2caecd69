package bound

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/ops"
	"weft/planner/graph"
)

// inlineBudget bounds the scalar operations one sampled element of a reference may cost, narrowBudget those where less would mean to
// load what is stored in few digits, whose errors the reference is there to see; also all elements where there are few (long sums).
const (
	inlineBudget = 400e3
	narrowBudget = 2e6
)

// A reference is no larger than this, whatever its elements cost: it is built, and perhaps compiled, for each kernel.
const (
	referenceNodes   = 40e3
	referenceBinders = 200
)

// Reference is the definition of stages in one kernel for evaluation in float64 at sampled points. Producers are computed in
// place as far back as stays cheap; beyond that, the arrays the plan stored are read, so errors that were made before them
// are not seen here (they are seen where those arrays are themselves sampled).
type Reference struct {
	Kernel *ir.Kernel
	Loads  map[*ir.Buffer]*ops.Stage // what its loads read
	Cost   float64                   // scalar operations for one point
	Exact  bool                      // to be evaluated in the kernel's own arithmetic: see ops.Stage.Exact
}

// Reference builds the float64 definition of the stages that one kernel stores, which have the same axes or the first of those of the first stage,
// its stores in their order. It loads only stages that are alive; these must include all that the kernel loads. most bounds the operations of a point that it
// computes in place; 0: as many as are cheap.
func (p *Plan) Reference(roots []*ops.Stage, alive func(*ops.Stage) bool, most float64) Reference {
	l := p.inliner()
	narrow := map[*ops.Stage]bool{}
	for _, b := range p.Buffers {
		if alive(b.Array) {
			l.stored[b.Array], l.scales[b.Array] = b.Bufs, b.Scale
			narrow[b.Array] = b.Narrowed()
		}
	}
	dims := p.Graph.Points(roots[0])
	if most == 0 {
		most = max(inlineBudget, narrowBudget/float64(ops.Type{Dims: dims}.Len()))
	}
	l.expand(roots, narrow, most)
	if l.near = l.nearby(roots); l.near != nil && l.cost(roots) > narrowBudget {
		l.near = nil
	}
	ref := l.build(roots, dims)
	ref.Cost = l.cost(roots)
	return ref
}

// nearby are the stored arrays that are loaded because they are too dear to compute everywhere, and are computed near what one of the roots
// finds in them.
func (l *inliner) nearby(roots []*ops.Stage) (near map[*ops.Stage]bool) {
	for _, s := range roots {
		for _, in := range s.Inputs {
			if e := l.effort(in); s.Near != nil && l.load[in] && l.computable(in) && e.nodes <= referenceNodes/4 && e.binders <= referenceBinders/4 {
				if near == nil {
					near = map[*ops.Stage]bool{}
				}
				near[in] = true
			}
		}
	}
	return near
}

// cost is what one point takes.
func (l *inliner) cost(roots []*ops.Stage) float64 {
	return count.CostOf(l.build(roots, graph.PointOf(l.g.Points(roots[0]))).Kernel).NodeEvals
}

// GivenReference is the definition of some stages that a kernel stores by the arrays that it reads, and no others.
// While a program runs in blocks it is the one there can be: of the arrays that the kernel reads, the rows that it
// needs are there.
func (p *Plan) GivenReference(k *Kernel, roots []*ops.Stage) Reference {
	l, loads := p.inliner(), k.IR.Inputs()
	for _, b := range p.Buffers {
		if slices.ContainsFunc(b.Bufs, func(part *ir.Buffer) bool { return slices.Contains(loads, part) }) {
			l.stored[b.Array], l.scales[b.Array], l.load[b.Array] = b.Bufs, b.Scale, true
		}
	}
	ref := l.build(roots, p.Graph.Points(roots[0]))
	ref.Cost = l.cost(roots)
	return ref
}

func (p *Plan) inliner() *inliner {
	return &inliner{g: p.Graph, stored: map[*ops.Stage][]*ir.Buffer{}, load: map[*ops.Stage]bool{}, known: map[*ops.Stage]bool{},
		efforts: map[*ops.Stage]effort{}, scales: map[*ops.Stage]float64{}}
}

// inliner decides what a reference computes in place: everything but the stages in load and what lacks inputs.
type inliner struct {
	g       *graph.Graph
	stored  map[*ops.Stage][]*ir.Buffer // that are alive
	load    map[*ops.Stage]bool
	known   map[*ops.Stage]bool // memo of computable
	scales  map[*ops.Stage]float64
	efforts map[*ops.Stage]effort // memo
	near    map[*ops.Stage]bool   // that are loaded where something is found in them, and computed near that
}

// computable reports whether the elements of a stage can be had without loading it: all it is made from is alive in the end. An input that its
// text does not load, as that of one result of several may be, is not what it is made from: no kernel keeps that.
func (l *inliner) computable(s *ops.Stage) bool {
	if v, ok := l.known[s]; ok {
		return v
	}
	v := !s.Source
	for in, sites := range l.g.Alone(s).Sites {
		v = v && (sites == 0 || l.stored[in] != nil || l.computable(in))
	}
	l.known[s] = v
	return v
}

// use is how often a reference computes a stage for one point of its own, and at how many places of its text: here, at that point, once
// however many readers share it, and elsewhere.
type use struct {
	here         bool
	times, sites float64
}

// effort is what one element of a stage takes: operations, and the size of their text.
type effort struct{ evals, nodes, binders float64 }

func (e effort) plus(o effort, times, sites float64) effort {
	return effort{e.evals + times*o.evals, e.nodes + sites*o.nodes, e.binders + sites*o.binders}
}

// effort is that of a stage with all that is not stored for it.
func (l *inliner) effort(s *ops.Stage) effort {
	if e, ok := l.efforts[s]; ok {
		return e
	}
	a, p := l.g.Alone(s), l.g.Point(s)
	e := effort{p.Evals, float64(a.Nodes), float64(a.Binders)}
	for in, reads := range p.Reads {
		if in.Data == nil && l.stored[in] == nil {
			e = e.plus(l.effort(in), reads, float64(a.Sites[in]))
		}
	}
	l.efforts[s] = e
	return e
}

// expand finds the stored stages that the reference is to load. From the roots on, readers first, each is computed in place as long as
// what one point then takes, and the size of the text, stay within bounds; those in few digits for longer. All is counted stage by stage.
func (l *inliner) expand(roots []*ops.Stage, narrow map[*ops.Stage]bool, budget float64) {
	var total effort
	open := map[*ops.Stage]*use{}
	for _, s := range roots {
		open[s] = &use{here: true}
		total = total.plus(l.effort(s), 1, 1)
	}
	for len(open) > 0 {
		var s *ops.Stage
		for o := range open { // all its readers come later in the graph, and have been looked at
			if s == nil || l.g.Place[o] > l.g.Place[s] {
				s = o
			}
		}
		u, a, point := open[s], l.g.Alone(s), l.g.Point(s)
		delete(open, s)
		times, sites := u.times, u.sites
		if u.here {
			times, sites = times+1, sites+1
		}
		if l.stored[s] != nil && !slices.Contains(roots, s) {
			most, with := budget, total
			if narrow[s] {
				most = max(budget, narrowBudget)
			}
			if l.computable(s) {
				with = total.plus(l.effort(s), times, sites)
			}
			idle := times == 0 && sites == 0 // what its readers make of it cancels out: loads are left out again, and a text is made before it is
			if l.load[s] = idle || !l.computable(s) || with.evals > most || with.nodes > referenceNodes || with.binders > referenceBinders; l.load[s] {
				continue
			}
			total = with
		}
		for in, reads := range point.Reads {
			if in.Data != nil {
				continue
			}
			to := open[in]
			if to == nil {
				to = &use{}
				open[in] = to
			}
			if a.Elsewhere[in] {
				to.times, to.sites = to.times+times*reads, to.sites+sites*float64(a.Sites[in])
				continue
			}
			to.here = to.here || u.here
			to.times, to.sites = to.times+u.times*reads, to.sites+u.sites
		}
	}
}

// build lowers the reference over axes as large as some dims, with what it loads.
func (l *inliner) build(roots []*ops.Stage, over []ops.Dim) Reference {
	loads := map[*ir.Buffer]*ops.Stage{}
	found := false
	low := l.g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		bufs := l.stored[p]
		near := found && l.near[p] && slices.Contains(roots, c)
		if load, looked := l.load[p]; p.Data == nil && l.computable(p) && (near || !load && (looked || bufs == nil)) {
			return nil
		}
		if bufs == nil { // a table that no kernel loads: its values are in Data
			bufs = l.g.Buffers(p)
			l.stored[p] = bufs
		}
		for _, part := range bufs {
			loads[part] = p
		}
		return bufs
	})
	low.Scales = l.scales
	axes := low.Axes(over)
	k := &ir.Kernel{Name: roots[0].Name, Axes: axes}
	for _, s := range roots {
		if found = false; s.Near == nil || !slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return l.near[in] }) {
			k.Stores = append(k.Stores, low.Defined(s, l.g.Buffers(s), axes[:len(l.g.Points(s))])...)
		} else {
			k.Stores = append(k.Stores, low.Near(s, l.g.Buffers(s), axes, func() { found = true })...)
		}
	}
	return Reference{Kernel: k, Loads: loads, Exact: low.Exact()}
}
