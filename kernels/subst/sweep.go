package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Sweep makes one fold of those over the same range that read the same arrays, one side by side with the other, and whose results depend on no order: to the
// smallest, the largest, any and all. What is read is then read once. Any and all among others are largest values, of 0 and 1; they end no fold early that
// has to go on for the others. Ordered folds that carry the same are one too. Results are the same to the bit.
func Sweep(k *ir.Kernel) *ir.Kernel {
	return merge(k, func(s *survey, f *ir.Fold) (alike, bool) {
		if f.Monoid == ir.Ordered {
			return s.twice(f)
		}
		return alike{f.Lo, f.Hi, ir.Largest, f.Node.Free(), s.level[f], false}, sweeps(f)
	})
}

// sweeps reports a fold of which each result is a smallest or largest number, any or all, of what is found in arrays without looking up where.
func sweeps(f *ir.Fold) bool {
	ok := f.While == nil && (f.Monoid == ir.Any || f.Monoid == ir.All || f.Monoid == ir.Largest || f.Monoid == ir.Smallest && !slices.ContainsFunc(f.Accs, func(a *ir.Node) bool { return !a.Type.Float() }))
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KLoad && n.Free().Meets(f.IndexBind) {
			ok = ok && !n.Guarded && n.Buf.Facts.Max == nil && !slices.ContainsFunc(ir.Flatten(n.Buf, n.Index()).Terms, func(t ir.Term) bool { return t.N.Kind != ir.KAxis })
		}
	})
	return ok
}

// common is how folds that are merged join their terms, all of them.
func common(group []*ir.Fold) ir.Monoid {
	to := group[0].Monoid
	for _, f := range group[1:] {
		switch {
		case f.Monoid == to:
		case to != ir.Any && to != ir.All || f.Monoid != ir.Any && f.Monoid != ir.All:
			to = ir.Largest
		default:
			to = ir.All
		}
	}
	return to
}

// steps are those of a fold after a replacement, of one that joins terms in another way.
func steps(b *ir.Builder, f *ir.Fold, to ir.Monoid, s *Substitution) []*ir.Node {
	if f.Monoid == to {
		return s.all(f.Step)
	}
	op := map[ir.Monoid]ir.Op{ir.Largest: ir.Max, ir.All: ir.And}[to]
	var out []*ir.Node
	for q, n := range f.Step {
		var args []*ir.Node // in their order, by which the largest tells what a NaN does
		for _, a := range n.Args {
			if x := s.Of(a); a == f.Accs[q] {
				args = append(args, x)
			} else {
				args = append(args, turned(b, f.Monoid, to, x))
			}
		}
		out = append(out, b.Alu(op, args...))
	}
	return out
}

// turned is a value of one kind of fold in another; back turns it again.
func turned(b *ir.Builder, from, to ir.Monoid, n *ir.Node) *ir.Node {
	switch {
	case from == to:
		return n
	case from == ir.Smallest:
		return b.Neg(n)
	case to == ir.All:
		return b.Not(n)
	case from == ir.All:
		return b.Select(n, b.I32(0), b.I32(1))
	}
	return b.Select(n, b.I32(1), b.I32(0))
}

func back(b *ir.Builder, from, to ir.Monoid, n *ir.Node) *ir.Node {
	switch {
	case from == to || from == ir.Smallest || to == ir.All:
		return turned(b, from, to, n)
	case from == ir.All:
		return b.Alu(ir.Eq, n, b.I32(0))
	}
	return b.Lt(b.I32(0), n)
}
