package ir

// Side says which end of a range is wanted.
type Side uint8

const (
	Lo Side = iota
	Hi
)

// Other is the opposite side.
func (s Side) Other() Side { return 1 - s }

// Bounder rewrites values into bounds of them: Bound(n, Lo) is a node that is nowhere above n while the binders in Over run
// (over the lanes of a lane tile, a tile, a block of iterations), and that does not vary over them; Bound(n, Hi) nowhere below.
// Leaf starts the rewriting, monotone rules carry it on, and what no rule knows has no bound (nil).
//
// The rewritten arithmetic rounds each operation by itself, so bounds of what rounds so are exact; leave a margin for contracted kernels.
// Integer indices are taken not to wrap. Points where n is NaN do not count. Points where an operand of n is NaN and n is
// not (Min, Max and Select drop NaN) count only if NaNs is set, which costs bounds.
// A Bounder is for one goroutine.
type Bounder struct {
	B    *Builder
	Over Set
	NaNs bool
	// Tight is set where a bound serves only near the values: what they are held between is none.
	Tight bool

	// Leaf gives a bound of a value directly, or nil to go by the rules; it is asked first, for every value that varies
	// over Over. Leaves must not be NaN.
	Leaf func(n *Node, s Side) *Node

	// Table chooses the table for the upper bound of a load with Facts.Max: -1 or no function, only its Top.
	Table func(p *MaxPyramid) int

	// Extent is how many values of an axis or fold index are met while the binders in Over run; nil, or 0: any number.
	Extent func(n *Node) int

	// Axis narrows the ranges of axes by which signs are told; may be nil.
	Axis AxisRange

	vary   *Vary
	memo   map[boundKey]*Node
	ranges *ranger
}

type boundKey struct {
	n *Node
	s Side
}

// Bound is a bound of n, nil if none is known.
func (q *Bounder) Bound(n *Node, s Side) *Node {
	if q.memo == nil {
		q.memo = map[boundKey]*Node{}
		q.vary = NewVary()
		q.ranges = &ranger{axis: q.Axis}
	}
	k := boundKey{n, s}
	if m, ok := q.memo[k]; ok {
		return m
	}
	m := q.compute(n, s)
	q.memo[k] = m
	return m
}

func (q *Bounder) compute(n *Node, s Side) *Node {
	if !q.Varies(n) {
		return n
	}
	if q.Leaf != nil {
		if m := q.Leaf(n, s); m != nil {
			return m
		}
	}
	switch n.Kind {
	case KLoad:
		return q.load(n, s)
	case KAlu:
		return n.Op.Info().Bound(q, n, s)
	}
	return nil
}

// Varies reports whether n varies over the binders in Over.
func (q *Bounder) Varies(n *Node) bool {
	if q.vary == nil {
		q.vary = NewVary()
	}
	return q.vary.Of(n).Meets(q.Over)
}

// both are the two bounds of n; ok is false if one is missing.
func (q *Bounder) both(n *Node) (lo, hi *Node, ok bool) {
	lo, hi = q.Bound(n, Lo), q.Bound(n, Hi)
	return lo, hi, lo != nil && hi != nil
}

// outer is the outermost of values on side s: the least for Lo.
func (q *Bounder) outer(s Side, v ...*Node) *Node {
	op := Min
	if s == Hi {
		op = Max
	}
	out := v[0]
	for _, m := range v[1:] {
		if m != out {
			out = q.B.Alu(op, out, m)
		}
	}
	return out
}

// inRange makes i an index of an axis of n elements, without a test where the range of i shows that it is one.
func (q *Bounder) inRange(i *Node, n int) *Node {
	r := q.ranges.of(i)
	if r.lo < 0 {
		i = q.B.Max(i, q.B.Int(i.Type, 0))
	}
	if r.hi > float64(n-1) {
		i = q.B.Min(i, q.B.Int(i.Type, int64(n-1)))
	}
	return i
}

// load bounds an element by the facts of its buffer. Every element that is read has its index in range, so indices may be
// clamped; a guarded load may be its other value as well.
func (q *Bounder) load(n *Node, s Side) *Node {
	rank := len(n.Buf.Shape)
	if n.Buf.Len() == 0 {
		return nil
	}
	if rank == 0 {
		return q.orOther(q.B.Load(n.Buf), n, s)
	}
	m := q.monoLoad(n, s, rank)
	if m == nil && s == Hi && n.Buf.Facts.Max != nil {
		m = q.maxLoad(n, rank)
	}
	return q.orOther(m, n, s)
}

// orOther widens the bound m of a load's elements to its other value.
func (q *Bounder) orOther(m, n *Node, s Side) *Node {
	_, other := n.Guard()
	if m == nil || other == nil {
		return m
	}
	if o := q.Bound(other, s); o != nil {
		return q.outer(s, m, o)
	}
	return nil
}

// fixed are the leading count indices of a load, clamped; ok is false if one of them varies.
func (q *Bounder) fixed(n *Node, count int) (index []*Node, ok bool) {
	for d, i := range n.Index()[:count] {
		if q.Varies(i) {
			return nil, false
		}
		index = append(index, q.inRange(i, n.Buf.Shape[d]))
	}
	return index, true
}

// monoLoad reads the ends of the row that a monotone row's values lie between; any row will do if the index is fixed.
func (q *Bounder) monoLoad(n *Node, s Side, rank int) *Node {
	mono := n.Buf.Facts.Mono
	index, ok := q.fixed(n, rank-1)
	last := n.Index()[rank-1]
	if !ok || mono == 0 && q.Varies(last) {
		return nil
	}
	at := func(end Side) *Node {
		i := q.Bound(last, end)
		if i == nil {
			return nil
		}
		return q.B.Load(n.Buf, append(index[:rank-1:rank-1], q.inRange(i, n.Buf.Shape[rank-1]))...)
	}
	switch {
	case mono < 0:
		return at(s.Other())
	case mono != MonoEither:
		return at(s)
	}
	x, y := at(Lo), at(Hi)
	if x == nil || y == nil {
		return nil
	}
	return q.outer(s, x, y)
}

// maxLoad reads the chosen table where the window of rows and columns that n can read lies within one entry, the top of the
// pyramid otherwise.
func (q *Bounder) maxLoad(n *Node, rank int) *Node {
	p := n.Buf.Facts.Max
	top := q.B.Load(p.Top)
	level := -1
	if q.Table != nil {
		level = q.Table(p)
	}
	index, ok := q.fixed(n, max(rank-2, 0))
	if level < 0 || rank < 2 || !ok {
		return top
	}
	t := p.Tables[level]
	fits := q.B.True()
	for d, extent := range [2]int{t.Rows, t.Cols} {
		axis := rank - 2 + d
		lo := q.Bound(n.Index()[axis], Lo)
		if lo == nil {
			return top
		}
		lo = q.inRange(lo, n.Buf.Shape[axis])
		shift := q.B.Int(lo.Type, int64(t.Shift))
		cell := q.B.Alu(Shr, lo, shift)
		index = append(index, cell)
		if s, ok := q.width(n.Index()[axis]); ok && s <= float64(extent-1<<t.Shift) {
			continue // wherever in its cell it begins
		}
		hi := q.Bound(n.Index()[axis], Hi)
		if hi == nil {
			return top
		}
		hi = q.inRange(hi, n.Buf.Shape[axis])
		end := q.B.Add(q.B.Alu(Shl, cell, shift), q.B.Int(lo.Type, int64(extent)))
		fits = q.B.And(fits, q.B.Lt(hi, end))
	}
	return q.B.Select(fits, q.B.Load(t.Buf, index...), top)
}
