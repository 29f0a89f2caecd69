package check

import (
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// here is the name, in an index, of the place where the result stands.
const here = "here"

// index is v[dim: place, ...]: the operator slice for places that are known, then take for those that are computed.
func (c *checker) index(x *syntax.Index, in env) ops.Value {
	base := c.wanted(x.Base, c.eval(x.Base, in))
	take := c.cat.Lookup("take")
	parts := map[string]diag.Span{}
	ok := base != nil
	var at ops.List
	var args []argument
	for _, a := range x.Selection.List {
		if a.Name == nil {
			c.unnamedIndex(a, base)
			ok = false
			continue
		}
		if p := paramOf(take, a, 0); p != nil && p.Accept&(ops.KArray|ops.KList) == 0 && !hasDim(base, a.Name.Text) {
			more, fine := c.arguments([]*syntax.Argument{a}, take, 0, in)
			args, ok = append(args, more...), ok && fine
			continue
		}
		dim := a.Name.Text
		if s, ok := asNames(a.Name, in).(ops.Symbol); ok && (hasDim(base, string(s)) || !hasDim(base, dim)) {
			dim = string(s) // a parameter stands for the dimension that it was given
		}
		parts[dim] = a.Span()
		c.indices++
		v := c.wanted(a.Value, c.eval(a.Value, in))
		c.indices--
		ok = ok && v != nil
		at = append(at, ops.Pair{Name: dim, Value: v})
	}
	if !ok {
		return nil
	}
	var known, computed ops.List
	for _, v := range at {
		if isComputed(v.(ops.Pair).Value, len(args) > 0) {
			computed = append(computed, v)
		} else {
			known = append(known, v)
		}
	}
	where := site{name: x.Selection.Span()}
	of := argument{value: base, expr: x.Base}
	if len(known) > 0 || len(computed) == 0 {
		of.value = c.apply("slice", where, []argument{of, {value: known, at: x.Selection.Span(), parts: parts}})
	}
	if of.value == nil || len(computed) == 0 && len(args) == 0 {
		return of.value
	}
	if len(computed) == 0 {
		a := args[0]
		c.report(problem.WrongKind, a.name.Span(), "`%s` says nothing here: the index has no places but ranges", a.name.Text).Helpf("remove it, or index by an array, such as axis(x, 0 .. 9 in 10)")
		return nil
	}
	return c.apply("take", where, append([]argument{of, {value: computed, at: x.Selection.Span(), parts: parts}}, args...))
}

// isComputed tells places that arrays hold, or that are relative, from those of a slice. Where something is said of what is beyond the ends
// or between points, a number is one of them.
func isComputed(v ops.Value, options bool) bool {
	switch v.(type) {
	case ops.Array, ops.Here:
		return true
	case ops.Number:
		return options
	}
	return false
}

func hasDim(v ops.Value, name string) bool {
	a, ok := v.(ops.Array)
	return ok && a.Type().Dim(name) >= 0
}

// moved adds a value to a place that is relative, or takes it away.
func (c *checker) moved(b *syntax.Binary, left, right ops.Value) ops.Value {
	h, first := left.(ops.Here)
	by, op := right, b.Operator.Text
	if !first {
		h, by = right.(ops.Here), left
	}
	switch {
	case op != "+" && !(first && op == "-"), by.Kind()&(ops.KNumber|ops.KArray) == 0:
		e := b.Left
		if !first {
			e = b.Right
		}
		c.operandKind(e, op, h)
		return nil
	case h.Offset != nil:
		by = c.combine(b, h.Offset, by)
	case op == "-":
		by = c.negative(b.Operator, by, b.Right)
	}
	if by == nil {
		return nil
	}
	return ops.Here{Offset: by}
}
