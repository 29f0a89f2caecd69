package subst

import (
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Folds over one range that load the same are one, at every depth; what needs another, or shares nothing, stays; values are the same.
func TestMerge(t *testing.T) {
	const rows, columns = 4, 6
	data := make([]float64, rows*columns)
	for i := range data {
		data[i] = float64(i*i%17) - 5
	}
	for name, c := range map[string]struct {
		build func(b *ir.Builder, sum func(n int, term func(i *ir.Node) *ir.Node) *ir.Node, at, other func(y, x *ir.Node) *ir.Node, x *ir.Node) []*ir.Node
		folds int
	}{
		"moments": {func(b *ir.Builder, sum func(int, func(*ir.Node) *ir.Node) *ir.Node, at, _ func(y, x *ir.Node) *ir.Node, x *ir.Node) (out []*ir.Node) {
			for p := range 5 {
				out = append(out, sum(rows, func(i *ir.Node) *ir.Node {
					v := at(i, x)
					for range p {
						v = b.Mul(v, at(i, x))
					}
					return v
				}))
			}
			return out
		}, 1},
		"at both depths": {func(b *ir.Builder, sum func(int, func(*ir.Node) *ir.Node) *ir.Node, at, _ func(y, x *ir.Node) *ir.Node, x *ir.Node) (out []*ir.Node) {
			for p := range 3 {
				out = append(out, sum(rows, func(i *ir.Node) *ir.Node {
					return sum(columns, func(j *ir.Node) *ir.Node { return b.Add(at(i, j), b.F32(float64(p))) })
				}))
			}
			return append(out, at(b.I32(0), x))
		}, 2},
		"one needs another": {func(b *ir.Builder, sum func(int, func(*ir.Node) *ir.Node) *ir.Node, at, _ func(y, x *ir.Node) *ir.Node, x *ir.Node) []*ir.Node {
			mean := b.Div(sum(rows, func(i *ir.Node) *ir.Node { return at(i, x) }), b.F32(rows))
			apart := func(i *ir.Node) *ir.Node { return b.Sub(at(i, x), mean) }
			second := sum(rows, func(i *ir.Node) *ir.Node { return b.Mul(apart(i), apart(i)) })
			third := sum(rows, func(i *ir.Node) *ir.Node { return b.Mul(b.Mul(apart(i), apart(i)), apart(i)) })
			return []*ir.Node{mean, second, third}
		}, 2},
		"nothing shared": {func(_ *ir.Builder, sum func(int, func(*ir.Node) *ir.Node) *ir.Node, at, other func(y, x *ir.Node) *ir.Node, x *ir.Node) []*ir.Node {
			return []*ir.Node{sum(rows, func(i *ir.Node) *ir.Node { return at(i, x) }), sum(rows, func(i *ir.Node) *ir.Node { return other(i, x) })}
		}, 2},
		"of fewer points": {func(b *ir.Builder, sum func(int, func(*ir.Node) *ir.Node) *ir.Node, at, _ func(y, x *ir.Node) *ir.Node, x *ir.Node) []*ir.Node {
			return []*ir.Node{sum(rows, func(i *ir.Node) *ir.Node { return at(i, x) }), sum(rows, func(i *ir.Node) *ir.Node { return at(i, b.I32(2)) })}
		}, 2},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", columns)
		a, z := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{rows, columns}}, &ir.Buffer{Name: "z", Type: ir.F32, Shape: []int{rows, columns}}
		sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
			return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], term(i))}, nil
			})[0]
		}
		load := func(buf *ir.Buffer) func(y, x *ir.Node) *ir.Node {
			return func(y, x *ir.Node) *ir.Node { return b.Load(buf, y, x) }
		}
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{x}}
		for _, v := range c.build(b, sum, load(a), load(z), x) {
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{columns}}, Index: []*ir.Node{x}, Value: v})
		}
		merged := Merge(k)
		if err := rules.Check(merged); err != nil {
			t.Fatal(name, err)
		}
		folds := 0
		merged.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold {
				folds++
			}
		})
		if folds != c.folds {
			t.Errorf("%s: %d folds, want %d", name, folds, c.folds)
		}
		if want, got := evaluated(t, k, data, a, z), evaluated(t, merged, data, a, z); !slices.Equal(want, got) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// evaluated is what a kernel stores at all points of its axis, its inputs holding data.
func evaluated(t *testing.T, k *ir.Kernel, data []float64, inputs ...*ir.Buffer) (out []float64) {
	t.Helper()
	p, err := interp.Compile(k, interp.Exact)
	if err != nil {
		t.Fatal(err)
	}
	in := interp.Inputs{Host: map[*ir.Buffer][]float64{}}
	for _, b := range inputs {
		in.Host[b] = data
	}
	for i := range k.Axes[0].Extent {
		samples, err := p.Eval(t.Context(), in, [][]int{{i}})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range samples[0] {
			out = append(out, v.F)
		}
	}
	return out
}

// Sums of products of arrays that they do not share are one, where they are two; sums of single arrays are not.
func TestSumsOfProductsMerge(t *testing.T) {
	const n, columns = 5, 3
	data := []float64{1, -2, 3, 5, -7, 11, 13, 0.5, 17, -4, 2, 6, 9, -1, 8}
	for _, c := range []struct{ arrays, sums, folds int }{{2, 2, 1}, {2, 3, 2}, {1, 2, 2}} {
		b := ir.NewBuilder()
		x := b.Axis("x", columns)
		k, bufs := &ir.Kernel{Name: "products", Axes: []*ir.Node{x}}, []*ir.Buffer(nil)
		for range c.sums {
			sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				term := b.F32(1)
				for range c.arrays {
					bufs = append(bufs, &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{n, columns}})
					term = b.Mul(term, b.Load(bufs[len(bufs)-1], i, x))
				}
				return []*ir.Node{b.Add(acc[0], term)}, nil
			})[0]
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{columns}}, Index: []*ir.Node{x}, Value: sum})
		}
		merged, folds := Merge(k), 0
		merged.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold {
				folds++
			}
		})
		if folds != c.folds {
			t.Errorf("%d sums of products of %d: %d folds, want %d", c.sums, c.arrays, folds, c.folds)
		}
		if want, got := evaluated(t, k, data, bufs...), evaluated(t, merged, data, bufs...); !slices.Equal(want, got) {
			t.Errorf("%d sums of products of %d: %v, want %v", c.sums, c.arrays, got, want)
		}
	}
}
