package sums

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/ir/rules"
)

// Values that are dear are computed once where a sum goes through neighbours in turns of a loop, and handed on, also from block to block; the result has
// the bits it had. Cheap ones are not, nor those of sums whose turns are lanes, nor those that differ from turn to turn.
func TestCarry(t *testing.T) {
	const points, columns, reach = 90, 4, 5
	rows := &ir.Buffer{Name: "rows", Type: ir.F32, Shape: []int{points, columns}}
	line := &ir.Buffer{Name: "line", Type: ir.F32, Shape: []int{points * columns}}
	weights := &ir.Buffer{Name: "weights", Type: ir.F32, Shape: []int{2*reach + 1}}
	data := make([]float64, points*columns)
	for i := range data {
		data[i] = float64(float32(1 / float64(i%97+3)))
	}
	for name, c := range map[string]struct {
		block       int // turns of a loop within another; 0: one loop
		ragged      bool
		cheap       bool
		alike       bool // for all points: lanes are turns
		differs     bool // the value changes with the turn
		exponential float64
		carried     int
	}{
		"one loop":           {exponential: points + 2*reach, carried: 2 * reach},
		"block by block":     {block: 15, exponential: points + 2*reach, carried: 2 * reach},
		"blocks that shrink": {block: 40, ragged: true, exponential: 3 * (40 + 2*reach), carried: 2 * reach},
		"small blocks":       {block: 6, ragged: true, exponential: (2*reach + 1) * points},
		"cheap":              {cheap: true},
		"lanes are turns":    {alike: true, exponential: (2*reach + 1) * points},
		"no line":            {differs: true, exponential: (2*reach + 1) * points},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", columns)
		value := func(p, q *ir.Node) *ir.Node {
			inside := b.And(b.Le(b.I32(0), q), b.Lt(q, b.I32(points)))
			at := b.Select(inside, q, b.I32(0))
			v := b.Load(line, at)
			if !c.alike {
				v = b.Load(rows, at, x)
			}
			switch {
			case c.cheap:
				v = b.Mul(v, v)
			case c.differs:
				v = b.Alu(ir.Exp, b.Add(b.Mul(v, v), b.Load(line, p)))
			default:
				v = b.Alu(ir.Exp, b.Mul(b.Add(v, b.F32(1)), b.Add(b.Mul(v, v), b.F32(3))))
			}
			return b.Select(inside, v, b.F32(0))
		}
		sum := func(name string, lo, hi *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
			return b.Fold(ir.FoldSpec{Name: name, Lo: lo, Hi: hi, Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], term(i))}, nil
			})[0]
		}
		square := func(p *ir.Node) *ir.Node {
			y := sum("d", b.I32(0), b.I32(2*reach+1), func(d *ir.Node) *ir.Node {
				return b.Mul(b.Load(weights, d), value(p, b.Add(p, b.Sub(d, b.I32(reach)))))
			})
			return b.Mul(y, y)
		}
		var total *ir.Node
		if c.block == 0 {
			total = sum("p", b.I32(0), b.I32(points), square)
		} else {
			total = sum("block", b.I32(0), b.I32((points+c.block-1)/c.block), func(k *ir.Node) *ir.Node {
				start, lo := b.Mul(k, b.I32(c.block)), b.I32(0)
				if c.ragged {
					last := b.I32(points - c.block)
					start, lo = b.Min(start, last), b.Max(b.Sub(start, last), b.I32(0))
				}
				return sum("within", lo, b.I32(c.block), func(j *ir.Node) *ir.Node { return square(b.Add(start, j)) })
			})
		}
		out := ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{columns}}, Index: []*ir.Node{x}, Value: total}
		before := Few(&ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{out}, Contract: true})
		k := Carry(before)
		if err := rules.Check(k); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		each := float64(columns)
		if c.alike {
			each = 1
		}
		if n := count.CostOf(k).Transcendentals / each; n != c.exponential {
			t.Errorf("%s: %v exponentials, want %v\n%s", name, n, c.exponential, k)
		}
		if n := Carried(k); n != c.carried {
			t.Errorf("%s: %d values are handed on, want %d\n%s", name, n, c.carried, k)
		}
		inputs := map[*ir.Buffer][]float64{rows: data, line: data, weights: data[:2*reach+1]}
		if want, got := evaluated(t, before, inputs), evaluated(t, k, inputs); want != got {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
