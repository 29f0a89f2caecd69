package graph

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
	"weft/ops"
)

// Joined reports a stage that is computed in the kernel of its reader, whatever is weighed, so that products may be rounded with sums there: one
// reader takes each element once, where it needs the element itself. It follows from the program, not from how much there is of anything.
func (g *Graph) Joined(s *ops.Stage) bool {
	if g.joined == nil {
		g.joined = map[*ops.Stage]bool{}
	}
	known, ok := g.joined[s]
	if !ok {
		known = g.joins(s)
		g.joined[s] = known
	}
	return known
}

func (g *Graph) joins(s *ops.Stage) bool {
	if len(g.Users[s]) != 1 || g.Wanted[s] || g.Lends[s] || Given(s) || s.Put != nil {
		return false
	}
	c := g.Users[s][0]
	a := g.Alone(c)
	if a.Sites[s] != 1 || g.Alone(s).Uneven && a.Elsewhere[s] || a.Scattered[s] || a.Folds && g.Alone(s).Folds || a.Loads[s] > float64(s.Type.Len())*(1+1e-9) {
		return false
	}
	return !slices.ContainsFunc(c.Type.Dims, func(d ops.Dim) bool {
		return !slices.ContainsFunc(s.Type.Dims, func(in ops.Dim) bool { return in.Name == d.Name })
	})
}

// rounded is an element as those find it that compute it in place. Products that some load, or may load, are rounded by themselves for all: results do not
// depend on what is stored.
func (g *Graph) rounded(b *ir.Builder, s *ops.Stage, e ops.Elem) ops.Elem {
	re, im := contraction.Apart(b, e.Re), contraction.Apart(b, e.Im)
	if re == e.Re && im == e.Im || g.Joined(s) {
		return e
	}
	return ops.Elem{Re: re, Im: im}
}
