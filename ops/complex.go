package ops

import "weft/kernels/ir"

// Real makes a real element.
func Real(n *ir.Node) Elem { return Elem{Re: n} }

// Complex arithmetic on elements; a real operand counts as one with zero imaginary part.

// CAdd is x + y.
func CAdd(b *Body, x, y Elem) Elem {
	return Elem{b.Add(x.Re, y.Re), merge(x.Im, y.Im, b.Add, func(n *ir.Node) *ir.Node { return n })}
}

// CSub is x - y.
func CSub(b *Body, x, y Elem) Elem {
	return Elem{b.Sub(x.Re, y.Re), merge(x.Im, y.Im, b.Sub, b.Neg)}
}

// merge joins imaginary parts of which one or both may be absent; lone applies to a second one that stands alone.
func merge(x, y *ir.Node, both func(x, y *ir.Node) *ir.Node, lone func(*ir.Node) *ir.Node) *ir.Node {
	switch {
	case x == nil && y == nil:
		return nil
	case y == nil:
		return x
	case x == nil:
		return lone(y)
	}
	return both(x, y)
}

// CMul is x y.
func CMul(b *Body, x, y Elem) Elem {
	switch {
	case x.Im == nil && y.Im == nil:
		return Elem{Re: b.Mul(x.Re, y.Re)}
	case x.Im == nil:
		return Elem{b.Mul(x.Re, y.Re), b.Mul(x.Re, y.Im)}
	case y.Im == nil:
		return Elem{b.Mul(x.Re, y.Re), b.Mul(x.Im, y.Re)}
	}
	return Elem{b.Sub(b.Mul(x.Re, y.Re), b.Mul(x.Im, y.Im)), b.Add(b.Mul(x.Re, y.Im), b.Mul(x.Im, y.Re))}
}

// CAbs2 is |x|^2 and CAbs is |x|, without guard against overflow of the square.
func CAbs2(b *Body, x Elem) *ir.Node {
	if x.Im == nil {
		return b.Mul(x.Re, x.Re)
	}
	return b.Add(b.Mul(x.Re, x.Re), b.Mul(x.Im, x.Im))
}

// CAbs is the magnitude.
func CAbs(b *Body, x Elem) *ir.Node {
	if x.Im == nil {
		return b.Abs(x.Re)
	}
	return b.Sqrt(CAbs2(b, x))
}
