package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Sums on lanes of which registers hold some alone are made in passes: what several of them need of a turn is computed in a first one, for as many turns as a
// core keeps near, and each further one adds up so many sums.

// passBytes is what a block of turns keeps of the first pass: half of a core's level 1 cache, the rest being for what the others load.
const passBytes = 16 << 10

// pass is the part of a fold's sums that is being written.
type pass struct {
	common   []*ir.Node         // values that are kept from the first pass
	names    map[inPass][]*Expr // their arrays, by register
	slot     *Expr              // the turns' place in them
	from, to int                // the sums; none in the first pass
}

// inPass is a value of a point in flight.
type inPass struct {
	n *ir.Node
	v int
}

// passes writes a fold on lanes in passes over blocks of turns; inner is the fold that its terms are, nil if it has none. It gives up (false) if there are not
// more sums than a pass makes, or how many turns the inner one has is not known.
func (g *gen) passes(c *loop, inner *ir.Fold, loops func()) bool {
	f, n := c.f, g.Schedule.Group
	if n == 0 || g.pass != nil || f.Monoid != ir.Sum || n >= len(f.Accs) {
		return false
	}
	turns, width := 1, g.W // vectors of a turn of f, or of a vector; and how many turns on lanes those are
	if inner != nil {
		lo, _, ok := ir.RangeOf(inner.Lo, nil)
		if !schedule.Innermost(inner) || inner.Hi.Kind != ir.KConst || !ok || lo < 0 {
			return false
		}
		turns, width, f = (int(inner.Hi.I)+g.W-1)/g.W, int(inner.Hi.I), inner
	}
	common := form.Shared(f, n)
	bytes := 0
	for _, x := range common {
		bytes += 4 * g.W * schedule.Registers(x.Type) * len(g.Copies(g.Vary.Of(x)))
	}
	block := max(1, passBytes/max(1, bytes)/turns)
	kept := pass{common: common, names: map[inPass][]*Expr{}, slot: Name(g.Fresh("s"))}
	var body []Stmt
	for _, x := range common {
		for _, v := range g.Copies(g.Vary.Of(x)) {
			for range schedule.Registers(x.Type) {
				name, at := Name(g.Fresh("k")), inPass{x, v}
				body = append(body, Array{Type: Spelled[x.Type].Vector, Name: name.Text, N: Int(block * turns), Aligned: true})
				kept.names[at] = append(kept.names[at], name)
			}
		}
	}
	start, end := Name(g.Fresh("s")), Name(g.Fresh("e"))
	outer, lo, hi := c.sc, c.lo, c.hi
	c.lo, c.hi = start, end
	ends := []int{0}
	if len(common) == 0 {
		ends = nil
	}
	for at := n; ; at += n {
		ends = append(ends, min(at, len(c.f.Accs)))
		if at >= len(c.f.Accs) {
			break
		}
	}
	wait := waiting{name: Name(g.Fresh("waiting"))}
	hide := Do(Call("HIDE", wait.name))
	body = append(body, hide)
	from := 0
	for _, to := range ends {
		p := kept
		p.from, p.to = from, to
		c.sc = values.NewScope(ir.Set{})
		g.pass = &p
		if to == 0 {
			g.Later = block * width
		}
		loops()
		g.Later = 0
		var load, save []Stmt
		for q := from; q < to; q++ {
			for _, v := range c.copies {
				for c.flying = range max(1, g.Schedule.Flight) {
					l, s := wait.share(g.shareName(c, q, v))
					load, save = append(load, l...), append(save, s...)
				}
			}
		}
		from = to
		body = append(body, Block(slices.Concat([]Stmt{Var("int", p.slot.Text, Int(0))}, load, c.sc.Body, save)))
	}
	g.pass = nil
	c.sc, c.lo, c.hi = outer, lo, hi
	outer.Add(Array{Type: Spelled[ir.F32].Vector, Name: wait.name.Text, N: Int(wait.n), Aligned: true})
	outer.Add(wait.begin...)
	size := block
	if inner == nil {
		size *= width
	}
	t := c.ctype().Scalar
	ending := Let(t, end.Text, c.call("s_min", Bin("+", start, Int(size)), hi))
	c.sc.Add(Count(t, start.Text, lo, hi, size, append([]Stmt{ending}, body...)...))
	c.sc.Add(append([]Stmt{hide}, wait.back...)...)
	return true
}

// waiting are shares of sums that wait in memory for the pass that adds to them. Compilers that share out registers over a whole function would leave none
// of them to any.
type waiting struct {
	name        *Expr
	n           int
	begin, back []Stmt // what is set aside before all blocks, and taken back behind them
}

// share gives what a pass begins and ends with for a share, which has its name there too.
func (s *waiting) share(x Value) (load, save []Stmt) {
	for _, e := range x.List() {
		at := Deref(Spelled[x.Type].Vector, Bin("+", s.name, Int(s.n)))
		s.n++
		s.begin, s.back = append(s.begin, Set{To: at, Value: e}), append(s.back, Set{To: e, Value: at})
		load, save = append(load, Var(Spelled[x.Type].Vector, e.Text, at)), append(save, Set{To: at, Value: e})
	}
	return load, save
}

// keep keeps what several passes need of a vector of turns.
func (p *pass) keep(g *gen, in *values.Scope) {
	for _, n := range p.common {
		for _, v := range g.Copies(g.Vary.Of(n)) {
			x := g.Val(n, v, values.ByIteration).AsVec()
			for h, name := range p.names[inPass{n, v}] {
				in.Add(Set{To: At(name, p.slot), Value: x.Regs[h]})
			}
		}
	}
	in.Add(Set{To: p.slot, Op: "+", Value: Int(1)})
}

// kept is what the first pass kept of a value.
func (p *pass) kept(g *gen, n *ir.Node, v int, sc *values.Scope) (x Value, ok bool) {
	names := p.names[inPass{n, g.Canon(g.Vary.Of(n), v)}]
	if names == nil || p.to == 0 {
		return x, false
	}
	return g.Name(sc, Each(n.Type, func(h int) *Expr { return At(names[h], p.slot) })), true
}
