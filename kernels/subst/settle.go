package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Settle puts constants in place of values that ranges prove to be the same at all points: conditions that always hold, terms that are
// always zero, and what is computed of them; and leaves out bounds that are never reached. Kernels are left alone that store in the turns of folds
// which would not differ from point to point any more.
func Settle(k *ir.Kernel) *ir.Kernel {
	if out := constants(k); differs(out) {
		return out
	}
	return k
}

// Differs reports whether the folds in whose turns a kernel stores differ over all axes that it stores along, by what ranges settle.
func Differs(k *ir.Kernel) bool { return differs(constants(k)) }

func differs(k *ir.Kernel) bool {
	vary := ir.NewVary()
	return !slices.ContainsFunc(k.Stores, func(s ir.Store) bool {
		if s.In == nil {
			return false
		}
		over := vary.Of(s.In.Node)
		return slices.ContainsFunc(k.Axes, func(a *ir.Node) bool {
			return !over.Meets(a.Bind()) && slices.ContainsFunc(s.Index, func(n *ir.Node) bool { return n.Free().Meets(a.Bind()) })
		})
	})
}

// constants is a kernel with what is settled in it, which may store where it must not.
func constants(k *ir.Kernel) *ir.Kernel {
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
	out := k.Copy()
	for i := range out.Stores {
		st := &out.Stores[i]
		if st.In != nil {
			st.In = s.within(k, st.In)
		}
		st.Index, st.Value = s.all(st.Index), s.Of(st.Value)
		if st.Guard != nil {
			st.Guard = s.Of(st.Guard)
		}
	}
	return out
}

// within is a fold that a kernel stores in, after the replacement.
func (s *Substitution) within(k *ir.Kernel, in *ir.Fold) *ir.Fold {
	var around []*ir.Fold
	for f := in; f != nil; f = k.Around(f) {
		around = append(around, f)
	}
	for _, f := range slices.Backward(around) { // the outermost builds those in its turns
		if f.Node.Free().Meets(s.bound) || s.reaches(f.Node) {
			s.fold(f)
		}
	}
	if out := s.folds[in]; out != nil {
		return out[0].Fold
	}
	return in
}
