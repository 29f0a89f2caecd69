package render

import (
	"fmt"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// block is a fold run in blocks of iterations: a loop over each block fills tables, with consecutive iterations as lanes,
// and tests windows; the fold's own loop over the block then reads them.
type block struct {
	size   int
	start  string // C name of the block's first iteration
	outer  *scope // before the fill loop
	fill   *scope
	tables int
	guards []guardTest
}

// guardTest is a lane-uniform condition under which the block must gather.
type guardTest struct {
	bad *ir.Node
	v   int
}

func (b *block) guard(g guardTest) {
	for _, o := range b.guards {
		if o == g {
			return
		}
	}
	b.guards = append(b.guards, g)
}

// isSlow reports a value that takes a slow operation to compute.
func (r *renderer) isSlow(n *ir.Node) bool {
	if x, ok := r.slowMemo[n]; ok {
		return x
	}
	x := n.Kind == ir.KAlu && n.Op.Info().Cost.Slow() && n.Type.Float()
	if n.Kind == ir.KAlu || n.Kind == ir.KLoad {
		for _, a := range n.Args {
			x = x || r.isSlow(a)
		}
	}
	r.slowMemo[n] = x
	return x
}

// tabulates reports a lane-uniform value that changes with the iteration alone and is worth a table.
func (r *renderer) tabulates(n *ir.Node, m layout, sc *scope) bool {
	if m != patch || sc.block == nil || sc != r.top() || r.gathering || r.laned(n) || n.Type == ir.Bool {
		return false
	}
	return !n.Free().Meets(sc.fold.AccBind) && r.isSlow(n)
}

// inFill runs f with the fill loop of the fold at the top of the stack as the place to emit to.
func (r *renderer) inFill(sc *scope, f func()) {
	saved, iter := r.stack, r.iter
	r.stack = append(append([]*scope{}, r.stack[:len(r.stack)-1]...), sc.block.fill)
	r.iter = sc.fold
	f()
	r.stack, r.iter = saved, iter
}

// tabulate computes n for a block of iterations and returns the element of the table at the current one.
func (r *renderer) tabulate(n *ir.Node, v int, sc *scope) value {
	b, c := sc.block, ctypes[n.Type]
	r.tables++
	b.tables++
	name := r.fresh("t")
	at := axisName(sc.fold.Index) + "_in"
	r.emit(b.outer, "%s %s[%d] __attribute__((aligned(64)));", c.c, name, b.size)
	r.inFill(sc, func() {
		x := r.val(n, v, iter).asVec()
		for h := range schedule.Registers(n.Type) {
			r.emit(b.fill, "*(%s_u *)(%s + %s + %d) = %s;", c.v, name, at, h*r.W/schedule.Registers(n.Type), x.s[h])
		}
	})
	return r.name(sc, scalar(n.Type, fmt.Sprintf("%s[%s]", name, at)))
}
