package ir

import "math"

// Widths bounds how far apart the values of an integer are over some of the loops that it varies over: known beforehand, unlike the
// values themselves.
type Widths struct {
	Varies func(n *Node) bool
	// Leaf gives the width of what varies and is no operation; ok is false where that is not known.
	Leaf func(n *Node) (width float64, ok bool)
}

// Of is the width of n; ok is false if nothing is known. Arithmetic is taken not to wrap.
func (w Widths) Of(n *Node) (width float64, ok bool) {
	switch {
	case !w.Varies(n):
		return 0, true
	case n.Kind != KAlu:
		return w.Leaf(n)
	case !n.Type.Int():
		return 0, false
	}
	var each [3]float64
	for i, a := range n.Args {
		if !a.Type.Int() {
			return 0, false
		}
		if each[i], ok = w.Of(a); !ok {
			return 0, false
		}
	}
	return n.Op.Info().Width(n, each)
}

func anyWidth(*Node, [3]float64) (float64, bool) { return 0, false }

func firstWidth(_ *Node, w [3]float64) (float64, bool) { return w[0], true }

func sumWidth(_ *Node, w [3]float64) (float64, bool) { return w[0] + w[1], true }

func eitherWidth(_ *Node, w [3]float64) (float64, bool) { return max(w[0], w[1]), true }

func mulWidth(n *Node, w [3]float64) (float64, bool) {
	for i, a := range n.Args {
		if a.Kind == KConst {
			return math.Abs(float64(a.I)) * w[1-i], true
		}
	}
	return 0, false
}

func divWidth(n *Node, w [3]float64) (float64, bool) {
	if d := n.Args[1]; d.Kind == KConst && d.I > 0 {
		return math.Floor(w[0]/float64(d.I)) + 1, true
	}
	return 0, false
}

// width is how far apart the values are that an integer takes while the binders in Over run.
func (q *Bounder) width(n *Node) (float64, bool) { return Widths{q.Varies, q.leafWidth}.Of(n) }

func (q *Bounder) leafWidth(n *Node) (float64, bool) {
	switch {
	case n.Kind == KAxis && q.Extent != nil && q.Extent(n) > 0:
		return float64(q.Extent(n) - 1), true
	case n.Kind == KLoad:
		return q.loadWidth(n)
	}
	return 0, false
}

// loadWidth: along a row, elements differ by the slope from neighbour to neighbour.
func (q *Bounder) loadWidth(n *Node) (float64, bool) {
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
	if w, ok := q.width(index[len(index)-1]); ok {
		return min(w*d.Slope, all), true
	}
	return all, true
}
