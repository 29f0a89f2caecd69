package ir

import (
	"strings"
	"testing"
)

// sampleKernel is a small matrix-vector product with a guard.
func sampleKernel() *Kernel {
	b := NewBuilder()
	a := &Buffer{Name: "a", Type: F32, Shape: []int{6, 9}, Pad: Pad{Before: 2, After: 2}}
	x := &Buffer{Name: "x", Type: F16, Shape: []int{9}}
	y := &Buffer{Name: "y", Type: F32, Shape: []int{6}}
	i := b.Axis("row", 6)
	scale := b.Arg(F32, "scale")
	dot := b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(9), Init: []*Node{b.F32(0)}, Monoid: Sum}, func(j *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Add(acc[0], b.Mul(b.Load(a, i, j), b.Load(x, j)))}, nil
	})
	positive := b.Lt(b.F32(0), dot[0])
	return &Kernel{Name: "matvec", Axes: []*Node{i}, Stores: []Store{{Buf: y, Index: []*Node{i}, Value: b.Mul(scale, dot[0]), Guard: positive}}}
}

func TestPrint(t *testing.T) {
	const want = `kernel matvec
  axis row 6
  arg scale f32
  buffer y f32[6]
  buffer a f32[6 9] pad 2+2 of 0
  buffer x f16[9]
  f1 = sum fold i1 in 0i32..9i32 from 0f32
    v0 = a[row, i1]
    v1 = x[i1]
    v2 = mul v0, v1
    v3 = add a1.0, v2
    next v3
  v4 = mul scale, f1.0
  v5 = lt 0f32, f1.0
  y[row] = v4 if v5
`
	if got := sampleKernel().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPrintHoists(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 3)
	y := &Buffer{Name: "y", Type: I32, Shape: []int{3}}
	sum := sumOver(b, b.I32(0), b.I32(4), func(i *Node) *Node {
		return sumOver(b, b.I32(0), i, func(j *Node) *Node { return b.Add(j, b.Mul(x, x)) })
	})
	text := (&Kernel{Name: "k", Axes: []*Node{x}, Stores: []Store{{Buf: y, Index: []*Node{x}, Value: sum}}}).String()
	if strings.Index(text, "mul x, x") > strings.Index(text, "fold") {
		t.Errorf("a value that no fold changes stands inside one:\n%s", text)
	}
}

func TestHashIgnoresNamesOnly(t *testing.T) {
	base := Hash(sampleKernel())
	if Hash(sampleKernel()) != base {
		t.Fatal("the hash depends on the builder")
	}
	renamed := sampleKernel()
	renamed.Name = "other"
	renamed.Axes[0].Name = "i"
	renamed.Stores[0].Buf.Name = "out"
	if Hash(renamed) != base {
		t.Error("the hash depends on names")
	}
	for name, change := range map[string]func(k *Kernel){
		"contract":  func(k *Kernel) { k.Contract = true },
		"extent":    func(k *Kernel) { k.Axes[0].Extent = 5 },
		"type":      func(k *Kernel) { k.Stores[0].Buf.Type = F16 },
		"shape":     func(k *Kernel) { k.Stores[0].Buf.Shape[0] = 7 },
		"padding":   func(k *Kernel) { k.Stores[0].Buf.Pad.After = 3 },
		"pad value": func(k *Kernel) { k.Inputs()[0].Pad.Value = 3 },
		"mono":      func(k *Kernel) { k.Inputs()[0].Facts.Mono = 1 },
		"guard":     func(k *Kernel) { k.Stores[0].Guard = nil },
		"adds":      func(k *Kernel) { k.Stores[0].Adds = true },
		"in":        func(k *Kernel) { k.Stores[0].In = k.Stores[0].Value.Args[1].Fold },
		"monoid":    func(k *Kernel) { k.Stores[0].Value.Args[1].Fold.Monoid = Ordered },
	} {
		k := sampleKernel()
		change(k)
		if Hash(k) == base {
			t.Errorf("the hash does not see a change of %s", name)
		}
	}
}

func TestCheckPassesAGoodKernel(t *testing.T) {
	if err := Check(sampleKernel()); err != nil {
		t.Error(err)
	}
}

// bad is what a check case builds on.
type bad struct {
	b         *Builder
	x         *Node
	out, ints *Buffer
	kernel    *Kernel
}

func (s *bad) store(v *Node) {
	s.kernel.Stores = append(s.kernel.Stores, Store{Buf: s.out, Index: []*Node{s.x}, Value: v})
}

// foldOf stores the first result of a fold of the given monoid over init.
func (s *bad) foldOf(m Monoid, init []*Node, body func(i *Node, acc []*Node) ([]*Node, *Node)) []*Node {
	out := s.b.Fold(FoldSpec{Lo: s.b.I32(0), Hi: s.b.I32(5), Init: init, Monoid: m}, body)
	v := out[0]
	if v.Type != F32 {
		v = s.b.Cast(F32, v)
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
		{"foreign axis", "outside of its scope", func(s *bad) { s.store(s.b.Cast(F32, s.b.Axis("lost", 3))) }},
		{"value type", "value is i32, the buffer takes f32", func(s *bad) { s.store(s.x) }},
		{"guard type", "guard is i32, not bool", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Guard = s.x }},
		{"index count", "0 indices for 1 axes", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Index = nil }},
		{"index type", "index 0 is f32", func(s *bad) { s.store(s.b.Load(s.ints, s.b.F32(1))) }},
		{"adds", "no store before it has written", func(s *bad) { s.store(s.b.F32(1)); s.kernel.Stores[0].Adds = true }},
		{"adds without a fold", "and in a fold", func(s *bad) { s.store(s.b.F32(1)); s.store(s.b.F32(1)); s.kernel.Stores[1].Adds = true }},
		{"adds once for all", "added once for all [x]", func(s *bad) {
			s.store(s.b.F32(1))
			s.kernel.Stores = append(s.kernel.Stores, Store{Buf: s.out, Index: []*Node{s.b.I32(1)}, Value: s.b.F32(1), Adds: true,
				In: s.b.Turns("i", s.b.I32(0), s.b.I32(3), nil, func(*Node) {})})
		}},
		{"stored in a sum", "is a sum, not ordered", func(s *bad) {
			sum := s.foldOf(Sum, []*Node{s.b.Cast(F32, s.x)}, func(i *Node, a []*Node) ([]*Node, *Node) { return []*Node{s.b.Add(a[0], s.b.F32(1))}, nil })
			s.kernel.Stores[0].In = sum[0].Fold
		}},
		{"stored in another fold", "outside of its scope", func(s *bad) {
			var i *Node
			s.b.Turns("i", s.b.I32(0), s.b.I32(3), []*Node{s.x}, func(n *Node) { i = n })
			f := s.b.Turns("j", s.b.I32(0), s.b.I32(3), []*Node{s.x}, func(*Node) {})
			s.kernel.Stores = append(s.kernel.Stores, Store{Buf: s.out, Index: []*Node{i}, Value: s.b.F32(1), In: f})
		}},
		{"stored in a fold that an axis does not change", "uses [x] outside", func(s *bad) {
			f := s.b.Turns("j", s.b.I32(0), s.b.I32(3), nil, func(*Node) {})
			s.kernel.Stores = append(s.kernel.Stores, Store{Buf: s.out, Index: []*Node{s.x}, Value: s.b.F32(1), In: f})
		}},
		{"in place", "both loaded and stored", func(s *bad) { s.store(s.b.Load(s.out, s.x)) }},
		{"pad value", "padded with 0.5, which is no i32", func(s *bad) {
			s.ints.Pad = Pad{Before: 1, Value: 0.5}
			s.store(s.b.Cast(F32, s.b.Load(s.ints, s.x)))
		}},
		{"own operation", "belongs to renderers", func(s *bad) { s.store(s.b.Own(OwnOp, s.b.F32(1))) }},
		{"storage type", "f16 is a storage type", func(s *bad) { s.store(s.b.Cast(F32, s.b.Cast(F16, s.b.F32(1)))) }},
		{"while with monoid", "a fold with a while runs in order", func(s *bad) {
			s.foldOf(Sum, []*Node{s.b.F32(0)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Add(a[0], s.b.F32(1))}, s.b.Lt(a[0], s.b.F32(9))
			})
		}},
		{"sum that multiplies", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(Sum, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Mul(a[0], s.b.F32(2))}, nil
			})
		}},
		{"sum with the accumulator in the term", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(Sum, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Add(a[0], s.b.Mul(a[0], s.b.F32(2)))}, nil
			})
		}},
		{"sum taken from a term", "is not the accumulator add terms", func(s *bad) {
			s.foldOf(Sum, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Sub(s.b.F32(2), a[0])}, nil
			})
		}},
		{"any of numbers", "is not the accumulator or terms", func(s *bad) {
			s.foldOf(Any, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) { return a, nil })
		}},
		{"argmin of one", "steps (value, index)", func(s *bad) {
			s.foldOf(ArgMin, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Min(s.b.F32(1), a[0])}, nil
			})
		}},
		{"argmax that compares as argmin", "steps (value, index)", func(s *bad) {
			s.foldOf(ArgMax, []*Node{s.b.F32(1), s.b.I32(0)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				v := s.b.Cast(F32, i)
				c := s.b.Lt(v, a[0])
				return []*Node{s.b.Select(c, v, a[0]), s.b.Select(c, i, a[1])}, nil
			})
		}},
		{"accumulator outside", "outside of its scope", func(s *bad) {
			out := s.foldOf(Ordered, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) { return a, nil })
			s.store(out[0].Fold.Accs[0])
		}},
		{"accumulator of another fold", "outside of its scope", func(s *bad) {
			var stray *Node
			s.foldOf(Ordered, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) { stray = a[0]; return a, nil })
			s.foldOf(Sum, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) {
				return []*Node{s.b.Add(a[0], stray)}, nil
			})
		}},
		{"step type", "accumulator 0 is f32, starts as f32 and steps to i32", func(s *bad) {
			s.foldOf(Ordered, []*Node{s.b.F32(1)}, func(i *Node, a []*Node) ([]*Node, *Node) { return []*Node{i}, nil })
		}},
		{"table too small", "it takes at least", func(s *bad) {
			h := &Buffer{Name: "h", Type: F32, Shape: []int{20, 20}}
			h.Facts.Max = &MaxPyramid{Top: &Buffer{Name: "top", Type: F32}, Tables: []MaxTable{
				{Buf: &Buffer{Name: "tab", Type: F32, Shape: []int{2, 3}}, Shift: 3, Rows: 8, Cols: 8}}}
			s.store(s.b.Load(h, s.x, s.x))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder()
			x := b.Axis("x", 4)
			s := &bad{b: b, x: x, kernel: &Kernel{Name: "k", Axes: []*Node{x}},
				out: &Buffer{Name: "out", Type: F32, Shape: []int{4}}, ints: &Buffer{Name: "ints", Type: I32, Shape: []int{4}}}
			c.build(s)
			err := Check(s.kernel)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q\n%s", err, c.want, s.kernel)
			}
		})
	}
}

func TestCheckAcceptsMonoidForms(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 4)
	v := b.Cast(F32, x)
	for name, f := range map[string]struct {
		monoid Monoid
		init   []*Node
		step   func(i *Node, a []*Node) []*Node
	}{
		"long sum": {Sum, []*Node{v, v}, func(i *Node, a []*Node) []*Node {
			return []*Node{b.Sub(b.Add(v, b.Add(a[0], v)), v), a[1]}
		}},
		"product": {Product, []*Node{v}, func(i *Node, a []*Node) []*Node { return []*Node{b.Mul(v, a[0])} }},
		"largest": {Largest, []*Node{v}, func(i *Node, a []*Node) []*Node { return []*Node{b.Max(v, a[0])} }},
		"any":     {Any, []*Node{b.False()}, func(i *Node, a []*Node) []*Node { return []*Node{b.Or(b.Lt(v, v), a[0])} }},
		"argmax": {ArgMax, []*Node{v, x}, func(i *Node, a []*Node) []*Node {
			w := b.Cast(F32, i)
			c := b.Lt(a[0], w)
			return []*Node{b.Select(c, w, a[0]), b.Select(c, i, a[1])}
		}},
		"argmin by Min": {ArgMin, []*Node{v, x}, func(i *Node, a []*Node) []*Node {
			w := b.Cast(F32, i)
			return []*Node{b.Min(w, a[0]), b.Select(b.Lt(w, a[0]), i, a[1])}
		}},
	} {
		out := b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(3), Init: f.init, Monoid: f.monoid}, func(i *Node, a []*Node) ([]*Node, *Node) {
			return f.step(i, a), nil
		})
		value := b.Cast(F32, out[0])
		buf := &Buffer{Name: "o", Type: F32, Shape: []int{4}}
		if err := Check(&Kernel{Name: name, Axes: []*Node{x}, Stores: []Store{{Buf: buf, Index: []*Node{x}, Value: value}}}); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckReportsEverything(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 4)
	out := &Buffer{Name: "out", Type: F32, Shape: []int{4}, Pad: Pad{Before: -1}}
	err := Check(&Kernel{Name: "k", Axes: []*Node{x, x}, Stores: []Store{{Buf: out, Index: nil, Value: x}}})
	for _, want := range []string{"listed twice", "padding -1", "0 indices", "value is i32"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
