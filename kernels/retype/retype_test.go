package retype_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/retype"
)

// run evaluates a kernel on the interpreter, rounding as devices do, and returns what it stored.
func run(t *testing.T, k *ir.Kernel, in map[*ir.Buffer][]float64) map[*ir.Buffer][]float64 {
	t.Helper()
	if err := rules.Check(k); err != nil {
		t.Fatal(err)
	}
	dev := interp.New(interp.Options{})
	ps, err := dev.Compile(context.Background(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := map[*ir.Buffer]device.Memory{}
	for _, b := range append(k.Inputs(), k.Outputs()...) {
		if mem[b], err = dev.Alloc(b); err != nil {
			t.Fatal(err)
		}
		for i, v := range in[b] {
			device.SetFloat(b.Type, mem[b].Host(), i, v)
		}
	}
	launch, err := ps[0].Bind(device.Bindings{Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	if err := launch(k.Domain()); err != nil {
		t.Fatal(err)
	}
	out := map[*ir.Buffer][]float64{}
	for _, b := range k.Outputs() {
		for i := range b.Len() {
			out[b] = append(out[b], device.Float(b.Type, mem[b].Host(), i))
		}
		mem[b].Free()
	}
	return out
}

func vector(name string, t ir.DType, n int) *ir.Buffer {
	return &ir.Buffer{Name: name, Type: t, Shape: []int{n}}
}

// awkward are values on both sides of every boundary of the small types, and anything else.
func awkward(n int) []float64 {
	rng := rand.New(rand.NewPCG(4, 2))
	v := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 65504, 65519.99, 65520, -65520, 1e38, 0x1p-14, 0x1p-24,
		0x1p-25, -0x1p-25, 0x1.8p-25, 3 * 0x1p-25, 2047 * 0x1p-25, 1 + 0x1p-11, 1 + 3*0x1p-11, 1 + 0x1p-8, 1 + 3*0x1p-8, 0x1.fffffep127}
	for len(v) < n {
		x := math.Float32frombits(rng.Uint32())
		if rng.IntN(2) == 0 {
			x = float32(math.Ldexp(rng.Float64()*2-1, rng.IntN(44)-27))
		}
		v = append(v, float64(x))
	}
	return v
}

func TestRoundToAgreesWithTheStoredTypes(t *testing.T) {
	values := awkward(20000)
	for _, c := range []struct {
		typ   ir.DType
		round func(float64) float32
	}{
		{ir.F16, func(v float64) float32 { return device.FloatFromHalf(device.HalfFromFloat(v)) }},
		{ir.BF16, func(v float64) float32 { return device.FloatFromBrain(device.BrainFromFloat(v)) }},
	} {
		b := ir.NewBuilder()
		in, out := vector("in", ir.F32, len(values)), vector("out", ir.F32, len(values))
		i := b.Axis("i", len(values))
		k := &ir.Kernel{Name: "round", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{i}, Value: retype.RoundTo(b, c.typ, b.Load(in, i))}}}
		for j, got := range run(t, k, map[*ir.Buffer][]float64{in: values})[out] {
			want := c.round(float64(float32(values[j])))
			if same := math.Float32bits(float32(got)) == math.Float32bits(want); !same && !(math.IsNaN(got) && want != want) {
				t.Errorf("%s of %g (%x): %g, want %g", c.typ, values[j], values[j], got, want)
			}
		}
	}
}

// dot is the sum of a[j] b[j] + 0.1 over rows of a matrix, folded over blocks as operators do it.
func dot(b *ir.Builder, x, w, out *ir.Buffer, rows, columns int, nested bool) *ir.Kernel {
	i := b.Axis("i", 4)
	zero := []*ir.Node{b.F32(0)}
	term := func(j *ir.Node) *ir.Node { return b.Add(b.Mul(b.Load(x, j), b.Load(w, j)), b.F32(0.1)) }
	inner := func(r *ir.Node, init []*ir.Node) []*ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(columns), Init: init, Monoid: ir.Sum}, func(c *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(a[0], term(b.Add(b.Mul(r, b.I32(columns)), c)))}, nil
		})
	}
	monoid := ir.Sum
	if nested {
		monoid = ir.Ordered
	}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: zero, Monoid: monoid}, func(r *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		if nested {
			return inner(r, a), nil
		}
		return []*ir.Node{b.Add(a[0], inner(r, zero)[0])}, nil
	})[0]
	value := b.Mul(sum, b.Cast(ir.F32, i))
	return &ir.Kernel{Name: "dot", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{i}, Value: value}}}
}

func TestRetype(t *testing.T) {
	const rows, columns = 20, 50
	rng := rand.New(rand.NewPCG(1, 1))
	xs, ws := make([]float64, rows*columns), make([]float64, rows*columns)
	want := 0.0
	for i := range xs {
		xs[i], ws[i] = float64(float32(rng.NormFloat64())), float64(float32(rng.Float64()))
		want += xs[i]*ws[i] + 0.1
	}
	x, w, out := vector("x", ir.F32, rows*columns), vector("w", ir.F32, rows*columns), vector("out", ir.F32, 4)
	as := func(b *ir.Buffer, t ir.DType) *ir.Buffer { c := *b; c.Type = t; return &c }
	for _, c := range []struct {
		name        string
		r           retype.Types
		least, most float64 // relative error
		types       map[ir.DType]bool
	}{
		{"as it is", retype.Types{}, 0, 1e-6, map[ir.DType]bool{ir.F32: true}},
		{"f64", retype.Types{Compute: ir.F64}, 0, 1e-13, map[ir.DType]bool{ir.F64: true}},
		{"f64 sums", retype.Types{Accumulate: ir.F64}, 0, 1e-7, map[ir.DType]bool{ir.F32: true, ir.F64: true}},
		{"f16 arithmetic, f32 sums", retype.Types{Compute: ir.F16}, 1e-6, 1e-3, nil},
		{"bf16 arithmetic, f32 sums", retype.Types{Compute: ir.BF16}, 1e-5, 1e-2, nil},
		{"f16 sums", retype.Types{Accumulate: ir.F16}, 1e-4, 5e-2, nil},
		{"bf16 sums", retype.Types{Accumulate: ir.BF16}, 1e-3, 1, nil},
		{"f16 storage", retype.Types{Stored: map[*ir.Buffer]retype.Stored{x: {Buf: as(x, ir.F16)}}}, 1e-7, 1e-3, nil},
		{"u16 storage", retype.Types{Stored: map[*ir.Buffer]retype.Stored{x: {Buf: as(x, ir.U16), Units: retype.Units{Scale: 0x1p-13}}}}, 1e-8, 1e-4, nil},
		{"u16 storage of roots", retype.Types{Stored: map[*ir.Buffer]retype.Stored{w: {Buf: as(w, ir.U16), Units: retype.FullScale(1, true)}}}, 1e-9, 1e-5, nil},
		{"f64 storage", retype.Types{Stored: map[*ir.Buffer]retype.Stored{x: {Buf: as(x, ir.F64)}}}, 0, 1e-6, nil},
	} {
		for _, nested := range []bool{false, true} {
			b := ir.NewBuilder()
			k := dot(b, x, w, out, rows, columns, nested)
			r := c.r
			o := out
			if r.Compute == ir.F64 { // or the store would hide what is gained
				o = as(out, ir.F64)
				r.Stored = map[*ir.Buffer]retype.Stored{out: {Buf: o}}
			}
			in := map[*ir.Buffer][]float64{x: xs, w: ws}
			for buf, s := range r.Stored {
				if in[s.Buf] = in[buf]; s.Scale == 0 || buf == out {
					continue
				}
				in[s.Buf] = make([]float64, len(in[buf]))
				for i, v := range in[buf] {
					in[s.Buf][i] = math.RoundToEven(v/s.Scale) + retype.Middle
					if s.Roots {
						in[s.Buf][i] = math.RoundToEven(math.Sqrt(v / s.Scale))
					}
				}
			}
			k = retype.Apply(k, r)
			got := run(t, k, in)[o]
			e := math.Abs(got[3]-3*want) / math.Abs(3*want)
			if e < c.least || e > c.most {
				t.Errorf("%s, nested %v: error %.3g, want within [%g, %g]", c.name, nested, e, c.least, c.most)
			}
			k.Walk(func(n *ir.Node) {
				if n.Kind == ir.KAlu && n.Type.Float() && c.types != nil && !c.types[n.Type] {
					t.Errorf("%s: %s of %s", c.name, n.Op, n.Type)
				}
			})
		}
	}
}

func TestRetypeKeepsEverythingElse(t *testing.T) {
	b := ir.NewBuilder()
	in, out := vector("in", ir.F32, 64), vector("out", ir.I32, 64)
	i := b.Axis("i", 64)
	v := b.Load(in, i)
	best := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(64), Init: []*ir.Node{b.F32(1e30), b.I32(0)}, Monoid: ir.ArgMin}, func(j *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		d := b.Abs(b.Sub(b.Load(in, j), v))
		d = b.Select(b.Alu(ir.Eq, i, j), b.F32(1e29), d)
		c := b.Lt(d, a[0])
		return []*ir.Node{b.Select(c, d, a[0]), b.Select(c, j, a[1])}, nil
	})
	inside := b.And(b.Le(b.I32(1), i), b.Lt(i, b.I32(63)))
	bits := b.Reinterpret(ir.I32, b.LoadOr(in, inside, b.F32(2), b.Sub(i, b.I32(1))))
	k := &ir.Kernel{Name: "k", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{i}, Value: b.Add(best[1], b.Alu(ir.BitAnd, bits, b.I32(1<<30)))}}}
	values := make([]float64, 64)
	for j := range values {
		values[j] = float64((j*37)%64) * 0.25
	}
	want := run(t, k, map[*ir.Buffer][]float64{in: values})[out]
	for _, r := range []retype.Types{{}, {Compute: ir.F64}, {Accumulate: ir.F64}, {Compute: ir.F16}, {Compute: ir.BF16}} {
		got := run(t, retype.Apply(k, r), map[*ir.Buffer][]float64{in: values})[out]
		for j := range want {
			if got[j] != want[j] {
				t.Errorf("%+v: element %d is %g, want %g", r, j, got[j], want[j])
				break
			}
		}
	}
	if h := ir.Hash(retype.Apply(k, retype.Types{})); h != ir.Hash(k) {
		t.Error("retyping to nothing changed the kernel")
	}
}
