package codegen

import (
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// team is what threads that work together add: those of a block, on a GPU. The zero value is one thread.
type team struct {
	fold    int    // threads that share a fold: 32 are a warp, more a block; 0 or 1: none do
	vote    bool   // a warp's threads leave folds together
	axes    ir.Set // along which the threads of a block differ
	tiles   []*schedule.SharedTile
	inner   *values.Scope     // of the innermost loop over blocks, where shared tiles are filled; nil without any
	stores  func(v int) *Expr // the condition under which a thread stores its output number v; nil: none
	voted   map[*ir.Fold]bool // folds that a warp leaves together
	sharing bool              // inside a fold that threads share
	inside  *ir.Fold          // the fold in its turns whose iterations it is that they share; nil: its own
	used    bool              // threads wait for each other: folds are shared, or a warp votes
	block   bool              // folds are shared by more threads than a warp has
	shape   *[3]int           // of the block, where its threads are one after the other along one axis
}

const warp = 32

// thread is the number of the thread along a component of the block.
func (t *team) thread(component string) *Expr {
	x := Name("threadIdx." + component)
	if t.shape == nil {
		return x
	}
	if n := t.shape[2]; n > 1 {
		x = Bin("+", x, Bin("*", Int(t.shape[0]*t.shape[1]), Name("threadIdx.z")))
	}
	if n := t.shape[1]; n > 1 {
		x = Bin("+", x, Bin("*", Int(t.shape[0]), Name("threadIdx.y")))
	}
	return x
}

// sharedFold writes a monoid fold whose iterations the threads of a warp or block share: thread t takes iterations t,
// t+n, ..., and the shares are joined, so that every thread has the result. It gives up (false) on folds that one thread
// runs: those inside another shared one, in order, or with fewer iterations than an inner one that can be shared instead.
func (g *gen) sharedFold(c *loop) bool {
	t, f := &g.team, c.f
	if t.sharing && f == t.inside {
		g.Within(func() { g.body(c, c.in) }, c.in)
		c.sc.Add(g.everyOther(c))
		return true
	}
	if t.fold <= 1 || t.sharing || f.Monoid == ir.Ordered || f.While != nil || !form.WorthSharing(f, t.fold) && form.Inside(f, t.fold) == nil || form.IsArg(f) && f.Step[1].Op != ir.Select {
		return false
	}
	t.sharing, t.used, t.inside = true, true, form.Inside(f, t.fold)
	t.block = t.block || t.fold > warp
	defer func() { t.sharing = false }()
	i, it := c.index(), c.ctype()
	where := Name(g.Fresh("w")) // ArgMin, ArgMax: the iteration of the best; before the first of all while it is the initial value
	inits := make([]Value, len(f.Accs))
	for q, a := range f.Accs {
		if acc := g.AccName(a, 0); !form.IsArg(f) {
			inits[q] = g.Name(c.sc, acc)
			c.sc.Add(Assign(acc, Identity(f.Monoid, a.Type))...)
		}
	}
	if form.IsArg(f) {
		c.sc.Add(Var(it.Scalar, where.Text, Bin("-", c.lo, Int(1))))
	}
	g.Within(func() {
		var last []Stmt
		if form.IsArg(f) {
			better := g.Val(f.Step[1].Args[0], 0, values.ByLane).Regs[0]
			last = []Stmt{If{Cond: better, Then: []Stmt{Set{To: where, Value: i}}}}
		}
		g.body(c, c.in)
		if f.Monoid == ir.Any || f.Monoid == ir.All {
			last = []Stmt{If{Cond: g.ended(&leaving{c: c, ending: tile.Counting(len(f.Accs), 0)}, 0).Regs[0], Then: []Stmt{Leave{}}}}
		}
		c.in.Add(last...)
	}, c.in)
	if t.inside != nil {
		around := c.loop(c.lo, c.hi, 1, c.in.Body)
		around.Unroll = 1 // loops in it are long; NVIDIA's compiler 12.9 fails on some for 9.0 that it unrolls
		c.sc.Add(around)
	} else {
		c.sc.Add(g.everyOther(c))
	}
	if form.IsArg(f) {
		g.joinBest(c, where)
		return true
	}
	for q, a := range f.Accs {
		acc := g.AccName(a, 0)
		name := map[bool]string{false: "s_warp_", true: "s_block_"}[t.fold > warp] + joinNames[f.Monoid]
		c.sc.Add(Assign(acc, Join(f.Monoid, inits[q], Scalar(a.Type, Call(Fn(name, a.Type), acc.Regs[0]))))...)
	}
	return true
}

// everyOther is the loop in which a thread takes its share of iterations.
func (g *gen) everyOther(c *loop) Stmt {
	return c.loop(Bin("+", c.lo, Cast(c.ctype().Scalar, Name("threadIdx.x"))), c.hi, g.team.fold, c.in.Body)
}

// joinNames are the prelude's functions that join a value over the threads of a fold.
var joinNames = map[ir.Monoid]string{
	ir.Sum: "add", ir.Product: "mul", ir.Smallest: "low", ir.Largest: "high", ir.Any: "any", ir.All: "all",
}

// joinBest finds the best of the threads' shares; of equal ones, the one of the first iteration.
func (g *gen) joinBest(c *loop, where *Expr) {
	own := [3]*Expr{g.AccName(c.f.Accs[0], 0).Regs[0], g.AccName(c.f.Accs[1], 0).Regs[0], where}
	ts := [3]string{Spelled[c.f.Accs[0].Type].Scalar, Spelled[c.f.Accs[1].Type].Scalar, c.ctype().Scalar}
	var other [3]*Expr
	var take []Stmt
	for i := range other {
		other[i] = Name(g.Fresh("o"))
		take = append(take, Set{To: own[i], Value: other[i]})
	}
	turn := func(from func(i int) *Expr) (out []Stmt) {
		for i, o := range other {
			out = append(out, Let(ts[i], o.Text, from(i)))
		}
		return append(out, TakeBetter(c.f, other[0], own[0], other[2], own[2], take...))
	}
	n := Name("n")
	c.sc.Add(Loop{Type: "int", Vars: []Set{To("n", Int(warp/2))}, While: n, Next: []Set{{To: n, Op: "/", Value: Int(2)}},
		Body: turn(func(i int) *Expr { return Call("WEFT_XOR", own[i], n) })})
	if !g.team.block {
		return
	}
	x := Name("threadIdx.x")
	var out Block
	var first []Stmt
	for i, o := range other {
		all := Name(o.Text + "_")
		out = append(out, Shared(ts[i], all.Text, warp))
		first = append(first, Set{To: At(all, Bin(">>", x, Int(5))), Value: own[i]})
	}
	out = append(out, Barrier{}, If{Cond: Bin("==", Bin("&", x, Int(warp-1)), Int(0)), Then: first}, Barrier{},
		Count("unsigned", "n", Int(0), Bin("/", Name("blockDim.x"), Int(warp)), 1, turn(func(i int) *Expr { return At(Name(other[i].Text+"_"), n) })...))
	c.sc.Add(out)
}

// tileOf is the shared tile that a load reads, nil if none: what is loaded before the innermost loop over blocks comes before they
// are filled.
func (t *team) tileOf(g *gen, n *ir.Node, at int) *schedule.SharedTile {
	if inner := len(g.Axes); t.inner == nil || at < inner || g.Stack[inner] != t.inner {
		return nil
	}
	for _, s := range t.tiles {
		if slices.Contains(s.Loads, n) {
			return s
		}
	}
	return nil
}
