package values

import (
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// mostHeld is how many scalars registers may hold as vectors through a loop, half of those of the target: compilers keep more as vectors in memory, which take
// their place in the nearest cache from what the loop reads.
var mostHeld = map[string]int{"avx512": 16, "avx2": 8, "portable": 8}

// again are the loads that every point makes of the same places, more than registers hold: they are made anew for each vector in flight, where an
// instruction takes its operand from memory. Nothing outside the innermost loop may be made of them. 5 x 5 weights took 1.2 of the time otherwise.
func (g *Generator) again() map[*ir.Node]bool {
	if g.repeated != nil {
		return g.repeated
	}
	g.repeated = map[*ir.Node]bool{}
	if g.W == 1 || g.V == 1 || g.Schedule.Flat > 0 || g.Kernel.Folds() > 0 {
		return g.repeated
	}
	last := len(g.Stack) - 1
	g.Kernel.Walk(func(n *ir.Node) {
		if n.Kind == ir.KLoad && !n.Guarded && n.Type.Float() && schedule.Registers(n.Type) == 1 && n.Free().Empty() && len(ir.Flatten(n.Buf, n.Index()).Terms) == 0 {
			g.repeated[n] = true
		}
		for _, a := range n.Args {
			if g.repeated[a] && (!g.Laned(n) || g.Depth(n) != last) {
				delete(g.repeated, a)
			}
		}
	})
	for _, n := range g.Kernel.Roots() {
		delete(g.repeated, n)
	}
	if len(g.repeated) <= mostHeld[g.Target.ISA] {
		clear(g.repeated)
	}
	return g.repeated
}

// reread is where a vector in flight finds a buffer again.
type reread struct {
	buf *ir.Buffer
	v   int
}

// loadAgain is a load of the same place for all points, by a pointer of which a compiler does not know that others have it too.
func (g *Generator) loadAgain(n *ir.Node, v int) Value {
	sc := g.Top()
	return sc.Make(key{n, v, ByLane}, func() Value {
		p := sc.Make(reread{n.Buf, v}, func() Value {
			name := Name(g.Fresh("p"))
			sc.Add(Var(g.BufType(n.Buf)+" *const", name.Text, Call("s_again", g.BufName(n.Buf))))
			return Value{Regs: [2]*Expr{name}}
		}).Regs[0]
		g.Count("uniform", n)
		at := ir.Flatten(n.Buf, n.Index()).C
		return g.Name(sc, Scalar(n.Type, Call("s_load_"+n.Buf.Type.String(), Add(p, Int(at)))))
	})
}
