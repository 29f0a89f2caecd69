package codegen_test

import (
	"math"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/conformance"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// results runs a kernel over its whole on a bench and returns the elements of a buffer.
func results(t *testing.T, k *ir.Kernel, s schedule.CPU, target schedule.Target, in map[string][]float64, out *ir.Buffer) []float64 {
	t.Helper()
	d := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }}
	p, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	for _, buf := range p[0].(*launchable).out.Bufs {
		if b.Mem[buf], err = d.Alloc(buf); err != nil {
			t.Fatal(err)
		}
		if v, ok := in[buf.Name]; ok {
			device.SetFloats(buf, b.Mem[buf].Host(), v)
		}
	}
	launch, err := p[0].Bind(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := launch(k.Domain()); err != nil {
		t.Fatal(err)
	}
	return device.Floats(out, b.Mem[out].Host())
}

func waves(n int, step float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Sin(step * float64(i))
	}
	return v
}

// TestBlockedSums sums float32 products in float64: in blocks, the error is that of a few float32 additions.
func TestBlockedSums(t *testing.T) {
	const n, terms = 37, 1000
	b := ir.NewBuilder()
	x := b.Axis("x", n)
	a, w := f32("a", n), f32("w", terms)
	out := &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{n}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(terms), Init: []*ir.Node{b.F64(3)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		plus := b.Cast(ir.F64, b.Mul(b.Load(a, x), b.Load(w, i)))
		minus := b.Cast(ir.F64, b.Mul(b.Load(w, i), b.Load(w, i)))
		return []*ir.Node{b.Sub(b.Add(acc[0], plus), minus)}, nil
	})
	k := &ir.Kernel{Name: "sums", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
	in := map[string][]float64{"a": waves(n, 0.37), "w": waves(terms, 1.1)}
	want := results(t, k, schedule.CPU{}, schedule.Portable, in, out)
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for _, s := range []schedule.CPU{
			{Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}, AccBlock: 32},
			{Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}, Unroll: []schedule.AxisN{{Axis: 0, N: 2}}, Table: 32, AccBlock: 32},
			{AccBlock: 7},
			{AccBlock: 3, FoldLanes: true, Flight: 4},
		} {
			got := results(t, k, s, target, in, out)
			equal := true
			for i := range got {
				equal = equal && got[i] == want[i]
				if math.Abs(got[i]-want[i]) > 1e-4 {
					t.Errorf("%s %s: sum %d is %g, want %g", target.ISA, s, i, got[i], want[i])
				}
			}
			if equal {
				t.Errorf("%s %s: every sum is the float64 one, so none was blocked", target.ISA, s)
			}
		}
	}
}

// TestSumsOfLongProducts has the sums of a long product in float32: the parts of its rule's blocks leave a third of the error of one sum, or less.
func TestSumsOfLongProducts(t *testing.T) {
	const n, terms = 64, 8192
	b := ir.NewBuilder()
	i, j := b.Axis("i", n), b.Axis("j", n)
	p, q, out := f32("P", n, terms), f32("Q", terms, n), f32("O", n, n)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(terms), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(p, i, k), b.Load(q, k, j)))}, nil
	})
	k := &ir.Kernel{Name: "long", Axes: []*ir.Node{i, j}, Contract: true, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{i, j}, Value: sum[0]}}}
	in := map[string][]float64{"P": waves(n*terms, 0.37), "Q": waves(terms*n, 1.1)}
	for _, list := range in {
		for at, x := range list {
			list[at] = math.Abs(x) // sums grow, and with them what an addition rounds away
		}
	}
	want := make([]float64, n*n)
	for at := range want {
		for k := range terms {
			want[at] += float64(float32(in["P"][at/n*terms+k])) * float64(float32(in["Q"][k*n+at%n]))
		}
	}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2} {
		if !runs(t, target) {
			continue
		}
		off := func(s schedule.CPU) (sum float64) {
			for at, x := range results(t, k, s, target, in, out) {
				sum += (x - want[at]) * (x - want[at])
			}
			return math.Sqrt(sum)
		}
		blocks := schedule.Default(k, target)
		one := blocks
		one.AccBlock = 0
		if in, whole := off(blocks), off(one); blocks.AccBlock == 0 || !(in < whole/3) {
			t.Errorf("%s %s: the error is %g, that of one sum %g", target.ISA, blocks, in, whole)
		}
	}
}

// TestIllegalSchedules asks for what a kernel or a target does not have.
func TestIllegalSchedules(t *testing.T) {
	k := elementwise(40, 40)
	for name, s := range map[string]schedule.CPU{
		"order of too few axes": {Order: []int{0}},
		"order that repeats":    {Order: []int{0, 0}},
		"lanes of no axis":      {Lanes: []schedule.AxisN{{Axis: 2, N: 16}}},
		"too few lanes":         {Lanes: []schedule.AxisN{{Axis: 0, N: 4}}},
		"an axis laned twice":   {Lanes: []schedule.AxisN{{Axis: 0, N: 4}, {Axis: 0, N: 4}}},
		"no vectors in flight":  {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Unroll: []schedule.AxisN{{Axis: 1, N: 0}}},
		"window without proof":  {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Window: 16, Table: 32},
		"window for no lanes":   {Window: 16, Guard: true, Table: 32},
		"sums at a time":        {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Group: 2},
		"window of 8":           {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Window: 8, Guard: true, Table: 32},
		"table of 5":            {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Table: 5},
		"two sizes of block":    {Lanes: []schedule.AxisN{{Axis: 0, N: 16}}, Table: 32, AccBlock: 16},
	} {
		if _, err := render.Render(k, s, schedule.AVX512, "k", render.Way{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b := ir.NewBuilder()
	x := b.Axis("x", 8)
	buf := f32("a", 8)
	inPlace := &ir.Kernel{Name: "in place", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: buf, Index: []*ir.Node{x}, Value: b.Neg(b.Load(buf, x))}}}
	if _, err := render.Render(inPlace, schedule.CPU{}, schedule.AVX512, "k", render.Way{}); err == nil {
		t.Error("a kernel that writes what it reads: no error")
	}
}

// What stands behind a split fold runs once, with its last part; what stands before it, with its first.
func TestFoldsBesideASplitOne(t *testing.T) {
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2} {
		if !runs(t, target) {
			continue
		}
		y := []schedule.AxisN{{Axis: 0, N: target.Lanes}}
		for _, s := range []schedule.CPU{{Flat: 1, Split: 4}, {Flat: 3, Split: 2}, {Lanes: y, Order: []int{0}, Split: 5, Chunk: y, Pack: true},
			{Lanes: y, Order: []int{0}, Split: 7, AccBlock: 7, Chunk: y}} {
			bench := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }}
			conformance.RunWith(t, bench, conformance.Policy{Only: func(name string) bool { return name == "float64 sums of float32" }})
		}
	}
}
