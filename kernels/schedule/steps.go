package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// Signed is a term of a sum.
type Signed struct {
	N     *ir.Node
	Minus bool
}

// Op adds the term, or takes it away.
func (s Signed) Op() ir.Op {
	if s.Minus {
		return ir.Sub
	}
	return ir.Add
}

// SumTerms takes a step apart as acc plus and minus terms that do not read accumulators.
func SumTerms(f *ir.Fold, step, acc *ir.Node) ([]Signed, bool) {
	if step == acc {
		return nil, true
	}
	if step.Kind != ir.KAlu || step.Op != ir.Add && step.Op != ir.Sub {
		return nil, false
	}
	chain, term := step.Args[0], step.Args[1]
	if step.Op == ir.Add && term.Free().Meets(f.AccBind) {
		chain, term = term, chain
	}
	if term.Free().Meets(f.AccBind) {
		return nil, false
	}
	terms, ok := SumTerms(f, chain, acc)
	return append(terms, Signed{term, step.Op == ir.Sub}), ok
}

// Joined is the term of a step op(acc, term), or op(term, acc): then first.
func Joined(f *ir.Fold, step, acc *ir.Node, op ir.Op) (term *ir.Node, first, ok bool) {
	if step.Kind != ir.KAlu || step.Op != op {
		return nil, false, false
	}
	term = step.Args[1]
	if first = term == acc; first {
		term = step.Args[0]
	} else if step.Args[0] != acc {
		return nil, false, false
	}
	return term, first, !term.Free().Meets(f.AccBind)
}

// Nested is the fold in the turns of a sum that gives all of its terms, rounded or as they are, and has turns so few that sums of lanes are joined
// once for all of them. nil: there is none.
func Nested(f *ir.Fold, lanes int) *ir.Fold {
	if f.Monoid != ir.Sum || f.While != nil {
		return nil
	}
	var in *ir.Fold
	for q, acc := range f.Accs {
		term, _, ok := Joined(f, f.Step[q], acc, ir.Add)
		if ok {
			term = unrounded(term)
			if term.Op == ir.Cast && term.Args[0].Kind == ir.KGet && term.Args[0].Type == ir.F32 && acc.Type == ir.F64 {
				term = term.Args[0] // a sum in float32 of few turns
			}
		}
		if !ok || term.Kind != ir.KGet || term.I != int64(q) || in != nil && in != term.Fold {
			return nil
		}
		in = term.Fold
	}
	if in.Monoid != ir.Sum || in.While != nil || len(in.Accs) != len(f.Accs) || !in.Node.Free().Meets(f.Binders()) || Trips(in) >= float64(fewTurns*lanes) {
		return nil
	}
	for q, acc := range in.Accs {
		if _, ok := SumTerms(in, in.Step[q], acc); !ok || !in.Init[q].IsConst(0) {
			return nil
		}
	}
	if !Innermost(in) && Nested(in, lanes) == nil {
		return nil
	}
	return in
}

// unrounded is a float64 that is rounded to float32 for another sum in float64, which had better add it as it is.
func unrounded(n *ir.Node) *ir.Node {
	if n.Op == ir.Cast && n.Type == ir.F64 && n.Args[0].Op == ir.Cast && n.Args[0].Type == ir.F32 && n.Args[0].Args[0].Type == ir.F64 {
		return n.Args[0].Args[0]
	}
	return n
}

// Innermost reports whether there is no other fold in the turns of a fold.
func Innermost(f *ir.Fold) bool {
	yes := true
	ir.WalkNodes(f.Step, func(n *ir.Node) { yes = yes && !(n.Kind == ir.KFold && n.Free().Meets(f.Binders())) })
	return yes
}

// NarrowTerms reports whether terms are all float32 values widened for a float64 sum, and takes the widening away. They must be rounded to
// float32 already: a sum of what was loaded is exact in float64, and stays so.
func NarrowTerms(terms []Signed) ([]Signed, bool) {
	out := make([]Signed, len(terms))
	for i, t := range terms {
		if t.N.Kind != ir.KAlu || t.N.Op != ir.Cast || t.N.Type != ir.F64 || t.N.Args[0].Type != ir.F32 || !computed(t.N.Args[0]) {
			return nil, false
		}
		out[i] = Signed{t.N.Args[0], t.Minus}
	}
	return out, len(out) > 0
}

// NarrowShares reports whether the terms that a sum on lanes adds up are all float32 values widened for float64 sums, or sums in float32 of few turns.
func NarrowShares(f *ir.Fold, lanes int) bool {
	whole := f
	for in := Nested(f, lanes); in != nil; in = Nested(f, lanes) {
		f = in
	}
	for q, acc := range f.Accs {
		if _, narrow := NarrowSum(f, q); !narrow || acc.Type == ir.F32 && whole.Accs[q].Type != ir.F64 {
			return false
		}
	}
	return true
}

// NarrowSum is the terms of a sum of a fold that may be kept in float32 for a block of turns, before it is added to those of other blocks: in
// float64, or in float32 where that is the sum's type.
func NarrowSum(f *ir.Fold, q int) ([]Signed, bool) {
	terms, ok := SumTerms(f, f.Step[q], f.Accs[q])
	if !ok || f.Monoid != ir.Sum {
		return nil, false
	}
	switch f.Accs[q].Type {
	case ir.F64:
		return NarrowTerms(terms)
	case ir.F32:
		return terms, len(terms) > 0
	}
	return nil, false
}

// narrows reports a fold of a kernel that has such a sum.
func narrows(k *ir.Kernel, f *ir.Fold) (some bool) {
	for q := range f.Accs {
		_, narrow := NarrowSum(f, q)
		some = some || narrow && !k.Termwise
	}
	return some
}

// Sole reports whether no other fold of a kernel has such sums.
func Sole(k *ir.Kernel, f *ir.Fold) bool {
	sole := true
	k.Walk(func(n *ir.Node) { sole = sole && (n.Kind != ir.KFold || n.Fold == f || !narrows(k, n.Fold)) })
	return sole
}

// computed reports whether a value is the result of arithmetic that rounds.
func computed(n *ir.Node) bool {
	seen := map[*ir.Node]bool{}
	var rounds func(n *ir.Node) bool
	rounds = func(n *ir.Node) bool {
		if seen[n] || !n.Type.Float() || n.Kind != ir.KAlu && n.Kind != ir.KGet {
			return false
		}
		seen[n] = true
		return n.Kind == ir.KGet || n.Op != ir.Cast && n.Op.Info().Exact == ir.Rounds || slices.ContainsFunc(n.Args, rounds)
	}
	return rounds(n)
}

// JoinOps are the operations of the monoids that join two values by one.
var JoinOps = map[ir.Monoid]ir.Op{
	ir.Sum: ir.Add, ir.Product: ir.Mul, ir.Smallest: ir.Min, ir.Largest: ir.Max, ir.Any: ir.Or, ir.All: ir.And,
}
