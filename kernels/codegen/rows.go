package codegen

import (
	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// storePairs writes two stores side by side whose lanes follow each other in memory: two vectors that interleave them. It reports whether these
// are such stores.
func (g *gen) storePairs(in *values.Scope, s form.Output, l ir.Linear) bool {
	_, rest := g.Split(l, values.ByLane)
	pattern, known := g.LanePattern(rest, values.ByLane)
	if !known || g.W == 1 || !tile.Strided(pattern, 2) || g.Masked(len(g.Stack)-1) {
		return false
	}
	vary := g.Vary.Of(s.Value).Or(g.Vary.Of(s.Pair.Value))
	for _, n := range s.Index {
		vary = vary.Or(g.Vary.Of(n))
	}
	for v := range g.V {
		if g.Canon(vary, v) != v {
			continue
		}
		p := g.Pointer(s.Buf, l, v, values.Origin)
		x, y := g.Val(s.Value, v, values.ByLane).AsVec(), g.Val(s.Pair.Value, v, values.ByLane).AsVec()
		for half, zip := range []string{"zip_low", "zip_high"} {
			to := Add(p, Int(int64(half*g.W)))
			in.Add(Do(Call("store_"+s.Buf.Type.String(), to, Call(Fn(zip, ir.F32), x.Regs[0], y.Regs[0]))))
		}
	}
	return true
}

// storeRows writes a store across memory whose vectors in flight are neighbours in it: four of them are transposed in
// registers, so that each lane stores a row. It reports whether this is such a store.
func (g *gen) storeRows(in *values.Scope, s form.Output, l ir.Linear) bool {
	u := g.rowAxis(s, l)
	if u < 0 {
		return false
	}
	_, rest := g.Split(l, values.ByLane)
	pattern, known := g.LanePattern(rest, values.ByLane)
	if !known || tile.Strided(pattern, 1) {
		return false
	}
	weight := 1 // of the axis in the number of a vector
	for _, x := range g.Schedule.Unroll[u+1:] {
		weight *= x.N
	}
	at := g.Offsets(in, pattern)
	for v := range g.V {
		if v/weight%schedule.RowOf != 0 {
			continue
		}
		var x []*Expr
		for i := range schedule.RowOf {
			x = append(x, g.Val(s.Value, v+i*weight, values.ByLane).AsVec().Regs[0])
		}
		in.Add(Do(Call("scatter4_"+s.Buf.Type.String(), append([]*Expr{g.Pointer(s.Buf, l, v, values.Origin), at}, x...)...)))
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
