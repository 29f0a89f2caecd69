package ir

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
	return c.Op == Lt && c.Args[0] == x && c.Args[1].IsConst(float64(size)) ||
		c.Op == Le && c.Args[0] == x && c.Args[1].IsConst(float64(size-1))
}
