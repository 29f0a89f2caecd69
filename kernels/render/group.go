package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// groupOf is the group that a load belongs to; nil if it has no neighbours.
func (r *renderer) groupOf(n *ir.Node) []*ir.Node {
	if r.threads != nil || r.W == 1 {
		return nil
	}
	if r.groups == nil {
		r.groups = schedule.Groups(r.k, r.W)
	}
	return r.groups[n]
}

// groupLoad renders all loads of a group when the first of them is wanted.
func (r *renderer) groupLoad(g []*ir.Node, n *ir.Node, v int, m layout, sc *scope, guard value, guarded, covered bool) value {
	r.count(fmt.Sprintf("gather of %d", len(g)), n)
	key := fmt.Sprintf("group %d.%d %d ", g[0].ID(), v, m)
	if _, ok := sc.texts[key]; !ok {
		first := g[0]
		if guarded {
			guard = r.name(sc, guard)
		}
		p, at := r.gatherAt(first, ir.Flatten(first.Buf, first.Index()), v, m, sc, guard, guarded, covered)
		name := r.fresh("v")
		var names, refs []string
		for i, x := range g {
			names = append(names, fmt.Sprintf("%s_%d", name, i))
			refs = append(refs, "&"+names[i])
			y := vector(x.Type, names[i])
			sc.texts[fmt.Sprintf("%s%d", key, x.ID())] = y
		}
		r.emit(sc, "%s %s;", ctypes[n.Type].v, strings.Join(names, ", "))
		r.emit(sc, "gather%d_%s(%s, %s, %s);", len(g), n.Buf.Type, p, at, strings.Join(refs, ", "))
		sc.texts[key] = guard
	}
	return r.otherwise(n, v, m, sc, sc.texts[fmt.Sprintf("%s%d", key, n.ID())], sc.texts[key], guarded)
}
