package conformance

import (
	"weft/kernels/ir"
)

// neighbours are kernels whose points read what points beside them read: parts of inputs of known size, which a renderer may
// hold in memory shared by several points.
func neighbours() []spec {
	const rows, cols = 19, 45
	// square sums a stencil of (2 r + 1) by (2 r + 1) weights around points of a grid, an element at a time.
	square := func(k *kit, r int, y, x *ir.Node, at func(j, i *ir.Node) *ir.Node) *ir.Node {
		w := k.counts("w", 2*r+1, 2*r+1)
		return k.sum(2*r+1, k.F32(0), func(j *ir.Node) *ir.Node {
			return k.sum(2*r+1, k.F32(0), func(i *ir.Node) *ir.Node {
				return k.Mul(k.at(w, j, i), at(k.Add(y, k.Sub(j, k.I32(r))), k.Add(x, k.Sub(i, k.I32(r)))))
			})
		})
	}
	return []spec{
		{"stencil with zero outside", exactly, func(k *kit) {
			a := k.counts("a", rows, cols)
			k.out("v", square(k, 2, k.axis("y", rows), k.axis("x", cols), func(j, i *ir.Node) *ir.Node {
				return k.LoadOr(a, k.And(k.within(j, rows), k.within(i, cols)), k.F32(0), j, i)
			}))
		}},
		{"stencil with padding", exactly, func(k *kit) {
			a := k.counts("a", rows, cols)
			a.Pad = ir.Pad{Before: 16, After: 19}
			k.out("v", square(k, 1, k.axis("y", rows-2), k.axis("x", cols), func(j, i *ir.Node) *ir.Node {
				return k.LoadOr(a, k.within(i, cols), k.F32(0), k.Add(j, k.I32(1)), i)
			}))
		}},
		{"stencil that repeats the edge", exactly, func(k *kit) {
			a := k.counts("a", rows, cols)
			k.out("v", square(k, 3, k.axis("y", rows), k.axis("x", cols), func(j, i *ir.Node) *ir.Node {
				return k.at(a, k.clamp(j, rows), k.clamp(i, cols))
			}))
		}},
		{"stencil written out", exactly, func(k *kit) {
			y, x := k.axis("y", rows), k.axis("x", cols)
			a := k.counts("a", rows, cols)
			v := k.at(a, y, x)
			for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -2}, {0, 2}, {-3, 1}} {
				v = k.Add(k.Mul(v, k.F32(0.5)), k.at(a, k.clamp(k.Add(y, k.I32(d[0])), rows), k.clamp(k.Add(x, k.I32(d[1])), cols)))
			}
			k.out("v", v)
			k.out("far", k.Add(v, k.at(a, k.Sub(k.I32(rows-1), y), x)))
		}},
		{"stencil of more weights than registers hold", exactly, func(k *kit) {
			y, x := k.axis("y", rows), k.axis("x", cols)
			a, w := k.counts("a", rows, cols), k.counts("w", 5, 5)
			v := k.F32(0)
			for j := range 5 {
				for i := range 5 {
					at := k.at(a, k.clamp(k.Add(y, k.I32(j-2)), rows), k.clamp(k.Add(x, k.I32(i-2)), cols))
					v = k.Add(v, k.Mul(k.at(w, k.I32(j), k.I32(i)), at))
				}
			}
			k.out("v", v)
		}},
		{"coarser, finer and mirrored grids", exactly, func(k *kit) {
			y, x := k.axis("y", rows), k.axis("x", cols)
			a, b := k.counts("a", 3*rows, 2*cols), k.counts("b", rows, 12)
			k.out("coarser", k.Add(k.at(a, k.Mul(y, k.I32(3)), k.Mul(x, k.I32(2))), k.at(a, k.Add(k.Mul(y, k.I32(3)), k.I32(2)), k.Add(k.Mul(x, k.I32(2)), k.I32(1)))))
			k.out("finer", k.at(b, y, k.Div(x, k.I32(4))))
			k.out("mirrored", k.at(a, k.Sub(k.I32(rows-1), y), k.Sub(k.I32(cols-1), x)))
		}},
		{"filter over frames of every type", exactly, func(k *kit) {
			f, x := k.axis("frame", 5), k.axis("x", 70)
			for _, t := range []ir.DType{ir.Bool, ir.U8, ir.I16, ir.I64, ir.F16, ir.BF16, ir.F64} {
				v := make([]float64, 5*75)
				c := make([]int64, len(v))
				for i := range v {
					c[i] = k.rng.Int64N(2)
					v[i] = float64(c[i])
				}
				b := &ir.Buffer{Name: "in " + t.String(), Type: t, Shape: []int{5, 75}}
				if t.Float() {
					k.inputs = append(k.inputs, Input{Buf: b, F: v})
				} else {
					k.inputs = append(k.inputs, Input{Buf: b, I: c})
				}
				k.out(t.String(), k.sum(6, k.F32(0), func(i *ir.Node) *ir.Node {
					return k.Cast(ir.F32, k.at(b, f, k.Add(x, i)))
				}))
			}
		}},
		{"frames with work in common", exactly, func(k *kit) {
			f, x := k.axis("frame", 7), k.axis("x", 41)
			a, d := k.counts("a", 7, 24, 60), k.floats(ir.F32, "d", ramp(24, 1, 0.7))
			k.out("v", k.sum(24, k.F32(0), func(e *ir.Node) *ir.Node {
				s := k.Sqrt(k.Add(k.Mul(k.at(d, e), k.at(d, e)), k.real(x)))
				return k.at(a, f, e, k.Cast(ir.I32, k.Alu(ir.Rint, s)))
			}))
		}},
		{"products of small matrices", sums, func(k *kit) {
			n, y, x := k.axis("batch", 6), k.axis("y", 9), k.axis("x", 11)
			a, b := k.random("a", 6, 9, 12), k.random("b", 6, 12, 11)
			k.out("v", k.sum(12, k.F32(0), func(j *ir.Node) *ir.Node { return k.Mul(k.at(a, n, y, j), k.at(b, n, j, x)) }))
		}},
	}
}
