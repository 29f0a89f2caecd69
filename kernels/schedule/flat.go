package schedule

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
)

// FlatStep makes tiles under a flat schedule shared-memory tiles across the axis along which loads lie farthest apart: each then
// loads a part of what the kernel does.
func FlatStep(k *ir.Kernel, t Target) []int {
	s := newSurvey(k, t)
	apart := make([]float64, len(k.Axes))
	axes := make([]int, len(k.Axes))
	if f := s.heaviest(); f != nil {
		for _, p := range s.spreads(f, s.positions(f).at) {
			for a := range apart {
				apart[a] += p[a] * float64(k.Axes[a].Extent)
			}
		}
	}
	for a := range axes {
		axes[a] = len(axes) - 1 - a
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(apart[a], apart[b]) })
	step := make([]int, len(k.Axes))
	points := 1
	for _, a := range axes {
		n := k.Axes[a].Extent
		step[a] = min(n, (flatPoints+points-1)/points)
		points *= n
	}
	return step
}

// Outermost is the fold of a kernel that a flat schedule splits: around the heaviest one, with bounds known beforehand; nil if
// there is none.
func Outermost(k *ir.Kernel, t Target) *ir.Fold {
	s := newSurvey(k, t)
	if f := s.outermost(); f != nil && s.level(f) {
		return f
	}
	return nil
}

// level reports a fold that begins and ends at the same turns for all points, known beforehand or when the kernel is launched, or one that all go through
// together.
func (s *survey) level(f *ir.Fold) bool {
	known := f.Lo.Kind == ir.KConst && f.Hi.Kind == ir.KConst
	return known || s.together(f) || f.Index.Type == ir.I32 && s.vary(f.Lo).Or(s.vary(f.Hi)).Empty()
}

// outermost is the fold around the heaviest one that no other encloses.
func (s *survey) outermost() *ir.Fold {
	f := s.heaviest()
	for f != nil {
		g := s.deepest(f.Node)
		if g == nil {
			break
		}
		f = g
	}
	return f
}
