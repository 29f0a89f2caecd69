package graph

import (
	"slices"

	"weft/ops"
)

// Siblings reports whether one kernel stores two stages, if they are stored: outputs of one operator over the same axes that read the same, what
// follows from such element by element, where they have loops, or outputs of one operator that is written in the language.
func (g *Graph) Siblings(a, b *ops.Stage) bool {
	if a.Op == nil || b.Op == nil {
		return false
	}
	x, y := g.Core(a), g.Core(b)
	if a.Op != b.Op && x.Op != y.Op || !SameSizes(g.Axes(a), g.Axes(b)) { // the first is soon known, and mostly all that there is to know
		return false
	}
	_, written := a.Op.Bound.(ops.Writer)
	return a.Op == b.Op && written || x.Op == y.Op && (same(x.Inputs, y.Inputs) || x.Put != nil && y.Put != nil && given(x, y) && given(y, x))
}

// given reports whether what a stage reads and another of its operator does not is given to the operator.
func given(s, other *ops.Stage) bool {
	return !slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return in.Op == s.Op && !slices.Contains(other.Inputs, in) })
}

// Core is the stage with loops that a stage follows from element by element, with nothing else that has any; itself where there is none.
func (g *Graph) Core(s *ops.Stage) *ops.Stage {
	if known, ok := g.cores[s]; ok {
		return known
	}
	out := s
	if !Given(s) && s.Put == nil && !g.Alone(s).Folds {
		var cores []*ops.Stage
		for _, in := range s.Inputs {
			switch c := g.Core(in); {
			case !g.looped(in):
			case g.Alone(s).Elsewhere[in] || !SameShape(in, s) || c == in && (Given(c) || !g.Alone(c).Folds):
				cores = append(cores, s, s) // no one stage
			case !slices.Contains(cores, c):
				cores = append(cores, c)
			}
		}
		if len(cores) == 1 {
			out = cores[0]
		}
	}
	g.cores[s] = out
	return out
}

// looped reports whether a stage is made by loops, or of stages that are.
func (g *Graph) looped(s *ops.Stage) bool {
	known, ok := g.loops[s]
	if !ok {
		known = !Given(s) && (s.Put != nil || g.Alone(s).Folds || slices.ContainsFunc(s.Inputs, g.looped))
		g.loops[s] = known
	}
	return known
}

// same reports lists that hold the same, in any order.
func same[T comparable](a, b []T) bool {
	holds := func(list, of []T) bool {
		return !slices.ContainsFunc(of, func(x T) bool { return !slices.Contains(list, x) })
	}
	return holds(a, b) && holds(b, a)
}
