package interp

import (
	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
)

// Value is a float or an integer.
type Value struct {
	F float64
	I int64
}

// Apply computes one operation on its own, as Exact mode does.
func Apply(n *ir.Node, args []Value) Value {
	c := &compiler{p: &Program{mode: Exact}, at: map[*ir.Node]register{}, scopes: []*scope{{}}, fused: contraction.Of(&ir.Kernel{})}
	m := &small
	for i, a := range n.Args {
		if _, ok := c.at[a]; !ok {
			c.place(a)
		}
		if r := c.at[a]; isFloat(a) {
			m.f[r] = args[i].F
		} else {
			m.i[r] = args[i].I
		}
	}
	r := c.alu(n)
	m.run(c.scopes[0].code)
	if isFloat(n) {
		return Value{F: m.f[r]}
	}
	return Value{I: m.i[r]}
}

var small machine
