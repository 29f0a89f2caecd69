package ir

import (
	"cmp"
	"fmt"
	"math"
)

// Builder makes nodes, at most one of each: two equal expressions are one node.
type Builder struct {
	table   table
	roots   []*Node // of the nodes that are known, until the first is looked up: most rewritings find nothing to rewrite
	known   int     // how many these are
	sets    map[Set]*Set
	next    int
	binders int
}

// NewBuilder returns an empty builder. Nodes of different builders must not be mixed.
func NewBuilder() *Builder { return &Builder{} }

func (b *Builder) intern(n Node) *Node {
	if b.roots != nil {
		b.know()
	}
	n.hash = content(&n)
	m, at := b.table.find(&n)
	if m == nil {
		m = new(Node)
		*m = n
		b.table.put(b.add(m), at)
	}
	return m
}

// know has the builder find the nodes that it extends.
func (b *Builder) know() {
	roots := b.roots
	b.roots = nil
	b.table.grow(2 * b.known)
	WalkNodes(roots, func(n *Node) {
		switch n.Kind {
		case KConst, KArg, KLoad, KAlu:
			_, at := b.table.find(n)
			b.table.put(n, at)
		}
	})
}

func (b *Builder) add(n *Node) *Node {
	b.next++
	n.id, n.free = b.next, nil
	if n.bind > 0 {
		n.free = b.set(n.Bind())
	}
	for _, a := range n.Args {
		switch {
		case a.free == n.free || a.free == nil:
		case n.free == nil:
			n.free = a.free
		default:
			switch all := n.free.Or(*a.free); all {
			case *n.free:
			case *a.free:
				n.free = a.free
			default:
				n.free = b.set(all)
			}
		}
	}
	return n
}

// set is where a set lies that nodes have in common.
func (b *Builder) set(s Set) *Set {
	if s.Empty() {
		return nil
	}
	known := b.sets[s]
	if known == nil {
		if b.sets == nil {
			b.sets = map[Set]*Set{}
		}
		known = &s
		b.sets[s] = known
	}
	return known
}

// TooManyBinders is what building a kernel ends with that binds more than MaxBinders axes and folds.
const TooManyBinders = binderFault("ir: a kernel binds more axes and folds than it can")

type binderFault string

func (b *Builder) binder() int16 {
	if b.binders == MaxBinders {
		panic(TooManyBinders)
	}
	b.binders++
	return int16(b.binders)
}

// Insert adds a node that is given whole: values that are there already are found again, an axis and the index of a fold take numbers for
// what they bind. The index of a fold is inserted before its accumulators, these before the fold.
func (b *Builder) Insert(n *Node) *Node {
	f := n.Fold
	switch {
	case n.Kind == KFold:
		b.add(n)
		var all Set
		f.Operands(func(o *Node) { all = all.Or(o.Free()) })
		n.free = b.set(all.Minus(f.IndexBind.Or(f.AccBind)))
		return n
	case n.Kind == KGet:
		return b.add(n)
	case n.Kind != KAxis:
		return b.intern(*n)
	case n.Role == RoleParallel:
		n.bind = b.binder()
	case n.Role == RoleIndex:
		n.bind = b.binder()
		f.IndexBind, f.AccBind = n.Bind(), bit(int(b.binder())-1)
	case n.Role == RoleAcc:
		n.bind = int16(f.AccBind.last())
	}
	return b.add(n)
}

// Binders is how many of MaxBinders are taken: a planner stops fusing before they run out.
func (b *Builder) Binders() int { return b.binders }

// Const is a constant of type t. Integers must be exact in a float64; use Int otherwise. For Bool, any v but 0 is true.
// An F32 constant keeps the float64 it was made of: devices round it, a float64 reference does not.
func (b *Builder) Const(t DType, v float64) *Node {
	n := Node{Kind: KConst, Type: t}
	switch {
	case t.Float() && t.Compute() == t:
		n.F = v
	case t == Bool:
		if v != 0 {
			n.I = 1
		}
	case t == I32 || t == I64:
		n.I = int64(v)
	default:
		panic("ir: constants have a compute type, not " + t.String())
	}
	return b.intern(n)
}

// Int is an integer constant.
func (b *Builder) Int(t DType, v int64) *Node {
	if t == I32 {
		v = int64(int32(v))
	}
	return b.intern(Node{Kind: KConst, Type: t, I: v})
}

// I32 is an int32 constant.
func (b *Builder) I32(v int) *Node { return b.Int(I32, int64(v)) }

// F32 is a float32 constant.
func (b *Builder) F32(v float64) *Node { return b.Const(F32, v) }

// F64 is a float64 constant.
func (b *Builder) F64(v float64) *Node { return b.Const(F64, v) }

// True and False are Bool constants.
func (b *Builder) True() *Node  { return b.Const(Bool, 1) }
func (b *Builder) False() *Node { return b.Const(Bool, 0) }

// Arg is a scalar given at launch.
func (b *Builder) Arg(t DType, name string) *Node { return b.ArgOr(t, name, math.NaN()) }

// ArgOr is an Arg that is v where a launch does not say. No code and no hash depends on v. Like a constant, one of F32 keeps a float64.
func (b *Builder) ArgOr(t DType, name string, v float64) *Node {
	return b.intern(Node{Kind: KArg, Type: t, Name: name, F: v})
}

// Axis is a new parallel axis of the given extent; its value is an I32 from 0 to extent-1.
func (b *Builder) Axis(name string, extent int) *Node {
	return b.Insert(&Node{Kind: KAxis, Type: I32, Name: name, Extent: extent, Role: RoleParallel})
}

// Load reads buf at index, one index an axis.
func (b *Builder) Load(buf *Buffer, index ...*Node) *Node {
	b.checkIndex(buf, index)
	return b.intern(Node{Kind: KLoad, Type: buf.Type.Compute(), Buf: buf, Args: index})
}

// LoadOr reads buf at index where guard holds and is other elsewhere; the buffer is not touched there.
func (b *Builder) LoadOr(buf *Buffer, guard, other *Node, index ...*Node) *Node {
	if guard.Kind == KConst {
		if guard.I == 0 {
			return other
		}
		return b.Load(buf, index...)
	}
	b.checkIndex(buf, index)
	args := append(append(make([]*Node, 0, len(index)+2), index...), guard, other)
	return b.intern(Node{Kind: KLoad, Type: buf.Type.Compute(), Buf: buf, Args: args, Guarded: true})
}

func (b *Builder) checkIndex(buf *Buffer, index []*Node) {
	if len(index) != len(buf.Shape) {
		panic(fmt.Sprintf("ir: buffer %s has %d axes, indexed with %d", buf.Name, len(buf.Shape), len(index)))
	}
}

// FoldSpec says what a fold is made of besides its body.
type FoldSpec struct {
	Name   string // of the index, for people; i where there is none
	Lo, Hi *Node
	Init   []*Node
	Monoid Monoid
}

// Turns builds an ordered fold over [lo, hi) for stores to be in. It varies with the given axes, by accumulators that stay what they are.
func (b *Builder) Turns(name string, lo, hi *Node, axes []*Node, body func(i *Node)) *Fold {
	start := append([]*Node{b.I32(0)}, axes...)
	return b.Fold(FoldSpec{Name: name, Lo: lo, Hi: hi, Init: start}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		body(i)
		return acc, nil
	})[0].Fold
}

// Fold builds a loop. body receives the index and the accumulators, and returns the stepped accumulators and the while
// condition (nil: none). The results are the final accumulators.
func (b *Builder) Fold(s FoldSpec, body func(i *Node, acc []*Node) (step []*Node, while *Node)) []*Node {
	f := &Fold{Lo: s.Lo, Hi: s.Hi, Init: s.Init, Monoid: s.Monoid}
	f.Index = b.Insert(&Node{Kind: KAxis, Type: s.Lo.Type, Name: cmp.Or(s.Name, "i"), Role: RoleIndex, Fold: f})
	for k, n := range s.Init {
		f.Accs = append(f.Accs, b.Insert(&Node{Kind: KAxis, Type: n.Type, Name: "acc", I: int64(k), Role: RoleAcc, Fold: f}))
	}
	f.Step, f.While = body(f.Index, f.Accs)
	if len(f.Step) == 1 && s.Init[0].Type == Bool && (f.Monoid == Any || f.Monoid == All) {
		switch step := f.Step[0]; {
		case step == f.Accs[0]: // no turn changes anything
			return s.Init
		case step.Kind == KConst: // the first one says all
			return []*Node{b.Select(b.Lt(f.Lo, f.Hi), step, s.Init[0])}
		}
	}
	b.level(f)
	root := b.leastRoot(f)
	addend := b.sameAddend(f)
	f.Node = b.Insert(&Node{Kind: KFold, Fold: f})
	out := make([]*Node, len(s.Init))
	for k, n := range s.Init {
		out[k] = b.add(&Node{Kind: KGet, Type: n.Type, I: int64(k), Args: []*Node{f.Node}, Fold: f})
	}
	if addend != nil { // a sum that is NaN is left out
		out[0] = b.Alu(f.Step[0].Op, b.Add(out[0], addend), f.Init[0])
	}
	if root {
		out[0] = b.Sqrt(out[0])
	}
	return out
}

// sameAddend takes from a fold to the least or the largest of sums what is added in every turn: rounding keeps order, so adding it to the result
// gives the same to the bit. nil: there is none.
func (b *Builder) sameAddend(f *Fold) *Node {
	first := map[Monoid]float64{Smallest: math.Inf(1), Largest: math.Inf(-1)}[f.Monoid]
	if first == 0 || len(f.Step) != 1 || f.While != nil || !f.Init[0].IsConst(first) || f.Step[0].Kind != KAlu || len(f.Step[0].Args) != 2 {
		return nil
	}
	term, acc := f.Step[0].Args[0], f.Step[0].Args[1]
	if acc != f.Accs[0] || term.Kind != KAlu || term.Op != Add {
		return nil
	}
	own := f.Index.Free().Or(acc.Free())
	for k, same := range term.Args {
		if !same.Free().Meets(own) && term.Args[1-k].Free().Meets(own) {
			f.Step[0] = b.Alu(f.Step[0].Op, term.Args[1-k], acc)
			return same
		}
	}
	return nil
}

// level turns comparisons in a fold to any or all with what every turn has in common, so that they say one thing: that what changes exceeds it. What
// is to be less is, negated, to be more; negating is exact.
func (b *Builder) level(f *Fold) {
	if f.Monoid != Any && f.Monoid != All {
		return
	}
	own := f.Index.Free()
	for _, a := range f.Accs {
		own = own.Or(a.Free())
	}
	var turned func(n *Node) *Node
	turned = func(n *Node) *Node {
		switch {
		case n.Kind != KAlu || !n.Free().Meets(own):
		case n.Op == And || n.Op == Or || n.Op == Not:
			args := make([]*Node, len(n.Args))
			for k, a := range n.Args {
				args[k] = turned(a)
			}
			return b.Alu(n.Op, args...)
		case n.Op == Lt && n.Args[0].Type.Float() && n.Args[0].Free().Meets(own) && !n.Args[1].Free().Meets(own):
			return b.Lt(b.Neg(n.Args[1]), b.negated(n.Args[0], own))
		}
		return n
	}
	for q, x := range f.Step {
		f.Step[q] = turned(x)
	}
}

// negated is the negative of a value, by that of what differs over some binders in it.
func (b *Builder) negated(n *Node, over Set) *Node {
	switch {
	case n.Kind == KAlu && n.Op == Neg:
		return n.Args[0]
	case n.Kind == KAlu && n.Op == Sub:
		return b.Sub(n.Args[1], n.Args[0])
	case n.Kind == KAlu && n.Op == Add && n.Args[0].Free().Meets(over):
		return b.Sub(b.negated(n.Args[0], over), n.Args[1])
	case n.Kind == KAlu && n.Op == Add:
		return b.Sub(b.negated(n.Args[1], over), n.Args[0])
	}
	return b.Neg(n)
}

// leastRoot makes a fold to the least of roots one to the least of what these are roots of: the root of that is the same to the bit. Roots of
// negative numbers are NaN, which are left out.
func (b *Builder) leastRoot(f *Fold) bool {
	if f.Monoid != Smallest || len(f.Step) != 1 || !f.Init[0].IsConst(math.Inf(1)) || f.Step[0].Kind != KAlu || f.Step[0].Op != Min {
		return false
	}
	a := f.Step[0].Args
	if a[0].Kind != KAlu || a[0].Op != Sqrt || a[1] != f.Accs[0] {
		return false
	}
	square := a[0].Args[0]
	if lo, _, _ := RangeOf(square, nil); lo < 0 {
		square = b.Select(b.Lt(square, b.Const(square.Type, 0)), f.Init[0], square)
	}
	f.Step[0] = b.Min(square, a[1])
	return true
}

// Rebuild is n with other operands, of the same types.
func (b *Builder) Rebuild(n *Node, args []*Node) *Node {
	switch {
	case n.Kind == KConst || n.Kind == KArg:
		return b.intern(Node{Kind: n.Kind, Type: n.Type, Name: n.Name, F: n.F, I: n.I})
	case n.Kind == KLoad && n.Guarded:
		k := len(args) - 2
		return b.LoadOr(n.Buf, args[k], args[k+1], args[:k]...)
	case n.Kind == KLoad:
		return b.Load(n.Buf, args...)
	case n.Op == Cast:
		return b.Cast(n.Type, args[0])
	case n.Op == Bits:
		return b.Reinterpret(n.Type, args[0])
	}
	return b.Alu(n.Op, args...)
}

// Extend returns a builder that knows the nodes reachable from roots and can add to them, without the builder they come
// from: a renderer's rewriting of a finished kernel. The nodes themselves stay as they are, so several may extend one
// kernel at the same time; what they add must not be mixed.
func Extend(roots []*Node) *Builder {
	b := &Builder{roots: roots}
	WalkNodes(roots, func(n *Node) {
		b.next = max(b.next, n.id)
		b.known++
		if b.binders = max(b.binders, int(n.bind)); n.Kind == KFold {
			b.binders = max(b.binders, n.Fold.Binders().last())
		}
	})
	return b
}
