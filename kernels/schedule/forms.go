package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// Word is the word whose bytes the first four stores write to neighbouring elements; nil if they do something else.
func Word(stores []ir.Store) *ir.Node {
	if len(stores) < 4 || stores[0].Buf.Type != ir.U8 || len(stores[0].Index) == 0 {
		return nil
	}
	var word *ir.Node
	first := ir.Flatten(stores[0].Buf, stores[0].Index)
	for j, s := range stores[:4] {
		if s.Buf != stores[0].Buf || s.Guard != nil || s.In != nil {
			return nil
		}
		w := byteOf(s.Value, int64(8*j))
		at := ir.Flatten(s.Buf, s.Index)
		if w == nil || word != nil && w != word || !slices.Equal(first.Terms, at.Terms) || at.C != first.C+int64(j) {
			return nil
		}
		word = w
	}
	return word
}

// Pair reports whether the second of some stores writes beside what the first one does, and both without conditions.
func Pair(stores []ir.Store) bool {
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

// byteOf is the I32 of which a value is the byte that begins at a bit; nil if it is none.
func byteOf(n *ir.Node, bit int64) *ir.Node {
	if n.Kind == ir.KAlu && n.Op == ir.BitAnd && n.Args[1].IsConst(0xff) {
		n = n.Args[0]
	}
	if n.Kind != ir.KAlu || n.Op != ir.Ushr || n.Type != ir.I32 || !n.Args[1].IsConst(float64(bit)) {
		return nil
	}
	return n.Args[0]
}

// ArgSplits recognises steps of an ArgMin or ArgMax that select both by one condition: c ? x : acc0, c ? i : acc1 where c is ir.IsBetter.
func ArgSplits(f *ir.Fold) bool {
	if len(f.Accs) != 2 {
		return false
	}
	a, b := f.Step[0], f.Step[1]
	if a.Op != ir.Select || b.Op != ir.Select || a.Args[0] != b.Args[0] || a.Args[2] != f.Accs[0] || b.Args[2] != f.Accs[1] {
		return false
	}
	return ir.IsBetter(f.Monoid, a.Args[0], a.Args[1], f.Accs[0]) && !a.Args[1].Free().Meets(f.AccBind) && !b.Args[1].Free().Meets(f.AccBind)
}
