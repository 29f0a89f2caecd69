package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// slabOf is the slab that a load reads, nil if none: what is loaded before the innermost loop over blocks comes before slabs
// are filled.
func (r *renderer) slabOf(n *ir.Node, at int) *schedule.Slab {
	if inner := len(r.k.Axes); r.threads == nil || at < inner || r.stack[inner] != r.threads.inner {
		return nil
	}
	for _, s := range r.threads.slabs {
		if slices.Contains(s.Loads, n) {
			return s
		}
	}
	return nil
}

// isOrigin reports a block's first point along an axis.
func (r *renderer) isOrigin(n *ir.Node) bool {
	return r.threads != nil && slices.Contains(r.threads.origins, n)
}

// slabName is the C array of a slab.
func slabName(s *schedule.Slab) string { return fmt.Sprintf("s%d", s.Number) }

// fillSlabs declares the slabs, and has the block's threads load them together: once all are done with what the slabs held
// for the block's last turn, and before any goes on. Indices are cut to the buffer; what is read of a slab is never cut.
func (r *renderer) fillSlabs(root, sc *scope, block [3]int) {
	t := r.threads
	if len(t.slabs) == 0 {
		return
	}
	t.used, t.inner = true, sc
	r.emit(sc, "const int thread = (int)(threadIdx.x + %d * (threadIdx.y + %d * threadIdx.z));", block[0], block[1])
	var bases [][]string
	for _, s := range t.slabs {
		r.emit(root, "WEFT_SHARED %s %s[%d];", storageTypes[s.Buf.Type], slabName(s), s.Cells())
		var list []string
		for _, n := range s.Base {
			list = append(list, r.val(n, 0, patch).s[0])
		}
		bases = append(bases, list)
	}
	r.emit(sc, "__syncthreads();")
	for q, s := range t.slabs {
		var at []string
		stride := s.Cells()
		for d, n := range s.Size {
			stride /= n
			i := "i"
			if stride > 1 {
				i = fmt.Sprintf("i / %d", stride)
			}
			if d > 0 {
				i = fmt.Sprintf("%s %% %d", i, n)
			}
			cut := fmt.Sprintf("s_min_l(s_max_l((long long)%s + (%s), 0), %d)", bases[q][d], i, s.Buf.Shape[d]-1)
			at = append(at, fmt.Sprintf("%s * %d", cut, s.Buf.Strides()[d]))
		}
		r.emit(sc, "for (int i = thread; i < %d; i += %d) %s[i] = __ldg(%s + %s);",
			s.Cells(), block[0]*block[1]*block[2], slabName(s), r.bufName(s.Buf), strings.Join(at, " + "))
	}
	r.emit(sc, "__syncthreads();")
}

// slabLoad reads a load's element from a slab. The index is unsigned, so that its parts may wrap.
func (r *renderer) slabLoad(n *ir.Node, s *schedule.Slab, v int, at int) value {
	r.count("slab", n)
	var l ir.Linear
	stride := int64(s.Cells())
	for d, i := range n.Index() {
		stride /= int64(s.Size[d])
		l.Add(i, stride)
		l.Add(s.Base[d], -stride)
	}
	var sums []summand
	for _, t := range l.Terms {
		if t.Coef != 0 {
			sums = append(sums, summand{r.depth(t.N), fmt.Sprintf("(unsigned)%s * %du", r.val(t.N, v, patch).s[0], uint32(t.Coef))})
		}
	}
	slices.SortStableFunc(sums, func(a, b summand) int { return a.depth - b.depth })
	index := fmt.Sprintf("%du", uint32(l.C))
	for i := 0; i < len(sums); {
		depth := sums[i].depth
		text := index
		for ; i < len(sums) && sums[i].depth == depth; i++ {
			text += " + " + sums[i].text
		}
		index = r.offsetName(r.stack[depth], text)
	}
	text := fmt.Sprintf("s_from_%s(%s[%s])", n.Buf.Type, slabName(s), index)
	guard, other := n.Guard()
	if guard == nil {
		return r.name(r.stack[at], scalar(n.Type, text))
	}
	return r.name(r.stack[at], choose(paren(r.val(guard, v, patch)), scalar(n.Type, text), r.val(other, v, patch)))
}

// offsetName names part of an index once a scope.
func (r *renderer) offsetName(sc *scope, expr string) string {
	k := "slab " + expr
	if x, ok := sc.texts[k]; ok {
		return x.s[0]
	}
	name := r.fresh("o")
	r.emit(sc, "const unsigned %s = %s;", name, expr)
	sc.texts[k] = value{s: [2]string{name}}
	return name
}
