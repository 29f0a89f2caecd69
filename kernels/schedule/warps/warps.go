// Package warps chooses which points threads of a warp take together, by how much memory they touch at a time: GPUs load and store pieces of 32 bytes.
package warps

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

const (
	Lanes   = 32   // of a warp
	Threads = 256  // of a block
	sector  = 32   // bytes that are loaded or stored at a time
	worth   = 0.75 // of what the usual shape touches, from which another is better: what lies beside in a line is often in a cache by the next time
)

// Access is a load or a store: how many bytes lie between neighbours along each axis.
type Access []int64

// Anywhere is what lies between neighbours of which that is not known.
const Anywhere = math.MinInt64

// Shape is so many threads along one axis, and the others along another.
type Shape struct{ First, Second, N int }

// Kernel is what is to be known of one without folds.
type Kernel struct {
	*ir.Kernel
	Nodes  []*ir.Node
	Stride func(b *ir.Buffer, index []*ir.Node, axis *ir.Node) int64 // in elements; 0 also where it is not known
	Vary   func(*ir.Node) ir.Set
}

// Block is a block of threads, by axes and how many along each, whose warps touch least, where usual ones, along the first axis of an order as far as that goes, touch much more because
// something lies along another: what is loaded lies along one axis, say, and what is stored along another. Each thread takes so many points side by side along the first axis. nil: there is
// no better one than the usual.
func Block(k Kernel, order []int, each int) (axes, n []int) {
	var extents []int
	for _, x := range k.Axes {
		extents = append(extents, x.Extent)
	}
	best, ok := best(extents, order, k.accesses(), each)
	if !ok {
		return nil, nil
	}
	axes, n = []int{best.First, best.Second}, []int{best.N, min(Threads/best.N, extents[best.Second])}
	for _, a := range order {
		if rest := Threads / (n[0] * n[1]); len(axes) == 2 && rest > 1 && !slices.Contains(axes, a) {
			axes, n = append(axes, a), append(n, min(rest, extents[a], mostThird))
		}
	}
	return axes, n
}

// mostThird are threads of a block along its third axis.
const mostThird = 64

// accesses are all loads and stores. Of what is loaded, caches have the rest of a piece by the next time, so that it counts half of what is stored.
func (k Kernel) accesses() (all []Access) {
	see := func(b *ir.Buffer, index []*ir.Node, times int) {
		var a Access
		for _, x := range k.Axes {
			by := k.Stride(b, index, x) * int64(b.Type.Size())
			if by == 0 && slices.ContainsFunc(index, func(n *ir.Node) bool { return k.Vary(n).Meets(x.Bind()) }) {
				by = Anywhere
			}
			a = append(a, by)
		}
		for range times {
			all = append(all, a)
		}
	}
	for _, n := range k.Nodes {
		if n.Kind == ir.KLoad {
			see(n.Buf, n.Index(), 1)
		}
	}
	for _, st := range k.Stores {
		see(st.Buf, st.Index, 2)
	}
	return all
}

// best is the shape of a warp that touches least; ok is false where the usual one is not much worse.
func best(extents, order []int, all []Access, each int) (best Shape, ok bool) {
	if len(order) < 2 {
		return best, false
	}
	along := func(axis int) int { return (extents[axis] + each - 1) / each }
	usual := Shape{order[0], order[1], Lanes}
	for usual.N > along(usual.First) {
		usual.N /= 2
	}
	across := false
	for _, a := range all {
		if a[usual.First] == Anywhere {
			return best, false // it may lie side by side
		}
		across = across || a[usual.First] >= sector || a[usual.First] <= -sector
	}
	if !across {
		return best, false
	}
	least := worth * touched(all, usual, each)
	for _, first := range order {
		for _, second := range order {
			for n := Lanes; n > 0; n /= 2 {
				s := Shape{first, second, n}
				if first == second || n > along(first) || extents[second]%(Lanes/n) > 0 && extents[second] < Threads/n {
					continue
				}
				if t := touched(all, s, each); t < least {
					best, least, ok = s, t, true
				}
			}
		}
	}
	return best, ok
}

// touched are the pieces that a warp loads and stores.
func touched(all []Access, s Shape, each int) (n float64) {
	for _, a := range all {
		x, y, times := s.N*each, Lanes/s.N, 1
		if a[s.First] == Anywhere {
			x, times = 1, times*x
		}
		if a[s.Second] == Anywhere {
			y, times = 1, times*y
		}
		pieces := map[int64]bool{}
		for i := range x {
			for j := range y {
				at := int64(0)
				if x > 1 {
					at = int64(i) * a[s.First]
				}
				if y > 1 {
					at += int64(j) * a[s.Second]
				}
				pieces[floor(at)] = true
			}
		}
		n += float64(len(pieces) * times)
	}
	return n
}

// floor is the piece at a distance, before where the first one begins, too.
func floor(at int64) int64 {
	if at < 0 {
		at -= sector - 1
	}
	return at / sector
}
