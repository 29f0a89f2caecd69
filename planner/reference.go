package planner

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// inlineBudget bounds the scalar operations one sampled element of a reference may cost, narrowBudget those where less would mean to
// load what is stored in few digits, whose errors the reference is there to see; also all elements where there are few (long sums).
const (
	inlineBudget = 400e3
	narrowBudget = 2e6
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

// Reference builds the float64 definition of the stages that one kernel stores, which have the same axes, its stores in their
// order. It loads only stages that are alive; these must include all that the kernel loads.
func (p *Plan) Reference(roots []*ops.Stage, alive func(*ops.Stage) bool) Reference {
	l := referenceLowerer{stored: map[*ops.Stage]*ir.Buffer{}, load: map[[2]*ops.Stage]bool{}, known: map[*ops.Stage]bool{},
		scales: map[*ops.Stage]float64{}}
	narrow := map[*ops.Stage]bool{}
	budget := max(inlineBudget, narrowBudget/float64(ops.Type{Dims: roots[0].Axes()}.Len()))
	for _, b := range p.Buffers {
		if alive(b.Array) {
			l.stored[b.Array], l.scales[b.Array] = b.Ir, b.Scale
			narrow[b.Array] = b.narrowed()
		}
	}
	for {
		point, frontier := l.build(roots, pointOf(roots[0].Axes()))
		cost := ir.CostOf(point.Kernel).NodeEvals
		// The farthest one first: as much as possible stays in float64.
		next := slices.IndexFunc(frontier, func(e [2]*ops.Stage) bool { return !narrow[e[0]] })
		if next < 0 && cost > narrowBudget && len(frontier) > 0 {
			next = 0
		}
		if cost <= budget || next < 0 {
			ref, _ := l.build(roots, roots[0].Axes())
			ref.Cost = cost
			return ref
		}
		l.load[frontier[next]] = true
	}
}

// BlockReference is the Reference of what one kernel stores while the program runs in blocks: it reads the arrays that the
// kernel reads, of which the rows it needs are there, and no others.
func (p *Plan) BlockReference(k *Kernel) Reference {
	l := referenceLowerer{stored: map[*ops.Stage]*ir.Buffer{}, load: map[[2]*ops.Stage]bool{}, known: map[*ops.Stage]bool{}, must: map[*ops.Stage]bool{},
		scales: map[*ops.Stage]float64{}}
	for _, b := range p.Buffers {
		l.stored[b.Array] = b.Ir
		l.scales[b.Array] = b.Scale
		l.must[b.Array] = slices.Contains(k.group.loads, b.Array)
	}
	point, _ := l.build(k.Roots, pointOf(k.Roots[0].Axes()))
	ref, _ := l.build(k.Roots, k.Roots[0].Axes())
	ref.Cost = ir.CostOf(point.Kernel).NodeEvals
	return ref
}

// pointOf are dims of a single element: what is shared by all elements of a kernel costs each sample in full.
func pointOf(dims []ops.Dim) []ops.Dim {
	dims = slices.Clone(dims)
	for i := range dims {
		dims[i].Size = 1
	}
	return dims
}

// referenceLowerer decides what a reference computes in place: everything but the edges in load and what lacks inputs.
type referenceLowerer struct {
	stored map[*ops.Stage]*ir.Buffer // that are alive
	load   map[[2]*ops.Stage]bool
	known  map[*ops.Stage]bool // memo of computable
	must   map[*ops.Stage]bool // to be loaded in any case
	scales map[*ops.Stage]float64
}

// computable reports a stage whose elements can be had without loading it: all it is made from is alive in the end.
func (l *referenceLowerer) computable(s *ops.Stage) bool {
	if v, ok := l.known[s]; ok {
		return v
	}
	v := !s.Source
	for _, in := range s.Inputs {
		v = v && (l.stored[in] != nil || l.computable(in))
	}
	l.known[s] = v
	return v
}

// build lowers the reference over axes as large as some dims, with what it loads, and lists the edges that could be loaded
// instead, deepest first.
func (l *referenceLowerer) build(roots []*ops.Stage, over []ops.Dim) (ref Reference, frontier [][2]*ops.Stage) {
	loads := map[*ir.Buffer]*ops.Stage{}
	seen := map[[2]*ops.Stage]bool{}
	low := newLowerer(func(p, c *ops.Stage) *ir.Buffer {
		e := [2]*ops.Stage{p, c}
		buf := l.stored[p]
		if p.Data == nil && !l.must[p] && l.computable(p) && !l.load[e] {
			if buf != nil && !seen[e] {
				seen[e] = true
				frontier = append([][2]*ops.Stage{e}, frontier...)
			}
			return nil
		}
		if buf == nil { // a table that no kernel loads: its values are in Data
			buf = bufferOf(p, p.Name)
		}
		loads[buf] = p
		return buf
	})
	low.scales = l.scales
	axes := low.axes(over)
	k := &ir.Kernel{Name: roots[0].Name, Axes: axes}
	for _, s := range roots {
		k.Stores = append(k.Stores, low.storesOf(s, bufferOf(s, s.Name), axes)...)
	}
	return Reference{Kernel: k, Loads: loads, Exact: low.exact()}, frontier
}
