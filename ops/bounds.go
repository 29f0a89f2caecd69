package ops

import (
	"math"

	"weft/kernels/ir"
)

// Bounds are the least and the greatest value that elements of an array can have, by interval arithmetic over its definition, and whether one
// may be NaN besides. ok is false where they are not known.
func Bounds(a Array) (lo, hi float64, nan, ok bool) {
	p := newProver()
	e := p.element(a)
	if p.lost || e.Im != nil {
		return 0, 0, true, false
	}
	if e.Re.Type.Float() { // where it may be NaN, a whole number made of it may be any
		_, _, sure := ir.SureRange(p.body.Cast(ir.I32, e.Re), p.loaded)
		nan = !sure
	}
	lo, hi, ok = ir.RangeOf(e.Re, p.loaded)
	return lo, hi, nan, ok
}

// Leaves32 reports whether what make builds of elements of arrays, in 64 bits, may leave the whole numbers of 32 bits, as far as the text and the
// types of the arrays tell: no file is read. Nothing is known, and so nothing is said, of a state that is carried and of what a loop comes to.
func Leaves32(arrays []Array, make func(b *Body, x []Elem) Elem) bool {
	p := newProver()
	var x []Elem
	for _, a := range arrays {
		x = append(x, Real(p.body.Cast(ir.I64, p.element(a).Re)))
	}
	if p.lost {
		return false
	}
	known := true
	var at func(n *ir.Node) (lo, hi float64, ok bool)
	at = func(n *ir.Node) (lo, hi float64, ok bool) {
		from, source := p.sources[n.Buf]
		if n.Kind != ir.KLoad || !source || from.Of == nil { // nil: a table
			return 0, 0, false
		}
		c, carried := from.Of.Bound.(Carried)
		if known = known && (!carried || c.Of != nil); c.Of == nil {
			return 0, 0, false
		}
		return ir.RangeOf(p.element(*c.Of).Re, at)
	}
	e := make(p.body, x).Re
	rangeOf := ir.RangesWhere(nil, at)
	lo, hi, _ := rangeOf(e)
	ir.WalkNodes([]*ir.Node{e}, func(n *ir.Node) {
		if n.Kind == ir.KGet && n.Type == ir.I32 {
			least, most, _ := rangeOf(n)
			known = known && (least > math.MinInt32 || most < math.MaxInt32)
		}
	})
	return known && !p.lost && (lo < math.MinInt32 || hi > math.MaxInt32)
}

// mostReads is how many elements of other arrays are followed, mostLoops how many loops and axes: of what is read beyond them nothing is known.
const (
	mostReads = 5000
	mostLoops = ir.MaxBinders / 4
)

// prover builds an element out of all that it is made from.
type prover struct {
	body    *Body
	stages  map[*Instance][]*Stage
	sources map[*ir.Buffer]Array
	reads   int
	lost    bool // something has no definition that could be followed
}

func newProver() *prover {
	p := &prover{stages: map[*Instance][]*Stage{}, sources: map[*ir.Buffer]Array{}}
	p.body = &Body{Builder: ir.NewBuilder(), Read: p.read, Stored: func(s *Stage) []*ir.Buffer {
		p.lost = true
		return s.Type.Buffers(s.Name)
	}}
	return p
}

// element is that of an array at axes called by its dims.
func (p *prover) element(a Array) Elem {
	s := p.stage(a)
	index := make([]*ir.Node, len(s.Type.Dims))
	for i, d := range s.Type.Dims {
		index[i] = p.body.Axis(d.Name, d.Size)
	}
	return p.read(s, nil, 0, index)
}

func (p *prover) stage(a Array) *Stage {
	if p.stages[a.Of] == nil {
		if low, ok := a.Of.Bound.(Lowerer); ok {
			p.stages[a.Of] = low.Lower(NewLowering(a.Of, p.stage))
		} else {
			for i, o := range a.Of.Out {
				p.stages[a.Of] = append(p.stages[a.Of], &Stage{Name: o.Name, Type: o.Type, Op: a.Of, Out: i, Source: true})
			}
		}
	}
	return p.stages[a.Of][a.Out]
}

// inlined owns what is built of a stage at an index.
type inlined struct{ *Stage }

func (p *prover) read(s *Stage, guard *ir.Node, other float64, index []*ir.Node) Elem {
	b := p.body
	if p.reads++; p.reads > mostReads || s.Type.Format != nil {
		p.lost = true
	}
	if p.lost {
		return Elem{Re: b.Const(s.Type.Elem.Base.Compute(), 0)}
	}
	if guard != nil {
		safe := make([]*ir.Node, len(index))
		for i, n := range index {
			safe[i] = b.Select(guard, n, b.Int(n.Type, 0))
		}
		x := p.read(s, nil, 0, safe)
		return CSelect(b, guard, x, Real(b.Const(x.Re.Type, other)))
	}
	return ElemOf(b.Once(inlined{s}, index, func() []*ir.Node {
		told := p.told(s)
		if s.Elem != nil && told.Of == nil && b.Binders() < mostLoops {
			return s.Elem(b, index).Parts()
		}
		var parts []*ir.Node
		for _, buf := range s.Type.Buffers(s.Name) {
			buf.Facts = s.Facts
			if s.Source && s.Op != nil {
				told = Array{Of: s.Op, Out: s.Out}
			}
			if told.Of != nil {
				p.sources[buf] = told
			}
			parts = append(parts, b.Cast(buf.Type.Compute(), b.Load(buf, index...)))
		}
		return parts
	}))
}

// told is the output that a stage is, where its operator tells of what lies in it more than its definition would.
func (p *prover) told(s *Stage) (a Array) {
	if s.Op == nil || s.Source {
		return a
	}
	for i, o := range s.Op.Out {
		of := Array{Of: s.Op, Out: i}
		if _, _, ok := RangeOf(of); ok && s.Name == StageName(s.Op, o.Name) {
			return of
		}
	}
	return a
}

// loaded bounds what is read of a source.
func (p *prover) loaded(n *ir.Node) (lo, hi float64, ok bool) {
	if n.Kind != ir.KLoad {
		return 0, 0, false
	}
	a, source := p.sources[n.Buf]
	if !source {
		return 0, 0, false
	}
	return RangeOf(a)
}
