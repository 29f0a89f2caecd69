package result

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule/exits"
	"weft/planner/bound"
	"weft/planner/cost"
)

// Worked is what a kernel executed, 0 if that was not counted, and the share of what the machine could have done in the time, where it is known what that is.
func Worked(k *bound.Kernel, folds []Fold, wall float64, most func(bytes int64) (flops, bandwidth float64)) (flops, roof float64) {
	ends, culled := exits.EndsEarly(k.IR), exits.CulledBlock(k.IR)
	known := true
	asked := count.CostWhere(k.IR, func(f *ir.Fold) float64 {
		if at := slices.IndexFunc(folds, func(x Fold) bool { return x.Name == f.Index.Name }); at >= 0 {
			return folds[at].Share
		}
		known = known && !ends(f) && culled(f) == 0
		return 1
	}, cost.Rarely(k.IR))
	if !known {
		return 0, 0
	}
	if most == nil || wall <= 0 {
		return asked.Arithmetic, 0
	}
	peak, bandwidth := most(k.Bytes)
	if peak <= 0 || bandwidth <= 0 {
		return asked.Arithmetic, 0
	}
	return asked.Arithmetic, max((asked.Arithmetic+asked.Wide)/peak, float64(k.Bytes)/bandwidth) / wall
}
