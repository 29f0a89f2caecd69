package schedule

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule/model"
)

// spread is how far apart loads lie in a block of iterations at some place of the kernel's domain: for each axis, by how
// many elements neighbours differ at most. A lane tile spans the sum over its axes.
type spread []float64

// over is how many elements a lane tile spans.
func (s spread) over(lanes []AxisN) float64 {
	sum := 0.0
	for _, l := range lanes {
		sum += s[l.Axis] * float64(l.N-1)
	}
	return sum
}

const (
	places    = 32 // of the domain at which spreads are estimated
	blockEach = 32 // iterations of a block
)

// spreads estimates them at many places, for loads of fold f at the positions given. Where nothing is known of the data,
// neighbours along any of the axes that the positions differ over are taken to be one element apart.
func (s *survey) spreads(f *ir.Fold, positions []*ir.Node) []spread {
	out := make([]spread, places)
	for i := range out {
		out[i] = s.spread(f, positions, i)
		if out[i] != nil {
			continue
		}
		even := make(spread, len(s.k.Axes))
		for a, axis := range s.k.Axes {
			for _, p := range positions {
				if s.vary(p).Meets(axis.Bind()) {
					even[a] = 1
				}
			}
		}
		return []spread{even}
	}
	return out
}

// spread is the i-th estimate; nil if it depends on unknown data.
func (s *survey) spread(f *ir.Fold, positions []*ir.Node, i int) spread {
	m := model.New()
	draw := func(dim, n int) float64 { // points that fill a cube evenly
		_, x := math.Modf(0.5 + float64(i+1)*math.Pow(1.1673039782614187, -float64(dim+1)))
		return math.Floor(x * float64(n))
	}
	reach := make([]float64, len(s.k.Axes))
	for a, axis := range s.k.Axes {
		reach[a] = float64(min(axis.Extent-1, 4))
		m.Set(axis, draw(a, axis.Extent-int(reach[a])))
	}
	for q, g := range s.folds {
		if g != f {
			m.Set(g.Index, draw(len(s.k.Axes)+q, int(s.trips(g))))
		}
	}
	n := int(s.trips(f))
	first := draw(len(s.k.Axes)+len(s.folds), max(1, n-blockEach+1))
	out := make(spread, len(s.k.Axes))
	for _, at := range []int{0, blockEach / 2, blockEach - 1} {
		m.Set(f.Index, first+float64(min(at, n-1)))
		here := make([]float64, len(positions))
		for q, p := range positions {
			here[q] = m.Value(p)
		}
		for a, axis := range s.k.Axes {
			if reach[a] == 0 {
				continue
			}
			was := m.At(axis)
			m.Set(axis, was+reach[a])
			for q, p := range positions {
				out[a] = max(out[a], math.Abs(m.Value(p)-here[q])/reach[a])
			}
			m.Set(axis, was)
			if math.IsNaN(out[a]) {
				return nil
			}
		}
	}
	return out
}

// scatter is what loads inside a fold at rounded places are like.
type scatter struct {
	at       []*ir.Node // the places, as the floats they are rounded from
	all      []*ir.Node
	loads    []*ir.Node // that windows may serve: of neighbours in memory
	together int        // that lie side by side with others, and so are gathered
	beside   int        // how many elements lie side by side
}

// positions finds the scattered loads inside f.
func (s *survey) positions(f *ir.Fold) (out scatter) {
	for _, n := range s.nodes {
		if f == nil || n.Kind != ir.KLoad || len(n.Buf.Shape) == 0 || s.deepest(n) != f || !Windows(n.Buf.Type) {
			continue
		}
		index := n.Index()
		_, inner, beside := place(n.Buf, index)
		if s.beside[n.Buf] {
			inner, beside = index[len(index)-1], n.Buf.Shape[len(index)-2]
		}
		places := rounded(inner)
		for _, p := range places {
			if !slices.Contains(out.at, p) {
				out.at = append(out.at, p)
			}
		}
		if len(places) > 0 {
			out.all = append(out.all, n)
		}
		switch {
		case len(places) == 0:
		case beside == 1:
			out.loads = append(out.loads, n)
		default:
			out.together++
			out.beside = beside
		}
	}
	return out
}

// bounded reports whether places in turns of f have bounds over a lane tile, which the bases of windows are: none where they follow from what is
// loaded for each point in each turn, unless that is the same on all lanes, which move it by something that is the same in all turns.
func (s *survey) bounded(f *ir.Fold, places []*ir.Node, lanes []AxisN) bool {
	q := &ir.Bounder{B: s.builder(), Tight: true, Leaf: func(n *ir.Node, _ ir.Side) *ir.Node {
		if n.Free().Meets(f.Binders()) || n.Type == ir.Bool {
			return nil
		}
		return s.builder().Const(n.Type, 1)
	}}
	for _, a := range s.k.Axes {
		q.Over = q.Over.Or(a.Bind())
	}
	var over ir.Set
	for _, l := range lanes {
		over = over.Or(s.k.Axes[l.Axis].Bind())
	}
	return !slices.ContainsFunc(places, func(p *ir.Node) bool { return q.Bound(p, ir.Lo) == nil && !s.moves(f, p, over) })
}

// moves reports a place in turns of f that lanes along axes move by something that is the same in all turns.
func (s *survey) moves(f *ir.Fold, n *ir.Node, axes ir.Set) bool {
	if !s.vary(n).Meets(axes) || !n.Free().Meets(f.Binders()) {
		return true
	}
	switch n.Op {
	case ir.Add, ir.Sub, ir.Min, ir.Max, ir.Floor, ir.Rint, ir.Cast:
		return n.Kind == ir.KAlu && !slices.ContainsFunc(n.Args, func(x *ir.Node) bool { return !s.moves(f, x, axes) })
	}
	return false
}

// rounded are the floats that an index is rounded from.
func rounded(index *ir.Node) (from []*ir.Node) {
	var l ir.Linear
	l.Add(index, 1)
	for _, t := range l.Terms {
		if t.N.Kind == ir.KAlu && t.N.Op == ir.Cast && t.N.Args[0].Type.Float() && t.Coef == 1 {
			from = append(from, t.N.Args[0])
		}
	}
	return from
}

// scattered reports loads inside f whose innermost index is a rounded value that differs along axes: the place for a
// window. It returns those axes: none where an axis that fills vectors has all these elements side by side, whatever the value.
func (s *survey) scattered(f *ir.Fold) (axes []int) {
	all := s.positions(f)
	for a, axis := range s.k.Axes {
		if axis.Extent >= s.t.Lanes && all.together == 0 && !slices.ContainsFunc(all.loads, func(n *ir.Node) bool { return !sideBySide(n, axis) }) {
			return nil
		}
		if slices.ContainsFunc(all.at, func(p *ir.Node) bool { return s.vary(p).Meets(axis.Bind()) }) {
			axes = append(axes, a)
		}
	}
	return axes
}

// sideBySide reports whether a load's elements lie side by side along an axis, wherever they begin.
func sideBySide(n *ir.Node, axis *ir.Node) bool {
	index := n.Index()
	along, even := ir.Affine(index[len(index)-1], axis)
	return even && along == 1 && stride(n.Buf, index, axis) == 1
}

// Windows reports whether windows serve a storage type.
func Windows(t ir.DType) bool { return t != ir.Bool && (Registers(t.Compute()) == 1 || t == ir.F64) }

// Rounds reports an index that is rounded from floats, but for whole numbers that are added.
func Rounds(index *ir.Node) bool { return len(rounded(index)) > 0 }
