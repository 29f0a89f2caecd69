package ops

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// view is how a planner sees a stage otherwise than its operator defined it: with the last two dims in the other order, and of
// what it then is a box only.
type view struct {
	defined   *Stage // as it was
	exchanged bool
	box       region.Region // nil: all of it
}

// AsDefined is the stage without the views that a planner has of it.
func (s *Stage) AsDefined() *Stage {
	if s.view.defined == nil {
		return s
	}
	return s.view.defined
}

// Box is which part of the stage, dim by dim as a planner sees them, there is; nil where that is all of it.
func (s *Stage) Box() region.Region { return s.view.box }

func (s *Stage) remember() {
	if s.view.defined == nil {
		was := *s
		s.view.defined = &was
	}
}

// Exchange makes a planner see the last two dims of the stage in the other order; for who reads it by At nothing changes. It comes
// before Crop.
func (s *Stage) Exchange() {
	if s.view.box != nil {
		panic("ops: dims of a box are not exchanged")
	}
	s.remember()
	s.Type.Dims = exchange(s.Type.Dims)
	elem := s.Elem
	s.Elem = func(b *Body, index []*ir.Node) Elem { return elem(b, exchange(index)) }
	s.view.exchanged = !s.view.exchanged
}

// Crop makes a planner see a box of the stage only, an interval a dim, once. For who reads it by At nothing changes, but who reads
// beside the box reads out of range.
func (s *Stage) Crop(box region.Region) {
	s.remember()
	s.view.box = slices.Clone(box)
	s.Type.Dims = slices.Clone(s.Type.Dims)
	for i, at := range box {
		d := &s.Type.Dims[i]
		d.Size = at.Hi - at.Lo
		if d.Coords != nil {
			d.Coords = d.Coords[at.Lo:at.Hi]
		}
	}
	elem := s.Elem
	s.Elem = func(b *Body, index []*ir.Node) Elem { return elem(b, moved(b, index, box, b.Add)) }
}

// moved is an index with the starts of a box added or taken away.
func moved(b *Body, index []*ir.Node, box region.Region, op func(x, y *ir.Node) *ir.Node) []*ir.Node {
	out := slices.Clone(index)
	for i, at := range box {
		out[i] = op(out[i], b.Int(out[i].Type, int64(at.Lo)))
	}
	return out
}

// seen is where a planner sees an element, and the guard of its being there. A guard that keeps an index within a dim keeps it within
// the box, since there is none between the two.
func (s *Stage) seen(b *Body, index []*ir.Node, guard *ir.Node) ([]*ir.Node, *ir.Node) {
	if b.Plain {
		return index, guard
	}
	if s.view.exchanged {
		index = exchange(index)
	}
	if s.view.box == nil {
		return index, guard
	}
	out := moved(b, index, s.view.box, b.Sub)
	if guard != nil {
		guard = s.within(b, guard, index, out)
	}
	return out, guard
}

// within rewrites the conjuncts of a guard that keep an index in its dim.
func (s *Stage) within(b *Body, guard *ir.Node, index, seen []*ir.Node) *ir.Node {
	if guard.Kind == ir.KAlu && guard.Op == ir.And {
		return b.And(s.within(b, guard.Args[0], index, seen), s.within(b, guard.Args[1], index, seen))
	}
	dims := s.Whole().Dims
	for i, at := range s.view.box {
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

// Whole is the type of the stage before it was cropped, in the order of dims that a planner sees.
func (s *Stage) Whole() Type {
	if s.view.box == nil {
		return s.Type
	}
	t := s.view.defined.Type
	if s.view.exchanged {
		t.Dims = exchange(t.Dims)
	}
	return t
}

// exchange is a copy with the last two elements in the other order.
func exchange[T any](list []T) []T {
	out := slices.Clone(list)
	n := len(out)
	out[n-2], out[n-1] = out[n-1], out[n-2]
	return out
}

// Exchanged reports whether a planner sees the last two dims in the other order.
func (s *Stage) Exchanged() bool { return s.view.exchanged }
