package ir

import (
	"slices"

	"weft/kernels/region"
)

// Store writes Value to Buf at Index (one an axis), where Guard holds (nil: everywhere). Distinct points of the kernel's
// axes must write distinct elements, unless Combine says how values for one element join.
type Store struct {
	Buf     *Buffer
	Index   []*Node
	Value   *Node
	Guard   *Node
	Combine Monoid // Ordered: plain store; Sum, Smallest, Largest: join with what is there, in any order
}

// Kernel is a set of stores over parallel axes, outermost first. No axes: one evaluation.
type Kernel struct {
	Name     string
	Axes     []*Node
	Stores   []Store
	Contract bool // a*b+c may be rounded once
}

// Domain is all points of the kernel's axes.
func (k *Kernel) Domain() region.Region {
	r := make(region.Region, len(k.Axes))
	for i, a := range k.Axes {
		r[i].Hi = a.Extent
	}
	return r
}

// Points is the number of points of the kernel's axes.
func (k *Kernel) Points() int64 { return k.Domain().Points() }

// Outputs are the buffers stored to, in order of first use.
func (k *Kernel) Outputs() []*Buffer {
	var out []*Buffer
	seen := map[*Buffer]bool{}
	for _, s := range k.Stores {
		if !seen[s.Buf] {
			seen[s.Buf] = true
			out = append(out, s.Buf)
		}
	}
	return out
}

// Inputs are the buffers loaded from, in order of first use, and Args the launch scalars.
func (k *Kernel) Inputs() []*Buffer {
	var out []*Buffer
	seen := map[*Buffer]bool{}
	k.Walk(func(n *Node) {
		if n.Kind == KLoad && !seen[n.Buf] {
			seen[n.Buf] = true
			out = append(out, n.Buf)
		}
	})
	return out
}

// Args are the launch scalars, in order of first use.
func (k *Kernel) Args() []*Node {
	var out []*Node
	k.Walk(func(n *Node) {
		if n.Kind == KArg {
			out = append(out, n)
		}
	})
	return out
}

// Roots are the nodes the stores are made of.
func (k *Kernel) Roots() []*Node {
	var out []*Node
	for _, s := range k.Stores {
		out = append(out, s.Index...)
		out = append(out, s.Value)
		if s.Guard != nil {
			out = append(out, s.Guard)
		}
	}
	return out
}

// Walk visits every node once, operands before users.
func (k *Kernel) Walk(visit func(*Node)) { WalkNodes(k.Roots(), visit) }

// atMost guesses how many nodes are reachable from roots: operands have smaller numbers, most of which small graphs hold.
func atMost(roots []*Node) (n int) {
	const small = 512
	for _, r := range roots {
		n = max(n, r.id)
	}
	return min(n+1, small)
}

// WalkNodes visits every node reachable from roots once, operands before users. A fold's index and accumulators come
// before its body.
func WalkNodes(roots []*Node, visit func(*Node)) {
	seen := make(map[*Node]bool, atMost(roots))
	var walk func(*Node)
	walk = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
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

// Combines reports whether a store joins its value with what is stored, so that no point may be computed twice.
func (k *Kernel) Combines() bool {
	return slices.ContainsFunc(k.Stores, func(s Store) bool { return s.Combine != Ordered })
}
