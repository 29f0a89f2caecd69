package codegen

import (
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/inside"
)

// A split fold runs a slice of its iterations for all points of a chunk of the tile before the next slice, so that what the slice
// loads stays near. Accumulators are parked in the launch's scratch memory between slices, and values that differ along the fold and one
// axis of the chunk may be packed there: computed once a slice, in the order in which the points' steps read them.

// chunks is what a function does chunk by chunk.
type chunks struct {
	packs   map[*ir.Node]*packed
	fills   map[int][]Stmt // by the axis that the values differ along
	scratch int            // bytes so far
	shares  bool           // a launch gives others a part of what is left
}

// aheadPacked is how many turns beforehand packed vectors are asked for: what a slice packs is too much for the nearest cache, and
// processors do not look beyond the page they are in.
const aheadPacked = 12

// aheadRows is how many rows beforehand what is packed is asked for where rows lie further apart than what processors foresee. A product of 848 x 20,000 and
// 20,000 x 1,280 in float32 took 4 % longer without, and 2 % with 2.
const (
	aheadRows = 4
	farRows   = 4 << 10
)

// stripTurns are the iterations for which points are packed at a time, where iterations are not neighbours in memory: what is stored then lies
// together, and what is loaded stays near for the next points, even where all of it falls into one set of a cache.
const stripTurns = 8

// collides is how many bytes apart few lines fit a set of the nearest cache.
const collides = 2 << 10

// packed is a value laid out for a slice: for each step of an axis, either iteration by iteration or, as rows, one point after the other.
type packed struct {
	axis   int
	rows   bool
	copies []int
	size   int // elements that a step takes
	row    int // elements from one iteration, or row, to the next
	name   *Expr
}

// startChunks sets up what a schedule with chunks needs.
func (g *gen) startChunks() {
	g.splitFold(schedule.Outermost(g.Kernel, g.Target), len(g.Schedule.Order))
	g.chunk.packs, g.chunk.fills = map[*ir.Node]*packed{}, map[int][]Stmt{}
	g.Top().Add(g.place())
}

// take reserves scratch memory, in whole cache lines.
func (g *gen) take(bytes int) (at int) {
	at = g.chunk.scratch
	g.chunk.scratch += (bytes + 63) &^ 63
	return at
}

// chunked puts the loops over chunks and slices around those over a chunk's points. A slice that is all there is goes around the chunks:
// what is packed for a chunk of an outer axis then serves all chunks of the axes in it.
func (g *gen) chunked(body []Stmt) (out []Stmt) {
	out = body
	if g.parted.kept > 0 {
		points := g.W * g.V
		for _, c := range slices.Backward(g.Schedule.Chunk) {
			points *= g.steps(c.Axis)
			out = slices.Concat(g.chunk.fills[c.Axis], out)
		}
		saved := g.take(points * 4 * g.parted.kept)
		out = append([]Stmt{Let("int", "from", Int(0)), Let("int", "SAVED", Int(g.parted.kept)), Var("char *const", "saved", ScratchAt(saved))},
			g.resumed(g.parts(append(g.share(saved), out...)...)))
	}
	for i, c := range slices.Backward(g.Schedule.Chunk) {
		if g.parted.kept == 0 {
			out = slices.Concat(g.chunk.fills[c.Axis], out)
		}
		from, to := ChunkEnds(g.Axes[c.Axis])
		last := Bin("<", Bin("-", TileHi(c.Axis), from), Int(c.N+c.N/4))
		set, next := []Stmt{To(to.Text, Choose(last, TileHi(c.Axis), Bin("+", from, Int(c.N))))}, to
		var vars []Set
		if g.chunk.shares && i == len(g.Schedule.Chunk)-1 { // what is given away is left out, not what comes behind it
			next = Name(to.Text + "_next")
			vars, set = []Set{To(next.Text, Int(0))}, append(set, To(next.Text, to))
		}
		loop := Count("int", from.Text, TileLo(c.Axis), TileHi(c.Axis), 0, append(set, out...)...)
		loop.Vars, loop.Next = append(loop.Vars, append(vars, To(to.Text, Int(0)))...), []Set{To(from.Text, next)}
		out = []Stmt{loop}
	}
	if g.parted.kept == 0 {
		out = []Stmt{g.parts(out...)}
	}
	return append([]Stmt{Var("char *const", "scratch", Name("a->scratch"))}, out...)
}

// steps is how many steps a chunk takes along an axis at most: the last chunk of a tile takes what is left.
func (g *gen) steps(axis int) int {
	i := slices.IndexFunc(g.Schedule.Chunk, func(c schedule.AxisN) bool { return c.Axis == axis })
	return (g.Schedule.Chunk[i].N*5/4 + g.Schedule.Step(axis) - 1) / g.Schedule.Step(axis)
}

// stepNumber is the number of the current step of an axis within its chunk.
func (g *gen) stepNumber(axis int) *Expr {
	x, step := AxisName(g.Axes[axis]), g.Schedule.Step(axis)
	if step == 1 {
		return Bin("-", Name(x), Name(x+"_from"))
	}
	return Bin("/", Bin("-", Name(x+"_"), Name(x+"_from")), Int(step))
}

// place numbers the points of the current step within the chunk, for their parked accumulators.
func (g *gen) place() Stmt {
	var at *Expr
	for i, c := range g.Schedule.Chunk {
		if n := g.stepNumber(c.Axis); i > 0 {
			at = Bin("+", Bin("*", at, Int(g.steps(c.Axis))), n)
		} else {
			at = n
		}
	}
	return Let("long", "point", Bin("*", Cast("long", at), Int(g.W*g.V)))
}

// packs reports whether a value that is computed in the loop of the split fold is packed.
func (g *gen) packs(n *ir.Node, m values.Layout, sc *values.Scope) bool {
	f := g.Sliced
	if !g.Schedule.Pack || !g.Slicing || g.Filling || m != values.ByLane || sc.Fold != f || n.Type == ir.Bool || !n.Free().Meets(f.IndexBind) || n.Free().Meets(f.AccBind) {
		return false
	}
	return g.alongOne(n) >= 0
}

// alongOne is the only axis of the chunk that a value differs along, -1 if there is none or another.
func (g *gen) alongOne(n *ir.Node) int {
	axis := -1
	for _, c := range g.Schedule.Chunk {
		if g.Vary.Of(n).Meets(g.Axes[c.Axis].Bind()) {
			if axis >= 0 {
				return -1
			}
			axis = c.Axis
		}
	}
	return axis
}

// packedValue reads a packed value in the loop of the split fold.
func (g *gen) packedValue(n *ir.Node, v int, sc *values.Scope) Value {
	p := g.chunk.packs[n]
	if p == nil {
		p = g.pack(n)
	}
	axis := p.axis
	t := Spelled[n.Type]
	step := g.Stack[1+slices.Index(g.Schedule.Order, axis)]
	at := g.OnceAs(step, Bin("+", p.name, Bin("*", Cast("long", g.stepNumber(axis)), Int(p.size))), "const "+t.Scalar+" *const", "q")
	k, i := Bin("-", Name(AxisName(g.Sliced.Index)), Name("part")), slices.Index(p.copies, v)
	if p.rows {
		at = Add(g.OnceAs(sc, Bin("+", at, k), "const "+t.Scalar+" *const", "q"), Int(i*p.row))
		return g.Name(sc, Scalar(n.Type, Deref("const "+t.Scalar, at)))
	}
	at = g.OnceAs(sc, Bin("+", at, Bin("*", Cast("long", k), Int(p.row))), "const "+t.Scalar+" *const", "q")
	if !g.Laned(n) {
		return g.Name(sc, Scalar(n.Type, Deref("const "+t.Scalar, Add(at, Int(i)))))
	}
	return g.Name(sc, Each(n.Type, func(h int) *Expr {
		x := Add(at, Int(i*g.W+h*g.W/schedule.Registers(n.Type)))
		if 4*g.W*(i*schedule.Registers(n.Type)+h)%64 == 0 { // once a line
			sc.Add(Do(Call("__builtin_prefetch", Add(x, Int(aheadPacked*p.row)))))
		}
		return Deref("const "+t.Vector, x)
	}))
}

// apart is a length in elements, of so many bytes, with as much behind it that what lies so far apart does not collide in a cache.
func (g *gen) apart(n, bytes int) int {
	n += g.W
	if n*bytes%collides == 0 {
		n += g.W
	}
	return n
}

// askAhead asks for the vector that a load has some rows later, where turns of a fold are rows that lie far apart.
func (g *gen) askAhead(sc *values.Scope, n *ir.Node, f *ir.Fold, v int) {
	if n.Kind != ir.KLoad || n.Guarded || !g.Laned(n) {
		return
	}
	l := ir.Flatten(n.Buf, n.Index())
	row := l.Along(f.Index)
	if row*int64(n.Buf.Type.Size()) < farRows {
		return
	}
	sc.Add(Do(Call("__builtin_prefetch", Add(g.Pointer(n.Buf, l, v, values.Origin), Int(aheadRows*row)))))
}

// pack writes the loop that lays a value out. Values of points, of which a row of iterations lies side by side in memory, are packed
// row by row; those of lanes are loaded in rows and transposed.
func (g *gen) pack(n *ir.Node) *packed {
	axis := g.alongOne(n)
	f, c, t := g.Sliced, &g.chunk, Spelled[n.Type]
	slice := (g.Schedule.Split + g.W - 1) / g.W * g.W // vectors of iterations may go beyond it
	p := &packed{axis: axis, copies: g.Copies(g.Vary.Of(n)), name: Name(g.Fresh("k"))}
	alongFold := inside.AlongTurns(n, f)
	p.rows = !g.Laned(n) && alongFold
	p.row = len(p.copies)
	if g.Laned(n) {
		p.row *= g.W
	}
	bytes := 4 * schedule.Registers(n.Type)
	p.size = g.apart(p.row*slice, bytes)
	if p.rows {
		p.row = g.apart(slice, bytes)
		p.size = p.row * len(p.copies)
	}
	c.packs[n] = p
	pointer := t.Scalar + " *const"
	place := Var(pointer, p.name.Text, Cast(pointer, ScratchAt(g.take(g.steps(axis)*p.size*bytes))))

	first := 1 + slices.Index(g.Schedule.Order, g.Schedule.Chunk[0].Axis)
	point, turn := values.NewScope(g.Axes[axis].Bind()), values.NewScope(f.IndexBind)
	turn.Fold = f
	saved, filling, iter := g.Stack, g.Filling, g.Iter
	g.Stack, g.Filling = append(slices.Clone(g.Stack[:first]), point, turn), true
	strips := !alongFold && !g.Laned(n)
	if !alongFold && !strips {
		slices.Reverse(g.Stack[first:])
	}
	inner := g.Top()
	m, by, index := values.ByLane, 1, AxisName(f.Index)
	if p.rows {
		m, by, g.Iter, g.Some = values.ByIteration, g.W, f, g.UpToLast(f)
	}
	at := Bin("+", p.name, Bin("*", Cast("long", g.stepNumber(axis)), Int(p.size)))
	k := Bin("-", Name(index), Name("part"))
	from, to, cut := g.filled(axis)
	side := inside.SideBySide(n, g.Axes[axis])
	if g.Laned(n) {
		side = nil
	}
	for i, v := range p.copies {
		to := Bin("+", at, Bin("*", Cast("long", k), Int(p.row)))
		if list, ok := g.Iterations(n, f, v); ok {
			by = len(list)
			for turn, x := range list {
				inner.Add(Do(Call("store_"+n.Type.String(), append([]*Expr{Add(to, Int(turn*p.row+i*g.W))}, x.List()...)...)))
			}
			continue
		}
		var x Value
		switch {
		case side == nil:
			x = g.Val(n, v, m)
			g.askAhead(inner, n, f, v)
		case i%g.W > 0:
			continue
		default: // points lie side by side: a whole vector, of which the next iteration writes over what is too much
			from := g.Pointer(side.Buf, ir.Flatten(side.Buf, side.Index()), v, values.Origin)
			x = g.Name(inner, Each(side.Type, func(h int) *Expr { return Call(PartFunc("load", side, h), from) }))
			if side != n {
				x = g.Name(inner, Op(ir.Cast, n.Type, x))
			}
		}
		switch {
		case p.rows:
			to = Bin("+", at, Bin("+", k, Int(i*p.row)))
		case x.Vec && side == nil: // a vector for each, where points have one element
			to = Add(to, Int(i*g.W))
		default:
			to = Add(to, Int(i))
		}
		if !x.Vec {
			inner.Add(Set{To: Deref(t.Scalar, to), Value: x.Regs[0]})
			continue
		}
		inner.Add(Do(Call("store_"+n.Type.String(), append([]*Expr{to}, x.List()...)...)))
	}
	g.Stack, g.Filling, g.Iter, g.Some = saved, filling, iter, Value{}
	turns := func(body []Stmt) []Stmt {
		last := Let("int", index+"_last", Bin("-", Name("part_end"), Int(1)))
		return []Stmt{last, Count("int", index, from, to, by, body...)}
	}
	var fill []Stmt
	switch {
	case alongFold:
		fill = g.tileLoop(axis, append(point.Body, turns(turn.Body)...))
	case strips:
		strip := Name("strip")
		end := Call("s_min_i", Bin("+", strip, Int(stripTurns)), to)
		steps := g.tileLoop(axis, append(point.Body, Count("int", index, strip, end, 1, turn.Body...)))
		fill = []Stmt{Count("int", strip.Text, from, to, stripTurns, steps...)}
	default:
		fill = []Stmt{Block(turns(append(turn.Body, g.tileLoop(axis, point.Body)...)))}
	}
	if cut != nil {
		fill = []Stmt{Block(append(cut, fill...))}
	}
	c.fills[axis] = slices.Concat(c.fills[axis], []Stmt{place}, fill)
	return p
}
