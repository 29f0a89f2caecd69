// Package conformance compares devices with the interpreter, which defines what kernels mean. A device's test is
//
//	func TestConformance(t *testing.T) { conformance.Run(t, dev) }
//
// Integers, Bools and float arithmetic other than transcendental functions and reordered sums must agree bit by bit (NaN
// payloads apart); padding, margins, inputs and elements that no store reaches must stay as they were.
package conformance

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Case is a kernel with its inputs.
type Case struct {
	Name   string
	Kernel *ir.Kernel
	Inputs []Input
	Args   map[string]device.Scalar
	Within Tolerance
}

// Input is the contents of a buffer in C order without padding: F for float types, I for the others.
type Input struct {
	Buf *ir.Buffer
	F   []float64
	I   []int64
}

// Tolerance allows a float output to differ by ULP units in the last place (of its type, at the right value) plus Abs.
// The zero value asks for equal bits. Infinities and NaN must agree in any case.
type Tolerance struct {
	ULP float64
	Abs float64
}

// Tolerances of transcendental functions and of sums whose order is free. Results that underflow may lose the subnormal
// range: that is Tiny.
var (
	exactly       = Tolerance{}
	transcendent  = Tolerance{ULP: 4, Abs: 0x1p-140}
	tiny          = 0x1p-126
	underflowing  = Tolerance{ULP: 4, Abs: tiny}
	sums          = Tolerance{ULP: 64, Abs: 1e-4}
	contracted    = Tolerance{ULP: 16, Abs: 1e-5}
	contractedSum = Tolerance{ULP: 64, Abs: 1e-3}
)

// spec is a case that is still to be built.
type spec struct {
	name   string
	within Tolerance
	build  func(k *kit)
}

// Cases builds all cases, with new nodes and buffers each time; their contents are the same every time.
func Cases() []Case {
	var specs []spec
	for _, group := range [][]spec{
		operations(), conversions(), functions(), storage(), extents(), loads(), folds(), monoids(), stores(), puts(), applications(), marches(), neighbours(), random(), {told(ir.U16, 65535), told(ir.I32, 1<<30)},
	} {
		specs = append(specs, group...)
	}
	out := make([]Case, len(specs))
	for i, s := range specs {
		out[i] = s.make()
	}
	return out
}

func (s spec) make() Case {
	h := fnv.New64a()
	h.Write([]byte(s.name))
	k := &kit{Builder: ir.NewBuilder(), rng: rand.New(rand.NewPCG(h.Sum64(), 7)), kernel: &ir.Kernel{Name: s.name}, args: map[string]device.Scalar{}}
	s.build(k)
	return Case{Name: s.name, Kernel: k.kernel, Inputs: k.inputs, Args: k.args, Within: s.within}
}

// kit is a builder with a kernel in the making.
type kit struct {
	*ir.Builder
	rng    *rand.Rand
	kernel *ir.Kernel
	inputs []Input
	args   map[string]device.Scalar
}

// axis adds a parallel axis.
func (k *kit) axis(name string, n int) *ir.Node {
	a := k.Axis(name, n)
	k.kernel.Axes = append(k.kernel.Axes, a)
	return a
}

// arg is a launch scalar of the given value.
func (k *kit) arg(t ir.DType, name string, v float64) *ir.Node {
	k.args[name] = device.Scalar{F: v, I: int64(v)}
	return k.Arg(t, name)
}

// floats is an input buffer of a float type.
func (k *kit) floats(t ir.DType, name string, v []float64, shape ...int) *ir.Buffer {
	if shape == nil {
		shape = []int{len(v)}
	}
	b := &ir.Buffer{Name: name, Type: t, Shape: shape}
	k.inputs = append(k.inputs, Input{Buf: b, F: v})
	return b
}

// ints is an input buffer of an integer type or Bool.
func (k *kit) ints(t ir.DType, name string, v []int64, shape ...int) *ir.Buffer {
	if shape == nil {
		shape = []int{len(v)}
	}
	b := &ir.Buffer{Name: name, Type: t, Shape: shape}
	k.inputs = append(k.inputs, Input{Buf: b, I: v})
	return b
}

// noise is n values between -scale and scale.
func (k *kit) noise(n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * (2*k.rng.Float64() - 1)
	}
	return v
}

// whole is n values of lo, ..., hi.
func (k *kit) whole(n int, lo, hi int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = lo + k.rng.Int64N(hi-lo+1)
	}
	return v
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// random is an input of noise of magnitude 1.
func (k *kit) random(name string, shape ...int) *ir.Buffer {
	return k.floats(ir.F32, name, k.noise(product(shape), 1), shape...)
}

// counts is an input of small whole numbers, whose sums are exact in any order.
func (k *kit) counts(name string, shape ...int) *ir.Buffer {
	v := make([]float64, product(shape))
	for i := range v {
		v[i] = float64(k.rng.IntN(19) - 9)
	}
	return k.floats(ir.F32, name, v, shape...)
}

// at is an element of a buffer.
func (k *kit) at(b *ir.Buffer, index ...*ir.Node) *ir.Node { return k.Load(b, index...) }

// out stores a value over all axes to a new buffer of the type it computes in, and returns the buffer.
func (k *kit) out(name string, v *ir.Node) *ir.Buffer { return k.outAs(v.Type, name, v) }

func (k *kit) outAs(t ir.DType, name string, v *ir.Node) *ir.Buffer {
	shape := make([]int, len(k.kernel.Axes))
	for i, a := range k.kernel.Axes {
		shape[i] = a.Extent
	}
	b := &ir.Buffer{Name: name, Type: t, Shape: shape}
	k.kernel.Stores = append(k.kernel.Stores, ir.Store{Buf: b, Index: k.kernel.Axes, Value: v})
	return b
}

// fold is Builder.Fold from 0 with integer bounds.
func (k *kit) fold(m ir.Monoid, n *ir.Node, init []*ir.Node, body func(i *ir.Node, a []*ir.Node) []*ir.Node) []*ir.Node {
	return k.Fold(ir.FoldSpec{Lo: k.Int(n.Type, 0), Hi: n, Init: init, Monoid: m}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		return body(i, a), nil
	})
}

// sum adds up term(i) for i < n from zero.
func (k *kit) sum(n int, zero *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
	return k.fold(ir.Sum, k.I32(n), []*ir.Node{zero}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
		return []*ir.Node{k.Add(a[0], term(i))}
	})[0]
}

// within reports lo <= i < n.
func (k *kit) within(i *ir.Node, n int) *ir.Node {
	return k.And(k.Le(k.Int(i.Type, 0), i), k.Lt(i, k.Int(i.Type, int64(n))))
}

// clamp brings an index into [0, n).
func (k *kit) clamp(i *ir.Node, n int) *ir.Node {
	return k.Min(k.Max(i, k.Int(i.Type, 0)), k.Int(i.Type, int64(n-1)))
}

// real is an integer as float32.
func (k *kit) real(n *ir.Node) *ir.Node { return k.Cast(ir.F32, n) }

// edges are float values on which arithmetic is special, with some ordinary ones.
func (k *kit) edges(t ir.DType) []float64 {
	v := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.4999, 1e10, -1e10, 8388607.5, 16777216, -16777217,
		math.Inf(1), math.Inf(-1), math.NaN(), 0.1, 1.0 / 3, 2147483648, -2147483649, 1e-3, 123456.789,
	}
	if t == ir.F32 {
		v = append(v, math.MaxFloat32, -math.MaxFloat32, 0x1p-126, 0x1p-149, -0x1p-140, 1e38)
	} else {
		v = append(v, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, 0x1p-1074, -0x1p-1060, 1e308, 1<<53+2)
	}
	return append(v, k.noise(11, 4)...)
}

// integers are the same for integers of type t.
func (k *kit) integers(t ir.DType) []int64 {
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	if t == ir.I64 {
		lo, hi = math.MinInt64, math.MaxInt64
	}
	v := []int64{0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 100, 65535, 65536, -65537, lo, lo + 1, hi, hi - 1, hi / 2, lo / 2}
	return append(v, k.whole(13, -1000, 1000)...)
}
