package graph

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/retype"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/bounds"
)

// Reader decides how a consumer reads a producer: nil means compute in place, buffers of its parts mean load.
type Reader func(producer, consumer *ops.Stage) []*ir.Buffer

// KernelBuilder builds kernels out of stages.
type KernelBuilder struct {
	Body   *ops.Body
	Placed []Placement // the elements built, producers first
	// Proves leaves out guards of loads that always hold.
	Proves bool
	// Most is how many variables the kernel may bind for Try; 0: any number.
	Most int
	// Units are what arrays stored as integers count in.
	Units map[*ops.Stage]retype.Units

	g         *Graph
	read      Reader
	at        []Placement   // definitions being built, innermost last
	elsewhere map[Edge]bool // with a read at another index than the reader's own
	apart     map[Edge]bool // and not at it with dims in another order either
	inside    map[dimIndex]bool
	put       map[*ops.Stage][]ir.Store
}

// Placement is a stage computed in place, and the index at which it was.
type Placement struct {
	Stage *ops.Stage
	Index []*ir.Node
}

// KernelBuilder starts a kernel.
func (g *Graph) KernelBuilder(read Reader) *KernelBuilder {
	l := &KernelBuilder{g: g, read: read, Units: g.Units, elsewhere: map[Edge]bool{}, apart: map[Edge]bool{}, put: map[*ops.Stage][]ir.Store{}}
	l.Body = &ops.Body{Builder: ir.NewBuilder(), Read: l.readStage, Stored: l.storedStage, Argument: g.Arguments.is}
	return l
}

// define builds the stage's element at index, as seen from within its own definition.
func (l *KernelBuilder) define(s *ops.Stage, index []*ir.Node) ops.Elem {
	parts := l.Body.Once(defined{s}, index, func() []*ir.Node {
		l.at = append(l.at, Placement{s, index})
		if l.Most > 0 && l.Body.Binders() > l.Most {
			panic(tooLarge{})
		}
		l.g.Lowered++
		e := l.g.element(l.Body, s, index)
		l.at = l.at[:len(l.at)-1]
		l.Placed = append(l.Placed, Placement{s, index})
		return e.Parts()
	})
	return ops.ElemOf(parts)
}

// defined owns what a body builds once of a stage.
type defined struct{ *ops.Stage }

// storedStage are the parts of an array that lie in memory in a format of its own.
func (l *KernelBuilder) storedStage(s *ops.Stage) []*ir.Buffer {
	consumer := l.at[len(l.at)-1].Stage
	l.elsewhere[Edge{s, consumer}], l.apart[Edge{s, consumer}] = true, true
	return l.read(s, consumer)
}

func (l *KernelBuilder) readStage(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	if len(index) != len(s.Type.Dims) {
		panic(fmt.Sprintf("planner: %s has %d dims, read with %d indices", s.Name, len(s.Type.Dims), len(index)))
	}
	index, guard = l.g.seen(l.Body, s, index, guard)
	consumer := l.at[len(l.at)-1]
	if f, ok := l.g.frames[Edge{s, consumer.Stage}]; ok && f.replaces(guard, other) {
		at := make([]*ir.Node, len(index))
		for k, x := range index {
			if f.guarded {
				x = held(l.Body.Builder, x, s.Type.Dims[k].Size)
			}
			at[k] = l.Body.Add(x, l.Body.I32(f.before[k]))
		}
		return f.turned(l.Body, l.readStage(f.stage, nil, 0, at))
	}
	if guard != nil || !slices.Equal(index, consumer.Index) {
		l.elsewhere[Edge{s, consumer.Stage}] = true
		if guard != nil || !same(index, consumer.Index) {
			l.apart[Edge{s, consumer.Stage}] = true
		}
	}
	bufs := l.read(s, consumer.Stage)
	if l.Proves && bufs != nil && guard != nil {
		guard = l.unproven(guard, index, s)
	}
	if bufs == nil {
		return l.inPlace(s, guard, other, index)
	}
	parts := make([]*ir.Node, s.Type.Elem.Scalars())
	for i := range parts {
		buf, at := partAt(l.Body, bufs, len(parts), i, index)
		parts[i] = l.load(s, buf, guard, other, at)
	}
	return ops.ElemOf(parts)
}

// partAt is where a part of an element lies: in a buffer of its own or, where there is one for all n of them, beside the others.
func partAt(b *ops.Body, bufs []*ir.Buffer, n, part int, index []*ir.Node) (*ir.Buffer, []*ir.Node) {
	if len(bufs) == n {
		return bufs[part], index
	}
	return bufs[0], append(index[:len(index):len(index)], b.I32(part))
}

// load reads an element of a stage in the type it computes in, however it is stored.
func (l *KernelBuilder) load(s *ops.Stage, buf *ir.Buffer, guard *ir.Node, other float64, index []*ir.Node) *ir.Node {
	b, typ, base := l.Body, buf.Type.Compute(), s.Type.Elem.Base.Compute()
	counted := typ.Int() && base.Float()
	v := b.Load
	if guard != nil {
		outside := b.Const(typ, other)
		if counted {
			outside = b.Const(typ, float64(l.Units[s].Zero()))
		}
		v = func(buf *ir.Buffer, index ...*ir.Node) *ir.Node { return b.LoadOr(buf, guard, outside, index...) }
	}
	n := b.Cast(base, v(buf, index...))
	if !counted {
		return n
	}
	n = l.Units[s].Of(b.Builder, n)
	if guard != nil && other != 0 {
		n = b.Select(guard, n, b.Const(base, other))
	}
	return n
}

// inPlace computes a producer where it is read. Outside the guard its definition must not see an index out of range, so
// indices that may be are moved to 0 there.
func (l *KernelBuilder) inPlace(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	b := l.Body
	if guard == nil || guard.IsConst(1) {
		return l.g.rounded(b.Builder, s, l.define(s, index))
	}
	safe := make([]*ir.Node, len(index))
	dims := l.g.Type(s).Dims // as it is seen
	for i, n := range index {
		if safe[i] = n; !l.always(dimIndex{n, region.Interval{Hi: dims[i].Size}}) {
			safe[i] = b.Select(guard, n, b.Int(n.Type, 0))
		}
	}
	e := l.g.rounded(b.Builder, s, l.define(s, safe))
	e.Re = b.Select(guard, e.Re, b.Const(e.Re.Type, other))
	if e.Im != nil {
		e.Im = b.Select(guard, e.Im, b.Const(e.Im.Type, 0))
	}
	return e
}

// Axes makes a parallel axis for every dim.
func (l *KernelBuilder) Axes(dims []ops.Dim) []*ir.Node {
	out := make([]*ir.Node, len(dims))
	for i, d := range dims {
		out[i] = l.Body.Axis(d.Name, d.Size)
	}
	return out
}

// Stores builds what a kernel over a stage's axes stores of it, into bufs.
func (l *KernelBuilder) Stores(s *ops.Stage, bufs []*ir.Buffer, axes []*ir.Node) []ir.Store {
	if s.Put != nil {
		return l.puts(s, bufs, axes)
	}
	return l.Defined(s, bufs, axes)
}

// puts builds what the turns of folds store, once.
func (l *KernelBuilder) puts(s *ops.Stage, bufs []*ir.Buffer, axes []*ir.Node) (out []ir.Store) {
	if known, ok := l.put[s]; ok {
		return known
	}
	l.at = append(l.at, Placement{s, axes})
	l.g.Lowered++
	for _, w := range s.Put.Writes(l.Body, axes) {
		for _, st := range stores(l.Body, bufs, w.Value, w.At) {
			st.In, st.Guard, st.Adds = w.In, w.Where, w.Adds
			out = append(out, st)
		}
	}
	l.at = l.at[:len(l.at)-1]
	l.Placed = append(l.Placed, Placement{s, axes})
	l.put[s] = out
	return out
}

// Defined builds the stores of a stage's elements by their definition, at points.
func (l *KernelBuilder) Defined(s *ops.Stage, bufs []*ir.Buffer, axes []*ir.Node) []ir.Store {
	return stores(l.Body, bufs, l.define(s, axes), axes)
}

// Near builds the stores of a stage's elements from inputs near what its definition finds; begin is called between the two.
func (l *KernelBuilder) Near(s *ops.Stage, bufs []*ir.Buffer, axes []*ir.Node, begin func()) []ir.Store {
	found := l.define(s, axes)
	begin()
	l.at = append(l.at, Placement{s, axes})
	e := s.Near(l.Body, l.g.Views[s].defined(l.Body, axes), found)
	l.at = l.at[:len(l.at)-1]
	return stores(l.Body, bufs, e, axes)
}

// stores writes an element to a stage's buffers.
func stores(b *ops.Body, bufs []*ir.Buffer, e ops.Elem, index []*ir.Node) (out []ir.Store) {
	parts := e.Parts()
	for i, v := range parts {
		buf, at := partAt(b, bufs, len(parts), i, index)
		out = append(out, ir.Store{Buf: buf, Index: at, Value: v})
	}
	return out
}

// Exact reports whether there is a definition among those built that must not be contracted.
func (l *KernelBuilder) Exact() bool {
	return slices.ContainsFunc(l.Placed, func(p Placement) bool { return p.Stage.Exact })
}

// tooLarge is what a lowering is given up with.
type tooLarge struct{}

// Try is KernelOf, unless the kernel binds more than Most variables.
func (l *KernelBuilder) Try(stages ...*ops.Stage) (k *ir.Kernel, ok bool) {
	ok = Fits(func() { k = l.KernelOf(stages...) })
	return k, ok
}

// Fits reports whether what is built binds no more than Most variables, and no more than a kernel can.
func Fits(build func()) (ok bool) {
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case tooLarge{}, ir.TooManyBinders:
			ok = false
		default:
			panic(fault)
		}
	}()
	build()
	return true
}

// KernelOf builds the kernel that stores one stage, or several over the same axes.
func (l *KernelBuilder) KernelOf(stages ...*ops.Stage) *ir.Kernel {
	s := stages[0]
	k := &ir.Kernel{Name: s.Name, Axes: l.Axes(l.g.Axes(s)), Whole: l.g.Holds(s)}
	for _, s := range stages {
		k.Stores = append(k.Stores, l.Stores(s, l.g.Buffers(s), k.Axes)...)
	}
	k.Contract = !l.Exact()
	return subst.Along(k)
}

// unproven is what remains of a guard of a load when conjuncts go that keep an index in its dim where it always lies there; nil if
// nothing does. Of two for an index both go or none: padding makes both needless.
func (l *KernelBuilder) unproven(guard *ir.Node, index []*ir.Node, s *ops.Stage) *ir.Node {
	t, box := l.g.Type(s), l.g.Views[s].Box
	if box == nil {
		box = region.Whole(t.Shape()...)
	}
	var rest *ir.Node
	for _, c := range ir.Conjuncts(guard, nil) {
		proven := false
		for i, x := range index {
			size := t.Dims[i].Size
			proven = proven || (ir.IsLower(c, x) || ir.IsUpper(c, x, int64(size))) && l.always(dimIndex{x, box[i]})
		}
		switch {
		case proven:
		case rest == nil:
			rest = c
		default:
			rest = l.Body.And(rest, c)
		}
	}
	return rest
}

// dimIndex is an index, less where the dim starts, into a dim.
type dimIndex struct {
	x   *ir.Node
	dim region.Interval
}

// always reports whether an index lies in its dim whatever the point.
func (l *KernelBuilder) always(at dimIndex) bool {
	if known, ok := l.inside[at]; ok {
		return known
	}
	lo, hi, ok := ir.SureRange(at.x, nil)
	if bounds.FromFloats(at.x) {
		lo, hi = bounds.Slackened(lo, hi, at.dim.Lo)
	}
	if l.inside == nil {
		l.inside = map[dimIndex]bool{}
	}
	l.inside[at] = ok && lo >= 0 && hi < float64(at.dim.Hi-at.dim.Lo)
	return l.inside[at]
}
