package values

import (
	"math"
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// alu computes an Alu node.
func (g *Generator) alu(n *ir.Node, v int, m Layout) Value {
	if n.Op == ir.Apart { // compilers contract nothing
		return g.Val(n.Args[0], v, m)
	}
	if x, ok := g.settled(n, v, m); ok {
		return x
	}
	if x, ok := g.fraction(n, v, m); ok {
		return x
	}
	if x, ok := g.selectAdd(n, v, m); ok {
		return x
	}
	if x, ok := g.chosen(n, v, m); ok {
		return x
	}
	if x, ok := g.byConstant(n, v, m); ok {
		return x
	}
	if x, ok := g.narrowCompare(n, v, m); ok {
		return x
	}
	if x, ok := g.quotient(n, v, m); ok {
		return x
	}
	if x, ok := g.wholePart(n, v, m); ok {
		return x
	}
	if at, ok := g.Fused.Product(n); ok {
		if fold := g.Top().Fold; fold != nil && g.Target.ISA != "cuda" && n.Args[1-at].Free().Meets(fold.AccBind) && !n.Args[at].Free().Meets(fold.AccBind) {
			g.Val(n.Args[1-at], v, m) // of what turns before have left: written first, it is under way while this turn's own is computed
		}
		return MulAdd(n.Op, at, g.Val(n.Args[at].Args[0], v, m), g.Val(n.Args[at].Args[1], v, m), g.Val(n.Args[1-at], v, m))
	}
	if x, ok := g.ofMultiple(n, v, m); ok {
		return x
	}
	if g.usualRoot(n) {
		return Function("sqrt_usual", g.Val(n.Args[0], v, m))
	}
	if f := n.Form(g.ranges); f != nil {
		return Function(n.Op.Info().Name+"_"+f.Name, g.Val(n.Args[0], v, m))
	}
	args := make([]Value, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.Val(a, v, m)
	}
	if g.threeTerms(n) {
		args[0].Regs[0] = g.heldInt(g.Top(), args[0].Regs[0])
	}
	if from := n.Args[0]; n.Op == ir.Cast && n.Type.Float() && from.Type.Int() && from.Op == ir.Cast && from.Args[0].Type.Float() {
		args[0] = Opaque(args[0])
	}
	return Op(n.Op, n.Type, args...)
}

// threeTerms reports, in loops that leave out turns, the sum of a coordinate, something else and a constant, which GPUs add up by one instruction. Where several such
// sums have a coordinate and a constant in common, compilers would add these up by themselves, and then need two instructions for each.
func (g *Generator) threeTerms(n *ir.Node) bool {
	sum := n.Args[0]
	return g.Schedule.Skip && g.Target.ISA == "cuda" && n.Op == ir.Add && n.Type == ir.I32 && n.Args[1].Kind == ir.KConst && sum.Kind == ir.KAlu && sum.Op == ir.Add &&
		slices.ContainsFunc(sum.Args, func(a *ir.Node) bool { return a.Kind == ir.KAxis && a.Role == ir.RoleParallel })
}

// usualRoot reports a square root, on a GPU, of what is proved to be neither below 2^-101 nor infinite: compilers look at each operand for whether it is so, and call
// a function for others.
func (g *Generator) usualRoot(n *ir.Node) bool {
	if n.Op != ir.Sqrt || n.Type != ir.F32 || g.Target.ISA != "cuda" {
		return false
	}
	lo, hi, ok := g.ranges(n.Args[0])
	return ok && lo >= 0x1p-101 && hi <= math.MaxFloat32
}

// narrowCompare compares a float32, widened to float64, with a constant: in float32, with the nearest number to the side where it makes no
// difference. Masks of float64 are twice as many registers, and to be joined.
func (g *Generator) narrowCompare(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Lt && n.Op != ir.Le || !g.IsVec(n, m) {
		return Value{}, false
	}
	for i, x := range n.Args {
		c := n.Args[1-i]
		if x.Type != ir.F64 || x.Op != ir.Cast || x.Args[0].Type != ir.F32 || c.Kind != ir.KConst || c.F != c.F {
			continue
		}
		near, up := float32(c.F), (i == 0) == (n.Op == ir.Lt)
		if up && float64(near) < c.F {
			near = math.Nextafter32(near, float32(math.Inf(1)))
		}
		if !up && float64(near) > c.F {
			near = math.Nextafter32(near, float32(math.Inf(-1)))
		}
		var args [2]Value
		args[i], args[1-i] = g.Val(x.Args[0], v, m), Scalar(ir.F32, Lit(g.B.F32(float64(near))))
		return Compare(n.Op, args[0], args[1], true), true
	}
	return Value{}, false
}

// quotient is a division by a constant as multiplications: the product with the reciprocal, and what that leaves of the dividend, which fused
// multiply-add makes exact. Neither may overflow, nor lose digits to subnormals, nor the sign of a zero.
func (g *Generator) quotient(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Div || !n.Type.Float() || n.Args[1].Kind != ir.KConst || !g.Kernel.Contract || g.Target.ISA != "avx512" && g.Target.ISA != "avx2" {
		return Value{}, false
	}
	x, by := n.Args[0], n.Args[1]
	lo, hi, ok := g.ranges(x)
	far := map[ir.DType]float64{ir.F32: 0x1p40, ir.F64: 0x1p300}[n.Type]
	least, most, size := min(math.Abs(lo), math.Abs(hi)), max(math.Abs(lo), math.Abs(hi)), math.Abs(by.F)
	if !ok || lo*hi <= 0 || least < 1/far || most > far || size < 1/far || size > far {
		return Value{}, false
	}
	dividend, r := g.Val(x, v, m), Scalar(n.Type, Lit(g.B.Const(n.Type, 1/by.F)))
	q := g.Val(g.B.Mul(x, g.B.Const(n.Type, 1/by.F)), v, m)
	return MulAdd(ir.Add, 0, MulAdd(ir.Sub, 1, q, Scalar(n.Type, Lit(by)), dividend), r, q), true
}

// wholePart is the whole part of the product of a float32, widened, with a constant that is one too. Float64 has all of its digits, and the first of
// them, as float32 has them rounded toward zero, have the same whole part.
func (g *Generator) wholePart(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Cast || n.Type != ir.I32 || n.Args[0].Op != ir.Mul || n.Args[0].Type != ir.F64 || !g.IsVec(n, m) || g.reach(n.Args[0]) >= 1<<24 {
		return Value{}, false
	}
	x, by := n.Args[0].Args[0], n.Args[0].Args[1]
	if x.Kind == ir.KConst {
		x, by = by, x
	}
	if by.Kind != ir.KConst || float64(float32(by.F)) != by.F || x.Op != ir.Cast || x.Args[0].Type != ir.F32 {
		return Value{}, false
	}
	return Vector(ir.I32, Call("v_whole_f", g.Val(x.Args[0], v, m).Part(0), Scalar(ir.F32, Lit(g.B.F32(by.F))).Part(0))), true
}

// ofMultiple is a sine or cosine of a product with a constant. A factor in quarter or half turns leaves nothing to round of whole ones; where
// there are none, it goes into the coefficients of the polynomial.
func (g *Generator) ofMultiple(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Sin && n.Op != ir.Cos || n.Type != ir.F32 || n.Args[0].Op != ir.Mul || g.Target.ISA == "cuda" {
		return Value{}, false
	}
	x, c := n.Args[0].Args[0], n.Args[0].Args[1]
	if x.Kind == ir.KConst {
		x, c = c, x
	}
	f := n.Form(g.ranges)
	if f == nil || c.Kind != ir.KConst {
		return Value{}, false
	}
	by, name := form.Multiple(c.F, f.Name == "near", g.reach(n.Args[0]))
	if name == "" {
		return Value{}, false
	}
	return Function(n.Op.Info().Name+"_"+name, g.Val(x, v, m), Scalar(ir.F32, Lit(g.B.F32(by)))), true
}

// reach is the greatest magnitude that a value is known not to exceed.
func (g *Generator) reach(n *ir.Node) float64 {
	lo, hi, ok := g.ranges(n)
	if !ok {
		return math.Inf(1)
	}
	return max(math.Abs(lo), math.Abs(hi))
}

// byConstant is an integer division or remainder by a constant that takes no division: by a power of two, and of vectors of what is not too large.
func (g *Generator) byConstant(n *ir.Node, v int, m Layout) (Value, bool) {
	if !n.Type.Int() || n.Op != ir.Div && n.Op != ir.Mod || n.Args[1].Kind != ir.KConst || n.Args[1].I <= 0 {
		return Value{}, false
	}
	by, up := n.Args[1].I, 0.0
	if by&(by-1) != 0 {
		lo, hi, ok := g.ranges(n.Args[0])
		if up = max(0, math.Ceil(-lo/float64(by))); !ok || n.Type != ir.I32 || !g.IsVec(n.Args[0], m) || hi+up*float64(by) > math.MaxInt32 {
			return Value{}, false
		}
	}
	return Divided(n.Op, g.Val(n.Args[0], v, m), by, int64(up)), true
}

// fraction is x - rint(x), which some machines have as one instruction.
func (g *Generator) fraction(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Sub || !n.Type.Float() || n.Args[1].Op != ir.Rint || n.Args[1].Args[0] != n.Args[0] || !g.IsVec(n, m) {
		return Value{}, false
	}
	x := g.Val(n.Args[0], v, m)
	if !x.Vec {
		return Value{}, false
	}
	return Each(n.Type, func(h int) *Expr { return Call(Fn("v_frac", n.Type), x.Regs[h]) }), true
}

// selectAdd is c ? a+w : a as a + (c ? w : -0), and c ? a|w : a as a | (c ? w : 0): the accumulator then passes
// through one operation. Minus zero is exact for every a, plus zero would turn -0 into +0.
func (g *Generator) selectAdd(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Select || !g.IsVec(n.Args[0], m) {
		return Value{}, false
	}
	sum, a := n.Args[1], n.Args[2]
	isAdd := sum.Op == ir.Add && n.Type.Float()
	if sum.Kind != ir.KAlu || !isAdd && sum.Op != ir.BitOr || sum.Args[0] != a {
		return Value{}, false
	}
	w := Select(g.Val(n.Args[0], v, m), g.Val(sum.Args[1], v, m), MinusZero(n.Type))
	return Op(sum.Op, n.Type, g.Val(a, v, m), w), true
}
