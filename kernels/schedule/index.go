package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// Term is Coef * N of an index.
type Term struct {
	N    *ir.Node
	Coef int64
}

// Linear is a sum of terms and a constant: an index, in elements.
type Linear struct {
	Terms []Term
	C     int64
}

// Add adds k*n, looking through sums and products with constants.
func (l *Linear) Add(n *ir.Node, k int64) {
	if n.Kind == ir.KConst {
		l.C += k * n.I
		return
	}
	if n.Kind == ir.KAlu {
		switch x := n.Args; {
		case n.Op == ir.Add:
			l.Add(x[0], k)
			l.Add(x[1], k)
			return
		case n.Op == ir.Sub:
			l.Add(x[0], k)
			l.Add(x[1], -k)
			return
		case n.Op == ir.Neg:
			l.Add(x[0], -k)
			return
		case n.Op == ir.Mul && x[1].Kind == ir.KConst:
			l.Add(x[0], k*x[1].I)
			return
		case n.Op == ir.Mul && x[0].Kind == ir.KConst:
			l.Add(x[1], k*x[0].I)
			return
		case n.Op == ir.Cast && n.Type == ir.I64 && x[0].Type == ir.I32:
			l.Add(x[0], k)
			return
		}
	}
	for i := range l.Terms {
		if l.Terms[i].N == n {
			l.Terms[i].Coef += k
			return
		}
	}
	l.Terms = append(l.Terms, Term{n, k})
}

// Flatten is the index of an element of a buffer, from element 0 of row 0.
func Flatten(buf *ir.Buffer, index []*ir.Node) Linear {
	var l Linear
	for i, stride := range buf.Strides() {
		l.Add(index[i], int64(stride))
	}
	l.Terms = slices.DeleteFunc(l.Terms, func(t Term) bool { return t.Coef == 0 })
	return l
}

// Along is by how much an index grows along an axis; 0 if not by the same everywhere.
func (l Linear) Along(axis *ir.Node) int64 {
	by := int64(0)
	for _, t := range l.Terms {
		switch {
		case t.N == axis:
			by = t.Coef
		case t.N.Free().Meets(axis.Bind()):
			return 0
		}
	}
	return by
}

// stride is the distance in elements between neighbours along a binder's variable; 0 if it is not a constant, or none.
func stride(buf *ir.Buffer, index []*ir.Node, axis *ir.Node) int64 {
	for _, t := range Flatten(buf, index).Terms {
		if t.N == axis {
			return t.Coef
		}
	}
	return 0
}
