package tree

import (
	"fmt"
	"strings"
)

// Stmt is a statement of a target's program. The few kinds here are all there are.
type Stmt interface{ write(w *writer) }

// The kinds of statements.
type (
	declaration struct {
		qualifier, kind, name string
		value                 *Expr
	}
	// Array declares an array of N, aligned to a vector if Aligned; with Values, it is constant.
	Array struct {
		Type, Name string
		N          *Expr
		Aligned    bool
		Values     []*Expr
	}
	shared struct {
		kind, name string
		n          int
	}
	// Set assigns: To Op= Value, with an empty Op for plain assignment.
	Set struct {
		To    *Expr
		Op    string
		Value *Expr
	}
	do struct{ call *Expr }
	// Loop runs while While holds. Vars of Type are its own.
	Loop struct {
		Type   string
		Vars   []Set
		While  *Expr
		Next   []Set
		Body   []Stmt
		Unroll int // turns that compilers write one behind the other: 1 are none; 0: as they think best
	}
	// If chooses; Rare says that Then is hardly ever chosen.
	If struct {
		Cond       *Expr
		Then, Else []Stmt
		Rare       bool
	}
	// Leave leaves the innermost loop, Continue goes on with its next turn, Return leaves the function.
	Leave    struct{}
	Continue struct{}
	Return   struct{}
	// Barrier has the threads of a block wait for each other.
	Barrier struct{}
	// Block is statements with names of their own.
	Block []Stmt
)

// To is the assignment of a value to a variable.
func To(name string, value *Expr) Set { return Set{To: Name(name), Value: value} }

// Count is the loop of an integer variable over [from, to) in steps. From nil goes on where the variable, declared before, stands.
func Count(t, name string, from, to *Expr, step int, body ...Stmt) Loop {
	l := Loop{Type: t, While: Bin("<", Name(name), to), Body: body}
	if from != nil {
		l.Vars = []Set{To(name, from)}
	}
	if step > 0 {
		l.Next = []Set{{Name(name), "+", Int(step)}}
	}
	return l
}

type writer struct {
	strings.Builder
	d *Dialect
}

// Text is a function of statements.
func Text(d *Dialect, head string, body []Stmt) string {
	w := &writer{d: d}
	w.line("%s {", head)
	w.body(body)
	w.line("}")
	return w.String()
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) body(list []Stmt) {
	for _, s := range list {
		s.write(w)
	}
}

// Let names a value that does not change.
func Let(kind, name string, value *Expr) Stmt { return declaration{"const ", kind, name, value} }

// Var declares a variable; a value of nil leaves it open.
func Var(kind, name string, value *Expr) Stmt { return declaration{"", kind, name, value} }

// Shared declares an array of n that the threads of a block have in common.
func Shared(kind, name string, n int) Stmt { return shared{kind, name, n} }

// IsMemory reports the declaration of an array.
func IsMemory(s Stmt) bool {
	switch s.(type) {
	case shared, Array:
		return true
	}
	return false
}

// Do computes for what a call does: a store.
func Do(call *Expr) Stmt { return do{call} }

func (s declaration) write(w *writer) {
	value := ""
	if s.value != nil {
		value = " = " + w.d.Text(s.value)
	}
	w.line("%s%s %s%s;", s.qualifier, s.kind, s.name, value)
}

func (s Array) write(w *writer) {
	aligned, constant, values := "", "", ""
	if s.Aligned {
		aligned = " __attribute__((aligned(64)))"
	}
	if s.Values != nil {
		list := make([]string, len(s.Values))
		for i, x := range s.Values {
			list[i] = w.d.Text(x)
		}
		constant, values = "const ", " = {"+strings.Join(list, ", ")+"}"
	}
	w.line("%s%s %s[%s]%s%s;", constant, s.Type, s.Name, w.d.Text(s.N), aligned, values)
}

func (s shared) write(w *writer) { w.line("%s %s %s[%d];", w.d.Shared, s.kind, s.name, s.n) }

func (s Set) write(w *writer) { w.line("%s;", w.assignment(s)) }

func (w *writer) assignment(s Set) string {
	to, value := w.d.Text(s.To), w.d.Text(s.Value)
	if s.Op == "+" && value == "1" {
		return to + "++"
	}
	return to + " " + s.Op + "= " + value
}

func (s do) write(w *writer) { w.line("%s;", w.d.Text(s.call)) }

func (s Loop) write(w *writer) {
	list := func(of []Set) string {
		var out []string
		for _, x := range of {
			out = append(out, w.assignment(x))
		}
		return strings.Join(out, ", ")
	}
	vars := list(s.Vars)
	if len(s.Vars) > 0 {
		vars = s.Type + " " + vars
	}
	if s.Unroll > 0 && w.d.Unroll != "" {
		w.line(w.d.Unroll, s.Unroll)
	}
	w.line("for (%s; %s; %s) {", vars, w.d.Text(s.While), list(s.Next))
	w.body(s.Body)
	w.line("}")
}

// When makes a statement conditional; nil: it is not.
func When(cond *Expr, s Stmt) Stmt {
	if cond == nil {
		return s
	}
	return If{Cond: cond, Then: []Stmt{s}}
}

// Interleaved are turns that do not wait for each other, each in the same stages: a stage of all turns, and then the next one.
func Interleaved(turns [][][]Stmt) (out []Stmt) {
	for stage := range turns[0] {
		for _, t := range turns {
			out = append(out, t[stage]...)
		}
	}
	return out
}

// EachLane does a statement for each lane, l.
func EachLane(s Stmt) Stmt { return Count("int", "l", Int(0), Name("W"), 1, s) }

func (s If) write(w *writer) {
	cond := w.d.Text(s.Cond)
	if s.Rare {
		cond = "__builtin_expect(" + cond + ", 0)"
	}
	w.line("if (%s) {", cond)
	w.body(s.Then)
	if len(s.Else) > 0 {
		w.line("} else {")
		w.body(s.Else)
	}
	w.line("}")
}

func (Leave) write(w *writer)    { w.line("break;") }
func (Continue) write(w *writer) { w.line("continue;") }
func (Return) write(w *writer)   { w.line("return;") }
func (Barrier) write(w *writer)  { w.line("%s;", w.d.Barrier) }

func (s Block) write(w *writer) {
	w.line("{")
	w.body(s)
	w.line("}")
}
