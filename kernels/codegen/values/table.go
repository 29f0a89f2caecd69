package values

import (
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Blocked is a fold run in blocks of iterations: a loop over each block fills tables, with consecutive iterations as lanes,
// and tests windows; the fold's own loop over the block then reads them.
type Blocked struct {
	Size   int
	Start  string // name of the block's first iteration
	Outer  *Scope // before the fill loop
	Fill   *Scope
	Tables map[key]*Expr // by what they hold
	Guards []GuardTest   // of the body
	Nearer []GuardTest   // of the copy with half as wide windows
}

// NewBlocked begins a fold that is run so many iterations at a time.
func NewBlocked(f *ir.Fold, size int, start string) *Blocked {
	return &Blocked{Size: size, Start: start, Tables: map[key]*Expr{}, Outer: NewScope(ir.Set{}), Fill: NewScope(f.IndexBind)}
}

// GuardTest is a lane-uniform condition under which the block must gather.
type GuardTest struct {
	Bad *ir.Node
	V   int
}

// guard adds a test to those of the body that is written.
func (g *Generator) guard(b *Blocked, t GuardTest) {
	list := &b.Guards
	if g.Nearer {
		list = &b.Nearer
	}
	if !slices.Contains(*list, t) {
		*list = append(*list, t)
	}
}

// tabulates reports whether a lane-uniform value that changes with the iteration alone is worth a table: a slow one, and where a window begins, which
// the proof of the window computes for all iterations at once.
func (g *Generator) tabulates(n *ir.Node, m Layout, sc *Scope) bool {
	if m != ByLane || sc.Block == nil || sc != g.Top() || g.Gathering || g.Laned(n) || n.Type == ir.Bool {
		return false
	}
	return !n.Free().Meets(sc.Fold.AccBind) && (g.slow.Is(n) || g.windows.bases[n])
}

// InFill runs f with the fill loop of the fold at the top of the stack as the place to add to.
func (g *Generator) InFill(sc *Scope, f func()) {
	saved, iter, some := g.Stack, g.Iter, g.Some
	g.Stack = append(slices.Clone(g.Stack[:len(g.Stack)-1]), sc.Block.Fill)
	g.Iter, g.Some = sc.Fold, g.UpToLast(sc.Fold)
	f()
	g.Stack, g.Iter, g.Some = saved, iter, some
}

// tabulate computes n for a block of iterations and returns the element of the table at the current one.
func (g *Generator) tabulate(n *ir.Node, v int, sc *Scope) Value {
	b, t := sc.Block, Spelled[n.Type]
	at := Name(AxisName(sc.Fold.Index) + "_in")
	k := key{n, v, ByLane}
	if name := b.Tables[k]; name != nil {
		return g.Name(sc, Scalar(n.Type, At(name, at)))
	}
	g.Notes.Tables++
	name := Name(g.Fresh("t"))
	b.Tables[k] = name
	b.Outer.Add(Array{Type: t.Scalar, Name: name.Text, N: Int(b.Size), Aligned: true})
	g.InFill(sc, func() {
		for h, e := range g.Val(n, v, ByIteration).AsVec().List() {
			b.Fill.Add(Set{To: Deref(t.Vector+"_u", Bin("+", Bin("+", name, at), Int(h*g.W/schedule.Registers(n.Type)))), Value: e})
		}
	})
	return g.Name(sc, Scalar(n.Type, At(name, at)))
}
