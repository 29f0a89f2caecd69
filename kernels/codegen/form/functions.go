package form

import "weft/kernels/ir"

// InFunctions reports whether functions that take many instructions are applied to what follows from a fold.
func InFunctions(k *ir.Kernel, f *ir.Fold) (yes bool) {
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KAlu && n.Op.Info().Cost.Transcendental() && !yes {
			ir.WalkNodes([]*ir.Node{n}, func(x *ir.Node) { yes = yes || x == f.Node })
		}
	})
	return yes
}
