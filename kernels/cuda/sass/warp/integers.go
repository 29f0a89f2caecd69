package warp

import (
	"math"
	"strconv"
)

// sum adds three numbers, and what other sums carried; predicates take what it carries.
func (o *operands) sum() func(*lane) error {
	to, carried := o.to(), o.says()
	a, b, c := o.addend(), o.addend(), o.addend()
	var and []truth
	for len(o.list) > 0 {
		and = append(and, o.truth())
	}
	return func(l *lane) error {
		x := a(l) + b(l) + c(l)
		for _, p := range and {
			if p(l) {
				x++
			}
		}
		to(l, uint32(x))
		for i, set := range carried {
			set(l, x >= uint64(i+1)<<32)
		}
		return nil
	}
}

// multiply adds a product to a number: of 32 bits, or of 64.
func (o *operands) multiply(has func(string) bool) func(*lane) error {
	if has("HI") { // of a number of 64 bits
		if !has("U32") {
			return nil
		}
		to, a, b, c := o.to(), o.word(), o.word(), o.pair()
		return func(l *lane) error { to(l, uint32((uint64(a(l))*uint64(b(l))+c(l))>>32)); return nil }
	}
	if has("WIDE") {
		to, a, b, c := o.wide(), o.word(), o.word(), o.pair()
		return func(l *lane) error {
			x := uint64(int64(int32(a(l))) * int64(int32(b(l))))
			if has("U32") {
				x = uint64(a(l)) * uint64(b(l))
			}
			to(l, x+c(l))
			return nil
		}
	}
	to, a, b, c := o.to(), o.word(), o.word(), o.word()
	carry := truth(func(*lane) bool { return false })
	if has("X") {
		carry = o.truth()
	}
	return func(l *lane) error {
		x := a(l)*b(l) + c(l)
		if carry(l) {
			x++
		}
		to(l, x)
		return nil
	}
}

// scaled adds a number to one that is shifted to the left: the lower half of the sum, which may carry, or the upper one.
func (o *operands) scaled(has func(string) bool) func(*lane) error {
	to, carried := o.to(), o.says()
	a, b := o.word(), o.word()
	if !has("HI") {
		by := o.word()
		return func(l *lane) error {
			x := uint64(a(l)<<by(l)) + uint64(b(l))
			to(l, uint32(x))
			for _, set := range carried {
				set(l, x >= 1<<32)
			}
			return nil
		}
	}
	upper := func(l *lane) uint64 { return uint64(int64(int32(a(l)))) }
	if !has("SX32") {
		c := o.word()
		upper = func(l *lane) uint64 { return uint64(a(l)) | uint64(c(l))<<32 }
	}
	by, carry := o.word(), truth(func(*lane) bool { return false })
	if has("X") {
		carry = o.truth()
	}
	return func(l *lane) error {
		x := uint32(upper(l)<<by(l)>>32) + b(l)
		if carry(l) {
			x++
		}
		to(l, x)
		return nil
	}
}

// shift takes one half of two words that are shifted together.
func (o *operands) shift(has func(string) bool) func(*lane) error {
	to, low, by, high := o.to(), o.word(), o.word(), o.word()
	var of func(lo, hi, n uint32) uint32
	switch {
	case has("R") && has("S32") && has("HI"):
		of = func(_, hi, n uint32) uint32 { return uint32(int32(hi) >> n) }
	case has("R") && has("U32") && has("HI"):
		of = func(_, hi, n uint32) uint32 { return hi >> n }
	case has("L") && has("U64") && has("HI"):
		of = func(lo, hi, n uint32) uint32 { return uint32((uint64(hi)<<32 | uint64(lo)) << n >> 32) }
	case has("L") && has("U32") && !has("HI"):
		of = func(lo, _, n uint32) uint32 { return lo << n }
	default:
		return nil
	}
	return func(l *lane) error { to(l, of(low(l), high(l), by(l))); return nil }
}

// logic is any function of three bits, for each bit of three words.
func (o *operands) logic() func(*lane) error {
	some := o.says()
	to, a, b, c, table := o.to(), o.word(), o.word(), o.word(), o.word()
	return func(l *lane) error {
		x, y, z, x0 := a(l), b(l), c(l), uint32(0)
		for at, n := uint32(0), table(l); at < 8; at++ {
			if n>>at&1 == 0 {
				continue
			}
			of := func(w, bit uint32) uint32 {
				if at>>bit&1 == 1 {
					return w
				}
				return ^w
			}
			x0 |= of(x, 2) & of(y, 1) & of(z, 0)
		}
		to(l, x0)
		for _, set := range some {
			set(l, x0 != 0)
		}
		return nil
	}
}

// truths is any function of three predicates.
func (o *operands) truths() func(*lane) error {
	set, _ := taken(o, says), o.next()
	a, b, c := o.truth(), o.truth(), o.truth()
	table, err := strconv.ParseUint(o.next(), 0, 8)
	o.fail(err)
	return func(l *lane) error {
		at := 0
		for _, p := range []truth{a, b, c} {
			at <<= 1
			if p(l) {
				at++
			}
		}
		set(l, table>>at&1 == 1)
		return nil
	}
}

// compare compares whole numbers, or float32.
func (o *operands) compare(float bool, has func(string) bool, how string) func(*lane) error {
	set, second := taken(o, says), o.next()
	if second != "PT" && second != "UPT" || has("EX") || has("XOR") {
		return nil
	}
	kind := (*operands).word
	if float {
		kind = (*operands).float
	}
	a, b, with := kind(o), kind(o), o.truth()
	holds := func(less, equal, unordered bool) bool {
		switch how {
		case "LT", "LTU":
			return less || unordered && how == "LTU"
		case "LE", "LEU":
			return less || equal || unordered && how == "LEU"
		case "GT", "GTU":
			return !less && !equal && !unordered || unordered && how == "GTU"
		case "GE", "GEU":
			return !less && !unordered || unordered && how == "GEU"
		case "EQ", "EQU":
			return equal || unordered && how == "EQU"
		case "NE", "NEU":
			return !equal && !unordered || unordered && how == "NEU"
		case "NAN":
			return unordered
		}
		o.fail(ErrUnknown)
		return false
	}
	holds(false, false, false) // whether it is known
	return func(l *lane) error {
		var x bool
		switch {
		case float:
			p, q := math.Float32frombits(a(l)), math.Float32frombits(b(l))
			x = holds(p < q, p == q, p != p || q != q)
		case has("U32"):
			x = holds(a(l) < b(l), a(l) == b(l), false)
		default:
			x = holds(int32(a(l)) < int32(b(l)), a(l) == b(l), false)
		}
		if has("OR") {
			x = x || with(l)
		} else {
			x = x && with(l)
		}
		set(l, x)
		return nil
	}
}
