// Package inside looks through what changes indices only where they lie beyond the ends of arrays, and tells what lies side by side within them.
package inside

import (
	"slices"

	"weft/kernels/ir"
)

// plus is l + k*m.
func plus(l, m ir.Linear, k int64) ir.Linear {
	out := ir.Linear{Terms: slices.Clone(l.Terms), C: l.C + k*m.C}
	for _, t := range m.Terms {
		out.Add(t.N, k*t.Coef)
	}
	out.Terms = slices.DeleteFunc(out.Terms, func(t ir.Term) bool { return t.Coef == 0 })
	return out
}

// Look looks through what only changes an index that would be beyond the ends, by least and greatest values, remainders, magnitudes, and by another index under conditions. Where none of
// the conditions is negative, it gives what l does. Of two values that are compared, varies tells which one runs along the array.
func Look(l ir.Linear, varies func(*ir.Node) bool) (within ir.Linear, conditions []ir.Linear) {
	if !slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.Coef == 0 || bends(t.N) }) {
		return l, nil
	}
	within.C = l.C
	for _, t := range l.Terms {
		x, more := lookAt(t.N, varies)
		within, conditions = plus(within, x, t.Coef), append(conditions, more...)
	}
	return within, conditions
}

// bends reports what Look looks through.
func bends(n *ir.Node) bool {
	return n.Kind == ir.KAlu && n.Type.Int() && (n.Op == ir.Min || n.Op == ir.Max || n.Op == ir.Abs || n.Op == ir.Mod || n.Op == ir.Select)
}

func lookAt(n *ir.Node, varies func(*ir.Node) bool) (within ir.Linear, conditions []ir.Linear) {
	as := func(n *ir.Node) ir.Linear {
		var l ir.Linear
		l.Add(n, 1)
		x, more := Look(l, varies)
		conditions = append(conditions, more...)
		return x
	}
	if !bends(n) || !varies(n) {
		return ir.Linear{Terms: []ir.Term{{N: n, Coef: 1}}}, nil
	}
	switch n.Op {
	case ir.Min, ir.Max:
		x, y := n.Args[0], n.Args[1]
		if !varies(x) || varies(y) && falls(as(x), varies) {
			x, y = y, x
		}
		conditions = nil
		a, b, sign := as(x), as(y), int64(1)
		if n.Op == ir.Max {
			sign = -1
		}
		return a, append(conditions, plus(plus(ir.Linear{}, b, sign), a, -sign))
	case ir.Select:
		if tests, ok := Tests(n.Args[0]); ok && varies(n.Args[1]) && !varies(n.Args[2]) {
			x := as(n.Args[1])
			return x, append(conditions, tests...)
		}
	case ir.Abs:
		x := as(n.Args[0])
		return x, append(conditions, x)
	case ir.Mod:
		if d := n.Args[1]; d.Kind == ir.KConst && d.I > 0 {
			x := as(n.Args[0])
			return x, append(conditions, x, plus(ir.Linear{C: d.I - 1}, x, -1))
		}
	}
	return ir.Linear{Terms: []ir.Term{{N: n, Coef: 1}}}, nil
}

// falls reports whether what varies is taken away.
func falls(l ir.Linear, varies func(*ir.Node) bool) bool {
	return slices.ContainsFunc(l.Terms, func(t ir.Term) bool { return t.Coef < 0 && varies(t.N) })
}

// Holds gives what must not be negative for a comparison of whole numbers to hold; false: it is none.
func Holds(c *ir.Node) (ir.Linear, bool) {
	var l ir.Linear
	if c.Kind != ir.KAlu || c.Op != ir.Lt && c.Op != ir.Le || !c.Args[0].Type.Int() {
		return l, false
	}
	l.Add(c.Args[1], 1)
	l.Add(c.Args[0], -1)
	if c.Op == ir.Lt {
		l.C--
	}
	return l, true
}

// Tests gives what must not be negative for several comparisons to hold together; false: a condition is another.
func Tests(c *ir.Node) ([]ir.Linear, bool) {
	if c.Kind == ir.KAlu && c.Op == ir.And {
		a, ok := Tests(c.Args[0])
		b, too := Tests(c.Args[1])
		return append(a, b...), ok && too
	}
	l, ok := Holds(c)
	return []ir.Linear{l}, ok
}

// Ends are where the part of an axis begins and ends in which loads of a kernel all lie side by side and are all wanted; Some is false for a kernel
// that has no loads of which this is known.
type Ends struct {
	Axis, From, To int
	Some           bool
}

// Meet takes the part of an axis where the conditions of another load hold too, whatever else they are about; false: that is not known to be
// at least half of it.
func (e *Ends) Meet(axes []*ir.Node, a int, conditions []ir.Linear) bool {
	other, ok := endsOf(axes[a], conditions)
	if !ok || 2*(other.To-other.From) < axes[a].Extent {
		return false
	}
	if !e.Some {
		*e = Ends{a, other.From, other.To, true}
	}
	e.From, e.To = max(e.From, other.From), min(e.To, other.To)
	return true
}

func endsOf(axis *ir.Node, conditions []ir.Linear) (e Ends, ok bool) {
	e.To = axis.Extent
	for _, c := range conditions {
		least, along := float64(c.C), int64(0)
		for _, t := range c.Terms {
			if t.N == axis {
				along = t.Coef
				continue
			}
			lo, hi, ok := ir.SureRange(t.N, nil)
			if !ok || t.N.Free().Meets(axis.Bind()) {
				return e, false
			}
			least += min(lo*float64(t.Coef), hi*float64(t.Coef))
		}
		switch along {
		case 1:
			e.From = max(e.From, int(-least))
		case -1:
			e.To = min(e.To, int(least)+1)
		default:
			return e, false
		}
	}
	return e, true
}
