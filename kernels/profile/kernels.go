package profile

import (
	"weft/kernels/ir"
)

// Sizes of the benchmark kernels: some 0.3 million terms each, and tables for the nearest cache and for one beyond.
const (
	points = 1024
	side   = 32 // of as many points in a square
	trips  = 256
	near   = 2 << 10 // elements of float32
	far    = 1 << 20
)

// env is what a term is made of: the point x, the iteration i, and buffers to read.
type env struct {
	b            *ir.Builder
	x, i         *ir.Node
	y            *ir.Node   // the outer axis of kernels over a square, else nil
	rows         *ir.Buffer // 8 x points
	table        *ir.Buffer // points
	small, large *ir.Buffer // near, far
}

func newEnv(square bool) env {
	b := ir.NewBuilder()
	e := env{b: b}
	if square {
		e.y, e.x = b.Axis("y", side), b.Axis("x", side)
	} else {
		e.x = b.Axis("x", points)
	}
	vector := func(name string, t ir.DType, shape ...int) *ir.Buffer {
		return &ir.Buffer{Name: name, Type: t, Shape: shape}
	}
	e.rows, e.table = vector("rows", ir.F32, 8, points), vector("table", ir.F32, points)
	e.small, e.large = vector("small", ir.F32, near), vector("large", ir.F32, far)
	return e
}

// t is an argument between 0.5 and 4 that differs in every point and iteration.
func (e env) t(t ir.DType) *ir.Node {
	c := func(v float64) *ir.Node { return e.b.Const(t, v) }
	start := e.b.Add(e.b.Mul(e.b.Cast(t, e.x), c(0x1p-9)), c(0.5))
	return e.b.Add(start, e.b.Mul(e.b.Cast(t, e.i), c(0x1p-8)))
}

// horner is a polynomial of degree 8 by Horner's rule: 8 multiplications and 8 additions.
func (e env) horner(t ir.DType) *ir.Node {
	v := e.t(t)
	sum := e.b.Const(t, 0.125)
	for k := range 8 {
		sum = e.b.Add(e.b.Mul(sum, v), e.b.Const(t, 0.25+float64(k)))
	}
	return sum
}

// scattered is an index into n elements, a power of two, with no two lanes near each other.
func (e env) scattered(n int) *ir.Node {
	b := e.b
	return b.Alu(ir.BitAnd, b.Add(b.Mul(e.x, b.I32(40503)), b.Mul(e.i, b.I32(30011))), b.I32(n-1))
}

// slope is an index that grows slowly over both axes, as delays over an image do.
func (e env) slope() *ir.Node {
	b := e.b
	term := func(n *ir.Node, slope float64) *ir.Node { return b.Mul(b.Cast(ir.F32, n), b.F32(slope)) }
	return b.Cast(ir.I32, b.Add(b.Add(term(e.x, 0.375), term(e.y, 0.25)), term(e.i, 0.5)))
}

// kernel sums the benchmark's term over the fold at every point.
func (m benchmark) kernel() *ir.Kernel {
	e := newEnv(m.class == Window)
	b := e.b
	e.i = b.I32(0)
	t := m.term(e).Type
	axes, shape := []*ir.Node{e.x}, []int{points}
	if e.y != nil {
		axes, shape = []*ir.Node{e.y, e.x}, []int{side, side}
	}
	out := &ir.Buffer{Name: "out", Type: t, Shape: shape}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(trips), Init: []*ir.Node{b.Const(t, 0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		e.i = i
		return []*ir.Node{b.Add(acc[0], m.term(e))}, nil
	})
	return &ir.Kernel{Name: "profile." + string(m.class), Axes: axes, Contract: true, Stores: []ir.Store{{Buf: out, Index: axes, Value: sum[0]}}}
}

// stream is a kernel over one-dimensional arrays: out[x] = value(in[0][x], ...).
func stream(name string, n, inputs int, value func(b *ir.Builder, in []*ir.Node) *ir.Node) *ir.Kernel {
	b := ir.NewBuilder()
	x := b.Axis("x", n)
	var in []*ir.Node
	for range inputs {
		in = append(in, b.Load(&ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{n}}, x))
	}
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{n}}
	return &ir.Kernel{Name: "profile." + name, Axes: []*ir.Node{x}, Contract: true, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: value(b, in)}}}
}

// The kernels of memory, over n elements.
func fillKernel(n int) *ir.Kernel {
	return stream("fill", n, 0, func(b *ir.Builder, _ []*ir.Node) *ir.Node { return b.F32(1) })
}

func copyKernel(n int) *ir.Kernel {
	return stream("copy", n, 1, func(_ *ir.Builder, in []*ir.Node) *ir.Node { return in[0] })
}

func triadKernel(n int) *ir.Kernel {
	return stream("triad", n, 2, func(b *ir.Builder, in []*ir.Node) *ir.Node { return b.Add(in[0], b.Mul(b.F32(3), in[1])) })
}
