package schedule

import (
	"cmp"
	"math"
	"slices"

	"weft/kernels/ir"
)

// tiledSchedules are schedules for a long fold whose loads scatter along several axes: lanes form a lane tile within which windows
// serve most loads and which the axes hold without much waste.
func (s *survey) tiledSchedules(f *ir.Fold, axes []int) []CPU {
	options, spreads := s.laneTiles(f, axes)
	out := choices(options)
	for i := range out {
		if out[i].Flat > 0 {
			continue
		}
		out[i].Order = s.nearOrder(out[i], s.positions(f), spreads)
	}
	return out
}

// laneTiles are all lane tiles, cheapest first, and how far loads spread.
func (s *survey) laneTiles(f *ir.Fold, axes []int) (options []option, spreads []spread) {
	at := s.positions(f)
	spreads = s.spreads(f, at.at)
	work, order := s.workIn(f), s.order()
	for _, lanes := range s.shapes(axes) {
		edge, windows := s.edgeCost(f, lanes), []int{0, 16, 32}
		if s.t.ISA == "portable" || len(at.loads) == 0 || !s.bounded(f, at.at, lanes) {
			windows = windows[:1]
		}
		for _, unroll := range s.inFlight(f, at) {
			c := CPU{Order: order, Lanes: lanes, Unroll: unroll}
			waste, ok := s.waste(c)
			if !ok {
				continue
			}
			arithmetic := s.vectorCost(work, c)
			for _, w := range windows {
				wait := singleVector / float64(Product(unroll))
				if w == 0 { // gathering, a core is busy anyway
					wait = 0
				}
				c.Window = w
				each := arithmetic + float64(len(at.loads))*s.loadCost(c, w, spreads) + float64(at.together)*s.groupCost(c, at.beside, spreads) + s.rowsCost(c, f, at, spreads)
				options = append(options, option{s.windowed(c, f), waste * (each*(1+wait) + edge)})
			}
		}
	}
	options = append(options, s.flats(f, at, work, spreads)...)
	return cheapest(options), spreads
}

// inFlight are the vectors in flight worth a look: along one axis, and twice as many where the places of a fold's loads are the same along another one, as those
// of the frames of a batch are.
func (s *survey) inFlight(f *ir.Fold, at scatter) [][]AxisN {
	most, out := s.mostFlight(f, true), [][]AxisN{nil}
	for u := range s.k.Axes {
		for v := 2; v <= most; v++ {
			out = append(out, s.unroll(u, v))
			for x, axis := range s.k.Axes {
				if x != u && 2*v <= most && axis.Extent > 1 && len(at.at) > 0 && !slices.ContainsFunc(at.at, func(n *ir.Node) bool { return s.vary(n).Meets(axis.Bind()) }) {
					out = append(out, append(s.unroll(u, v), AxisN{x, 2}))
				}
			}
		}
	}
	return out
}

// flats are schedules that gather for points one after the other, whatever the extents of the axes.
func (s *survey) flats(f *ir.Fold, at scatter, work []work, spreads []spread) (out []option) {
	if s.t.ISA == "portable" {
		return nil
	}
	all := CPU{Lanes: make([]AxisN, len(s.k.Axes))}
	for a := range s.k.Axes {
		all.Lanes[a] = AxisN{a, 1}
	}
	all.Lanes[len(all.Lanes)-1].N = s.t.Lanes // neighbours lie along the last axis
	each := s.vectorCost(work, all) + s.edgeCost(f, all.Lanes)
	for _, g := range s.folds { // what lane tiles share along an axis is computed for every point
		if s.deepest(g.Node) == nil && g != s.outermost() {
			each += s.foldWork(g) / (s.times(f.Node) * s.trips(f))
		}
	}
	for _, v := range []int{2, 4} {
		c := CPU{Flat: v, Split: s.iterationsAtOnce(f)}
		loads := float64(len(at.loads))*s.loadCost(all, 0, spreads) + float64(at.together)*s.groupCost(all, at.beside, spreads)
		if c.Split > 0 {
			loads -= nearerLines * cacheLine * float64(len(at.loads)+at.together) / float64(max(1, at.beside)) * s.cacheLines(all, max(1, at.beside), spreads)
		}
		out = append(out, option{s.windowed(c, f), each + loads + float64(v)*laterAxis})
	}
	return out
}

// iterationsAtOnce is how many iterations of the outermost fold around f load what half of a core's own cache holds; 0 if that is all.
func (s *survey) iterationsAtOnce(f *ir.Fold) int {
	o := s.outermost()
	if o.Lo.Kind != ir.KConst || o.Hi.Kind != ir.KConst {
		return 0
	}
	bytes := 0.0
	seen := map[*ir.Buffer]bool{}
	for _, n := range s.nodes {
		if n.Kind == ir.KLoad && s.deepest(n) == f && !seen[n.Buf] {
			seen[n.Buf] = true
			bytes += float64(n.Buf.Bytes())
		}
	}
	n := int(s.trips(o) * ownCache / max(bytes, 1))
	if n >= int(s.trips(o)) {
		return 0
	}
	return max(1, n)
}

// option is a schedule and its estimated cost.
type option struct {
	c    CPU
	cost float64
}

// cheapest sorts options by cost.
func cheapest(options []option) []option {
	slices.SortStableFunc(options, func(a, b option) int { return cmp.Compare(a.cost, b.cost) })
	return options
}

// choices are the first option, and the first after it that have half the vectors in flight, another window, or other lanes.
func choices(options []option) (out []CPU) {
	if len(options) == 0 {
		return nil
	}
	best := options[0].c
	sameLanes := func(c CPU) bool { return slices.Equal(c.Lanes, best.Lanes) }
	out = append(out, best)
	for _, differs := range []func(c CPU) bool{
		func(c CPU) bool { return sameLanes(c) && 2*Product(c.Unroll) <= Product(best.Unroll) },
		func(c CPU) bool { return sameLanes(c) && c.Window != best.Window },
		func(c CPU) bool { return !sameLanes(c) },
		func(c CPU) bool { return !sameLanes(c) && c.Window != best.Window },
	} {
		if i := slices.IndexFunc(options, func(o option) bool { return differs(o.c) }); i >= 0 {
			out = append(out, options[i].c)
		}
	}
	return out
}

// nearOrder puts the axes innermost along which one step's loads lie nearest to the last one's, and those outermost that take them to other rows, unless
// that repeats much work which an innermost axis could share.
func (s *survey) nearOrder(c CPU, at scatter, spreads []spread) []int {
	shared := c.Order[len(c.Order)-1]
	if s.hoisted(s.k.Axes[shared])/float64(along(c.Unroll, shared)) > mostRepeated {
		return c.Order
	}
	apart := make([]float64, len(s.k.Axes))
	order := make([]int, len(s.k.Axes))
	for a := range apart {
		order[a] = a
		for _, p := range spreads {
			apart[a] += p[a] * float64(c.Step(a))
		}
		if s.takesRows(at.all, a) {
			apart[a] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(apart[b], apart[a]) })
	return order
}

// takesRows reports an axis that takes scattered loads to other rows of an array.
func (s *survey) takesRows(loads []*ir.Node, axis int) bool {
	return slices.ContainsFunc(loads, func(n *ir.Node) bool {
		rows, _, _ := place(n.Buf, n.Index())
		return slices.ContainsFunc(rows, func(x *ir.Node) bool { return s.vary(x).Meets(s.k.Axes[axis].Bind()) })
	})
}

// rowsCost is what a vector in flight waits in an iteration for lines because others go along other rows: those of all iterations, which the next step reads
// again, lie in the nearest cache, in a core's own, of which a thread has half, or beyond. What stays in its row from one iteration to the next finds its
// lines there, or right behind them.
func (s *survey) rowsCost(c CPU, f *ir.Fold, at scatter, spreads []spread) float64 {
	leave := slices.DeleteFunc(slices.Clone(at.all), func(n *ir.Node) bool { return !leavesRow(n, f) })
	rows := 1.0
	for _, u := range c.Unroll {
		if s.takesRows(leave, u.Axis) {
			rows *= float64(u.N)
		}
	}
	lines := 0.0
	for _, p := range spreads {
		lines += float64(len(at.all)) * p.over(c.Lanes) / lineElements / float64(len(spreads))
	}
	lines += float64(len(at.loads))*(1+float64(c.Window)/lineElements) + float64(at.together)/float64(max(1, at.beside))
	lines *= float64(len(leave)) / float64(max(1, len(at.all)))
	bytes := lines * rows * lineBytes * s.times(f.Node) * s.trips(f)
	if s.saves(f) {
		bytes /= 2 // the other turns add nothing
	}
	each := 0.0
	switch {
	case bytes > ownCache/2:
		each = farRow
	case bytes > nearCache:
		each = nearRow
	}
	return each * lines * (rows - 1) / rows
}

// leavesRow reports a load that goes to another row of its array in each iteration of a fold.
func leavesRow(n *ir.Node, f *ir.Fold) bool {
	rows, _, _ := place(n.Buf, n.Index())
	return slices.ContainsFunc(rows, func(x *ir.Node) bool { return x.Free().Meets(f.Index.Bind()) })
}

// shapes are the lane tiles over one axis or two.
func (s *survey) shapes(axes []int) (out [][]AxisN) {
	w := s.t.Lanes
	for i, a := range axes {
		for n := 2; n < w; n *= 2 {
			for _, b := range axes[i+1:] {
				out = append(out, []AxisN{{a, n}, {b, w / n}})
			}
		}
		out = append(out, []AxisN{{a, w}})
	}
	return out
}

// waste is how many points are computed for each one of the kernel; not ok if its axes are shorter than a step.
func (s *survey) waste(c CPU) (times float64, ok bool) {
	times = 1
	for a, axis := range s.k.Axes {
		step := c.Step(a)
		if axis.Extent < step {
			return 0, false
		}
		times *= float64((axis.Extent+step-1)/step*step) / float64(axis.Extent)
	}
	return times, true
}

// work is an operation inside a fold.
type work struct {
	weight float64
	vary   ir.Set
	slow   bool
}

func (s *survey) workIn(f *ir.Fold) (out []work) {
	for _, n := range s.nodes {
		if n.Kind == ir.KAlu && s.deepest(n) == f {
			out = append(out, work{s.weight(n), s.vary(n), n.Op.Info().Cost.Slow()})
		}
	}
	return out
}

// vectorCost is the arithmetic of one iteration for one vector in flight: what they have in common counts in part.
func (s *survey) vectorCost(in []work, c CPU) float64 {
	var lanes ir.Set
	for _, l := range c.Lanes {
		lanes = lanes.Or(s.k.Axes[l.Axis].Bind())
	}
	sum := 0.0
	for _, n := range in {
		w := n.weight
		if n.slow && !n.vary.Meets(lanes) {
			w /= float64(s.t.Lanes) // from a table
		}
		for _, u := range c.Unroll {
			if !n.vary.Meets(s.k.Axes[u.Axis].Bind()) {
				w /= float64(u.N)
			}
		}
		sum += w
	}
	return sum
}

// edgeCost is what a lane tile costs before and after the fold, an iteration: coordinates that it gathers, and elements that
// it scatters.
func (s *survey) edgeCost(f *ir.Fold, lanes []AxisN) float64 {
	sum := 0.0
	for _, st := range s.k.Stores {
		if last := s.k.Axes[lanes[len(lanes)-1].Axis]; len(lanes) > 1 || stride(st.Buf, st.Index, last) != 1 {
			sum += scatteredLane * float64(s.t.Lanes)
		}
	}
	return sum / max(1, s.times(f.Node)*s.trips(f))
}

// loadCost is the cost of a scattered load under a window, of a given size or none.
func (s *survey) loadCost(c CPU, window int, spreads []spread) float64 {
	reach := float64(window) - 1.5
	fail, size := 0.0, 0.0 // means over places: blocks without proof, and how full a window is
	for _, p := range spreads {
		n := p.over(c.Lanes)
		if n > reach {
			fail += 1 / float64(len(spreads))
		}
		size += n / reach / float64(len(spreads))
	}
	gather := gatheredLane*float64(s.t.Lanes) + cacheLine*s.cacheLines(c, 1, spreads)
	if Product(c.Unroll) > 2 {
		gather *= deepGather
	}
	if window == 0 {
		return gather
	}
	return fail*gather + (1-fail)*windowCosts[s.t.Lanes][window] + windowProof + fullWindow*size
}

// groupCost is the cost of a load in a group of some that lie side by side.
func (s *survey) groupCost(c CPU, beside int, spreads []spread) float64 {
	if beside == 0 {
		return 0
	}
	each := float64(min(beside, 4)) // a load and its share of a transposition serve so many
	return groupedLane*float64(s.t.Lanes)/each + cacheLine*s.cacheLines(c, beside, spreads)/float64(beside) + groupGuard
}

// cacheLines is how many cache lines the lanes of a load lie in, of places of so many elements side by side.
func (s *survey) cacheLines(c CPU, beside int, spreads []spread) float64 {
	lines := 0.0
	for _, p := range spreads {
		lines += min(float64(s.t.Lanes), p.over(c.Lanes)*float64(beside)/lineElements) / float64(len(spreads))
	}
	return lines
}

// windowed is a schedule with what follows from its window.
func (s *survey) windowed(c CPU, f *ir.Fold) CPU {
	w := s.t.Lanes
	if c.Window > 0 {
		c.Guard = true
		c.Table = min(blockEach, max(w, (int(s.trips(f))+w-1)/w*w))
	}
	if c.AccBlock = s.block(); c.AccBlock > 0 && c.Table > 0 {
		c.AccBlock = c.Table // a block is all there is where that is less
	}
	s.detail(&c, f)
	return c
}
