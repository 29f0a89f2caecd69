package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// load renders a load: uniform, contiguous, window, transposed or gather, by how its index differs over the lanes.
func (r *renderer) load(n *ir.Node, v int, m layout, at int) value {
	if s := r.slabOf(n, at); s != nil {
		return r.slabLoad(n, s, v, at)
	}
	buf := n.Buf
	l := ir.Flatten(buf, n.Index())
	_, rest := r.split(l, m)
	covered, tests := schedule.PadCover(n, r.W)
	guard, guarded := r.conjunction(tests, v, m)
	sc := r.stack[at]
	pattern, known := r.lanePattern(rest, m)
	if m == origin || len(rest.Terms) == 0 {
		return r.uniformLoad(n, v, m, sc, guard, guarded, covered)
	}
	if known && isIota(pattern) && !r.ownActivity(n, at) {
		return r.contiguousLoad(n, l, v, m, sc, guard, guarded, covered)
	}
	if m == patch && !guarded {
		if x, ok := r.windowLoad(n, l, v, at); ok {
			return x
		}
	}
	if m == patch && known && !n.Guarded && !r.masked(at) {
		if stride, ok := r.transposed(n, l, pattern); ok {
			return r.transposedLoad(n, l, stride, v, sc)
		}
	}
	if g := r.groupOf(n); g != nil && !r.masked(at) {
		return r.groupLoad(g, n, v, m, sc, guard, guarded, covered)
	}
	r.count("gather", n)
	return r.gatherLoad(n, l, v, m, sc, guard, guarded, covered)
}

// count notes the class of a load, once for all vectors in flight; copies for blocks without proof do not count.
func (r *renderer) count(class string, n *ir.Node) {
	k := loadClass{n, class}
	if !r.gathering && !r.counted[k] {
		r.counted[k] = true
		r.loads[class]++
	}
}

type loadClass struct {
	n     *ir.Node
	class string
}

// conjunction is the value of all tests together; ok is false if there are none.
func (r *renderer) conjunction(tests []*ir.Node, v int, m layout) (x value, ok bool) {
	for i, t := range tests {
		y := r.val(t, v, m)
		if i == 0 {
			x = y
		} else {
			x = r.op(ir.And, ir.Bool, paren(x), paren(y))
		}
	}
	return x, len(tests) > 0
}

// innerLimit cuts the innermost index of a covered load to the padding next to its row, below lanes before it.
func (r *renderer) innerLimit(n *ir.Node, x value, before int) value {
	size := n.Buf.Shape[len(n.Buf.Shape)-1]
	x = r.op(ir.Max, x.t, x, scalar(x.t, fmt.Sprintf("(%d)", -before)))
	return r.op(ir.Min, x.t, x, scalar(x.t, fmt.Sprint(size)))
}

// rowAndInner parts the index of a load into the start of its row and the innermost index.
func rowAndInner(n *ir.Node) (row ir.Linear, inner *ir.Node) {
	index := n.Index()
	inner = index[len(index)-1]
	strides := n.Buf.Strides()
	for i, x := range index[:len(index)-1] {
		row.Add(x, int64(strides[i]))
	}
	return row, inner
}

func (r *renderer) uniformLoad(n *ir.Node, v int, m layout, sc *scope, guard value, guarded, covered bool) value {
	r.count("uniform", n)
	t := n.Type
	var p string
	if covered {
		row, inner := rowAndInner(n)
		cut := r.name(sc, r.innerLimit(n, r.val(inner, v, m), 1))
		p = r.pointer(n.Buf, row, v, m, extra(r.depth(n), cut))
	} else {
		p = r.pointer(n.Buf, ir.Flatten(n.Buf, n.Index()), v, m)
	}
	r.exactLoads++
	text := fmt.Sprintf("s_load_%s(%s)", n.Buf.Type, p)
	if r.ownActivity(n, r.depth(n)) {
		on, _ := r.active(r.depth(n), r.vary.Of(n), v)
		text = fmt.Sprintf("(%s ? %s : 0)", anyLane(on), text)
	}
	if !guarded {
		return r.name(sc, scalar(t, text))
	}
	_, o := n.Guard()
	other := r.val(o, v, m)
	if guard.vec || other.vec {
		x := r.name(sc, choose(scalar(ir.Bool, anyLane(guard)), scalar(t, text), scalar(t, "0")))
		return r.name(sc, choose(guard, x, other))
	}
	return r.name(sc, choose(paren(guard), scalar(t, text), other))
}

func (r *renderer) contiguousLoad(n *ir.Node, l ir.Linear, v int, m layout, sc *scope, guard value, guarded, covered bool) value {
	r.count("contiguous", n)
	r.exactLoads++
	start := m
	if m == patch {
		start = origin
	}
	var p string
	if covered {
		row, inner := rowAndInner(n)
		first := r.val(inner, v, start)
		if m == iter {
			var il ir.Linear
			il.Add(inner, 1)
			first = r.firstIteration(il, v)
		}
		cut := r.name(sc, r.innerLimit(n, first, r.W))
		p = r.pointer(n.Buf, row, v, start, extra(r.depth(n), cut))
	} else {
		p = r.pointer(n.Buf, l, v, start)
		r.prefetch(n, l, p, sc)
	}
	whole := each(n.Type, func(h int) string { return fmt.Sprintf("%s(%s)", partFunc("load", n, h), p) })
	if !guarded {
		return r.name(sc, whole)
	}
	_, o := n.Guard()
	other := r.val(o, v, m)
	if guard.vec && masksLoads(n.Buf.Type) {
		guard = r.name(sc, guard)
		return r.name(sc, choose(guard, r.name(sc, each(n.Type, func(h int) string {
			return fmt.Sprintf("%s(%s, %s)", partFunc("mask_load", n, h), p, maskPart(guard, n.Type, h))
		})), other))
	}
	x := r.declare(sc, n.Type)
	if guard.vec {
		guard = r.name(sc, guard)
		r.emit(sc, "if (v_all(%s)) {%s} else {", guard.s[0], assign(x, whole))
		r.laneLoop(sc, n, l, v, m, x, func(l string) string { return fmt.Sprintf("%s[%s]", guard.s[0], l) })
		r.emit(sc, "}")
	} else {
		r.emit(sc, "if (%s) {%s} else {%s}", guard.s[0], assign(x, whole), assign(x, each(n.Type, func(int) string { return "(" + ctypes[n.Type].v + "){}" })))
	}
	return r.name(sc, choose(guard, x, other))
}

// firstIteration is an index at the iteration that the loop variable stands at, in layout iter.
func (r *renderer) firstIteration(l ir.Linear, v int) value {
	text := fmt.Sprint(l.C)
	for _, t := range l.Terms {
		x := axisName(t.N)
		if t.N != r.iter.Index {
			x = r.val(t.N, v, iter).s[0]
		}
		text += fmt.Sprintf(" + %s*%d", x, t.Coef)
	}
	return scalar(ir.I32, "("+text+")")
}

// laneLoop reads element by element what on selects, into the zeroed x.
func (r *renderer) laneLoop(sc *scope, n *ir.Node, l ir.Linear, v int, m layout, x value, on func(lane string) string) {
	idx := r.fresh("q")
	per := r.W / schedule.Registers(n.Type)
	i := r.vecIndex(n.Buf, l, v, m)
	storage := "i32"
	list := i.s[0]
	ct := "int"
	if schedule.Registers(i.t) == 2 {
		storage, list, ct = "i64", i.s[0]+", "+i.s[1], "long long"
	}
	r.emit(sc, "%s %s[W]; store_%s(%s, %s);", ct, idx, storage, idx, list)
	for h := range schedule.Registers(n.Type) {
		lane := fmt.Sprintf("l + %d", h*per)
		r.emit(sc, "%s = (%s){}; for (int l = 0; l < %d; l++) if (%s) %s[l] = %ss_load_%s(%s + %s[%s]);", x.s[h], ctypes[x.t].v, per,
			on(lane), x.s[h], negate(x.t), n.Buf.Type, r.bufName(n.Buf), idx, lane)
	}
}

// negate turns a C truth value into a mask.
func negate(t ir.DType) string {
	if t == ir.Bool {
		return "-"
	}
	return ""
}

// partFunc is the prelude function that yields part h of a loaded vector.
func partFunc(what string, n *ir.Node, h int) string {
	if schedule.Registers(n.Type) == 1 {
		return fmt.Sprintf("%s_%s", what, n.Buf.Type)
	}
	return fmt.Sprintf("%s_%s_%d", what, n.Buf.Type, h)
}

// declare makes variables for a vector that branches assign.
func (r *renderer) declare(sc *scope, t ir.DType) value {
	base := r.fresh("v")
	x := each(t, func(h int) string { return fmt.Sprintf("%s_%d", base, h) })
	for h := range schedule.Registers(t) {
		r.emit(sc, "%s %s;", ctypes[t].v, x.s[h])
	}
	return x
}

func assign(x, y value) string {
	out := ""
	for h := range schedule.Registers(x.t) {
		out += fmt.Sprintf(" %s = %s; ", x.s[h], y.part(h))
	}
	return out
}

func (r *renderer) gatherLoad(n *ir.Node, l ir.Linear, v int, m layout, sc *scope, guard value, guarded, covered bool) value {
	if on, ok := r.active(r.depth(n), r.vary.Of(n), v); ok {
		if guarded {
			on = r.op(ir.And, ir.Bool, paren(guard), on)
		}
		guard, guarded = on, true
	}
	if guarded {
		guard = r.name(sc, guard)
	}
	if n.Buf.Cells() > 1<<31-1 {
		x := r.declare(sc, n.Type)
		r.laneLoop(sc, n, l, v, m, x, func(lane string) string {
			if !guarded {
				return "1"
			}
			return fmt.Sprintf("%s[%s]", guard.asVec().s[0], lane)
		})
		return r.otherwise(n, v, m, sc, x, guard, guarded)
	}
	p, at := r.gatherAt(n, l, v, m, sc, guard, guarded, covered)
	x := r.name(sc, each(n.Type, func(h int) string { return fmt.Sprintf("%s(%s, %s)", partFunc("gather", n, h), p, at) }))
	return r.otherwise(n, v, m, sc, x, guard, guarded)
}

// gatherAt is where lanes of a gather lie: a pointer, and the name of an array of indices from there.
func (r *renderer) gatherAt(n *ir.Node, l ir.Linear, v int, m layout, sc *scope, guard value, guarded, covered bool) (p, at string) {
	var idx value
	switch {
	case covered:
		row, inner := rowAndInner(n)
		cut := r.innerLimit(n, r.val(inner, v, m), 1)
		if cut.t == ir.I64 {
			cut = convert(ir.Cast, ir.I32, cut)
		}
		u, rest := r.split(row, m)
		idx = cut
		if len(rest.Terms) > 0 {
			idx = r.op(ir.Add, ir.I32, cut, paren(r.vecIndex(n.Buf, rest, v, m)))
		}
		if guarded {
			u.C, rest.C = 0, 0
			idx = r.op(ir.Add, ir.I32, cut, paren(r.vecIndex(n.Buf, row, v, m).asVec()))
			u = ir.Linear{}
		}
		p = r.pointer(n.Buf, u, v, m)
	case guarded:
		p, idx = r.bufName(n.Buf), r.vecIndex(n.Buf, l, v, m)
	default:
		u, rest := r.split(l, m)
		if pattern, known := r.lanePattern(rest, m); known && m == patch {
			p, at = r.pointer(n.Buf, l, v, origin), r.offsets(sc, pattern)
		} else {
			p, idx = r.pointer(n.Buf, u, v, m), r.vecIndex(n.Buf, rest, v, m)
		}
	}
	if guarded {
		idx = r.op(ir.BitAnd, ir.I32, paren(idx), guard)
	}
	if at == "" {
		at = r.indices(sc, idx.asVec())
	}
	return p, at
}

// otherwise puts the load's other value where its guard does not hold.
func (r *renderer) otherwise(n *ir.Node, v int, m layout, sc *scope, x, guard value, guarded bool) value {
	_, o := n.Guard()
	if !guarded || o == nil {
		return x
	}
	return r.name(sc, choose(guard, x, r.val(o, v, m)))
}

// indices puts the indices of lanes into memory, once for all loads that lie at the same ones from different addresses.
func (r *renderer) indices(sc *scope, idx value) string {
	return r.array(sc, idx.s[0], "int %[1]s[W] __attribute__((aligned(64))); *(vi *)%[1]s = %[2]s; HIDE(%[1]s);")
}

// offsets is an array of known distances between lanes.
func (r *renderer) offsets(sc *scope, pattern []int64) string {
	text := make([]string, len(pattern))
	for i, x := range pattern {
		text[i] = fmt.Sprint(x)
	}
	return r.array(sc, strings.Join(text, ","), "const int %s[W] = {%s};")
}

// array declares an array for an expression once a scope.
func (r *renderer) array(sc *scope, expr, format string) string {
	k := "[]" + expr
	if x, ok := sc.texts[k]; ok {
		return x.s[0]
	}
	name := r.fresh("q")
	r.emit(sc, format, name, expr)
	sc.texts[k] = value{s: [2]string{name}}
	return name
}

// masksLoads reports a storage type that machines load by lanes, without touching the others.
func masksLoads(t ir.DType) bool { return t == ir.F32 || t == ir.I32 || t == ir.F64 || t == ir.I64 }

// anyLane is a C condition: the mask holds somewhere.
func anyLane(mask value) string {
	if mask.vec {
		return fmt.Sprintf("v_any(%s)", mask.s[0])
	}
	return mask.s[0]
}

// active is the mask of lanes for which a value with this variation is wanted: those active in the nearest enclosing
// masked fold, up to a depth, in any of the vectors in flight that share the value. ok is false where all lanes always are.
func (r *renderer) active(depth int, vary ir.Set, v int) (mask value, ok bool) {
	for i := depth; i >= 0; i-- {
		m := r.stack[i].mask
		if m == nil {
			continue
		}
		var out value
		seen := map[string]bool{}
		for w := range r.V {
			x := m(w)
			if r.canon(vary, w) != r.canon(vary, v) || seen[x.s[0]] {
				continue
			}
			seen[x.s[0]] = true
			if len(seen) == 1 {
				out = x
			} else {
				out = paren(r.op(ir.Or, ir.Bool, out, x))
			}
		}
		return out, true
	}
	return value{}, false
}

// masked reports an enclosing masked fold, up to a depth.
func (r *renderer) masked(depth int) bool {
	_, ok := r.active(depth, ir.Set{}, 0)
	return ok
}

// ownActivity reports a load that vectors in flight do not share, inside a fold that they may leave one by one: that some
// vector is active does not mean that its index is in range.
func (r *renderer) ownActivity(n *ir.Node, depth int) bool {
	return r.V > 1 && r.masked(depth) && len(r.copies(r.vary.Of(n))) > 1
}
