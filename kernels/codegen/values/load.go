package values

import (
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/inside"
)

// access is one load for one vector in flight.
type access struct {
	n       *ir.Node
	l       ir.Linear
	v       int
	m       Layout
	at      int // depth
	sc      *Scope
	guard   Value // of what padding does not cover
	here    Value // the part of it that is the same for all lanes; Regs are nil where there is none
	guarded bool
	covered bool // padding holds what the guard gives along the innermost axis
}

// load computes a load: from a shared tile, uniform, contiguous, window, transposed or gather, by how its index differs over the lanes.
func (g *Generator) load(n *ir.Node, v int, m Layout, at int) Value {
	a := &access{n: n, l: ir.Flatten(n.Buf, n.Index()), v: v, m: m, at: at, sc: g.Stack[at]}
	_, rest := g.Split(a.l, m)
	var tests []*ir.Node
	a.covered, tests = ir.PadCover(n, g.W)
	pattern, known := g.LanePattern(rest, m)
	beside := known && tile.Strided(pattern, 1) && !g.ownActivity(n, at)
	for _, t := range tests {
		if c, ok := inside.Holds(t); ok && beside && m == ByLane && g.Vary.Of(t).Meets(g.Lanes) && g.inside([]ir.Linear{c}) {
			continue
		}
		x := g.Val(t, v, m)
		a.guard, a.guarded = Both(a.guard, x), true
		if !x.Vec {
			a.here = Both(a.here, x)
		}
	}
	if x, ok := g.loadTogether(a); ok {
		return x
	}
	if m == Origin || len(rest.Terms) == 0 {
		return g.uniformLoad(a)
	}
	if beside {
		return g.contiguousLoad(a)
	}
	if x, ok := g.nearlyContiguous(a); ok {
		return x
	}
	if m == ByLane && known && tile.Strided(pattern, -1) && !a.guarded && g.W > 1 && !g.Masked(at) && n.Type != ir.Bool {
		g.Count("backward", n)
		return g.Name(a.sc, g.backward(n, g.Pointer(n.Buf, a.l, v, Origin)))
	}
	if m == ByLane && !a.guarded {
		if x, ok := g.windowLoad(a); ok {
			return x
		}
	}
	if m == ByIteration {
		if x, ok := g.turnsWindow(a); ok {
			return x
		}
	}
	if m == ByLane && known && !n.Guarded && !g.Masked(at) {
		if stride, ok := g.transposed(n, a.l, pattern); ok {
			return g.transposedLoad(a, stride)
		}
	}
	if g.W > 1 && !g.Masked(at) {
		if group := g.groups()[n]; group != nil {
			return g.groupLoad(group, a)
		}
	}
	g.Count("gather", n)
	return g.gatherLoad(a)
}

// Both is a condition and another, if there is one before it.
func Both(a, b Value) Value {
	if a.Regs[0] == nil {
		return b
	}
	return And(a, b)
}

// Count notes the class of a load, once for all vectors in flight; copies for blocks without proof do not count.
func (g *Generator) Count(class string, n *ir.Node) {
	k := loadClass{n, class}
	if !g.Gathering && !g.Notes.counted[k] {
		g.Notes.counted[k] = true
		g.Notes.Loads[class]++
	}
}

type loadClass struct {
	n     *ir.Node
	class string
}

// otherValue is the load's other value.
func (g *Generator) otherValue(a *access) Value {
	_, o := a.n.Guard()
	return g.Val(o, a.v, a.m)
}

func (g *Generator) uniformLoad(a *access) Value {
	n, sc := a.n, a.sc
	g.Count("uniform", n)
	var p *Expr
	if a.covered {
		row, inner := form.RowAndInner(n)
		cut := g.Name(sc, InnerLimit(n, g.Val(inner, a.v, a.m), 1))
		p = g.Pointer(n.Buf, row, a.v, a.m, extra(a.at, cut))
	} else {
		p = g.Pointer(n.Buf, a.l, a.v, a.m)
	}
	g.ExactLoads++
	x := Scalar(n.Type, Call("s_load_"+n.Buf.Type.String(), p))
	if g.ownActivity(n, a.at) {
		on, _ := g.Active(a.at, g.Vary.Of(n), a.v)
		x.Regs[0] = Choose(AnyLane(on), x.Regs[0], Int(0))
	}
	if !a.guarded {
		return g.Name(sc, x)
	}
	other := g.otherValue(a)
	if a.guard.Vec || other.Vec {
		x = g.Name(sc, Select(Scalar(ir.Bool, AnyLane(a.guard)), x, Scalar(n.Type, Int(0))))
	}
	return g.Name(sc, Select(a.guard, x, other))
}

func (g *Generator) contiguousLoad(a *access) Value {
	n, sc := a.n, a.sc
	g.Count("contiguous", n)
	g.ExactLoads++
	start := a.m
	if start == ByLane {
		start = Origin
	}
	var p *Expr
	if a.covered {
		row, inner := form.RowAndInner(n)
		first := g.Val(inner, a.v, start)
		if start == ByIteration {
			first = g.firstIteration(inner, a.v)
		}
		cut := g.Name(sc, InnerLimit(n, first, g.W))
		p = g.Pointer(n.Buf, row, a.v, start, extra(a.at, cut))
	} else {
		p = g.Pointer(n.Buf, a.l, a.v, start)
		g.prefetch(a, p)
	}
	whole := Each(n.Type, func(h int) *Expr { return Call(PartFunc("load", n, h), p) })
	if !a.guarded {
		return g.Name(sc, whole)
	}
	other := g.otherValue(a)
	if a.guard.Vec && masksLoads(n.Buf.Type) {
		guard := g.Name(sc, a.guard)
		if a.here.Regs[0] != nil { // processors take long to find that no lane of a load far outside of memory is wanted
			p = Choose(a.here.Regs[0], p, g.BufName(n.Buf))
		}
		x := Each(n.Type, func(h int) *Expr { return Call(PartFunc("mask_load", n, h), p, MaskPart(guard, n.Type, h)) })
		return g.Name(sc, Select(guard, g.Name(sc, x), other))
	}
	x := Named(n.Type, g.Fresh("v"))
	sc.Declare(x, Value{})
	guard := a.guard
	if guard.Vec {
		guard = g.Name(sc, guard)
		sc.Add(If{Cond: Call("v_all", guard.Regs[0]), Then: Assign(x, whole), Else: g.laneLoop(a, x, guard.Regs[0])})
	} else {
		zero := Each(n.Type, func(int) *Expr { return Numbers(Spelled[n.Type].Vector) })
		sc.Add(If{Cond: guard.Regs[0], Then: Assign(x, whole), Else: Assign(x, zero)})
	}
	return g.Name(sc, Select(guard, x, other))
}

// backward loads what lies before a place in memory, from lane to lane.
func (g *Generator) backward(n *ir.Node, p *Expr) Value {
	last := schedule.Registers(n.Type) - 1
	return Each(n.Type, func(h int) *Expr {
		return Call(Fn("reverse", n.Type), Call(PartFunc("load", n, last-h), Bin("-", p, Int(g.W-1))))
	})
}

// firstIteration is an index at the iteration that the loop variable stands at, in that layout.
func (g *Generator) firstIteration(index *ir.Node, v int) Value {
	var l ir.Linear
	l.Add(index, 1)
	return Scalar(ir.I32, g.atFirst(l, v))
}

func (g *Generator) atFirst(l ir.Linear, v int) *Expr {
	sum := Int(l.C)
	for _, t := range l.Terms {
		x := g.iterated(t.N)
		if t.N != g.Iter.Index {
			x = g.Val(t.N, v, ByIteration).Regs[0]
		}
		sum = Bin("+", sum, Bin("*", x, Int(t.Coef)))
	}
	return sum
}

// laneLoop reads element by element what a mask selects (nil: all), into the zeroed x.
func (g *Generator) laneLoop(a *access, x Value, on *Expr) (out []Stmt) {
	n, at := a.n, Name(g.Fresh("q"))
	i := g.VecIndex(n.Buf, a.l, a.v, a.m)
	out = append(out, Array{Type: Spelled[i.Type].Scalar, Name: at.Text, N: Name("W")},
		Do(Call("store_"+i.Type.String(), append([]*Expr{at}, i.List()...)...)))
	for h, e := range x.List() {
		per := g.W / schedule.Registers(n.Type)
		lane := Bin("+", Name("l"), Int(h*per))
		read := Call("s_load_"+n.Buf.Type.String(), Bin("+", g.BufName(n.Buf), At(at, lane)))
		if x.Type == ir.Bool {
			read = Pre("-", read) // a truth value makes a mask
		}
		var body Stmt = Set{To: At(e, Name("l")), Value: read}
		if on != nil {
			body = If{Cond: At(on, lane), Then: []Stmt{body}}
		}
		out = append(out, Set{To: e, Value: Numbers(Spelled[x.Type].Vector)}, Count("int", "l", Int(0), Int(per), 1, body))
	}
	return out
}

// prefetched says where a load has been asked for beforehand.
type prefetched string

const (
	longStride = 2048    // bytes from step to step beyond which processors do not see where loads go: they look within a page
	ahead      = 8       // iterations that are asked for beforehand, and at least two steps
	aheadSwept = 4       // turns of a sweep: with twice as many, what waits fills the cache that two threads of a core share
	AheadTurns = 2048    // bytes that are asked for before turns that store: these leave a processor no room to look far ahead by itself
	leastFar   = 1 << 20 // bytes of an array of which a core has not all near: as large as its second cache
)

// later asks for so many elements, from as many further on in the row as blocks of turns go at most, where each point has a row of its own and these are
// not near: while the other passes of a block add up, nothing reads on in its rows.
func (g *Generator) later(a *access, p *Expr, elements int) {
	b := a.n.Buf
	own := slices.ContainsFunc(g.Axes, func(axis *ir.Node) bool { return g.Vary.Of(a.n).Meets(axis.Bind()) })
	if g.Later == 0 || !own || b.Len()*b.Type.Size() < leastFar {
		return
	}
	for from := 0; from < elements; from += g.W {
		a.sc.Add(g.Ask(p, b.Type, int64(g.Later*elements/g.W+from), Int(0))...)
	}
}

// prefetch asks for what a contiguous load will read some steps later of the tile loop it is in, where these lie far apart, or of turns that
// store.
func (g *Generator) prefetch(a *access, p *Expr) {
	if a.m == ByIteration {
		g.later(a, p, g.W)
	}
	if a.m == ByIteration && schedule.Independent(g.Kernel, g.Iter) {
		a.sc.Add(g.Ask(p, a.n.Buf.Type, int64(AheadTurns/a.n.Buf.Type.Size()), Int(0))...)
		return
	}
	if away := g.NextTurns(a.l, a.n.Buf.Type); away > 0 && a.sc.Fold == g.Sliced {
		a.sc.Add(g.Ask(p, a.n.Buf.Type, away, Int(0))...)
		return
	}
	if g.Schedule.Flat > 0 || g.Filling || a.at < 1 || a.at > len(g.Schedule.Order) {
		return
	}
	axis := g.Schedule.Order[a.at-1]
	stride, step := a.l.Along(g.Axes[axis]), g.Schedule.Step(axis)
	if stride*int64(step*a.n.Buf.Type.Size()) < longStride {
		return
	}
	a.sc.Make(prefetched(p.String()), func() Value {
		a.sc.Add(Do(Call("__builtin_prefetch", Bin("+", p, Int(stride*int64(max(ahead, 2*step)))))))
		return Value{}
	})
}

// NextTurns is how many elements ahead the next turns of a split fold that stores lie, where those are far apart: a slice reads and writes
// lengths of rows that are too short for processors to see where they end.
func (g *Generator) NextTurns(l ir.Linear, t ir.DType) int64 {
	if f := g.Sliced; g.Slicing && g.Kernel.Writes(f) {
		if stride := l.Along(f.Index); stride*int64(t.Size()) >= longStride {
			return stride * aheadSwept
		}
	}
	return 0
}

// Ask asks for the vector that lies some elements away, to be read (0) or written (1).
func (g *Generator) Ask(p *Expr, t ir.DType, away int64, written *Expr) (out []Stmt) {
	for at := 0; at < g.W*t.Size(); at += 64 {
		out = append(out, Do(Call("__builtin_prefetch", Add(p, Int(away+int64(at/t.Size()))), written)))
	}
	return out
}

// Active is the mask of lanes for which a value with this variation is wanted: those active in the nearest enclosing
// masked fold, up to a depth, in any of the vectors in flight that share the value. ok is false where all lanes always are.
func (g *Generator) Active(depth int, vary ir.Set, v int) (mask Value, ok bool) {
	for i := depth; i >= 0; i-- {
		m := g.Stack[i].Mask
		if m == nil {
			continue
		}
		var out Value
		seen := map[string]bool{}
		for w := range g.V {
			x := m(w)
			if g.Canon(vary, w) != g.Canon(vary, v) || seen[x.Regs[0].Text] {
				continue
			}
			seen[x.Regs[0].Text] = true
			if len(seen) == 1 {
				out = x
			} else {
				out = Or(out, x)
			}
		}
		return out, true
	}
	return Value{}, false
}

// Masked reports whether there is an enclosing masked fold, up to a depth.
func (g *Generator) Masked(depth int) bool {
	_, ok := g.Active(depth, ir.Set{}, 0)
	return ok
}

// ownActivity reports whether vectors in flight do not share a load inside a fold that they may leave one by one: that some
// vector is active does not mean that its index is in range.
func (g *Generator) ownActivity(n *ir.Node, depth int) bool {
	return g.V > 1 && g.Masked(depth) && len(g.Copies(g.Vary.Of(n))) > 1
}

// masksLoads reports whether machines load a storage type by lanes, without touching the others.
func masksLoads(t ir.DType) bool { return t == ir.F32 || t == ir.I32 || t == ir.F64 || t == ir.I64 }
