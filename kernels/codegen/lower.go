package codegen

import (
	"fmt"
	"slices"
	"sync"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Unit is the function being written: variants of the same kernel that share buffers and scalars.
type Unit struct {
	Kernel *ir.Kernel
	Bufs   []*ir.Buffer // inputs and outputs, and what only their Facts name
	Args   []*ir.Node
	Counts *tally.Counts // nil: folds are not counted
	Target schedule.Target
	b      *ir.Builder // for nodes of its own
	ranges func(*ir.Node) (lo, hi float64, ok bool)
	groups func() map[*ir.Node][]*ir.Node
	fused  *ir.Contraction
}

// scope is the body of an open loop (or of the function): what it binds, its statements so far, and what it holds already.
type scope struct {
	binds ir.Set
	body  []Stmt
	vals  map[key]Value
	once  map[any]Value     // what else is made once
	fold  *ir.Fold          // the loop is this fold
	block *block            // the fold is run in blocks
	full  bool              // a fold has run here for which vectors held from outside would take registers
	mask  func(v int) Value // the fold masks lanes: those of vector v that are still active
}

// key names a computed value: which vector in flight, in which layout.
type key struct {
	n *ir.Node
	v int
	m layout
}

func newScope(binds ir.Set) *scope {
	return &scope{binds: binds, vals: map[key]Value{}, once: map[any]Value{}}
}

func (sc *scope) add(list ...Stmt) { sc.body = append(sc.body, list...) }

// gen writes one variant of a function.
type gen struct {
	*Unit
	tile.Geometry
	team       team // threads that work together
	vary       *ir.Vary
	lanedMemo  map[*ir.Node]bool
	slow       form.Slow
	stack      []*scope
	names      int
	notes      notes
	windows    windowState
	parted     split
	chunk      chunks
	turns      *turns
	joins      []Stmt   // of copies with their tables, at the end of a point
	iter       *ir.Fold // the fold whose iterations are lanes, in that layout
	ahead      int      // which of them, counted from where the loop stands, is the first lane's
	gathering  bool     // writing the copy of a body for blocks whose spans are not proven
	nearer     bool     // writing that for blocks whose spans are proven to be half as wide
	exactLoads int      // loads that are in range only while some lane is active
}

// notes are what is told of a variant.
type notes struct {
	uses    map[*ir.Buffer]bool
	loads   map[string]int
	counted map[loadClass]bool
	tables  int
	inside  schedule.Ends
}

// fresh is a new name.
func (g *gen) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// depth is the position of the deepest open scope that binds something n depends on.
func (g *gen) depth(n *ir.Node) int {
	for i := len(g.stack) - 1; i > 0; i-- {
		if g.stack[i].binds.Meets(n.Free()) {
			return i
		}
	}
	return 0
}

func (g *gen) top() *scope { return g.stack[len(g.stack)-1] }

// within runs f with more scopes open.
func (g *gen) within(f func(), sc ...*scope) {
	saved := g.stack
	g.stack = append(slices.Clip(g.stack), sc...)
	f()
	g.stack = saved
}

// val computes n once per distinct vector in flight and layout, where the deepest loop it depends on is open, and
// returns its name.
func (g *gen) val(n *ir.Node, v int, m layout) Value {
	if n.Kind == ir.KConst {
		return Scalar(n.Type, Lit(n))
	}
	m = g.simplest(n, m)
	v = g.Canon(g.vary.Of(n), v)
	at, k := g.depth(n), key{n, v, m}
	if x, ok := g.stack[at].vals[k]; ok {
		return x
	}
	if last := len(g.stack) - 1; g.top().full && at < last {
		if g.isVec(n, m) && g.slow.Light(n) {
			at = last
		} else { // outside, where nothing is full
			defer func(saved []*scope) { g.stack = saved }(g.stack)
			g.stack = g.stack[: at+1 : at+1]
		}
	}
	sc := g.stack[at]
	if x, ok := sc.vals[k]; ok {
		return x
	}
	x := g.compute(n, v, m, at)
	sc.vals[k] = x
	return x
}

func (g *gen) compute(n *ir.Node, v int, m layout, at int) Value {
	sc := g.stack[at]
	switch {
	case n.Kind == ir.KArg:
		return g.name(sc, Scalar(n.Type, g.arg(n)))
	case n.Kind == ir.KGet:
		g.fold(n.Fold, at)
		return g.accName(n.Fold.Accs[n.I], v)
	case n.Kind == ir.KAxis:
		return g.axisVal(n, v, m, sc)
	case g.packs(n, m, sc):
		return g.packedValue(n, v, sc)
	case g.tabulates(n, m, sc):
		return g.tabulate(n, v, sc)
	case n.Kind == ir.KLoad:
		return g.load(n, v, m, at)
	}
	return g.name(sc, g.alu(n, v, m))
}

// arg is a launch scalar.
func (g *gen) arg(n *ir.Node) *Expr {
	x := Arg(n, slices.Index(g.Args, n))
	if n.Type == ir.Bool {
		return Bin("!=", x, Int(0))
	}
	return Cast(Spelled[n.Type].Scalar, x)
}

func (g *gen) accName(n *ir.Node, v int) Value {
	return Variable(n.Type, g.laned(n), fmt.Sprintf("a%d_%d", n.ID(), g.Canon(g.vary.Of(n), v)))
}

// axisVal is the value of a parallel axis, a fold's index or an accumulator.
func (g *gen) axisVal(n *ir.Node, v int, m layout, sc *scope) Value {
	switch n.Role {
	case ir.RoleAcc:
		return g.accName(n, v)
	case ir.RoleIndex:
		return g.indexVal(n, v, m, sc)
	}
	x := Name(AxisName(n))
	places := Name(x.Text + "_at") // of all points in flight, one after the other
	switch {
	case slices.Contains(g.team.origins, n):
		return Scalar(ir.I32, x)
	case g.Schedule.Flat > 0 && m == byLane:
		return g.name(sc, Vector(ir.I32, Deref("vi", Bin("+", places, Int(v*g.W)))))
	case g.Schedule.Flat > 0:
		return Scalar(ir.I32, At(places, Int(v*g.W)))
	}
	o := g.Offset(n, v)
	x = Add(x, Int(o))
	cut := g.Clamp && (o != 0 || g.W > 1 && g.LaneCount(n) > 1)
	last := Scalar(ir.I32, Name(AxisName(n)+"_last"))
	if m == byLane && g.laned(n) {
		p := Vector(ir.I32, g.coordinates(n, x))
		if cut {
			p = Op(ir.Min, ir.I32, p, last)
		}
		return g.name(sc, p)
	}
	if cut {
		return Op(ir.Min, ir.I32, Scalar(ir.I32, x), last)
	}
	return Scalar(ir.I32, x)
}

// coordinates are those of the lanes along an axis, whose first is at x.
func (g *gen) coordinates(n *ir.Node, x *Expr) *Expr {
	coords := make([]int, g.W)
	for l := range coords {
		coords[l] = g.LaneCoord(n, l)
	}
	return Bin("+", x, Numbers("vi", coords...))
}

// iterated is the index of the first lane's iteration.
func (g *gen) iterated(n *ir.Node) *Expr { return Add(Name(AxisName(n)), Int(g.ahead)) }

// indexVal is the index of a fold: the loop's variable, plus the lane's own start where starts differ.
func (g *gen) indexVal(n *ir.Node, v int, m layout, sc *scope) Value {
	f, x := n.Fold, Name(AxisName(n))
	if m == byIteration { // cut to the last iteration
		per := g.W / schedule.Registers(n.Type)
		last := Scalar(n.Type, Name(x.Text+"_last"))
		return g.name(sc, Each(n.Type, func(h int) *Expr {
			return Call(Fn("v_min", n.Type), Bin("+", g.iterated(n), Numbers(Spelled[n.Type].Vector, tile.Counting(per, h*per)...)), last.Part(h))
		}))
	}
	if !g.ownStart(f) {
		return Scalar(n.Type, x)
	}
	if m != origin {
		m = byLane
	}
	return g.name(sc, Op(ir.Add, n.Type, g.val(f.Lo, v, m), Scalar(n.Type, x)))
}

// lanesBefore are the lanes whose iteration, counted from the index, comes before an end.
func (g *gen) lanesBefore(end, index *Expr) *Expr {
	return Bin("<", Numbers("vi", tile.Counting(g.W, 0)...), Cast("int", Bin("-", end, index)))
}

// NewUnit prepares for the variants of a kernel. It refuses what no schedule can compute.
func NewUnit(k *ir.Kernel, t schedule.Target) (*Unit, error) {
	for _, out := range k.Outputs() {
		if slices.Contains(k.Inputs(), out) {
			return nil, fmt.Errorf("%s: buffer %s is both read and written; write to another buffer", k.Name, out.Name)
		}
	}
	u := &Unit{Kernel: k, Bufs: append(k.Inputs(), k.Outputs()...), Args: k.Args(), Target: t, b: ir.Extend(k.Roots()), ranges: ir.RangesWhere(nil, nil), fused: ir.ContractionOf(k)}
	u.groups = sync.OnceValue(func() map[*ir.Node][]*ir.Node { return schedule.Groups(k, t.Lanes) })
	return u, nil
}

func (u *Unit) gen(s schedule.CPU) *gen {
	return &gen{
		Unit: u, Geometry: tile.Geometry{Axes: u.Kernel.Axes, Schedule: s, W: u.Target.Lanes, V: max(schedule.Product(s.Unroll), s.Flat)}, vary: ir.NewVary(), lanedMemo: map[*ir.Node]bool{}, slow: form.Slow{},
		notes:   notes{uses: map[*ir.Buffer]bool{}, loads: map[string]int{}, counted: map[loadClass]bool{}},
		windows: windowState{map[*ir.Fold]*ir.Bounder{}, map[windowed]int64{}, map[*ir.Node]bool{}},
	}
}

// declare declares variables for a value, set to another; to nothing if that is of no type.
func (sc *scope) declare(name, x Value) {
	if !name.Vec {
		sc.add(Var(Spelled[name.Type].Scalar, name.Regs[0].Text, x.Regs[0]))
		return
	}
	for h, e := range name.List() {
		var start *Expr
		if x.Regs[0] != nil {
			start = x.Part(h)
		}
		sc.add(Var(Spelled[name.Type].Vector, e.Text, start))
	}
}

// name computes a value in a scope and returns its names.
func (g *gen) name(sc *scope, x Value) Value {
	g.names++
	if !x.Vec {
		name := Name(fmt.Sprintf("v%d", g.names))
		sc.add(Let(Spelled[x.Type].Scalar, name.Text, x.Regs[0]))
		return Scalar(x.Type, name)
	}
	y := Named(x.Type, fmt.Sprintf("v%d", g.names))
	for h, e := range y.List() {
		sc.add(Let(Spelled[x.Type].Vector, e.Text, x.Regs[h]))
	}
	return y
}
