// Package sums says how the sums of kernels are made: in which type those of few terms are, which need no loop, and what the turns of others hand on.
package sums

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
	"weft/kernels/subst"
)

// Ready is a kernel as it runs: without what ranges settle, with few terms summed in float32, those of neighbours written out, and with turns that hand on what
// they have in common.
func Ready(k *ir.Kernel) *ir.Kernel { return Carry(Written(Few(subst.Settle(k)))) }

// fewTerms is how many float32 terms are summed in float32 altogether: an error of 6 bits of 24 at most, of 3 as a rule.
const fewTerms = 64

// Sums within a loop are written out that have at most so many turns, and so many operations in all of them.
const (
	writtenTurns = 16
	writtenWork  = 192
)

// Few keeps float64 sums of few float32 terms in float32: a stencil's, say. Sums of what was loaded stay exact. Where every operation rounds by itself
// none is kept: a sum that is made at two places of such a kernel is the same at both, as a sort that compares elements needs. Few turns within a
// loop, through neighbours of the place where that stands, such as the diagonals of a matrix, are written out: the loop around them is then the
// innermost, for which lanes, vectors in flight and registers are chosen, and what does not vary in it is loaded before it.
func Few(k *ir.Kernel) *ir.Kernel {
	if k.Termwise || !k.Contract {
		return k
	}
	b, with := ir.Extend(k.Roots()), map[*ir.Node]*ir.Node{}
	narrow := map[*ir.Fold][]*ir.Node{}
	var around ir.Set
	var turns []*ir.Node // of all folds
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			around, turns = around.Or(n.Fold.Binders()), append(turns, n.Fold.Index)
		}
	})
	k.Walk(func(n *ir.Node) { // operands come first
		if n.Op == ir.Cast && n.Type == ir.F32 && with[n.Args[0]] != nil {
			with[n] = b.Cast(ir.F32, with[n.Args[0]])
			if wide := with[n.Args[0]]; wide.Op == ir.Cast && wide.Args[0].Type == ir.F32 {
				with[n] = wide.Args[0]
			}
		}
		if n.Kind != ir.KGet {
			return
		}
		f := n.Fold
		if _, known := narrow[f]; !known {
			if !f.Node.Free().Meets(around) {
				narrow[f], _ = inFloat32(b, f)
			} else if Short(f) {
				if turn := slides(b, f, turns); turn != nil {
					narrow[f] = writtenOut(b, f, turn)
				}
			}
		}
		if narrow[f] != nil {
			with[n] = b.Cast(n.Type, narrow[f][n.I])
		}
	})
	return subst.Kernel(k, subst.Like(b, with), len(with) > 0)
}

// inFloat32 is a fold of few terms in float32, with those that give its terms, and how many terms that are. nil: it is none.
func inFloat32(b *ir.Builder, f *ir.Fold) (values []*ir.Node, most float64) {
	turns, known := count.KnownTrips(f)
	if !known || f.Monoid != ir.Sum || f.While != nil {
		return nil, 0
	}
	steps, init := make([][]schedule.Signed, len(f.Accs)), make([]*ir.Node, len(f.Accs))
	for q, acc := range f.Accs {
		terms, ok := schedule.SumTerms(f, f.Step[q], acc)
		if !ok || acc.Type != ir.F64 || !f.Init[q].IsConst(0) {
			return nil, 0
		}
		n := float64(len(terms))
		if steps[q], ok = schedule.NarrowTerms(terms); !ok {
			for _, t := range terms {
				if t.N.Kind != ir.KGet {
					return nil, 0
				}
				inner, each := inFloat32(b, t.N.Fold)
				if inner == nil {
					return nil, 0
				}
				steps[q], n = append(steps[q], schedule.Signed{N: inner[t.N.I], Minus: t.Minus}), max(n, each*float64(len(terms)))
			}
		}
		init[q], most = b.F32(0), max(most, n*turns)
	}
	if most > fewTerms {
		return nil, 0
	}
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: f.Lo, Hi: f.Hi, Init: init, Monoid: ir.Sum}
	return b.Fold(spec, func(i *ir.Node, sums []*ir.Node) (step []*ir.Node, while *ir.Node) {
		turn := subst.New(b, map[*ir.Node]*ir.Node{f.Index: i})
		for q, x := range sums {
			for _, t := range steps[q] {
				x = b.Alu(t.Op(), x, turn.Of(t.N))
			}
			step = append(step, x)
		}
		return step, nil
	}), most
}

// slides is the index of a fold in whose turns another loads, but for an element, what it loaded a turn before: the neighbours of a place. nil: there is none.
func slides(b *ir.Builder, f *ir.Fold, turns []*ir.Node) (turn *ir.Node) {
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if turn == nil && n.Kind == ir.KLoad {
			if i := slices.IndexFunc(turns, func(t *ir.Node) bool { return t != f.Index && slid(b, n, t, f.Index) }); i >= 0 {
				turn = turns[i]
			}
		}
	})
	return turn
}

// Short reports a sum of few turns: within the turns of another fold it needs no loop.
func Short(f *ir.Fold) bool {
	turns, known := count.KnownTrips(f)
	return known && turns > 1 && turns <= writtenTurns && f.Lo.Kind == ir.KConst && f.Monoid == ir.Sum && f.While == nil
}

// writtenOut are the sums of a short fold without loops, in float32 where their terms are. nil: it is none.
func writtenOut(b *ir.Builder, f *ir.Fold, turn *ir.Node) []*ir.Node {
	turns := schedule.Trips(f)
	if turns*operations(b, f, turn) > writtenWork {
		return nil
	}
	sums, steps := make([]*ir.Node, len(f.Accs)), make([][]schedule.Signed, len(f.Accs))
	for q, acc := range f.Accs {
		terms, ok := schedule.SumTerms(f, f.Step[q], acc)
		if !ok {
			return nil
		}
		sums[q], steps[q] = f.Init[q], terms
		if narrow, ok := schedule.NarrowTerms(terms); ok && acc.Type == ir.F64 && f.Init[q].IsConst(0) && turns*float64(len(terms)) <= fewTerms {
			sums[q], steps[q] = b.F32(0), narrow
		}
	}
	for i := range int(turns) {
		turn := subst.New(b, map[*ir.Node]*ir.Node{f.Index: b.Int(f.Index.Type, f.Lo.I+int64(i))})
		for q := range sums {
			for _, t := range steps[q] {
				sums[q] = b.Alu(t.Op(), sums[q], turn.Of(t.N))
			}
		}
	}
	return sums
}

// operations is how many operations a turn of a fold takes that has none within, where the turns of one around it hand on what they have in common; of
// others it is beyond any bound.
func operations(b *ir.Builder, f *ir.Fold, turn *ir.Node) (n float64) {
	seen := map[*ir.Node]bool{}
	var count func(x *ir.Node)
	count = func(x *ir.Node) {
		if seen[x] || !x.Free().Meets(f.Binders()) {
			return
		}
		seen[x] = true
		switch {
		case x.Kind == ir.KFold || x.Kind == ir.KGet:
			n = math.Inf(1)
			return
		case x.Kind == ir.KAlu || x.Kind == ir.KLoad:
			n++
		}
		if x.Kind == ir.KAlu && x.Type.Float() && joins(turn.Fold) && slid(b, x, turn, f.Index) {
			return
		}
		for _, a := range x.Args {
			count(a)
		}
	}
	for _, x := range f.Step {
		count(x)
	}
	return n
}

// Narrowed are the additions and conversions of float64 sums that schedules with AccBlock do in float32.
func Narrowed(folds []*ir.Fold) map[*ir.Node]bool {
	out := map[*ir.Node]bool{}
	for _, f := range folds {
		for q, a := range f.Accs {
			terms, _ := schedule.SumTerms(f, f.Step[q], a)
			if _, narrow := schedule.NarrowSum(f, q); !narrow || a.Type != ir.F64 {
				continue
			}
			for _, t := range terms {
				out[t.N] = true
			}
			for n := f.Step[q]; n != a; {
				out[n] = true
				next := n.Args[0]
				if !next.Free().Meets(f.AccBind) {
					next = n.Args[1]
				}
				n = next
			}
		}
	}
	return out
}
