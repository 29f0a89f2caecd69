package ir

import (
	"slices"
	"sync/atomic"

	"weft/kernels/region"
)

// Store writes Value to Buf at Index (one an axis), where Guard holds (nil: everywhere). Distinct points of the kernel's
// axes must write distinct elements.
//
// A store in a fold happens in every turn of it that its while lets begin, and may use its index and its accumulators as the turn
// finds them. A point runs the folds that stores name once each, in the order of the stores, then makes the other stores; a turn
// makes its stores in their order. What a point writes twice holds what it wrote last.
type Store struct {
	Buf   *Buffer
	Index []*Node
	Value *Node
	Guard *Node
	In    *Fold // an Ordered fold that varies with every axis that the store uses; nil: the point itself
	Adds  bool  // Value is added to what the element holds, which the same point must have written before; needs In
}

// Kernel is a set of stores over parallel axes, outermost first. No axes: one evaluation.
type Kernel struct {
	Name     string
	Axes     []*Node
	Stores   []Store
	Contract bool // a*b+c is rounded once where contraction.Rule says so
	Termwise bool // every term of a sum is added in the sum's type: none are added up in a narrower one first
	Past     bool // what is stored is read long after, by other kernels: it need not be in caches
	Whole    bool // folds are expected to run to their ends though they may be left: what they find has to hold. Predictions alone go by it

	order atomic.Pointer[order]
}

// Copy is another kernel with the same axes and stores.
func (k *Kernel) Copy() *Kernel {
	return &Kernel{Name: k.Name, Axes: k.Axes, Stores: slices.Clone(k.Stores), Contract: k.Contract, Termwise: k.Termwise, Past: k.Past, Whole: k.Whole}
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

// Folds is how many folds a kernel has.
func (k *Kernel) Folds() (n int) {
	k.Walk(func(m *Node) {
		if m.Kind == KFold {
			n++
		}
	})
	return n
}

// Nodes are the nodes of the kernel, axes that no value reads among them, in the order in which they were built.
func (k *Kernel) Nodes() []*Node {
	var nodes []*Node
	k.Walk(func(n *Node) { nodes = append(nodes, n) })
	for _, a := range k.Axes {
		if !slices.Contains(nodes, a) {
			nodes = append(nodes, a)
		}
	}
	slices.SortFunc(nodes, func(a, b *Node) int { return a.id - b.id })
	return nodes
}

// Rounding are the words for how the kernel may round.
func (k *Kernel) Rounding() (words []string) {
	if k.Contract {
		words = append(words, "contract")
	}
	if k.Termwise {
		words = append(words, "termwise")
	}
	return words
}

// Pointwise reports whether no store is in a fold: a point of the axes then stores one element a store.
func (k *Kernel) Pointwise() bool {
	return !slices.ContainsFunc(k.Stores, func(s Store) bool { return s.In != nil })
}

// Fills reports whether a kernel stores all elements of a buffer, whatever was there.
func (k *Kernel) Fills(b *Buffer) bool {
	return slices.ContainsFunc(k.Stores, func(s Store) bool {
		if s.Buf != b || s.Guard != nil || s.In != nil || s.Adds {
			return false
		}
		for d, at := range s.Index {
			if at.Kind != KAxis || at.Extent != b.Shape[d] || slices.Contains(s.Index[:d], at) {
				return false
			}
		}
		return true
	})
}

// Rowwise reports whether points of one index along the first axis write one row of each output each, and nothing else.
func (k *Kernel) Rowwise() bool {
	return k.Pointwise() || len(k.Axes) > 0 && !slices.ContainsFunc(k.Stores, func(s Store) bool {
		return len(s.Index) == 0 || s.Index[0] != k.Axes[0] || s.Buf.Shape[0] != k.Axes[0].Extent
	})
}

// Each is how many rows of each output points of one index along the first axis write, those behind what points of the index before it write: the last
// may write fewer. 0: they write others too.
func (k *Kernel) Each() (rows int) {
	if k.Rowwise() {
		return 1
	}
	if len(k.Axes) == 0 {
		return 0
	}
	axis := k.Axes[0]
	for _, s := range k.Stores {
		if s.In == nil || len(s.Index) == 0 || s.Index[0] != s.In.Index || k.Around(s.In) != nil {
			return 0
		}
		lo := s.In.Lo
		if lo.Kind != KAlu || lo.Op != Mul || !slices.Contains(lo.Args, axis) {
			return 0
		}
		by := lo.Args[0]
		if by == axis {
			by = lo.Args[1]
		}
		each, n := int(by.I), s.Buf.Shape[0]
		if by.Kind != KConst || each < 1 || rows != 0 && each != rows || (n+each-1)/each != axis.Extent {
			return 0
		}
		for _, at := range []int{0, max(0, axis.Extent-2), axis.Extent - 1} {
			end := float64(min((at+1)*each, n))
			least, most, _ := RangeOf(s.In.Hi, func(x *Node) (lo, hi float64, ok bool) { return float64(at), float64(at), x == axis })
			if least != end || most != end {
				return 0
			}
		}
		rows = each
	}
	return rows
}

// Columnwise reports whether the axes are those of what is stored but for its first, which turns of folds go through: a point of the axes
// writes a column of each output, and nothing else.
func (k *Kernel) Columnwise() bool {
	return len(k.Axes) > 0 && !k.Pointwise() && !slices.ContainsFunc(k.Stores, func(s Store) bool {
		return len(s.Index) != len(k.Axes)+1 || !slices.EqualFunc(s.Index[1:], k.Axes, func(at, axis *Node) bool { return at == axis }) ||
			!slices.EqualFunc(s.Buf.Shape[1:], k.Axes, func(extent int, axis *Node) bool { return extent == axis.Extent })
	})
}

// StoresIn calls, for all that stores are made by within a fold (nil: within a point, apart from its own stores), in order: store for
// a store of the fold's turns, run for a fold that has stores and runs once a turn.
func (k *Kernel) StoresIn(f *Fold, store func(*Store), run func(*Fold)) {
	var done []*Fold
	for i := range k.Stores {
		s := &k.Stores[i]
		if s.In == f && f != nil {
			store(s)
			continue
		}
		for g := s.In; g != nil; {
			around := k.Around(g)
			if around == f && !slices.Contains(done, g) {
				done = append(done, g)
				run(g)
			}
			g = around
		}
	}
}

// Writes reports whether the turns of a fold make stores, themselves or by folds in them.
func (k *Kernel) Writes(f *Fold) (yes bool) {
	k.StoresIn(f, func(*Store) { yes = true }, func(*Fold) { yes = true })
	return yes
}

// Around is the innermost fold in whose turns another runs; nil if there is none.
func (k *Kernel) Around(f *Fold) (out *Fold) {
	k.Walk(func(n *Node) {
		if n.Kind == KFold && f.Node.Free().Meets(n.Fold.Binders()) && (out == nil || n.Free().Meets(out.Binders())) {
			out = n.Fold
		}
	})
	return out
}
