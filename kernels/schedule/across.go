package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// Along reports elements of an array in 4-byte types that lie side by side from turn to turn of a fold.
func Along(f *ir.Fold, buf *ir.Buffer, index []*ir.Node) bool {
	l := ir.Flatten(buf, index)
	return (buf.Type == ir.F32 || buf.Type == ir.I32) && l.Along(f.Index) == 1 &&
		!slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.N != f.Index && t.N.Free().Meets(f.Binders()) })
}

// Rows reports a store of which each point makes a row in the turns of a fold, one element after the other. It may be made some turns later: a kernel loads
// nothing that it stores, and no other store is there.
func Rows(k *ir.Kernel, f *ir.Fold, s *ir.Store) bool {
	there := slices.DeleteFunc(slices.Clone(k.Stores), func(t ir.Store) bool { return t.Buf != s.Buf })
	return len(there) == 1 && s.In == f && s.Guard == nil && !s.Adds && s.Value.Type == s.Buf.Type && Along(f, s.Buf, s.Index)
}

// carries reports a fold that carries a state in 4-byte types from its first turn to its last: others take two registers of lanes, and gain nothing.
func carries(f *ir.Fold) bool {
	return f != nil && f.Monoid == ir.Ordered && f.While == nil && !slices.ContainsFunc(f.Accs, func(a *ir.Node) bool { return Registers(a.Type) > 1 })
}

// loadsRow reports a load of which each point takes a row in the turns of a carried fold, one element after the other, and storesRow a store.
func (s *survey) loadsRow(n *ir.Node) bool {
	f := s.deepest(n)
	return carries(f) && !n.Guarded && n.Type == n.Buf.Type && Along(f, n.Buf, n.Index())
}

func (s *survey) storesRow(st *ir.Store) bool { return carries(st.In) && Rows(s.k, st.In, st) }

// leastHidden is how many lanes there are beyond the operations that a turn may take which stores rows by one vector at a time: operations that wait for each
// other then hide behind memory. States of 200 x 200 x 8760 take as long by one vector as by many at 14 operations on 16 lanes, and at 5 on 8.
const leastHidden = 3

// storesRows reports a fold whose points store rows with little work. A core's own cache holds the lines of one vector's rows until they are written whole,
// and not those of many.
func (s *survey) storesRows(f *ir.Fold) bool {
	if f == nil || !slices.ContainsFunc(s.k.Stores, func(st ir.Store) bool { return st.In == f && s.storesRow(&st) }) {
		return false
	}
	work := 0
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KAlu && s.deepest(n) == f {
			work += n.Op.Info().Flops
		}
	})
	return work+leastHidden <= s.t.Lanes
}
