// Package groups tells which loads of a kernel lie together in memory.
package groups

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// Serve reports whether gathers fetch n elements side by side by twos or fours.
func Serve(n int) bool { return n >= 2 && n <= 4 || n == 8 }

// Brought is how many elements a gather of a group of n brings: of three a fourth as well, which memory has behind every array.
func Brought(n int) int { return (n + 1) &^ 1 }

// Of finds the loads of a kernel that lie together, by load: two to four whose elements lie side by side in memory, the first at the
// lowest address. Lanes fetch them by one load instruction each, and most often from one cache line. Loads that padding guards are cut
// to it one by one.
func Of(k *ir.Kernel, lanes int) map[*ir.Node][]*ir.Node {
	type near struct {
		buf          *ir.Buffer
		guard, other *ir.Node
		terms        string
	}
	at := map[*ir.Node]int64{}
	sets := map[near][]*ir.Node{}
	var order []near
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad || n.Buf.Type != ir.F32 || n.Buf.Cells() > 1<<31-1 {
			return
		}
		if covered, _ := ir.PadCover(n, lanes); covered {
			return
		}
		l := ir.Flatten(n.Buf, n.Index())
		slices.SortFunc(l.Terms, func(a, b ir.Term) int { return cmp.Compare(a.N.ID(), b.N.ID()) })
		var text strings.Builder
		for _, t := range l.Terms {
			fmt.Fprintf(&text, "%d*%d ", t.N.ID(), t.Coef)
		}
		at[n] = l.C
		key := near{buf: n.Buf, terms: text.String()}
		if n.Guarded {
			key.guard, key.other = n.Guard()
		}
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], n)
	})
	out := map[*ir.Node][]*ir.Node{}
	for _, key := range order {
		loads := sets[key]
		slices.SortStableFunc(loads, func(a, b *ir.Node) int { return cmp.Compare(at[a], at[b]) })
		for len(loads) > 1 {
			n := 1
			for n < min(len(loads), 4) && at[loads[n]] == at[loads[0]]+int64(n) {
				n++
			}
			if n < 2 {
				loads = loads[1:]
				continue
			}
			for _, x := range loads[:n] {
				out[x] = loads[:n:n]
			}
			loads = loads[n:]
		}
	}
	return out
}
