// Package form tells what forms the folds, loads and stores of a kernel have, for those who write them.
package form

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Comparison is threshold < level in the step of a fold, with a threshold that the fold does not change.
type Comparison struct {
	Node, Threshold, Level *ir.Node
	Term                   *ir.Node // of a level in float32: what is added to, or taken from, another value
}

// Running are the comparisons that all steps of an Any fold are; nil if some are something else.
func Running(f *ir.Fold) (out []Comparison) {
	if f.Monoid != ir.Any {
		return nil
	}
	for q, s := range f.Step {
		x, _, _ := schedule.Joined(f, s, f.Accs[q], ir.Or)
		if x.Kind != ir.KAlu || x.Op != ir.Lt || x.Args[0].Free().Meets(f.IndexBind) {
			return nil
		}
		out = append(out, Comparison{Node: x, Threshold: x.Args[0], Level: x.Args[1]})
	}
	return out
}

// Blocks are the block sizes that maximum tables are meant for, largest first after 0, which stands for all the rest.
func Blocks(all []Comparison) []int {
	blocks := []int{0}
	for _, x := range all {
		ir.WalkNodes([]*ir.Node{x.Level}, func(n *ir.Node) {
			if n.Kind != ir.KLoad || n.Buf.Facts.Max == nil {
				return
			}
			for _, t := range n.Buf.Facts.Max.Tables {
				if !slices.Contains(blocks, t.Block) {
					blocks = append(blocks, t.Block)
				}
			}
		})
	}
	slices.SortFunc(blocks[1:], func(a, b int) int { return b - a })
	return blocks
}

// IsArg reports whether a fold looks for the place of a value.
func IsArg(f *ir.Fold) bool { return f.Monoid == ir.ArgMin || f.Monoid == ir.ArgMax }

// Products takes the sums of products among terms apart: each product is added by one fused operation then.
func Products(terms []schedule.Signed) (out []schedule.Signed) {
	for _, t := range terms {
		if x := t.N; x.Op == ir.Mul || !ofProducts(x) {
			out = append(out, t)
		} else {
			out = append(out, Products([]schedule.Signed{{N: x.Args[0], Minus: t.Minus}, {N: x.Args[1], Minus: t.Minus != (x.Op == ir.Sub)}})...)
		}
	}
	return out
}

// ofProducts reports a product of floats, or a sum or difference of such.
func ofProducts(n *ir.Node) bool {
	return n.Kind == ir.KAlu && n.Type.Float() && (n.Op == ir.Mul || (n.Op == ir.Add || n.Op == ir.Sub) && ofProducts(n.Args[0]) && ofProducts(n.Args[1]))
}

// Share is an accumulator kept once a lane while lanes are iterations.
type Share struct {
	Terms []schedule.Signed // Sum: the terms; other monoids: one
	First bool              // the term is the first operand: minimum and maximum tell by it what a NaN does
}

// Shares takes the steps apart.
func Shares(f *ir.Fold) ([]Share, bool) {
	out := make([]Share, len(f.Accs))
	if IsArg(f) {
		return out, argSplits(f)
	}
	for q, a := range f.Accs {
		if f.Monoid == ir.Sum {
			terms, ok := schedule.SumTerms(f, f.Step[q], a)
			if !ok {
				return nil, false
			}
			out[q].Terms = terms
			continue
		}
		term, first, ok := schedule.Joined(f, f.Step[q], a, schedule.JoinOps[f.Monoid])
		if !ok {
			return nil, false
		}
		out[q] = Share{[]schedule.Signed{{N: term}}, first}
	}
	return out, true
}

// Output is a store as it is written.
type Output struct {
	ir.Store
	Pair *ir.Store // the store to the next element; nil: there is none
}

// Outputs are the stores of a kernel; with several, two side by side are one.
func Outputs(stores []ir.Store, several bool) (out []Output) {
	for i := 0; i < len(stores); i++ {
		s := Output{Store: stores[i]}
		if several && pair(stores[i:]) {
			i++
			s.Pair = &stores[i]
		}
		out = append(out, s)
	}
	return out
}

// RowAndInner parts the index of a load into the start of its row and the innermost index.
func RowAndInner(n *ir.Node) (row ir.Linear, inner *ir.Node) {
	index := n.Index()
	strides := n.Buf.Strides()
	for i, x := range index[:len(index)-1] {
		row.Add(x, int64(strides[i]))
	}
	return row, index[len(index)-1]
}

// ReadElsewhere reports whether another accumulator's step or the while condition reads an accumulator.
func ReadElsewhere(f *ir.Fold, q int) bool {
	roots := slices.Delete(slices.Clone(f.Step), q, q+1)
	if f.While != nil {
		roots = append(roots, f.While)
	}
	found := false
	ir.WalkNodes(roots, func(n *ir.Node) { found = found || n == f.Accs[q] })
	return found
}

// Inside is the fold in the turns of another, or of those in its turns, whose iterations threads share in place of that one's: they load what lies side by side,
// its terms are those of all folds around it, and it starts from nothing, so that shares are joined once for all turns. nil: there is none.
func Inside(f *ir.Fold, threads int) *ir.Fold {
	if f.Monoid == ir.Any || f.Monoid == ir.All || IsArg(f) {
		return nil
	}
	for !loadsAlong(f) {
		var in *ir.Fold
		for q, acc := range f.Accs {
			term, _, ok := schedule.Joined(f, f.Step[q], acc, schedule.JoinOps[f.Monoid])
			if !ok || term.Kind != ir.KGet || term.I != int64(q) || in != nil && in != term.Fold {
				return nil
			}
			in = term.Fold
		}
		if in.Monoid != f.Monoid || in.While != nil || len(in.Accs) != len(f.Accs) || schedule.Trips(in) < float64(threads) {
			return nil
		}
		for _, start := range in.Init {
			idle := start.Kind == ir.KConst && (in.Monoid == ir.Smallest || in.Monoid == ir.Largest) || in.Monoid == ir.Sum && start.IsConst(0) || in.Monoid == ir.Product && start.IsConst(1)
			if !idle {
				return nil
			}
		}
		if f = in; loadsAlong(f) {
			return f
		}
	}
	return nil
}

// loadsAlong reports a load of what lies side by side from one iteration to the next.
func loadsAlong(f *ir.Fold) (some bool) {
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		some = some || n.Kind == ir.KLoad && ir.Flatten(n.Buf, n.Index()).Along(f.Index) == 1
	})
	return some
}

// WorthSharing reports whether to share a fold rather than one inside it: it has iterations enough for all threads, or no
// inner fold is a monoid.
func WorthSharing(f *ir.Fold, threads int) bool {
	if schedule.Trips(f) >= float64(threads) {
		return true
	}
	inner := false
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		inner = inner || n.Kind == ir.KFold && n.Free().Meets(f.Binders()) && n.Fold.Monoid != ir.Ordered && schedule.Trips(n.Fold) > schedule.Trips(f)
	})
	return !inner
}

// Whole reports a float that is a whole number.
func Whole(n *ir.Node) bool {
	switch {
	case n.Kind == ir.KConst:
		return n.F == math.Trunc(n.F)
	case n.Kind != ir.KAlu:
		return false
	case n.Op == ir.Min || n.Op == ir.Max || n.Op == ir.Add || n.Op == ir.Sub:
		return Whole(n.Args[0]) && Whole(n.Args[1])
	}
	return n.Op.Info().Gives == ir.Whole
}

// Shared are the values in the turns of a fold that its sums need in more than one group of so many: the outermost, without what is loaded from where turns
// lie side by side, which is as near as what is kept.
func Shared(f *ir.Fold, group int) (out []*ir.Node) {
	_, gathered := Gathering(f)
	plain := func(n *ir.Node) bool { return n.Kind == ir.KLoad && !slices.Contains(gathered, n) }
	groups := map[*ir.Node]int{} // the last group that needs a value; -1: several do
	var mark func(n *ir.Node, k int)
	mark = func(n *ir.Node, k int) {
		last, seen := groups[n]
		if !n.Free().Meets(f.IndexBind) || n.Kind == ir.KAxis || seen && (last == k || last < 0) {
			return
		}
		groups[n] = k
		if seen {
			groups[n] = -1
		}
		for _, a := range n.Args {
			if !plain(n) {
				mark(a, k)
			}
		}
	}
	for q, acc := range f.Accs {
		terms, _ := schedule.SumTerms(f, f.Step[q], acc)
		for _, t := range terms {
			mark(t.N, q/group)
		}
	}
	seen := map[*ir.Node]bool{}
	var find func(n *ir.Node)
	find = func(n *ir.Node) {
		last, needed := groups[n]
		switch {
		case seen[n] || !needed || plain(n):
		case last < 0:
			out = append(out, n)
		default:
			for _, a := range n.Args {
				find(a)
			}
		}
		seen[n] = true
	}
	for q, acc := range f.Accs {
		terms, _ := schedule.SumTerms(f, f.Step[q], acc)
		for _, t := range terms {
			find(t.N)
		}
	}
	return out
}
