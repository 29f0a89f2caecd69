package codegen

import (
	"fmt"
	"maps"
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// stores writes all stores of the kernel at the tile's points: first the folds that have some.
func (g *gen) stores() {
	g.storesIn(nil)
	for _, s := range form.Outputs(g.Kernel.Stores, g.team.stores == nil) {
		if s.In == nil {
			g.store(s)
		}
	}
}

// storesIn writes the stores that the turns of a fold make, in its body.
func (g *gen) storesIn(f *ir.Fold) {
	g.Kernel.StoresIn(f, func(s *ir.Store) { g.store(form.Output{Store: *s}) }, func(inner *ir.Fold) { g.fold(inner, g.Depth(inner.Node)) })
}

// store writes a store for every distinct vector in flight, in the innermost tile loop.
func (g *gen) store(s form.Output) {
	in := g.Top()
	l := ir.Flatten(s.Buf, s.Index)
	if s.Pair != nil {
		if !g.storePairs(in, s, l) {
			g.store(form.Output{Store: s.Store})
			g.store(form.Output{Store: *s.Pair})
		}
		return
	}
	vary := g.Vary.Of(s.Value)
	for _, n := range s.Index {
		vary = vary.Or(g.Vary.Of(n))
	}
	if s.Guard != nil {
		vary = vary.Or(g.Vary.Of(s.Guard))
	}
	if g.storeRows(in, s, l) || g.putAside(in, s, l, vary) || g.storeTogether(in, s, l, vary) {
		return
	}
	body, vals, once := len(in.Body), maps.Clone(in.Vals), maps.Clone(in.Once)
	var turns [][]Stmt
	for v := range g.V {
		if g.Canon(vary, v) == v {
			from := len(in.Body)
			g.storeOne(in, s, l, vary, v, values.ByLane, Value{})
			turns = append(turns, slices.Clone(in.Body[from:]))
		}
	}
	if alone := s.In == nil && len(g.Kernel.Stores) == 1 && g.W > 1 && g.Schedule.Split == 0 && g.team.stores == nil; alone {
		if rolled := Rolled(turns, LongTurn); rolled != nil {
			in.Body, in.Vals, in.Once = append(in.Body[:body], rolled...), vals, once
		}
	}
}

// storeTogether writes a store for outputs of a thread that lie side by side, together where all of them lie in the tile.
func (g *gen) storeTogether(in *values.Scope, s form.Output, l ir.Linear, vary ir.Set) bool {
	n := g.TogetherAt(s.Buf, l)
	if n == 0 || s.Guard != nil || s.Adds || s.In != nil || g.Masked(len(g.Stack)-1) {
		return false
	}
	for v := range g.V {
		if first, _ := g.GroupOf(v, n); first != v || g.Canon(vary, v) != v {
			continue
		}
		at, list := g.Group(s.Buf, l, v), []*Expr{}
		var all []*Expr
		var apart []Stmt
		for i := range n {
			w := g.Neighbour(v, i)
			x := g.Val(s.Value, w, values.ByLane).Regs[0]
			list = append(list, x)
			apart = append(apart, When(g.team.stores(w), StoreElement(s.Buf.Type, false, Add(at, Int(i)), x)))
			if i == 0 || i == n-1 { // those between are in the tile where the ends are
				all = append(all, g.team.stores(w))
			}
		}
		whole := Do(Call(fmt.Sprintf("s_store_%s_%d", s.Buf.Type, n), append([]*Expr{at}, list...)...))
		in.Add(If{Cond: All("&&", all...), Then: []Stmt{whole}, Else: apart})
	}
	return true
}

// storeOne writes a store for one vector in flight, whose lanes are what the layout says; of a mask only where it is set.
func (g *gen) storeOne(in *values.Scope, s form.Output, l ir.Linear, vary ir.Set, v int, m values.Layout, mask Value) {
	guard := mask
	also := func(on Value) { guard = values.Both(guard, on) }
	if s.Guard != nil {
		also(g.Val(s.Guard, v, m))
	}
	if on, ok := g.Active(len(g.Stack)-1, vary, v); ok {
		also(on)
	}
	for _, n := range g.Axes { // lanes that repeat the last point would add what it adds again
		if s.Adds && g.Clamp && g.W > 1 && g.LaneCount(n) > 1 {
			also(g.Name(in, Vector(ir.Bool, Bin("<=", g.Coordinates(n, Name(AxisName(n))), Name(AxisName(n)+"_last")))))
		}
	}
	if s.In == nil || s.Guard == nil || guard.Vec {
		g.storeWhere(in, s, l, v, m, guard)
		return
	}
	in.Add(If{Cond: guard.Regs[0], Then: g.aside(in, s.In.Step, []*ir.Node{s.Value}, v, m, func() { g.storeWhere(in, s, l, v, m, Value{}) })})
}

// aside is what a turn does for some values in a branch alone: what it needs besides is computed before.
func (g *gen) aside(in *values.Scope, besides, values []*ir.Node, v int, m values.Layout, write func()) []Stmt {
	for _, n := range form.Common(besides, values) {
		g.Val(n, v, m)
	}
	body, vals, once := in.Body, in.Vals, in.Once
	in.Body, in.Vals, in.Once = nil, maps.Clone(vals), maps.Clone(once)
	write()
	made := in.Body
	in.Body, in.Vals, in.Once = body, vals, once
	return made
}

// storeWhere is storeOne where a condition holds; none: everywhere.
func (g *gen) storeWhere(in *values.Scope, s form.Output, l ir.Linear, v int, m values.Layout, guard Value) {
	x := g.Val(s.Value, v, m)
	if g.copied(in, s, v, m, x, guard) {
		return
	}
	_, rest := g.Split(l, m)
	if len(rest.Terms) == 0 && !x.Vec && !guard.Vec {
		out := When(guard.Regs[0], StoreElement(s.Buf.Type, s.Adds, g.Pointer(s.Buf, l, v, m), x.Regs[0]))
		if m == values.ByIteration {
			out = EachLane(out)
		}
		if g.team.stores != nil {
			out = When(g.team.stores(v), out)
		}
		in.Add(out)
		return
	}
	same := x
	x = x.AsVec()
	pattern, known := g.LanePattern(rest, m)
	var whole Stmt
	if known && tile.Strided(pattern, 1) {
		at, sum := g.Pointer(s.Buf, l, v, values.Origin), x
		if s.Adds {
			there := &ir.Node{Type: x.Type, Buf: s.Buf}
			sum = Op(ir.Add, x.Type, Each(x.Type, func(h int) *Expr { return Call(PartFunc("load", there, h), at) }), x)
		}
		store, away := "store_", g.NextTurns(l, s.Buf.Type)
		lines := s.Buf.Row()*s.Buf.Type.Size()%64 == 0 // rows are whole ones, which go past the caches as they are
		if g.Kernel.Past && !s.Adds && (s.Buf.Type == ir.F32 || s.Buf.Type == ir.F64) && (away == 0 || lines) {
			store, away = "past_", 0
		}
		whole = Do(Call(store+s.Buf.Type.String(), append([]*Expr{at}, sum.List()...)...))
		if away > 0 {
			in.Add(g.Ask(at, s.Buf.Type, away, Int(1))...)
		}
		if guard.Regs[0] == nil {
			in.Add(whole)
			return
		}
	}
	var p, idx *Expr
	var out Block
	if known {
		p, idx = g.Pointer(s.Buf, l, v, values.Origin), g.Offsets(in, pattern)
	} else {
		idx = Name(g.Fresh("q"))
		u, rest := g.Split(l, m)
		i := Scalar(ir.I32, Int(0))
		if len(rest.Terms) > 0 {
			i = g.VecIndex(s.Buf, rest, v, m)
		}
		p = g.Pointer(s.Buf, u, v, m)
		i = i.AsVec()
		out = append(out, Array{Type: Spelled[i.Type].Scalar, Name: idx.Text, N: Name("W")},
			Do(Call("store_"+i.Type.String(), append([]*Expr{idx}, i.List()...)...)))
	}
	values := same.Regs[0]
	if same.Vec {
		var list []Stmt
		values, list = g.spill("w", x)
		out = append(out, list...)
	}
	each := func(l *Expr) Stmt {
		if !same.Vec {
			return StoreElement(s.Buf.Type, s.Adds, Bin("+", p, At(idx, l)), values)
		}
		return StoreElement(s.Buf.Type, s.Adds, Bin("+", p, At(idx, l)), At(values, l))
	}
	all, some := Block{EachLane(each(Name("l")))}, Block(nil)
	if s.Adds { // one after the other, which a loop and tests of lanes would hold up
		all = nil
		for l := range g.W {
			all = append(all, each(Int(l)))
		}
	}
	if guard.Regs[0] != nil {
		var on *Expr
		on, some = g.spill("g", guard.AsVec())
		some = append(some, EachLane(When(At(on, Name("l")), each(Name("l")))))
	}
	switch {
	case guard.Regs[0] == nil:
		out = append(out, all)
	case s.Adds && guard.Vec:
		out = append(out, If{Cond: Call("v_all", guard.Part(0)), Then: all, Else: some})
	default:
		out = append(out, some)
	}
	if whole != nil {
		in.Add(If{Cond: Call("v_all", guard.Part(0)), Then: []Stmt{whole}, Else: out})
		return
	}
	in.Add(out)
}

// spill writes the lanes of a vector to an array.
func (g *gen) spill(prefix string, x Value) (name *Expr, out []Stmt) {
	t, name := Spelled[x.Type], Name(g.Fresh(prefix))
	out = append(out, Array{Type: t.Scalar, Name: name.Text, N: Name("W")})
	for h, e := range x.List() {
		out = append(out, Set{To: Deref(t.Vector+"_u", Bin("+", name, Int(h*g.W/schedule.Registers(x.Type)))), Value: e})
	}
	return name, out
}
