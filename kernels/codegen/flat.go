package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
)

// savedBytes bounds what points keep on the stack between the parts of a split fold: what a core's level 1 cache (32 or 48 KiB) holds.
const savedBytes = 48 << 10

// split is how a fold is run in parts over many points.
type split struct {
	inner    int   // depth of the innermost loop over points
	kept     int   // registers that a vector's points keep between the parts
	past     bool  // the fold is written: what comes behind it runs once, after the last part
	from, to *Expr // where it begins and ends
}

// splitFold makes a fold the one that is run in parts.
func (g *gen) splitFold(f *ir.Fold, inner int) {
	g.Sliced, g.parted.inner = f, inner
	g.parted.from, g.parted.to = g.turnsOf(f)
}

// parts is a loop over the parts of the split fold. Where that turns out to have no turns at all there is one, for what comes behind it.
func (g *gen) parts(body ...Stmt) Loop {
	to := g.parted.to
	if f := g.Sliced; f != g.Together && (f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst || f.Lo.I >= f.Hi.I) {
		to = Call("s_max_i", to, Add(g.parted.from, Int(1)))
	}
	end := Let("int", "part_end", Call("s_min_i", Bin("+", Name("part"), Int(g.Schedule.Split)), g.parted.to))
	return Count("int", "part", g.parted.from, to, g.Schedule.Split, append([]Stmt{end}, body...)...)
}

// Flat is the function whose lanes are points of the tile one after the other. What is left over in the last vectors
// repeats the last point. With a split fold, some points take all of a part of its iterations before the next part begins,
// so that what these iterations load stays near.
func (u *Unit) Flat(s schedule.CPU) Body {
	g := u.gen(s)
	g.Clamp = true // coordinates of lanes follow no pattern
	for _, a := range g.Axes {
		g.Lanes = g.Lanes.Or(a.Bind())
	}
	root, in := values.NewScope(ir.Set{}), values.NewScope(g.Lanes)
	g.Stack = []*values.Scope{root, in}
	if f := schedule.Outermost(u.Kernel, u.Target); s.Split > 0 && f != nil {
		g.splitFold(f, 1)
	}
	g.stores()
	return g.finish(slices.Concat(root.Body, g.flatLoops(in)))
}

// flatLoops are the loops over chunks of the tile's points, parts of the split fold, and vectors.
func (g *gen) flatLoops(in *values.Scope) (out []Stmt) {
	points, from, to, point := Name("points"), Name("from"), Name("to"), Name("point")
	total := Name("1L")
	for q, a := range g.Axes {
		x := AxisName(a)
		lo, hi := Name(x+"_lo"), Name(x+"_hi")
		out = append(out, Let("int", lo.Text, TileLo(q)), Let("int", hi.Text, TileHi(q)), Var("int", x, lo))
		total = Bin("*", total, Bin("-", hi, lo))
	}
	out = append(out, Let("long", "points", total))
	step := g.W * g.V
	var vectors []Stmt
	for _, a := range g.Axes {
		vectors = append(vectors, Array{Type: "int", Name: AxisName(a) + "_at", N: Int(step), Aligned: true})
	}
	var place []Stmt
	for _, a := range g.Axes {
		place = append(place, Set{To: At(Name(AxisName(a)+"_at"), Name("l")), Value: Name(AxisName(a))})
	}
	more := If{Cond: Bin("<", Add(Bin("+", point, Name("l")), Int(1)), points), Then: g.nextPoint()}
	vectors = append(vectors, Count("int", "l", Int(0), Int(step), 1, append(place, more)...))
	all := Count("long", "point", from, to, step, append(vectors, in.Body...)...)
	if g.parted.kept == 0 {
		return append(out, Let("long", "from", Int(0)), Let("long", "to", points), all)
	}
	chunk := max(1, savedBytes/(4*g.W*g.parted.kept)/g.V) * step
	out = append(out, Array{Type: "char", Name: "saved", N: Int(chunk * 4 * g.parted.kept), Aligned: true}, Let("int", "SAVED", Int(g.parted.kept)))
	body := []Stmt{Let("long", "to", Call("s_min_l", Bin("+", from, Int(chunk)), points))}
	var part []Stmt
	for _, a := range g.Axes {
		x := AxisName(a)
		body = append(body, Let("int", x+"_from", Name(x)))
		part = append(part, To(x, Name(x+"_from")))
	}
	body = append(body, g.parts(append(part, all)...))
	return append(out, Count("long", "from", Int(0), points, chunk, body...))
}

// nextPoint goes on to the next point of the tile.
func (g *gen) nextPoint() (next []Stmt) {
	for _, a := range g.Axes {
		x := Name(AxisName(a))
		more := Set{To: x, Op: "+", Value: Int(1)}
		if next == nil {
			next = []Stmt{more}
			continue
		}
		over := append([]Stmt{To(x.Text, Name(x.Text+"_lo"))}, next...)
		next = []Stmt{more, If{Cond: Bin("==", x, Name(x.Text+"_hi")), Then: over}}
	}
	return next
}

// resume gives the accumulators of a fold around which points are split into parts what they were after the part before:
// the split fold goes on, others are over; what is packed needs its own in each part. It reports whether there is something to keep
// for the next part.
func (g *gen) resume(c *loop, at int) bool {
	f, whole := c.f, g.Sliced
	if whole == nil || g.Filling || g.parted.past || at != g.parted.inner || c.masked || f.While != nil || f.Monoid == ir.Any || f.Monoid == ir.All || !c.vec || f != whole && (f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst) {
		return false
	}
	if f == whole && len(g.Schedule.Chunk) > 0 {
		g.Slicing = true
		if turns, ok := count.KnownTrips(f); c.both != nil && g.Schedule.Split >= g.longest || ok && float64(g.Schedule.Split) >= turns { // one slice
			g.inPart(c)
			return false
		}
	}
	c.kept = g.parted.kept
	for _, a := range f.Accs {
		g.parted.kept += schedule.Registers(a.Type)
	}
	part, start := Name("part"), g.parted.from
	if f == whole {
		_, load := g.kept(c)
		if g.inPart(c); c.both != nil { // what is kept stays, where no point has a turn of the part
			none := All("&&", Bin(">=", c.lo, c.hi), Bin("!=", part, start), Bin("!=", Name("part_end"), g.parted.to))
			c.sc.Add(If{Cond: none, Then: []Stmt{Continue{}}})
		}
		c.sc.Add(If{Cond: Bin("!=", part, start), Then: load})
	} else {
		c.hi = Choose(Bin("==", part, start), c.hi, c.lo)
	}
	return true
}

// suspend keeps the accumulators for the next part. Only the last part goes on to what follows the split fold.
func (g *gen) suspend(c *loop) {
	save, load := g.kept(c)
	if whole := g.Sliced; c.f != whole {
		c.sc.Add(If{Cond: Bin("==", Name("part"), g.parted.from), Then: save, Else: load})
	} else {
		c.sc.Add(If{Cond: Bin("!=", Name("part_end"), g.parted.to), Then: append(save, Continue{})})
		g.parted.past = true
	}
}

// kept saves the accumulators' registers in memory, and loads them from there.
func (g *gen) kept(c *loop) (save, load []Stmt) {
	slot := c.kept
	point := Bin("*", Bin("-", Name("point"), Name("from")), Name("SAVED"))
	for _, a := range c.f.Accs {
		for h := range schedule.Registers(a.Type) {
			for _, v := range c.copies {
				place := Bin("*", Bin("+", point, Int((slot*g.V+v)*g.W)), Int(4))
				at, name := Deref(Spelled[a.Type].Vector, Bin("+", Name("saved"), place)), g.AccName(a, v).Regs[h]
				save, load = append(save, Set{To: at, Value: name}), append(load, Set{To: name, Value: at})
			}
			slot++
		}
	}
	return save, load
}

// setAside leaves registers to a fold that needs them all. Compilers would keep there what its results are joined with: behind it such values are
// loaded anew. Where functions of its results follow, these pass through memory, since what functions hold would take registers too.
func (g *gen) setAside(c *loop) {
	if !g.Schedule.AccMajor || !c.vec || g.W == 1 {
		return
	}
	if g.Schedule.Pack && c.f == g.Sliced {
		c.sc.Full = true
		c.sc.Add(Do(Call("FENCE")))
	}
	if !form.InFunctions(g.Kernel, c.f) {
		return
	}
	for q, a := range c.f.Accs {
		t, name := Spelled[a.Type].Vector, Name(g.accBase("h", c, q, 0))
		var save, load []Stmt
		for _, v := range c.copies {
			for h := range schedule.Registers(a.Type) {
				acc, at := g.AccName(a, v).Regs[h], At(name, Int(len(save)))
				save, load = append(save, Set{To: at, Value: acc}), append(load, Set{To: acc, Value: at})
			}
		}
		c.sc.Add(Array{Type: t, Name: name.Text, N: Int(len(save)), Aligned: true})
		c.sc.Add(slices.Concat(save, []Stmt{Do(Call("HIDE", name))}, load)...)
	}
}
