// Package moved says which values of points some steps apart are the same: what a point loads of its neighbours, those load of it.
package moved

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"weft/kernels/ir"
)

// Values numbers values of points: equal numbers stand for what is the same. It is for one goroutine.
type Values struct {
	numbers map[string]int // by what they are made of, as bytes
	buffers map[*ir.Buffer]int
	sums    map[*ir.Node]ir.Linear // are those of all points
	points  int

	room  []byte // for the key of one value, and its terms
	terms []term
}

// NewValues returns an empty Values.
func NewValues() *Values {
	return &Values{numbers: map[string]int{}, buffers: map[*ir.Buffer]int{}, sums: map[*ir.Node]ir.Linear{}}
}

// buffer is the number of an array.
func (v *Values) buffer(b *ir.Buffer) int {
	x, ok := v.buffers[b]
	if !ok {
		x = len(v.buffers)
		v.buffers[b] = x
	}
	return x
}

// linear is an integer as a sum, found once for all points.
func (v *Values) linear(n *ir.Node) ir.Linear {
	l, ok := v.sums[n]
	if !ok {
		l.Add(n, 1)
		v.sums[n] = l
	}
	return l
}

// Point is a point some steps from the one that values are told of.
type Point struct {
	in     *Values
	number int
	steps  func(axis *ir.Node) (n int64, known bool)
	differ func(n *ir.Node) bool
	memo   map[*ir.Node]int
}

// Point is the point so many steps along each axis from that at hand. differ tells which values are not known to be those of other points; nil: what depends on
// axes and is no arithmetic of them.
func (v *Values) Point(steps func(axis *ir.Node) (n int64, known bool), differ func(n *ir.Node) bool) *Point {
	v.points++
	return &Point{in: v, number: v.points, steps: steps, differ: differ, memo: map[*ir.Node]int{}}
}

// Of is the number of a value at the point.
func (p *Point) Of(n *ir.Node) int {
	if x, ok := p.memo[n]; ok {
		return x
	}
	key := p.key(n)
	p.in.room = key
	x, ok := p.in.numbers[string(key)]
	if !ok {
		x = len(p.in.numbers)
		p.in.numbers[string(key)] = x
	}
	p.memo[n] = x
	return x
}

// What keys begin with: what kind of value they tell of.
const (
	ofConst = iota
	ofAlu
	ofLoad
	ofGuarded
	ofSum
	ofOwn
	ofNode
)

// key is what a value is made of, from which no other value's is the same.
func (p *Point) key(n *ir.Node) []byte {
	switch n.Kind {
	case ir.KAxis, ir.KAlu:
		if n.Type.Int() && (n.Kind == ir.KAlu || n.Role == ir.RoleParallel) {
			if key, ok := p.sum(n); ok {
				return key
			}
		}
		if n.Kind == ir.KAlu {
			return p.list(n.Args, ofAlu, int64(n.Op), int64(n.Type))
		}
	case ir.KConst:
		return binary.LittleEndian.AppendUint64(p.begin(ofConst, int64(n.Type), n.I), math.Float64bits(n.F))
	case ir.KLoad:
		kind := byte(ofLoad)
		if n.Guarded {
			kind = ofGuarded
		}
		return p.list(n.Args, kind, int64(p.in.buffer(n.Buf)))
	}
	if p.differ(n) {
		return p.begin(ofOwn, int64(n.ID()), int64(p.number))
	}
	return p.begin(ofNode, int64(n.ID()))
}

// begin begins a key, in the room of the one before.
func (p *Point) begin(kind byte, numbers ...int64) []byte {
	key := append(p.in.room[:0], kind)
	for _, i := range numbers {
		key = binary.AppendVarint(key, i)
	}
	return key
}

// list is a key that ends with the numbers of operands.
func (p *Point) list(args []*ir.Node, kind byte, numbers ...int64) []byte {
	for _, a := range args { // which need the room
		p.Of(a)
	}
	key := p.begin(kind, numbers...)
	for _, a := range args {
		key = binary.AppendVarint(key, int64(p.Of(a)))
	}
	return key
}

// term is an axis by its number, or another value by its own, so many times.
type term struct {
	axis     bool
	of, coef int64
}

func inOrder(a, b term) int {
	switch {
	case a.axis != b.axis && a.axis:
		return -1
	case a.axis != b.axis:
		return 1
	}
	return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.coef, b.coef))
}

// sum is the key of an integer as a sum of others; ok is false for one that is none.
func (p *Point) sum(n *ir.Node) (key []byte, ok bool) {
	l := p.in.linear(n)
	for _, t := range l.Terms { // which need the room
		if _, known := p.along(t.N); known || t.Coef == 0 {
			continue
		}
		if t.N == n {
			return nil, false
		}
		p.Of(t.N)
	}
	c, terms := l.C, p.in.terms[:0]
	for _, t := range l.Terms {
		switch by, known := p.along(t.N); {
		case t.Coef == 0:
		case known:
			c += t.Coef * by
			terms = append(terms, term{true, int64(t.N.ID()), t.Coef})
		default:
			terms = append(terms, term{false, int64(p.Of(t.N)), t.Coef})
		}
	}
	p.in.terms = terms
	slices.SortFunc(terms, inOrder)
	key = p.begin(ofSum, int64(n.Type), c)
	for _, t := range terms {
		kind := byte(0)
		if t.axis {
			kind = 1
		}
		key = binary.AppendVarint(binary.AppendVarint(append(key, kind), t.of), t.coef)
	}
	return key, true
}

// along is how many steps there are along what is an axis.
func (p *Point) along(n *ir.Node) (steps int64, known bool) {
	if n.Kind != ir.KAxis || n.Role != ir.RoleParallel {
		return 0, false
	}
	return p.steps(n)
}
