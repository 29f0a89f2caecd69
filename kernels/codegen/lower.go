package codegen

import (
	"fmt"
	"slices"
	"sync"

	. "weft/kernels/codegen/expr"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Unit is the function being written: variants of the same kernel that share buffers and scalars.
type Unit struct {
	Kernel *ir.Kernel
	Bufs   []*ir.Buffer // inputs and outputs, and what only their Facts name
	Args   []*ir.Node
	Counts *Counts // nil: folds are not counted
	Target schedule.Target
	b      *ir.Builder // for nodes of its own
	groups func() map[*ir.Node][]*ir.Node
}

// scope is the body of an open loop (or of the function): what it binds, its statements so far, and what it holds already.
type scope struct {
	binds ir.Set
	body  []Stmt
	vals  map[key]value
	once  map[any]value     // what else is made once
	fold  *ir.Fold          // the loop is this fold
	block *block            // the fold is run in blocks
	mask  func(v int) value // the fold masks lanes: those of vector v that are still active
}

// key names a computed value: which vector in flight, in which layout.
type key struct {
	n *ir.Node
	v int
	m layout
}

func newScope(binds ir.Set) *scope {
	return &scope{binds: binds, vals: map[key]value{}, once: map[any]value{}}
}

func (sc *scope) add(list ...Stmt) { sc.body = append(sc.body, list...) }

// gen writes one variant of a function.
type gen struct {
	*Unit
	geometry
	team       team // threads that work together
	vary       *ir.Vary
	lanedMemo  map[*ir.Node]bool
	slowMemo   map[*ir.Node]bool
	stack      []*scope
	names      int
	notes      notes
	windows    windowState
	parted     split
	chunk      chunks
	iter       *ir.Fold // the fold whose iterations are lanes, in that layout
	gathering  bool     // writing the copy of a body for blocks whose spans are not proven
	exactLoads int      // loads that are in range only while some lane is active
}

// notes are what is told of a variant.
type notes struct {
	uses    map[*ir.Buffer]bool
	loads   map[string]int
	counted map[loadClass]bool
	tables  int
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
func (g *gen) val(n *ir.Node, v int, m layout) value {
	if n.Kind == ir.KConst {
		return scalar(n.Type, Lit(n))
	}
	m = g.simplest(n, m)
	v = g.canon(g.vary.Of(n), v)
	at := g.depth(n)
	sc := g.stack[at]
	k := key{n, v, m}
	if x, ok := sc.vals[k]; ok {
		return x
	}
	x := g.compute(n, v, m, at)
	sc.vals[k] = x
	return x
}

func (g *gen) compute(n *ir.Node, v int, m layout, at int) value {
	sc := g.stack[at]
	switch {
	case n.Kind == ir.KArg:
		return g.name(sc, scalar(n.Type, g.arg(n)))
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
	return Cast(types[n.Type].c, x)
}

func axisName(n *ir.Node) string { return fmt.Sprintf("x%d", n.ID()) }

func (g *gen) accName(n *ir.Node, v int) value {
	return variable(n.Type, g.laned(n), fmt.Sprintf("a%d_%d", n.ID(), g.canon(g.vary.Of(n), v)))
}

// axisVal is the value of a parallel axis, a fold's index or an accumulator.
func (g *gen) axisVal(n *ir.Node, v int, m layout, sc *scope) value {
	switch n.Role {
	case ir.RoleAcc:
		return g.accName(n, v)
	case ir.RoleIndex:
		return g.indexVal(n, v, m, sc)
	}
	x := Name(axisName(n))
	places := Name(x.Text + "_at") // of all points in flight, one after the other
	switch {
	case slices.Contains(g.team.origins, n):
		return scalar(ir.I32, x)
	case g.s.Flat > 0 && m == byLane:
		return g.name(sc, vector(ir.I32, Deref("vi", Bin("+", places, Int(v*g.W)))))
	case g.s.Flat > 0:
		return scalar(ir.I32, At(places, Int(v*g.W)))
	}
	o := g.offset(n, v)
	x = Add(x, Int(o))
	cut := g.clamp && (o != 0 || g.W > 1 && g.laneCount(n) > 1)
	last := scalar(ir.I32, Name(axisName(n)+"_last"))
	if m == byLane && g.laned(n) {
		coords := make([]int, g.W)
		for l := range coords {
			coords[l] = g.laneCoord(n, l)
		}
		p := vector(ir.I32, Bin("+", x, Vector("vi", coords...)))
		if cut {
			p = op(ir.Min, ir.I32, p, last)
		}
		return g.name(sc, p)
	}
	if cut {
		return op(ir.Min, ir.I32, scalar(ir.I32, x), last)
	}
	return scalar(ir.I32, x)
}

// indexVal is the index of a fold: the loop's variable, plus the lane's own start where starts differ.
func (g *gen) indexVal(n *ir.Node, v int, m layout, sc *scope) value {
	f, x := n.Fold, Name(axisName(n))
	if m == byIteration { // cut to the last iteration
		per := g.W / registers(n.Type)
		last := scalar(n.Type, Name(x.Text+"_last"))
		return g.name(sc, each(n.Type, func(h int) *Expr {
			return Call(fn("v_min", n.Type), Bin("+", x, Vector(types[n.Type].v, counting(per, h*per)...)), last.part(h))
		}))
	}
	if !g.ownStart(f) {
		return scalar(n.Type, x)
	}
	if m != origin {
		m = byLane
	}
	return g.name(sc, op(ir.Add, n.Type, g.val(f.Lo, v, m), scalar(n.Type, x)))
}

// counting is n numbers from one on.
func counting(n, from int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// lanesBefore are the lanes whose iteration, counted from the index, comes before an end.
func (g *gen) lanesBefore(end, index *Expr) *Expr {
	return Bin("<", Vector("vi", counting(g.W, 0)...), Cast("int", Bin("-", end, index)))
}

// NewUnit prepares for the variants of a kernel. It refuses what no schedule can compute.
func NewUnit(k *ir.Kernel, t schedule.Target) (*Unit, error) {
	for _, out := range k.Outputs() {
		if slices.Contains(k.Inputs(), out) {
			return nil, fmt.Errorf("%s: buffer %s is both read and written; write to another buffer", k.Name, out.Name)
		}
	}
	u := &Unit{Kernel: k, Bufs: append(k.Inputs(), k.Outputs()...), Args: k.Args(), Target: t, b: ir.Extend(k.Roots())}
	u.groups = sync.OnceValue(func() map[*ir.Node][]*ir.Node { return schedule.Groups(k, t.Lanes) })
	return u, nil
}

func (u *Unit) gen(s schedule.CPU) *gen {
	return &gen{
		Unit: u, geometry: geometry{axes: u.Kernel.Axes, s: s, W: u.Target.Lanes, V: max(schedule.Product(s.Unroll), s.Flat)}, vary: ir.NewVary(), lanedMemo: map[*ir.Node]bool{}, slowMemo: map[*ir.Node]bool{},
		notes:   notes{uses: map[*ir.Buffer]bool{}, loads: map[string]int{}, counted: map[loadClass]bool{}},
		windows: windowState{map[*ir.Fold]*ir.Bounder{}, map[windowed]int64{}},
	}
}
