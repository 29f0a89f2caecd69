// Package values writes what nodes are: each once a vector in flight and layout, in the scope of the deepest loop it depends on, loads in the
// cheapest way that lanes allow. Which loops there are, and what is stored, is told to it.
package values

import (
	"fmt"
	"slices"
	"sync"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tally"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/ir/contraction"
	"weft/kernels/ir/moved"
	"weft/kernels/schedule"
	"weft/kernels/schedule/groups"
	"weft/kernels/schedule/inside"
)

// Unit is what the variants of a kernel share.
type Unit struct {
	Kernel *ir.Kernel
	Bufs   []*ir.Buffer // inputs and outputs, and what only their Facts name
	Args   []*ir.Node
	Counts *tally.Counts // nil: folds are not counted
	Target schedule.Target
	B      *ir.Builder // for nodes of its own
	ranges func(*ir.Node) (lo, hi float64, ok bool)
	groups func() map[*ir.Node][]*ir.Node
	Fused  *contraction.Rule
}

// Scope is the body of an open loop (or of the function): what it binds, its statements so far, and what it holds already.
type Scope struct {
	Binds ir.Set
	Body  []Stmt
	Vals  map[key]Value
	Once  map[any]Value     // what else is made once
	Fold  *ir.Fold          // the loop is this fold
	Block *Blocked          // the fold is run in blocks
	Full  bool              // a fold has run here for which vectors held from outside would take registers
	Mask  func(v int) Value // the fold masks lanes: those of vector v that are still active
}

// key names a computed value: which vector in flight, in which layout.
type key struct {
	n *ir.Node
	v int
	m Layout
}

// NewScope is an empty scope.
func NewScope(binds ir.Set) *Scope {
	return &Scope{Binds: binds, Vals: map[key]Value{}, Once: map[any]Value{}}
}

// Add appends statements.
func (sc *Scope) Add(list ...Stmt) { sc.Body = append(sc.Body, list...) }

// Generator writes the values of one variant of a function.
type Generator struct {
	*Unit
	tile.Geometry
	Vary       *ir.Vary
	lanedMemo  map[*ir.Node]bool
	slow       form.Slow
	Stack      []*Scope
	names      int
	Notes      notes
	windows    windowState
	beside     beside
	repeated   map[*ir.Node]bool // memo of again
	spreads    map[*ir.Node]bool // memo of spread
	Iter       *ir.Fold          // the fold whose iterations are lanes, in that layout
	Some       Value             // of these lanes that are iterations at all; none: all are
	Ahead      int               // which of them, counted from where the loop stands, is the first lane's
	Gathering  bool              // writing the copy of a body for blocks whose spans are not proven
	Nearer     bool              // writing that for blocks whose spans are proven to be half as wide
	ExactLoads int               // loads that are in range only while some lane is active
	Sliced     *ir.Fold          // the fold that is run in parts
	Together   *ir.Fold          // the fold whose turns go by their own numbers, though points begin and end at different ones
	Slicing    bool              // writing it
	Later      int               // how many turns later the next block of a pass over turns on lanes begins; 0: there is none
	Filling    bool              // writing what lays values out for it
	placing    map[*ir.Node]bool // memo of places
	grouped    bool              // writing where elements begin that go together
	groupAt    int               // how far behind the first output of a thread that is
	Turns      *Turns            // iterations that are made one behind the other; nil: each is by itself
	Origins    []*ir.Node        // of a block of threads, one an axis of the kernel; nil where nothing lies from there

	WriteFold func(f *ir.Fold, at int)                                     // writes a fold into the scope at a depth
	LaidOut   func(n *ir.Node, v int, m Layout, at int) (x Value, ok bool) // reads what was laid out where threads or turns find it; nil: nothing was
}

// notes are what is told of a variant.
type notes struct {
	Uses    map[*ir.Buffer]bool
	Loads   map[string]int
	counted map[loadClass]bool
	Tables  int
	Inside  inside.Ends
}

// Fresh is a new name.
func (g *Generator) Fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// Depth is the position of the deepest open scope that binds something n depends on.
func (g *Generator) Depth(n *ir.Node) int {
	for i := len(g.Stack) - 1; i > 0; i-- {
		if g.Stack[i].Binds.Meets(n.Free()) {
			return i
		}
	}
	return 0
}

// Top is the innermost open scope.
func (g *Generator) Top() *Scope { return g.Stack[len(g.Stack)-1] }

// Within runs f with more scopes open.
func (g *Generator) Within(f func(), sc ...*Scope) {
	saved := g.Stack
	g.Stack = append(slices.Clip(g.Stack), sc...)
	f()
	g.Stack = saved
}

// Val computes n once per distinct vector in flight and layout, where the deepest loop it depends on is open, and
// returns its name.
func (g *Generator) Val(n *ir.Node, v int, m Layout) Value {
	if n.Kind == ir.KConst {
		if sc := g.Top(); sc.Full && n.Type.Float() {
			return g.loaded(sc, n)
		}
		return Scalar(n.Type, Lit(n))
	}
	if g.again()[n] {
		return g.loadAgain(n, v)
	}
	m = g.simplest(n, m)
	v = g.Canon(g.Vary.Of(n), v)
	at, k := g.Depth(n), key{n, v, m}
	if x, ok := g.Stack[at].Vals[k]; ok {
		return x
	}
	if last := len(g.Stack) - 1; g.Top().Full && at < last {
		if g.IsVec(n, m) && g.slow.Light(n) {
			at = last
		} else { // outside, where nothing is full
			defer func(saved []*Scope) { g.Stack = saved }(g.Stack)
			g.Stack = g.Stack[: at+1 : at+1]
		}
	}
	sc := g.Stack[at]
	if x, ok := sc.Vals[k]; ok {
		return x
	}
	x := g.compute(n, v, m, at)
	sc.Vals[k] = x
	return x
}

// loaded is a constant that comes from memory where it is used: a compiler would hold it in a register before, through the fold that needs all.
func (g *Generator) loaded(sc *Scope, n *ir.Node) Value {
	return sc.Make(n, func() Value {
		c := Name(g.Fresh("c"))
		sc.Add(Var(Spelled[n.Type].Scalar, c.Text, Lit(n)), Do(Call("HIDE", c)))
		return Scalar(n.Type, c)
	})
}

func (g *Generator) compute(n *ir.Node, v int, m Layout, at int) Value {
	sc := g.Stack[at]
	if g.LaidOut != nil && n.Kind != ir.KArg && n.Kind != ir.KGet && n.Kind != ir.KAxis {
		if x, ok := g.LaidOut(n, v, m, at); ok {
			return x
		}
	}
	switch {
	case n.Kind == ir.KArg:
		return g.Name(sc, Scalar(n.Type, g.arg(n)))
	case n.Kind == ir.KGet:
		g.WriteFold(n.Fold, at)
		return g.AccName(n.Fold.Accs[n.I], v)
	case n.Kind == ir.KAxis:
		return g.axisVal(n, v, m, sc)
	case g.tabulates(n, m, sc):
		return g.tabulate(n, v, sc)
	case n.Kind == ir.KLoad:
		return g.sharedLoad(n, v, m, at)
	}
	return g.Name(sc, g.alu(n, v, m))
}

// arg is a launch scalar.
func (g *Generator) arg(n *ir.Node) *Expr {
	x := Arg(n, slices.Index(g.Args, n))
	if n.Type == ir.Bool {
		return Bin("!=", x, Int(0))
	}
	return Cast(Spelled[n.Type].Scalar, x)
}

// AccName is the variable of an accumulator, for a vector in flight.
func (g *Generator) AccName(n *ir.Node, v int) Value {
	return Variable(n.Type, g.Laned(n), fmt.Sprintf("a%d_%d", n.ID(), g.Canon(g.Vary.Of(n), v)))
}

// axisVal is the value of a parallel axis, a fold's index or an accumulator.
func (g *Generator) axisVal(n *ir.Node, v int, m Layout, sc *Scope) Value {
	switch n.Role {
	case ir.RoleAcc:
		return g.AccName(n, v)
	case ir.RoleIndex:
		return g.indexVal(n, v, m, sc)
	}
	x := Name(AxisName(n))
	places := Name(x.Text + "_at") // of all points in flight, one after the other
	switch {
	case slices.Contains(g.Origins, n):
		return Scalar(ir.I32, x)
	case g.Schedule.Flat > 0 && m == ByLane:
		return g.Name(sc, Vector(ir.I32, Deref("vi", Bin("+", places, Int(v*g.W)))))
	case g.Schedule.Flat > 0:
		return Scalar(ir.I32, At(places, Int(v*g.W)))
	}
	o := g.Offset(n, v)
	x = Add(x, Int(o))
	cut := g.Clamp && (o != 0 || g.W > 1 && g.LaneCount(n) > 1)
	last := Scalar(ir.I32, Name(AxisName(n)+"_last"))
	if m == ByLane && g.Laned(n) {
		p := Vector(ir.I32, g.Coordinates(n, x))
		if cut {
			p = Op(ir.Min, ir.I32, p, last)
		}
		return g.Name(sc, p)
	}
	switch {
	case n == g.BesideAxis: // some begin before the tile
		first := Scalar(ir.I32, Name(AxisName(n)+"_first"))
		return g.Name(sc, Op(ir.Max, ir.I32, Op(ir.Min, ir.I32, Scalar(ir.I32, x), last), first))
	case cut:
		return Op(ir.Min, ir.I32, Scalar(ir.I32, x), last)
	}
	return Scalar(ir.I32, x)
}

// Coordinates are those of the lanes along an axis, whose first is at x.
func (g *Generator) Coordinates(n *ir.Node, x *Expr) *Expr {
	coords := make([]int, g.W)
	for l := range coords {
		coords[l] = g.LaneCoord(n, l)
	}
	return Bin("+", x, Numbers("vi", coords...))
}

// iterated is the index of the first lane's iteration.
func (g *Generator) iterated(n *ir.Node) *Expr { return Add(Name(AxisName(n)), Int(g.Ahead)) }

// indexVal is the index of a fold: the loop's variable, plus the lane's own start where starts differ.
func (g *Generator) indexVal(n *ir.Node, v int, m Layout, sc *Scope) Value {
	f, x := n.Fold, Name(AxisName(n))
	if g.Turns != nil && g.Turns.Fold == f {
		x = Add(x, Int(g.Turns.At))
	}
	if m == ByIteration { // cut to the last iteration
		per := g.W / schedule.Registers(n.Type)
		last := Scalar(n.Type, Name(x.Text+"_last"))
		return g.Name(sc, Each(n.Type, func(h int) *Expr {
			return Call(Fn("v_min", n.Type), Bin("+", g.iterated(n), Numbers(Spelled[n.Type].Vector, tile.Counting(per, h*per)...)), last.Part(h))
		}))
	}
	if !g.OwnStart(f) {
		return Scalar(n.Type, x)
	}
	if m != Origin {
		m = ByLane
	}
	return g.Name(sc, Op(ir.Add, n.Type, g.Val(f.Lo, v, m), Scalar(n.Type, x)))
}

// UpToLast are the lanes whose iteration is one of a fold.
func (g *Generator) UpToLast(f *ir.Fold) Value {
	i := AxisName(f.Index)
	return Vector(ir.Bool, g.LanesBefore(Bin("+", Name(i+"_last"), Int(1)), Name(i)))
}

// LanesBefore are the lanes whose iteration, counted from the index, comes before an end.
func (g *Generator) LanesBefore(end, index *Expr) *Expr {
	return Bin("<", Numbers("vi", tile.Counting(g.W, 0)...), Cast("int", Bin("-", end, index)))
}

// NewUnit prepares for the variants of a kernel. It refuses what no schedule can compute.
func NewUnit(k *ir.Kernel, t schedule.Target) (*Unit, error) {
	for _, out := range k.Outputs() {
		if slices.Contains(k.Inputs(), out) {
			return nil, fmt.Errorf("%s: buffer %s is both read and written; write to another buffer", k.Name, out.Name)
		}
	}
	u := &Unit{Kernel: k, Bufs: append(k.Inputs(), k.Outputs()...), Args: k.Args(), Target: t, B: ir.Extend(k.Roots()), ranges: ir.RangesWhere(nil, nil), Fused: contraction.Of(k)}
	u.groups = sync.OnceValue(func() map[*ir.Node][]*ir.Node { return groups.Of(k, t.Lanes) })
	return u, nil
}

// Generator begins a variant.
func (u *Unit) Generator(s schedule.CPU) *Generator {
	return &Generator{
		Unit: u, Geometry: tile.Geometry{Axes: u.Kernel.Axes, Schedule: s, W: u.Target.Lanes, V: max(schedule.Product(s.Unroll), s.Flat)}, Vary: ir.NewVary(), lanedMemo: map[*ir.Node]bool{}, slow: form.Slow{},
		Notes:   notes{Uses: map[*ir.Buffer]bool{}, Loads: map[string]int{}, counted: map[loadClass]bool{}},
		windows: windowState{map[*ir.Fold]*ir.Bounder{}, map[windowed]int64{}, map[*ir.Node]bool{}}, beside: beside{moved.NewValues(), map[int]*moved.Point{}},
	}
}

// Declare declares variables for a value, set to another; to nothing if that is of no type.
func (sc *Scope) Declare(name, x Value) {
	if !name.Vec {
		sc.Add(Var(Spelled[name.Type].Scalar, name.Regs[0].Text, x.Regs[0]))
		return
	}
	for h, e := range name.List() {
		var start *Expr
		if x.Regs[0] != nil {
			start = x.Part(h)
		}
		sc.Add(Var(Spelled[name.Type].Vector, e.Text, start))
	}
}

// Name computes a value in a scope and returns its names.
func (g *Generator) Name(sc *Scope, x Value) Value {
	g.names++
	if !x.Vec {
		name := Name(fmt.Sprintf("v%d", g.names))
		sc.Add(Let(Spelled[x.Type].Scalar, name.Text, x.Regs[0]))
		return Scalar(x.Type, name)
	}
	y := Named(x.Type, fmt.Sprintf("v%d", g.names))
	if x.Halves[0] != nil {
		for h, half := range x.Halves {
			y.Halves[h] = Name(fmt.Sprintf("v%d_half%d", g.names, h))
			sc.Add(Let(Spelled[ir.I64].Vector, y.Halves[h].Text, half))
		}
		x.Regs[0] = Call("cvt_li", y.Halves[0], y.Halves[1])
	}
	for h, e := range y.List() {
		sc.Add(Let(Spelled[x.Type].Vector, e.Text, x.Regs[h]))
	}
	return y
}
