package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
)

// branched writes a turn of a loop of scalars that stores, and changes some accumulators, under one condition: in one branch, away from the way of most
// turns, which a compiler does not find by itself. ok is false for other turns.
func (g *gen) branched(c *loop, in *values.Scope) (ok bool) {
	if c.vec || in.Mask != nil || g.V > 1 || len(g.Schedule.Lanes) > 0 || g.team.stores != nil || g.Iter != nil {
		return false
	}
	branch, ok := form.BranchOf(g.Kernel, c.f)
	if !ok {
		return false
	}
	on := g.Val(branch.Cond, 0, values.ByLane).Regs[0]
	var inside []*ir.Node // values for the branch alone
	for _, s := range branch.Stores {
		inside = append(inside, s.Value)
	}
	besides, last := []*ir.Node{branch.Cond}, []Stmt(nil)
	for q, a := range c.f.Accs {
		if n := branch.Changes[q]; n != nil {
			inside = append(inside, n)
		} else if n = c.f.Step[q]; n != a {
			besides = append(besides, n)
			last = append(last, Assign(g.AccName(a, 0), g.before(in, n))...)
		}
	}
	then := g.aside(in, besides, inside, 0, values.ByLane, func() {
		for i, n := 0, 0; i < len(branch.Stores); i = n {
			for n = i; n < len(branch.Stores) && slices.Equal(branch.Rest[n], branch.Rest[i]); n++ {
			}
			list := g.aside(in, nil, nil, 0, values.ByLane, func() {
				for _, s := range branch.Stores[i:n] {
					g.storeWhere(in, form.Output{Store: *s}, ir.Flatten(s.Buf, s.Index), 0, values.ByLane, Value{})
				}
			})
			for _, n := range branch.Rest[i] {
				list = []Stmt{If{Cond: g.Val(n, 0, values.ByLane).Regs[0], Then: list}}
			}
			in.Add(list...)
		}
		var after []Stmt
		for q, n := range branch.Changes {
			if n != nil {
				after = append(after, Assign(g.AccName(c.f.Accs[q], 0), g.before(in, n))...)
			}
		}
		in.Add(after...)
	})
	for _, n := range form.Streamed(c.f, besides, inside) {
		ask := Call("__builtin_prefetch", Add(g.Pointer(n.Buf, ir.Flatten(n.Buf, n.Index()), 0, values.ByLane), Int(int64(values.AheadTurns/n.Buf.Type.Size()))))
		in.Add(Do(ask))
	}
	in.Add(If{Cond: on, Rare: true, Then: then})
	in.Add(last...)
	return true
}

// before is a value as it is before any accumulator is written back.
func (g *gen) before(in *values.Scope, n *ir.Node) Value {
	x := g.Val(n, 0, values.ByLane)
	if n.Kind == ir.KAxis && n.Role == ir.RoleAcc {
		return g.Name(in, x)
	}
	return x
}
