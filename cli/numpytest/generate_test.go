package numpytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is an element type.
type kind string

const (
	boolean kind = "bool"
	i32     kind = "i32"
	i64     kind = "i64"
	f32     kind = "f32"
	f64     kind = "f64"
)

func (k kind) float() bool { return k == f32 || k == f64 }

// numeric counts booleans as integers, inexact makes floats of integers, promote joins two, as docs/operators.md has it.
func (k kind) numeric() kind {
	if k == boolean {
		return i32
	}
	return k
}

func (k kind) inexact() kind {
	if k == f64 || k == i64 {
		return f64
	}
	return f32
}

func promote(a, b kind) kind {
	a, b = a.numeric(), b.numeric()
	switch {
	case a == f64 || b == f64, a.float() && b == i64, a == i64 && b.float():
		return f64
	case a.float() || b.float():
		return f32
	case a == i64 || b == i64:
		return i64
	}
	return i32
}

// dim is a dimension; arrays meet where those of one name have one extent, and the same coordinates or none.
type dim struct {
	name   string
	n      int
	coords string
}

// operand is an array, or a number written in the program.
type operand struct {
	text  string
	kind  kind
	dims  []dim
	value float64 // of a number
	whole bool    // a number without a fraction
	array bool
}

// with is the kind in which an operand computes with another.
func (a operand) with(b operand) kind {
	switch {
	case a.array && b.array:
		return promote(a.kind, b.kind)
	case b.array:
		return b.with(a)
	case a.kind.float() || b.whole:
		return a.kind.numeric()
	}
	return a.kind.inexact()
}

// step is an operation as NumPy is told of it.
type step map[string]any

// program is a pipeline and what NumPy is told of it.
type program struct {
	Steps   []step            `json:"steps"`
	Outputs map[string]string `json:"outputs"`
	text    strings.Builder
	refused string // what the check of results said, if it did
}

// writer makes up a program.
type writer struct {
	*rand.Rand
	*program
	prefix string
	pool   []operand
	names  int
	taken  []operand // that are written in any case
}

// mostElements bounds the arrays of a program.
const mostElements = 20000

func size(dims []dim) int {
	n := 1
	for _, d := range dims {
		n *= d.n
	}
	return n
}

// compose makes a program over some inputs, which writes its results to files that begin with prefix.
func compose(r *rand.Rand, prefix string, inputs []operand) *program {
	w := &writer{Rand: r, program: &program{Outputs: map[string]string{}}, prefix: prefix}
	for range 1 + w.IntN(3) {
		w.read(inputs[w.IntN(len(inputs))])
	}
	if w.IntN(3) == 0 {
		w.line(w.array())
	}
	for range 3 + w.IntN(9) {
		for !rules[w.IntN(len(rules))](w) {
		}
	}
	outputs := append(w.taken, w.pool[len(w.pool)-1])
	if w.IntN(2) == 0 {
		outputs = append(outputs, w.array())
	}
	for i, o := range outputs {
		if _, there := w.Outputs[o.text]; there {
			continue
		}
		file := fmt.Sprintf("%s_%d.npy", prefix, i)
		w.Outputs[o.text] = file
		fmt.Fprintf(&w.text, "%s | write(%q)\n", o.text, file)
	}
	return w.program
}

// array takes an array made so far, more often a late one.
func (w *writer) array() operand {
	n := len(w.pool)
	return w.pool[max(w.IntN(n), w.IntN(n))]
}

// of takes an array of some kind.
func (w *writer) of(is func(operand) bool) (operand, bool) {
	for range 8 {
		if a := w.array(); is(a) {
			return a, true
		}
	}
	return operand{}, false
}

func plainFloat(a operand) bool { return a.kind.float() }
func isMask(a operand) bool     { return a.kind == boolean }
func several(a operand) bool    { return size(a.dims) > 1 }

// number is one written in the program, or a param of it.
func (w *writer) number() operand {
	v := float64(w.IntN(400)-150) / 32
	o := literal(v, fmt.Sprintf("%.5f", v), false)
	if w.IntN(2) == 0 {
		v := w.IntN(12) - 3
		o = literal(float64(v), fmt.Sprint(v), true)
	}
	if w.IntN(3) == 0 {
		w.names++
		name := fmt.Sprintf("%s_p%d", w.prefix, w.names)
		fmt.Fprintf(&w.text, "param %s = %s\n", name, o.text)
		o.text = name
	}
	return o
}

func literal(v float64, text string, whole bool) operand {
	if v < 0 {
		text = "(" + text + ")"
	}
	return operand{text: text, value: v, whole: whole}
}

// arg is an operand as NumPy is told of it.
func arg(o operand) any {
	if o.array {
		return o.text
	}
	return o.value
}

func args(xs ...operand) []any {
	out := make([]any, len(xs))
	for i, x := range xs {
		out[i] = arg(x)
	}
	return out
}

// other is an operand that meets a, and the dims of both.
func (w *writer) other(a operand) (operand, []dim) {
	if w.IntN(3) > 0 {
		for range 6 {
			b := w.array()
			if dims, ok := meet(a.dims, b.dims); ok {
				return b, dims
			}
		}
	}
	return w.number(), a.dims
}

// meet joins dims by name.
func meet(a, b []dim) ([]dim, bool) {
	out := slices.Clone(a)
	for _, d := range b {
		i := slices.IndexFunc(out, func(o dim) bool { return o.name == d.name })
		switch {
		case i < 0:
			out = append(out, d)
		case out[i].n != d.n || out[i].coords != "" && d.coords != "" && out[i].coords != d.coords:
			return nil, false
		case out[i].coords == "":
			out[i].coords = d.coords
		}
	}
	return out, size(out) <= mostElements
}

// hidden adds a step whose result has no name in the program.
func (w *writer) hidden(s step) string {
	w.names++
	name := fmt.Sprintf("%s_h%d", w.prefix, w.names)
	s["out"] = name
	w.Steps = append(w.Steps, s)
	return name
}

// emit adds a step and its line.
func (w *writer) emit(text string, k kind, dims []dim, s step) bool {
	if k == i32 && slices.Contains(leaving, fmt.Sprint(s["op"])) {
		text = "cast(" + text + ", i32)"
	}
	w.names++
	o := operand{text: fmt.Sprintf("%s_v%d", w.prefix, w.names), kind: k, dims: dims, array: true}
	s["out"], s["kind"] = o.text, k
	w.Steps = append(w.Steps, s)
	w.pool = append(w.pool, o)
	fmt.Fprintf(&w.text, "%s = %s%s\n", o.text, text, w.note(o))
	return true
}

// leaving make i64 of i32 where 32 bits may not do.
var leaving = []string{"add", "sub", "mul", "neg", "power", "abs"}

// note asks for something that must not matter.
func (w *writer) note(o operand) string {
	switch w.IntN(20) {
	case 0:
		return " @keep"
	case 1:
		if len(o.dims) > 0 {
			return fmt.Sprintf(" @tile(%s: %d)", o.dims[0].name, 1+w.IntN(40))
		}
	}
	return ""
}

// read takes an input.
func (w *writer) read(in operand) {
	names := namesOf(in.dims)
	w.emit(fmt.Sprintf("read(%q, dims: [%s])", in.text, strings.Join(names, ", ")), in.kind, in.dims, step{"op": "read", "file": in.text, "dims": names})
}

// line makes an axis that meets an array.
func (w *writer) line(a operand) {
	if len(a.dims) == 0 {
		return
	}
	d := a.dims[w.IntN(len(a.dims))]
	if d.coords != "" || d.n < 2 {
		return
	}
	from, to := float64(w.IntN(9)-4), float64(5+w.IntN(9))
	d.coords = fmt.Sprintf("%g..%g", from, to)
	w.emit(fmt.Sprintf("axis(%s, %g .. %g in %d)", d.name, from, to, d.n), f32, []dim{d}, step{"op": "axis", "dims": []string{d.name}, "from": from, "to": to, "n": d.n})
}

func namesOf(dims []dim) []string {
	out := make([]string, len(dims))
	for i, d := range dims {
		out[i] = d.name
	}
	return out
}

func extentsOf(dims []dim) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = d.n
	}
	return out
}

// without drops the dims of some names.
func without(dims []dim, names []string) []dim {
	return slices.DeleteFunc(slices.Clone(dims), func(d dim) bool { return slices.Contains(names, d.name) })
}
