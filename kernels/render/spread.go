package render

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// spread is how far apart loads lie in a block of iterations at some place of the kernel's domain: for each axis, by how
// many elements neighbours differ at most. A patch spans the sum over its axes.
type spread []float64

// over is how many elements a patch spans.
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
				if s.vary.Of(p).Meets(axis.Bind()) {
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
	m := newModel()
	draw := func(dim, n int) float64 { // points that fill a cube evenly
		_, x := math.Modf(0.5 + float64(i+1)*math.Pow(1.1673039782614187, -float64(dim+1)))
		return math.Floor(x * float64(n))
	}
	reach := make([]float64, len(s.k.Axes))
	for a, axis := range s.k.Axes {
		reach[a] = float64(min(axis.Extent-1, 4))
		m.set(axis, draw(a, axis.Extent-int(reach[a])))
	}
	for q, g := range s.folds {
		if g != f {
			m.set(g.Index, draw(len(s.k.Axes)+q, int(trips(g))))
		}
	}
	n := int(trips(f))
	first := draw(len(s.k.Axes)+len(s.folds), max(1, n-blockEach+1))
	out := make(spread, len(s.k.Axes))
	for _, at := range []int{0, blockEach / 2, blockEach - 1} {
		m.set(f.Index, first+float64(min(at, n-1)))
		here := make([]float64, len(positions))
		for q, p := range positions {
			here[q] = m.value(p)
		}
		for a, axis := range s.k.Axes {
			if reach[a] == 0 {
				continue
			}
			was := m.at[axis]
			m.set(axis, was+reach[a])
			for q, p := range positions {
				out[a] = max(out[a], math.Abs(m.value(p)-here[q])/reach[a])
			}
			m.set(axis, was)
			if math.IsNaN(out[a]) {
				return nil
			}
		}
	}
	return out
}

// positions are the innermost indices of scattered loads inside f, as the floats they are rounded from.
func (s *survey) positions(f *ir.Fold) (at []*ir.Node, loads int) {
	for _, n := range s.nodes {
		if f == nil || n.Kind != ir.KLoad || len(n.Buf.Shape) == 0 || s.deepest(n) != f || !windowed(n.Buf.Type) {
			continue
		}
		var inner linear
		inner.add(n.Index()[len(n.Index())-1], 1)
		scattered := false
		for _, t := range inner.terms {
			if t.n.Kind == ir.KAlu && t.n.Op == ir.Cast && t.n.Args[0].Type.Float() && t.coef == 1 {
				scattered = true
				if p := t.n.Args[0]; !slices.Contains(at, p) {
					at = append(at, p)
				}
			}
		}
		if scattered {
			loads++
		}
	}
	return at, loads
}

// scattered reports loads inside f whose innermost index is a rounded value that differs along axes: the place for a
// window. It returns those axes.
func (s *survey) scattered(f *ir.Fold) (axes []int) {
	at, _ := s.positions(f)
	for a, axis := range s.k.Axes {
		if slices.ContainsFunc(at, func(p *ir.Node) bool { return s.vary.Of(p).Meets(axis.Bind()) }) {
			axes = append(axes, a)
		}
	}
	return axes
}
