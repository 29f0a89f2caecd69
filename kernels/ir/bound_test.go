package ir

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// scene is a random expression over two lane axes and a fold index, with buffers that have facts.
type scene struct {
	b       *Builder
	x, y, k *Node
	rising  *Buffer
	falling *Buffer
	either  *Buffer
	hills   *Buffer
	data    map[*Buffer][]float64
}

const sceneRows, sceneCols = 24, 40

func newScene(t *rapid.T) *scene {
	b := NewBuilder()
	s := &scene{b: b, x: b.Axis("x", 4), y: b.Axis("y", 3), data: map[*Buffer][]float64{}}
	b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(8), Init: []*Node{b.I32(0)}}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		s.k = i
		return acc, nil
	})
	s.rising = s.mono(t, "rising", 1)
	s.falling = s.mono(t, "falling", -1)
	s.either = s.mono(t, "either", 2*rapid.IntRange(0, 1).Draw(t, "way")-1)
	s.either.Facts.Mono = MonoEither
	s.hills = &Buffer{Name: "hills", Type: F32, Shape: []int{sceneRows, sceneCols}}
	s.hills.Facts.Max = s.pyramid(t)
	return s
}

func (s *scene) mono(t *rapid.T, name string, sign int) *Buffer {
	buf := &Buffer{Name: name, Type: F32, Shape: []int{16}, Facts: Facts{Mono: sign}}
	v := float64(rapid.IntRange(-20, 20).Draw(t, name))
	for range 16 {
		s.data[buf] = append(s.data[buf], v)
		v += float64(sign*rapid.IntRange(0, 3).Draw(t, "step")) / 2
	}
	return buf
}

// pyramid fills the hills and one table, whose entries bound the rows and columns its promise names.
func (s *scene) pyramid(t *rapid.T) *MaxPyramid {
	const shift, rows, cols = 2, 7, 9
	h := make([]float64, sceneRows*sceneCols)
	seed := rapid.Uint64().Draw(t, "hills")
	for i := range h {
		seed = seed*6364136223846793005 + 1442695040888963407
		h[i] = float64(seed>>40) / 1024
	}
	h[int(seed>>33)%len(h)] = math.NaN()
	s.data[s.hills] = h
	tr, tc := (sceneRows+3)>>shift, (sceneCols+3)>>shift
	table := &Buffer{Name: "table", Type: F32, Shape: []int{tr, tc}}
	top := &Buffer{Name: "top", Type: F32}
	all := math.Inf(-1)
	for r := range tr {
		for c := range tc {
			m := math.Inf(-1)
			for i := r << shift; i < min(r<<shift+rows, sceneRows); i++ {
				for j := c << shift; j < min(c<<shift+cols, sceneCols); j++ {
					if v := h[i*sceneCols+j]; v > m {
						m = v
					}
				}
			}
			s.data[table] = append(s.data[table], m)
			all = max(all, m)
		}
	}
	s.data[top] = []float64{all}
	return &MaxPyramid{Top: top, Tables: []MaxTable{{Buf: table, Shift: shift, Rows: rows, Cols: cols, Block: 4}}}
}

func (s *scene) integer(t *rapid.T, depth int) *Node {
	b := s.b
	leaf := func() *Node {
		return rapid.SampledFrom([]*Node{s.x, s.y, s.k, b.I32(rapid.IntRange(-5, 9).Draw(t, "c"))}).Draw(t, "leaf")
	}
	if depth == 0 {
		return leaf()
	}
	a, c := s.integer(t, depth-1), s.integer(t, depth-1)
	positive := b.I32(rapid.IntRange(1, 4).Draw(t, "m"))
	switch rapid.IntRange(0, 14).Draw(t, "int op") {
	case 0:
		return b.Add(a, c)
	case 1:
		return b.Sub(a, c)
	case 2:
		return b.Mul(a, c)
	case 3:
		return b.Mul(a, a)
	case 4:
		return b.Min(a, c)
	case 5:
		return b.Max(a, c)
	case 6:
		return b.Abs(a)
	case 7:
		return b.Neg(a)
	case 8:
		return b.Mod(a, positive)
	case 9:
		return b.Div(a, b.Mul(positive, b.I32(rapid.SampledFrom([]int{-1, 1}).Draw(t, "s"))))
	case 10:
		return b.Alu(Shr, a, positive)
	case 11:
		return b.Alu(Shl, a, positive)
	case 12:
		return b.Select(b.Lt(a, positive), a, c)
	case 13:
		return b.Cast(I32, b.Alu(Rint, b.Mul(b.F32(0.5), b.Cast(F32, a))))
	}
	return leaf()
}

func clampTo(b *Builder, i *Node, n int) *Node { return b.Min(b.Max(i, b.I32(0)), b.I32(n-1)) }

func (s *scene) float(t *rapid.T, depth int) *Node {
	b := s.b
	leaf := func() *Node {
		switch rapid.IntRange(0, 5).Draw(t, "float leaf") {
		case 0:
			return b.Load(s.rising, clampTo(b, s.integer(t, 1), 16))
		case 1:
			return b.Load(s.falling, clampTo(b, s.integer(t, 1), 16))
		case 2:
			return b.Load(s.either, clampTo(b, s.integer(t, 1), 16))
		case 3:
			i := s.integer(t, 1)
			in := b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(16)))
			return b.LoadOr(s.rising, in, b.Cast(F32, s.x), i)
		case 4:
			return b.Load(s.hills, clampTo(b, s.integer(t, 2), sceneRows), clampTo(b, s.integer(t, 2), sceneCols))
		}
		return b.Mul(b.Cast(F32, s.integer(t, 1)), b.F32(0.375))
	}
	if depth == 0 {
		return leaf()
	}
	a, c := s.float(t, depth-1), s.float(t, depth-1)
	switch rapid.IntRange(0, 12).Draw(t, "float op") {
	case 0:
		return b.Add(a, c)
	case 1:
		return b.Sub(a, c)
	case 2:
		return b.Mul(a, c)
	case 3:
		return b.Mul(a, a)
	case 4:
		return b.Min(a, c)
	case 5:
		return b.Max(a, c)
	case 6:
		return b.Abs(a)
	case 7:
		return b.Sqrt(a)
	case 8:
		return b.Alu(Floor, a)
	case 9:
		return b.Div(a, b.Add(b.Abs(c), b.F32(0.5)))
	case 10:
		return b.Select(b.Lt(a, c), c, a)
	case 11:
		return b.Alu(Sin, a)
	}
	return leaf()
}

// each calls f at every point of the scene's domain.
func (s *scene) each(k0, k1 int, f func(e *env)) {
	e := &env{vars: map[*Node]float64{}, bufs: s.data}
	for x := range s.x.Extent {
		for y := range s.y.Extent {
			for k := k0; k < k1; k++ {
				e.vars[s.x], e.vars[s.y], e.vars[s.k] = float64(x), float64(y), float64(k)
				f(e)
			}
		}
	}
}

// nanBelow reports a value with a NaN operand somewhere: such points do not count without Bounder.NaNs.
func nanBelow(e *env, n *Node) bool {
	found := false
	WalkNodes([]*Node{n}, func(m *Node) {
		if m.Type.Float() && m.Kind != KFold && !found {
			found = math.IsNaN(e.eval(m))
		}
	})
	return found
}

func TestBoundHoldsEverywhere(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newScene(t)
		n := s.float(t, 2)
		if rapid.Bool().Draw(t, "int") {
			n = s.integer(t, 3)
		}
		k0 := rapid.IntRange(0, 6).Draw(t, "k0")
		k1 := rapid.IntRange(k0+1, 8).Draw(t, "k1")
		ends := map[*Node][2]*Node{
			s.x: {s.b.I32(0), s.b.I32(3)}, s.y: {s.b.I32(0), s.b.I32(2)}, s.k: {s.b.I32(k0), s.b.I32(k1 - 1)},
		}
		if rapid.Bool().Draw(t, "lanes only") {
			delete(ends, s.k)
		}
		q := &Bounder{B: s.b, NaNs: rapid.Bool().Draw(t, "NaNs"), Table: func(*MaxPyramid) int { return rapid.IntRange(-1, 0).Draw(t, "table") }}
		for v := range ends {
			q.Over = q.Over.Or(v.Bind())
		}
		q.Leaf = func(n *Node, side Side) *Node { return ends[n][side] }
		for side := range Side(2) {
			m := q.Bound(n, side)
			if m == nil {
				continue
			}
			known++
			if q.Varies(m) {
				t.Fatalf("bound varies")
			}
			s.each(k0, k1, func(e *env) {
				v, w := e.eval(n), e.eval(m)
				if math.IsNaN(v) || !q.NaNs && nanBelow(e, n) {
					return
				}
				if side == Lo && !(w <= v) || side == Hi && !(w >= v) {
					t.Fatalf("side %d: value %v, bound %v", side, v, w)
				}
			})
		}
	})
	if known == 0 {
		t.Error("no bound was found at all")
	}
}

func TestRangeHoldsEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScene(t)
		n := s.float(t, 2)
		if rapid.Bool().Draw(t, "int") {
			n = s.integer(t, 3)
		}
		lo, hi, _ := RangeOf(n, nil)
		s.each(0, 8, func(e *env) {
			if v := e.eval(n); v < lo || v > hi {
				t.Fatalf("value %v outside [%v, %v]", v, lo, hi)
			}
		})
	})
}

// TestBoundOfATriangle has no point of a box beside a triangle take the end that those in it have.
func TestBoundOfATriangle(t *testing.T) {
	b := NewBuilder()
	i, j := b.Axis("i", 100), b.Axis("j", 100)
	end := b.Select(b.Le(j, i), b.I32(7), b.I32(0))
	for _, c := range []struct {
		i, j   [2]int
		lo, hi float64
	}{
		{[2]int{0, 9}, [2]int{10, 19}, 0, 0}, {[2]int{0, 10}, [2]int{10, 19}, 0, 7}, {[2]int{19, 30}, [2]int{10, 19}, 7, 7},
	} {
		ends := map[*Node][2]*Node{i: {b.I32(c.i[0]), b.I32(c.i[1])}, j: {b.I32(c.j[0]), b.I32(c.j[1])}}
		q := &Bounder{B: b, Over: i.Bind().Or(j.Bind()), Leaf: func(n *Node, side Side) *Node { return ends[n][side] }}
		for side, want := range [2]float64{c.lo, c.hi} {
			if m := q.Bound(end, Side(side)); m == nil || (&env{}).eval(m) != want {
				t.Errorf("i in %v, j in %v, side %d: not %v", c.i, c.j, side, want)
			}
		}
	}
}
