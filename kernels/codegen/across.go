package codegen

import (
	"math/bits"
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Turns across lanes. Where lanes are points that lie far apart in memory, and what a carried fold loads or stores in its turns lies side by side, as many
// turns as there are lanes put their vectors aside, one behind the other: they are transposed in registers, so that each lane stores a row,
// and are loaded so before.

// across is what some turns of a fold put aside.
type across struct {
	f      *ir.Fold
	from   *Expr // the first of the turns
	stores []*rows
	loads  []*rows
}

// rows are those of the lanes of some vectors, a row for each lane.
type rows struct {
	n      *ir.Node // a load; nil: a store
	buf    *ir.Buffer
	at     *Expr         // where the vectors are put, as many as there are turns for each
	lanes  []int64       // how far each lane's row lies from that of the first
	starts []*Expr       // of the vectors' first rows: where turn 0 is
	number map[int]*Expr // of a vector in flight: the turn's place among what is put aside
}

// acrossLoop writes the loop of a fold with loads or stores that run along its turns, from lane to lane across memory. It reports whether it has some.
func (g *gen) acrossLoop(c *loop) bool {
	some := false
	g.Kernel.StoresIn(c.f, func(s *ir.Store) { some = some || g.storesRows(c.f, s) }, func(*ir.Fold) {})
	ir.WalkNodes(c.f.Step, func(n *ir.Node) { some = some || g.loadsRows(c.f, n) })
	if !some || c.f.Monoid != ir.Ordered {
		return false
	}
	a, end, t := &across{f: c.f, from: Name(g.Fresh("f"))}, Name(g.Fresh("e")), c.ctype().Scalar
	around := g.across
	g.across = a
	g.Within(func() { g.turn(c, c.in) }, c.in)
	g.across = around
	turns := Bin("-", end, a.from)
	list := []Stmt{Let(t, a.from.Text, c.index()), Let(t, end.Text, c.call("s_min", Bin("+", c.index(), Name("W")), c.hi))}
	for _, r := range slices.Concat(a.loads, a.stores) {
		list = append(list, Array{Type: Spelled[r.buf.Type].Scalar, Name: r.at.Text, N: Int(len(r.starts) * g.W * g.W), Aligned: true})
	}
	for _, r := range a.loads {
		list = append(list, g.moved(a, r, turns))
	}
	list = append(list, c.loop(nil, end, 1, c.in.Body))
	for _, r := range a.stores {
		list = append(list, g.moved(a, r, turns))
	}
	c.sc.Add(c.loop(c.lo, c.hi, 0, list))
	return true
}

// storesRows and loadsRows report what runs along the turns of a fold in memory, and across it from lane to lane.
func (g *gen) storesRows(f *ir.Fold, s *ir.Store) bool {
	return schedule.Rows(g.Kernel, f, s) && g.Vary.Of(s.Value).Meets(g.Lanes) && g.lanesApart(s.Buf, s.Index) != nil
}

func (g *gen) loadsRows(f *ir.Fold, n *ir.Node) bool {
	return n.Kind == ir.KLoad && !n.Guarded && n.Type == n.Buf.Type && schedule.Along(f, n.Buf, n.Index()) && g.lanesApart(n.Buf, n.Index()) != nil
}

// lanesApart is how far the element of each lane lies from that of the first where they lie evenly apart; nil: they do not, or side by side.
func (g *gen) lanesApart(buf *ir.Buffer, index []*ir.Node) []int64 {
	_, rest := g.Split(ir.Flatten(buf, index), values.ByLane)
	lanes, known := g.LanePattern(rest, values.ByLane)
	if g.W == 1 || !known || lanes[1] >= 0 && lanes[1] <= 1 || !tile.Strided(lanes, lanes[1]) || g.Masked(len(g.Stack)-1) {
		return nil
	}
	return lanes
}

// put is where a vector in flight of a turn is put.
func (g *gen) put(r *rows, l ir.Linear, v int) *Expr {
	if r.number[v] == nil {
		f := g.across.f
		l.Terms = slices.DeleteFunc(slices.Clone(l.Terms), func(t ir.Term) bool { return t.N == f.Index })
		turn := Bin("+", Int(len(r.starts)*g.W), Bin("-", Name(AxisName(f.Index)), g.across.from))
		r.number[v], r.starts = Bin("+", r.at, Bin("*", turn, Name("W"))), append(r.starts, g.Pointer(r.buf, l, v, values.Origin))
	}
	return r.number[v]
}

func (g *gen) rowsOf(n *ir.Node, buf *ir.Buffer, index []*ir.Node) *rows {
	return &rows{n: n, buf: buf, at: Name(g.Fresh("w")), lanes: g.lanesApart(buf, index), number: map[int]*Expr{}}
}

// putAside has a turn put what it stores aside. It reports whether this is such a store.
func (g *gen) putAside(in *values.Scope, s form.Output, l ir.Linear, vary ir.Set) bool {
	if g.across == nil || s.In != g.across.f || !g.storesRows(s.In, &s.Store) {
		return false
	}
	r := g.rowsOf(nil, s.Buf, s.Index)
	g.Count("stored in rows", s.Value)
	for v := range g.V {
		if g.Canon(vary, v) == v {
			in.Add(Do(Call("store_"+s.Buf.Type.String(), g.put(r, l, v), g.Val(s.Value, v, values.ByLane).AsVec().Regs[0])))
		}
	}
	g.across.stores = append(g.across.stores, r)
	return true
}

// tookAside is a load that was put aside before the turns.
func (g *gen) tookAside(n *ir.Node, v int, m values.Layout, at int) (x Value, ok bool) {
	a := g.across
	if a == nil || g.Filling || m != values.ByLane || g.Stack[at].Fold != a.f || !g.loadsRows(a.f, n) {
		return x, false
	}
	i := slices.IndexFunc(a.loads, func(r *rows) bool { return r.n == n })
	if i < 0 {
		i, a.loads = len(a.loads), append(a.loads, g.rowsOf(n, n.Buf, n.Index()))
		g.Count("transposed", n)
	}
	return g.Name(g.Stack[at], Vector(n.Type, Call("load_"+n.Buf.Type.String(), g.put(a.loads[i], ir.Flatten(n.Buf, n.Index()), v)))), true
}

// moved are rows on their way between memory and what is put aside: as many turns as there are lanes, or where there are fewer, element by element.
func (g *gen) moved(a *across, r *rows, turns *Expr) Stmt {
	t, k, i, l := r.buf.Type, Name("k"), Name("i"), Name("l")
	base, at, from := g.BufName(r.buf), Name(g.Fresh("q")), Name(g.Fresh("p"))
	starts := make([]*Expr, len(r.starts))
	for j, x := range r.starts {
		starts[j] = Bin("-", x, base)
	}
	turn := func(i *Expr) *Expr { return Bin("+", r.at, Bin("*", Bin("+", Bin("*", k, Name("W")), i), Name("W"))) }
	row := func(j int) *Expr { return Add(from, Int(r.lanes[j])) }
	source, target := func(j int) *Expr { return turn(Int(j)) }, row
	put, there := At(from, Bin("+", Bin("*", Cast("long", l), Int(r.lanes[1])), i)), At(turn(i), l)
	if r.n != nil {
		source, target, put, there = row, func(j int) *Expr { return turn(Int(j)) }, there, put
	}
	var whole []Stmt
	named := func(x *Expr) *Expr {
		n := Name(g.Fresh("v"))
		whole = append(whole, Let(Spelled[t].Vector, n.Text, x))
		return n
	}
	list := make([]*Expr, g.W)
	for j := range list {
		list[j] = named(Call("load_"+t.String(), source(j)))
	}
	for range bits.Len(uint(g.W)) - 1 { // vectors that interleave two, as often as lanes can be halved
		next := make([]*Expr, 0, g.W)
		for j := range g.W / 2 {
			for _, half := range []string{"zip_low", "zip_high"} {
				next = append(next, named(Call(Fn(half, t), list[j], list[j+g.W/2])))
			}
		}
		list = next
	}
	for j, x := range list {
		whole = append(whole, Do(Call("store_"+t.String(), target(j), x)))
	}
	return Block{
		Array{Type: "long", Name: at.Text, N: Int(len(starts)), Values: starts},
		Count("int", k.Text, Int(0), Int(len(starts)), 1,
			Var(g.BufType(r.buf)+" *const", from.Text, Bin("+", base, Bin("+", At(at, k), a.from))),
			If{Cond: Bin("==", turns, Name("W")), Then: whole, Else: []Stmt{Count("int", i.Text, Int(0), turns, 1, EachLane(Set{To: put, Value: there}))}}),
	}
}
