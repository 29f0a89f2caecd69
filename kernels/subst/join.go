package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Join is one kernel that stores what two do, whose axes have the same extents: what both load and compute at a point is loaded and computed once.
func Join(x, y *ir.Kernel) *ir.Kernel {
	b := ir.Extend(slices.Concat(x.Roots(), x.Axes))
	with := map[*ir.Node]*ir.Node{}
	for i, a := range y.Axes {
		with[a] = x.Axes[i]
	}
	y.Walk(func(n *ir.Node) {
		if len(n.Args) == 0 && with[n] == nil && n.Kind != ir.KFold && n.Kind != ir.KAxis {
			with[n] = b.Rebuild(n, nil)
		}
	})
	out := x.Copy()
	out.Whole = x.Whole && y.Whole
	out.Stores = slices.Concat(x.Stores, Kernel(y, New(b, with), true).Stores)
	return out
}
