package numpytest

import (
	"fmt"
	"slices"
	"strings"
)

// placed reads an array at other places: known ones, those of an array, and those relative to where the result stands.
func placed(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	at := w.IntN(len(a.dims))
	d := a.dims[at]
	outside, beyond := w.outside(a)
	s := step{"op": "take", "in": args(a), "dim": d.name, "here": false, "by": 0, "outside": beyond}
	by := w.IntN(2*d.n+7) - d.n - 3
	text := func(place string) string {
		return fmt.Sprintf("%s[%s: %s, outside: %s]", a.text, d.name, place, outside)
	}
	switch w.IntN(4) {
	case 0:
		s["here"], s["by"] = true, by
		return w.emit(text(fmt.Sprintf("here + (%d)", by)), a.kind, a.dims, s)
	case 1:
		s["by"] = by
		return w.emit(text(fmt.Sprint(by)), a.kind, without(a.dims, []string{d.name}), s)
	}
	b, ok := w.of(func(b operand) bool { return b.kind == i32 || b.kind == i64 || b.kind.float() && a.kind.float() })
	if !ok {
		return false
	}
	place := b.text
	if b.kind.float() {
		op := w.one("floor", "round")
		place = fmt.Sprintf("%s(%s)", op, b.text)
		s["in"] = []any{a.text, w.hidden(step{"op": op, "kind": b.kind, "in": args(b)})}
	} else {
		s["in"] = args(a, b)
	}
	rest := slices.Clone(a.dims)
	if s["here"] = w.IntN(2) == 0; s["here"] == true {
		place = "here + " + place
	} else if own := slices.IndexFunc(b.dims, func(o dim) bool { return o.name == d.name }); own >= 0 {
		rest[at] = b.dims[own]
	} else {
		rest = without(rest, []string{d.name})
	}
	joined, ok := meet(rest, b.dims)
	if !ok {
		return false
	}
	added := joined[len(rest):]
	dims := append(slices.Clone(added), joined[:len(rest)]...)
	s["dims"] = namesOf(dims)
	return w.emit(text(place), a.kind, dims, s)
}

// outside is what lies beyond the ends of an array, as it is written and as NumPy is told of it.
func (w *writer) outside(a operand) (text string, beyond any) {
	if a.kind == boolean || w.IntN(2) == 0 {
		word := w.one("nearest", "wrap", "mirror")
		return word, word
	}
	v := w.IntN(9) - 4
	return fmt.Sprint(v), v
}

// neighbours are operators that are functions of others.
func neighbours(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	d := a.dims[w.IntN(len(a.dims))]
	k := a.kind.numeric()
	switch w.IntN(4) {
	case 0:
		by := w.IntN(2*d.n+3) - d.n
		return w.emit(fmt.Sprintf("roll(%s, %s, %d)", a.text, d.name, by), a.kind, a.dims, step{"op": "take", "in": args(a), "dim": d.name, "here": true, "by": -by, "outside": "wrap"})
	case 1:
		if d.n < 2 {
			return false
		}
		next := w.hidden(step{"op": "take", "kind": a.kind, "in": args(a), "dim": d.name, "here": true, "by": 1, "outside": "nearest"})
		step0 := w.hidden(step{"op": "sub", "kind": k, "in": []any{next, a.text}, "compute": k})
		dims := slices.Clone(a.dims)
		i := slices.IndexFunc(dims, func(o dim) bool { return o.name == d.name })
		dims[i].n--
		if dims[i].coords != "" {
			dims[i].coords += "-"
		}
		text := fmt.Sprintf("diff(%s, %s)", a.text, d.name)
		if k == i32 {
			text = "cast(" + text + ", i32)"
		}
		return w.emit(text, k, dims,
			step{"op": "slice", "in": []any{step0}, "at": map[string]any{d.name: []int{0, d.n - 1, 1}}})
	}
	over := w.some(namesOf(a.dims))
	n := size(a.dims) / size(without(a.dims, over))
	f := a.kind.inexact()
	mean := w.hidden(step{"op": "mean", "kind": f, "in": args(a), "over": over})
	away := w.hidden(step{"op": "sub", "kind": promote(a.kind, f), "in": []any{a.text, mean}, "compute": promote(a.kind, f)})
	k = promote(a.kind, f)
	squares := w.hidden(step{"op": "power", "kind": k, "in": []any{w.hidden(step{"op": "abs", "kind": k, "in": []any{away}})}, "n": 2})
	sum := w.hidden(step{"op": "sum", "kind": k, "in": []any{squares}, "over": over})
	dims := without(a.dims, over)
	variance := step{"op": "div", "in": []any{sum, n}, "compute": k}
	text := fmt.Sprintf("(%s, over: [%s])", a.text, strings.Join(over, ", "))
	if w.IntN(2) == 0 {
		return w.emit("var"+text, k, dims, variance)
	}
	variance["kind"] = k
	return w.emit("std"+text, k, dims, step{"op": "sqrt", "in": []any{w.hidden(variance)}})
}

// called goes through functions, with a block and with names, and through records.
func called(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	if !b.array {
		return false
	}
	w.names++
	name := fmt.Sprintf("%s_f%d", w.prefix, w.names)
	k := a.with(b)
	within := k
	if within == i32 {
		within = i64
	}
	product := w.hidden(step{"op": "mul", "kind": within, "in": args(a, b), "compute": within})
	switch w.IntN(3) {
	case 0:
		fmt.Fprintf(&w.text, "fn %s(u, v, more = 2) {\n    t = u * v\n    t - more\n}\n", name)
		return w.emit(fmt.Sprintf("%s(%s, v: %s)", name, a.text, b.text), k, dims, step{"op": "sub", "in": []any{product, 2}, "compute": k})
	case 1:
		fmt.Fprintf(&w.text, "fn %s(f, u, v) = f(u * v, u)\n", name)
		return w.emit(fmt.Sprintf("%s((p, q) -> p + q, %s, %s)", name, a.text, b.text), k, dims, step{"op": "add", "in": []any{product, a.text}, "compute": k})
	}
	fmt.Fprintf(&w.text, "%s = (one: %s, both: %s * %s)\n", name, a.text, a.text, b.text)
	return w.emit(fmt.Sprintf("%s.both - %s.one", name, name), k, dims, step{"op": "sub", "in": []any{product, a.text}, "compute": k})
}

// carried is a state that a function makes of itself, over and over or along a dimension.
func carried(w *writer) bool {
	a, ok := w.of(func(a operand) bool { return plainFloat(a) && several(a) })
	if !ok {
		return false
	}
	if w.IntN(3) == 0 {
		turns := 1 + w.IntN(4)
		at := a.text
		for i := range turns {
			half := w.hidden(step{"op": "mul", "kind": a.kind, "in": []any{at, 0.5}, "compute": a.kind})
			s := step{"op": "add", "in": []any{half, 1.25}, "compute": a.kind}
			if i == turns-1 {
				return w.emit(fmt.Sprintf("%s | iterate(u -> u * 0.5 + 1.25, at_most: %d)", a.text, turns), a.kind, a.dims, s)
			}
			s["kind"] = a.kind
			at = w.hidden(s)
		}
	}
	d := a.dims[w.IntN(len(a.dims))]
	text := fmt.Sprintf("((s, g) -> 0.5 * s + g, along: %s, from: %s[%s: 0])", d.name, a.text, d.name)
	s := step{"op": "carry", "in": args(a), "dim": d.name, "fold": w.IntN(2) == 0}
	if s["fold"] == true {
		return w.emit(a.text+" | fold"+text, a.kind, without(a.dims, []string{d.name}), s)
	}
	return w.emit(a.text+" | scan"+text, a.kind, a.dims, s) && w.followed(d.name)
}
