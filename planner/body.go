package planner

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
)

// reader decides how a consumer reads a producer: nil means compute in place, a buffer means load.
type reader func(producer, consumer *ops.Stage) *ir.Buffer

// lowerer builds kernels out of stages.
type lowerer struct {
	body *ops.Body
	read reader
	at   []frame // definitions being built, innermost last
	memo map[memoKey]ops.Elem
	// elsewhere holds the pairs {producer, consumer} with a read at another index than the consumer's own.
	elsewhere map[[2]*ops.Stage]bool
	// inPlaceAt holds, for stages computed in place, the element at each index they were computed at.
	placed []placement
	// proves leaves out guards of loads that always hold.
	proves bool
	inside map[dimIndex]bool // memo
	// scales are what one unit is worth of arrays stored as integers.
	scales map[*ops.Stage]float64
}

type frame struct {
	stage *ops.Stage
	index []*ir.Node
}

type placement struct {
	frame
	elem ops.Elem
}

type memoKey struct {
	stage *ops.Stage
	index string
}

func newLowerer(read reader) *lowerer {
	l := &lowerer{read: read, memo: map[memoKey]ops.Elem{}, elsewhere: map[[2]*ops.Stage]bool{}}
	l.body = &ops.Body{Builder: ir.NewBuilder(), Read: l.readStage}
	return l
}

// define builds the stage's element at index, as seen from within its own definition.
func (l *lowerer) define(s *ops.Stage, index []*ir.Node) ops.Elem {
	k := memoKey{stage: s, index: indexKey(index)}
	if e, ok := l.memo[k]; ok {
		return e
	}
	f := frame{s, index}
	l.at = append(l.at, f)
	e := s.Elem(l.body, index)
	l.at = l.at[:len(l.at)-1]
	l.memo[k] = e
	l.placed = append(l.placed, placement{f, e})
	return e
}

func (l *lowerer) readStage(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	if len(index) != len(s.Type.Dims) {
		panic(fmt.Sprintf("planner: %s has %d dims, read with %d indices", s.Name, len(s.Type.Dims), len(index)))
	}
	consumer := l.at[len(l.at)-1]
	if guard != nil || !slices.Equal(index, consumer.index) {
		l.elsewhere[[2]*ops.Stage{s, consumer.stage}] = true
	}
	buf := l.read(s, consumer.stage)
	b := l.body
	if l.proves && buf != nil && guard != nil {
		guard = l.unproven(guard, index, s)
	}
	if buf == nil {
		return l.inPlace(s, guard, other, index)
	}
	if !s.Type.Elem.Complex {
		return ops.Real(l.load(s, buf, guard, other, index))
	}
	plane := func(i int) *ir.Node {
		return l.load(s, buf, guard, other, append([]*ir.Node{b.I32(i)}, index...))
	}
	return ops.Elem{Re: plane(0), Im: plane(1)}
}

// load reads an element of a stage in the type it computes in, however it is stored.
func (l *lowerer) load(s *ops.Stage, buf *ir.Buffer, guard *ir.Node, other float64, index []*ir.Node) *ir.Node {
	b, typ, base := l.body, buf.Type.Compute(), s.Type.Elem.Base.Compute()
	counted := typ.Int() && base.Float()
	v := b.Load
	if guard != nil {
		outside := b.Const(typ, other)
		if counted {
			outside = b.Const(typ, retype.Middle)
		}
		v = func(buf *ir.Buffer, index ...*ir.Node) *ir.Node { return b.LoadOr(buf, guard, outside, index...) }
	}
	n := b.Cast(base, v(buf, index...))
	if !counted {
		return n
	}
	n = b.Mul(b.Sub(n, b.Const(base, retype.Middle)), b.Const(base, l.scales[s]))
	if guard != nil && other != 0 {
		n = b.Select(guard, n, b.Const(base, other))
	}
	return n
}

// inPlace computes a producer where it is read. Outside the guard its definition must not see an index out of range, so
// indices are moved to 0 there.
func (l *lowerer) inPlace(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	if guard == nil || guard.IsConst(1) {
		return l.define(s, index)
	}
	b := l.body
	safe := make([]*ir.Node, len(index))
	for i, n := range index {
		safe[i] = b.Select(guard, n, b.Int(n.Type, 0))
	}
	e := l.define(s, safe)
	e.Re = b.Select(guard, e.Re, b.Const(e.Re.Type, other))
	if e.Im != nil {
		e.Im = b.Select(guard, e.Im, b.Const(e.Im.Type, 0))
	}
	return e
}

func indexKey(index []*ir.Node) string {
	k := make([]byte, 0, 8*len(index))
	for _, n := range index {
		k = fmt.Appendf(k, "%d,", n.ID())
	}
	return string(k)
}

// axes makes a parallel axis for every dim.
func (l *lowerer) axes(dims []ops.Dim) []*ir.Node {
	out := make([]*ir.Node, len(dims))
	for i, d := range dims {
		out[i] = l.body.Axis(d.Name, d.Size)
	}
	return out
}

// storesOf builds what a kernel over a stage's axes stores of it, into buf.
func (l *lowerer) storesOf(s *ops.Stage, buf *ir.Buffer, axes []*ir.Node) []ir.Store {
	if !s.Unrolled {
		return l.stores(buf, l.define(s, axes), axes)
	}
	var out []ir.Store
	for i := range s.Type.Dims[len(s.Type.Dims)-1].Size {
		index := append(axes[:len(axes):len(axes)], l.body.I32(i))
		out = append(out, l.stores(buf, l.define(s, index), index)...)
	}
	return out
}

// stores writes an element to a stage's buffer.
func (l *lowerer) stores(buf *ir.Buffer, e ops.Elem, index []*ir.Node) []ir.Store {
	if e.Im == nil {
		return []ir.Store{{Buf: buf, Index: index, Value: e.Re}}
	}
	at := func(i int) []*ir.Node { return append([]*ir.Node{l.body.I32(i)}, index...) }
	return []ir.Store{{Buf: buf, Index: at(0), Value: e.Re}, {Buf: buf, Index: at(1), Value: e.Im}}
}

// exact reports a definition among those built that must not be contracted.
func (l *lowerer) exact() bool {
	return slices.ContainsFunc(l.placed, func(p placement) bool { return p.stage.Exact })
}

// bufferOf lays a stage's array out.
func bufferOf(s *ops.Stage, name string) *ir.Buffer {
	shape := s.Type.Shape()
	if s.Type.Elem.Complex {
		shape = append([]int{2}, shape...)
	}
	return &ir.Buffer{Name: name, Type: s.Type.Elem.Base, Shape: shape, Facts: s.Facts}
}
