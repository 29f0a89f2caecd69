package rules

import (
	"strings"
	"testing"

	"weft/kernels/ir"
)

// bad is what a check case builds on.
type bad struct {
	b         *ir.Builder
	x         *ir.Node
	out, ints *ir.Buffer
	kernel    *ir.Kernel
}

func (s *bad) store(v *ir.Node) {
	s.kernel.Stores = append(s.kernel.Stores, ir.Store{Buf: s.out, Index: []*ir.Node{s.x}, Value: v})
}

// foldOf stores the first result of a fold of the given monoid over init.
func (s *bad) foldOf(m ir.Monoid, init []*ir.Node, body func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node)) []*ir.Node {
	out := s.b.Fold(ir.FoldSpec{Lo: s.b.I32(0), Hi: s.b.I32(5), Init: init, Monoid: m}, body)
	v := out[0]
	if v.Type != ir.F32 {
		v = s.b.Cast(ir.F32, v)
	}
	s.store(v)
	return out
}

func TestCheckFinds(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(s *bad)
	}{
		{"nothing stored", "stores nothing", func(s *bad) {}},
		{"axis twice", "axis x is listed twice", func(s *bad) { s.kernel.Axes = append(s.kernel.Axes, s.x); s.store(s.b.F32(1)) }},
		{"foreign axis", "outside of its scope", func(s *bad) { s.store(s.b.Cast(ir.F32, s.b.Axis("lost", 3))) }},
		{"value type", "value is i32, the buffer takes f32", func(s *bad) { s.store(s.x) }},
		{"guard type", "guard is i32, not bool", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Guard = s.x }},
		{"index count", "0 indices for 1 axes", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Index = nil }},
		{"index type", "index 0 is f32", func(s *bad) { s.store(s.b.Load(s.ints, s.b.F32(1))) }},
		{"adds", "no store before it has written", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Adds = true }},
		{"adds without a fold", "and in a fold", func(s *bad) { s.store(s.b.F32(1)); s.store(s.b.F32(1)); s.kernel.Stores[1].Adds = true }},
		{"adds once for all", "added once for all [x]", func(s *bad) {
			s.store(s.b.F32(1))
			s.kernel.Stores = append(s.kernel.Stores, ir.Store{Buf: s.out, Index: []*ir.Node{s.b.I32(1)}, Value: s.b.F32(1), Adds: true,
				In: s.b.Turns("i", s.b.I32(0), s.b.I32(3), nil, func(*ir.Node) {})})
		}},
		{"stored in a sum", "is a sum, not ordered", func(s *bad) {
			sum := s.foldOf(ir.Sum, []*ir.Node{s.b.Cast(ir.F32, s.x)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Add(a[0], s.b.F32(1))}, nil
			})
			s.kernel.Stores[0].In = sum[0].Fold
		}},
		{"stored in another fold", "outside of its scope", func(s *bad) {
			var i *ir.Node
			s.b.Turns("i", s.b.I32(0), s.b.I32(3), []*ir.Node{s.x}, func(n *ir.Node) { i = n })
			f := s.b.Turns("j", s.b.I32(0), s.b.I32(3), []*ir.Node{s.x}, func(*ir.Node) {})
			s.kernel.Stores = append(s.kernel.Stores, ir.Store{Buf: s.out, Index: []*ir.Node{i}, Value: s.b.F32(1), In: f})
		}},
		{"stored in a fold that an axis does not change", "uses [x] outside", func(s *bad) {
			f := s.b.Turns("j", s.b.I32(0), s.b.I32(3), nil, func(*ir.Node) {})
			s.kernel.Stores = append(s.kernel.Stores, ir.Store{Buf: s.out, Index: []*ir.Node{s.x}, Value: s.b.F32(1), In: f})
		}},
		{"in place", "both loaded and stored", func(s *bad) { s.store(s.b.Load(s.out, s.x)) }},
		{"pad value", "padded with 0.5, which is no i32", func(s *bad) {
			s.ints.Pad = ir.Pad{Before: 1, Value: 0.5}
			s.store(s.b.Cast(ir.F32, s.b.Load(s.ints, s.x)))
		}},
		{"own operation", "belongs to renderers", func(s *bad) { s.store(s.b.Own(ir.OwnOp, s.b.F32(1))) }},
		{"storage type", "f16 is a storage type", func(s *bad) { s.store(s.b.Cast(ir.F32, s.b.Cast(ir.F16, s.b.F32(1)))) }},
		{"while with monoid", "a fold with a while runs in order", func(s *bad) {
			s.foldOf(ir.Sum, []*ir.Node{s.b.F32(0)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Add(a[0], s.b.F32(1))}, s.b.Lt(a[0], s.b.F32(9))
			})
		}},
		{"sum that multiplies", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(ir.Sum, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Mul(a[0], s.b.F32(2))}, nil
			})
		}},
		{"sum with the accumulator in the term", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(ir.Sum, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Add(a[0], s.b.Mul(a[0], s.b.F32(2)))}, nil
			})
		}},
		{"sum taken from a term", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(ir.Sum, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Sub(s.b.F32(2), a[0])}, nil
			})
		}},
		{"any of numbers", "is not the accumulator or terms", func(s *bad) {
			s.foldOf(ir.Any, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) { return a, nil })
		}},
		{"argmin of one", "steps (value, index)", func(s *bad) {
			s.foldOf(ir.ArgMin, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Min(s.b.F32(1), a[0])}, nil
			})
		}},
		{"argmax that compares as argmin", "steps (value, index)", func(s *bad) {
			s.foldOf(ir.ArgMax, []*ir.Node{s.b.F32(1), s.b.I32(0)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				v := s.b.Cast(ir.F32, i)
				c := s.b.Lt(v, a[0])
				return []*ir.Node{s.b.Select(c, v, a[0]), s.b.Select(c, i, a[1])}, nil
			})
		}},
		{"accumulator outside", "outside of its scope", func(s *bad) {
			out := s.foldOf(ir.Ordered, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) { return a, nil })
			s.store(out[0].Fold.Accs[0])
		}},
		{"accumulator of another fold", "outside of its scope", func(s *bad) {
			var stray *ir.Node
			s.foldOf(ir.Ordered, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) { stray = a[0]; return a, nil })
			s.foldOf(ir.Sum, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{s.b.Add(a[0], stray)}, nil
			})
		}},
		{"step type", "accumulator 0 is f32, starts as f32 and steps to i32", func(s *bad) {
			s.foldOf(ir.Ordered, []*ir.Node{s.b.F32(1)}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) { return []*ir.Node{i}, nil })
		}},
		{"table too small", "it takes at least", func(s *bad) {
			h := &ir.Buffer{Name: "h", Type: ir.F32, Shape: []int{20, 20}}
			h.Facts.Max = &ir.MaxPyramid{Top: &ir.Buffer{Name: "top", Type: ir.F32}, Tables: []ir.MaxTable{
				{Buf: &ir.Buffer{Name: "tab", Type: ir.F32, Shape: []int{2, 3}}, Shift: 3, Rows: 8, Cols: 8}}}
			s.store(s.b.Load(h, s.x, s.x))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := ir.NewBuilder()
			x := b.Axis("x", 4)
			s := &bad{b: b, x: x, kernel: &ir.Kernel{Name: "k", Axes: []*ir.Node{x}},
				out: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{4}}, ints: &ir.Buffer{Name: "ints", Type: ir.I32, Shape: []int{4}}}
			c.build(s)
			err := Check(s.kernel)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q\n%s", err, c.want, s.kernel)
			}
		})
	}
}

func TestCheckAcceptsMonoidForms(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 4)
	v := b.Cast(ir.F32, x)
	for name, f := range map[string]struct {
		monoid ir.Monoid
		init   []*ir.Node
		step   func(i *ir.Node, a []*ir.Node) []*ir.Node
	}{
		"long sum": {ir.Sum, []*ir.Node{v, v}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Sub(b.Add(v, b.Add(a[0], v)), v), a[1]}
		}},
		"product": {ir.Product, []*ir.Node{v}, func(i *ir.Node, a []*ir.Node) []*ir.Node { return []*ir.Node{b.Mul(v, a[0])} }},
		"largest": {ir.Largest, []*ir.Node{v}, func(i *ir.Node, a []*ir.Node) []*ir.Node { return []*ir.Node{b.Max(v, a[0])} }},
		"any":     {ir.Any, []*ir.Node{b.False()}, func(i *ir.Node, a []*ir.Node) []*ir.Node { return []*ir.Node{b.Or(b.Lt(v, v), a[0])} }},
		"argmax": {ir.ArgMax, []*ir.Node{v, x}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
			w := b.Cast(ir.F32, i)
			c := b.Lt(a[0], w)
			return []*ir.Node{b.Select(c, w, a[0]), b.Select(c, i, a[1])}
		}},
		"argmin by Min": {ir.ArgMin, []*ir.Node{v, x}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
			w := b.Cast(ir.F32, i)
			return []*ir.Node{b.Min(w, a[0]), b.Select(b.Lt(w, a[0]), i, a[1])}
		}},
	} {
		out := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(3), Init: f.init, Monoid: f.monoid}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return f.step(i, a), nil
		})
		value := b.Cast(ir.F32, out[0])
		buf := &ir.Buffer{Name: "o", Type: ir.F32, Shape: []int{4}}
		if err := Check(&ir.Kernel{Name: name, Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: buf, Index: []*ir.Node{x}, Value: value, Guard: b.Lt(value, v)}}}); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckReportsEverything(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 4)
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{4}, Pad: ir.Pad{Before: -1}}
	err := Check(&ir.Kernel{Name: "k", Axes: []*ir.Node{x, x}, Stores: []ir.Store{{Buf: out, Index: nil, Value: x}}})
	for _, want := range []string{"listed twice", "padding -1", "0 indices", "value is i32"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
