// Package moved says which values of points some steps apart are the same: what a point loads of its neighbours, those load of it.
package moved

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// Values numbers values of points: equal numbers stand for what is the same. It is for one goroutine.
type Values struct {
	numbers map[string]int
	points  int
}

// NewValues returns an empty Values.
func NewValues() *Values { return &Values{numbers: map[string]int{}} }

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
	x, ok := p.in.numbers[key]
	if !ok {
		x = len(p.in.numbers)
		p.in.numbers[key] = x
	}
	p.memo[n] = x
	return x
}

func (p *Point) key(n *ir.Node) string {
	switch n.Kind {
	case ir.KAxis, ir.KAlu:
		if n.Type.Int() && (n.Kind == ir.KAlu || n.Role == ir.RoleParallel) {
			if key, ok := p.sum(n); ok {
				return key
			}
		}
		if n.Kind == ir.KAlu {
			return p.list(fmt.Sprint(n.Op, n.Type), n.Args)
		}
	case ir.KConst:
		return fmt.Sprint("const", n.Type, n.F, n.I)
	case ir.KLoad:
		return p.list(fmt.Sprintf("load %p %v", n.Buf, n.Guarded), n.Args)
	}
	if p.differ(n) {
		return fmt.Sprint("own", n.ID(), p.number)
	}
	return fmt.Sprint("node", n.ID())
}

func (p *Point) list(key string, args []*ir.Node) string {
	for _, a := range args {
		key += fmt.Sprint(" ", p.Of(a))
	}
	return key
}

// sum is an integer as a sum of others; ok is false for one that is none.
func (p *Point) sum(n *ir.Node) (key string, ok bool) {
	var l ir.Linear
	l.Add(n, 1)
	c, terms := l.C, []string(nil)
	for _, t := range l.Terms {
		switch by, known := p.along(t.N); {
		case t.Coef == 0:
		case known:
			c += t.Coef * by
			terms = append(terms, fmt.Sprint("axis", t.N.ID(), "*", t.Coef))
		case t.N == n:
			return "", false
		default:
			terms = append(terms, fmt.Sprint(p.Of(t.N), "*", t.Coef))
		}
	}
	slices.Sort(terms)
	return fmt.Sprint("sum", n.Type, c, strings.Join(terms, " ")), true
}

// along is how many steps there are along what is an axis.
func (p *Point) along(n *ir.Node) (steps int64, known bool) {
	if n.Kind != ir.KAxis || n.Role != ir.RoleParallel {
		return 0, false
	}
	return p.steps(n)
}
