package ir

import "slices"

// Linear is an integer as a sum of terms and a constant. Arithmetic is taken not to wrap.
type Linear struct {
	Terms []Term
	C     int64
}

// Term is Coef * N.
type Term struct {
	N    *Node
	Coef int64
}

// Add adds k*n, looking through sums and products with constants.
func (l *Linear) Add(n *Node, k int64) {
	if n.Kind == KConst {
		l.C += k * n.I
		return
	}
	if n.Kind == KAlu && (n.Op != Cast || n.Type == I64 && n.Args[0].Type == I32) {
		if each, ok := n.Op.Info().Affine(n); ok {
			for i, x := range n.Args {
				if each[i] != 0 {
					l.Add(x, k*each[i])
				}
			}
			return
		}
	}
	if i := slices.IndexFunc(l.Terms, func(t Term) bool { return t.N == n }); i >= 0 {
		l.Terms[i].Coef += k
		return
	}
	l.Terms = append(l.Terms, Term{n, k})
}

// Flatten is the index of an element of a buffer, from element 0 of row 0.
func Flatten(buf *Buffer, index []*Node) Linear {
	var l Linear
	for i, stride := range buf.Strides() {
		l.Add(index[i], int64(stride))
	}
	l.Terms = slices.DeleteFunc(l.Terms, func(t Term) bool { return t.Coef == 0 })
	return l
}

// Along is by how much an index grows along an axis; 0 if not by the same everywhere.
func (l Linear) Along(axis *Node) int64 {
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

// Beside reports an index that goes by one along an axis from any multiple of n to the next, and whose value is a multiple of n wherever that of the axis is.
func (l Linear) Beside(axis *Node, n int64) bool {
	along := int64(0)
	for _, t := range l.Terms {
		op, by := t.N.InBlocks(axis)
		switch {
		case t.N == axis, op == Mod && by%n == 0:
			along += t.Coef
		case t.Coef%n != 0, t.N.Free().Meets(axis.Bind()) && (op != Div || by%n != 0):
			return false
		}
	}
	return l.C%n == 0 && along == 1
}

// InBlocks is, of a number that follows from an axis cut into blocks of so many, the operator that gives it: a quotient is the same for a block, a remainder goes by one
// in it. None of any other number.
func (n *Node) InBlocks(axis *Node) (op Op, by int64) {
	if n.Kind == KAlu && (n.Op == Div || n.Op == Mod) && n.Args[0] == axis && n.Args[1].Kind == KConst && n.Args[1].I > 0 {
		return n.Op, n.Args[1].I
	}
	return op, 0
}

// Affine finds the constant by which an integer index grows when axis, a parallel axis or a fold's index, grows by one;
// 0 if the index does not vary with it. Arithmetic is taken not to wrap.
func Affine(n, axis *Node) (stride int64, ok bool) { return NewVary().Along(axis).Stride(n) }

// AffineIn answers Affine for indices along one axis.
type AffineIn struct {
	axis *Node
	vary *Vary
}

// Along answers Affine along one axis.
func (v *Vary) Along(axis *Node) *AffineIn { return &AffineIn{axis, v} }

// Stride is Affine of n.
func (f *AffineIn) Stride(n *Node) (stride int64, ok bool) {
	switch {
	case n == f.axis:
		return 1, true
	case !f.vary.Of(n).Meets(f.axis.Bind()):
		return 0, true
	case n.Kind != KAlu || !n.Type.Int():
		return 0, false
	case n.Op == Select:
		x, okx := f.Stride(n.Args[1])
		y, oky := f.Stride(n.Args[2])
		return x, okx && oky && x == y && !f.vary.Of(n.Args[0]).Meets(f.axis.Bind())
	}
	each, ok := n.Op.Info().Affine(n)
	if !ok {
		return 0, false
	}
	for i, x := range n.Args {
		if each[i] == 0 {
			continue
		}
		s, ok := f.Stride(x)
		if !ok {
			return 0, false
		}
		stride += each[i] * s
	}
	return stride, true
}

// affine is the rule of an operation that adds its operands, each multiplied by a constant.
func affine(k ...int64) func(*Node) ([2]int64, bool) {
	var each [2]int64
	copy(each[:], k)
	return func(n *Node) ([2]int64, bool) { return each, n.Type.Int() && n.Args[0].Type.Int() }
}

func notAffine(*Node) (k [2]int64, ok bool) { return k, false }

func mulAffine(n *Node) (k [2]int64, ok bool) {
	switch a := n.Args; {
	case !n.Type.Int():
	case a[1].Kind == KConst:
		return [2]int64{a[1].I, 0}, true
	case a[0].Kind == KConst:
		return [2]int64{0, a[0].I}, true
	}
	return k, false
}

func shlAffine(n *Node) (k [2]int64, ok bool) {
	if by := n.Args[1]; by.Kind == KConst && 0 <= by.I && by.I < int64(8*n.Type.Size()) {
		return [2]int64{1 << by.I, 0}, true
	}
	return k, false
}

// Conjuncts are the conditions that must all hold for n to hold, appended to a list.
func Conjuncts(n *Node, to []*Node) []*Node {
	if n.Kind == KAlu && n.Op == And {
		return Conjuncts(n.Args[1], Conjuncts(n.Args[0], to))
	}
	return append(to, n)
}

// IsLower recognises 0 <= x, and -1 < x.
func IsLower(c, x *Node) bool {
	return c.Op == Le && c.Args[0].IsConst(0) && c.Args[1] == x || c.Op == Lt && c.Args[0].IsConst(-1) && c.Args[1] == x
}

// IsUpper recognises x < size, and x <= size-1.
func IsUpper(c, x *Node, size int64) bool {
	return c.Op == Lt && c.Args[0] == x && c.Args[1].IsConst(float64(size)) || c.Op == Le && c.Args[0] == x && c.Args[1].IsConst(float64(size-1))
}
