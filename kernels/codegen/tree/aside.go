package tree

import (
	"fmt"
	"slices"
)

// kinds are the types of what is set aside.
var kinds = []string{"float", "double"}

// asideName is the array of what is set aside of a type.
func asideName(k int) string { return "aside_" + kinds[k] }

// places declares the memory for what is set aside.
func (h *holder) places() (out []Stmt) {
	for k, n := range h.slots {
		if n > 0 {
			out = append(out, Shared("volatile "+kinds[k], asideName(k), n*h.Threads)) // not volatile, compilers would keep the values in registers
			h.Taken += n * h.Threads * (k + 1) * 4
		}
	}
	if len(out) > 0 {
		at := Bin("+", Name("threadIdx.x"), Bin("*", Name("blockDim.x"), Bin("+", Name("threadIdx.y"), Bin("*", Name("blockDim.y"), Name("threadIdx.z")))))
		out = append(out, Let("int", "aside_at", Cast("int", at)))
	}
	return out
}

// aside writes values in an order; where they take more registers than there are, those that are used latest are in memory until then.
func (h *holder) aside(r *run, order []int) (out []Stmt) {
	left, held, all := r.left(), r.base, len(r.size)
	next := make([][]int, all) // places of uses in the order
	for at, n := range order {
		for _, o := range r.uses[n] {
			next[o] = append(next[o], at)
		}
	}
	kind, slot, away, here, place := make([]int, all), slices.Repeat([]int{-1}, all), make([]bool, all), make([]bool, all), make([]*Expr, all)
	for n := range all {
		if of := h.kind[r.names[n]]; n < len(r.body) {
			kind[n] = slices.Index(kinds, r.body[n].(declaration).kind)
		} else {
			kind[n] = slices.Index(kinds, of)
			if x := h.elsewhere[r.names[n]]; x != nil {
				away[n], place[n] = true, x
				continue
			}
			here[n], held = true, held+r.size[n]
		}
	}
	var free [2][]int
	taken := h.kept // places of values that are aside
	instead := map[string]*Expr{}
	room := func(at int) {
		for held > h.Room && r.base < h.Room { // else there would be no end to it
			far, best := at+1, -1
			for n := range all {
				use := len(order)
				if len(next[n]) > 0 {
					use = next[n][0]
				}
				if here[n] && kind[n] >= 0 && use > far && (!r.after[n] || n < len(r.body)) {
					far, best = use, n
				}
			}
			if best < 0 {
				return
			}
			k := kind[best]
			if place[best] == nil {
				if len(free[k]) == 0 {
					other := max(h.slots[1-k], taken[1-k]) * (2 - k) * 4
					if (max(h.slots[k], taken[k]+1)*(k+1)*4+other)*h.Threads > h.Bytes {
						h.Short = true
						return
					}
					free[k], taken[k] = append(free[k], taken[k]), taken[k]+1
				}
				last := len(free[k]) - 1
				slot[best], free[k] = free[k][last], free[k][:last]
				now := Name(r.names[best])
				if x := instead[r.names[best]]; x != nil {
					now = x
				}
				place[best] = h.place(k, slot[best])
				out = append(out, Set{To: place[best], Value: now})
			}
			here[best], away[best], held = false, true, held-r.size[best]
		}
	}
	for at, n := range order {
		for _, o := range r.uses[n] {
			if away[o] {
				h.reads++
				name := fmt.Sprintf("back%d", h.reads)
				out = append(out, Let(kinds[kind[o]], name, place[o]))
				instead[r.names[o]] = Name(name)
				here[o], away[o], held = true, false, held+r.size[o]
			}
		}
		s := r.body[n].(declaration)
		s.value = s.value.with(instead)
		out = append(out, s)
		here[n], held = true, held+r.size[n]
		for _, o := range append(slices.Clone(r.uses[n]), n) {
			if o != n {
				left[o], next[o] = left[o]-1, next[o][1:]
			}
			if left[o] == 0 {
				if here[o], held = false, held-r.size[o]; slot[o] >= 0 {
					free[kind[o]] = append(free[kind[o]], slot[o])
				}
			}
		}
		room(at)
		h.Most = max(h.Most, held)
	}
	for n := range r.body {
		if r.after[n] && slot[n] >= 0 {
			h.elsewhere[r.names[n]], h.kept = place[n], taken
		}
	}
	for k := range taken {
		h.slots[k] = max(h.slots[k], taken[k])
	}
	return out
}

// place is where a thread has a value aside.
func (h *holder) place(kind, slot int) *Expr {
	return At(Name(asideName(kind)), Add(Name("aside_at"), Int(slot*h.Threads)))
}

// with is an expression with others in place of some names.
func (e *Expr) with(instead map[string]*Expr) *Expr {
	if e == nil || len(instead) == 0 {
		return e
	}
	if x := instead[e.Text]; x != nil && e.form == atom {
		return x
	}
	if len(e.args) == 0 {
		return e
	}
	out := *e
	out.args = make([]*Expr, len(e.args))
	for i, a := range e.args {
		out.args[i] = a.with(instead)
	}
	return &out
}

func (h *holder) sets(list []Set) (out []Set) {
	for _, s := range list {
		out = append(out, Set{To: s.To, Op: s.Op, Value: s.Value.with(h.elsewhere)})
	}
	return out
}

// read is a statement that reads from there what is aside.
func (h *holder) read(s Stmt) Stmt {
	switch s := s.(type) {
	case declaration:
		s.value = s.value.with(h.elsewhere)
		return s
	case Array:
		list := slices.Clone(s.Values)
		for i, x := range list {
			list[i] = x.with(h.elsewhere)
		}
		s.Values = list
		return s
	case Set:
		return Set{To: s.To.with(h.elsewhere), Op: s.Op, Value: s.Value.with(h.elsewhere)}
	case do:
		return do{s.call.with(h.elsewhere)}
	}
	return s
}
