package schedule

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

// Within looks through what only changes an index that would be beyond the ends, by least and greatest values, remainders and magnitudes. Where none of
// the conditions is negative, it gives what l does. Of two values that are compared, varies tells which one runs along the array.
func Within(l ir.Linear, varies func(*ir.Node) bool) (within ir.Linear, conditions []ir.Linear) {
	within.C = l.C
	for _, t := range l.Terms {
		x, more := withinOf(t.N, varies)
		within, conditions = plus(within, x, t.Coef), append(conditions, more...)
	}
	return within, conditions
}

func withinOf(n *ir.Node, varies func(*ir.Node) bool) (within ir.Linear, conditions []ir.Linear) {
	as := func(n *ir.Node) ir.Linear {
		var l ir.Linear
		l.Add(n, 1)
		x, more := Within(l, varies)
		conditions = append(conditions, more...)
		return x
	}
	if n.Kind != ir.KAlu || !n.Type.Int() || !varies(n) {
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
