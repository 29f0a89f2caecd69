package check

import (
	"math"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// number is a literal with its sign and its unit, in SI: the sign comes before the zero of the unit, so -5 degC is below 0 degC.
func (c *checker) number(n *syntax.Number, sign float64) ops.Value {
	if math.IsInf(n.Value, 0) {
		c.report(problem.NotFiniteConstant, n.Span(), "the number is too large")
		return nil
	}
	if n.Unit == nil {
		return ops.Number{V: sign * n.Value, Int: n.Whole}
	}
	u := ops.Unit{}
	for _, f := range n.Unit.Factors {
		unit, ok := ops.NamedUnit(f.Name.Text)
		if !ok {
			return nil // the scanner has reported it
		}
		if unit.Offset != 0 && (len(n.Unit.Factors) > 1 || f.Exponent != 1) {
			c.report(problem.OffsetUnit, f.Span(), "%s has a zero of its own and does not multiply", f.Name.Text).Helpf("use K for differences")
			return nil
		}
		if len(n.Unit.Factors) == 1 && f.Exponent == 1 {
			u = unit
			continue
		}
		p := unit.Power(f.Exponent)
		scale := u.SI() * p.SI()
		u = u.Times(p)
		u.Scale = scale
	}
	u.Symbol = strings.Join(strings.Fields(n.Unit.Span().Text()), "")
	return c.finite(n, ops.Number{V: sign*n.Value*u.SI() + u.Offset, Unit: u})
}

func (c *checker) rangeOf(r *syntax.Range, in env) ops.Value {
	from, ok1 := c.asNumber(r.Start, in, "a range begins with a number")
	to, ok2 := c.asNumber(r.End, in, "a range ends with a number")
	out := ops.Range{From: from, To: to}
	ok3 := true
	if r.Count != nil {
		var n ops.Number
		n, ok3 = c.asNumber(r.Count, in, "the number of points is a number")
		switch {
		case !ok3:
		case !n.Unit.Plain() || n.V != math.Trunc(n.V):
			c.report(problem.NotWhole, r.Count.Span(), "the number of points must be whole, not %s", n)
			ok3 = false
		case n.V < 1:
			c.report(problem.ZeroExtent, r.Count.Span(), "a range of %s points is empty", n).Helpf("give at least 1")
			ok3 = false
		}
		out.N = int(n.V)
	}
	if r.Step != nil {
		var n ops.Number
		n, ok3 = c.asNumber(r.Step, in, "the step is a number")
		fromEnd := to.Int && to.V < 0 // an index: only the dimension tells where it is
		if ok3 && ok1 && ok2 && (n.V == 0 || (to.V-from.V)*n.V < 0 && !fromEnd) {
			c.report(problem.BadStep, r.Step.Span(), "steps of %s never lead from %s to %s", n, from, to)
			ok3 = false
		}
		if ok3 && n.Unit.Offset != 0 {
			c.report(problem.OffsetUnit, r.Step.Span(), "a step is a difference, and %s counts from a zero of its own", n.Unit).Helpf("a difference of temperature is in K")
			ok3 = false
		}
		if ok3 && ok1 && !n.Unit.Same(from.Unit) {
			c.report(problem.UnitMismatch, r.Step.Span(), "the step is in %s, the range in %s", n.Unit.Describe(), from.Unit.Describe())
			ok3 = false
		}
		out.Step = n.V
	}
	if ok1 && ok2 && (math.IsNaN(from.V+to.V) || math.IsInf(from.V+to.V, 0) && (r.Count != nil || r.Step != nil)) {
		c.report(problem.NotFiniteConstant, r.Span(), "a range goes from one number to another, not from %s to %s", from, to)
		ok3 = false
	}
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	if !from.Unit.Same(to.Unit) {
		c.report(problem.UnitMismatch, r.Span(), "a range from %s to %s mixes %s and %s", from, to, from.Unit.Describe(), to.Unit.Describe())
		return nil
	}
	return out
}

// segment is a part of a dim. Where its ends may be is known by who takes it.
func (c *checker) segment(s *syntax.Segment, in env) ops.Value {
	ends := s.Ends.(*syntax.Range)
	from, to := c.wanted(ends.Start, c.eval(ends.Start, in)), c.wanted(ends.End, c.eval(ends.End, in))
	name, ok := asNames(s.Dim, in).(ops.Symbol)
	if !ok {
		c.report(problem.NotANameList, s.Dim.Span(), "`%s` is no name of a dimension", s.Dim.Text)
	}
	if from == nil || to == nil || !ok {
		return nil
	}
	return ops.Segment{Dim: string(name), From: from, To: to}
}

func (c *checker) asNumber(e syntax.Expr, in env, what string) (ops.Number, bool) {
	v := c.wanted(e, c.eval(e, in))
	n, ok := v.(ops.Number)
	if v != nil && !ok {
		c.report(problem.NotANumber, e.Span(), "%s, not %s", what, kindOf(v))
	}
	return n, ok
}

func (c *checker) unary(u *syntax.Unary, in env) ops.Value {
	if n, ok := u.Operand.(*syntax.Number); ok && u.Operator.Text == "-" {
		return c.number(n, -1)
	}
	v := c.wanted(u.Operand, c.eval(u.Operand, in))
	if v == nil {
		return nil
	}
	if u.Operator.Text == "-" {
		return c.negative(u.Operator, v, u.Operand)
	}
	switch x := v.(type) {
	case ops.Flag:
		return !x
	case ops.Array:
		return c.apply("not", site{u.Operator.Span(), u.Operator.Text}, []argument{{value: v, expr: u.Operand}})
	}
	c.operandKind(u.Operand, u.Operator.Text, v)
	return nil
}

// negative is -v.
func (c *checker) negative(sign *syntax.Operator, v ops.Value, e syntax.Expr) ops.Value {
	switch x := v.(type) {
	case ops.Number:
		if x.Unit.Offset != 0 {
			c.report(problem.OffsetUnit, sign.Span(), "`-` of %s means nothing: that scale has a zero of its own", x.Unit).Helpf("a sign belongs to the number, as in -5 degC; a difference of temperature is in K")
			return nil
		}
		return ops.Number{V: -x.V, Unit: x.Unit, Int: x.Int}.Of("-%s", x)
	case ops.Array:
		return c.apply("neg", site{sign.Span(), sign.Text}, []argument{{value: v, expr: e}})
	}
	c.operandKind(e, sign.Text, v)
	return nil
}

func (c *checker) operandKind(e syntax.Expr, operator string, v ops.Value) {
	if v.Kind() == ops.KRecord {
		c.report(problem.RecordAsArray, e.Span(), "`%s` takes one array, this is a record of %s", operator, v.String()).Helpf("choose a part with a point and its name")
		return
	}
	c.report(problem.WrongKind, e.Span(), "`%s` does not take %s", operator, kindOf(v))
}

// binaryOps maps the signs to operators of the catalogue; swapped ones take their operands the other way round.
var binaryOps = map[string]struct {
	name    string
	swapped bool
}{
	"+": {"add", false}, "-": {"sub", false}, "*": {"mul", false}, "/": {"div", false}, "^": {"power", false},
	"<": {"less", false}, "<=": {"less_equal", false}, ">": {"less", true}, ">=": {"less_equal", true},
	"==": {"equal", false}, "!=": {"not_equal", false}, "and": {"and", false}, "or": {"or", false},
}

func (c *checker) binary(b *syntax.Binary, in env) ops.Value {
	if op := b.Operator.Text; op == "==" || op == "!=" {
		for _, way := range [][2]syntax.Expr{{b.Left, b.Right}, {b.Right, b.Left}} {
			if of, ok := c.choiceOf(way[0], in); ok {
				return c.isChosen(way[0], of, way[1], op == "==", in)
			}
		}
	}
	left, right := c.wanted(b.Left, c.eval(b.Left, in)), c.wanted(b.Right, c.eval(b.Right, in))
	if left == nil || right == nil {
		return nil
	}
	return c.combine(b, left, right)
}

// choiceOf is the name that was given to a parameter, with the choices that it has; ok is false for anything else.
func (c *checker) choiceOf(e syntax.Expr, in env) (of bound, ok bool) {
	n, ok := syntax.Unparen(e).(*syntax.Name)
	if !ok {
		return of, false
	}
	of = in[n.Text]
	if b := c.scope.lookup(n.Text); !in.has(n.Text) && b != nil && b.kind == paramKind && b.asked != nil && b.asked.Choices != nil {
		of = bound{value: c.name(n, in), choices: texts(b.asked.Choices.Names)}
		return of, true
	}
	_, ok = of.value.(ops.Symbol)
	return of, ok
}

// isChosen compares a choice with one that is written, whatever else has its name, or that another parameter was given.
func (c *checker) isChosen(choice syntax.Expr, of bound, e syntax.Expr, same bool, in env) ops.Value {
	n, ok := syntax.Unparen(e).(*syntax.Name)
	var other ops.Value
	if ok && (slices.Contains(of.choices, n.Text) || of.choices == nil && !in.has(n.Text) && c.scope.lookup(n.Text) == nil) {
		other = ops.Symbol(n.Text)
	} else if b, ok := c.choiceOf(e, in); ok {
		other = b.value
	} else if of.choices != nil {
		text := syntax.Unparen(e).Span().Text()
		c.report(problem.UnknownChoice, e.Span(), "this is compared with one of %s, and `%s` is none", strings.Join(of.choices, ", "), text).Suggest(diag.Nearest(text, of.choices)...)
		return nil
	} else if other = c.wanted(e, c.eval(e, in)); other != nil {
		c.wanted(choice, of.value)
		return nil
	}
	if of.value == nil || other == nil {
		return nil
	}
	return ops.Flag((of.value == other) == same)
}

// combine is what an operator makes of two values.
func (c *checker) combine(b *syntax.Binary, left, right ops.Value) ops.Value {
	if left.Kind() == ops.KHere || right.Kind() == ops.KHere {
		return c.moved(b, left, right)
	}
	op := b.Operator.Text
	for _, side := range []struct {
		e syntax.Expr
		v ops.Value
	}{{b.Left, left}, {b.Right, right}} {
		if side.v.Kind()&(ops.KNumber|ops.KBool|ops.KArray|ops.KText) == 0 {
			c.operandKind(side.e, op, side.v)
			return nil
		}
	}
	if left.Kind() == ops.KArray || right.Kind() == ops.KArray {
		o := binaryOps[op]
		args := []argument{{value: left, expr: b.Left}, {value: right, expr: b.Right}}
		if o.swapped {
			args[0], args[1] = args[1], args[0]
		}
		return c.apply(o.name, site{b.Operator.Span(), op}, args)
	}
	return c.constant(b, left, right)
}
