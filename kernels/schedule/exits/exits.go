// Package exits finds the folds of kernels that end before their last iteration, and what they may leave out.
package exits

import (
	"sync"

	"weft/kernels/ir"
	"weft/kernels/subst"
)

// EndsEarly finds the folds of a kernel that are left as soon as nothing can change their results any more: those that say
// when, and those whose steps show it.
func EndsEarly(k *ir.Kernel) func(*ir.Fold) bool {
	b := sync.OnceValue(func() *ir.Builder { return ir.Extend(k.Roots()) })
	return func(f *ir.Fold) bool {
		return f.While != nil || f.Monoid == ir.Any || f.Monoid == ir.All || f.Monoid == ir.Ordered && Absorber(b(), f) >= 0
	}
}

// CulledBlock gives the smallest block of iterations that a fold of a kernel may leave out because nothing in it is large enough:
// where its steps change nothing unless a value of a buffer with tables of largest values exceeds something. 0: it may not.
func CulledBlock(k *ir.Kernel) func(*ir.Fold) int {
	b := sync.OnceValue(func() *ir.Builder { return ir.Extend(k.Roots()) })
	return func(f *ir.Fold) int {
		own, block := f.Binders(), 0
		quiet := map[*ir.Node]*ir.Node{}
		ir.WalkNodes(f.Step, func(n *ir.Node) {
			if n.Kind != ir.KAlu || n.Op != ir.Lt || n.Args[0].Free().Meets(own) || !n.Args[1].Free().Meets(f.IndexBind) {
				return
			}
			ir.WalkNodes([]*ir.Node{n.Args[1]}, func(m *ir.Node) {
				if m.Kind != ir.KLoad || m.Buf.Facts.Max == nil {
					return
				}
				quiet[n] = b().Const(ir.Bool, 0)
				for _, t := range m.Buf.Facts.Max.Tables {
					if block == 0 || t.Block < block {
						block = t.Block
					}
				}
			})
		})
		if block == 0 || !Idle(b(), f, quiet, -1) {
			return 0
		}
		return block
	}
}

// Absorber is the accumulator of a fold in order that ends it: once it is true, no accumulator ever changes again. -1 if there
// is none. It is found by trying: with the accumulator true, every step must come out as it was.
func Absorber(b *ir.Builder, f *ir.Fold) int {
	if f.Monoid != ir.Ordered || f.While != nil {
		return -1
	}
	for q, a := range f.Accs {
		if a.Type == ir.Bool && Idle(b, f, map[*ir.Node]*ir.Node{a: b.True()}, q) {
			return q
		}
	}
	return -1
}

// Idle reports whether a fold's steps leave its accumulators as they are when some values are replaced; accumulator q (-1: none)
// is one of those.
func Idle(b *ir.Builder, f *ir.Fold, with map[*ir.Node]*ir.Node, q int) bool {
	s := subst.New(b, with)
	for k, step := range f.Step {
		want := f.Accs[k]
		if k == q {
			want = b.True()
		}
		if s.Of(step) != want {
			return false
		}
	}
	return true
}
