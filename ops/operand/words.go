package operand

import (
	"strings"

	"weft/ops"
	"weft/ops/problem"
)

// signs are how a pipeline writes the operators that have a sign; those of comparisons may stand either way round.
var signs = map[string]string{
	"add": "`+`", "sub": "`-`", "mul": "`*`", "div": "`/`", "power": "`^`", "neg": "`-`",
	"less": "a comparison", "less_equal": "a comparison", "equal": "a comparison", "not_equal": "a comparison",
}

// Called is what messages call an operator.
func Called(op string) string {
	if s, ok := signs[op]; ok {
		return s
	}
	return "`" + op + "`"
}

// other is what messages call an operand that they do not point at.
func other(op, operand string) string {
	switch _, sign := signs[op]; {
	case sign:
		return "the other side"
	case strings.HasPrefix(operand, "item "):
		return operand
	}
	return "`" + operand + "`"
}

// within completes "9 points ...".
func within(op, operand string) string {
	if _, sign := signs[op]; sign {
		return "on the other side"
	}
	return "in " + other(op, operand)
}

// Unlike words two operands that measure different things.
func Unlike(op, operand string, ref, this ops.Unit) problem.Problem {
	return problem.Wrong(problem.UnitMismatch, "", "", "%s needs one kind of quantity: this is %s, and %s is %s", Called(op), InUnit(this), other(op, operand), InUnit(ref))
}
