package moved

import (
	"math"

	"weft/kernels/ir"
)

// Apart is how many elements lie between what neighbours along one of some axes load, on average and as far as ranges tell.
func Apart(load *ir.Node, axes []*ir.Node, along int, vary func(*ir.Node) ir.Set) (far float64) {
	axis := axes[along]
	var others ir.Set
	for _, a := range axes {
		if a != axis {
			others = others.Or(a.Bind())
		}
	}
	for _, t := range ir.Flatten(load.Buf, load.Index()).Terms {
		if !vary(t.N).Meets(axis.Bind()) {
			continue
		}
		lo, hi, ok := ir.RangeOf(t.N, func(x *ir.Node) (lo, hi float64, ok bool) {
			if v := vary(x); v.Meets(axis.Bind()) && !v.Meets(others) {
				return 0, 0, false
			}
			lo, hi, ok = ir.RangeOf(x, nil) // other axes are in the middle, and so is what is loaded along several
			return (lo + hi) / 2, (lo + hi) / 2, ok
		})
		if !ok {
			return math.Inf(1)
		}
		far += math.Abs(float64(t.Coef)) * (hi - lo) / float64(max(1, axis.Extent-1))
	}
	return far
}
