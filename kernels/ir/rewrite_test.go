package ir

import (
	"math"
	"testing"
)

// sumOver is a fold that adds term(i, acc) from lo to hi.
func sumOver(b *Builder, lo, hi *Node, term func(i *Node) *Node) *Node {
	return b.Fold(FoldSpec{Lo: lo, Hi: hi, Init: []*Node{b.I32(0)}, Monoid: Sum}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Add(acc[0], term(i))}, nil
	})[0]
}

func TestVaryFollowsFolds(t *testing.T) {
	b := NewBuilder()
	x, y := b.Axis("x", 4), b.Axis("y", 4)
	var inner, acc, index *Node
	out := sumOver(b, x, b.I32(9), func(i *Node) *Node {
		index = i
		inner = sumOver(b, b.I32(0), i, func(j *Node) *Node { return b.Mul(j, y) })
		acc = inner.Fold.Accs[0]
		return inner
	})
	v := NewVary()
	for _, c := range []struct {
		name string
		n    *Node
		want Set
	}{
		{"constant", b.I32(3), Set{}},
		{"axis", x, x.Bind()},
		{"index from x", index, x.Bind().Or(index.Bind())},
		{"inner accumulator", acc, acc.Bind().Or(inner.Fold.IndexBind).Or(index.Bind()).Or(x.Bind()).Or(y.Bind())},
		{"inner result", inner, index.Bind().Or(x.Bind()).Or(y.Bind())},
		{"result", out, x.Bind().Or(y.Bind())},
	} {
		if got := v.Of(c.n); got != c.want {
			t.Errorf("%s varies over %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAffine(t *testing.T) {
	b := NewBuilder()
	x, y, n := b.Axis("x", 8), b.Axis("y", 8), b.Arg(I32, "n")
	c := func(v int) *Node { return b.I32(v) }
	var acc *Node
	b.Fold(FoldSpec{Lo: c(0), Hi: x, Init: []*Node{c(0)}}, func(i *Node, a []*Node) ([]*Node, *Node) {
		acc = a[0]
		return []*Node{b.Add(a[0], i)}, nil
	})
	for _, k := range []struct {
		name   string
		n      *Node
		stride int64
		ok     bool
	}{
		{"axis", x, 1, true},
		{"other axis", y, 0, true},
		{"3x-2y+n", b.Add(b.Sub(b.Mul(x, c(3)), b.Mul(c(2), y)), n), 3, true},
		{"4-x", b.Sub(c(4), x), -1, true},
		{"-(x<<3)", b.Neg(b.Alu(Shl, x, c(3))), -8, true},
		{"wide", b.Add(b.Cast(I64, b.Mul(x, c(5))), b.Int(I64, 7)), 5, true},
		{"select over y", b.Select(b.Lt(y, c(3)), b.Add(x, c(1)), x), 1, true},
		{"select over x", b.Select(b.Lt(x, c(3)), b.Add(x, c(1)), x), 0, false},
		{"n*x", b.Mul(n, x), 0, false},
		{"x*x", b.Mul(x, x), 0, false},
		{"x%3", b.Mod(x, c(3)), 0, false},
		{"there and back", b.Cast(I32, b.Cast(F32, x)), 1, true},
		{"rounded", b.Cast(I32, b.Cast(F32, b.Mul(x, c(1<<22)))), 0, false},
		{"accumulator over x", acc, 0, false},
	} {
		stride, ok := Affine(k.n, x)
		if ok != k.ok || ok && stride != k.stride {
			t.Errorf("%s: stride %d, %v; want %d, %v", k.name, stride, ok, k.stride, k.ok)
		}
	}
}

// smallest is the least of first and of n or, with n 0, of an unknown number of terms.
func smallest(b *Builder, n int, term, first *Node) *Node {
	hi := b.I32(n)
	if n == 0 {
		hi = b.Arg(I32, "n")
	}
	if term.Type != F32 {
		term = b.Cast(F32, term)
	}
	return b.Fold(FoldSpec{Lo: b.I32(0), Hi: hi, Init: []*Node{first}, Monoid: Smallest}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Min(acc[0], b.Add(term, b.Mul(b.F32(0), b.Cast(F32, i))))}, nil
	})[0]
}

func TestRangeOfDecides(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 10)
	byt := &Buffer{Name: "byte", Type: U8, Shape: []int{10}}
	real := &Buffer{Name: "real", Type: F32, Shape: []int{10}}
	w := b.Load(real, x)
	for _, c := range []struct {
		name   string
		n      *Node
		lo, hi float64
		ok     bool
	}{
		{"2x+1", b.Add(b.Mul(x, b.I32(2)), b.I32(1)), 1, 19, true},
		{"byte", b.Load(byt, x), 0, 255, true},
		{"float", w, -inf, inf, false},
		{"clamped float", b.Min(b.Max(w, b.F32(0)), b.F32(15)), 0, 15, true},
		{"x < 10", b.Lt(x, b.I32(10)), 1, 1, true},
		{"x < 0", b.Lt(x, b.I32(0)), 0, 0, true},
		{"x < 5", b.Lt(x, b.I32(5)), 0, 1, true},
		{"(x+20) % 64", b.Mod(b.Add(x, b.I32(20)), b.I32(64)), 20, 29, true},
		{"wraps", b.Mul(b.Add(x, b.I32(1<<30)), b.I32(4)), -1 << 31, 1<<31 - 1, true},
		{"fold index", sumOver(b, b.I32(2), x, func(i *Node) *Node { return i }).Fold.Index, 2, 8, true},
		{"square", b.Mul(b.Sub(x, b.I32(4)), b.Sub(x, b.I32(4))), 0, 25, true},
		{"what rounding leaves", b.Sub(w, b.Alu(Rint, w)), -0.5, 0.5, true},
		{"what rounding down leaves", b.Sub(w, b.Alu(Floor, w)), 0, 1, true},
		{"what rounding another leaves", b.Sub(w, b.Alu(Floor, b.Mul(w, w))), -inf, inf, false},
		{"place of the largest", b.Fold(FoldSpec{Lo: b.I32(3), Hi: b.I32(9), Init: []*Node{b.F32(-1), b.I32(0)}, Monoid: ArgMax}, func(i *Node, acc []*Node) ([]*Node, *Node) {
			more := b.Lt(acc[0], b.Load(real, i))
			return []*Node{b.Select(more, b.Load(real, i), acc[0]), b.Select(more, i, acc[1])}, nil
		})[1], 0, 8, true},
		{"float where it is in bounds", b.Select(b.And(b.Le(b.F32(-2), w), b.Lt(w, b.F32(3))), w, b.F32(-4)), -4, 3, true},
		{"float where one bound holds", b.Select(b.Le(b.F32(-2), w), w, b.F32(-4)), -4, inf, false},
		{"float where another is in bounds", b.Select(b.Le(b.Mul(w, w), b.F32(3)), w, b.F32(-4)), -inf, inf, false},
		{"least", smallest(b, 1, x, b.F32(100)), 0, 9, true},
		{"least of perhaps none", smallest(b, 0, x, b.F32(100)), 0, 100, true},
		{"least of what may be NaN", smallest(b, 1, w, b.F32(100)), -inf, inf, false},
	} {
		lo, hi, ok := RangeOf(c.n, nil)
		if lo != c.lo || hi != c.hi || ok != c.ok {
			t.Errorf("%s: [%v, %v] %v, want [%v, %v] %v", c.name, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
	for name, c := range map[string]struct {
		n  *Node
		ok bool
	}{
		"root":                {b.Cast(I32, b.Sqrt(b.Cast(F32, x))), true},
		"root of what is < 0": {b.Cast(I32, b.Sqrt(b.Sub(b.Cast(F32, x), b.F32(3)))), false},
		"clamped":             {b.Cast(I32, b.Min(b.Max(w, b.F32(0)), b.F32(15))), true},
		"clamped integer":     {b.Min(b.Max(b.Cast(I32, w), b.I32(0)), b.I32(15)), false},
	} {
		if _, _, ok := SureRange(c.n, nil); ok != c.ok {
			t.Errorf("%s: sure %t", name, ok)
		}
	}
	lo, hi, _ := RangeOf(b.Mul(x, b.I32(3)), func(*Node) (float64, float64, bool) { return 4, 5, true })
	if lo != 12 || hi != 15 {
		t.Errorf("over x in [4, 5]: [%v, %v]", lo, hi)
	}
}

// What a kernel stores lies where its value does, unless some elements may not be stored, or as something else.
func TestStoreRanges(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 10)
	wide := &Buffer{Name: "wide", Type: F32, Shape: []int{10}}
	v := b.Cast(F32, x)
	bounded := b.Min(b.F32(3), b.Max(b.F32(-2), b.Load(wide, x)))
	whole := &Buffer{Name: "whole", Type: I32, Shape: []int{10}}
	for _, c := range []struct {
		name  string
		store Store
		kind  DType
		want  string
	}{
		{"axis", Store{Value: v}, F32, "0..9"},
		{"load", Store{Value: bounded}, F32, "-2..3 or NaN"},
		{"anything", Store{Value: b.Load(wide, x)}, F32, "-"},
		{"some only", Store{Value: v, Guard: b.Lt(x, b.I32(5))}, F32, "-"},
		{"rounded", Store{Value: v}, F16, "-"},
		{"whole numbers", Store{Value: b.Min(b.I32(4), b.Max(b.I32(-1), b.Load(whole, x)))}, I32, "-1..4"},
		{"whole numbers in fewer bits", Store{Value: b.Min(b.I32(300), b.Max(b.I32(0), b.Load(whole, x)))}, U16, "0..300"},
		{"whole numbers in too few bits", Store{Value: b.Min(b.I32(300), b.Max(b.I32(0), b.Load(whole, x)))}, U8, "-"},
		{"any whole number", Store{Value: b.Load(whole, x)}, I32, "-"},
		{"whole numbers that may wrap", Store{Value: b.Add(b.Load(whole, x), b.I32(1))}, I32, "-"},
		{"whole numbers that were no number", Store{Value: b.Cast(I32, bounded)}, I32, "-"},
	} {
		c.store.Buf, c.store.Index = &Buffer{Name: "out", Type: c.kind, Shape: []int{10}}, []*Node{x}
		StoreRanges(&Kernel{Name: c.name, Axes: []*Node{x}, Stores: []Store{c.store}})
		if got := c.store.Buf.Facts.Within.String(); got != c.want {
			t.Errorf("%s: within %s, want %s", c.name, got, c.want)
		}
	}
	held := &Buffer{Name: "held", Type: F32, Shape: []int{10}, Facts: Facts{Within: &Interval{Lo: 1, Hi: 4}}}
	if lo, hi, ok := RangeOf(b.Sqrt(b.Load(held, x)), nil); lo != 1 || hi != 2 || !ok {
		t.Errorf("a load of it: [%v, %v] %v", lo, hi, ok)
	}
}

// The least and the largest of sums are found without what is added in every turn, to the bit: also where that is no number, turns are left out
// or there are none.
func TestSameAddend(t *testing.T) {
	real := &Buffer{Name: "real", Type: F32, Shape: []int{5}}
	for _, m := range []struct {
		monoid Monoid
		op     Op
		init   float64
	}{{Smallest, Min, inf}, {Largest, Max, -inf}} {
		for _, addend := range []float64{0, math.Copysign(0, -1), 3, 1e30, -2e-7, inf, -inf, math.NaN()} {
			for _, terms := range [][]float64{{}, {0, math.Copysign(0, -1)}, {1, 1 + 1e-7, -4}, {math.NaN(), 2, -1e30}, {math.NaN()}, {inf, -inf}, {inf}, {-inf}} {
				for i, v := range terms {
					terms[i] = round(F32, v)
				}
				b := NewBuilder()
				c := b.Arg(F32, "c")
				fold := func(monoid Monoid) *Node {
					return b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(len(terms)), Init: []*Node{b.F32(m.init)}, Monoid: monoid}, func(i *Node, acc []*Node) ([]*Node, *Node) {
						return []*Node{b.Alu(m.op, b.Add(b.Load(real, i), c), acc[0])}, nil
					})[0]
				}
				e := &env{vars: map[*Node]float64{c: round(F32, addend)}, bufs: map[*Buffer][]float64{real: terms}}
				moved, plain := fold(m.monoid), fold(Ordered)
				if moved.Kind != KAlu {
					t.Fatalf("%v: the addend stays in the fold", m.op)
				}
				if got, want := e.eval(moved), e.eval(plain); math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
					t.Errorf("%v of %v, each with %v: %v, want %v", m.op, terms, addend, got, want)
				}
			}
		}
	}
}
