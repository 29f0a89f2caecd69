package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// turnsBehind is how many turns after its place was found something is added there: a place that is read as soon as it is written, in another
// size, takes half as long again, and processors add while they find the places of others.
const turnsBehind = 64

// turns are some turns of a fold, with stores that are made in the next ones.
type turns struct {
	from, half    *Expr // the first of them; where their places lie among twice as many
	before, after []Stmt
}

// copied writes a store that adds to a table, of one vector of iterations, to the copies that a point has of it. It gives up (false) where
// the schedule has none.
func (g *gen) copied(in *values.Scope, s form.Output, v int, m values.Layout, x, on Value) bool {
	last, at := len(s.Index)-1, len(g.Schedule.Order)
	if g.Schedule.Copies == 0 || m != values.ByIteration || !schedule.Copied(g.Kernel, &s.Store) {
		return false
	}
	row := ir.Flatten(s.Buf, append(slices.Clone(s.Index[:last]), g.B.I32(0)))
	if slices.ContainsFunc(row.Terms, func(t ir.Term) bool { return g.IsVec(t.N, m) || g.Depth(t.N) > at }) {
		return false
	}
	t, n := schedule.CopyType(g.Kernel, &s.Store), s.Buf.Shape[last]
	size := n + 1 // what is not added anywhere is added behind the table
	tables := g.Stack[at].Make(s.Buf, func() Value {
		name, i := Name(g.Fresh("t")), Name("i")
		g.Stack[at].Add(Array{Type: Spelled[t].Scalar, Name: name.Text, N: Int(size * g.Schedule.Copies), Aligned: true},
			Count("int", "i", Int(0), Int(size*g.Schedule.Copies), 1, Set{To: At(name, i), Value: Int(0)}))
		sum := Cast(Spelled[s.Buf.Type].Scalar, At(name, i))
		for c := 1; c < g.Schedule.Copies; c++ {
			sum = Bin("+", sum, At(name, Add(i, Int(c*size))))
		}
		g.joins = append(g.joins, Count("int", "i", Int(0), Int(n), 1, StoreElement(s.Buf.Type, s.Adds, Bin("+", g.Pointer(s.Buf, row, v, values.ByLane), i), sum)))
		return Scalar(t, name)
	}).Regs[0]
	place := Op(ir.Cast, ir.I32, g.Val(s.Index[last], v, m)).AsVec()
	if on.Regs[0] != nil {
		place = Select(on.AsVec(), place, Scalar(ir.I32, Int(n)).AsVec())
	}
	adds := func(places *Expr) (list []Stmt) {
		for l := 0; l < g.W; l += 2 { // two places are read at once: a processor that loads three times a turn of the clock also loads what it adds to
			both := Name(g.Fresh("w"))
			list = append(list, Let("unsigned long long", both.Text, Call("two_i", Add(places, Int(l)))))
			for i, place := range []*Expr{Cast("unsigned", both), Bin(">>", both, Int(32))} {
				list = append(list, Set{To: At(Add(tables, Int((l+i)%g.Schedule.Copies*size)), place), Op: "+", Value: x.Regs[0]})
			}
		}
		return list
	}
	if g.turns == nil {
		places, out := g.spill("q", place)
		in.Add(Block(append(out, adds(places)...)))
		return true
	}
	places, behind, l := Name(g.Fresh("q")), Name(g.Fresh("q")), Name("l")
	old := func(i *Expr) Stmt {
		return Let("int *", behind.Text, Bin("+", places, Bin("+", Bin("-", Int(turnsBehind), g.turns.half), i)))
	}
	here := Bin("-", Name(AxisName(g.Iter.Index)), g.turns.from)
	g.turns.before = append(g.turns.before, Array{Type: "int", Name: places.Text, N: Int(2 * turnsBehind), Aligned: true},
		Count("int", "l", Int(turnsBehind), Int(2*turnsBehind), 1, Set{To: At(places, l), Value: Int(n)}))
	in.Add(Set{To: Deref("vi", Bin("+", places, Bin("+", g.turns.half, here))), Value: place.Regs[0]}, old(here))
	in.Add(adds(behind)...)
	g.turns.after = append(g.turns.after, Count("int", "l", Int(0), Int(turnsBehind), g.W, append([]Stmt{old(l)}, adds(behind)...)...))
	return true
}
