package subst

import (
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
)

// sumOver is a fold that adds term(i) from lo to hi.
func sumOver(b *ir.Builder, lo, hi *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
	return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], term(i))}, nil
	})[0]
}

// value is what a node holds at points of the axes x and y.
func value(t *testing.T, n, x, y *ir.Node, points [][]int) (out []int64) {
	t.Helper()
	k := &ir.Kernel{Name: "value", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{5, 5}}, Index: []*ir.Node{x, y}, Value: n}}}
	p, err := interp.Compile(k, interp.Exact)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := p.Eval(t.Context(), interp.Inputs{}, points)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		out = append(out, s[0].I)
	}
	return out
}

func TestFoldsAreRebuilt(t *testing.T) {
	b := ir.NewBuilder()
	x, y := b.Axis("x", 5), b.Axis("y", 5)
	shared := sumOver(b, b.I32(0), b.I32(4), func(i *ir.Node) *ir.Node { return i })
	nested := sumOver(b, b.I32(0), b.I32(6), func(i *ir.Node) *ir.Node {
		in := sumOver(b, b.I32(0), i, func(j *ir.Node) *ir.Node { return b.Add(b.Mul(j, x), i) })
		return b.Add(in, shared)
	})
	n := b.Add(nested, b.Mul(x, shared))
	m := New(b, map[*ir.Node]*ir.Node{x: b.Add(y, b.I32(2))}).Of(n)
	if m.Free() != y.Bind() {
		t.Fatal("x is still there")
	}
	before, after := map[*ir.Node]bool{}, 0
	ir.WalkNodes([]*ir.Node{n}, func(k *ir.Node) { before[k] = k.Kind == ir.KFold })
	ir.WalkNodes([]*ir.Node{m}, func(k *ir.Node) {
		if k.Kind == ir.KFold && before[k] {
			after++
		}
	})
	if after != 1 {
		t.Errorf("%d folds are shared, want the one without x", after)
	}
	got := value(t, m, x, y, [][]int{{0, 0}, {0, 1}, {0, 2}})
	for v, want := range value(t, n, x, y, [][]int{{2, 0}, {3, 1}, {4, 2}}) {
		if got[v] != want {
			t.Errorf("y=%d: %v, want %v", v, got[v], want)
		}
	}
	if again := New(b, map[*ir.Node]*ir.Node{y: x}).Of(n); again != n {
		t.Error("a node without the key is not the same node")
	}
}

func TestAFoldsIndexIsReplaced(t *testing.T) {
	b := ir.NewBuilder()
	out := sumOver(b, b.I32(0), b.I32(6), func(i *ir.Node) *ir.Node { return b.Mul(i, i) })
	body := out.Fold.Step[0]
	m := New(b, map[*ir.Node]*ir.Node{out.Fold.Index: b.I32(3), out.Fold.Accs[0]: b.I32(10)}).Of(body)
	if !m.IsConst(19) {
		t.Errorf("the step at i=3, acc=10 is not the constant 19")
	}
}
