package render

import (
	"fmt"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// store renders a store for every distinct vector in flight, in the innermost tile loop.
func (r *renderer) store(s output) {
	in := r.top()
	l := ir.Flatten(s.Buf, s.Index)
	vary := r.vary.Of(s.Value)
	for _, n := range s.Index {
		vary = vary.Or(r.vary.Of(n))
	}
	if s.Guard != nil {
		vary = vary.Or(r.vary.Of(s.Guard))
	}
	if r.storeRows(in, s, l) {
		return
	}
	for v := range r.V {
		// Of a combining store every point counts, also where the stored value is the same for many.
		if s.Combine != ir.Ordered || r.canon(vary, v) == v {
			r.storeOne(in, s, l, v)
		}
	}
}

func (r *renderer) storeOne(in *scope, s output, l ir.Linear, v int) {
	x := r.val(s.Value, v, patch)
	guard := value{}
	if s.Guard != nil {
		guard = r.val(s.Guard, v, patch)
	}
	_, rest := r.split(l, patch)
	if len(rest.Terms) == 0 && !x.vec && !guard.vec {
		text := r.storeElement(s, r.pointer(s.Buf, l, v, patch), x.s[0])
		if s.Guard != nil {
			text = fmt.Sprintf("if (%s) %s", guard.s[0], text)
		}
		if s.Combine != ir.Ordered && r.W > 1 && !r.lanes.Empty() {
			text = fmt.Sprintf("for (int l = 0; l < W; l++) %s", text)
		}
		r.emit(in, "%s%s", r.storingThread(v), text)
		return
	}
	x = x.asVec()
	pattern, known := r.lanePattern(rest, patch)
	unless := ""
	if known && isIota(pattern) && s.Combine == ir.Ordered && !s.word {
		list := x.s[0]
		if schedule.Registers(x.t) == 2 {
			list += ", " + x.s[1]
		}
		text := fmt.Sprintf("store_%s(%s, %s);", s.Buf.Type, r.pointer(s.Buf, l, v, origin), list)
		if s.Guard == nil {
			r.emit(in, "%s", text)
			return
		}
		unless = fmt.Sprintf("if (v_all(%s)) %s else ", guard.part(0), text)
	}
	var p, at string
	idx := ""
	if known {
		p, idx = r.pointer(s.Buf, l, v, origin), r.offsets(in, pattern)
	} else {
		idx = r.fresh("q")
		u, rest := r.split(l, patch)
		i := r.vecIndex(s.Buf, rest, v, patch)
		p = r.pointer(s.Buf, u, v, patch)
		if len(rest.Terms) == 0 {
			i = scalar(ir.I32, "0")
		}
		i = i.asVec()
		if schedule.Registers(i.t) == 2 {
			at = fmt.Sprintf("long long %s[W]; store_i64(%s, %s, %s);", idx, idx, i.s[0], i.s[1])
		} else {
			at = fmt.Sprintf("int %s[W]; store_i32(%s, %s);", idx, idx, i.s[0])
		}
	}
	c := ctypes[x.t]
	w := r.fresh("w")
	text := fmt.Sprintf("%s{ %s %s %s[W]; ", unless, at, c.c, w)
	per := r.W / schedule.Registers(x.t)
	for h := range schedule.Registers(x.t) {
		text += fmt.Sprintf("*(%s_u *)(%s + %d) = %s; ", c.v, w, h*per, x.s[h])
	}
	cond := ""
	if s.Guard != nil {
		g := r.fresh("g")
		text += fmt.Sprintf("int %s[W]; *(vi_u *)%s = %s; ", g, g, guard.part(0))
		cond = fmt.Sprintf("if (%s[l]) ", g)
	}
	element := r.storeElement(s, fmt.Sprintf("%s + %s[l]", p, idx), w+"[l]")
	r.emit(in, "%sfor (int l = 0; l < W; l++) %s%s }", text, cond, element)
}

// combines are the prelude's names of what a combining store does.
var combines = map[ir.Monoid]string{ir.Sum: "add", ir.Smallest: "min", ir.Largest: "max"}

func (r *renderer) storeElement(s output, p, x string) string {
	if s.word {
		return fmt.Sprintf("{ const int word = %s; __builtin_memcpy(%s, &word, 4); }", x, p)
	}
	if s.Combine == ir.Ordered {
		return fmt.Sprintf("s_store_%s(%s, %s);", s.Buf.Type, p, x)
	}
	return fmt.Sprintf("s_%s_%s(%s, %s);", combines[s.Combine], s.Buf.Type, p, x)
}
