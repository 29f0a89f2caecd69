package schedule

import (
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/subst"
)

// fewTerms is how many float32 terms are summed in float32 altogether: an error of 6 bits of 24 at most, of 3 as a rule.
const fewTerms = 64

// Few keeps float64 sums of few float32 terms in float32: a stencil's, say. Sums of what was loaded stay exact. Where every operation rounds by itself
// none is kept: a sum that is made at two places of such a kernel is the same at both, as a sort that compares elements needs.
func Few(k *ir.Kernel) *ir.Kernel {
	if k.Termwise || !k.Contract {
		return k
	}
	b, with := ir.Extend(k.Roots()), map[*ir.Node]*ir.Node{}
	narrow := map[*ir.Fold][]*ir.Node{}
	var around ir.Set
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			around = around.Or(n.Fold.Binders())
		}
	})
	k.Walk(func(n *ir.Node) { // operands come first
		if n.Op == ir.Cast && n.Type == ir.F32 && with[n.Args[0]] != nil {
			with[n] = with[n.Args[0]].Args[0]
		}
		if n.Kind != ir.KGet || n.Fold.Node.Free().Meets(around) {
			return
		}
		f := n.Fold
		if _, known := narrow[f]; !known {
			narrow[f], _ = inFloat32(b, f)
		}
		if narrow[f] != nil {
			with[n] = b.Cast(ir.F64, narrow[f][n.I])
		}
	})
	return subst.Kernel(k, subst.New(b, with), len(with) > 0)
}

// inFloat32 is a fold of few terms in float32, with those that give its terms, and how many terms that are. nil: it is none.
func inFloat32(b *ir.Builder, f *ir.Fold) (values []*ir.Node, most float64) {
	turns, known := count.KnownTrips(f)
	if !known || f.Monoid != ir.Sum || f.While != nil {
		return nil, 0
	}
	steps, init := make([][]Signed, len(f.Accs)), make([]*ir.Node, len(f.Accs))
	for q, acc := range f.Accs {
		terms, ok := SumTerms(f, f.Step[q], acc)
		if !ok || acc.Type != ir.F64 || !f.Init[q].IsConst(0) {
			return nil, 0
		}
		n := float64(len(terms))
		if steps[q], ok = NarrowTerms(terms); !ok {
			for _, t := range terms {
				if t.N.Kind != ir.KGet {
					return nil, 0
				}
				inner, each := inFloat32(b, t.N.Fold)
				if inner == nil {
					return nil, 0
				}
				steps[q], n = append(steps[q], Signed{inner[t.N.I], t.Minus}), max(n, each*float64(len(terms)))
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
