package bound

import (
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/retype"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/plan"
)

// inlineBudget bounds the scalar operations one sampled element of a reference may cost, narrowBudget those where less would mean to
// load what is stored in few digits, whose errors the reference is there to see; also all elements where there are few (long sums).
const (
	inlineBudget = 400e3
	narrowBudget = 2e6
)

// Of an array whose error somebody asks about, what takes so few elements of another, such as those about the least of a curve, has them computed in place, even
// where all that is read of that would be too dear: the result is made of these, and the others say where they are. Such references are compiled.
const (
	fewReads    = 8
	closeBudget = 30e6
	closeSize   = 40 // times what others may have, or half of that, and so on until there are variables enough
)

// A reference is no larger than this, whatever its elements cost: it is built, and perhaps compiled, for each kernel.
const (
	referenceNodes   = 40e3
	referenceBinders = 200
	leastSize        = 1. / 256 // of that, where a kernel cannot hold more: nothing but what the plan stored is left then
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
			l.stored[b.Array], l.units[b.Array] = b.Bufs, b.Units
			narrow[b.Array] = b.Narrowed()
		}
	}
	if !slices.ContainsFunc(roots, p.judged) {
		l.given = map[*ops.Stage]bool{}
		for s := range narrow {
			l.given[s] = narrow[s] && s.Hints().Precision.Storage != 0
		}
	}
	dims := p.Graph.Points(roots[0])
	if most == 0 {
		most = max(inlineBudget, narrowBudget/float64(ops.Type{Dims: dims}.Len()))
	}
	l.expand(roots, narrow, most, 0)
	if l.dear && slices.ContainsFunc(roots, func(s *ops.Stage) bool { return s.Hints().Tolerance.V != 0 }) {
		l.closely(roots, narrow, most)
	}
	cost := 0.0
	for !graph.Fits(func() { cost = l.cost(roots) }) && l.size > leastSize { // what several places read is counted for each of them, not for each way to it
		l.size /= 2
		clear(l.load)
		l.expand(roots, narrow, most, 0)
	}
	if l.near = l.nearby(roots); l.near != nil {
		if whole := cost; !graph.Fits(func() { cost = l.cost(roots) }) || cost > max(narrowBudget, closeBudget*float64(min(1, len(l.few)))) {
			l.near, cost = nil, whole
		}
	}
	ref := l.build(roots, dims)
	ref.Cost = cost
	return ref
}

// closely expands the roots once more, the few elements that their readers take computed, if a kernel can hold that.
func (l *inliner) closely(roots []*ops.Stage, narrow map[*ops.Stage]bool, most float64) {
	loads := maps.Clone(l.load)
	l.given = narrow // to mix what is stored in few digits with what is not would be neither
	for size := closeSize; size > 1; size /= 2 {
		clear(l.load)
		clear(l.few)
		l.size = float64(size)
		l.expand(roots, narrow, most, fewReads)
		if len(l.few) == 0 {
			break
		}
		cost := 0.0
		if graph.Fits(func() { cost = l.cost(roots) }) && cost <= closeBudget {
			return
		}
	}
	l.given, l.load = nil, loads
	clear(l.few)
}

// judged reports an array whose errors somebody states, or that leaves the program: it is held to what it would be had nothing been stored in few digits. Those
// on the way there are held to what they are made from where @precision asks for such digits, as no rule says what these may do to them.
func (p *Plan) judged(s *ops.Stage) bool {
	return s.Hints().Tolerance.V != 0 || slices.ContainsFunc(p.Steps, func(step Step) bool {
		return step.Kind == plan.SinkStep && slices.ContainsFunc(step.Reads, func(id string) bool { return p.Buffer(id).Array == s })
	})
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
			l.stored[b.Array], l.units[b.Array], l.load[b.Array] = b.Bufs, b.Units, true
		}
	}
	ref := l.build(roots, p.Graph.Points(roots[0]))
	ref.Cost = l.cost(roots)
	if k.Carry != nil {
		ref.Kernel = k.Carry.defined(ref.Kernel)
	}
	return ref
}

func (p *Plan) inliner() *inliner {
	kept := map[*ops.Stage]bool{}
	for _, b := range p.Buffers {
		kept[b.Array] = true
	}
	return &inliner{g: p.Graph, kept: kept, stored: map[*ops.Stage][]*ir.Buffer{}, load: map[*ops.Stage]bool{}, known: map[*ops.Stage]bool{},
		efforts: map[*ops.Stage]effort{}, units: map[*ops.Stage]retype.Units{}, few: map[edge]bool{}, size: 1}
}

// inliner decides what a reference computes in place: everything but the stages in load and what lacks inputs.
type inliner struct {
	g       *graph.Graph
	kept    map[*ops.Stage]bool         // that the plan stores
	stored  map[*ops.Stage][]*ir.Buffer // that are alive
	load    map[*ops.Stage]bool
	known   map[*ops.Stage]bool // memo of computable
	units   map[*ops.Stage]retype.Units
	efforts map[*ops.Stage]effort // memo
	near    map[*ops.Stage]bool   // that are loaded where something is found in them, and computed near that
	given   map[*ops.Stage]bool   // that are loaded whatever they cost
	size    float64               // how many times as large as others it may be
	dear    bool                  // some could be computed, and take too much
	whole   bool                  // what cancels out is computed in place too
	few     map[edge]bool         // along which few elements are read, which are computed, of a stage that is loaded for other readers
}

// edge is a stage and one of its readers.
type edge struct{ from, to *ops.Stage }

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
	few          *use         // of these, by readers that take few elements
	by           []*ops.Stage // the readers, of few
	close        bool         // for a stage that is computed for such readers alone
}

// reads is how many elements are taken.
func (u *use) reads() float64 {
	if u.here {
		return u.times + 1
	}
	return u.times
}

func (u *use) add(here bool, times, sites float64) {
	u.here, u.times, u.sites = u.here || here, u.times+times, u.sites+sites
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
	a, p := l.g.Alone(s), l.point(s)
	e := effort{p.Evals, float64(a.Nodes), float64(a.Binders)}
	for in, reads := range p.Reads {
		if in.Data == nil && l.stored[in] == nil {
			e = e.plus(l.effort(in), reads, float64(a.Sites[in]))
		}
	}
	l.efforts[s] = e
	return e
}

// point is what one element of a stage takes: of one that the loops that read it carry, a turn.
func (l *inliner) point(s *ops.Stage) *graph.Point {
	if s.Put != nil && !l.kept[s] {
		return l.g.Turn(s)
	}
	return l.g.Point(s)
}

// expand finds the stored stages that the reference is to load. From the roots on, readers first, each is computed in place as long as
// what one point then takes, and the size of the text, stay within bounds; those in few digits for longer. Readers that take at most so many elements of what is loaded have them computed. All is counted stage by stage.
func (l *inliner) expand(roots []*ops.Stage, narrow map[*ops.Stage]bool, budget, few float64) {
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
		u, a, point := open[s], l.g.Alone(s), l.point(s)
		delete(open, s)
		if l.stored[s] != nil && !slices.Contains(roots, s) {
			most, with := budget, total
			switch {
			case few > 0 && u.close:
				most = closeBudget
			case narrow[s]:
				most = max(budget, narrowBudget)
			}
			fits := func(u *use, most float64) bool {
				if !l.computable(s) || l.given[s] {
					return false
				}
				with = total.plus(l.effort(s), u.reads(), u.sites+u.reads()-u.times)
				return with.evals <= most && with.nodes <= referenceNodes*l.size && with.binders <= referenceBinders*l.size
			}
			idle := u.times == 0 && u.sites == 0 && !u.here // what its readers make of it cancels out: loads are left out again, and a text is made before it is
			apart := !idle && !narrow[s] && u.few != nil && u.few.reads() < u.reads() && fits(u.few, closeBudget)
			switch l.load[s] = idle || apart || !fits(u, most); {
			case apart:
				for _, reader := range u.few.by {
					l.few[edge{s, reader}] = true
				}
				u = &use{here: u.few.here, times: u.few.times, sites: u.few.sites, close: true}
			case l.load[s]:
				l.dear = l.dear || !idle && l.computable(s) && !l.given[s]
				continue
			}
			total = with
		}
		times, sites := u.times, u.sites
		if u.here {
			times, sites = times+1, sites+1
		}
		for in, reads := range point.Reads {
			if in.Data != nil {
				continue
			}
			to := open[in]
			if to == nil {
				to = &use{close: true}
				open[in] = to
			}
			by := use{here: u.here, times: u.times * reads, sites: u.sites}
			if a.Elsewhere[in] {
				by = use{times: times * reads, sites: sites * float64(a.Sites[in])}
			}
			to.add(by.here, by.times, by.sites)
			to.close = to.close && u.close
			if by.reads() <= few {
				if to.few == nil {
					to.few = &use{}
				}
				to.few.add(by.here, by.times, by.sites)
				to.few.by = append(to.few.by, s)
			}
		}
	}
}

// build lowers the reference over axes as large as some dims, with what it loads.
func (l *inliner) build(roots []*ops.Stage, over []ops.Dim) Reference {
	loads := map[*ir.Buffer]*ops.Stage{}
	left := map[*ir.Buffer]bool{} // of stages that nothing stores, loaded where what is made of them cancels out, and so in the end not
	found := false
	low := l.g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		bufs := l.stored[p]
		near := found && l.near[p] && slices.Contains(roots, c) || l.few[edge{p, c}]
		if sites, read := l.g.Alone(c).Sites[p]; read && sites == 0 && bufs == nil && p.Data == nil && !l.whole {
			bufs = l.g.Buffers(p)
			for _, part := range bufs {
				left[part] = true
			}
			return bufs
		}
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
	low.Units = l.units
	axes := low.Axes(over)
	k := &ir.Kernel{Name: roots[0].Name, Axes: axes}
	for _, s := range roots {
		if found = false; s.Near == nil || !slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return l.near[in] }) {
			k.Stores = append(k.Stores, low.Defined(s, l.g.Buffers(s), axes[:len(l.g.Points(s))])...)
		} else {
			k.Stores = append(k.Stores, low.Near(s, l.g.Buffers(s), axes, func() { found = true })...)
		}
	}
	k = subst.Along(k)
	if slices.ContainsFunc(k.Inputs(), func(part *ir.Buffer) bool { return left[part] }) { // here it does not
		l.whole = true
		return l.build(roots, over)
	}
	return Reference{Kernel: k, Loads: loads, Exact: low.Exact()}
}
