package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Settle puts constants in place of values that ranges prove to be the same at all points: conditions that always hold, terms that are
// always zero, and what is computed of them; and leaves out bounds that are never reached.
func Settle(k *ir.Kernel) *ir.Kernel {
	if slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.In != nil }) {
		return k
	}
	b := ir.Extend(k.Roots())
	like, settled := map[*ir.Node]*ir.Node{}, b.Settled()
	k.Walk(func(n *ir.Node) {
		if m := settled(n); m != nil {
			like[n] = m
		}
	})
	return Kernel(k, Like(b, like), len(like) > 0)
}

// Kernel is a kernel after a replacement, if anything is replaced.
func Kernel(k *ir.Kernel, s *Substitution, any bool) *ir.Kernel {
	if !any {
		return k
	}
	out := *k
	out.Stores = slices.Clone(k.Stores)
	for i := range out.Stores {
		st := &out.Stores[i]
		st.Index, st.Value = s.all(st.Index), s.Of(st.Value)
		if st.Guard != nil {
			st.Guard = s.Of(st.Guard)
		}
	}
	return &out
}
