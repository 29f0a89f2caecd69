// Package model estimates values of kernels at single points from what is known of their data.
package model

import (
	"math"

	"weft/kernels/ir"
)

// Values are those of nodes at a point, computed from what is known of the data while rendering: elements of a buffer with facts
// are taken to run evenly from one end of their range to the other where their slope leaves no other course, and to wander
// within it otherwise; of long folds a few iterations stand for all. It serves estimates only. NaN: not known.
type Values struct {
	at      map[*ir.Node]float64 // axes, indices of folds and accumulators
	memo    map[*ir.Node]known
	clock   int                // counts moves
	changed [ir.MaxBinders]int // when a binder last did
}

// known is a value, or a fold's, and when it was computed.
type known struct {
	x    float64
	accs []float64
	when int
}

// New knows no point yet.
func New() *Values { return &Values{at: map[*ir.Node]float64{}, memo: map[*ir.Node]known{}} }

// Set moves to another point.
func (m *Values) Set(n *ir.Node, x float64) {
	m.at[n] = x
	m.clock++
	for b := range n.Bind().Members() {
		m.changed[b] = m.clock
	}
}

// recall is what is known of a node at this point.
func (m *Values) recall(n *ir.Node) (k known, ok bool) {
	if k, ok = m.memo[n]; ok {
		for b := range n.Free().Members() {
			ok = ok && m.changed[b] <= k.when
		}
	}
	return k, ok
}

// At is where a point lies along an axis.
func (m *Values) At(axis *ir.Node) float64 { return m.at[axis] }

// Value is an estimate of a node's; NaN if nothing is known of it.
func (m *Values) Value(n *ir.Node) float64 {
	switch {
	case n.Kind == ir.KConst && n.Type.Float():
		return n.F
	case n.Kind == ir.KConst:
		return float64(n.I)
	case n.Kind == ir.KAxis:
		if x, ok := m.at[n]; ok {
			return x
		}
		return math.NaN()
	}
	if k, ok := m.recall(n); ok {
		return k.x
	}
	x := m.compute(n)
	m.memo[n] = known{x: x, when: m.clock}
	return x
}

func (m *Values) compute(n *ir.Node) float64 {
	switch n.Kind {
	case ir.KGet:
		return m.fold(n.Fold)[n.I]
	case ir.KLoad:
		return m.load(n)
	case ir.KAlu:
		return m.alu(n)
	}
	return math.NaN()
}

// alu goes by the table of operations, rounding apart; whole numbers run on evenly too.
func (m *Values) alu(n *ir.Node) float64 {
	info := n.Op.Info()
	var a [3]float64
	unknown := false
	for i, x := range n.Args {
		a[i] = m.Value(x)
		unknown = unknown || math.IsNaN(a[i])
	}
	switch {
	case n.Op == ir.Select && !math.IsNaN(a[0]):
		return info.Float(a)
	case unknown && (info.Gives != ir.Truth || info.Takes == ir.Bools):
		return math.NaN()
	case info.Gives == ir.Whole:
		return a[0]
	case info.Float != nil:
		return info.Float(a)
	}
	return float64(info.Int([3]int64{int64(a[0]), int64(a[1]), int64(a[2])}))
}

// few is how many iterations of a fold stand for all.
const few = 5

func (m *Values) fold(f *ir.Fold) []float64 {
	if k, ok := m.recall(f.Node); ok {
		return k.accs
	}
	acc := make([]float64, len(f.Accs))
	lo, hi := m.Value(f.Lo), m.Value(f.Hi)
	unknown := math.IsNaN(lo+hi) || f.While != nil || f.Monoid == ir.Ordered
	for q, x := range f.Init {
		acc[q] = m.Value(x)
		if unknown {
			acc[q] = math.NaN()
		}
	}
	if !unknown {
		n := min(hi-lo, few)
		for i := range int(n) {
			m.Set(f.Index, math.Floor(lo+(hi-lo-1)*float64(i)/max(1, n-1)))
			next := make([]float64, len(acc))
			for q, a := range f.Accs {
				m.Set(a, acc[q])
			}
			for q, x := range f.Step {
				next[q] = m.Value(x)
			}
			acc = next
		}
	}
	m.memo[f.Node] = known{accs: acc, when: m.clock}
	return acc
}

func (m *Values) load(n *ir.Node) float64 {
	d := n.Buf.Facts.Data
	if d == nil || len(n.Buf.Shape) == 0 {
		return math.NaN()
	}
	i, rows := 0.0, 0.0
	for _, x := range n.Index() {
		rows, i = rows+i, m.Value(x)
	}
	last := float64(max(1, n.Buf.Shape[len(n.Buf.Shape)-1]-1))
	size := d.Most - d.Least
	switch monotone := d.Slope*last < 2*size; {
	case n.Buf.Facts.Mono == -1:
		return d.Most - size*i/last
	case monotone || n.Buf.Facts.Mono == 1:
		return d.Least + size*i/last
	case 4*d.Slope < size: // there and back
		_, turn := math.Modf(i * d.Slope / (2 * size))
		return d.Least + size*(1-math.Abs(2*turn-1))
	}
	_, any := math.Modf(i*0.6180339887 + rows*0.7548776662)
	return d.Least + size*any
}
