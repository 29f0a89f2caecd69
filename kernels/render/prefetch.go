package render

import (
	"weft/kernels/ir"
)

const (
	longStride = 2048 // bytes from step to step beyond which processors do not see where loads go: they look within a page
	ahead      = 8    // iterations that are asked for beforehand, and at least two steps
)

// prefetch asks for what a contiguous load will read some steps later of the tile loop it is in, where these lie far apart.
func (r *renderer) prefetch(n *ir.Node, l ir.Linear, p string, sc *scope) {
	at := r.depth(n)
	if r.threads != nil || r.s.Flat > 0 || at < 1 || at > len(r.s.Order) || sc != r.stack[at] {
		return
	}
	axis := r.s.Order[at-1]
	stride := l.Along(r.axis(axis))
	step := r.step(axis)
	if stride*int64(step*n.Buf.Type.Size()) < longStride {
		return
	}
	key := "ahead of " + p
	if _, ok := sc.texts[key]; ok {
		return
	}
	sc.texts[key] = value{}
	r.emit(sc, "__builtin_prefetch(%s + %d);", p, stride*int64(max(ahead, 2*step)))
}
