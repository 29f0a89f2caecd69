package operand

import "weft/ops"

var joins = map[string]ops.Join{"add": ops.Added, "sub": ops.Subtracted, "neg": ops.Subtracted, "mul": ops.Multiplied, "div": ops.Multiplied}

// Structure is what is known of matrices that an operator joins element by element. What has neither their rows nor their columns is a number to them.
func Structure(operator string, xs []Operand) (s ops.Structure) {
	how, known := joins[operator]
	for _, x := range xs {
		if a, ok := x.Value.(ops.Array); ok && s.Rows == "" && known {
			s = ops.StructureOf(a)
		}
	}
	if s.Rows == "" {
		return s
	}
	var of []ops.Structure
	if operator == "neg" { // from zeros
		of = append(of, ops.Structure{Rows: s.Rows, Columns: s.Columns}.With(ops.Diagonal, ops.Derived))
	}
	for i, x := range xs {
		a, array := x.Value.(ops.Array)
		if array && (x.Type.Dim(s.Rows) >= 0 || x.Type.Dim(s.Columns) >= 0) {
			if operator == "div" && i > 0 { // 0 / 0 is no number
				return ops.Structure{}
			}
			of = append(of, ops.StructureOf(a).Over(s.Rows, s.Columns))
			continue
		}
		number, _ := x.Value.(ops.Number)
		of = append(of, ops.Constant(s.Rows, s.Columns, number.V > 0))
	}
	return ops.Joined(how, of...)
}

// ProductStructure is what is known of the product of two matrices that is summed over a dim of both.
func ProductStructure(xs []Operand, over string) (none ops.Structure) {
	var of [2]ops.Structure
	for i, x := range xs {
		a, ok := x.Value.(ops.Array)
		if !ok || i == len(of) {
			return none
		}
		s := ops.StructureOf(a)
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
	return ops.Joined(ops.Product, of[0], of[1])
}
