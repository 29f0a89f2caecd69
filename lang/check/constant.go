package check

import (
	"math"
	"math/big"

	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
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
		c.report(problem.WrongKind, b.Operator.Span(), "`%s` does not go between %s and %s", op, left.Kind(), right.Kind())
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
	whole := x.Int && y.Int && x.Unit.Plain() && y.Unit.Plain()
	if whole && !exactly(op, x.V, y.V) {
		c.report(problem.OutOfBounds, b.Operator.Span(), "the result is a whole number beyond 2^53 that cannot be held exactly").Helpf("write one side with a point, such as 3.0, for a number that may be rounded")
		return nil
	}
	made := ops.Number{}.Of("(%s "+op+" %s)", x, y)
	switch op {
	case "*":
		return c.product(b, x, y, 1, ops.Number{V: x.V * y.V, Int: whole, From: made.From})
	case "/":
		if y.V == 0 {
			c.report(problem.DivisionByZero, b.Right.Span(), "division by zero")
			return nil
		}
		return c.product(b, x, y, -1, ops.Number{V: x.V / y.V, From: made.From}) // never whole, so that n / 2 is of one type whatever n is
	case "^":
		return c.raise(b, x, y)
	case "and", "or":
		c.report(problem.NotABoolean, b.Left.Span(), "`%s` takes true or false, not a number", op).Helpf("compare it with something, such as `> 0`")
		return nil
	}
	switch {
	case y.AnyUnit() && x.Unit.Offset == 0:
		y.Unit = x.Unit
	case x.AnyUnit() && y.Unit.Offset == 0:
		x.Unit = y.Unit
	}
	if !x.Unit.Same(y.Unit) {
		c.report(problem.UnitMismatch, b.Operator.Span(), "`%s` needs one kind of quantity on both sides, not %s and %s", op, x.Unit.Describe(), y.Unit.Describe())
		return nil
	}
	switch op {
	case "+", "-":
		if x.Unit.Offset != 0 && y.Unit.Offset != 0 && op == "+" {
			c.report(problem.OffsetUnit, b.Operator.Span(), "temperatures in %s do not add", x.Unit).Helpf("a difference of temperature is in K")
			return nil
		}
		unit := x.Unit.Sum(y.Unit, op == "-")
		if op == "-" {
			y.V = -y.V
		}
		return c.finite(b, ops.Number{V: x.V + y.V, Unit: unit, Int: whole, From: made.From})
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

// exactly reports whether an operation on whole numbers gives one that float64 holds; what it gives may be no whole number.
func exactly(op string, x, y float64) bool {
	a, _ := big.NewFloat(x).Int(nil)
	b, _ := big.NewFloat(y).Int(nil)
	switch {
	case op == "+":
		a.Add(a, b)
	case op == "-":
		a.Sub(a, b)
	case op == "*":
		a.Mul(a, b)
	case op == "^" && math.Abs(x) > 1 && y >= 0 && y < 64:
		a.Exp(a, b, nil)
	case op == "^":
		return math.Abs(x) <= 1 || y < 0
	}
	_, rounded := new(big.Float).SetInt(a).Float64()
	return rounded == big.Exact && a.IsInt64()
}

// product gives v the unit of x times y to the power sign.
func (c *checker) product(b *syntax.Binary, x, y ops.Number, sign int, v ops.Number) ops.Value {
	if x.Unit.Offset != 0 || y.Unit.Offset != 0 {
		c.report(problem.OffsetUnit, b.Operator.Span(), "a temperature in degC does not multiply").Helpf("use K")
		return nil
	}
	v.Unit = x.Unit.Times(y.Unit.Power(sign))
	v.Int = v.Int && v.Unit.Plain()
	return c.finite(b, v)
}

func (c *checker) raise(b *syntax.Binary, x, y ops.Number) ops.Value {
	if !y.Unit.Plain() {
		c.report(problem.BadPower, b.Right.Span(), "an exponent is a plain number, not in %s", y.Unit)
		return nil
	}
	v := ops.Number{V: math.Pow(x.V, y.V), Int: x.Int && y.Int && y.V >= 0}.Of("(%s ^ %s)", x, y)
	if !x.Unit.Plain() {
		half := y.V == 0.5
		root, even := x.Unit.Root()
		switch {
		case half && even:
			v.Unit = root
		case y.V == math.Trunc(y.V) && math.Abs(y.V) <= 16:
			v.Unit = x.Unit.Power(int(y.V))
		default:
			c.report(problem.BadPower, b.Right.Span(), "%s to the power %s is no unit", x.Unit, y).Helpf("use a whole exponent")
			return nil
		}
	}
	return c.finite(b, v)
}

func (c *checker) finite(e syntax.Expr, v ops.Number) ops.Value {
	if math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		c.report(problem.NotFiniteConstant, e.Span(), "the value is not a finite number")
		return nil
	}
	return v
}
