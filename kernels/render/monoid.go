package render

import "weft/kernels/ir"

// signed is a term of a sum.
type signed struct {
	n     *ir.Node
	minus bool
}

// sumTerms takes a step apart as acc plus and minus terms that do not read accumulators.
func sumTerms(f *ir.Fold, step, acc *ir.Node) ([]signed, bool) {
	if step == acc {
		return nil, true
	}
	if step.Kind != ir.KAlu || step.Op != ir.Add && step.Op != ir.Sub {
		return nil, false
	}
	chain, term := step.Args[0], step.Args[1]
	if step.Op == ir.Add && term.Free().Meets(f.AccBind) {
		chain, term = term, chain
	}
	if term.Free().Meets(f.AccBind) {
		return nil, false
	}
	terms, ok := sumTerms(f, chain, acc)
	return append(terms, signed{term, step.Op == ir.Sub}), ok
}

// joined is the term of a step op(acc, term), or op(term, acc): then first.
func joined(f *ir.Fold, step, acc *ir.Node, op ir.Op) (term *ir.Node, first, ok bool) {
	if step.Kind != ir.KAlu || step.Op != op {
		return nil, false, false
	}
	term = step.Args[1]
	if first = term == acc; first {
		term = step.Args[0]
	} else if step.Args[0] != acc {
		return nil, false, false
	}
	return term, first, !term.Free().Meets(f.AccBind)
}

// narrowSum reports terms that are all float32 values widened for a float64 sum, and takes the widening away.
func narrowSum(terms []signed) ([]signed, bool) {
	out := make([]signed, len(terms))
	for i, t := range terms {
		if t.n.Kind != ir.KAlu || t.n.Op != ir.Cast || t.n.Type != ir.F64 || t.n.Args[0].Type != ir.F32 {
			return nil, false
		}
		out[i] = signed{t.n.Args[0], t.minus}
	}
	return out, len(out) > 0
}

// joinOps are the operations of the monoids that join two values by one.
var joinOps = map[ir.Monoid]ir.Op{
	ir.Product: ir.Mul, ir.Smallest: ir.Min, ir.Largest: ir.Max, ir.Any: ir.Or, ir.All: ir.And,
}
