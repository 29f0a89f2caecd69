package render

import (
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// storeRows renders a store across memory whose vectors in flight are neighbours in it: four of them are transposed in
// registers, so that each lane stores a row. It reports whether this is such a store.
func (r *renderer) storeRows(in *scope, s output, l ir.Linear) bool {
	u := r.rowAxis(s, l)
	if u < 0 {
		return false
	}
	_, rest := r.split(l, patch)
	pattern, known := r.lanePattern(rest, patch)
	if !known || isIota(pattern) {
		return false
	}
	weight := 1 // of the axis in the number of a vector
	for _, x := range r.s.Unroll[u+1:] {
		weight *= x.N
	}
	at := r.offsets(in, pattern)
	for v := range r.V {
		if v/weight%schedule.RowOf != 0 {
			continue
		}
		var x [schedule.RowOf]string
		for i := range x {
			x[i] = r.val(s.Value, v+i*weight, patch).asVec().s[0]
		}
		r.emit(in, "scatter4_%s(%s, %s, %s, %s, %s, %s);", s.Buf.Type, r.pointer(s.Buf, l, v, origin), at, x[0], x[1], x[2], x[3])
	}
	return true
}

// rowAxis is the place in the schedule of the axis of vectors in flight that a store runs along; -1 if there is none.
func (r *renderer) rowAxis(s output, l ir.Linear) int {
	if r.threads != nil || r.clamp || r.W == 1 || s.Guard != nil || s.Combine != ir.Ordered || s.word || s.Buf.Type != ir.F32 || s.Value.Type != ir.F32 {
		return -1
	}
	for i, u := range r.s.Unroll {
		if axis := r.axis(u.Axis); u.N%schedule.RowOf == 0 && r.laneCount(axis) == 1 && l.Along(axis) == 1 {
			return i
		}
	}
	return -1
}
