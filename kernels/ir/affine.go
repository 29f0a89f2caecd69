package ir

// Affine finds the constant by which an integer index grows when axis, a parallel axis or a fold's index, grows by one;
// 0 if the index does not vary with it. Arithmetic is taken not to wrap.
func Affine(n, axis *Node) (stride int64, ok bool) { return NewAffine(axis).Stride(n) }

// AffineIn answers Affine for several indices along one axis.
type AffineIn struct {
	axis *Node
	vary *Vary
}

// NewAffine prepares for one axis.
func NewAffine(axis *Node) *AffineIn { return &AffineIn{axis, NewVary()} }

// Stride is Affine of n.
func (f *AffineIn) Stride(n *Node) (stride int64, ok bool) {
	switch {
	case n == f.axis:
		return 1, true
	case !f.varies(n):
		return 0, true
	case n.Kind != KAlu || !n.Type.Int():
		return 0, false
	}
	a := n.Args
	switch n.Op {
	case Add, Sub:
		x, okx := f.Stride(a[0])
		y, oky := f.Stride(a[1])
		if n.Op == Sub {
			y = -y
		}
		return x + y, okx && oky
	case Neg:
		x, ok := f.Stride(a[0])
		return -x, ok
	case Mul:
		if a[0].Kind == KConst {
			a = []*Node{a[1], a[0]}
		}
		x, ok := f.Stride(a[0])
		return x * a[1].I, ok && a[1].Kind == KConst
	case Shl:
		x, ok := f.Stride(a[0])
		return x << (a[1].I & 63), ok && a[1].Kind == KConst
	case Cast:
		if a[0].Type.Int() {
			return f.Stride(a[0])
		}
	case Select:
		x, okx := f.Stride(a[1])
		y, oky := f.Stride(a[2])
		return x, okx && oky && x == y && !f.varies(a[0])
	}
	return 0, false
}

func (f *AffineIn) varies(n *Node) bool { return f.vary.Of(n).Meets(f.axis.bind) }
