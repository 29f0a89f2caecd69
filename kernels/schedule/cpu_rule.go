package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// Default is the schedule that the rules choose without measuring.
func Default(k *ir.Kernel, t Target) CPU { return Candidates(k, t)[0] }

// Candidates are the schedules worth measuring for a kernel, the rules' own choice first.
func Candidates(k *ir.Kernel, t Target) []CPU {
	s := newSurvey(k, t)
	f := s.heaviest()
	var out []CPU
	if s.tiled(f) {
		out = s.tiledSchedules(f, s.scattered(f))
	}
	out = append(out, s.lines(f)...)
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(c CPU) bool {
		text := c.String()
		if seen[text] || !s.keeps(c) || c.Check(k, t) != nil {
			return true
		}
		seen[text] = true
		return false
	})
	return out[:min(len(out), 6)]
}

// alongTurns reports a fold whose turns go along rows of an array, each wherever a point says, that a core's own cache does not hold: a turn's
// lanes then share cache lines, and points have one each. It is none where windows serve other loads, which points on lanes share.
func (s *survey) alongTurns(f *ir.Fold) bool {
	return f != nil && len(s.positions(f).loads) == 0 && slices.ContainsFunc(s.in[f], func(n *ir.Node) bool {
		if n.Kind != ir.KLoad || len(n.Buf.Shape) < 2 || n.Buf.Bytes() <= ownCache {
			return false
		}
		rows, last, _ := place(n.Buf, n.Index())
		along, ok := ir.Affine(last, f.Index)
		return ok && along == 1 && slices.ContainsFunc(rows, s.scatters)
	})
}

// scatters reports an index that differs between points as no formula along an axis says.
func (s *survey) scatters(index *ir.Node) bool {
	return slices.ContainsFunc(s.k.Axes, func(axis *ir.Node) bool {
		_, even := ir.Affine(index, axis)
		return !even && s.vary(index).Meets(axis.Bind())
	})
}

// flight is how many vectors in flight along an axis suit a fold: as many as registers hold, a power of two that the axis
// has room for. It is one where each lane reads on in lines of its own, since a core foresees no more such than a vector has lanes, or stores them.
func (s *survey) flight(f *ir.Fold, axis *ir.Node, lanes int) int {
	v := 1
	if lanes > 1 && s.streams(f, axis) || s.storesRows(f) {
		return v
	}
	for 2*v <= s.mostFlight(f, false) && 2*v*lanes <= axis.Extent {
		v *= 2
	}
	return v
}

// streams reports a fold whose turns read on through pages of memory far from where they do for the next point along an axis.
func (s *survey) streams(f *ir.Fold, axis *ir.Node) bool {
	return f != nil && slices.ContainsFunc(s.in[f], func(n *ir.Node) bool {
		if n.Kind != ir.KLoad {
			return false
		}
		turn, point := stride(n.Buf, n.Index(), f.Index), stride(n.Buf, n.Index(), axis)
		return turn > 0 && turn < lineElements && point >= lineElements*turn && s.trips(f)*float64(turn) >= pageElements
	})
}

// mostFlight is how many vectors in flight registers hold with their share of a fold.
func (s *survey) mostFlight(f *ir.Fold, blocks bool) int {
	if f == nil {
		return 1
	}
	return max(1, min(mostVectors, flightRegisters[s.t.ISA]/(1+s.sums(f, blocks))))
}

// sums is how many registers the accumulators of a fold take for a vector in flight, those of its blocks if it goes by blocks.
func (s *survey) sums(f *ir.Fold, blocks bool) (n int) {
	for q, a := range f.Accs {
		if _, narrow := NarrowSum(f, q); blocks && narrow && !s.k.Termwise {
			n++
		} else {
			n += Registers(a.Type)
		}
	}
	return n
}

func (s *survey) unroll(axis, n int) []AxisN {
	if n <= 1 {
		return nil
	}
	return []AxisN{{axis, n}}
}

// order puts the axis innermost along which most work can be shared by doing it once before its loop.
func (s *survey) order() []int {
	best, most := -1, laterAxis
	for a, axis := range s.k.Axes {
		if h := s.hoisted(axis); h >= most && axis.Extent > 1 {
			best, most = a, h
		}
	}
	var out []int
	for a := range s.k.Axes {
		if a != best {
			out = append(out, a)
		}
	}
	if best >= 0 {
		out = append(out, best)
	}
	return out
}

// detail sets what follows from the fold that takes most of the work.
func (s *survey) detail(c *CPU, f *ir.Fold) {
	if f == nil {
		return
	}
	if !c.FoldLanes && c.AccBlock == 0 {
		c.AccBlock = s.block()
	}
	c.AccMajor = s.sums(f, c.AccBlock > 0)*Product(c.Unroll) > spilling
	for _, g := range s.folds {
		if s.left(g) || g.While != nil {
			c.Every = longestTest
		}
		if s.left(g) && s.hasMaxima(g) || s.saves(g) {
			c.Skip = true
		}
	}
}

// hasMaxima reports whether a fold compares values of a buffer with maximum tables.
func (s *survey) hasMaxima(f *ir.Fold) bool {
	found := false
	ir.WalkNodes(f.Step, func(n *ir.Node) { found = found || n.Kind == ir.KLoad && n.Buf.Facts.Max != nil })
	return found
}

// lines are schedules with lanes along one axis, along iterations, or none, by estimated cost.
func (s *survey) lines(f *ir.Fold) (out []CPU) {
	options := slices.DeleteFunc(s.lineOptions(f), func(o option) bool { return !s.keeps(o.c) })
	for _, o := range options[:min(len(options), 4)] {
		if o.cost <= hopeless*options[0].cost {
			out = append(out, o.c)
		}
	}
	return out
}

func (s *survey) lineOptions(f *ir.Fold) []option {
	options := []option{{CPU{Order: s.order(), AccBlock: s.block()}, s.cost + s.stored()}}
	if running := s.running(f); len(running) > 0 {
		options[0].cost = max(options[0].cost, s.waits(f))
		options = append(options, running...)
	}
	options = append(options, s.sweeping(f)...)
	if s.apart() {
		options[0].cost = max(s.scalars()/atOnce+s.stored(), s.waits(f))
	}
	for a, axis := range s.k.Axes {
		if axis.Extent < 2 && s.adding().beside != a+1 {
			continue
		}
		c := CPU{Order: s.order(), Lanes: []AxisN{{a, s.t.Lanes}}}
		u := s.flightAxis(f, a)
		lanes := 1
		if u == a {
			lanes = s.t.Lanes
		}
		c.Unroll = s.unroll(u, s.flight(f, s.k.Axes[u], lanes))
		s.detail(&c, f)
		cost := s.onLanes(a, -1)
		options = append(options, option{c, cost})
		if gain := s.turnsToo(c.Order, a); gain > worthTurns*cost || s.adding().beside == a+1 {
			options = append(options, option{s.withTurns(c, s.alike(axis)), cost - gain})
		}
		if v := Product(c.Unroll); v > 1 {
			half := c
			half.Unroll = s.unroll(u, v/2)
			options = append(options, option{half, cost * fewerCost})
		}
		if f != nil {
			blocks := s.registerBlocks(f, a)
			options = append(options, blocks[:min(len(blocks), 2)]...)
			continue
		}
		for _, u := range s.crossings(a) {
			c.Unroll = s.unroll(u, s.t.Lanes)
			options = append(options, option{c, s.onLanes(a, u)})
		}
		if u, saved := s.slidAxis(a); saved > 0 {
			c.Unroll = s.unroll(u, slidRows)
			options = append(options, option{c, cost - saved/float64(s.t.Lanes)})
		}
		again := s.repeating(a)
		if again >= 0 {
			c.Unroll = s.unroll(again, s.k.Axes[again].Extent)
			options = append(options, option{c, s.onLanes(a, again) * sharedLoad})
		}
		if u := s.rows(a); u >= 0 && u != again {
			c.Unroll = s.unroll(u, RowOf)
			cost = s.onLanes(a, u)
			if again >= 0 {
				c.Unroll = append(c.Unroll, AxisN{again, s.k.Axes[again].Extent})
				cost *= sharedLoad
			}
			options = append(options, option{c, cost})
		}
	}
	if slices.ContainsFunc(s.folds, s.splits) {
		c := s.withTurns(CPU{Order: s.order(), Copies: s.copies()}, func(*ir.Fold) bool { return true })
		s.detail(&c, f)
		options = append(options, option{c, s.onIterations()})
	}
	return cheapest(options)
}

// withTurns is a schedule with turns of folds on lanes, of which some go.
func (s *survey) withTurns(c CPU, some func(*ir.Fold) bool) CPU {
	c.FoldLanes = true
	for _, f := range s.folds {
		if parted(f) && some(f) {
			c.Flight = partsFlight
			if NarrowShares(f, s.t.Lanes) {
				c.AccBlock = narrowBlock
			}
		}
	}
	for _, f := range s.folds {
		in := Nested(f, s.t.Lanes)
		if in == nil || !some(f) || c.AccBlock > 0 || !NarrowShares(f, s.t.Lanes) || in.Accs[0].Type != ir.F32 {
			continue
		}
		c.AccBlock = s.t.Lanes // a lane's sums in float32 are no longer than those of a turn as it is written
	}
	if f := s.heaviest(); c.Flight <= 1 && len(c.Lanes) == 0 && f != nil && f.Monoid == ir.Sum && s.splits(f) {
		c.Group = s.group(f, c.AccBlock > 0)
		if axis := s.farShared(c.Order); c.Group > 1 && axis >= 0 {
			c.Unroll, c.Group = s.unroll(axis, 2), c.Group/2
		}
		if s.ownRows(f) && s.t.ISA != "portable" {
			c.Window = 2 * s.t.Lanes
		}
	}
	return c
}

// group is how many sums of a fold on lanes registers hold, if those are fewer than it has; else 0.
func (s *survey) group(f *ir.Fold, narrow bool) int {
	each := 1
	for _, a := range f.Accs {
		if !narrow {
			each = max(each, Registers(a.Type))
		}
	}
	if n := flightRegisters[s.t.ISA] / each; n < len(f.Accs) {
		return n
	}
	return 0
}

// mostNear is how many bytes a core keeps near from point to point, where its second cache has a megabyte, the least that servers have.
const mostNear = 3 << 18

// farShared is an axis whose points all load so much of the same in their folds that it is far again for the next one: two of them together halve what
// comes from there. -1 if there is none.
func (s *survey) farShared(order []int) int {
	for _, a := range slices.Backward(order) {
		axis, bytes := s.k.Axes[a], 0.0
		for _, n := range s.nodes {
			if n.Kind == ir.KLoad && s.deepest(n) != nil && !s.vary(n).Meets(axis.Bind()) {
				bytes += s.times(n) * float64(n.Buf.Type.Size())
			}
		}
		if bytes > mostNear && axis.Extent > 1 {
			return a
		}
	}
	return -1
}

// ownRows reports a fold whose scattered loads go along rows of an array, each point along its own: the turns of a point lie near each other there, and
// different points' do not.
func (s *survey) ownRows(f *ir.Fold) bool {
	loads := s.positions(f).loads
	return len(loads) > 0 && !slices.ContainsFunc(loads, func(n *ir.Node) bool {
		index := n.Index()
		row, inner := index[:len(index)-1], index[len(index)-1]
		if !inner.Free().Meets(f.IndexBind) || slices.ContainsFunc(row, func(x *ir.Node) bool { return x.Free().Meets(f.IndexBind) }) {
			return true
		}
		return slices.ContainsFunc(s.k.Axes, func(axis *ir.Node) bool {
			return !slices.ContainsFunc(row, func(x *ir.Node) bool { return s.vary(x).Meets(axis.Bind()) })
		})
	})
}

// alike tells the folds that are the same along an axis.
func (s *survey) alike(axis *ir.Node) func(*ir.Fold) bool {
	return func(f *ir.Fold) bool { return !s.vary(f.Node).Meets(axis.Bind()) }
}

// shares is how many points of the inner loops have a fold in common, at least so many.
func (s *survey) shares(f *ir.Fold, order []int, least int) int {
	shared := 1
	for _, inner := range slices.Backward(order) {
		if s.vary(f.Node).Meets(s.k.Axes[inner].Bind()) {
			break
		}
		shared *= s.k.Axes[inner].Extent
	}
	return max(shared, least)
}

// turnsToo estimates what a point gains on lanes along an axis where folds that are the same for all of these have their turns on lanes.
func (s *survey) turnsToo(order []int, a int) (gain float64) {
	alike := s.alike(s.k.Axes[a])
	for _, f := range s.folds {
		if !s.splits(f) || !alike(f) {
			continue
		}
		shared := s.t.Lanes
		if !s.plenty {
			shared = s.shares(f, order, min(shared, s.k.Axes[a].Extent))
		}
		saved := -s.joins(f)
		for _, n := range s.in[f] {
			saved += (s.weight(n) - s.onTurns(n, f)) * s.times(n)
		}
		gain += saved / float64(shared)
	}
	return gain
}

// repeating is a short axis, other than the lanes', along which loads repeat: vectors in flight over all of it share them. -1
// if there is none.
func (s *survey) repeating(lanes int) int {
	best, most := -1, 0
	for u, axis := range s.k.Axes {
		if u == lanes || axis.Extent < 2 || axis.Extent > 8 {
			continue
		}
		same := 0
		for _, n := range s.nodes {
			if v := s.vary(n); n.Kind == ir.KLoad && v.Meets(s.k.Axes[lanes].Bind()) && !v.Meets(axis.Bind()) {
				same++
			}
		}
		if same > most {
			best, most = u, same
		}
	}
	return best
}

// flightAxis is where vectors in flight go when lanes run along an axis: where they share most work in the fold, another
// axis than the lanes' if in doubt, but the lanes' own, on which they lie beside each other, if they share none and memory is read.
func (s *survey) flightAxis(f *ir.Fold, lanes int) int {
	best, most := lanes, s.shared(f, s.k.Axes[lanes])
	reads := slices.ContainsFunc(s.in[f], func(n *ir.Node) bool { return n.Kind == ir.KLoad })
	for a, axis := range s.k.Axes {
		if w := s.shared(f, axis); a != lanes && axis.Extent > 1 && w >= most && (w > 0 || !reads) {
			best, most = a, w
		}
	}
	return best
}
