package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// group is two or four loads whose elements lie side by side in memory, the first at the lowest address: lanes fetch them by
// one load instruction each, and most often from one cache line.
type group struct {
	loads []*ir.Node
	id    int
}

// groupOf is the group that a load belongs to; nil if it has no neighbours.
func (r *renderer) groupOf(n *ir.Node) *group {
	if r.threads != nil || r.W == 1 {
		return nil
	}
	if r.groups == nil {
		r.groups = groupsOf(r.k, r.W)
	}
	return r.groups[n]
}

// Beside are the loads of a kernel that gathers fetch two or four at a time, since their elements lie side by side: how many, by
// load.
func Beside(k *ir.Kernel, lanes int) map[*ir.Node]int {
	out := map[*ir.Node]int{}
	for n, g := range groupsOf(k, lanes) {
		out[n] = len(g.loads)
	}
	return out
}

// groupsOf finds the loads of a kernel that lie together, by load. Loads that padding guards are cut to it one by one.
func groupsOf(k *ir.Kernel, lanes int) map[*ir.Node]*group {
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
		if covered, _ := padCover(n, lanes); covered {
			return
		}
		l := flatten(n.Buf, n.Index())
		slices.SortFunc(l.terms, func(a, b term) int { return cmp.Compare(a.n.ID(), b.n.ID()) })
		var text strings.Builder
		for _, t := range l.terms {
			fmt.Fprintf(&text, "%d*%d ", t.n.ID(), t.coef)
		}
		at[n] = l.c
		key := near{buf: n.Buf, terms: text.String()}
		if n.Guarded {
			key.guard, key.other = n.Guard()
		}
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], n)
	})
	out := map[*ir.Node]*group{}
	for _, key := range order {
		loads := sets[key]
		slices.SortStableFunc(loads, func(a, b *ir.Node) int { return cmp.Compare(at[a], at[b]) })
		for len(loads) > 1 {
			n := 1
			for n < min(len(loads), 4) && at[loads[n]] == at[loads[0]]+int64(n) {
				n++
			}
			n &^= n & 1 &^ (n >> 2) // 4, 2 or, for 3, 2
			if n < 2 {
				loads = loads[1:]
				continue
			}
			g := &group{loads: loads[:n:n], id: loads[0].ID()}
			for _, x := range g.loads {
				out[x] = g
			}
			loads = loads[n:]
		}
	}
	return out
}

// groupLoad renders all loads of a group when the first of them is wanted.
func (r *renderer) groupLoad(g *group, n *ir.Node, v int, m layout, sc *scope, guard value, guarded, covered bool) value {
	r.count(fmt.Sprintf("gather of %d", len(g.loads)), n)
	key := fmt.Sprintf("group %d.%d %d ", g.id, v, m)
	if _, ok := sc.texts[key]; !ok {
		first := g.loads[0]
		if guarded {
			guard = r.name(sc, guard)
		}
		p, at := r.gatherAt(first, flatten(first.Buf, first.Index()), v, m, sc, guard, guarded, covered)
		name := r.fresh("v")
		var names, refs []string
		for i, x := range g.loads {
			names = append(names, fmt.Sprintf("%s_%d", name, i))
			refs = append(refs, "&"+names[i])
			y := vector(x.Type, names[i])
			sc.texts[fmt.Sprintf("%s%d", key, x.ID())] = y
		}
		r.emit(sc, "%s %s;", ctypes[n.Type].v, strings.Join(names, ", "))
		r.emit(sc, "gather%d_%s(%s, %s, %s);", len(g.loads), n.Buf.Type, p, at, strings.Join(refs, ", "))
		sc.texts[key] = guard
	}
	return r.otherwise(n, v, m, sc, sc.texts[fmt.Sprintf("%s%d", key, n.ID())], sc.texts[key], guarded)
}
