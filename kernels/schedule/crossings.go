package schedule

import (
	"weft/kernels/ir"
)

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
	if n.Kind != ir.KLoad || n.Guarded || Registers(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return false
	}
	l := ir.Flatten(n.Buf, n.Index())
	across := l.Along(s.k.Axes[a])
	return across != 0 && across != 1 && l.Along(s.k.Axes[u]) == 1
}

// RowOf is how many elements a lane stores at once where vectors in flight lie side by side in memory.
const RowOf = 4

// rows is an axis for vectors in flight along which stores across axis a run, -1 if there is none.
func (s *survey) rows(a int) int {
	for u, axis := range s.k.Axes {
		if u == a || axis.Extent < RowOf {
			continue
		}
		for _, st := range s.k.Stores {
			if s.inRows(st, a, u) {
				return u
			}
		}
	}
	return -1
}

// inPairs reports a store that lanes along an axis make one of two vectors, together with the one beside it.
func (s *survey) inPairs(st ir.Store, axis *ir.Node) bool {
	if st.In != nil || st.Guard != nil || st.Buf.Type != ir.F32 || len(st.Index) < 2 {
		return false
	}
	_, last, beside := place(st.Buf, st.Index)
	return beside == 2 && stride(st.Buf, st.Index, axis) == 2 && (!s.plenty || last.Free().Meets(axis.Bind()))
}

// inRows reports a store that lanes along axis a and vectors in flight along u make one of rows.
func (s *survey) inRows(st ir.Store, a, u int) bool {
	if st.In != nil || st.Guard != nil || st.Buf.Type != ir.F32 {
		return false
	}
	l := ir.Flatten(st.Buf, st.Index)
	across := l.Along(s.k.Axes[a])
	return across != 0 && across != 1 && l.Along(s.k.Axes[u]) == 1
}
