package subst

import (
	"math"
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Folds that make anew, for each turn of one around them, what all turns before it come to go along with that, and once where several are the same; values
// are the same to the bit. Those that begin or end elsewhere, or follow from the turn themselves, stay.
func TestAlong(t *testing.T) {
	const rows, columns = 7, 5
	data := make([]float64, rows*columns)
	for i := range data {
		data[i] = float64(i*i%17)/4 - 1.7
	}
	data[11] = math.NaN()
	a := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{rows, columns}}
	type world struct {
		*ir.Builder
		x *ir.Node
	}
	at := func(w world, i *ir.Node) *ir.Node { return w.Load(a, i, w.x) }
	// state is what turns up to before one leave, or with it.
	state := func(w world, lo int, last *ir.Node) *ir.Node {
		return w.Fold(ir.FoldSpec{Lo: w.I32(lo), Hi: w.I32(rows), Init: []*ir.Node{w.F32(0.5)}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{w.Add(w.Mul(s[0], w.F32(0.7)), at(w, j))}, w.Le(j, last)
		})[0]
	}
	step := func(w world, i, s *ir.Node) *ir.Node { return w.Add(w.Mul(s, w.F32(0.7)), at(w, i)) }
	before := func(w world, i *ir.Node) *ir.Node { return state(w, 0, w.Sub(i, w.I32(1))) }
	reduce := func(w world, m ir.Monoid, init *ir.Node, turn func(i, acc *ir.Node) *ir.Node) *ir.Node {
		return w.Fold(ir.FoldSpec{Lo: w.I32(0), Hi: w.I32(rows), Init: []*ir.Node{init}, Monoid: m}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{turn(i, acc[0])}, nil
		})[0]
	}
	sum := func(w world, of func(i *ir.Node) *ir.Node) *ir.Node {
		return reduce(w, ir.Sum, w.F32(0), func(i, acc *ir.Node) *ir.Node { return w.Add(acc, of(i)) })
	}
	most := func(w world, of func(i *ir.Node) *ir.Node) *ir.Node {
		return reduce(w, ir.Largest, w.F32(math.Inf(-1)), func(i, acc *ir.Node) *ir.Node { return w.Max(of(i), acc) })
	}
	after := func(w world) func(i *ir.Node) *ir.Node {
		return func(i *ir.Node) *ir.Node { return step(w, i, before(w, i)) }
	}
	for name, c := range map[string]struct {
		build       func(w world) []*ir.Node
		folds, accs int
	}{
		"before a turn": {func(w world) []*ir.Node {
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node { return before(w, i) })}
		}, 1, 2},
		"with a turn": {func(w world) []*ir.Node {
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node { return state(w, 0, i) })}
		}, 1, 2},
		"after a turn": {func(w world) []*ir.Node { return []*ir.Node{sum(w, after(w))} }, 1, 2},
		"several of one": {func(w world) []*ir.Node {
			return []*ir.Node{sum(w, after(w)), most(w, after(w)), sum(w, func(i *ir.Node) *ir.Node { return w.Select(w.Lt(w.F32(1), after(w)(i)), w.F32(1), w.F32(0)) })}
		}, 1, 4},
		"one of another": {func(w world) []*ir.Node {
			second := func(last *ir.Node) *ir.Node { // sums of the first
				return w.Fold(ir.FoldSpec{Lo: w.I32(0), Hi: last, Init: []*ir.Node{w.F32(0)}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{w.Add(s[0], after(w)(j))}, nil
				})[0]
			}
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node { return w.Add(second(i), after(w)(i)) })}
		}, 1, 3},
		"from elsewhere": {func(w world) []*ir.Node {
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node { return state(w, 1, i) })}
		}, 2, 1},
		"to elsewhere": {func(w world) []*ir.Node {
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node { return state(w, 0, w.Sub(i, w.I32(2))) })}
		}, 2, 1},
		"of the turn itself": {func(w world) []*ir.Node {
			return []*ir.Node{most(w, func(i *ir.Node) *ir.Node {
				return w.Fold(ir.FoldSpec{Lo: w.I32(0), Hi: i, Init: []*ir.Node{w.F32(0)}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{w.Add(s[0], w.Mul(at(w, j), at(w, i)))}, nil
				})[0]
			})}
		}, 2, 1},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", columns)
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{x}}
		for _, v := range c.build(world{b, x}) {
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "out", Type: v.Type, Shape: []int{columns}}, Index: []*ir.Node{x}, Value: v})
		}
		made := Along(k)
		if err := rules.Check(made); err != nil {
			t.Fatal(name, err)
		}
		accs := 0
		made.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold {
				accs = max(accs, len(n.Fold.Accs))
			}
		})
		if n := made.Folds(); n != c.folds || accs != c.accs {
			t.Errorf("%s: %d folds, %d accumulators, want %d and %d", name, n, accs, c.folds, c.accs)
		}
		bits := func(k *ir.Kernel) (out []uint64) {
			for _, v := range evaluated(t, k, data, a) {
				out = append(out, math.Float64bits(v))
			}
			return out
		}
		if want, got := bits(k), bits(made); !slices.Equal(want, got) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
