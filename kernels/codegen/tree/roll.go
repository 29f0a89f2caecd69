package tree

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// LongTurn is how many statements there are for a vector in flight where a loop over the vectors is worth it: processors see no further, so that nothing is
// gained by having all of them beside each other.
const LongTurn = 256

// Rolled are turns that do the same, each to variables and at places of its own, as one loop over them: compilers take as long for it as for one. What the first
// does for all, and before, comes before the loop. nil: they do not do the same, or are of fewer statements than least, and stay as they are. Nothing
// behind them may use what they declare.
func Rolled(turns [][]Stmt, least int) []Stmt {
	if len(turns) < 2 || len(turns[1]) < least {
		return nil
	}
	before, among, first := likeLast(turns[0], turns[1])
	if first == nil {
		return nil
	}
	r := roll{turns: len(turns), local: map[string]bool{}, numbers: map[*Expr][]int{}, added: map[*Expr][]int{}}
	for _, t := range turns {
		r.other = append(r.other, map[string]string{})
		if v := len(r.other) - 1; v > 0 && !r.sameList(first, t, v) {
			return nil
		}
	}
	for _, s := range among {
		if slices.ContainsFunc(shares(s), func(e *Expr) bool { return !r.apart(e) }) {
			return nil
		}
	}
	out := append(slices.Clone(before), among...)
	for _, name := range r.free {
		values := []*Expr{Name(name)}
		for v := 1; v < r.turns; v++ {
			if r.local[r.other[v][name]] {
				return nil
			}
			values = append(values, Name(r.other[v][name]))
		}
		if r.differs(name) {
			out = append(out, Array{Type: "__typeof__(" + name + ")", Name: "each_" + name, N: Int(r.turns), Values: values})
		}
	}
	for _, found := range []map[*Expr][]int{r.numbers, r.added} {
		for _, list := range found {
			if !even(list) {
				return nil
			}
		}
	}
	return append(out, Count("int", "turn", Int(0), Int(r.turns), 1, r.list(first)...))
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// shape is the text of a statement, whatever the numbers are in it and its names.
func shape(s Stmt) string {
	return strings.ReplaceAll(digits().ReplaceAllString(Text(&Dialect{}, "", []Stmt{s}), "#"), " + #", "")
}

// likeLast finds the statements of a turn, at its end, that are like those of another; among them stand declarations that serve both.
func likeLast(turn, other []Stmt) (before, among, like []Stmt) {
	i := len(turn) - 1
	for j := len(other) - 1; j >= 0; i-- {
		if i < 0 {
			return nil, nil, nil
		}
		if shape(turn[i]) == shape(other[j]) {
			like = append(like, turn[i])
			j--
			continue
		}
		if shares(turn[i]) == nil {
			return nil, nil, nil
		}
		among = append(among, turn[i])
	}
	slices.Reverse(among)
	slices.Reverse(like)
	return turn[:i+1], among, like
}

// shares are the expressions of a declaration of what does not change; nil: the statement is none.
func shares(s Stmt) []*Expr {
	switch s := s.(type) {
	case declaration:
		if s.qualifier != "" || strings.HasSuffix(s.kind, "*const") {
			return []*Expr{s.value}
		}
	case Array:
		return s.Values
	}
	return nil
}

// roll is what tells turns apart.
type roll struct {
	turns   int
	local   map[string]bool     // names that turns declare
	free    []string            // other names
	other   []map[string]string // what a turn has for a name of the first
	numbers map[*Expr][]int     // by turn
	added   map[*Expr][]int     // what turns add to an expression of the first
}

// even reports whether numbers rise by the same from turn to turn.
func even(list []int) bool {
	for v, n := range list {
		if n != list[0]+v*(list[1]-list[0]) {
			return false
		}
	}
	return true
}

func (r *roll) sameList(a, b []Stmt, v int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.same(a[i], b[i], v) {
			return false
		}
	}
	return true
}

// same reports whether a statement of the first turn is one of another, and notes what differs.
func (r *roll) same(a, b Stmt, v int) bool {
	switch a := a.(type) {
	case declaration:
		b, ok := b.(declaration)
		return ok && a.qualifier == b.qualifier && a.kind == b.kind && r.expr(a.value, b.value, v) && r.declare(a.name, b.name, v)
	case Array:
		b, ok := b.(Array)
		return ok && a.Type == b.Type && a.Aligned == b.Aligned && r.expr(a.N, b.N, v) && r.exprs(a.Values, b.Values, v) && r.declare(a.Name, b.Name, v)
	case Set:
		b, ok := b.(Set)
		return ok && (a.To.form != atom || r.local[a.To.Text]) && a.Op == b.Op && r.expr(a.To, b.To, v) && r.expr(a.Value, b.Value, v)
	case do:
		b, ok := b.(do)
		return ok && r.expr(a.call, b.call, v)
	case Loop:
		b, ok := b.(Loop)
		if !ok || a.Type == "" || a.Type != b.Type || len(a.Vars) != len(b.Vars) || len(a.Next) != len(b.Next) {
			return false
		}
		for i, x := range a.Vars {
			if y := b.Vars[i]; !r.expr(x.Value, y.Value, v) || !r.declare(x.To.Text, y.To.Text, v) {
				return false
			}
		}
		for i, x := range a.Next {
			if !r.same(x, b.Next[i], v) {
				return false
			}
		}
		return r.expr(a.While, b.While, v) && r.sameList(a.Body, b.Body, v)
	case If:
		b, ok := b.(If)
		return ok && a.Rare == b.Rare && r.expr(a.Cond, b.Cond, v) && r.sameList(a.Then, b.Then, v) && r.sameList(a.Else, b.Else, v)
	case Block:
		b, ok := b.(Block)
		return ok && r.sameList(a, b, v)
	}
	return false
}

// declare notes that two names are declared in the same place.
func (r *roll) declare(a, b string, v int) bool {
	if was, ok := r.other[v][a]; ok && (was != b || !r.local[a]) {
		return false
	}
	r.local[a], r.other[v][a] = true, b
	return true
}

func (r *roll) exprs(a, b []*Expr, v int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.expr(a[i], b[i], v) {
			return false
		}
	}
	return true
}

// number is what an expression is, if it is a whole number.
func number(e *Expr) (n int, ok bool) {
	n, err := strconv.Atoi(e.Text)
	return n, err == nil && e.form == atom
}

func (r *roll) expr(a, b *Expr, v int) bool {
	if a == nil || b == nil {
		return a == b
	}
	if n, ok := plus(b); ok {
		if _, both := plus(a); !both {
			return r.note(r.added, a, 0, n, v) && r.plain(a, b.args[0], v)
		}
	}
	return r.plain(a, b, v)
}

// plus is what is added to an expression, if that is a whole number.
func plus(e *Expr) (n int, ok bool) {
	if e.form != infix || e.Text != "+" {
		return 0, false
	}
	return number(e.args[1])
}

// note keeps what a turn has where the first has another number.
func (r *roll) note(in map[*Expr][]int, e *Expr, first, n, v int) bool {
	list := in[e]
	if len(list) > v && list[v] != n || len(list) > v+1 || len(list) < v && len(list) > 0 {
		return false
	}
	if list == nil {
		if v > 1 {
			return false
		}
		list = []int{first}
	}
	in[e] = append(list[:v:v], n)
	return true
}

func (r *roll) plain(a, b *Expr, v int) bool {
	x, isX := number(a)
	y, isY := number(b)
	switch {
	case isX || isY:
		return isX && isY && r.note(r.numbers, a, x, y, v)
	case a.form == atom && b.form == atom:
		if was, ok := r.other[v][a.Text]; ok {
			return was == b.Text
		}
		r.other[v][a.Text] = b.Text
		if !slices.Contains(r.free, a.Text) {
			r.free = append(r.free, a.Text)
		}
		return true
	}
	return a.form == b.form && a.Text == b.Text && a.lit == b.lit && a.wrap == b.wrap && r.exprs(a.args, b.args, v)
}

// differs reports whether turns have variables of their own for a name.
func (r *roll) differs(name string) bool {
	return slices.ContainsFunc(r.other[1:], func(m map[string]string) bool { return m[name] != name })
}

// apart reports whether an expression has nothing of what turns declare.
func (r *roll) apart(e *Expr) bool {
	return e == nil || (e.form != atom || !r.local[e.Text]) && !slices.ContainsFunc(e.args, func(x *Expr) bool { return !r.apart(x) })
}

// any is an expression of the first turn as all have it.
func (r *roll) any(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	out := *e
	switch list := r.numbers[e]; {
	case list != nil && list[1] != list[0]:
		out = *Bin("+", e, Times(Name("turn"), int64(list[1]-list[0])))
	case e.form == atom && !r.local[e.Text] && slices.Contains(r.free, e.Text) && r.differs(e.Text):
		out = *At(Name("each_"+e.Text), Name("turn"))
	default:
		out.args = r.all(e.args)
	}
	if list := r.added[e]; list != nil && list[1] != 0 {
		return Bin("+", &out, Times(Name("turn"), int64(list[1])))
	}
	return &out
}

func (r *roll) all(list []*Expr) (out []*Expr) {
	for _, e := range list {
		out = append(out, r.any(e))
	}
	return out
}

func (r *roll) list(of []Stmt) (out []Stmt) {
	for _, s := range of {
		out = append(out, r.stmt(s))
	}
	return out
}

func (r *roll) set(s Set) Set { return Set{To: r.any(s.To), Op: s.Op, Value: r.any(s.Value)} }

func (r *roll) stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case declaration:
		s.value = r.any(s.value)
		return s
	case Array:
		s.N, s.Values = r.any(s.N), r.all(s.Values)
		return s
	case Set:
		return r.set(s)
	case do:
		return do{r.any(s.call)}
	case Loop:
		l := Loop{Type: s.Type, While: r.any(s.While), Body: r.list(s.Body)}
		for _, x := range s.Vars {
			l.Vars = append(l.Vars, r.set(x))
		}
		for _, x := range s.Next {
			l.Next = append(l.Next, r.set(x))
		}
		return l
	case If:
		return If{Cond: r.any(s.Cond), Rare: s.Rare, Then: r.list(s.Then), Else: r.list(s.Else)}
	case Block:
		return Block(r.list(s))
	}
	return s
}
