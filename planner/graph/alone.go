package graph

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule/sums"
	"weft/ops"
)

// Alone is what a stage is by itself, every input loaded: how much it computes and reads.
type Alone struct {
	Kernel    *ir.Kernel
	Loads     map[*ops.Stage]float64 // executed loads of each input
	Turns     map[*ops.Stage]float64 // and in how many turns of the loops around them, axes in their order
	Sites     map[*ops.Stage]int     // loads of each input in the text of the kernel
	Stages    map[*ir.Buffer]*ops.Stage
	Elsewhere map[*ops.Stage]bool // inputs read at another index than the stage's own
	Apart     map[*ops.Stage]bool // and not at its own with dims in another order either
	Scattered map[*ops.Stage]bool // inputs read in folds at places made of floats or of elements
	Folds     bool
	Uneven    bool    // and turn more often for some elements than for others, by their places
	Brief     bool    // these are sums of few turns, which need no loop within another
	Flops     float64 // of an element
	Nodes     int
	Binders   int
}

// Approximate reports whether a stage that is computed in place follows from functions that code for vectors and for single elements may round
// differently, so that an element made twice may be two.
func (g *Graph) Approximate(s *ops.Stage) bool {
	seen := map[*ops.Stage]bool{} // stages that several read are looked at once
	var approximate func(s *ops.Stage) bool
	approximate = func(s *ops.Stage) (yes bool) {
		if seen[s] || Given(s) {
			return false // or the answer was found
		}
		seen[s] = true
		g.Alone(s).Kernel.Walk(func(n *ir.Node) {
			i := n.Op.Info()
			yes = yes || n.Kind == ir.KAlu && i.Library != "" && i.Exact == ir.Rounds && n.Op != ir.Sqrt
		})
		return yes || slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return in.Put == nil && !in.Hints().Keep && approximate(in) })
	}
	return approximate(s)
}

// Point is what one element of a stage takes by itself: operations, and loads of each input.
type Point struct {
	Evals float64
	Reads map[*ops.Stage]float64
}

// Alone builds a stage as its operator defined it, once.
func (g *Graph) Alone(s *ops.Stage) *Alone {
	if a := g.alone[s]; a != nil {
		return a
	}
	a := &Alone{Loads: map[*ops.Stage]float64{}, Turns: map[*ops.Stage]float64{}, Sites: map[*ops.Stage]int{},
		Stages:    map[*ir.Buffer]*ops.Stage{},
		Elsewhere: map[*ops.Stage]bool{}, Apart: map[*ops.Stage]bool{}, Scattered: map[*ops.Stage]bool{}}
	g.alone[s] = a
	if Given(s) {
		return a
	}
	k, l, bufs := g.alike(s, (&Graph{}).Axes(s), (*KernelBuilder).Stores)
	counted := count.CostOf(k)
	sites, scattered, turns := map[*ir.Buffer]int{}, map[*ir.Buffer]bool{}, map[*ir.Buffer]float64{}
	trips := count.Turns(k)
	k.Walk(func(n *ir.Node) {
		a.Nodes++
		if n.Kind == ir.KFold {
			a.Brief = sums.Short(n.Fold) && (a.Brief || !a.Folds)
			a.Folds = true
			_, uneven := count.MeanTrips(n.Fold)
			a.Uneven = a.Uneven || uneven
		}
		if n.Kind == ir.KLoad {
			sites[n.Buf]++
			turns[n.Buf] += trips(n.Free())
			ir.WalkNodes(n.Index(), func(x *ir.Node) {
				scattered[n.Buf] = scattered[n.Buf] || x.Type.Float() || x.Kind == ir.KLoad
			})
		}
	})
	a.Flops = counted.Flops / float64(max(1, s.Type.Len()))
	a.Kernel, a.Binders = k, l.Body.Binders()
	for e := range l.elsewhere {
		a.Elsewhere[e.From] = true
		a.Apart[e.From] = l.apart[e]
	}
	for p, parts := range bufs {
		at := 0
		for _, b := range parts {
			at += sites[b]
			a.Turns[p] += turns[b] / float64(len(parts))
			a.Scattered[p] = a.Scattered[p] || a.Folds && scattered[b]
			a.Stages[b] = p
		}
		a.Loads[p], a.Sites[p] = loadsOf(parts, counted), (at+len(parts)-1)/len(parts)
	}
	return a
}

// Point builds a single element of a stage, once.
func (g *Graph) Point(s *ops.Stage) *Point {
	if p := g.points[s]; p != nil {
		return p
	}
	out := &Point{Reads: map[*ops.Stage]float64{}}
	g.points[s] = out
	if Given(s) {
		return out
	}
	k, _, bufs := g.alike(s, PointOf((&Graph{}).Points(s)), (*KernelBuilder).Defined)
	counted := count.CostOf(k)
	out.Evals = counted.NodeEvals
	for p, parts := range bufs {
		out.Reads[p] = loadsOf(parts, counted)
	}
	return out
}

// Turn is what one element of a stage takes in its place among the others.
func (g *Graph) Turn(s *ops.Stage) *Point {
	a, n := g.Alone(s), float64(max(1, s.Type.Len()))
	out := &Point{Evals: count.CostOf(a.Kernel).NodeEvals / n, Reads: map[*ops.Stage]float64{}}
	for in, loads := range a.Loads {
		out.Reads[in] = loads / n
	}
	return out
}

// loadsOf is how often elements of an array are loaded, a part in the mean.
func loadsOf(parts []*ir.Buffer, counted count.Cost) (n float64) {
	for _, b := range parts {
		n += counted.Loads[b] / float64(len(parts))
	}
	return n
}

// builds is one of the ways to build a stage's stores.
type builds func(l *KernelBuilder, s *ops.Stage, bufs []*ir.Buffer, axes []*ir.Node) []ir.Store

// alike builds a stage as its operator defined it over axes of some extents, with the buffers of its inputs.
func (g *Graph) alike(s *ops.Stage, dims []ops.Dim, build builds) (*ir.Kernel, *KernelBuilder, map[*ops.Stage][]*ir.Buffer) {
	bufs := map[*ops.Stage][]*ir.Buffer{}
	l := (&Graph{Arguments: g.Arguments, frames: g.frames}).KernelBuilder(func(p, _ *ops.Stage) []*ir.Buffer {
		if bufs[p] == nil {
			bufs[p] = buffersOf(p, p.Type)
		}
		return bufs[p]
	})
	g.Lowered++
	axes := l.Axes(dims)
	stores := build(l, s, buffersOf(s, s.Type), axes)
	return &ir.Kernel{Name: s.Name, Axes: axes, Stores: stores, Contract: !l.Exact(), Whole: g.Holds(s)}, l, bufs
}

// PointOf are dims of a single element: what is shared by all elements of a kernel costs it in full.
func PointOf(dims []ops.Dim) []ops.Dim {
	out := make([]ops.Dim, len(dims))
	for i, d := range dims {
		out[i] = d
		out[i].Size = 1
	}
	return out
}
