package profile

import (
	"cmp"

	"weft/kernels/ir"
)

// Sizes of the benchmark kernels: terms in all, few vectors of points, since code for more takes longer to compile, and tables for the
// nearest cache and for one beyond.
const (
	terms   = 1 << 18
	vectors = 4
	near    = 2 << 10 // elements of float32
	far     = 1 << 20
	beside  = 4                  // elements that lie together
	own     = 128 << 10 / beside // places of these in half of a cache of a core's own
)

// env is what a term is made of: the point x, the iteration i, and buffers to read.
type env struct {
	b      *ir.Builder
	x, i   *ir.Node
	y      *ir.Node   // the outer axis of kernels over an image, else nil
	rows   *ir.Buffer // 8 x points
	record *ir.Buffer // 4 x what delays reach
	table  *ir.Buffer // as many as iterations, and a few
	large  *ir.Buffer // far
	places *ir.Buffer // the same, by elements side by side
	across float64    // slope of t over the points
	along  float64    // and over iterations
}

// newEnv is for points of an image as wide as a vector, or along a line.
func newEnv(points, trips, lanes int, image bool) env {
	b := ir.NewBuilder()
	e := env{b: b}
	if image {
		e.y, e.x = b.Axis("y", points/lanes), b.Axis("x", lanes)
	} else {
		e.x = b.Axis("x", points)
	}
	vector := func(name string, t ir.DType, shape ...int) *ir.Buffer {
		return &ir.Buffer{Name: name, Type: t, Shape: shape}
	}
	e.rows, e.table = vector("rows", ir.F32, 8, points), vector("table", ir.F32, trips+8)
	e.record, e.large = vector("record", ir.F32, 4, points+trips), vector("large", ir.F32, far)
	e.places = vector("places", ir.F32, far/beside, beside)
	e.across, e.along = 1/float64(points), 2/float64(trips)
	return e
}

// t is an argument between 0.5 and 3.5 that differs in every point and iteration.
func (e env) t(t ir.DType) *ir.Node {
	c := func(v float64) *ir.Node { return e.b.Const(t, v) }
	start := e.b.Add(e.b.Mul(e.b.Cast(t, e.x), c(e.across)), c(0.5))
	return e.b.Add(start, e.b.Mul(e.b.Cast(t, e.i), c(e.along)))
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

// over is a number over a value.
func (e env) over(v *ir.Node) *ir.Node { return e.b.Div(e.b.Const(v.Type, 1.25), v) }

// repeated is a function of itself, so many times over, of the argument.
func (e env) repeated(t ir.DType, f func(*ir.Node) *ir.Node) *ir.Node {
	v := e.t(t)
	for range again {
		v = f(v)
	}
	return v
}

// mask is the argument that holds the largest index to go to, one less than a power of two.
const mask = "mask"

// scattered is an index up to mask with no two lanes near each other.
func (e env) scattered() *ir.Node {
	b := e.b
	return b.Alu(ir.BitAnd, b.Add(b.Mul(e.x, b.I32(40503)), b.Mul(e.i, b.I32(30011))), b.Arg(ir.I32, mask))
}

// delay is an index that grows slowly over both axes, as delays over an image do.
func (e env) delay() *ir.Node {
	b := e.b
	term := func(n *ir.Node, slope float64) *ir.Node { return b.Mul(b.Cast(ir.F32, n), b.F32(slope)) }
	return b.Cast(ir.I32, b.Add(b.Add(term(e.x, 0.375), term(e.y, 0.25)), term(e.i, 0.5)))
}

// kernel sums the benchmark's term over the fold at every point.
func (m benchmark) kernel(lanes int) *ir.Kernel {
	points := cmp.Or(m.vectors, vectors) * lanes
	trips := terms / points
	e := newEnv(points, trips, lanes, m.class == Window)
	b := e.b
	e.i = b.I32(0)
	t := m.term(e).Type
	axes, shape := []*ir.Node{e.x}, []int{points}
	if e.y != nil {
		axes = []*ir.Node{e.y, e.x}
		shape = []int{e.y.Extent, e.x.Extent}
	}
	out := &ir.Buffer{Name: "out", Type: t, Shape: shape}
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(trips), Init: []*ir.Node{b.Const(t, 0)}, Monoid: ir.Ordered}
	was := func(acc *ir.Node) *ir.Node { return acc }
	if m.chained {
		was = func(acc *ir.Node) *ir.Node { return b.Mul(acc, b.Const(t, 0.75)) }
	}
	sum := b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		e.i = i
		return []*ir.Node{b.Add(was(acc[0]), m.term(e))}, nil
	})
	return storing(string(m.class), out, axes, sum[0])
}

// storing is a kernel that stores a value at every point.
func storing(name string, out *ir.Buffer, axes []*ir.Node, value *ir.Node) *ir.Kernel {
	return &ir.Kernel{Name: "profile." + name, Axes: axes, Contract: true, Stores: []ir.Store{{Buf: out, Index: axes, Value: value}}}
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
	return storing(name, out, []*ir.Node{x}, value(b, in))
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
