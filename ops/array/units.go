package array

import (
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/problem"
)

// A unitRule gives the unit of a result from those of the operands.
type unitRule func(op string, xs []operand) (ops.Unit, error)

// sameUnit: all operands measure the same kind of quantity, which the result does too. A plain zero, infinity or NaN goes with everything.
func sameUnit(op string, xs []operand) (ops.Unit, error) {
	var ref *operand
	for i := range xs {
		x := &xs[i]
		switch {
		case ref == nil:
			ref = x
		case x.typ.Unit.Same(ref.typ.Unit):
		case x.anyUnit() && ref.typ.Unit.Offset == 0:
		case ref.anyUnit() && x.typ.Unit.Offset == 0:
			ref = x
		default:
			p := unlike(op, ref.name, ref.typ.Unit, x.typ.Unit)
			p.Arg = x.name
			return ops.Unit{}, p
		}
	}
	return ref.typ.Unit, nil
}

// sumUnit and differenceUnit: sameUnit, with what ops.Unit.Sum says of scales that have a zero of their own.
func sumUnit(op string, xs []operand) (ops.Unit, error)        { return sumOrDifference(op, xs, false) }
func differenceUnit(op string, xs []operand) (ops.Unit, error) { return sumOrDifference(op, xs, true) }

func sumOrDifference(op string, xs []operand, minus bool) (ops.Unit, error) {
	u, err := sameUnit(op, xs)
	if a, b := xs[0].typ.Unit, xs[1].typ.Unit; a.Offset != 0 || b.Offset != 0 {
		u = a.Sum(b, minus)
	}
	return u, err
}

// ownUnit: the unit of the operand, which has no zero of its own: neither a sign nor a magnitude goes with one.
func ownUnit(op string, xs []operand) (ops.Unit, error) { return xs[0].typ.Unit, noOffset(op, xs) }

// noUnit: the operands measure the same kind of quantity and the result is plain (masks).
func noUnit(op string, xs []operand) (ops.Unit, error) {
	_, err := sameUnit(op, xs)
	return ops.Unit{}, err
}

// plainOnly: plain numbers in and out.
func plainOnly(op string, xs []operand) (ops.Unit, error) {
	for _, x := range xs {
		if !x.typ.Unit.Plain() {
			return ops.Unit{}, problem.Wrong(problem.UnitInFunction, x.name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", x.typ.Unit),
				"%s takes plain numbers, and this is %s", called(op), inUnit(x.typ.Unit))
		}
	}
	return ops.Unit{}, nil
}

var radian = ops.MustUnit("rad")

// angle: angles or plain numbers (radians) in, plain numbers out.
func angle(op string, xs []operand) (ops.Unit, error) {
	if u := xs[0].typ.Unit; !u.Plain() && !u.Same(radian) {
		return ops.Unit{}, problem.Wrong(problem.UnitInFunction, xs[0].name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", u),
			"%s takes an angle or a plain number, and this is %s", called(op), inUnit(u))
	}
	return ops.Unit{}, nil
}

// angleOf: plain numbers in, an angle out.
func angleOf(op string, xs []operand) (ops.Unit, error) {
	_, err := plainOnly(op, xs)
	return radian, err
}

// ratio: one kind of quantity in, plain numbers out.
func ratio(op string, xs []operand) (ops.Unit, error) {
	if err := noOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return noUnit(op, xs)
}

// toAngle: any one kind of quantity in, an angle out.
func toAngle(op string, xs []operand) (ops.Unit, error) {
	_, err := sameUnit(op, xs)
	return radian, err
}

// product and quotient combine units.
func product(op string, xs []operand) (ops.Unit, error) {
	if err := noOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return xs[0].typ.Unit.Times(xs[1].typ.Unit), nil
}

func quotient(op string, xs []operand) (ops.Unit, error) {
	if err := noOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	return xs[0].typ.Unit.Times(xs[1].typ.Unit.Power(-1)), nil
}

// root halves exponents.
func root(op string, xs []operand) (ops.Unit, error) {
	if err := noOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	u := xs[0].typ.Unit
	r, ok := u.Root()
	if !ok {
		return u, problem.Wrong(problem.BadPower, xs[0].name, fmt.Sprintf("divide by a reference first: `... / (1 %s)`", u), "%s needs even powers of each unit, and this is %s", called(op), inUnit(u))
	}
	return r, nil
}

// power: a whole constant power of any unit, a half of one with even exponents, any power of plain numbers.
func power(op string, xs []operand) (ops.Unit, error) {
	base, exponent := xs[0], xs[1]
	if !exponent.typ.Unit.Plain() {
		return ops.Unit{}, problem.Wrong(problem.BadPower, exponent.name, "", "an exponent is a plain number, and this is %s", inUnit(exponent.typ.Unit))
	}
	if base.typ.Unit.Plain() {
		return ops.Unit{}, nil
	}
	if err := noOffset(op, xs); err != nil {
		return ops.Unit{}, err
	}
	p := exponent.si()
	switch {
	case !exponent.scalar:
	case p == math.Trunc(p) && math.Abs(p) <= 9:
		return base.typ.Unit.Power(int(p)), nil
	case p == 0.5:
		return root(op, xs)
	}
	return ops.Unit{}, problem.Wrong(problem.BadPower, exponent.name, "", "what is raised is %s, so its exponent must be a whole constant between -9 and 9, or 0.5", inUnit(base.typ.Unit))
}

// noOffset refuses temperature scales in products.
func noOffset(op string, xs []operand) error {
	for _, x := range xs {
		if x.typ.Unit.Offset != 0 {
			return problem.Wrong(problem.OffsetUnit, x.name, "use K", "%s of %s means nothing: that scale has a zero of its own", called(op), x.typ.Unit)
		}
	}
	return nil
}

// inUnit completes "x is ...".
func inUnit(u ops.Unit) string {
	if u.Plain() {
		return u.Describe()
	}
	return "in " + u.String()
}
