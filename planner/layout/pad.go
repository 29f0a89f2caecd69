package layout

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/module"
)

// Rows of a buffer that is read with "index in range, else a constant" get margins of that constant, wide enough for the
// widest window a renderer loads (32 elements) on either side, so that the guard needs no test.
const (
	padBefore = 32
	padAfter  = 64
)

// Rows of many lines end with one: where each begins anywhere, half of what is loaded and stored is in two lines, and rows that go past the caches do so by
// whole lines alone. Neighbours do not begin at the same place of a page, as few lines of a cache stand for these.
const (
	line      = 64
	manyLines = 32 // of which a part of one more is little
	page      = 4 << 10
)

// Pad gives margins to the rows of arrays of guarded loads where every such load agrees on the constant, and ends of lines to long rows of what kernels make.
func Pad(m *module.Module) error {
	values, refused := map[*ops.Stage]*ir.Node{}, map[*ops.Stage]bool{}
	stages := m.Arrays.Stages()
	for _, k := range m.Kernels {
		k.IR.Walk(func(n *ir.Node) {
			if n.Kind != ir.KLoad || !n.Guarded || len(n.Buf.Shape) == 0 {
				return
			}
			guard, other := n.Guard()
			s := stages[n.Buf]
			v, seen := values[s]
			index := n.Index()
			lower, upper := inRow(guard, index[len(index)-1], n.Buf.Shape[len(n.Buf.Shape)-1])
			if !lower && !upper {
				return // it is about other dims: rows may have margins or not
			}
			if other.Kind != ir.KConst || !lower || !upper || seen && !other.IsConst(constant(v)) || !n.Buf.Type.Holds(constant(other)) {
				refused[s] = true
				return
			}
			values[s] = other
		})
	}
	for b, s := range stages {
		if v, seen := values[s]; seen && !refused[s] && len(b.Shape) > 0 && !m.Lasts(s) {
			b.Pad = ir.Pad{Before: padBefore, After: padAfter, Value: constant(v)}
		}
	}
	for b, s := range stages {
		if len(b.Shape) > 1 && !s.Source && s.Data == nil && !s.State && !s.Around && !m.Lasts(s) {
			b.Pad.After += toLine(b.Row()*b.Type.Size()) / b.Type.Size()
		}
	}
	return nil
}

// toLine is by how many bytes a row has to be longer.
func toLine(row int) int {
	more := -row & (line - 1)
	switch {
	case row < manyLines*line:
		return 0
	case more > 0 && (row+more)%page == 0:
		return more + line
	}
	return more
}

func constant(n *ir.Node) float64 {
	if n.Type.Float() {
		return n.F
	}
	return float64(n.I)
}

// inRow reports which of 0 <= index and index < n a guard says, perhaps among other conjuncts.
func inRow(guard, index *ir.Node, n int) (lower, upper bool) {
	for _, c := range ir.Conjuncts(guard, nil) {
		lower = lower || ir.IsLower(c, index)
		upper = upper || ir.IsUpper(c, index, int64(n))
	}
	return lower, upper
}
