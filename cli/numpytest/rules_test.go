package numpytest

import (
	"fmt"
	"slices"
	"strings"
)

// rules extend a program by an operation, if what there is allows it. Common ones stand several times.
var rules = []func(*writer) bool{
	arithmetic, arithmetic, arithmetic, arithmetic, comparison, comparison, choice, choice, choice, extreme, function, function, function,
	rounding, rounding, logical, cast, quantity, quantity, power, complexes, reduction, reduction, reduction, reduction,
	product, product, running, counted, slice, slice, reverse, transpose, rename, reshape, concat, stack, decibel, indices, negative, clamp, fill,
	sorted, placed, placed, placed, neighbours, neighbours, called, called, carried,
}

func (w *writer) one(options ...string) string { return options[w.IntN(len(options))] }

var signs = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=", "and": "and", "or": "or"}

func arithmetic(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	op := w.one("add", "sub", "mul", "div")
	k := a.with(b)
	if op == "div" {
		k = k.inexact()
		if !b.array && b.value == 0 {
			return false
		}
	}
	if b.array || w.IntN(2) == 0 || op == "div" {
		return w.emit(a.text+" "+signs[op]+" "+b.text, k, dims, step{"op": op, "in": args(a, b), "compute": k})
	}
	return w.emit(b.text+" "+signs[op]+" "+a.text, k, dims, step{"op": op, "in": args(b, a), "compute": k})
}

func comparison(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	op := w.one("less", "less", "less_equal", "equal", "not_equal")
	return w.emit(fmt.Sprintf("(%s %s %s)", a.text, signs[op], b.text), boolean, dims, step{"op": op, "in": args(a, b), "compute": a.with(b)})
}

func choice(w *writer) bool {
	c, ok := w.of(isMask)
	if !ok {
		return false
	}
	a := w.array()
	b, dims := w.other(a)
	dims, ok = meet(c.dims, dims)
	if !ok {
		return false
	}
	k := a.with(b)
	return w.emit(fmt.Sprintf("where(%s, %s, %s)", c.text, a.text, b.text), k, dims, step{"op": "where", "in": args(c, a, b), "compute": k})
}

func extreme(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	op, k := w.one("min", "max"), a.with(b)
	return w.emit(fmt.Sprintf("%s(%s, %s)", op, a.text, b.text), k, dims, step{"op": op, "in": args(a, b), "compute": k})
}

func clamp(w *writer) bool {
	a := w.array()
	low := w.number()
	high := literal(low.value+2.5, fmt.Sprintf("%.5f", low.value+2.5), false)
	k := a.with(high)
	return w.emit(fmt.Sprintf("clamp(%s, %s, %s)", a.text, low.text, high.text), k, a.dims, step{"op": "clamp", "in": args(a, low, high), "compute": k})
}

func function(w *writer) bool {
	a := w.array()
	if w.IntN(4) == 0 {
		if b, dims := w.other(a); b.array {
			k := a.with(b).inexact()
			return w.emit(fmt.Sprintf("atan2(%s, %s) / (1 rad)", a.text, b.text), k, dims, step{"op": "atan2", "in": args(a, b)})
		}
	}
	op := w.one("sqrt", "abs", "sin", "cos", "tan", "tanh", "exp", "log", "log10")
	k := a.kind.inexact()
	if op == "abs" {
		k = a.kind.numeric()
	}
	if r := steep[op]; r > 0 {
		low, high := literal(-r, fmt.Sprint(-r), false), literal(r, fmt.Sprint(r), false)
		within := w.hidden(step{"op": "clamp", "kind": a.with(high), "in": args(a, low, high), "compute": a.with(high)})
		text := fmt.Sprintf("%s(clamp(%s, %s, %s))", op, a.text, low.text, high.text)
		return w.emit(text, k, a.dims, step{"op": op, "in": []any{within}})
	}
	return w.emit(op+"("+a.text+")", k, a.dims, step{"op": op, "in": args(a)})
}

// steep functions make anything of a rounding beyond some magnitude of what they are given.
var steep = map[string]float64{"sin": 20.5, "cos": 20.5, "tan": 1.25, "exp": 20.5}

func rounding(w *writer) bool {
	a := w.array()
	op := w.one("floor", "ceil", "round")
	return w.emit(op+"("+a.text+")", a.kind.numeric(), a.dims, step{"op": op, "in": args(a)})
}

func negative(w *writer) bool {
	a := w.array()
	return w.emit("-"+a.text, a.kind.numeric(), a.dims, step{"op": "neg", "in": args(a)})
}

func logical(w *writer) bool {
	a, ok := w.of(isMask)
	switch {
	case !ok && w.IntN(2) == 0:
		a, ok = w.of(plainFloat)
		return ok && w.emit("is_nan("+a.text+")", boolean, a.dims, step{"op": "is_nan", "in": args(a)})
	case !ok:
		return false
	case w.IntN(3) == 0:
		return w.emit("not "+a.text, boolean, a.dims, step{"op": "not", "in": args(a)})
	}
	b, ok := w.of(isMask)
	dims, meets := meet(a.dims, b.dims)
	op := w.one("and", "or")
	return ok && meets && w.emit(a.text+" "+op+" "+b.text, boolean, dims, step{"op": op, "in": args(a, b)})
}

func cast(w *writer) bool {
	a := w.array()
	k := kind(w.one("bool", "i32", "i64", "f32", "f64"))
	return w.emit(fmt.Sprintf("cast(%s, %s)", a.text, k), k, a.dims, step{"op": "cast", "in": args(a)})
}

// units are quantities and what they are in SI units.
var units = []struct {
	text string
	si   float64
}{{"1 mm", 1e-3}, {"2.5 cm", 2.5e-2}, {"1 km", 1e3}, {"0.5 m", 0.5}, {"1 um", 1e-6}}

// quantity goes through a unit and back, or compares in it.
func quantity(w *writer) bool {
	a := w.array()
	k := a.kind.inexact()
	u, v := units[w.IntN(len(units))], units[w.IntN(len(units))]
	if w.IntN(2) == 0 {
		return w.emit(fmt.Sprintf("%s * %s / (%s)", a.text, u.text, v.text), k, a.dims, step{"op": "scale", "in": args(a), "by": u.si / v.si})
	}
	scaled := w.hidden(step{"op": "scale", "kind": k, "in": args(a), "by": u.si})
	return w.emit(fmt.Sprintf("(%s * %s <= %s)", a.text, u.text, v.text), boolean, a.dims, step{"op": "less_equal", "in": []any{scaled, v.si}, "compute": k})
}

func power(w *writer) bool {
	a := w.array()
	if w.IntN(3) == 0 {
		n := []float64{0.5, 1.5, -0.5, 0.3}[w.IntN(4)]
		return w.emit(fmt.Sprintf("%s ^ (%g)", a.text, n), a.kind.inexact(), a.dims, step{"op": "power", "in": args(a), "n": n})
	}
	n := w.IntN(7) - 2
	k := a.kind.numeric()
	if n < 0 {
		k = a.kind.inexact()
	}
	return w.emit(fmt.Sprintf("%s ^ (%d)", a.text, n), k, a.dims, step{"op": "power", "in": args(a), "n": n})
}

// complexes goes through complex numbers.
func complexes(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	if !b.array {
		return false
	}
	k := a.with(b).inexact()
	z := fmt.Sprintf("complex(%s, %s)", a.text, b.text)
	switch w.IntN(3) {
	case 0:
		return w.emit("abs("+z+")", k, dims, step{"op": "hypotenuse", "in": args(a, b)})
	case 1:
		return w.emit("phase("+z+") / (1 rad)", k, dims, step{"op": "atan2", "in": args(b, a), "order": namesOf(dims)})
	}
	x, y := w.hidden(step{"op": "mul", "kind": k, "in": args(a, a)}), w.hidden(step{"op": "mul", "kind": k, "in": args(b, b)})
	return w.emit(fmt.Sprintf("real(%s * conj(%s))", z, z), k, dims, step{"op": "add", "in": []any{x, y}})
}

func slice(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	at, text, dims := map[string]any{}, []string{}, []dim{}
	for _, d := range a.dims {
		switch lo := w.IntN(d.n); {
		case w.IntN(2) == 0:
			dims = append(dims, d)
		case w.IntN(3) == 0:
			at[d.name] = lo
			text = append(text, fmt.Sprintf("%s: %d", d.name, lo))
		default:
			hi, by := lo+w.IntN(d.n-lo), 1+w.IntN(3)*w.IntN(2)
			at[d.name] = []int{lo, hi + 1, by}
			part := fmt.Sprintf("%s: %d .. %d", d.name, lo, hi)
			if by > 1 {
				part += fmt.Sprintf(" by %d", by)
			}
			text = append(text, part)
			if d.coords != "" {
				d.coords += part
			}
			d.n = (hi-lo)/by + 1
			dims = append(dims, d)
		}
	}
	return len(text) > 0 && w.emit(fmt.Sprintf("%s[%s]", a.text, strings.Join(text, ", ")), a.kind, dims, step{"op": "slice", "in": args(a), "at": at})
}

func reverse(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	dims := slices.Clone(a.dims)
	d := &dims[w.IntN(len(dims))]
	if d.coords != "" {
		d.coords += "r"
	}
	return w.emit(fmt.Sprintf("reverse(%s, %s)", a.text, d.name), a.kind, dims, step{"op": "reverse", "in": args(a), "dim": d.name})
}

func transpose(w *writer) bool {
	a, ok := w.of(func(a operand) bool { return len(a.dims) > 1 })
	if !ok {
		return false
	}
	dims := slices.Clone(a.dims)
	w.Shuffle(len(dims), func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
	return w.emit(fmt.Sprintf("transpose(%s, [%s])", a.text, strings.Join(namesOf(dims), ", ")), a.kind, dims, step{"op": "transpose", "in": args(a), "order": namesOf(dims)})
}

// rename gives a dimension a name of its own, so that the array meets others in an outer product.
func rename(w *writer) bool {
	a, ok := w.of(several)
	if !ok || len(a.dims) > 2 {
		return false
	}
	dims := slices.Clone(a.dims)
	d := &dims[w.IntN(len(dims))]
	from := d.name
	d.name = fmt.Sprintf("d%d", w.IntN(3))
	if slices.Contains(namesOf(a.dims), d.name) {
		return false
	}
	return w.emit(fmt.Sprintf("rename(%s, from: %s, to: %s)", a.text, from, d.name), a.kind, dims, step{"op": "rename", "in": args(a), "from": from, "to": d.name})
}

func reshape(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	n := size(a.dims)
	var dims []dim
	for _, name := range []string{"r0", "r1"} {
		for by := 2 + w.IntN(6); by < 40; by++ {
			if n%by == 0 && n > by {
				dims = append(dims, dim{name: name, n: by})
				n /= by
				break
			}
		}
	}
	dims = append(dims, dim{name: "r2", n: n})
	extents := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(extentsOf(dims))), ", "), "[]")
	return w.emit(fmt.Sprintf("reshape(%s, dims: [%s], extents: [%s])", a.text, strings.Join(namesOf(dims), ", "), extents), a.kind, dims,
		step{"op": "reshape", "in": args(a), "dims": namesOf(dims), "extents": extentsOf(dims)})
}

func concat(w *writer) bool {
	a, ok := w.of(several)
	if !ok || 2*size(a.dims) > mostElements {
		return false
	}
	along := a.dims[w.IntN(len(a.dims))]
	b, ok := w.of(func(b operand) bool {
		if len(b.dims) != len(a.dims) || (a.kind == boolean) != (b.kind == boolean) {
			return false
		}
		rest, other := without(a.dims, []string{along.name}), without(b.dims, []string{along.name})
		joined, meets := meet(rest, other)
		return meets && len(joined) == len(rest) && len(other) == len(rest) && size(b.dims) < mostElements/2
	})
	if !ok {
		return false
	}
	dims, _ := meet(without(a.dims, []string{along.name}), without(b.dims, []string{along.name}))
	i := slices.IndexFunc(b.dims, func(d dim) bool { return d.name == along.name })
	k := a.kind
	if k != boolean {
		k = promote(a.kind, b.kind)
	}
	joined := dim{name: along.name, n: along.n + b.dims[i].n}
	if along.coords != "" && b.dims[i].coords != "" {
		joined.coords = along.coords + "+" + b.dims[i].coords
	}
	at := slices.IndexFunc(a.dims, func(d dim) bool { return d.name == along.name })
	dims = slices.Insert(dims, at, joined)
	return w.emit(fmt.Sprintf("concat([%s, %s], %s)", a.text, b.text, along.name), k, dims, step{"op": "concat", "in": args(a, b), "dim": along.name})
}

func stack(w *writer) bool {
	a := w.array()
	b, dims := w.other(a)
	if !b.array || (a.kind == boolean) != (b.kind == boolean) || slices.Contains(namesOf(dims), "s") || size(dims) > mostElements/2 {
		return false
	}
	k := a.kind
	if k != boolean {
		k = promote(a.kind, b.kind)
	}
	return w.emit(fmt.Sprintf("stack([%s, %s], s)", a.text, b.text), k, append([]dim{{name: "s", n: 2}}, dims...), step{"op": "stack", "in": args(a, b), "dim": "s"})
}

func indices(w *writer) bool {
	a, ok := w.of(several)
	if !ok {
		return false
	}
	d := a.dims[w.IntN(len(a.dims))]
	return w.emit(fmt.Sprintf("indices(%s, %s)", a.text, d.name), i32, []dim{d}, step{"op": "indices", "in": args(a), "dim": d.name})
}

func fill(w *writer) bool {
	a, ok := w.of(several)
	if !ok || w.IntN(3) > 0 {
		return false
	}
	v, k := w.number(), f32
	if v.whole {
		k = i32
	}
	dims := slices.Clone(a.dims)
	for i := range dims {
		dims[i].coords = ""
	}
	extents := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(extentsOf(dims))), ", "), "[]")
	return w.emit(fmt.Sprintf("fill(%s, dims: [%s], extents: [%s])", v.text, strings.Join(namesOf(dims), ", "), extents), k, dims,
		step{"op": "fill", "value": v.value, "dims": namesOf(dims), "extents": extentsOf(dims)})
}
