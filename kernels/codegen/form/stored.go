package form

import (
	"slices"

	"weft/kernels/ir"
)

// pair reports whether the second of some stores writes beside what the first one does, and both without conditions.
func pair(stores []ir.Store) bool {
	if len(stores) < 2 {
		return false
	}
	a, b := stores[0], stores[1]
	plain := func(s ir.Store) bool { return s.Guard == nil && s.In == nil && !s.Adds && s.Value.Type == ir.F32 }
	if a.Buf != b.Buf || a.Buf.Type != ir.F32 || len(a.Index) == 0 || !plain(a) || !plain(b) {
		return false
	}
	x, y := ir.Flatten(a.Buf, a.Index), ir.Flatten(b.Buf, b.Index)
	return slices.Equal(x.Terms, y.Terms) && y.C == x.C+1
}

// argSplits recognises steps of an ArgMin or ArgMax that select both by one condition: c ? x : acc0, c ? i : acc1 where c is ir.IsBetter.
func argSplits(f *ir.Fold) bool {
	if len(f.Accs) != 2 {
		return false
	}
	a, b := f.Step[0], f.Step[1]
	if a.Op != ir.Select || b.Op != ir.Select || a.Args[0] != b.Args[0] || a.Args[2] != f.Accs[0] || b.Args[2] != f.Accs[1] {
		return false
	}
	return ir.IsBetter(f.Monoid, a.Args[0], a.Args[1], f.Accs[0]) && !a.Args[1].Free().Meets(f.AccBind) && !b.Args[1].Free().Meets(f.AccBind)
}
