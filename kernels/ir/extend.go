package ir

import "math/bits"

// Extend returns a builder that knows the nodes reachable from roots and can add to them, without the builder they come
// from: a renderer's rewriting of a finished kernel. The nodes themselves stay as they are, so several may extend one
// kernel at the same time; what they add must not be mixed.
func Extend(roots []*Node) *Builder {
	b := NewBuilder()
	WalkNodes(roots, func(n *Node) {
		b.next = max(b.next, n.id)
		bound := n.bind
		if n.Kind == KFold {
			bound = n.Fold.IndexBind.Or(n.Fold.AccBind)
		}
		for i, w := range bound {
			if w != 0 {
				b.binders = max(b.binders, 64*i+bits.Len64(w))
			}
		}
		switch n.Kind {
		case KConst, KArg, KLoad, KAlu:
			b.table[keyOf(n)] = n
		}
	})
	return b
}
