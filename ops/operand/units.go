package operand

import (
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/problem"
)

// UnitRule gives the unit of a result from those of the operands.
type UnitRule func(op string, xs []Operand) (ops.Unit, error)

// SameUnit: all operands measure the same kind of quantity, which the result does too. A plain zero, infinity or NaN goes with everything.
func SameUnit(op string, xs []Operand) (ops.Unit, error) {
	var ref *Operand
	for i := range xs {
		x := &xs[i]
		switch {
		case ref == nil:
			ref = x
		case x.Type.Unit.Same(ref.Type.Unit):
		case x.anyUnit() && ref.Type.Unit.Offset == 0:
		case ref.anyUnit() && x.Type.Unit.Offset == 0:
			ref = x
		default:
			p := Unlike(op, ref.Name, ref.Type.Unit, x.Type.Unit)
			p.Arg = x.Name
			return ops.Unit{}, p
		}
	}
	return ref.Type.Unit, nil
}

// SumUnit is SameUnit with what ops.Unit.Sum says of scales that have a zero of their own.
func SumUnit(op string, xs []Operand) (ops.Unit, error) { return sumOrDifference(op, xs, false) }

// DifferenceUnit is to a difference what SumUnit is to a sum.
func DifferenceUnit(op string, xs []Operand) (ops.Unit, error) { return sumOrDifference(op, xs, true) }

func sumOrDifference(op string, xs []Operand, minus bool) (ops.Unit, error) {
	u, err := SameUnit(op, xs)
	if a, b := xs[0].Type.Unit, xs[1].Type.Unit; a.Offset != 0 || b.Offset != 0 {
		u = a.Sum(b, minus)
	}
	return u, err
}

// OwnUnit: the unit of the operand, which has no zero of its own: neither a sign nor a magnitude goes with one.
func OwnUnit(op string, xs []Operand) (ops.Unit, error) { return xs[0].Type.Unit, NoOffset(op, xs) }

// NoUnit: the operands measure the same kind of quantity and the result is plain (masks).
func NoUnit(op string, xs []Operand) (ops.Unit, error) {
	_, err := SameUnit(op, xs)
	return ops.Unit{}, err
}

// PlainOnly: plain numbers in and out.
func PlainOnly(op string, xs []Operand) (ops.Unit, error) {
	for _, x := range xs {
		if !x.Type.Unit.Plain() {
			return ops.Unit{}, problem.Wrong(problem.UnitInFunction, x.Name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", x.Type.Unit),
				"%s takes plain numbers, and this is %s", Called(op), InUnit(x.Type.Unit))
		}
	}
	return ops.Unit{}, nil
}

var radian = ops.MustUnit("rad")

// Angle: angles or plain numbers (radians) in, plain numbers out.
func Angle(op string, xs []Operand) (ops.Unit, error) {
	if u := xs[0].Type.Unit; !u.Plain() && !u.Same(radian) {
		return ops.Unit{}, problem.Wrong(problem.UnitInFunction, xs[0].Name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", u),
			"%s takes an angle or a plain number, and this is %s", Called(op), InUnit(u))
	}
	return ops.Unit{}, nil
}

// AngleOf: plain numbers in, an angle out.
func AngleOf(op string, xs []Operand) (ops.Unit, error) {
	_, err := PlainOnly(op, xs)
	return radian, err
}

// Ratio: one kind of quantity in, plain numbers out.
func Ratio(op string, xs []Operand) (ops.Unit, error) {
	if err := NoOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return NoUnit(op, xs)
}

// ToAngle: any one kind of quantity in, an angle out.
func ToAngle(op string, xs []Operand) (ops.Unit, error) {
	_, err := SameUnit(op, xs)
	return radian, err
}

// ProductUnit multiplies the units.
func ProductUnit(op string, xs []Operand) (ops.Unit, error) {
	if err := NoOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return xs[0].Type.Unit.Times(xs[1].Type.Unit), nil
}

// QuotientUnit divides the units.
func QuotientUnit(op string, xs []Operand) (ops.Unit, error) {
	if err := NoOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return xs[0].Type.Unit.Times(xs[1].Type.Unit.Power(-1)), nil
}

// RootUnit halves exponents.
func RootUnit(op string, xs []Operand) (ops.Unit, error) {
	if err := NoOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	u := xs[0].Type.Unit
	r, ok := u.Root()
	if !ok {
		return u, problem.Wrong(problem.BadPower, xs[0].Name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", u), "%s needs even powers of each unit, and this is %s", Called(op), InUnit(u))
	}
	return r, nil
}

// PowerUnit: a whole constant power of any unit, a half of one with even exponents, any power of plain numbers.
func PowerUnit(op string, xs []Operand) (ops.Unit, error) {
	base, exponent := xs[0], xs[1]
	if !exponent.Type.Unit.Plain() {
		return ops.Unit{}, problem.Wrong(problem.BadPower, exponent.Name, "", "an exponent is a plain number, and this is %s", InUnit(exponent.Type.Unit))
	}
	if base.Type.Unit.Plain() {
		return ops.Unit{}, nil
	}
	if err := NoOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	p := exponent.SI()
	switch {
	case !exponent.Scalar:
	case p == math.Trunc(p) && math.Abs(p) <= 9:
		return base.Type.Unit.Power(int(p)), nil
	case p == 0.5:
		return RootUnit(op, xs)
	}
	return ops.Unit{}, problem.Wrong(problem.BadPower, exponent.Name, "", "what is raised is %s, so its exponent must be a whole constant between -9 and 9, or 0.5", InUnit(base.Type.Unit))
}

// NoOffset refuses temperature scales in products.
func NoOffset(op string, xs []Operand) error {
	for _, x := range xs {
		if x.Type.Unit.Offset != 0 {
			return problem.Wrong(problem.OffsetUnit, x.Name, "use K", "%s of %s means nothing: that scale has a zero of its own", Called(op), x.Type.Unit)
		}
	}
	return nil
}

// InUnit completes "x is ...".
func InUnit(u ops.Unit) string {
	if u.Plain() {
		return u.Describe()
	}
	return "in " + u.String()
}
