package codegen

import (
	"math/bits"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// transposed reports whether a load runs along memory from one vector in flight to the next, as many as there are lanes, and
// across it from lane to lane: rows loaded whole and transposed in registers serve all of them. It gives the stride from
// lane to lane.
func (g *gen) transposed(n *ir.Node, l ir.Linear, pattern []int64) (stride int64, ok bool) {
	if len(g.Schedule.Unroll) != 1 || g.V != g.W || g.W == 1 || schedule.Registers(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return 0, false
	}
	flight := g.Axes[g.Schedule.Unroll[0].Axis]
	stride = pattern[1]
	return stride, stride != 0 && g.LaneCount(flight) == 1 && l.Along(flight) == 1 && tile.Strided(pattern, stride)
}

// transposedLoad loads for all vectors in flight: a row of memory for each lane, and then, as often as lanes can be halved,
// vectors that interleave two of them.
func (g *gen) transposedLoad(a *access, stride int64) Value {
	g.count("transposed", a.n)
	key := func(v int) together { return together{a.n, v, origin} }
	if _, ok := a.sc.once[key(0)]; !ok {
		p := g.pointer(a.n.Buf, a.l, 0, origin)
		rows := make([]Value, g.W)
		for i := range rows {
			rows[i] = g.name(a.sc, Vector(a.n.Type, Call("load_"+a.n.Buf.Type.String(), Bin("+", p, Int(int64(i)*stride)))))
		}
		for range bits.Len(uint(g.W)) - 1 {
			next := make([]Value, 0, g.W)
			for i := range g.W / 2 {
				for _, half := range []string{"zip_low", "zip_high"} {
					next = append(next, g.name(a.sc, Vector(a.n.Type, Call(Fn(half, a.n.Type), rows[i].Regs[0], rows[i+g.W/2].Regs[0]))))
				}
			}
			rows = next
		}
		for v, x := range rows {
			a.sc.once[key(v)] = x
		}
	}
	return a.sc.once[key(a.v)]
}

// storePairs writes two stores side by side whose lanes follow each other in memory: two vectors that interleave them. It reports whether these
// are such stores.
func (g *gen) storePairs(in *scope, s form.Output, l ir.Linear) bool {
	_, rest := g.split(l, byLane)
	pattern, known := g.lanePattern(rest, byLane)
	if !known || g.W == 1 || !tile.Strided(pattern, 2) || g.masked(len(g.stack)-1) {
		return false
	}
	vary := g.vary.Of(s.Value).Or(g.vary.Of(s.Pair.Value))
	for _, n := range s.Index {
		vary = vary.Or(g.vary.Of(n))
	}
	for v := range g.V {
		if g.Canon(vary, v) != v {
			continue
		}
		p := g.pointer(s.Buf, l, v, origin)
		x, y := g.val(s.Value, v, byLane).AsVec(), g.val(s.Pair.Value, v, byLane).AsVec()
		for half, zip := range []string{"zip_low", "zip_high"} {
			to := Add(p, Int(int64(half*g.W)))
			in.add(Do(Call("store_"+s.Buf.Type.String(), to, Call(Fn(zip, ir.F32), x.Regs[0], y.Regs[0]))))
		}
	}
	return true
}

// storeRows writes a store across memory whose vectors in flight are neighbours in it: four of them are transposed in
// registers, so that each lane stores a row. It reports whether this is such a store.
func (g *gen) storeRows(in *scope, s form.Output, l ir.Linear) bool {
	u := g.rowAxis(s, l)
	if u < 0 {
		return false
	}
	_, rest := g.split(l, byLane)
	pattern, known := g.lanePattern(rest, byLane)
	if !known || tile.Strided(pattern, 1) {
		return false
	}
	weight := 1 // of the axis in the number of a vector
	for _, x := range g.Schedule.Unroll[u+1:] {
		weight *= x.N
	}
	at := g.offsets(in, pattern)
	for v := range g.V {
		if v/weight%schedule.RowOf != 0 {
			continue
		}
		var x []*Expr
		for i := range schedule.RowOf {
			x = append(x, g.val(s.Value, v+i*weight, byLane).AsVec().Regs[0])
		}
		in.add(Do(Call("scatter4_"+s.Buf.Type.String(), append([]*Expr{g.pointer(s.Buf, l, v, origin), at}, x...)...)))
	}
	return true
}

// rowAxis is the place in the schedule of the axis of vectors in flight that a store runs along; -1 if there is none.
func (g *gen) rowAxis(s form.Output, l ir.Linear) int {
	if g.Clamp || g.W == 1 || s.Guard != nil || s.Adds || s.Buf.Type != ir.F32 || s.Value.Type != ir.F32 {
		return -1
	}
	for i, u := range g.Schedule.Unroll {
		if axis := g.Axes[u.Axis]; u.N%schedule.RowOf == 0 && g.LaneCount(axis) == 1 && l.Along(axis) == 1 {
			return i
		}
	}
	return -1
}
