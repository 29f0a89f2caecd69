package render

import (
	"fmt"
	"math/bits"

	"weft/kernels/ir"
)

// transposed reports a load that runs along memory from one vector in flight to the next, as many as there are lanes, and
// across it from lane to lane: rows loaded whole and transposed in registers serve all of them. It gives the stride from
// lane to lane.
func (r *renderer) transposed(n *ir.Node, l linear, pattern []int64) (stride int64, ok bool) {
	if len(r.s.Unroll) != 1 || r.V != r.W || parts(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return 0, false
	}
	flight := r.axis(r.s.Unroll[0].Axis)
	if r.laneCount(flight) != 1 || stepsOf(l, flight) != 1 {
		return 0, false
	}
	stride = pattern[1]
	for i, x := range pattern {
		if x != int64(i)*stride {
			return 0, false
		}
	}
	return stride, stride != 0
}

// stepsOf is by how much an index grows along an axis; 0 if not by the same everywhere.
func stepsOf(l linear, axis *ir.Node) int64 {
	by := int64(0)
	for _, t := range l.terms {
		switch {
		case t.n == axis:
			by = t.coef
		case t.n.Free().Meets(axis.Bind()):
			return 0
		}
	}
	return by
}

// transposedLoad loads for all vectors in flight: a row of memory for each lane, and then, as often as lanes can be halved,
// vectors that interleave two of them.
func (r *renderer) transposedLoad(n *ir.Node, l linear, stride int64, v int, sc *scope) value {
	r.count("transposed", n)
	key := fmt.Sprintf("transposed %d", n.ID())
	if _, ok := sc.texts[key]; !ok {
		p := r.pointer(n.Buf, l, 0, origin)
		rows := make([]value, r.W)
		for i := range rows {
			rows[i] = r.name(sc, vector(n.Type, fmt.Sprintf("load_%s(%s + %d)", n.Buf.Type, p, int64(i)*stride)))
		}
		for range bits.Len(uint(r.W)) - 1 {
			next := make([]value, 0, r.W)
			for i := range r.W / 2 {
				for _, half := range []string{"low", "high"} {
					next = append(next, r.name(sc, vector(n.Type, fmt.Sprintf("zip_%s_%s(%s, %s)", half, ctypes[n.Type].sfx, rows[i].s[0], rows[i+r.W/2].s[0]))))
				}
			}
			rows = next
		}
		for i, x := range rows {
			sc.texts[fmt.Sprintf("%s, %d", key, i)] = x
		}
		sc.texts[key] = value{}
	}
	return sc.texts[fmt.Sprintf("%s, %d", key, v)]
}

// crossings are the axes for vectors in flight, as many as lanes, that make loads across axis a into transposed ones.
func (s *survey) crossings(a int) (axes []int) {
	w := s.t.Lanes
	for u, axis := range s.k.Axes {
		if u == a || axis.Extent < w || s.k.Axes[a].Extent < w {
			continue
		}
		for _, n := range s.nodes {
			if s.crosses(n, a, u) {
				axes = append(axes, u)
				break
			}
		}
	}
	return axes
}

// crosses reports a load that lanes along axis a and vectors in flight along u make a transposed one.
func (s *survey) crosses(n *ir.Node, a, u int) bool {
	if n.Kind != ir.KLoad || n.Guarded || parts(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return false
	}
	l := flatten(n.Buf, n.Index())
	across := stepsOf(l, s.k.Axes[a])
	return across != 0 && across != 1 && stepsOf(l, s.k.Axes[u]) == 1
}
