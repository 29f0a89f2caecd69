package ops

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Bounds are the least and the greatest value that elements of an array can have, by interval arithmetic over its definition, and whether one
// may be NaN besides. ok is false where they are not known.
func Bounds(a Array) (lo, hi float64, nan, ok bool) {
	w := boundsOf(a, asked{a.Out, true, mostReads})
	return w.lo, w.hi, w.nan, w.known
}

// BoundsWithin are Bounds, or wider ones that are within some ends: mostly what each array is by itself tells that much.
func BoundsWithin(a Array, least, most float64) (lo, hi float64, nan, ok bool) {
	if w := boundsOf(a, asked{a.Out, false, itself}); w.known && !w.nan && !w.unsure && least <= w.lo && w.hi <= most {
		return w.lo, w.hi, false, true
	}
	return Bounds(a)
}

// Leaves32 reports whether what make builds of elements of arrays, in 64 bits, may leave the whole numbers of 32 bits, as far as the text and the
// types of the arrays tell: no file is read. Nothing is known, and so nothing is said, of a state that is carried and of what a loop comes to.
// Mostly the bounds of each array tell enough, which are found once; else what the arrays have in common is followed.
func Leaves32(arrays []Array, make func(b *Body, x []Elem) Elem) bool {
	return leaves32(itself, arrays, make) && leaves32(mostReads, arrays, make)
}

func leaves32(follow int, arrays []Array, make func(b *Body, x []Elem) Elem) bool {
	p := newProver(false, follow)
	var x []Elem
	for _, a := range arrays {
		x = append(x, Real(p.body.Cast(ir.I64, p.element(a).Re)))
	}
	if p.lost {
		return follow == itself
	}
	e := make(p.body, x).Re
	w := p.bounds(e)
	return (follow == itself || !w.open && !p.lost) && (w.lo < math.MinInt32 || w.hi > math.MaxInt32)
}

// mostReads is how many elements of other arrays are followed at most (itself: none), and mostLoops how many loops and axes: of arrays that are read beyond them all
// that is known is their own bounds. Where a definition alone reads so much more that no array ends it, nothing is known.
const (
	itself    = 1
	mostReads = 60
	allReads  = 5000
	mostLoops = ir.KernelBinders / 4
)

// prover builds an element out of what it is made from.
type prover struct {
	files   bool // are looked at for what lies in them
	follow  int  // so many reads of other arrays, and no more
	body    *Body
	sources map[*ir.Buffer]Array
	reads   int
	lost    bool // something has no definition that could be followed
	open    bool // so is what its bounds say: something is a state, or what a loop comes to, of which nothing is known
}

func newProver(files bool, follow int) *prover {
	p := &prover{files: files, follow: follow, sources: map[*ir.Buffer]Array{}}
	p.body = &Body{Builder: ir.NewBuilder(), Read: p.read, Stored: func(s *Stage) []*ir.Buffer {
		p.lost = true
		return s.Type.Buffers(s.Name)
	}}
	return p
}

// within is what is known of the elements of an array.
type within struct {
	lo, hi     float64
	nan, known bool
	open       bool // nothing is to be said where the bounds are wide: see prover
	unsure     bool // a NaN may have become a whole number in it, which can then be any
}

// boundsOf are found once for each array.
func boundsOf(a Array, how asked) within {
	return a.Of.definition().bounds(how, func() within {
		p := newProver(how.files, how.follow)
		e := p.element(a)
		if p.lost || e.Im != nil {
			return within{nan: true, open: true, unsure: true}
		}
		return p.bounds(e.Re)
	})
}

// bounds are those of what was built.
func (p *prover) bounds(e *ir.Node) (w within) {
	rangeOf := ir.RangesWhere(nil, p.loaded)
	w.lo, w.hi, w.known = rangeOf(e)
	whole := e
	if e.Type.Float() { // where it may be NaN, a whole number made of it may be any
		whole = p.body.Cast(ir.I32, e)
	}
	_, _, sure := ir.SureRange(whole, p.loaded)
	w.unsure = !sure
	w.nan = w.unsure && e.Type.Float()
	ir.WalkNodes([]*ir.Node{e}, func(n *ir.Node) {
		if n.Kind == ir.KGet && n.Type == ir.I32 {
			least, most, _ := rangeOf(n)
			p.open = p.open || least <= math.MinInt32 && most >= math.MaxInt32
		}
	})
	w.open = p.open
	return w
}

// element is that of an array at axes called by its dims.
func (p *prover) element(a Array) Elem {
	s := a.defined()
	index := make([]*ir.Node, len(s.Type.Dims))
	for i, d := range s.Type.Dims {
		index[i] = p.body.Axis(d.Name, d.Size)
	}
	return p.read(s, nil, 0, index)
}

// inlined owns what is built of a stage at an index.
type inlined struct{ *Stage }

func (p *prover) read(s *Stage, guard *ir.Node, other float64, index []*ir.Node) Elem {
	b := p.body
	if p.reads++; p.reads > allReads || s.Type.Format != nil {
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
		of, output := s.output()
		told := s.Source && s.Op != nil
		if output && !s.Source {
			_, _, told = RangeOf(of) // more than its definition would
		}
		far := p.reads > p.follow && output || b.Binders() >= mostLoops
		if s.Elem != nil && !told && !far {
			return s.Elem(b, index).Parts()
		}
		var parts []*ir.Node
		for _, buf := range s.Type.Buffers(s.Name) {
			buf.Facts = s.Facts
			switch {
			case told:
				p.sources[buf] = of
			case s.Elem != nil && output:
				p.outside(buf, of)
			}
			parts = append(parts, b.Cast(buf.Type.Compute(), b.Load(buf, index...)))
		}
		return parts
	}))
}

// outside tells of a buffer what is known of the array that it stands for.
func (p *prover) outside(buf *ir.Buffer, a Array) {
	w := boundsOf(a, asked{a.Out, p.files, p.follow})
	p.open = p.open || w.open
	buf.Type = buf.Type.Compute()
	if buf.Type.Float() || !w.unsure {
		buf.Facts.Within = &ir.Interval{Lo: w.lo, Hi: w.hi, NaN: w.nan}
	}
}

// output is the output of its operator that a stage is; ok is false where it is one within, or of no operator.
func (s *Stage) output() (a Array, ok bool) {
	if s.Op == nil {
		return a, false
	}
	if s.Source {
		return Array{Of: s.Op, Out: s.Out}, true
	}
	i := slices.IndexFunc(s.Op.Out, func(o Output) bool { return s.Name == StageName(s.Op, o.Name) })
	return Array{Of: s.Op, Out: i}, i >= 0
}

// loaded bounds what is read of a source.
func (p *prover) loaded(n *ir.Node) (lo, hi float64, ok bool) {
	if n.Kind != ir.KLoad {
		return 0, 0, false
	}
	a, source := p.sources[n.Buf]
	if !source || p.files {
		if source {
			return RangeOf(a)
		}
		return 0, 0, false
	}
	c, carried := a.Of.Bound.(Carried)
	if p.open = p.open || carried && c.Of == nil; c.Of == nil {
		return 0, 0, false
	}
	return ir.RangeOf(p.element(*c.Of).Re, p.loaded)
}
