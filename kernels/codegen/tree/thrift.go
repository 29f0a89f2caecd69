package tree

import (
	"maps"
	"slices"
	"strings"
)

// Thrift is how a program for a thread that has so many registers of 32 bits is to use them: compilers keep to the order in which values are made, and what does not fit
// goes to memory.
type Thrift struct {
	Ample   int // what values may hold at a time without a thought given to their order
	Room    int // and without some of them being set aside, in memory that the threads of a block share
	Threads int // of a block
	Bytes   int // of shared memory for it

	Taken int  // bytes of shared memory that it takes
	Short bool // it was not enough

	Most int // what values hold at a time, at most, in registers
}

// holder goes through a program, and knows what is declared where it is.
type holder struct {
	*Thrift
	size      map[string]int    // registers of what is declared
	kind      map[string]string // and its type
	constant  map[string]bool   // variables that are constants as yet
	elsewhere map[string]*Expr  // where values are that runs before set aside, and what is behind these uses
	kept      [2]int            // places of float and double that such values have
	slots     [2]int            // and all values, at most
	reads     int               // how many values were read back
}

// Order puts values that are made one after the other into an order in which fewer are held at a time, where they are many.
func (t *Thrift) Order(body []Stmt) []Stmt {
	h := &holder{Thrift: t, size: map[string]int{}, kind: map[string]string{}, constant: map[string]bool{}, elsewhere: map[string]*Expr{}}
	out := h.list(body, func(string) bool { return false })
	return append(h.places(), out...)
}

// list does so with statements; outer tells what is used behind them.
func (h *holder) list(body []Stmt, outer func(string) bool) (out []Stmt) {
	aside := maps.Clone(h.elsewhere)
	defer func() { h.elsewhere = aside }()
	last := map[string]int{}
	for i, s := range body {
		names([]Stmt{s}, func(n string) { last[n] = i })
	}
	for i := 0; i < len(body); i++ {
		after := func(n string) bool { return last[n] > i || outer(n) }
		switch s := body[i].(type) {
		case declaration:
			from := i
			for i+1 < len(body) && fixed(body[i]) && fixed(body[i+1]) {
				i++
			}
			if i > from || fixed(s) {
				out = append(out, h.run(body[from:i+1], after)...)
			} else {
				out = append(out, h.read(s))
			}
			for _, x := range body[from : i+1] {
				h.declare(x.(declaration))
			}
			continue
		case Set:
			delete(h.constant, s.To.Text)
			out = append(out, h.read(s))
		case Loop:
			around := map[string]bool{}
			names([]Stmt{s}, func(n string) { around[n] = h.size[n] > 0 })
			s.Vars, s.While, s.Next = h.sets(s.Vars), s.While.with(h.elsewhere), h.sets(s.Next)
			s.Body = h.list(s.Body, func(n string) bool { return around[n] || after(n) })
			out = append(out, s)
		case If:
			s.Cond = s.Cond.with(h.elsewhere)
			s.Then, s.Else = h.list(s.Then, after), h.list(s.Else, after)
			out = append(out, s)
		case Block:
			out = append(out, Block(h.list(s, after)))
		default:
			out = append(out, h.read(s))
		}
	}
	return out
}

// declare notes a value. Constants take no registers.
func (h *holder) declare(s declaration) {
	if s.value != nil && (s.value.form == constant || h.constant[s.value.Text]) {
		if h.constant[s.name] = true; fixed(s) {
			return
		}
	}
	h.size[s.name], h.kind[s.name] = s.registers(), strings.TrimPrefix(s.kind, "const ")
}

// fixed reports the declaration of a value that does not change.
func fixed(s Stmt) bool {
	d, ok := s.(declaration)
	return ok && d.value != nil && strings.HasPrefix(d.qualifier+d.kind, "const ")
}

// registers are those of 32 bits that a variable takes.
func (s declaration) registers() int {
	if strings.ContainsAny(s.kind, "*") || strings.Contains(s.kind, "long") || strings.Contains(s.kind, "double") {
		return 2
	}
	return 1
}

// names tells of all names that statements use, and of those that they assign to.
func names(body []Stmt, tell func(string)) {
	sets := func(list []Set) {
		for _, s := range list {
			s.To.names(tell)
			s.Value.names(tell)
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case declaration:
			s.value.names(tell)
		case Array:
			for _, x := range append([]*Expr{s.N}, s.Values...) {
				x.names(tell)
			}
		case Set:
			sets([]Set{s})
		case do:
			s.call.names(tell)
		case Loop:
			sets(s.Vars)
			s.While.names(tell)
			sets(s.Next)
			names(s.Body, tell)
		case If:
			s.Cond.names(tell)
			names(s.Then, tell)
			names(s.Else, tell)
		case Block:
			names(s, tell)
		}
	}
}

func (e *Expr) names(tell func(string)) {
	if e == nil {
		return
	}
	if e.form == atom {
		tell(e.Text)
	}
	for _, a := range e.args {
		a.names(tell)
	}
}

// run is values made one after the other.
type run struct {
	body  []Stmt
	names []string
	size  []int   // of the values, then of those made before that they use
	uses  [][]int // what each uses, each once
	users [][]int
	after []bool // it is used behind them
	base  int    // what is held all along
}

// run orders values that are made one after the other.
func (h *holder) run(body []Stmt, after func(string) bool) []Stmt {
	r := &run{body: body}
	number := map[string]int{}
	add := func(name string, size int) {
		number[name], r.names = len(r.size), append(r.names, name)
		r.size, r.after, r.users = append(r.size, size), append(r.after, after(name)), append(r.users, nil)
	}
	for _, s := range body {
		add(s.(declaration).name, s.(declaration).registers())
	}
	for i, s := range body {
		var uses []int
		s.(declaration).value.names(func(n string) {
			if _, ok := number[n]; !ok && h.size[n] > 0 {
				add(n, h.size[n])
			}
			if k, ok := number[n]; ok && !slices.Contains(uses, k) {
				uses, r.users[k] = append(uses, k), append(r.users[k], i)
			}
		})
		r.uses = append(r.uses, uses)
	}
	for n, size := range h.size {
		if _, ok := number[n]; !ok && after(n) && h.elsewhere[n] == nil {
			r.base += size
		}
	}
	order := make([]int, len(body))
	for i := range order {
		order[i] = i
	}
	most := r.most(order)
	if most > h.Ample {
		if other := r.thrifty(); r.most(other) < most {
			order, most = other, r.most(other)
		}
	}
	if h.Threads > 0 && (most > h.Room || slices.ContainsFunc(r.names, func(n string) bool { return h.elsewhere[n] != nil })) {
		return h.aside(r, order)
	}
	h.Most = max(h.Most, most)
	out := make([]Stmt, len(body))
	for i, n := range order {
		out[i] = body[n]
	}
	return out
}

// left is how many uses each value has ahead of all.
func (r *run) left() []int {
	out := make([]int, len(r.size))
	for n := range out {
		if out[n] = len(r.users[n]); r.after[n] {
			out[n]++
		}
	}
	return out
}

// most is how many registers are held at a time in an order.
func (r *run) most(order []int) int {
	left, held := r.left(), r.base
	for n := len(r.body); n < len(r.size); n++ {
		held += r.size[n]
	}
	most := held
	for _, n := range order {
		held += r.size[n]
		most = max(most, held)
		for _, o := range r.uses[n] {
			if left[o]--; left[o] == 0 {
				held -= r.size[o]
			}
		}
		if left[n] == 0 {
			held -= r.size[n]
		}
	}
	return most
}

// thrifty is an order in which little is held: what frees as much as it takes comes at once, and then what uses a value with few uses ahead of it, so that values are done with
// one after the other. What is loaded or converted from what was there before waits until it is used.
func (r *run) thrifty() (order []int) {
	left, done := r.left(), make([]bool, len(r.size))
	waits, late := make([]int, len(r.body)), make([]bool, len(r.size))
	for n := range r.body {
		late[n] = r.body[n].(declaration).value.simple() && !slices.ContainsFunc(r.uses[n], func(o int) bool { return o < len(r.body) && !late[o] })
	}
	pending := func(o int) bool { return o < len(r.body) && late[o] && !done[o] }
	var ready []int
	for n := range r.body {
		for _, o := range r.uses[n] {
			if o < len(r.body) && !late[o] {
				waits[n]++
			}
		}
		if waits[n] == 0 && !late[n] {
			ready = append(ready, n)
		}
	}
	var takes func(n int) int // registers more than before, once it is made
	takes = func(n int) (d int) {
		for _, o := range r.uses[n] {
			switch {
			case pending(o):
				if d += takes(o); left[o] == 1 {
					d -= r.size[o]
				}
			case left[o] == 1:
				d -= r.size[o]
			}
		}
		if left[n] > 0 {
			d += r.size[n]
		}
		return d
	}
	ahead := func(n int) int { // uses of what has fewest
		least := 1 << 30
		for _, o := range r.uses[n] {
			if o < len(r.body) && !late[o] {
				least = min(least, left[o])
			}
		}
		return least
	}
	var put func(n int)
	put = func(n int) {
		for _, o := range r.uses[n] {
			if pending(o) {
				put(o)
			}
		}
		order, done[n] = append(order, n), true
		for _, o := range r.uses[n] {
			left[o]--
		}
		if late[n] {
			return
		}
		for _, u := range r.users[n] {
			if waits[u]--; waits[u] == 0 && !late[u] {
				ready = append(ready, u)
			}
		}
	}
	for len(ready) > 0 {
		best, key := 0, [4]int{}
		for i, n := range ready {
			d := takes(n)
			k := [4]int{min(max(d, 0), 1), ahead(n), d, n}
			if i == 0 || slices.Compare(k[:], key[:]) < 0 {
				best, key = i, k
			}
		}
		n := ready[best]
		ready = slices.Delete(ready, best, best+1)
		put(n)
	}
	for n := range r.body { // late values of late values that nothing used
		if !done[n] {
			put(n)
		}
	}
	return order
}

// simple reports what takes hardly any time to make where it is needed: a conversion, a load, or a place in memory.
func (e *Expr) simple() bool {
	return e.form == cast || e.form == atom || e.form == call && strings.HasPrefix(e.Text, "s_load_") || e.form == infix && e.Text == "+"
}
