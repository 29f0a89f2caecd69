package render

import "weft/kernels/ir"

// EndsEarly finds the folds of a kernel that are left as soon as nothing can change their results any more: those that say
// when, and those whose steps show it.
func EndsEarly(k *ir.Kernel) func(*ir.Fold) bool {
	b := ir.Extend(k.Roots())
	return func(f *ir.Fold) bool {
		return f.While != nil || f.Monoid == ir.Any || f.Monoid == ir.All || absorber(b, f) >= 0
	}
}
