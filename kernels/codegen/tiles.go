// Package codegen turns a kernel and a schedule into statements: loops over points, folds and their turns, and stores. What values are in them
// is package values'.
package codegen

import (
	"fmt"
	"slices"

	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/inside"
)

// Body is what a function does.
type Body struct {
	Stmts   []Stmt
	Loads   map[string]int // by class
	Tables  int            // lane-uniform values tabulated over a fold
	Scratch int            // bytes of memory that a launch needs for itself
	Shares  bool           // a launch gives others a part of what is left
	Inside  inside.Ends    // of the lanes' axis, from where to where the tail may be Inside
}

// Unit is the function being written: variants of the same kernel that share buffers and scalars.
type Unit struct{ *values.Unit }

// NewUnit prepares for the variants of a kernel. It refuses what no schedule can compute.
func NewUnit(k *ir.Kernel, t schedule.Target) (*Unit, error) {
	u, err := values.NewUnit(k, t)
	return &Unit{u}, err
}

// gen writes one variant of a function.
type gen struct {
	*values.Generator
	team   team // threads that work together
	parted split
	chunk  chunks
	turns  *turns
	pass   *pass // of sums on lanes that are made in several
	across *across
	joins  []Stmt // of copies with their tables, at the end of a point

	first, longest int // of the fold that points go through together: where one may begin, and how many turns it has at most
}

func (u *Unit) gen(s schedule.CPU) *gen {
	g := &gen{Generator: u.Generator(s)}
	g.WriteFold, g.LaidOut = g.fold, g.found
	return g
}

// found is a value that was laid out: packed for a slice of iterations, or in a tile that threads share.
func (g *gen) found(n *ir.Node, v int, m values.Layout, at int) (x Value, ok bool) {
	if sc := g.Stack[at]; g.packs(n, m, sc) {
		return g.packedValue(n, v, sc), true
	}
	if g.pass != nil && m == values.ByIteration {
		return g.pass.kept(g, n, v, g.Stack[at])
	}
	if s := g.team.tileOf(g, n, at); s != nil {
		return g.tileLoad(n, s, v, at), true
	}
	return g.tookAside(n, v, m, at)
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
	g.Stack = []*values.Scope{values.NewScope(ir.Set{})}
	for _, a := range s.Order {
		g.Stack = append(g.Stack, values.NewScope(g.Axes[a].Bind()))
	}
	g.findTogether()
	if len(s.Chunk) > 0 {
		g.startChunks()
	}
	g.stores()
	g.Top().Add(g.joins...)
	var body []Stmt
	for q, a := range slices.Backward(s.Order) {
		body = g.tileLoop(a, append(g.Stack[q+1].Body, body...))
		if len(s.Chunk) > 0 && a == s.Chunk[0].Axis {
			body = g.chunked(body)
		}
	}
	return g.finish(append(g.Stack[0].Body, body...))
}

// finish is a function of buffers in weft_args.
func (g *gen) finish(list []Stmt) Body {
	var out []Stmt
	for i, b := range g.Bufs {
		if g.Notes.Uses[b] {
			out = append(out, Var(g.BufType(b)+" *restrict", fmt.Sprintf("b%d", i), At(Name("a->buf"), Int(i))))
		}
	}
	if g.Kernel.Past {
		list = append(list, Do(Call("past_end")))
	}
	return Body{append(out, g.Counts.Around(list)...), g.Notes.Loads, g.Notes.Tables, g.chunk.scratch, g.chunk.shares, g.Notes.Inside}
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
