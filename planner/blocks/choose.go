package blocks

import (
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// stream plans the run in blocks, in each pass the largest that fit the budget, within chunks of files if they may be cut. ok is false where not even
// the smallest do; where larger budgets are tried anyway, no more is looked at then than shows it.
func (f *flow) stream(budget int64, cut, tried bool) (s *Stream, ok bool) {
	s = &Stream{Passes: f.passes(), flow: f, Stream: plan.Stream{Whole: f.plan.Totals.PeakBytes, Strips: f.strips}}
	ok = true
	if f.strips {
		f.narrow()
	}
	for i := range s.Passes {
		p := &s.Passes[i]
		p.tried = tried
		if ok = p.choose(f, budget, cut) && ok; tried && !ok {
			break
		}
		f.hold(p)
	}
	for again := ok && f.strips; again; { // of what passes have in common, one may hold more than others need
		again = false
		for i := range s.Passes {
			p := &s.Passes[i]
			if p.set(f, p.BlockRows, p.Strip); p.Peak > budget && ok {
				ok, again = p.choose(f, budget, cut), true
				f.hold(p)
			}
		}
		again = again && ok
	}
	for i := range s.Passes {
		p := &s.Passes[i]
		s.PeakBytes, s.least = max(s.PeakBytes, p.Peak), max(s.least, p.least)
		s.seconds, s.once = s.seconds+p.seconds, s.once+p.once
	}
	s.describe()
	if ok {
		s.move()
	}
	return s, ok
}

// fewestBlocks lets reading, computing and writing overlap.
const fewestBlocks = 8

// choose finds the largest blocks that fit: of whole rows or, where no such do, of strips. They are as high as code likes that lays out what it reads, if
// any such fit.
func (p *Pass) choose(f *flow, budget int64, cut bool) bool {
	p.edges = f.edges(p)
	if p.BlockRows = max(1, p.Rows/mostBlocks); p.tried && p.over(p.whole(f), budget) {
		return false
	}
	fewest := 1
	if !cut {
		fewest = min(p.edges[0], p.Rows)
	}
	for _, fewest := range slices.Compact([]int{p.liked(fewest), fewest}) {
		if p.most == nil && p.chooseRows(f, budget, nil, fewest) || f.strips && f.cuttable(p) && p.chooseStrip(f, budget, fewest, cut) {
			p.once = f.schedule(p, p.Rows, 0, nil).seconds(f, p)
			return true
		}
	}
	if p.BlockRows, p.Strip = max(1, p.Rows/mostBlocks), nil; p.tried {
		p.Peak = p.least
		return false
	}
	p.set(f, p.BlockRows, nil)
	return false
}

// over reports whether what a pass takes at least is beyond the budget, and notes it then.
func (p *Pass) over(bytes, budget int64) bool {
	if bytes <= budget {
		return false
	}
	if p.Peak = bytes; p.least == 0 || bytes < p.least {
		p.least = bytes
	}
	return true
}

// some are the bytes that a pass takes in a few of its blocks, begun in the middle: no more than in all of them, nor in larger ones.
func (p *Pass) some(f *flow, rows int, strip []int) (most int64) {
	const few = 4
	p.Strip = strip
	strips := p.Strips()
	at := p.Rows / rows / 2 * rows
	return f.part(p, rows, at, min(at+few*rows, p.Rows), strips[len(strips)/2]).peak(f, p)
}

// liked is how many rows blocks should have at least, if at least so many: of fewer than code computes at a time, it takes as long, or longer.
func (p *Pass) liked(fewest int) int {
	n := fewest
	for _, u := range p.units {
		if u.step.Kernel == nil || len(u.step.Kernel.IR.Axes) == 0 || u.step.Kernel.IR.Axes[0].Extent != p.Rows {
			continue
		}
		if step, packed := u.step.Kernel.Block(); packed {
			n = max(n, (step[0]+fewest-1)/fewest*fewest)
		}
	}
	return min(n, p.Rows)
}

// worth is how much less than the widest strips that fit, others must take to be chosen.
const worth = 0.95

// chooseStrip finds strips that fit with at least so many rows a block: about as wide as can be, and of such those that take least time.
func (p *Pass) chooseStrip(f *flow, budget int64, fewest int, cut bool) bool {
	wider, strip := p.most, p.most
	if p.most == nil {
		wider = p.tallest.Layout.Shape()[1:]
		strip = p.narrower(f, wider)
	}
	for ; strip != nil && (cut || p.unbroken(strip)) && !p.chooseRows(f, budget, strip, fewest); strip = p.narrower(f, strip) {
		wider = strip
	}
	if strip == nil || !cut && !p.unbroken(strip) {
		return false
	}
	best, rows, least := strip, p.BlockRows, worth*p.seconds
	for _, other := range p.others(f, strip, wider) {
		if (cut || p.unbroken(other)) && p.chooseRows(f, budget, other, fewest) && p.seconds < least {
			best, rows, least = other, p.BlockRows, p.seconds
		}
	}
	p.set(f, rows, best)
	return true
}

// others are strips somewhat wider than one, up to one that is too wide, and narrower.
func (p *Pass) others(f *flow, strip, wider []int) (out [][]int) {
	const parts = 4
	for i := range strip {
		for q := 1; q < parts && strip[i] < wider[i]; q++ {
			edge := p.edge(i+1, wider[i])
			other := slices.Clone(strip)
			other[i] += ((wider[i]-strip[i])*q/parts + edge - 1) / edge * edge
			if other[i] < wider[i] {
				out = append(out, other)
			}
		}
	}
	for range 2 {
		if strip = p.narrower(f, strip); strip == nil {
			break
		}
		out = append(out, strip)
	}
	return out
}

// unbroken reports whether no part of a strip ends within a chunk.
func (p *Pass) unbroken(strip []int) bool {
	for i, extent := range strip {
		if extent < p.tallest.Layout.Dims[i+1].Size && extent%p.edges[i+1] != 0 {
			return false
		}
	}
	return true
}

// chooseRows finds how many rows blocks of a strip may have, and at least so many.
func (p *Pass) chooseRows(f *flow, budget int64, strip []int, fewest int) bool {
	if p.columnwise(f) {
		p.set(f, p.Rows, strip)
		return p.Peak <= budget
	}
	smallest := max(1, (p.Rows/mostBlocks+fewest-1)/fewest) * fewest
	if p.tried && p.over(p.some(f, smallest, strip), budget) {
		return false
	}
	rows := max(smallest, p.even(max((p.Rows+fewestBlocks-1)/fewestBlocks, p.edge(0, p.Rows))))
	for p.set(f, rows, strip); p.Peak > budget && rows > smallest; p.set(f, rows, strip) {
		rows = max(smallest, p.even(rows/2))
	}
	if p.Peak > budget {
		return false
	}
	good, bad := rows, min(2*rows, p.Rows/fewestBlocks+1)
	for range 3 {
		mid := p.even((good + bad) / 2)
		if mid <= good {
			break
		}
		if p.set(f, mid, strip); p.Peak <= budget {
			good = mid
		} else {
			bad = mid
		}
	}
	p.set(f, good, strip)
	return true
}

// edges are what the extents of blocks should be multiples of along the dims of the tallest array, by the chunks of what the pass reads and
// writes: no block then ends within a chunk, which would be read or written by two. 1: anything.
func (f *flow) edges(p *Pass) []int {
	shape := []int{p.Rows}
	if p.tallest != nil && len(p.tallest.Layout.Dims) > 0 {
		shape = append(shape, p.tallest.Layout.Shape()[1:]...)
	}
	out := slices.Repeat([]int{1}, len(shape))
	for _, u := range p.units {
		if u.step.Kernel != nil {
			continue
		}
		s, ok := u.step.Op.Bound.(ops.Streamer)
		for _, b := range slices.Concat(u.reads, u.makes) {
			if !ok || f.kept[b] != "" {
				continue
			}
			chunk := s.Chunk()
			if len(chunk) != len(b.Layout.Dims) {
				continue
			}
			for d, n := range chunk {
				if d > 0 && len(chunk) != len(shape) || b.Layout.Dims[d].Size != shape[d] {
					continue
				}
				if n = max(n, 1); lcm(out[d], n) < shape[d] {
					n = lcm(out[d], n)
				}
				out[d] = max(out[d], n)
			}
		}
	}
	return out
}

func lcm(a, b int) int {
	g := a
	for r := b; r > 0; g, r = r, g%r {
	}
	return a / g * b
}

// stripEdge is what the extents of strips along the innermost dim are multiples of where files do not say: vectors begin there.
const stripEdge = 256

// edge is what blocks of less than an extent along a dim should be multiples of.
func (p *Pass) edge(dim, extent int) int {
	switch e := p.edges[dim]; {
	case e > 1 && e < extent:
		return e
	case dim > 0 && dim == len(p.edges)-1:
		return stripEdge
	}
	return 1
}

// narrower halves the longest extent of a strip or, where it is of whole columns, the outermost that is not short; nil where all are.
func (p *Pass) narrower(f *flow, strip []int) []int {
	best, n := -1, 0
	for i, extent := range strip {
		edge := p.edge(i+1, extent)
		if extent > edge && (best < 0 || extent > strip[best] && !p.columnwise(f)) {
			best, n = i, (extent/2+edge-1)/edge*edge
		}
	}
	if best < 0 {
		return nil
	}
	strip = slices.Clone(strip)
	strip[best] = n
	return strip
}

// cuttable reports whether all that a pass is there for has strips that go with each other, and that kernels compute point by
// point or column by column.
func (f *flow) cuttable(p *Pass) bool {
	dims := len(p.tallest.Layout.Dims)
	return dims > 1 && !slices.ContainsFunc(p.targets, func(b *bound.Buffer) bool { return len(b.Layout.Dims) != dims || f.kept[b] != "" }) &&
		!slices.ContainsFunc(p.units, func(u *unit) bool {
			return u.step.Kind == plan.KernelStep && !u.step.Kernel.IR.Pointwise() && !u.step.Kernel.IR.Columnwise() ||
				u.step.Kind == plan.SinkStep && slices.ContainsFunc(u.reads, func(b *bound.Buffer) bool { return !slices.Equal(b.Layout.Shape(), u.reads[0].Layout.Shape()) })
		})
}

// columnwise reports whether a pass makes whole columns: each of its strips is one block.
func (p *Pass) columnwise(f *flow) bool {
	return slices.ContainsFunc(p.units, func(u *unit) bool {
		return u.step.Kind == plan.KernelStep && f.carry[u] == nil && u.step.Kernel.IR.Columnwise()
	})
}

// Strips are the parts of the tallest array, along all dims but the first, that a pass runs through one after the other; a single nil
// is all of it.
func (p *Pass) Strips() []region.Region {
	out := []region.Region{nil}
	for i, extent := range p.Strip {
		var next []region.Region
		for _, s := range out {
			for lo, n := 0, p.tallest.Layout.Dims[i+1].Size; lo < n; lo += extent {
				next = append(next, append(slices.Clone(s), region.Interval{Lo: lo, Hi: min(lo+extent, n)}))
			}
		}
		out = next
	}
	return out
}

// set lays the pass out in blocks of so many rows, and as wide as strip says; nil: of whole rows.
func (p *Pass) set(f *flow, rows int, strip []int) {
	p.BlockRows, p.Strip, p.Peak, p.seconds = rows, strip, 0, 0
	strips := p.Strips()
	last := 0.0
	for i, at := range strips {
		if i > 1 && i < len(strips)-1 && i != len(strips)/2 { // as its neighbours
			p.seconds += last
			continue
		}
		sched := f.schedule(p, rows, 0, at)
		last = sched.seconds(f, p)
		p.seconds += last
		n := len(sched.clock)
		p.Blocks, p.Peak = n*len(strips), max(p.Peak, sched.peak(f, p))
		if n > 1 { // a run that is resumed in the middle starts with more rows
			p.Peak = max(p.Peak, f.schedule(p, rows, sched.clock[n/2].Lo, at).peak(f, p))
		}
	}
	if p.least == 0 || p.Peak < p.least {
		p.least = p.Peak
	}
}

// mostBlocks bounds the overhead of blocks: there are not more of them.
const mostBlocks = 256

// even rounds rows down to what kernels and files like.
func (p *Pass) even(rows int) int {
	const patch = 16
	if edge := p.edge(0, rows+1); edge > 1 {
		return rows / edge * edge
	}
	if rows > 4*patch {
		return rows / patch * patch
	}
	return rows
}
