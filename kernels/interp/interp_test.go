package interp

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// builder with a kernel of one axis of n points and one output.
type lab struct {
	*ir.Builder
	x      *ir.Node
	kernel *ir.Kernel
}

func newLab(n int) *lab {
	b := ir.NewBuilder()
	x := b.Axis("x", n)
	return &lab{b, x, &ir.Kernel{Name: "lab", Axes: []*ir.Node{x}}}
}

func (l *lab) store(v *ir.Node) *ir.Buffer {
	out := &ir.Buffer{Name: "out", Type: v.Type, Shape: []int{l.x.Extent}}
	l.kernel.Stores = append(l.kernel.Stores, ir.Store{Buf: out, Index: []*ir.Node{l.x}, Value: v})
	return out
}

// at0 evaluates the first store at point 0.
func (l *lab) at0(t *testing.T, mode Mode) Sample {
	t.Helper()
	p, err := Compile(l.kernel, mode)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Eval(context.Background(), Inputs{}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0][0]
}

func TestFloatOperations(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		op   ir.Op
		args []float64
		want float64
	}{
		{"min", ir.Min, []float64{2, 3}, 2},
		{"min of NaN first", ir.Min, []float64{nan, 3}, 3},
		{"min of NaN second", ir.Min, []float64{3, nan}, nan},
		{"max of NaN first", ir.Max, []float64{nan, 3}, 3},
		{"max of NaN second", ir.Max, []float64{3, nan}, nan},
		{"ties to even", ir.Rint, []float64{2.5}, 2},
		{"trunc", ir.Trunc, []float64{-2.5}, -2},
		{"floor", ir.Floor, []float64{-2.5}, -3},
		{"division by zero", ir.Div, []float64{-1, 0}, -inf},
		{"root of negative", ir.Sqrt, []float64{-1}, nan},
		{"log of zero", ir.Log, []float64{0}, -inf},
		{"atan2", ir.Atan2, []float64{1, -1}, 3 * math.Pi / 4},
		{"pow", ir.Pow, []float64{2, 0.5}, math.Sqrt2},
	} {
		l := newLab(1)
		args := make([]*ir.Node, len(c.args))
		for i, v := range c.args {
			args[i] = l.F64(v)
		}
		l.store(l.Alu(c.op, args...))
		if got := l.at0(t, Exact).F; got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestIntegerOperations(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  ir.DType
		op   ir.Op
		args []int64
		want int64
	}{
		{"add wraps", ir.I32, ir.Add, []int64{math.MaxInt32, 1}, math.MinInt32},
		{"add of 64", ir.I64, ir.Add, []int64{math.MaxInt32, 1}, 1 << 31},
		{"mul wraps", ir.I32, ir.Mul, []int64{1 << 20, 1 << 12}, 0},
		{"neg of the least", ir.I32, ir.Neg, []int64{math.MinInt32}, math.MinInt32},
		{"abs of the least", ir.I32, ir.Abs, []int64{math.MinInt32}, math.MinInt32},
		{"div rounds down", ir.I32, ir.Div, []int64{-7, 2}, -4},
		{"div by negative", ir.I32, ir.Div, []int64{7, -2}, -4},
		{"div exact", ir.I32, ir.Div, []int64{-8, 2}, -4},
		{"mod of negative", ir.I32, ir.Mod, []int64{-7, 3}, 2},
		{"mod by negative", ir.I64, ir.Mod, []int64{7, -3}, -2},
		{"shl drops", ir.I32, ir.Shl, []int64{3, 31}, math.MinInt32},
		{"shr keeps the sign", ir.I32, ir.Shr, []int64{-8, 1}, -4},
		{"ushr does not", ir.I32, ir.Ushr, []int64{-8, 1}, math.MaxInt32 - 3},
		{"bits", ir.I64, ir.BitXor, []int64{12, 10}, 6},
	} {
		l := newLab(1)
		args := make([]*ir.Node, len(c.args))
		for i := range c.args {
			args[i] = l.Arg(c.typ, string(rune('a'+i))) // launch scalars, which the builder cannot fold
		}
		l.store(l.Alu(c.op, args...))
		p, err := Compile(l.kernel, Exact)
		if err != nil {
			t.Fatal(err)
		}
		in := Inputs{Args: map[string]device.Scalar{}}
		for i, v := range c.args {
			in.Args[string(rune('a'+i))] = device.Scalar{I: v}
		}
		out, err := p.Eval(context.Background(), in, [][]int{{0}})
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0][0].I; got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestModes(t *testing.T) {
	third := func(l *lab) *ir.Node { return l.Div(l.F32(1), l.F32(3)) }
	tenth := func(l *lab) *ir.Node { return l.F32(0.1) }
	one, three := float32(1), float32(3)
	for _, c := range []struct {
		name        string
		build       func(l *lab) *ir.Node
		exact, wide float64
	}{
		{"quotient", third, float64(one / three), 1.0 / 3},
		{"constant", tenth, float64(float32(0.1)), 0.1},
		{"to float64", func(l *lab) *ir.Node { return l.Cast(ir.F64, third(l)) }, float64(one / three), 1.0 / 3},
		{"from float64", func(l *lab) *ir.Node { return l.Cast(ir.F32, l.Div(l.F64(1), l.F64(3))) }, float64(one / three), 1.0 / 3},
		{"function", func(l *lab) *ir.Node { return l.Alu(ir.Exp, l.F32(1)) }, float64(float32(math.E)), math.E},
		{"large integer", func(l *lab) *ir.Node { return l.Cast(ir.F32, l.Add(l.I32(1<<24), l.I32(1))) }, 1 << 24, 1<<24 + 1},
		{"bits", func(l *lab) *ir.Node { return l.Reinterpret(ir.F32, l.Reinterpret(ir.I32, third(l))) }, float64(one / three), float64(one / three)},
	} {
		l := newLab(1)
		l.store(c.build(l))
		if got := l.at0(t, Exact).F; got != c.exact {
			t.Errorf("%s, exact: %v, want %v", c.name, got, c.exact)
		}
		if got := l.at0(t, Wide).F; got != c.wide {
			t.Errorf("%s, wide: %v, want %v", c.name, got, c.wide)
		}
	}
}

func TestCastToInteger(t *testing.T) {
	for v, want := range map[float64]int64{-2.9: -2, 2.9: 2, 1e20: math.MaxInt32, -1e20: math.MinInt32} {
		l := newLab(1)
		l.store(l.Cast(ir.I32, l.F64(v)))
		if got := l.at0(t, Exact).I; got != want {
			t.Errorf("%v is %d, want %d", v, got, want)
		}
	}
}

// steps runs a fold over [lo, hi) and returns its accumulators.
func steps(t *testing.T, lo, hi int, init []int, body func(b *ir.Builder, i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node)) []int64 {
	t.Helper()
	l := newLab(1)
	start := make([]*ir.Node, len(init))
	for k, v := range init {
		start[k] = l.I32(v)
	}
	out := l.Fold(ir.FoldSpec{Lo: l.I32(lo), Hi: l.I32(hi), Init: start}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return body(l.Builder, i, acc)
	})
	for _, v := range out {
		l.store(v)
	}
	p, err := Compile(l.kernel, Exact)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Eval(context.Background(), Inputs{}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, v := range s[0] {
		got = append(got, v.I)
	}
	return got
}

func TestFolds(t *testing.T) {
	for _, c := range []struct {
		name   string
		lo, hi int
		init   []int
		body   func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node)
		want   []int64
	}{
		{"sum of index", 2, 6, []int{100}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(a[0], i)}, nil
		}, []int64{114}},
		{"no turns", 6, 2, []int{7}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{i}, nil
		}, []int64{7}},
		{"fibonacci", 0, 10, []int{0, 1}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{a[1], b.Add(a[0], a[1])}, nil
		}, []int64{55, 89}},
		{"rotate three", 0, 4, []int{1, 2, 3}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{a[2], a[0], a[1]}, nil
		}, []int64{3, 1, 2}},
		{"while before each turn", 0, 100, []int{1}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Mul(a[0], b.I32(2))}, b.Lt(a[0], b.I32(20))
		}, []int64{32}},
		{"while that never holds", 0, 100, []int{50}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{i}, b.Lt(a[0], b.I32(20))
		}, []int64{50}},
		{"nested, inner bound from outer index and accumulator", 0, 4, []int{1}, func(b *ir.Builder, i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			in := b.Fold(ir.FoldSpec{Lo: i, Hi: b.Add(i, a[0]), Init: []*ir.Node{b.I32(0)}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(s[0], b.I32(1))}, nil
			})
			return []*ir.Node{b.Add(a[0], in[0])}, nil
		}, []int64{16}},
	} {
		if got := steps(t, c.lo, c.hi, c.init, c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestValuesAreThoseAtAllPoints(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 3), b.Axis("x", 4)
	table := &ir.Buffer{Name: "table", Type: ir.F32, Shape: []int{4}}
	for name, v := range map[string]*ir.Node{
		"float": b.Add(b.Load(table, x), b.Cast(ir.F32, y)), "whole": b.Add(b.Mul(y, b.I32(10)), x),
		"fold": b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: y, Init: []*ir.Node{b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Load(table, i))}, nil
		})[0],
		"outside": b.Load(table, b.Add(x, y)),
		"held":    b.Load(table, b.Min(x, y)), "compared": b.Select(b.Lt(x, b.I32(2)), b.Load(table, b.Min(x, y)), b.F32(7)), "late": b.Select(b.Le(b.I32(3), x), b.F32(1), b.F32(2)),
		"twice": b.Add(b.Min(b.Cast(ir.F32, x), b.Mul(b.Cast(ir.F32, y), b.F32(0.7))), b.Cast(ir.F32, b.Min(x, b.I32(-1)))), "rising": x,
	} {
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: v.Type, Shape: []int{3, 4}}, Index: []*ir.Node{y, x}, Value: v}}}
		p, err := Compile(k, Wide)
		if err != nil {
			t.Fatal(err)
		}
		in := Inputs{Host: map[*ir.Buffer][]float64{table: {0.5, 1, 2, 4}}}
		got, err := p.Values(in)
		if (err != nil) != (name == "outside") {
			t.Errorf("%s: error %v", name, err)
		}
		for i, v := range got {
			at, err := p.Eval(context.Background(), in, [][]int{{i / 4, i % 4}})
			if err != nil || v != at[0][0].F+float64(at[0][0].I) {
				t.Errorf("%s at %d: %g, and %v, %v by itself", name, i, v, at, err)
			}
		}
		if err == nil && len(got) != 12 {
			t.Errorf("%s: %d values", name, len(got))
		}
	}
}

func TestLoadsOutOfRangeAreErrors(t *testing.T) {
	l := newLab(8)
	table := &ir.Buffer{Name: "table", Type: ir.F32, Shape: []int{8}, Pad: ir.Pad{Before: 4, After: 4}}
	l.store(l.Load(table, l.Sub(l.x, l.I32(3))))
	p, err := Compile(l.kernel, Exact)
	if err != nil {
		t.Fatal(err)
	}
	in := Inputs{Host: map[*ir.Buffer][]float64{table: {0, 1, 2, 3, 4, 5, 6, 7}}}
	out, err := p.Eval(context.Background(), in, [][]int{{3}, {7}})
	if err != nil || out[0][0].F != 0 || out[1][0].F != 4 {
		t.Fatalf("in range: %v, %v", out, err)
	}
	_, err = p.Eval(context.Background(), in, [][]int{{2}})
	var index *IndexError
	if !errors.As(err, &index) || index.Buffer != "table" || !slices.Equal(index.Index, []int64{-1}) {
		t.Errorf("error %v", err)
	}
}

func TestGuardsKeepOffMemory(t *testing.T) {
	l := newLab(8)
	table := &ir.Buffer{Name: "table", Type: ir.I16, Shape: []int{2}}
	v := l.LoadOr(table, l.Lt(l.x, l.I32(2)), l.I32(-9), l.x)
	l.store(v)
	l.kernel.Stores[0].Guard = l.Lt(l.x, l.I32(7))
	l.kernel.Stores[0].Index[0] = l.Mul(l.x, l.I32(1))
	p, err := Compile(l.kernel, Exact)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Eval(context.Background(), Inputs{Host: map[*ir.Buffer][]float64{table: {40000, 2.7}}}, [][]int{{0}, {1}, {5}, {7}})
	if err != nil {
		t.Fatal(err)
	}
	if got := []int64{out[0][0].I, out[1][0].I, out[2][0].I}; !slices.Equal(got, []int64{40000 - 65536, 2, -9}) {
		t.Errorf("values %v", got)
	}
	if out[3][0].Written {
		t.Error("an unguarded store")
	}
}

func TestBindReportsAllThatIsMissing(t *testing.T) {
	l := newLab(4)
	a, b := &ir.Buffer{Name: "first", Type: ir.F32, Shape: []int{4}}, &ir.Buffer{Name: "second", Type: ir.F32, Shape: []int{4}}
	l.store(l.Mul(l.Arg(ir.F32, "gain"), l.Add(l.Load(a, l.x), l.Load(b, l.x))))
	p, err := Compile(l.kernel, Exact)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Eval(context.Background(), Inputs{Host: map[*ir.Buffer][]float64{b: {1, 2}}}, [][]int{{0}})
	for _, want := range []string{"first is not bound", "second [4]: 2 values, want 4", "gain is not given"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if _, err := p.Eval(context.Background(), Inputs{Host: map[*ir.Buffer][]float64{a: make([]float64, 4), b: make([]float64, 4)}, Args: map[string]device.Scalar{"gain": {F: 1}}}, [][]int{{4}}); err == nil || !strings.Contains(err.Error(), "axis x") {
		t.Errorf("a point outside: %v", err)
	}
}

// Floats are rounded in Narrow mode, and whole numbers do not wrap.
func TestNarrowRoundsAndHoldsWholeNumbers(t *testing.T) {
	for mode, want := range map[Mode][2]float64{Exact: {float64(float32(1) / 3), 0}, Wide: {1.0 / 3, 1 << 32}, Narrow: {float64(float32(1) / 3), 1 << 32}} {
		l := newLab(1)
		l.store(l.Div(l.F32(1), l.Add(l.Cast(ir.F32, l.x), l.F32(3))))
		third := l.at0(t, mode).F
		l = newLab(1)
		l.store(l.Mul(l.Add(l.x, l.I32(1<<16)), l.Add(l.x, l.I32(1<<16))))
		if product := l.at0(t, mode).I; third != want[0] || float64(product) != want[1] {
			t.Errorf("%s: %v and %d, want %v", mode, third, product, want)
		}
	}
}

// Host values count unrounded in Wide mode and as the buffer holds them in Exact.
func TestHostValuesRound(t *testing.T) {
	for typ, want := range map[ir.DType]float64{ir.F32: float64(float32(0.1)), ir.F16: float64(device.FloatFromHalf(0x2e66)), ir.F64: 0.1} {
		l := newLab(1)
		in := &ir.Buffer{Name: "in", Type: typ, Shape: []int{1}}
		l.store(l.Load(in, l.x))
		for mode, want := range map[Mode]float64{Exact: want, Wide: 0.1} {
			p, err := Compile(l.kernel, mode)
			if err != nil {
				t.Fatal(err)
			}
			out, err := p.Eval(context.Background(), Inputs{Host: map[*ir.Buffer][]float64{in: {0.1}}}, [][]int{{0}})
			if err != nil || out[0][0].F != want {
				t.Errorf("%s, %s: %v, want %v (%v)", typ, mode, out, want, err)
			}
		}
	}
}

// A launch over tiles, some at once, gives what one point after the other gives.
func TestLaunchTiles(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 13), b.Axis("x", 29)
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{13, 29}, Pad: ir.Pad{Before: 3, After: 2, Value: 5}}
	v := b.Add(b.Mul(y, b.I32(100)), x)
	k := &ir.Kernel{Name: "tiles", Axes: []*ir.Node{y, x}, Stores: []ir.Store{
		{Buf: out, Index: []*ir.Node{y, x}, Value: v},
	}}
	dev := New(Options{})
	programs, err := dev.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bind := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	for _, buf := range k.Outputs() {
		m, err := dev.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		bind.Mem[buf] = m
	}
	launch, err := programs[0].Bind(bind)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for y0 := 0; y0 < 13; y0 += 5 {
		for x0 := 0; x0 < 29; x0 += 10 {
			wait.Go(func() {
				if err := launch(region.Region{{Lo: y0, Hi: min(y0+5, 13)}, {Lo: x0, Hi: min(x0+10, 29)}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	for i, v := range device.Floats(out, bind.Mem[out].Host()) {
		if want := float64(i/29*100 + i%29); v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
	if err := launch(region.Region{{Lo: 0, Hi: 14}, {Lo: 0, Hi: 1}}); err == nil || !strings.Contains(err.Error(), "axis y") {
		t.Errorf("a tile outside: %v", err)
	}
}

// What is held by something is computed as far as that: elsewhere, a table would be left.
func TestRowsEndWhereTheyAreHeld(t *testing.T) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", 3), b.Axis("x", 1000)
	for name, c := range map[string]struct {
		v    *ir.Node
		ends []int
	}{
		"held":     {b.Min(x, b.Mul(y, b.I32(5))), []int{2, 7, 12}},
		"compared": {b.Select(b.Lt(x, b.I32(9)), b.Min(b.Cast(ir.F64, x), b.F64(3.5)), b.F64(1)), []int{11, 11, 11}},
		"rising":   {b.Add(x, b.Min(x, y)), nil},
		"beyond":   {b.Min(x, b.I32(5000)), []int{1000, 1000, 1000}},
		"never":    {b.Min(x, b.I32(-7)), []int{1, 1, 1}},
	} {
		k := &ir.Kernel{Name: name, Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: c.v.Type, Shape: []int{3, 1000}}, Index: []*ir.Node{y, x}, Value: c.v}}}
		p, err := Compile(k, Wide)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.ends(Inputs{}); err != nil || !slices.Equal(got, c.ends) {
			t.Errorf("%s ends at %v, %v, want %v", name, got, err, c.ends)
		}
	}
}
