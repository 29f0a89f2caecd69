package schedule

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
)

// Turns that add to places of a table, wherever their data say, wait for each other where two in a row add to one place: a store that the
// next load needs. Copies of the table, one for each of some lanes, hide that, and their elements are as short as what is counted allows.
// Integers alone may be added in another order.
const (
	mostCopies = 4        // additions to one place then follow each other in four turns: a store and the load of it take five cycles
	copiesNear = 24 << 10 // bytes of copies: half of level 1, the other half for what is read
	turnsEach  = 4        // turns for each element of the copies, which are cleared before and joined behind them
)

// Copied reports whether a store adds integers to a table, the last dim of its array, to which nothing is stored behind it.
func Copied(k *ir.Kernel, s *ir.Store) bool {
	i := slices.IndexFunc(k.Stores, func(t ir.Store) bool { return t.In == s.In && t.Buf == s.Buf && t.Adds })
	return i >= 0 && s.Adds && len(s.Index) > 0 && (s.Buf.Type == ir.I32 || s.Buf.Type == ir.I64) && s.Value.Kind == ir.KConst &&
		!slices.ContainsFunc(k.Stores[i+1:], func(t ir.Store) bool { return t.Buf == s.Buf })
}

// CopyType is the type that holds what turns add to a place of a table.
func CopyType(k *ir.Kernel, s *ir.Store) ir.DType {
	most := float64(max(s.Value.I, -s.Value.I))
	for f := s.In; f != nil; f = k.Around(f) {
		n, ok := count.KnownTrips(f)
		if !ok {
			return s.Buf.Type
		}
		most *= n
	}
	if most < 1<<31 {
		return ir.I32
	}
	return s.Buf.Type
}

// copies is how many copies of tables suit the kernel.
func (s *survey) copies() int {
	n := s.t.Lanes
	for i := range s.k.Stores {
		st := &s.k.Stores[i]
		if !st.Adds || !Copied(s.k, st) {
			continue
		}
		elements := st.Buf.Shape[len(st.Index)-1]
		fit := min(copiesNear/(elements*CopyType(s.k, st).Size()), int(s.made(*st))/(turnsEach*elements), mostCopies)
		for n > max(1, fit) {
			n /= 2
		}
	}
	if n < 2 || n == s.t.Lanes {
		return 0
	}
	return n
}
