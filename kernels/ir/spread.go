package ir

import "math"

// spread bounds how far apart the values are that an integer takes while the binders in Over run: known now, unlike its
// bounds. ok is false if nothing is known.
func (q *Bounder) spread(n *Node) (width float64, ok bool) {
	if !q.Varies(n) {
		return 0, true
	}
	switch n.Kind {
	case KAxis:
		if q.Extent == nil || q.Extent(n) == 0 {
			return 0, false
		}
		return float64(q.Extent(n) - 1), true
	case KLoad:
		return q.loadSpread(n)
	case KAlu:
		return q.aluSpread(n)
	}
	return 0, false
}

// loadSpread: along a row, elements differ by the slope from neighbour to neighbour.
func (q *Bounder) loadSpread(n *Node) (float64, bool) {
	index, d := n.Index(), n.Buf.Facts.Data
	if d == nil || n.Guarded || len(index) == 0 {
		return 0, false
	}
	all := d.Most - d.Least
	for _, i := range index[:len(index)-1] {
		if q.Varies(i) {
			return all, true
		}
	}
	if s, ok := q.spread(index[len(index)-1]); ok {
		return min(s*d.Slope, all), true
	}
	return all, true
}

func (q *Bounder) aluSpread(n *Node) (float64, bool) {
	a, ok := q.spread(n.Args[0])
	if !ok || !n.Type.Int() {
		return 0, false
	}
	switch n.Op {
	case Neg:
		return a, true
	case Cast:
		return a, n.Args[0].Type.Int()
	case Add, Sub:
		b, ok := q.spread(n.Args[1])
		return a + b, ok
	case Mul:
		if f := n.Args[1]; f.Kind == KConst {
			return a * math.Abs(float64(f.I)), true
		}
	}
	return 0, false
}
