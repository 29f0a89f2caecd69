package values

import (
	"math/bits"

	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// transposed reports whether a load runs along memory from one vector in flight to the next, as many as there are lanes, and
// across it from lane to lane: rows loaded whole and transposed in registers serve all of them. It gives the stride from
// lane to lane.
func (g *Generator) transposed(n *ir.Node, l ir.Linear, pattern []int64) (stride int64, ok bool) {
	if len(g.Schedule.Unroll) != 1 || g.V != g.W || g.W == 1 || schedule.Registers(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return 0, false
	}
	flight := g.Axes[g.Schedule.Unroll[0].Axis]
	stride = pattern[1]
	return stride, stride != 0 && g.LaneCount(flight) == 1 && l.Along(flight) == 1 && tile.Strided(pattern, stride)
}

// transposedLoad loads for all vectors in flight: a row of memory for each lane, and then, as often as lanes can be halved,
// vectors that interleave two of them.
func (g *Generator) transposedLoad(a *access, stride int64) Value {
	g.Count("transposed", a.n)
	key := func(v int) together { return together{a.n, v, Origin} }
	if _, ok := a.sc.Once[key(0)]; !ok {
		first := *a
		first.v = 0
		for v, x := range g.rowsAcross(&first, stride) {
			a.sc.Once[key(v)] = x
		}
	}
	return a.sc.Once[key(a.v)]
}

// rowsAcross loads a row of memory for each lane, and gives what lies in one column of all of them: as many columns as a register has lanes.
func (g *Generator) rowsAcross(a *access, stride int64) []Value {
	p := g.Pointer(a.n.Buf, a.l, a.v, Origin)
	registers := schedule.Registers(a.n.Type)
	lanes := g.W / registers
	columns := make([]Value, lanes)
	for h := range registers {
		rows := make([]*Expr, lanes)
		for i := range rows {
			rows[i] = g.register(a, Call(PartFunc("load", a.n, 0), Bin("+", p, Int(int64(h*lanes+i)*stride))))
		}
		for range bits.Len(uint(lanes)) - 1 {
			next := make([]*Expr, 0, lanes)
			for i := range lanes / 2 {
				for _, half := range []string{"zip_low", "zip_high"} {
					next = append(next, g.register(a, Call(Fn(half, a.n.Type), rows[i], rows[i+lanes/2])))
				}
			}
			rows = next
		}
		for i := range columns {
			columns[i].Type, columns[i].Vec, columns[i].Regs[h] = a.n.Type, true, rows[i]
		}
	}
	return columns
}

// register names what is in one register.
func (g *Generator) register(a *access, x *Expr) *Expr {
	name := Name(g.Fresh("v"))
	a.sc.Add(Let(Spelled[a.n.Type].Vector, name.Text, x))
	return name
}

// Iterations are a load's vectors of points in as many iterations as a register has lanes, from the one that the innermost loop stands at: where
// iterations are neighbours in memory and points are not, each line of it is then read once. ok is false for other loads.
func (g *Generator) Iterations(n *ir.Node, f *ir.Fold, v int) (list []Value, ok bool) {
	if n.Kind != ir.KLoad || n.Guarded || g.W == 1 || n.Type != ir.F64 && schedule.Registers(n.Type) != 1 || n.Buf.Type == ir.Bool {
		return nil, false
	}
	a := &access{n: n, l: ir.Flatten(n.Buf, n.Index()), v: v, sc: g.Top()}
	_, rest := g.Split(a.l, ByLane)
	pattern, known := g.LanePattern(rest, ByLane)
	if !known || a.l.Along(f.Index) != 1 || pattern[1] == 0 || !tile.Strided(pattern, pattern[1]) || g.Masked(len(g.Stack)-1) {
		return nil, false
	}
	g.Count("transposed", n)
	return g.rowsAcross(a, pattern[1]), true
}
