package check

import (
	"math"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// constant computes an operation on values that are known now.
func (c *checker) constant(b *syntax.Binary, left, right ops.Value) ops.Value {
	op := b.Operator.Text
	if x, ok := left.(ops.Number); ok {
		if y, ok := right.(ops.Number); ok {
			return c.numbers(b, x, y)
		}
	}
	if left.Kind() != right.Kind() || left.Kind() == ops.KNumber {
		c.report(diag.WrongKind, b.Operator.Span(), "`%s` does not go between %s and %s", op, left.Kind(), right.Kind())
		return nil
	}
	switch op {
	case "==":
		return ops.Flag(left == right)
	case "!=":
		return ops.Flag(left != right)
	}
	x, ok := left.(ops.Flag)
	y, _ := right.(ops.Flag)
	switch {
	case ok && op == "and":
		return x && y
	case ok && op == "or":
		return x || y
	case op == "+" && left.Kind() == ops.KText:
		return left.(ops.Text) + right.(ops.Text)
	}
	c.operandKind(b.Left, op, left)
	return nil
}

// numbers computes an operation on two numbers, units included.
func (c *checker) numbers(b *syntax.Binary, x, y ops.Number) ops.Value {
	op := b.Operator.Text
	whole := x.Int && y.Int
	switch op {
	case "*":
		return c.product(b, x, y, 1, ops.Number{V: x.V * y.V, Int: whole})
	case "/":
		if y.V == 0 {
			c.report(diag.DivisionByZero, b.Right.Span(), "division by zero")
			return nil
		}
		q := x.V / y.V
		return c.product(b, x, y, -1, ops.Number{V: q, Int: whole && q == math.Trunc(q)})
	case "^":
		return c.raise(b, x, y)
	case "and", "or":
		c.report(diag.NotABoolean, b.Left.Span(), "`%s` takes true or false, not a number", op).Helpf("compare it with something, such as `> 0`")
		return nil
	}
	if !x.Unit.Same(y.Unit) {
		c.report(diag.UnitMismatch, b.Operator.Span(), "`%s` needs one kind of quantity on both sides, not %s and %s", op, x.Unit.Describe(), y.Unit.Describe())
		return nil
	}
	switch op {
	case "+", "-":
		if x.Unit.Offset != 0 && y.Unit.Offset != 0 && op == "+" {
			c.report(diag.OffsetUnit, b.Operator.Span(), "temperatures in %s do not add", x.Unit).Helpf("a difference of temperature is in K")
			return nil
		}
		if op == "-" {
			y.V = -y.V
		}
		return c.finite(b, ops.Number{V: x.V + y.V, Unit: x.Unit, Int: whole})
	case "<":
		return ops.Flag(x.V < y.V)
	case "<=":
		return ops.Flag(x.V <= y.V)
	case ">":
		return ops.Flag(x.V > y.V)
	case ">=":
		return ops.Flag(x.V >= y.V)
	case "==":
		return ops.Flag(x.V == y.V)
	}
	return ops.Flag(x.V != y.V)
}

// product gives v the unit of x times y to the power sign.
func (c *checker) product(b *syntax.Binary, x, y ops.Number, sign int, v ops.Number) ops.Value {
	if x.Unit.Offset != 0 || y.Unit.Offset != 0 {
		c.report(diag.OffsetUnit, b.Operator.Span(), "a temperature in degC does not multiply").Helpf("use K")
		return nil
	}
	v.Unit = x.Unit.Times(y.Unit.Power(sign))
	v.Int = v.Int && v.Unit.Plain()
	return c.finite(b, v)
}

func (c *checker) raise(b *syntax.Binary, x, y ops.Number) ops.Value {
	if !y.Unit.Plain() {
		c.report(diag.BadPower, b.Right.Span(), "an exponent is a plain number, not in %s", y.Unit)
		return nil
	}
	v := ops.Number{V: math.Pow(x.V, y.V), Int: x.Int && y.Int && y.V >= 0}
	if !x.Unit.Plain() {
		half := y.V == 0.5
		root, even := x.Unit.Root()
		switch {
		case half && even:
			v.Unit = root
		case y.V == math.Trunc(y.V) && math.Abs(y.V) <= 16:
			v.Unit = x.Unit.Power(int(y.V))
		default:
			c.report(diag.BadPower, b.Right.Span(), "%s to the power %s is no unit", x.Unit, y).Helpf("use a whole exponent")
			return nil
		}
	}
	return c.finite(b, v)
}

func (c *checker) finite(e syntax.Expr, v ops.Number) ops.Value {
	if math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		c.report(diag.NotFiniteConstant, e.Span(), "the value is not a finite number")
		return nil
	}
	return v
}
