package codegen

import (
	"fmt"
	"slices"

	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Body is what a function does.
type Body struct {
	Stmts   []Stmt
	Loads   map[string]int // by class
	Tables  int            // lane-uniform values tabulated over a fold
	Scratch int            // bytes of memory that a launch needs for itself
	Inside  schedule.Ends  // of the lanes' axis, from where to where the tail may be Inside
}

// Tile is the function that runs a kernel over a tile, under a schedule with an order.
func (u *Unit) Tile(s schedule.CPU, end tile.Tail) Body {
	g := u.gen(s)
	g.Clamp, g.Tail = end == tile.Cut, end
	if s.Scalar() {
		g.W = 1
	}
	for _, l := range s.Lanes {
		g.Lanes = g.Lanes.Or(g.Axes[l.Axis].Bind())
	}
	g.stack = []*scope{newScope(ir.Set{})}
	for _, a := range s.Order {
		g.stack = append(g.stack, newScope(g.Axes[a].Bind()))
	}
	if len(s.Chunk) > 0 {
		g.startChunks()
	}
	g.stores()
	g.top().add(g.joins...)
	var body []Stmt
	for q, a := range slices.Backward(s.Order) {
		body = g.tileLoop(a, append(g.stack[q+1].body, body...))
		if len(s.Chunk) > 0 && a == s.Chunk[0].Axis {
			body = g.chunked(body)
		}
	}
	return g.finish(append(g.stack[0].body, body...))
}

// finish is a function of buffers in weft_args.
func (g *gen) finish(list []Stmt) Body {
	var out []Stmt
	for i, b := range g.Bufs {
		if g.notes.uses[b] {
			out = append(out, Var(g.bufType(b)+" *restrict", fmt.Sprintf("b%d", i), At(Name("a->buf"), Int(i))))
		}
	}
	if g.Kernel.Past {
		list = append(list, Do(Call("past_end")))
	}
	return Body{append(out, g.Counts.Around(list)...), g.notes.loads, g.notes.tables, g.chunk.scratch, g.notes.inside}
}

// tileLoop is the loop over the tile's range of an axis.
func (g *gen) tileLoop(axis int, body []Stmt) (out []Stmt) {
	x, step := AxisName(g.Axes[axis]), g.Schedule.Step(axis)
	end := Name(x + "_end")
	if step > 1 && g.Tail == tile.Cut {
		out = append(out, Let("int", x+"_last", Bin("-", TileHi(axis), Int(1))))
	}
	if step > 1 && g.Tail != tile.Cut {
		body = append([]Stmt{Let("int", x, Call("s_min_i", Name(x+"_"), Bin("-", end, Int(step))))}, body...)
		x += "_"
	}
	lo, hi := TileLo(axis), TileHi(axis)
	if slices.ContainsFunc(g.Schedule.Chunk, func(c schedule.AxisN) bool { return c.Axis == axis }) {
		lo, hi = ChunkEnds(g.Axes[axis])
	}
	loop := Count("int", x, lo, end, step, body...)
	loop.Vars = append(loop.Vars, To(end.Text, hi))
	return append(out, loop)
}
