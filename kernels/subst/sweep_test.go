package subst

import (
	"math"
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Folds to the smallest, the largest, any and all that read the same side by side are one, of which the results are the same to the bit, NaN and signs of
// zeros too; those over other ranges, of other arrays or of places that are looked up are not.
func TestSweep(t *testing.T) {
	const rows, columns = 5, 6
	data := []float64{3, -2, math.NaN(), 4, 0.5, -7, 1, 2, 3, 4, 5, 6, 0, math.Copysign(0, -1), 0, math.Copysign(0, -1), 0, 0, -1, -2, -3, -4, -5, -6, math.Inf(1), 2, math.Inf(-1), 1, 0, math.NaN()}
	a, z := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{rows, columns}}, &ir.Buffer{Name: "z", Type: ir.F32, Shape: []int{rows, columns}}
	fold := func(b *ir.Builder, m ir.Monoid, n int, init *ir.Node, op ir.Op, first bool, term func(i *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{init}, Monoid: m}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			if first {
				return []*ir.Node{b.Alu(op, term(i), acc[0])}, nil
			}
			return []*ir.Node{b.Alu(op, acc[0], term(i))}, nil
		})[0]
	}
	type sweep func(b *ir.Builder, y *ir.Node) *ir.Node
	largest := func(buf *ir.Buffer, n int, first bool) sweep {
		return func(b *ir.Builder, y *ir.Node) *ir.Node {
			return fold(b, ir.Largest, n, b.F32(math.Inf(-1)), ir.Max, first, func(i *ir.Node) *ir.Node { return b.Load(buf, y, i) })
		}
	}
	smallest := func(first bool) sweep {
		return func(b *ir.Builder, y *ir.Node) *ir.Node {
			return fold(b, ir.Smallest, columns, b.F32(math.Inf(1)), ir.Min, first, func(i *ir.Node) *ir.Node { return b.Load(a, y, i) })
		}
	}
	all := func(b *ir.Builder, y *ir.Node) *ir.Node {
		return fold(b, ir.All, columns, b.True(), ir.And, true, func(i *ir.Node) *ir.Node { return b.Lt(b.F32(-2), b.Load(a, y, i)) })
	}
	some := func(b *ir.Builder, y *ir.Node) *ir.Node {
		return fold(b, ir.Any, columns, b.Const(ir.Bool, 0), ir.Or, true, func(i *ir.Node) *ir.Node { return b.Lt(b.F32(3.5), b.Load(a, y, i)) })
	}
	gathered := func(b *ir.Builder, y *ir.Node) *ir.Node {
		return fold(b, ir.Largest, columns, b.F32(0), ir.Max, true, func(i *ir.Node) *ir.Node { return b.Load(a, y, b.Alu(ir.Mod, b.Mul(i, b.I32(5)), b.I32(columns))) })
	}
	sum := func(b *ir.Builder, y *ir.Node) *ir.Node {
		return fold(b, ir.Sum, columns, b.F32(0), ir.Add, true, func(i *ir.Node) *ir.Node { return b.Load(a, y, i) })
	}
	for name, c := range map[string]struct {
		sweeps []sweep
		folds  int
		kind   ir.Monoid
	}{
		"all of them":    {[]sweep{all, smallest(true), some, largest(a, columns, true), smallest(false), largest(a, columns, false)}, 1, ir.Largest},
		"all, twice":     {[]sweep{all, all, func(b *ir.Builder, y *ir.Node) *ir.Node { return b.Not(all(b, y)) }}, 1, ir.All},
		"any and all":    {[]sweep{some, all}, 1, ir.All},
		"smallest alone": {[]sweep{smallest(true), smallest(false)}, 1, ir.Smallest},
		"other ranges":   {[]sweep{largest(a, columns, true), largest(a, columns-1, true)}, 2, ir.Largest},
		"other arrays":   {[]sweep{largest(a, columns, true), largest(z, columns, true)}, 2, ir.Largest},
		"looked up":      {[]sweep{largest(a, columns, true), gathered}, 2, ir.Largest},
		"a sum":          {[]sweep{largest(a, columns, true), sum, some}, 2, ir.Largest},
	} {
		b := ir.NewBuilder()
		y := b.Axis("y", rows)
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{y}}
		for _, s := range c.sweeps {
			v := s(b, y)
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "out", Type: v.Type, Shape: []int{rows}}, Index: []*ir.Node{y}, Value: v})
		}
		swept := Sweep(k)
		if err := rules.Check(swept); err != nil {
			t.Fatal(name, err)
		}
		if n := swept.Folds(); n != c.folds {
			t.Errorf("%s: %d folds, want %d", name, n, c.folds)
		}
		swept.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold && c.folds == 1 && n.Fold.Monoid != c.kind {
				t.Errorf("%s: %s fold, want %s", name, n.Fold.Monoid, c.kind)
			}
		})
		bits := func(k *ir.Kernel) (out []uint64) {
			for _, v := range evaluated(t, k, data, a, z) {
				out = append(out, math.Float64bits(v))
			}
			return out
		}
		if want, got := bits(k), bits(swept); !slices.Equal(want, got) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
