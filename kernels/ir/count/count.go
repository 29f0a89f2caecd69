// Package count counts what a kernel computes, reads and writes.
package count

import (
	"cmp"
	"math"
	"slices"

	"weft/kernels/ir"
)

// Cost is the work of a whole kernel, each value computed once for every combination of the loops it depends on: what a
// renderer that hoists perfectly would execute.
type Cost struct {
	Flops           float64                // weighted by OpInfo.Flops
	Wide            float64                // of these, those in float64
	Arithmetic      float64                // of these, those on floats that choose nothing: what finds elements, and tells whether they are taken, is apart
	NodeEvals       float64                // operations and loads
	Transcendentals float64                // exp, log, sin, ...
	Loads           map[*ir.Buffer]float64 // elements loaded
	Stores          float64                // elements stored
	Stored          map[*ir.Buffer]float64 // of these, by buffer
}

// Work is what a kernel asks of a device with memory of its own.
type Work struct {
	Flops float64 // weighted by OpInfo.Flops
	Wide  float64 // of these, those in float64
	Bytes float64 // through the device's memory: of a buffer no more than there is of it, since caches serve the rest
}

// WorkOf counts a kernel's work. Folds that may end early count in full.
func WorkOf(k *ir.Kernel) Work {
	c := CostOf(k)
	w := Work{Flops: c.Flops, Wide: c.Wide}
	for b, n := range c.Loads {
		w.Bytes += min(n*float64(b.Type.Size()), float64(b.Bytes()))
	}
	for b, n := range c.Stored {
		w.Bytes += min(n*float64(b.Type.Size()), float64(b.Bytes()))
	}
	return w
}

// Scale is the work of a share of a kernel's points.
func (w Work) Scale(share float64) Work {
	w.Flops, w.Wide, w.Bytes = w.Flops*share, w.Wide*share, w.Bytes*share
	return w
}

// UnknownTrips are those of a fold whose bounds are known only at run time: rows of finite-element matrices in three dimensions hold 20 to
// 100 elements.
const UnknownTrips = 64

// CostOf counts the work of a kernel. Folds with bounds known at run time only are estimated; a fold that may end early
// counts in full.
func CostOf(k *ir.Kernel) Cost { return CostWhere(k, func(*ir.Fold) float64 { return 1 }, nil) }

// CostWhere is CostOf where only a share of the turns of each fold is executed, and some values are computed in a part of these alone.
func CostWhere(k *ir.Kernel, share func(*ir.Fold) float64, rare map[*ir.Node]float64) Cost {
	c := counter{rare: rare, trips: map[ir.Set]float64{}, cost: Cost{Loads: map[*ir.Buffer]float64{}, Stored: map[*ir.Buffer]float64{}}, share: share}
	c.axes(k)
	k.Walk(c.binders)
	k.Walk(c.count)
	for _, s := range k.Stores {
		n := float64(k.Points())
		if s.In != nil {
			n = c.evaluations(s.In.Binders().Or(s.In.Node.Free()))
		}
		c.cost.Stores += n
		c.cost.Stored[s.Buf] += n
		if s.Adds && s.Value.Type.Float() {
			c.cost.Flops += n
			c.cost.Arithmetic += n
		}
	}
	return c.cost
}

// Trips returns how often a value that depends on some binders is computed in a whole kernel: once for every turn of the loops that they
// stand for, in every run of these that are folds.
func Trips(k *ir.Kernel) func(free ir.Set) float64 { return runsOf(k).evaluations }

// Around returns in which loops a value is computed that depends on some binders, where the axes lie in each other in an order, outer ones
// first (nil: that of the kernel): what depends on an inner axis is computed in every turn of the outer ones.
func Around(k *ir.Kernel, order []int) func(free ir.Set) ir.Set {
	return runsOf(k).around(k, order)
}

// Turns returns in how many turns of the loops around it a value is computed that depends on some binders: Trips of what Around says of the axes in their order.
func Turns(k *ir.Kernel) func(free ir.Set) float64 {
	c := runsOf(k)
	around := c.around(k, nil)
	return func(free ir.Set) float64 { return c.evaluations(around(free)) }
}

func (c *counter) around(k *ir.Kernel, order []int) func(free ir.Set) ir.Set {
	nest := k.Axes
	if order != nil {
		nest = make([]*ir.Node, len(order))
		for i, a := range order {
			nest[i] = k.Axes[a]
		}
	}
	known := map[ir.Set]ir.Set{}
	return func(free ir.Set) ir.Set {
		loops, ok := known[free]
		if !ok {
			loops = c.closure(free)
			for i := len(nest) - 1; i > 0; i-- {
				if loops.Meets(nest[i].Bind()) {
					loops = loops.Or(nest[i-1].Bind())
				}
			}
			known[free] = loops
		}
		return loops
	}
}

// runsOf counts runs of folds, each for itself.
func runsOf(k *ir.Kernel) *counter {
	c := counter{trips: map[ir.Set]float64{}, share: func(*ir.Fold) float64 { return 1 }, runs: true}
	c.axes(k)
	k.Walk(c.binders)
	return &c
}

type counter struct {
	loops []binder
	trips map[ir.Set]float64 // memo: evaluations of a value by its free set
	cost  Cost
	share func(*ir.Fold) float64 // of a fold's turns that are executed
	rare  map[*ir.Node]float64   // of these turns, those in which a value is computed
	runs  bool                   // what depends on the index of a fold is computed in every run of it
}

// binder is a loop: the sets that stand for it, how often it turns, and, for a fold, what it runs within: an accumulator
// takes another value in every run of its fold, an index in every run that starts elsewhere.
type binder struct {
	set    ir.Set
	trips  float64
	acc    ir.Set
	within ir.Set
	index  ir.Set
	start  ir.Set
}

func (c *counter) bind(b binder) { c.loops = append(c.loops, b) }

// fewFolds are as many as most kernels have.
const fewFolds = 2

func (c *counter) axes(k *ir.Kernel) {
	c.loops = make([]binder, 0, len(k.Axes)+fewFolds)
	for _, a := range k.Axes {
		c.bind(binder{set: a.Bind(), trips: float64(a.Extent)})
	}
}

// binders records the trips of a fold. Its index and accumulators stand for one loop.
func (c *counter) binders(n *ir.Node) {
	if n.Kind != ir.KFold {
		return
	}
	f := n.Fold
	trips := MostTrips(f)
	if mean, ok := MeanTrips(f); ok {
		trips = min(trips, mean)
	}
	b := binder{f.IndexBind.Or(f.AccBind), trips * c.share(f), f.AccBind, n.Free(), f.IndexBind, f.Lo.Free()}
	if c.runs {
		b.start = n.Free()
	}
	c.bind(b)
}

// KnownTrips is how often a fold turns, at most, where its bounds are apart by a constant or by no more than one.
func KnownTrips(f *ir.Fold) (n float64, ok bool) {
	n = math.Inf(1)
	for _, hi := range leastOf(f.Hi) {
		var l ir.Linear
		l.Add(hi, 1)
		l.Add(f.Lo, -1)
		if !slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.Coef != 0 }) {
			n, ok = min(n, max(0, float64(l.C))), true
		}
	}
	return n, ok
}

// leastOf are the values that an integer is the least of.
func leastOf(n *ir.Node) []*ir.Node {
	if n.Kind == ir.KAlu && n.Op == ir.Min {
		return append(leastOf(n.Args[0]), leastOf(n.Args[1])...)
	}
	return []*ir.Node{n}
}

// MostTrips is how often a fold turns at most, and UnknownTrips where that is not known.
func MostTrips(f *ir.Fold) float64 {
	if n, ok := KnownTrips(f); ok {
		return n
	}
	within, near := Within(f)
	if n, ok := PartedTrips(f); ok && near {
		return min(n, within)
	} else if ok {
		return n
	}
	if near {
		return within
	}
	lo, _, okLo := ir.RangeOf(f.Lo, nil)
	_, hi, okHi := ir.RangeOf(f.Hi, nil)
	n := hi - lo
	if !okLo || !okHi || n >= math.MaxInt32 {
		return UnknownTrips
	}
	return max(n, 0)
}

// PartedTrips is how often a fold turns on average whose ends are loaded, as those of rows are: what lies between the least and the greatest
// of them is taken to be parted among the elements of what they are loaded from. Where no
// row ends before another begins, all go about what they share, and part nothing.
func PartedTrips(f *ir.Fold) (float64, bool) {
	lo, hi := loaded(f.Lo), loaded(f.Hi)
	if lo == nil || hi == nil {
		return 0, false
	}
	parts := lo.Buf.Len()
	if lo.Buf == hi.Buf {
		parts--
	}
	if n := lo.Buf.Facts.Parts; lo.Buf == hi.Buf && n > 0 && parts > 0 {
		return float64(n) / float64(parts), true
	}
	first, from, okFirst := ir.RangeOf(f.Lo, nil)
	to, last, okLast := ir.RangeOf(f.Hi, nil)
	if !okFirst || !okLast || last-first >= math.MaxInt32 || parts < 1 || from <= to {
		return 0, false
	}
	return max(0, last-first) / float64(parts), true
}

// Loaded reports a fold that begins and ends where what is loaded says.
func Loaded(f *ir.Fold) bool { return loaded(f.Lo) != nil && loaded(f.Hi) != nil }

// loaded is the first load that a value is computed from; nil where there is none.
func loaded(n *ir.Node) (found *ir.Node) {
	ir.WalkNodes([]*ir.Node{n}, func(n *ir.Node) {
		if found == nil && n.Kind == ir.KLoad {
			found = n
		}
	})
	return found
}

func (c *counter) evaluations(free ir.Set) float64 {
	if n, ok := c.trips[free]; ok {
		return n
	}
	n := 1.0
	all := c.closure(free)
	for _, b := range c.loops {
		if b.set.Meets(all) {
			n *= b.trips
		}
	}
	c.trips[free] = n
	return n
}

// closure adds what the accumulators and indices in a set depend on, which may be those of folds further out.
func (c *counter) closure(s ir.Set) ir.Set {
	before := s
	for _, b := range c.loops {
		if b.acc.Meets(s) {
			s = s.Or(b.within)
		}
		if b.index.Meets(s) {
			s = s.Or(b.start)
		}
	}
	if s != before {
		return c.closure(s)
	}
	return s
}

func (c *counter) count(n *ir.Node) {
	switch n.Kind {
	case ir.KLoad:
		e := c.evaluations(n.Free()) * cmp.Or(c.rare[n], 1)
		c.cost.Loads[n.Buf] += e
		c.cost.NodeEvals += e
	case ir.KAlu:
		e := c.evaluations(n.Free()) * cmp.Or(c.rare[n], 1)
		c.cost.NodeEvals += e
		if !n.Type.Float() && n.Type != ir.Bool {
			return // address arithmetic
		}
		if n.Op == ir.Cast {
			return // no arithmetic
		}
		flops := e * float64(n.Op.Info().Flops)
		c.cost.Flops += flops
		if n.Op != ir.Select && slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return a.Type.Float() }) {
			c.cost.Arithmetic += flops
		}
		if n.Type == ir.F64 {
			c.cost.Wide += flops
		}
		if n.Op.Info().Cost.Transcendental() {
			c.cost.Transcendentals += e
		}
	}
}

// Jumps reports a kernel whose values may change by much where floats that they follow from change in their last digits: it compares or rounds some.
func Jumps(k *ir.Kernel) (yes bool) {
	k.Walk(func(n *ir.Node) {
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
