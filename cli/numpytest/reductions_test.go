package numpytest

import (
	"fmt"
	"slices"
	"strings"
)

func reduction(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	return w.reduce(a, w.some(namesOf(a.dims)))
}

// reduce joins the elements of an array along some dims.
func (w *writer) reduce(a operand, over []string) bool {
	text := fmt.Sprintf(", over: [%s]", strings.Join(over, ", "))
	if len(over) == len(a.dims) && w.IntN(2) == 0 {
		text = ""
	}
	op := w.one("sum", "sum", "mean", "norm", "min", "max", "argmin", "argmax", "median", "quantile")
	if a.kind == boolean {
		op = w.one("any", "all", "sum", "mean")
	}
	k := map[string]kind{
		"sum": i64, "mean": a.kind.inexact(), "norm": a.kind.inexact(), "min": a.kind.numeric(), "max": a.kind.numeric(),
		"argmin": i32, "argmax": i32, "any": boolean, "all": boolean, "median": a.kind.inexact(), "quantile": a.kind.inexact(),
	}[op]
	if op == "sum" && a.kind.float() {
		k = a.kind
	}
	q, part := 0.5, ""
	if op == "quantile" {
		q = float64(w.IntN(21)) / 20
		part = fmt.Sprintf(", %g", q)
	}
	return w.emit(op+"("+a.text+part+text+")", k, without(a.dims, over), step{"op": op, "in": args(a), "over": over, "q": q})
}

// some are a few of the names, in any order.
func (w *writer) some(names []string) []string {
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+w.IntN(len(names))]
}

func product(w *writer) bool {
	a, ok := w.of(several)
	b, dims := w.other(a)
	shared := slices.DeleteFunc(namesOf(a.dims), func(name string) bool { return !slices.Contains(namesOf(b.dims), name) })
	if !ok || len(shared) == 0 {
		return false
	}
	over, k := w.some(shared), a.with(b)
	sum := i64
	if k.float() {
		sum = k
	}
	return w.emit(fmt.Sprintf("dot(%s, %s, over: [%s])", a.text, b.text, strings.Join(over, ", ")), sum, without(dims, over),
		step{"op": "dot", "in": args(a, b), "compute": k, "over": over})
}

func running(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	d, text, k := a.dims[w.IntN(len(a.dims))].name, "", i64
	if len(a.dims) > 1 || w.IntN(2) == 0 {
		text = ", along: " + d
	}
	if a.kind.float() {
		k = a.kind
	}
	return w.emit("cumsum("+a.text+text+")", k, a.dims, step{"op": "cumsum", "in": args(a), "dim": d}) && w.followed(d)
}

// followed reduces what was made last, in order along a dim, or what follows from it element by element: often along that dim, and several times.
func (w *writer) followed(along string) bool {
	made := w.pool[len(w.pool)-1]
	for range w.IntN(4) {
		a, over := made, []string{along}
		if w.IntN(3) == 0 {
			w.emit(a.text+" - 1", a.kind, a.dims, step{"op": "sub", "in": []any{a.text, 1}, "compute": a.kind})
			a = w.pool[len(w.pool)-1]
		}
		if w.IntN(6) == 0 {
			over = w.some(namesOf(a.dims))
		}
		if w.reduce(a, over); w.IntN(2) == 0 {
			w.taken = append(w.taken, w.pool[len(w.pool)-1])
		}
	}
	return true
}

func counted(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	over, text := namesOf(a.dims), ""
	if w.IntN(2) == 0 {
		over = w.some(over)
		text = fmt.Sprintf(", over: [%s]", strings.Join(over, ", "))
	}
	bins := 1 + w.IntN(30)
	from := float64(w.IntN(64)-40) / 16
	to := from + float64(1+w.IntN(80))/16
	in, k := []operand{a}, i64
	if weights, ok := w.of(func(b operand) bool {
		return slices.EqualFunc(a.dims, b.dims, func(x, y dim) bool { return x.name == y.name && x.n == y.n })
	}); ok && w.IntN(2) == 0 {
		in, text = append(in, weights), ", weights: "+weights.text+text
		if weights.kind.float() {
			k = weights.kind
		}
	}
	what, about := fmt.Sprintf("%g .. %g in %d", from, to, bins+1), fmt.Sprintf("bins %g..%g", from, to)
	step := step{"op": "histogram", "over": over, "from": from, "to": to, "n": bins}
	if w.IntN(2) == 0 { // of any widths, rising or falling
		edges := []float64{from}
		for len(edges) <= bins {
			edges = append(edges, edges[len(edges)-1]+float64(1+w.IntN(20))/16)
		}
		to = edges[bins]
		if step["to"] = to; w.IntN(2) == 0 {
			slices.Reverse(edges)
		}
		what = "array([" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(edges)), ", "), "[]") + "], dims: edge)"
		step["edges"], about = edges, "bins of "+what
	}
	dims := append(without(a.dims, over), dim{name: "bin", n: bins, coords: about})
	if slices.Contains(namesOf(dims[:len(dims)-1]), "bin") || size(dims) > mostElements {
		return false
	}
	step["in"] = args(in...)
	return w.emit(fmt.Sprintf("histogram(%s, %s%s)", a.text, what, text), k, dims, step)
}

func decibel(w *writer) bool {
	a, ok := w.of(plainFloat)
	if !ok || len(a.dims) == 0 {
		return false
	}
	over, text := namesOf(a.dims), ""
	if w.IntN(2) == 0 {
		over = over[:1]
		text = ", over: " + over[0]
	}
	return w.emit(fmt.Sprintf("decibel(%s, range: 40 dB%s) / (1 dB)", a.text, text), a.kind, a.dims, step{"op": "decibel", "in": args(a), "range": 40, "over": over})
}

// sorted is an array in rising order along one of its dims.
func sorted(w *writer) bool {
	a := w.array()
	if len(a.dims) == 0 || a.kind == boolean {
		return false
	}
	dims := slices.Clone(a.dims)
	at := w.IntN(len(dims))
	dims[at].coords = ""
	return w.emit(fmt.Sprintf("sort(%s, %s)", a.text, dims[at].name), a.kind, dims, step{"op": "sort", "in": args(a), "dim": dims[at].name})
}
