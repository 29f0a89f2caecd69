package codegen

import (
	"fmt"
	"math"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/inside"
)

// Grid is what a thread of a GPU does: a function of parameters.
type Grid struct {
	Body
	Shared   int  // bytes of shared memory that a block takes
	Barriers bool // threads of a block wait for each other
	Aside    int  // bytes of it in which a thread sets values aside that its registers do not hold
}

// blockShares are bytes in which warps join what they have of a fold, at most: three values a warp.
const blockShares = 3 * warp * 8

// Grid is the kernel under a schedule, as what every thread of any grid of blocks does. Every value is a scalar of its thread; of a thread
// with a few outputs, these lie a block's width apart, or together. Threads of a block are along its axes, or where shape is not nil, those of a block of that
// shape one after the other along its one axis.
func (u *Unit) Grid(s schedule.CUDA, shape *[3]int) (Grid, error) {
	g := u.gen(schedule.CPU{Lanes: s.Block, Unroll: s.Unroll, Every: s.Every, Skip: s.Skip, AccMajor: s.AccMajor, AccBlock: s.AccBlock})
	g.W, g.Clamp = 1, schedule.Product(s.Unroll) > 1
	if s.Together {
		g.BesideAxis = g.Axes[s.Block[0].Axis]
	}
	t := &g.team
	t.fold, t.vote, t.voted = s.Fold, s.Vote, map[*ir.Fold]bool{}
	t.shape = shape
	t.stores = func(v int) *Expr { return g.storing(s, v) }
	for _, a := range s.Block {
		t.axes = t.axes.Or(g.Axes[a.Axis].Bind())
	}
	if len(s.SharedTiles) > 0 {
		var err error
		if t.tiles, g.Origins, err = schedule.SharedTilesOf(u.B, u.Kernel, s); err != nil {
			return Grid{}, err
		}
	}
	g.Stack = []*values.Scope{values.NewScope(ir.Set{})}
	dims := s.Grid(len(g.Axes))
	for _, a := range slices.Concat(dims[2], dims[1], dims[0]) {
		binds := g.Axes[a].Bind()
		if o := g.origin(a); o != nil {
			binds = binds.Or(o.Bind())
		}
		g.Stack = append(g.Stack, values.NewScope(binds))
	}
	g.fillTiles(s.Threads())
	g.stores()
	thrift, body := g.thrifty(s, func(scopes []*values.Scope) []Stmt {
		return slices.Concat(scopes[0].Body, g.gridLoops(s, dims[:], scopes[1:]))
	})
	if thrift.Short && thrift.Threads > warp {
		return Grid{}, fmt.Errorf("%s: %d threads of a block have no room for what they set aside", u.Kernel.Name, thrift.Threads)
	}
	out := Grid{Body: Body{body, g.Notes.Loads, g.Notes.Tables, 0, false, inside.Ends{}}, Barriers: t.used, Shared: thrift.Taken, Aside: thrift.Taken / max(1, thrift.Threads)}
	if t.block {
		out.Shared += blockShares
	}
	for _, x := range t.tiles {
		out.Shared += x.Bytes()
	}
	return out, nil
}

// origin is a block's first point along an axis, nil if that is not needed.
func (g *gen) origin(axis int) *ir.Node {
	if g.Origins == nil {
		return nil
	}
	return g.Origins[axis]
}

// storing is the condition under which a thread stores its output number v: where threads share
// folds the first of them stores, and outputs after the first may lie beyond the tile.
func (g *gen) storing(s schedule.CUDA, v int) *Expr {
	var conds []*Expr
	if s.Fold > 1 {
		conds = append(conds, Bin("==", Name("threadIdx.x"), Int(0)))
	}
	for a, axis := range g.Axes {
		if _, ok := s.ThreadOf(a); ok && s.Stays() {
			conds = append(conds, Name(AxisName(axis)+"_in"))
		}
	}
	for _, u := range g.Schedule.Unroll {
		axis := g.Axes[u.Axis]
		o := g.Offset(axis, v)
		if g.Beside(axis) > 1 {
			conds = append(conds, Bin(">=", Add(Name(AxisName(axis)), Int(o)), Name(AxisName(axis)+"_first")))
		}
		if o != 0 {
			conds = append(conds, Bin("<=", Name(AxisName(axis)), Bin("-", Name(AxisName(axis)+"_last"), Int(o))))
		}
	}
	if len(conds) == 0 {
		return nil
	}
	return All("&&", conds...)
}

// gridLoops are the loops over the tile: each dimension of the grid, the last one outermost, strides over the blocks it counts, so that any
// grid covers any tile.
func (g *gen) gridLoops(s schedule.CUDA, dims [][]int, scopes []*values.Scope) (out []Stmt) {
	d := len(dims) - 1
	if d < 0 {
		return nil
	}
	axes := dims[d]
	if len(axes) == 0 {
		return g.gridLoops(s, dims[:d], scopes)
	}
	xyz, counted := string("xyz"[d]), "unsigned"
	if !g.narrow(axes...) {
		counted = "long long"
	}
	var counts []*Expr
	for _, a := range axes {
		n, step := Name(fmt.Sprintf("n%d", a)), g.Schedule.Step(a)
		points := Bin("+", Bin("-", g.bound("hi", a), g.from(a)), Int(step-1))
		out = append(out, Let(counted, n.Text, Bin("/", Cast(counted, points), Int(step))))
		counts = append(counts, n)
	}
	out = append(out, Let(counted, "n"+xyz, All("*", counts...)))
	var body []Stmt
	for i, a := range axes {
		number := Name("g" + xyz)
		if len(axes) > 1 {
			after := Int(1)
			for _, n := range slices.Backward(counts[i+1:]) {
				after = Bin("*", after, n)
			}
			number = Bin("%", Bin("/", number, after), counts[i])
		}
		body = append(append(body, g.coordinate(s, a, number)...), scopes[i].Body...)
	}
	loop := Count(counted, "g"+xyz, Name("blockIdx."+xyz), Name("n"+xyz), 1, append(body, g.gridLoops(s, dims[:d], scopes[len(axes):])...)...)
	loop.Next[0].Value = Name("gridDim." + xyz)
	return append(out, loop)
}

// narrow reports axes of which 32 bits count all points, and all blocks together, beyond the last ones too: processors of GPUs have no wider integers.
func (g *gen) narrow(axes ...int) bool {
	blocks := 1.0
	for _, a := range axes {
		n, step := float64(g.Axes[a].Extent), float64(g.Schedule.Step(a))
		if n+2*step > math.MaxInt32 {
			return false
		}
		blocks *= math.Ceil(n/step) + 1
	}
	return blocks <= math.MaxInt32
}

// bound is an end of the tile along an axis.
func (g *gen) bound(end string, axis int) *Expr {
	x := Name(fmt.Sprint(end, axis))
	if g.narrow(axis) {
		return Cast("int", x)
	}
	return x
}

// from is where blocks begin along an axis: at the tile, or where outputs lie together, at a multiple of their number before it.
func (g *gen) from(axis int) *Expr {
	if n := g.Beside(g.Axes[axis]); n > 1 {
		return Bin("&", g.bound("lo", axis), Int(-n))
	}
	return g.bound("lo", axis)
}

// coordinate declares the thread's first point along an axis. A thread beyond the tile leaves the loop's turn; the threads
// that share a fold agree on it, because they differ in no point. Where others wait for it, it repeats the tile's last point
// and stores nothing.
func (g *gen) coordinate(s schedule.CUDA, a int, number *Expr) (out []Stmt) {
	x, hi, wide := AxisName(g.Axes[a]), g.bound("hi", a), "int"
	first := Bin("+", g.from(a), Cast("int", Times(number, int64(g.Schedule.Step(a)))))
	component, several := s.ThreadOf(a)
	thread := Cast("int", g.team.thread(component))
	if !g.narrow(a) {
		wide, thread, first = "long long", g.team.thread(component), Bin("+", g.from(a), Times(number, int64(g.Schedule.Step(a))))
	}
	if o := g.origin(a); o != nil {
		out = append(out, Let("int", AxisName(o), Cast("int", first)))
	}
	at := Name(x + "_at")
	place := Bin("+", first, Times(thread, int64(g.Beside(g.Axes[a]))))
	switch {
	case !several:
		out = append(out, Let("int", x, Cast("int", first)))
	case s.Stays():
		in := Name(x + "_in")
		out = append(out, Var(wide, at.Text, place), Let("int", in.Text, Bin("<", at, hi)),
			If{Cond: Pre("!", in), Then: []Stmt{Set{To: at, Value: Bin("-", hi, Int(1))}}}, Let("int", x, Cast("int", at)))
	default:
		out = append(out, Let(wide, at.Text, place), If{Cond: Bin(">=", at, hi), Then: []Stmt{Continue{}}}, Var("int", x, Cast("int", at)))
		if s.Skip { // compilers would compute it again in the loops
			out = append(out, Do(Call("WEFT_HELD_INT", Name(x))))
		}
	}
	if g.Clamp && g.Schedule.Step(a) > 1 {
		out = append(out, Let("int", x+"_last", Bin("-", Cast("int", hi), Int(1))))
	}
	if g.Beside(g.Axes[a]) > 1 {
		out = append(out, Let("int", x+"_first", Cast("int", g.bound("lo", a))))
	}
	return out
}

func tileName(s *schedule.SharedTile) *Expr { return Name(fmt.Sprintf("shared%d", s.Number)) }

// fillTiles declares the shared tiles, and has the block's threads load them together: once all are done with what the tiles held
// for the block's last turn, and before any goes on. Indices are cut to the buffer; what is read of a tile is never cut.
func (g *gen) fillTiles(block [3]int) {
	t, root, sc := &g.team, g.Stack[0], g.Top()
	if len(t.tiles) == 0 {
		return
	}
	t.used, t.inner = true, sc
	yz := Bin("+", Name("threadIdx.y"), Bin("*", Int(block[1]), Name("threadIdx.z")))
	sc.Add(Let("int", "thread", Cast("int", Bin("+", Name("threadIdx.x"), Bin("*", Int(block[0]), yz)))))
	var bases [][]*Expr
	for _, s := range t.tiles {
		root.Add(Shared(Storage[s.Buf.Type], tileName(s).Text, s.Cells()))
		var list []*Expr
		for _, n := range s.Base {
			list = append(list, g.Val(n, 0, values.ByLane).Regs[0])
		}
		bases = append(bases, list)
	}
	sc.Add(Barrier{})
	for q, s := range t.tiles {
		at, stride := g.BufName(s.Buf), s.Cells()
		for d, n := range s.Size {
			stride /= n
			i := Name("i")
			if stride > 1 {
				i = Bin("/", i, Int(stride))
			}
			if d > 0 {
				i = Bin("%", i, Int(n))
			}
			cut := Call("s_min_l", Call("s_max_l", Bin("+", Cast("long long", bases[q][d]), i), Int(0)), Int(s.Buf.Shape[d]-1))
			at = Bin("+", at, Bin("*", cut, Int(s.Buf.Strides()[d])))
		}
		fill := Set{To: At(tileName(s), Name("i")), Value: Call("__ldg", at)}
		sc.Add(Count("int", "i", Name("thread"), Int(s.Cells()), block[0]*block[1]*block[2], fill))
	}
	sc.Add(Barrier{})
}

// tileLoad reads a load's element from a shared tile. The index is unsigned, so that its parts may wrap.
func (g *gen) tileLoad(n *ir.Node, s *schedule.SharedTile, v int, at int) Value {
	g.Count("shared tile", n)
	var l ir.Linear
	stride := int64(s.Cells())
	for d, i := range n.Index() {
		stride /= int64(s.Size[d])
		l.Add(i, stride)
		l.Add(s.Base[d], -stride)
	}
	wrapped := func(c int64) *Expr { return Name(fmt.Sprintf("%du", uint32(c))) }
	var sums []values.Summand
	for _, t := range l.Terms {
		if t.Coef != 0 {
			sums = append(sums, values.Summand{Depth: g.Depth(t.N), E: Bin("*", Cast("unsigned", g.Val(t.N, v, values.ByLane).Regs[0]), wrapped(t.Coef))})
		}
	}
	index := g.Chain(wrapped(l.C), sums, func(sc *values.Scope, e *Expr) *Expr { return g.OnceAs(sc, e, "const unsigned", "o") })
	x := Scalar(n.Type, Call("s_from_"+n.Buf.Type.String(), At(tileName(s), index)))
	if guard, other := n.Guard(); guard != nil {
		x = Select(g.Val(guard, v, values.ByLane), x, g.Val(other, v, values.ByLane))
	}
	return g.Name(g.Stack[at], x)
}
