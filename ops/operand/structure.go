package operand

import (
	"weft/ops"
	"weft/ops/matrix"
)

var joins = map[string]matrix.Join{"add": matrix.Added, "sub": matrix.Subtracted, "neg": matrix.Subtracted, "mul": matrix.Multiplied, "div": matrix.Multiplied}

// Structure is what is known of matrices that an operator joins element by element. What has neither their rows nor their columns is a number to them.
func Structure(operator string, xs []Operand) (s matrix.Structure) {
	how, known := joins[operator]
	for _, x := range xs {
		if a, ok := x.Value.(ops.Array); ok && s.Rows == "" && known {
			s = matrix.StructureOf(a)
		}
	}
	if s.Rows == "" {
		return s
	}
	var of []matrix.Structure
	if operator == "neg" { // from zeros
		of = append(of, matrix.Structure{Rows: s.Rows, Columns: s.Columns}.With(matrix.Zero, matrix.Derived))
	}
	for i, x := range xs {
		a, array := x.Value.(ops.Array)
		if array && (x.Type.Dim(s.Rows) >= 0 || x.Type.Dim(s.Columns) >= 0) {
			if operator == "div" && i > 0 { // 0 / 0 is no number
				return matrix.Structure{}
			}
			of = append(of, matrix.StructureOf(a).Over(s.Rows, s.Columns))
			continue
		}
		number, _ := x.Value.(ops.Number)
		of = append(of, matrix.Constant(s.Rows, s.Columns, number.V > 0))
	}
	return matrix.Joined(how, of...)
}

// ProductStructure is what is known of the product of two matrices that is summed over a dim of both. That of an array and its transpose is symmetric.
func ProductStructure(xs []Operand, over string) matrix.Structure {
	s := productOf(xs, over)
	if len(xs) == 2 {
		if rows, columns := transposes(xs[0], xs[1], over); rows != "" {
			if s.Rows == "" {
				s.Rows, s.Columns = rows, columns
			}
			s = s.With(matrix.Symmetric, matrix.Derived)
		}
	}
	return s
}

func productOf(xs []Operand, over string) (none matrix.Structure) {
	var of [2]matrix.Structure
	for i, x := range xs {
		a, ok := x.Value.(ops.Array)
		if !ok || i == len(of) {
			return none
		}
		s := matrix.StructureOf(a)
		other := s.Rows
		switch over {
		case s.Rows:
			other = s.Columns
		case s.Columns:
		default:
			return none
		}
		if of[i] = s.Over(other, over); i > 0 {
			of[i] = s.Over(over, other)
		}
	}
	if rows, columns := of[0].Rows, of[1].Columns; rows == columns || xs[0].Type.Dim(columns) >= 0 || xs[1].Type.Dim(rows) >= 0 {
		return none // not a product of matrices, but a batch of others
	}
	return matrix.Joined(matrix.Product, of[0], of[1])
}
