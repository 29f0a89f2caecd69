package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// storage: every type is loaded, computed with and stored, in padded buffers; floats round and overflow, integers wrap.
func storage() []spec {
	var out []spec
	for t := ir.Bool; t <= ir.F64; t++ {
		out = append(out, spec{"storage " + t.String(), exactly, func(k *kit) {
			const n = 75
			i := k.axis("i", n)
			b := k.stored(t, n)
			b.Pad = ir.Pad{Before: 16, After: 21, Value: 1}
			v := k.at(b, i)
			same := k.outAs(t, "same", v)
			same.Pad = ir.Pad{Before: 3, After: 4, Value: 1}
			k.outAs(t, "backward", k.at(b, k.Sub(k.I32(n-1), i)))
			switch {
			case t == ir.Bool:
				k.outAs(t, "not", k.Not(v))
			case t.Float():
				k.outAs(t, "scaled", k.Mul(v, k.Const(v.Type, 1.0/3)))
				k.outAs(t, "large", k.Mul(v, k.Const(v.Type, 4000)))
				k.outAs(t, "small", k.Mul(v, k.Const(v.Type, 1e-7)))
			default:
				k.outAs(t, "scaled", k.Mul(v, k.Int(v.Type, 37)))
				k.outAs(t, "negative", k.Neg(v))
				k.outAs(ir.U8, "as u8", k.Cast(ir.I32, v))
			}
			k.outAs(ir.F32, "as f32", k.Cast(ir.F32, v))
		}})
	}
	return append(out,
		spec{"storage of halves at ties", exactly, func(k *kit) {
			i := k.axis("i", 512)
			v := k.Add(k.F32(1), k.Mul(k.real(i), k.F32(0x1p-12)))
			k.outAs(ir.F16, "f16", v)
			k.outAs(ir.F16, "subnormal", k.Mul(v, k.F32(0x1p-20)))
			k.outAs(ir.F16, "largest", k.Mul(v, k.F32(65000)))
			k.outAs(ir.BF16, "bf16", k.Mul(v, k.F32(1.0/3)))
		}},
		spec{"storage of mixed types", exactly, func(k *kit) {
			i := k.axis("i", 67)
			h, c := k.floats(ir.F16, "h", k.noise(67, 3)), k.ints(ir.I8, "c", k.whole(67, -128, 127))
			u, d := k.ints(ir.U16, "u", k.whole(67, 0, 65535)), k.floats(ir.F64, "d", k.noise(67, 3))
			v := k.Add(k.Mul(k.at(h, i), k.real(k.at(c, i))), k.real(k.at(u, i)))
			k.out("f32", v)
			k.outAs(ir.BF16, "bf16", v)
			k.out("f64", k.Mul(k.Cast(ir.F64, v), k.at(d, i)))
			k.outAs(ir.I16, "i16", k.Add(k.at(c, i), k.at(u, i)))
			k.outAs(ir.U32, "u32", k.Mul(k.Cast(ir.I64, k.at(u, i)), k.Int(ir.I64, 1<<17)))
		}},
	)
}

// stored is an input of n values that type t holds, extremes included.
func (k *kit) stored(t ir.DType, n int) *ir.Buffer {
	if t.Float() {
		v := k.noise(n, 30)
		copy(v, []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, 65504, 0x1p-14, 0x1p-24})
		return k.floats(t, "in", v)
	}
	lo, hi := int64(0), int64(1)
	switch bits := 8 * t.Size(); {
	case t == ir.Bool:
	case t == ir.U8 || t == ir.U16 || t == ir.U32:
		hi = 1<<bits - 1
	case t == ir.I64:
		lo, hi = -1<<61, 1<<61
	default:
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	v := k.whole(n, lo, hi)
	v[0], v[1] = lo, hi
	return k.ints(t, "in", v)
}

// extents: a kernel with every class of load, for extents around the widths of vectors.
func extents() []spec {
	var out []spec
	for _, n := range []int{1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 67} {
		out = append(out, spec{fmt.Sprintf("extent %d", n), exactly, func(k *kit) {
			x := k.axis("x", n)
			a, wide, at := k.random("a", n), k.random("wide", 2*n+3), k.ints(ir.I32, "at", k.whole(n, 0, int64(n-1)))
			v := k.Add(k.at(a, x), k.at(wide, k.Add(k.Mul(x, k.I32(2)), k.I32(3))))
			v = k.Sub(v, k.at(a, k.Sub(k.I32(n-1), x)))
			v = k.Mul(v, k.at(a, k.I32(0)))
			k.out("v", k.Add(v, k.at(a, k.at(at, x))))
		}})
	}
	for _, s := range [][]int{{1, 67}, {67, 1}, {3, 17}, {17, 3}, {33, 35}, {2, 64}, {5, 16}} {
		out = append(out, spec{fmt.Sprintf("extents %d x %d", s[0], s[1]), exactly, func(k *kit) {
			y, x := k.axis("y", s[0]), k.axis("x", s[1])
			a, t := k.random("a", s[0], s[1]), k.random("t", s[1], s[0])
			row, col := k.random("row", s[0]), k.random("col", s[1])
			k.out("v", k.Add(k.Mul(k.at(a, y, x), k.at(row, y)), k.Mul(k.at(t, x, y), k.at(col, x))))
		}})
	}
	for _, s := range [][]int{{3, 5, 17}, {2, 2, 33}, {7, 1, 5}, {4, 18, 2}, {1, 1, 1}, {6, 4, 16}} {
		out = append(out, spec{fmt.Sprintf("extents %d x %d x %d", s[0], s[1], s[2]), exactly, func(k *kit) {
			z, y, x := k.axis("z", s[0]), k.axis("y", s[1]), k.axis("x", s[2])
			a, plane, line := k.random("a", s...), k.random("plane", s[1], s[2]), k.random("line", s[0])
			v := k.Add(k.Mul(k.at(a, z, y, x), k.at(plane, y, x)), k.at(line, z))
			k.out("v", k.Add(v, k.real(k.Add(k.Mul(z, k.I32(10000)), k.Add(k.Mul(y, k.I32(100)), x)))))
		}})
	}
	// Longer than a grid of blocks may be in all but one dimension.
	for _, s := range [][]int{{70000, 3}, {3, 70000}} {
		out = append(out, spec{fmt.Sprintf("extents %d x %d", s[0], s[1]), exactly, func(k *kit) {
			y, x := k.axis("y", s[0]), k.axis("x", s[1])
			row, col := k.counts("row", s[0]), k.counts("col", s[1])
			k.out("v", k.Add(k.Mul(k.at(row, y), k.at(col, x)), k.real(k.Add(y, x))))
		}})
	}
	return append(out, spec{"extent 0", exactly, func(k *kit) {
		k.out("v", k.real(k.axis("x", 0)))
	}}, spec{"four axes", exactly, func(k *kit) {
		w, z, y, x := k.axis("w", 2), k.axis("z", 3), k.axis("y", 4), k.axis("x", 19)
		k.out("v", k.Mul(k.at(k.random("a", 4, 3, 2, 19), y, z, w, x), k.real(k.Add(w, x))))
	}})
}

// loads: guards, padding, windows, gathers, index types.
func loads() []spec {
	const n = 83
	guarded := func(pad ir.Pad) func(k *kit) {
		return func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", n)
			a.Pad = pad
			for _, shift := range []int{-100, -17, -3, 0, 5, 20, 90} {
				i := k.Add(x, k.I32(shift))
				k.out(fmt.Sprintf("shift %d", shift), k.LoadOr(a, k.within(i, n), k.F32(pad.Value), i))
			}
		}
	}
	window := func(spread float64, pad ir.Pad) func(k *kit) {
		return func(k *kit) {
			x := k.axis("x", n)
			const rows, cols = 9, 120
			a, slope := k.counts("a", rows, cols), k.random("slope", rows)
			a.Pad = pad
			k.out("v", k.sum(rows, k.F32(0), func(e *ir.Node) *ir.Node {
				d := k.Sub(k.Mul(k.real(x), k.F32(0.07)), k.at(slope, e))
				s := k.Mul(k.Sqrt(k.Add(k.Mul(d, d), k.F32(2))), k.F32(spread))
				i := k.Cast(ir.I32, k.Alu(ir.Rint, k.Sub(s, k.F32(4))))
				return k.LoadOr(a, k.within(i, cols), k.F32(pad.Value), e, i)
			}))
		}
	}
	alike := func(t ir.DType) spec { // all that lies side by side is there, or nothing
		return spec{"frames of " + t.String() + " that are guarded alike", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 40)
			var a *ir.Buffer
			if t.Float() {
				a = k.counts("a", 6, 40)
				a.Type = t
			} else {
				a = k.ints(t, "a", k.whole(6*40, 0, 100), 6, 40)
			}
			for d := range 3 {
				j := k.Sub(y, k.I32(d))
				v := k.LoadOr(a, k.within(j, 6), k.Const(t.Compute(), float64(7*d)), j, x)
				k.outAs(t, fmt.Sprintf("up %d", d), k.Add(v, v))
			}
		}}
	}
	inBlocks := func(t ir.DType, block int) spec { // of an axis each block is innermost
		return spec{fmt.Sprintf("frames of %s in blocks of %d", t, block), exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 48)
			a := k.counts("a", 48/block, 11, block)
			a.Type = t
			around, in := k.Div(x, k.I32(block)), k.Mod(x, k.I32(block))
			for d := range 3 {
				v := k.at(a, around, k.Add(y, k.I32(d)), in)
				k.outAs(t, fmt.Sprintf("up %d", d), k.Add(v, v))
			}
		}}
	}
	gathered := func(t ir.DType, block, n int) spec { // at places that are the same for all of them, in folds around which others go
		return spec{fmt.Sprintf("frames of %s in blocks of %d gathered by %d", t, block, n), exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 48)
			a := k.counts("a", 48/block, 3, n, 9, block)
			a.Type = t
			near := k.counts("near", n)
			around, in := k.Div(x, k.I32(block)), k.Mod(x, k.I32(block))
			k.out("v", k.sum(3, k.F32(0), func(e *ir.Node) *ir.Node {
				return k.sum(n, k.F32(0), func(i *ir.Node) *ir.Node {
					at := k.Sub(k.Cast(ir.I32, k.Alu(ir.Rint, k.Add(k.Mul(k.real(y), k.F32(0.6)), k.at(near, i)))), k.I32(2))
					at = k.Sub(k.clamp(k.Add(at, k.I32(1)), 8), k.I32(1))
					return k.at(a, around, e, i, k.Add(at, k.I32(1)), in)
				})
			}))
		}}
	}
	return []spec{
		gathered(ir.F32, 48, 12), gathered(ir.F16, 48, 13), gathered(ir.BF16, 16, 12), gathered(ir.F32, 8, 72),
		inBlocks(ir.F32, 4), inBlocks(ir.F32, 8), inBlocks(ir.F16, 8), inBlocks(ir.BF16, 16), inBlocks(ir.F32, 6),
		alike(ir.F32), alike(ir.F16), alike(ir.BF16), alike(ir.I16), alike(ir.U16),
		{"guards without padding", exactly, guarded(ir.Pad{})},
		{"guards with zero padding", exactly, guarded(ir.Pad{Before: 16, After: 48})},
		{"guards with other padding", exactly, guarded(ir.Pad{Before: 64, After: 64, Value: 2.5})},
		{"guards with padding of NaN", exactly, guarded(ir.Pad{Before: 32, After: 64, Value: math.NaN()})},
		{"guards against other bounds than the row", exactly, func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", n)
			a.Pad = ir.Pad{Before: 32, After: 32}
			i := k.Sub(x, k.I32(7))
			k.out("inner", k.LoadOr(a, k.And(k.Le(k.I32(5), i), k.Lt(i, k.I32(40))), k.F32(0), i))
			k.out("other value", k.LoadOr(a, k.within(i, n), k.real(x), i))
			k.out("by data", k.LoadOr(a, k.And(k.within(i, n), k.Lt(k.at(a, x), k.F32(0))), k.F32(-9), i))
		}},
		{"guards that never hold", exactly, func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", 4)
			k.out("none", k.LoadOr(a, k.Lt(x, k.I32(0)), k.F32(3), k.Mul(x, k.I32(1000000))))
		}},
		{"guarded rows", exactly, func(k *kit) {
			y, x := k.axis("y", 11), k.axis("x", 37)
			a := k.random("a", 11, 37)
			a.Pad = ir.Pad{Before: 16, After: 27}
			v := k.at(a, y, x)
			for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {2, -2}} {
				j, i := k.Add(y, k.I32(d[0])), k.Add(x, k.I32(d[1]))
				v = k.Add(v, k.LoadOr(a, k.And(k.within(j, 11), k.within(i, 37)), k.F32(0), j, i))
			}
			k.out("stencil", v)
		}},
		{"held, wrapped and mirrored indices", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", n)
			a, h, steps := k.counts("a", 9, n), k.ints(ir.I16, "h", k.whole(9*n, -9, 9), 9, n), k.ints(ir.I32, "steps", []int64{-200, -3, 0, 1, 40, 300})
			hold := func(i *ir.Node, size int) *ir.Node { return k.Max(k.I32(0), k.Min(k.I32(size-1), i)) }
			mirror := func(i *ir.Node, size int) *ir.Node {
				turn := k.Mod(i, k.I32(2*size-2))
				return k.Min(turn, k.Sub(k.I32(2*size-2), turn))
			}
			for _, d := range []int{-5, 0, 2, 60} {
				i, j := k.Add(x, k.I32(d)), k.Sub(y, k.I32(d))
				k.out(fmt.Sprintf("held %d", d), k.at(a, hold(j, 9), hold(i, n)))
				k.out(fmt.Sprintf("wrapped %d", d), k.at(a, k.Mod(j, k.I32(9)), k.Mod(i, k.I32(n))))
				k.out(fmt.Sprintf("mirrored %d", d), k.at(a, mirror(j, 9), mirror(i, n)))
				k.out(fmt.Sprintf("magnitude %d", d), k.real(k.at(h, hold(j, 9), hold(k.Abs(k.Sub(x, k.I32(d))), n))))
			}
			k.out("by steps of data", k.sum(6, k.F32(0), func(e *ir.Node) *ir.Node { return k.at(a, y, hold(k.Add(x, k.at(steps, e)), n)) }))
			k.out("backwards", k.at(a, y, hold(k.Sub(k.I32(n), x), n)))
		}},
		{"windows of small spread", exactly, window(3, ir.Pad{})},
		{"windows in padding", exactly, window(3, ir.Pad{Before: 32, After: 32})},
		{"windows in padding of NaN", exactly, window(3, ir.Pad{Before: 32, After: 32, Value: math.NaN()})},
		{"windows partly out of range", exactly, window(60, ir.Pad{Before: 64, After: 64})},
		{"windows wholly out of range", exactly, window(900, ir.Pad{Before: 64, After: 64})},
		{"windows too wide", exactly, window(25, ir.Pad{Before: 16, After: 16})},
		{"windows of NaN coordinates", exactly, func(k *kit) {
			x := k.axis("x", n)
			p := k.noise(n, 20)
			for i := 10; i < 30; i++ {
				p[i] = math.NaN()
			}
			pos, a := k.floats(ir.F32, "pos", p), k.counts("a", 6, 64)
			a.Pad = ir.Pad{Before: 32, After: 32}
			k.out("v", k.sum(6, k.F32(0), func(e *ir.Node) *ir.Node {
				s := k.Min(k.Max(k.Add(k.at(pos, x), k.Mul(k.real(e), k.F32(1.5))), k.F32(-8)), k.F32(80))
				i := k.Cast(ir.I32, k.Alu(ir.Rint, s))
				return k.LoadOr(a, k.within(i, 64), k.F32(0), e, i)
			}))
		}},
		{"interpolation", exactly, func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", 40)
			s := k.Mul(k.Abs(k.at(k.random("s", n), x)), k.F32(38.5))
			i := k.Cast(ir.I32, k.Alu(ir.Floor, s))
			w := k.Sub(s, k.real(i))
			lo, hi := k.at(a, k.clamp(i, 39)), k.at(a, k.Add(k.clamp(i, 39), k.I32(1)))
			k.out("v", k.Add(lo, k.Mul(w, k.Sub(hi, lo))))
		}},
		{"gather of gather", exactly, func(k *kit) {
			x := k.axis("x", n)
			p, q := k.ints(ir.I32, "p", k.whole(n, 0, n-1)), k.ints(ir.U8, "q", k.whole(n, 0, n-1))
			k.out("v", k.at(k.random("a", n), k.at(q, k.at(p, x))))
			k.out("i", k.at(p, k.at(q, x)))
		}},
		{"gathers of neighbours", exactly, func(k *kit) {
			y, x := k.axis("y", 7), k.axis("x", n)
			i := k.at(k.ints(ir.I32, "at", k.whole(n, -3, 29)), x)
			for beside := 2; beside <= 4; beside++ { // at the last place, what is brought too lies behind the array
				a := k.random(fmt.Sprint("a", beside), 7, 30, beside)
				var sum, inside *ir.Node
				for part := range beside {
					v := k.Mul(k.at(a, y, k.clamp(i, 30), k.I32(part)), k.F32(float64(1+part)))
					w := k.Mul(k.LoadOr(a, k.within(i, 30), k.F32(0.5), y, i, k.I32(part)), k.F32(float64(1+part)))
					if part == 0 {
						sum, inside = v, w
						continue
					}
					sum, inside = k.Add(sum, v), k.Add(inside, w)
				}
				k.out(fmt.Sprint("sum", beside), sum)
				k.out(fmt.Sprint("inside", beside), inside)
			}
		}},
		{"sums of what is gathered", exactly, func(k *kit) {
			y := k.axis("y", 7)
			for _, turns := range []int{32, 48, 64, 160} {
				a := k.counts(fmt.Sprint("a", turns), 5, 40, 2)
				s := k.random(fmt.Sprint("s", turns), 7, turns)
				place := func(e *ir.Node) *ir.Node {
					return k.Cast(ir.I32, k.Alu(ir.Rint, k.Mul(k.Abs(k.at(s, y, e)), k.F32(20))))
				}
				k.out(fmt.Sprint("sum", turns), k.sum(turns, k.F32(0), func(e *ir.Node) *ir.Node {
					i := k.clamp(place(e), 40)
					return k.Add(k.at(a, k.I32(3), i, k.I32(0)), k.Mul(k.real(e), k.at(a, k.I32(3), i, k.I32(1))))
				}))
				k.out(fmt.Sprint("inside", turns), k.sum(turns, k.F32(0), func(e *ir.Node) *ir.Node {
					i := k.Sub(place(e), k.I32(7))
					return k.LoadOr(a, k.within(i, 40), k.F32(2), k.Mod(e, k.I32(5)), i, k.I32(1))
				}))
			}
		}},
		{"gather of every type", exactly, func(k *kit) {
			x := k.axis("x", n)
			i := k.at(k.ints(ir.I32, "at", k.whole(n, 0, 74)), x)
			for _, t := range []ir.DType{ir.Bool, ir.I8, ir.U16, ir.U32, ir.I64, ir.F16, ir.BF16, ir.F64} {
				b := k.stored(t, 75)
				b.Name = "in " + t.String()
				k.outAs(t, t.String(), k.at(b, i))
			}
		}},
		{"gather in two axes", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 33)
			a := k.random("a", 20, 30)
			j := k.at(k.ints(ir.I32, "j", k.whole(9*33, 0, 19), 9, 33), y, x)
			i := k.at(k.ints(ir.I16, "i", k.whole(33, 0, 29)), x)
			k.out("v", k.at(a, j, i))
		}},
		{"int64 indices", exactly, func(k *kit) {
			x := k.Cast(ir.I64, k.axis("x", n))
			a := k.random("a", 2*n)
			k.out("contiguous", k.at(a, k.Add(x, k.Int(ir.I64, 5))))
			k.out("strided", k.at(a, k.Mul(x, k.Int(ir.I64, 2))))
			k.out("far", k.at(a, k.Mod(k.Mul(x, k.Int(ir.I64, 1e12+7)), k.Int(ir.I64, 2*n))))
		}},
		{"mixed index types", exactly, func(k *kit) {
			y, x := k.axis("y", 5), k.axis("x", n)
			k.out("v", k.at(k.random("a", 5, n), k.Cast(ir.I64, y), k.Sub(k.I32(n-1), x)))
		}},
		{"scalar buffers", exactly, func(k *kit) {
			x := k.axis("x", n)
			one := k.floats(ir.F32, "one", []float64{0.75}, []int{}...)
			k.out("v", k.Mul(k.at(one), k.real(x)))
		}},
		{"strides", exactly, func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", 8*n)
			for _, s := range []int{2, 3, 4, 7} {
				k.out(fmt.Sprintf("stride %d", s), k.at(a, k.Mul(x, k.I32(s))))
				k.out(fmt.Sprintf("stride -%d", s), k.at(a, k.Sub(k.I32(s*n), k.Mul(x, k.I32(s)))))
			}
		}},
		{"periodic indices", exactly, func(k *kit) {
			x := k.axis("x", n)
			a := k.random("a", 13)
			k.out("mod", k.at(a, k.Mod(k.Sub(x, k.I32(40)), k.I32(13))))
			k.out("div", k.at(a, k.Div(x, k.I32(7))))
			k.out("select", k.at(a, k.Select(k.Lt(x, k.I32(20)), k.I32(3), k.Mod(x, k.I32(11)))))
		}},
	}
}

// told sums at places that lie inside by a fact of their array, in rows behind which lie places that do not: no lane goes there. The sums are added up
// at such places besides.
func told(t ir.DType, beyond float64) spec {
	return spec{"sums at places of " + t.String() + " that are told to lie inside", contracted, func(k *kit) {
		const rows, each, n = 5, 37, 90
		y := k.axis("y", rows)
		at := k.ints(t, "at", k.whole(rows*each, 0, n-1), rows, each)
		at.Pad, at.Facts.Within = ir.Pad{After: 27, Value: beyond}, &ir.Interval{Hi: n - 1}
		a, w := k.floats(ir.F32, "a", k.noise(n, 3)), k.floats(ir.F32, "w", k.noise(rows*each, 2), rows, each)
		k.out("sums", k.sum(each, k.F64(0), func(i *ir.Node) *ir.Node { return k.Cast(ir.F64, k.Mul(k.at(w, y, i), k.at(a, k.at(at, y, i)))) }))
		k.out("least", k.fold(ir.Smallest, k.I32(each), []*ir.Node{k.F32(9)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{k.Min(acc[0], k.Mul(k.at(w, y, i), k.at(a, k.at(at, y, i))))}
		})[0])
	}}
}
