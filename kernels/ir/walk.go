package ir

import "slices"

// Roots are the nodes the stores are made of.
func (k *Kernel) Roots() []*Node {
	var out []*Node
	for _, s := range k.Stores {
		if s.In != nil {
			out = append(out, enclosing(s.In)...)
		}
		out = append(out, s.Index...)
		out = append(out, s.Value)
		if s.Guard != nil {
			out = append(out, s.Guard)
		}
	}
	return out
}

// enclosing are a fold and those in whose turns it runs, which nothing but a store in it may need.
func enclosing(f *Fold) []*Node {
	out := []*Node{f.Node}
	for i := 0; i < len(out); i++ {
		WalkNodes(out[i:i+1], func(n *Node) {
			if n.Kind == KAxis && n.Fold != nil && out[i].Free().Meets(n.Bind()) && !slices.Contains(out, n.Fold.Node) {
				out = append(out, n.Fold.Node)
			}
		})
	}
	return out
}

// order is in which order the nodes of a kernel come, as long as it has these stores.
type order struct {
	stores []Store
	nodes  []*Node
}

// of reports whether stores are made of the same nodes.
func (o *order) of(stores []Store) bool {
	return o != nil && slices.EqualFunc(o.stores, stores, func(s, t Store) bool {
		return s.Value == t.Value && s.Guard == t.Guard && s.In == t.In && slices.Equal(s.Index, t.Index)
	})
}

// Walk visits every node once, operands before users.
func (k *Kernel) Walk(visit func(*Node)) {
	for _, n := range k.Ordered() {
		visit(n)
	}
}

// Ordered are the nodes of the kernel, operands before users, which nobody may change. They are found once: passes and predictions look through a kernel
// dozens of times.
func (k *Kernel) Ordered() []*Node {
	o := k.order.Load()
	if !o.of(k.Stores) {
		o = &order{stores: slices.Clone(k.Stores)}
		for i := range o.stores {
			o.stores[i].Index = slices.Clone(o.stores[i].Index)
		}
		WalkNodes(k.Roots(), func(n *Node) { o.nodes = append(o.nodes, n) })
		k.order.Store(o)
	}
	return o.nodes
}

// met are the nodes of a builder that were seen, by number.
type met []uint64

// first reports whether a node was not seen before.
func (m *met) first(n *Node) bool {
	if more := n.id/64 - len(*m); more >= 0 {
		*m = append(*m, make([]uint64, more+1)...)
	}
	word, bit := &(*m)[n.id/64], uint64(1)<<(n.id%64)
	was := *word&bit != 0
	*word |= bit
	return !was
}

// WalkNodes visits every node reachable from roots once, operands before users. A fold's index and accumulators come
// before its body.
func WalkNodes(roots []*Node, visit func(*Node)) {
	last := 0
	for _, r := range roots {
		last = max(last, r.id)
	}
	seen := make(met, last/64+1)
	var walk func(*Node)
	walk = func(n *Node) {
		if !seen.first(n) {
			return
		}
		for _, a := range n.Args {
			walk(a)
		}
		if n.Kind == KFold {
			walk(n.Fold.Index)
			for _, a := range n.Fold.Accs {
				walk(a)
			}
			n.Fold.Operands(walk)
		}
		visit(n)
	}
	for _, r := range roots {
		walk(r)
	}
}
