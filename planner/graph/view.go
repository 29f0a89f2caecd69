package graph

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// View is how a planner sees a stage otherwise than its operator defined it: with the last two dims in the other order, or another dim innermost, or each block of that, with real
// and imaginary part side by side, as numbers along a last dim of two, and of what it then is a box only, which has a margin.
type View struct {
	Transposed  bool
	Innermost   int // which of its dims, none of those that are transposed, is innermost instead, counted from 1; 0: none
	Block       int // how many elements of that dim are innermost, of which blocks there are where the dim was; 0: all
	Interleaved bool
	Box         region.Region // nil: all of it
	Margin      *Margin       // nil: none
}

// Margin is an element more at either end of a dim, as it lies, which holds what loads give that are guarded there: they need no test then. Of the innermost dim,
// rows have margins of their own.
type Margin struct {
	Dim   int
	Value float64
}

// Views are of the stages that are seen otherwise.
type Views map[*ops.Stage]View

// Type is that of a stage as it is seen.
func (g *Graph) Type(s *ops.Stage) ops.Type {
	t, v := g.within(s), g.Views[s]
	if v.Margin != nil {
		t.Dims = slices.Clone(t.Dims)
		d := &t.Dims[v.Margin.Dim]
		d.Size, d.Coords = d.Size+2, nil
	}
	return t
}

// within is the type of what is seen of a stage without its margin.
func (g *Graph) within(s *ops.Stage) ops.Type {
	if box := g.Views[s].Box; box != nil {
		return g.Whole(s).Sub(box)
	}
	return g.Whole(s)
}

// Whole is the type of a stage of which all is seen.
func (g *Graph) Whole(s *ops.Stage) ops.Type {
	t := s.Type
	t.Dims = lies(g.Views[s], t.Dims, func(d ops.Dim, block int) (around, in ops.Dim) {
		return ops.Dim{Name: d.Name + "_block", Size: d.Size / block}, ops.Dim{Name: d.Name, Size: block}
	})
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

// element is that of a stage that is seen at an index.
func (g *Graph) element(b *ops.Body, s *ops.Stage, index []*ir.Node) ops.Elem {
	v := g.Views[s]
	if v.Margin == nil {
		return s.Elem(b, v.defined(b, index))
	}
	n := int64(g.within(s).Dims[v.Margin.Dim].Size)
	at := slices.Clone(index)
	x := b.Sub(at[v.Margin.Dim], b.Int(at[v.Margin.Dim].Type, 1))
	at[v.Margin.Dim] = limited(b, x, 0, n-1)
	e := s.Elem(b, v.defined(b, at))
	there := b.And(b.Le(b.Int(x.Type, 0), x), b.Lt(x, b.Int(x.Type, n)))
	return ops.Real(b.Select(there, e.Re, b.Const(e.Re.Type, v.Margin.Value)))
}

// limited is a whole number that is held between two others.
func limited(b *ops.Body, x *ir.Node, lo, hi int64) *ir.Node {
	return b.Min(b.Max(x, b.Int(x.Type, lo)), b.Int(x.Type, hi))
}

// defined is where a stage is defined that is seen at an index, of no margin.
func (v View) defined(b *ops.Body, index []*ir.Node) []*ir.Node {
	if v.Box != nil {
		index = moved(b, index, v.Box, b.Add)
	}
	if last := len(index) - 1; v.Innermost > 0 {
		inner, at := index[last], v.Innermost-1
		if index = slices.Clone(index[:last]); v.Block > 0 {
			index[at] = b.Add(b.Mul(index[at], b.Int(inner.Type, int64(v.Block))), inner)
		} else {
			index = slices.Insert(index, at, inner)
		}
	}
	if v.Transposed {
		index = transpose(index)
	}
	return index
}

// lies is a list of what its dims have, in the order in which they lie. What a dim in blocks has is parted.
func lies[T any](v View, list []T, parted func(x T, block int) (around, in T)) []T {
	if v.Transposed {
		list = transpose(list)
	}
	switch at := v.Innermost - 1; {
	case at >= 0 && v.Block > 0:
		around, in := parted(list[at], v.Block)
		list = append(slices.Concat(list[:at], []T{around}, list[at+1:]), in)
	case at >= 0:
		list = append(slices.Concat(list[:at], list[at+1:]), list[at])
	}
	return list
}

// seen is where an element is seen, and the guard of its being there. A guard that keeps an index within a dim keeps it within the box,
// since there is none between the two.
func (g *Graph) seen(b *ops.Body, s *ops.Stage, index []*ir.Node, guard *ir.Node) ([]*ir.Node, *ir.Node) {
	v := g.Views[s]
	index = lies(v, index, func(x *ir.Node, block int) (around, in *ir.Node) {
		n := b.Int(x.Type, int64(block))
		return b.Div(x, n), b.Mod(x, n)
	})
	out := index
	if v.Box != nil {
		out = moved(b, index, v.Box, b.Sub)
		if guard != nil {
			guard = within(b, guard, g.Whole(s).Dims, v.Box, index, out)
		}
	}
	if v.Margin != nil {
		return g.beyond(b, s, out, guard)
	}
	return out, guard
}

// beyond is an index into what has a margin, and what is left of its guard.
func (g *Graph) beyond(b *ops.Body, s *ops.Stage, index []*ir.Node, guard *ir.Node) ([]*ir.Node, *ir.Node) {
	at := g.Views[s].Margin.Dim
	out, x, n := slices.Clone(index), index[at], int64(g.within(s).Dims[at].Size)
	if guard != nil && InDim(guard, x, n) {
		x = b.Add(x, b.Int(x.Type, 1)) // GPUs add and hold a number between 0 and another by one instruction
		out[at] = b.Max(b.Min(x, b.Int(x.Type, n+1)), b.Int(x.Type, 0))
		return out, nil
	}
	out[at] = b.Add(x, b.Int(x.Type, 1))
	return out, guard
}

// InDim reports a guard that says of an index that it lies in a dim of n elements, and nothing else.
func InDim(guard, index *ir.Node, n int64) bool {
	lower, upper := false, false
	for _, c := range ir.Conjuncts(guard, nil) {
		isLower, isUpper := ir.IsLower(c, index), ir.IsUpper(c, index, n)
		if !isLower && !isUpper {
			return false
		}
		lower, upper = lower || isLower, upper || isUpper
	}
	return lower && upper
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
