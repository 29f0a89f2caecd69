package ir

// PadCover parts the guard of a load into what the buffer's padding makes needless and what must be tested: conjuncts
// that keep the innermost index within its row go when the padding holds the load's other value and is wide enough.
func PadCover(n *Node, width int) (covered bool, rest []*Node) {
	guard, other := n.Guard()
	if guard == nil {
		return false, nil
	}
	buf, index := n.Buf, n.Index()
	conj := Conjuncts(guard, nil)
	if len(index) == 0 || buf.Pad.Before < width || buf.Pad.After < width || !other.IsConst(buf.Pad.Value) {
		return false, conj
	}
	inner, size := index[len(index)-1], int64(buf.Shape[len(buf.Shape)-1])
	var lower, upper bool
	for _, c := range conj {
		switch {
		case IsLower(c, inner):
			lower = true
		case IsUpper(c, inner, size):
			upper = true
		default:
			rest = append(rest, c)
		}
	}
	if !lower || !upper {
		return false, conj
	}
	return true, rest
}
