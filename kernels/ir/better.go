package ir

import "slices"

// Better is the condition by which an ArgMin or ArgMax takes a value: v < acc (acc < v for ArgMax). Of floats that skip NaN, v = v and not
// acc <= v: an accumulator that begins as NaN, none yet, gives way to any number, an infinite one too.
func (b *Builder) Better(m Monoid, v, acc *Node) *Node {
	less, more := v, acc
	if m == ArgMax {
		less, more = acc, v
	}
	if !v.Type.Float() {
		return b.Lt(less, more)
	}
	return b.And(b.Alu(Eq, v, v), b.Not(b.Le(more, less)))
}

// IsBetter reports whether a condition is one by which an arg monoid takes a value.
func IsBetter(m Monoid, cond, v, acc *Node) bool {
	pair := []*Node{v, acc}
	if m == ArgMax {
		pair = []*Node{acc, v}
	}
	switch {
	case cond.Kind != KAlu:
	case cond.Op == Lt:
		return slices.Equal(cond.Args, pair)
	case cond.Op == And && cond.Args[0].Op == Eq && cond.Args[1].Op == Not && cond.Args[1].Args[0].Op == Le:
		slices.Reverse(pair)
		return slices.Equal(cond.Args[0].Args, []*Node{v, v}) && slices.Equal(cond.Args[1].Args[0].Args, pair)
	}
	return false
}
