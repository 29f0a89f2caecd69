package codegen

import (
	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
)

// A comparison of float64 levels that are float32 values plus or minus one number for all points in flight is decided in float32, at twice the lanes a register, unless
// the largest level comes so near the threshold that rounding may decide. Only then is the fold made again as it stands: no answer differs.
//
// A level d = a - u in float32, and the same in float64, are each within (|u| + |d|) * 2^-23 of the other, u's own rounding included; so is the largest,
// with the largest |u| of any turn. Where it is further than nearShare * (|b| + |u|) from the threshold b, both fall on the same side of it: it is four times what
// would do, for the roundings of the test itself, and for an a whose own rounding is contracted away. NaN on either side compares false in both types.
const (
	nearShare = 0x1p-21
	nearLeast = 0x1p-126 // for differences of what is too small to have all its digits
)

// nearly are a fold's running comparisons in float32; nil: some are of another form.
func (g *gen) nearly(running []form.Comparison) (out []form.Comparison) {
	for _, t := range running {
		near, ok := form.Near(g.B, t, g.Differs)
		if !ok {
			return nil
		}
		out = append(out, near)
	}
	return out
}

// farthest is the largest |u| so far.
func (g *gen) farthest(x *leaving, i int) Value {
	return Variable(ir.F32, false, g.accBase("u", x.c, x.ending[i], 0))
}

// settle gives the answers of a fold that was made in float32, and makes it again where some are in doubt.
func (g *gen) settle(x *leaving, exact []form.Comparison) {
	c := x.c
	var doubts []*Expr
	for i, t := range x.running {
		far := g.farthest(x, i)
		for _, v := range c.copies {
			b, level := g.Val(t.Threshold, v, values.ByLane), g.levelName(x, i, v)
			off := Op(ir.Mul, ir.F32, Op(ir.Add, ir.F32, Op(ir.Abs, ir.F32, b), far), Number(ir.F32, nearShare))
			off = g.Name(c.sc, Op(ir.Add, ir.F32, off, Number(ir.F32, nearLeast)))
			a := g.AccName(c.f.Accs[x.ending[i]], v)
			c.sc.Add(Assign(a, Or(a, Compare(ir.Lt, Op(ir.Add, ir.F32, b, off), level, true)))...)
			doubt := And(Compare(ir.Le, Op(ir.Sub, ir.F32, b, off), level, true), Not(a))
			if on, ok := g.Active(x.depth, g.Vary.Of(c.f.Node), v); ok {
				doubt = And(doubt, on)
			}
			doubts = append(doubts, doubt.AsVec().Regs[0])
		}
	}
	again := *c
	again.sc, again.in = values.NewScope(ir.Set{}), values.NewScope(c.f.Binders())
	again.in.Fold = c.f
	for q, a := range c.f.Accs {
		for _, v := range c.copies {
			again.sc.Add(Assign(g.AccName(a, v), g.Val(c.f.Init[q], v, values.ByLane).AsVec())...)
		}
	}
	y := *x
	y.c, y.running, y.near = &again, exact, false
	g.Within(func() { g.leave(&y, nil) }, again.sc)
	c.sc.Add(If{Cond: Call("v_any", All("|", doubts...)), Rare: true, Then: again.sc.Body})
}
