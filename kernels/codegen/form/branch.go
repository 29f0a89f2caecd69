package form

import (
	"slices"

	"weft/kernels/ir"
)

// Branch is what the turns of a fold do under one condition alone.
type Branch struct {
	Cond    *ir.Node
	Stores  []*ir.Store  // all of the fold
	Rest    [][]*ir.Node // what each store asks for besides
	Changes []*ir.Node   // by accumulator: its step, if it changes then alone; nil: in any turn
}

// BranchOf finds what the guards of all stores of a fold have in common, if some accumulators change under that alone: what is kept of a row, and how much
// that is.
func BranchOf(k *ir.Kernel, f *ir.Fold) (out Branch, ok bool) {
	plain := true
	k.StoresIn(f, func(s *ir.Store) { out.Stores = append(out.Stores, s) }, func(*ir.Fold) { plain = false })
	if len(out.Stores) == 0 || !plain || slices.ContainsFunc(out.Stores, func(s *ir.Store) bool { return s.Guard == nil }) {
		return out, false
	}
	for _, cond := range ir.Conjuncts(out.Stores[0].Guard, nil) {
		out.Cond, out.Rest, out.Changes, ok = cond, nil, nil, false
		for _, s := range out.Stores {
			own := ir.Conjuncts(s.Guard, nil)
			at := slices.Index(own, cond)
			if at < 0 {
				break
			}
			out.Rest = append(out.Rest, slices.Delete(own, at, at+1))
		}
		for q := range f.Accs {
			n := changed(f, q, cond)
			out.Changes, ok = append(out.Changes, n), ok || n != nil
		}
		if ok && len(out.Rest) == len(out.Stores) {
			return out, true
		}
	}
	return out, false
}

// changed is the step of an accumulator that stays as it is where a condition does not hold; nil: it may not.
func changed(f *ir.Fold, q int, cond *ir.Node) *ir.Node {
	n, acc := f.Step[q], f.Accs[q]
	var only *ir.Node // it changes under this alone
	switch {
	case n.Kind == ir.KAlu && n.Op == ir.Select && n.Args[2] == acc:
		only = n.Args[0]
	case n.Kind == ir.KAlu && n.Op == ir.Add && n.Args[0] == acc && n.Args[1].Kind == ir.KAlu && n.Args[1].Op == ir.Cast && n.Args[1].Args[0].Type == ir.Bool:
		only = n.Args[1].Args[0]
	}
	if only == nil || !slices.Contains(ir.Conjuncts(only, nil), cond) && !either(cond, only) {
		return nil
	}
	return n
}

// either reports whether a condition holds wherever another does, as one of several by which it may.
func either(n, one *ir.Node) bool {
	return n == one || n.Kind == ir.KAlu && n.Op == ir.Or && (either(n.Args[0], one) || either(n.Args[1], one))
}

// Common are the outermost nodes of what values need that others are made of too. What is within a fold has its place there.
func Common(others, values []*ir.Node) (out []*ir.Node) {
	needed, seen := map[*ir.Node]bool{}, map[*ir.Node]bool{}
	ir.WalkNodes(others, func(n *ir.Node) { needed[n] = true })
	var find func(*ir.Node)
	find = func(n *ir.Node) {
		switch {
		case seen[n]:
		case needed[n]:
			out = append(out, n)
		case n.Kind != ir.KFold:
			for _, a := range n.Args {
				find(a)
			}
		}
		seen[n] = true
	}
	for _, n := range values {
		find(n)
	}
	return out
}

// Streamed are loads that values need and others do not, of what lies in order along a fold: a processor that comes to them now and then does not
// see what they will read.
func Streamed(f *ir.Fold, others, values []*ir.Node) (out []*ir.Node) {
	needed := map[*ir.Node]bool{}
	ir.WalkNodes(others, func(n *ir.Node) { needed[n] = true })
	ir.WalkNodes(values, func(n *ir.Node) {
		if needed[n] || n.Kind != ir.KLoad {
			return
		}
		l := ir.Flatten(n.Buf, n.Index())
		moved := func(t ir.Term) bool { return t.N.Kind != ir.KAxis || t.N.Role == ir.RoleAcc }
		if l.Along(f.Index) == 1 && !slices.ContainsFunc(l.Terms, moved) {
			out = append(out, n)
		}
	})
	return out
}
