package render

import (
	"fmt"
	"math/bits"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// transposed reports a load that runs along memory from one vector in flight to the next, as many as there are lanes, and
// across it from lane to lane: rows loaded whole and transposed in registers serve all of them. It gives the stride from
// lane to lane.
func (r *renderer) transposed(n *ir.Node, l ir.Linear, pattern []int64) (stride int64, ok bool) {
	if len(r.s.Unroll) != 1 || r.V != r.W || schedule.Registers(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return 0, false
	}
	flight := r.axis(r.s.Unroll[0].Axis)
	if r.laneCount(flight) != 1 || l.Along(flight) != 1 {
		return 0, false
	}
	stride = pattern[1]
	for i, x := range pattern {
		if x != int64(i)*stride {
			return 0, false
		}
	}
	return stride, stride != 0
}

// transposedLoad loads for all vectors in flight: a row of memory for each lane, and then, as often as lanes can be halved,
// vectors that interleave two of them.
func (r *renderer) transposedLoad(n *ir.Node, l ir.Linear, stride int64, v int, sc *scope) value {
	r.count("transposed", n)
	key := fmt.Sprintf("transposed %d", n.ID())
	if _, ok := sc.texts[key]; !ok {
		p := r.pointer(n.Buf, l, 0, origin)
		rows := make([]value, r.W)
		for i := range rows {
			rows[i] = r.name(sc, vector(n.Type, fmt.Sprintf("load_%s(%s + %d)", n.Buf.Type, p, int64(i)*stride)))
		}
		for range bits.Len(uint(r.W)) - 1 {
			next := make([]value, 0, r.W)
			for i := range r.W / 2 {
				for _, half := range []string{"low", "high"} {
					next = append(next, r.name(sc, vector(n.Type, fmt.Sprintf("zip_%s_%s(%s, %s)", half, ctypes[n.Type].sfx, rows[i].s[0], rows[i+r.W/2].s[0]))))
				}
			}
			rows = next
		}
		for i, x := range rows {
			sc.texts[fmt.Sprintf("%s, %d", key, i)] = x
		}
		sc.texts[key] = value{}
	}
	return sc.texts[fmt.Sprintf("%s, %d", key, v)]
}
