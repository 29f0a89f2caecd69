package graph

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// View is how a planner sees a stage otherwise than its operator defined it: with the last two dims in the other order, with real and
// imaginary part side by side, as numbers along a last dim of two, and of what it then is a box only.
type View struct {
	Transposed  bool
	Interleaved bool
	Box         region.Region // nil: all of it
}

// Views are of the stages that are seen otherwise.
type Views map[*ops.Stage]View

// Type is that of a stage as it is seen.
func (g *Graph) Type(s *ops.Stage) ops.Type {
	if box := g.Views[s].Box; box != nil {
		return g.Whole(s).Sub(box)
	}
	return g.Whole(s)
}

// Whole is the type of a stage of which all is seen.
func (g *Graph) Whole(s *ops.Stage) ops.Type {
	t := s.Type
	if g.Views[s].Transposed {
		t.Dims = transpose(t.Dims)
	}
	if g.Views[s].Interleaved {
		t = t.InPairs()
	}
	return t
}

// Axes are the dims that a kernel which stores the stage has axes for.
func (g *Graph) Axes(s *ops.Stage) []ops.Dim {
	if s.Put != nil {
		return s.Put.Axes
	}
	return g.Points(s)
}

// Points are the dims by which elements of a stage are told apart that are defined by themselves.
func (g *Graph) Points(s *ops.Stage) []ops.Dim {
	dims := g.Type(s).Dims
	if g.Views[s].Interleaved {
		return dims[:len(dims)-1]
	}
	return dims
}

// defined is where a stage is defined that is seen at an index.
func (v View) defined(b *ops.Body, index []*ir.Node) []*ir.Node {
	if v.Box != nil {
		index = moved(b, index, v.Box, b.Add)
	}
	if v.Transposed {
		index = transpose(index)
	}
	return index
}

// seen is where an element is seen, and the guard of its being there. A guard that keeps an index within a dim keeps it within the box,
// since there is none between the two.
func (g *Graph) seen(b *ops.Body, s *ops.Stage, index []*ir.Node, guard *ir.Node) ([]*ir.Node, *ir.Node) {
	v := g.Views[s]
	if v.Transposed {
		index = transpose(index)
	}
	if v.Box == nil {
		return index, guard
	}
	out := moved(b, index, v.Box, b.Sub)
	if guard != nil {
		guard = within(b, guard, g.Whole(s).Dims, v.Box, index, out)
	}
	return out, guard
}

// within rewrites the conjuncts of a guard that keep an index in its dim.
func within(b *ops.Body, guard *ir.Node, dims []ops.Dim, box region.Region, index, seen []*ir.Node) *ir.Node {
	if guard.Kind == ir.KAlu && guard.Op == ir.And {
		return b.And(within(b, guard.Args[0], dims, box, index, seen), within(b, guard.Args[1], dims, box, index, seen))
	}
	for i, at := range box[:len(index)] {
		n := at.Hi - at.Lo
		switch whole := dims[i].Size; {
		case n == whole || index[i].Kind == ir.KConst:
		case ir.IsLower(guard, index[i]):
			return b.Le(b.Int(seen[i].Type, 0), seen[i])
		case ir.IsUpper(guard, index[i], int64(whole)):
			return b.Lt(seen[i], b.Int(seen[i].Type, int64(n)))
		}
	}
	return guard
}

// moved is an index with the starts of a box added or taken away.
func moved(b *ops.Body, index []*ir.Node, box region.Region, op func(x, y *ir.Node) *ir.Node) []*ir.Node {
	out := slices.Clone(index)
	for i, at := range box[:len(index)] { // the parts of an element are all there
		out[i] = op(out[i], b.Int(out[i].Type, int64(at.Lo)))
	}
	return out
}

// transpose is a copy with the last two elements in the other order.
func transpose[T any](list []T) []T {
	out := slices.Clone(list)
	n := len(out)
	out[n-2], out[n-1] = out[n-1], out[n-2]
	return out
}
