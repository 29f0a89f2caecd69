package render

import (
	"weft/kernels/ir"
)

// layout says what the lanes of a value are.
type layout uint8

const (
	patch  layout = iota // the points of the lane patch
	origin               // no lanes: the value at lane 0 of the patch, for addresses
	iter                 // consecutive iterations of renderer.iter
)

// laned reports a value that differs over the lanes of the patch. (Package ir does not know that own operations take that away.)
func (r *renderer) laned(n *ir.Node) bool {
	if x, ok := r.lanedMemo[n]; ok {
		return x
	}
	x := false
	switch {
	case n.Op >= ir.OwnOp:
	case n.Kind == ir.KAlu || n.Kind == ir.KLoad:
		for _, a := range n.Args {
			x = x || r.laned(a)
		}
	default:
		x = r.vary.Of(n).Meets(r.lanes)
	}
	r.lanedMemo[n] = x
	return x
}

// simplest is the layout among those that give the same value as m that most uses share.
func (r *renderer) simplest(n *ir.Node, m layout) layout {
	if m == origin && !r.laned(n) || m == iter && !n.Free().Meets(r.iter.IndexBind) {
		return patch
	}
	return m
}

// isVec reports whether n in layout m is a vector.
func (r *renderer) isVec(n *ir.Node, m layout) bool {
	switch r.simplest(n, m) {
	case patch:
		return r.laned(n)
	case iter:
		return true
	}
	return false
}

// canon drops from the number of a vector in flight what a value with this variation does not depend on.
func (r *renderer) canon(vary ir.Set, v int) int {
	if r.s.Flat > 0 && vary.Meets(r.lanes) {
		return v
	}
	out, weight := 0, 1
	for q := len(r.s.Unroll) - 1; q >= 0; q-- {
		u := r.s.Unroll[q]
		if vary.Meets(r.axis(u.Axis).Bind()) {
			out += v % u.N * weight
		}
		v /= u.N
		weight *= u.N
	}
	return out
}

// copies lists the distinct vectors in flight of a value with this variation.
func (r *renderer) copies(vary ir.Set) []int {
	var out []int
	for v := range r.V {
		if r.canon(vary, v) == v {
			out = append(out, v)
		}
	}
	return out
}

func (r *renderer) axis(a int) *ir.Node { return r.k.Axes[a] }

// laneCount is the extent of the patch along an axis.
func (r *renderer) laneCount(axis *ir.Node) int {
	for _, l := range r.s.Lanes {
		if r.axis(l.Axis) == axis {
			return l.N
		}
	}
	return 1
}

// offset is how far vector v lies from the first along an axis, in points.
func (r *renderer) offset(axis *ir.Node, v int) int {
	for q := len(r.s.Unroll) - 1; q >= 0; q-- {
		u := r.s.Unroll[q]
		if r.axis(u.Axis) == axis {
			return v % u.N * r.laneCount(axis)
		}
		v /= u.N
	}
	return 0
}

// laneCoord is the coordinate of lane l of the patch along an axis.
func (r *renderer) laneCoord(axis *ir.Node, l int) int {
	for q := len(r.s.Lanes) - 1; q >= 0; q-- {
		p := r.s.Lanes[q]
		if r.axis(p.Axis) == axis {
			return l % p.N
		}
		l /= p.N
	}
	return 0
}

// step is how many points of an axis one iteration of its tile loop covers.
func (r *renderer) step(a int) int {
	n := r.laneCount(r.axis(a))
	for _, u := range r.s.Unroll {
		if u.Axis == a {
			n *= u.N
		}
	}
	return n
}
