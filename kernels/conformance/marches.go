package conformance

import (
	"math"

	"weft/kernels/ir"
)

// marches are folds in order that an accumulator ends, over surfaces with maximum tables: what a renderer may leave early,
// and skip in parts.
func marches() []spec {
	const rows, cols, steps, wide = 24, 90, 33, 90 - 33
	// surface is heights with NaN islands and tables, over most of which nothing rises.
	surface := func(k *kit, name string, high float64) *ir.Buffer {
		h := make([]float64, rows*cols)
		for i := range h {
			a := k.rng.Float64()
			if h[i] = math.Floor(a*a*a*high) / 4; k.rng.IntN(25) == 0 {
				h[i] = math.NaN()
			}
		}
		b := k.floats(ir.F32, name, h, rows, cols)
		b.Facts.Max = k.pyramid(h, rows, cols, 3, 16, 40)
		return b
	}
	rising := func(k *kit) *ir.Buffer {
		rise := k.floats(ir.F32, "rise", ramp(steps, 0.1, 0.3))
		rise.Facts.Mono = 1
		return rise
	}
	return []spec{
		{"march that one of two surfaces ends", exactly, func(k *kit) {
			ground, leaf, rise := surface(k, "ground", 60), surface(k, "leaf", 100), rising(k)
			y, x := k.axis("y", rows), k.axis("x", wide)
			here := k.at(ground, y, x)
			v := k.Fold(ir.FoldSpec{Lo: k.I32(1), Hi: k.I32(steps), Init: []*ir.Node{k.False(), k.False()}}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				above := func(s *ir.Buffer) *ir.Node { return k.Lt(here, k.Sub(k.at(s, y, k.Add(x, i)), k.at(rise, i))) }
				hit := k.Or(a[0], above(ground))
				return []*ir.Node{hit, k.Or(a[1], k.And(above(leaf), k.Not(hit)))}, nil
			})
			k.out("hit", v[0])
			k.out("seen", v[1])
		}},
		{"marches of lengths of their own", exactly, func(k *kit) {
			ground, rise := surface(k, "ground", 60), rising(k)
			y, x := k.axis("y", rows), k.axis("x", wide)
			here := k.at(ground, y, x)
			march := func(steps *ir.Node) *ir.Node {
				return k.fold(ir.Any, steps, []*ir.Node{k.False()}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
					return []*ir.Node{k.Or(a[0], k.Lt(here, k.Sub(k.at(ground, y, k.Add(x, i)), k.at(rise, i))))}
				})[0]
			}
			k.out("by row", march(k.Mod(k.Mul(y, k.I32(5)), k.I32(steps))))
			k.out("by column", march(k.Mod(k.Mul(x, k.I32(7)), k.I32(steps))))
		}},
		{"marches of which none may rise, or fall", exactly, func(k *kit) {
			ground, rise := surface(k, "ground", 60), rising(k)
			y, x := k.axis("y", rows), k.axis("x", wide)
			here := k.Add(k.at(ground, y, x), k.F32(2))
			quiet := func(above func(i *ir.Node) *ir.Node) *ir.Node {
				return k.fold(ir.All, k.I32(steps), []*ir.Node{k.True()}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
					return []*ir.Node{k.And(a[0], k.Not(above(i)))}
				})[0]
			}
			k.out("below", quiet(func(i *ir.Node) *ir.Node { return k.Lt(here, k.Sub(k.at(ground, y, k.Add(x, i)), k.at(rise, i))) }))
			k.out("above", quiet(func(i *ir.Node) *ir.Node {
				return k.Lt(k.Sub(k.at(rise, i), k.at(ground, y, k.Add(x, i))), k.Neg(here))
			}))
		}},
		{"marches in float64 past ties", exactly, func(k *kit) {
			ground := surface(k, "ground", 60)
			r := make([]float64, steps)
			for i := range r { // in quarters, as heights are, or a little beside one
				r[i] = float64(i)/4 + []float64{0, 1e-12, -1e-12, 1e-8, -1e-8}[k.rng.IntN(5)]
			}
			rise := k.floats(ir.F64, "rise", r)
			rise.Facts.Mono = 1
			y, x := k.axis("y", rows), k.axis("x", wide)
			wide := func(n *ir.Node) *ir.Node { return k.Cast(ir.F64, n) }
			seen := func(above func(i *ir.Node) *ir.Node) *ir.Node {
				return k.fold(ir.Any, k.I32(steps), []*ir.Node{k.False()}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
					return []*ir.Node{k.Or(a[0], above(i))}
				})[0]
			}
			there := func(i *ir.Node) *ir.Node { return wide(k.at(ground, y, k.Add(x, i))) }
			here := wide(k.at(ground, y, x))
			k.out("above", seen(func(i *ir.Node) *ir.Node { return k.Lt(here, k.Sub(there(i), k.at(rise, i))) }))
			k.out("below", seen(func(i *ir.Node) *ir.Node { return k.Lt(here, k.Sub(k.at(rise, i), there(i))) }))
		}},
		{"marches in float64 until one of several sees nothing", exactly, func(k *kit) {
			ground := surface(k, "ground", 60)
			rise := k.floats(ir.F64, "rise", ramp(steps, 0.1, 0.3))
			rise.Facts.Mono = 1
			y, x := k.axis("y", rows-3), k.axis("x", wide)
			all := k.fold(ir.All, k.I32(4), []*ir.Node{k.True()}, func(j *ir.Node, a []*ir.Node) []*ir.Node {
				here := k.Cast(ir.F64, k.Sub(k.at(ground, y, x), k.real(j)))
				seen := k.fold(ir.Any, k.I32(steps), []*ir.Node{k.False()}, func(i *ir.Node, b []*ir.Node) []*ir.Node {
					return []*ir.Node{k.Or(b[0], k.Lt(here, k.Sub(k.Cast(ir.F64, k.at(ground, k.Add(y, j), k.Add(x, i))), k.at(rise, i))))}
				})
				return []*ir.Node{k.And(a[0], seen[0])}
			})
			k.out("all", all[0])
		}},
		{"marches in float64 that float32 would end wrongly", exactly, func(k *kit) {
			const turns = 3
			here, rise := k.noise(rows*wide, 8), k.noise(turns, 2000)
			ground := make([]float64, 0, turns*rows*wide)
			for _, r := range rise {
				for i, h := range here {
					if i%19 == 0 { // as near to a tie as float32 comes, where all points beside it are far from one
						h = float64(float32(h)) + r
					} else {
						h = -1e4
					}
					ground = append(ground, h)
				}
			}
			b, a := k.floats(ir.F32, "here", here, rows, wide), k.floats(ir.F32, "ground", ground, turns, rows, wide)
			r := k.floats(ir.F64, "rise", append([]float64{1e-3, 1e-4, -1e-3}, rise...), 2, turns)
			y, x := k.axis("y", rows), k.axis("x", wide)
			above := func(row *ir.Node) *ir.Node {
				return k.fold(ir.Any, k.I32(turns), []*ir.Node{k.False()}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
					level := k.Sub(k.Cast(ir.F64, k.at(a, i, y, x)), k.at(r, row, i))
					return []*ir.Node{k.Or(acc[0], k.Lt(k.Cast(ir.F64, k.at(b, y, x)), level))}
				})[0]
			}
			k.out("above", above(k.I32(1)))
			k.out("by row", above(k.Mod(y, k.I32(2))))
		}},
		{"marches in float64 past what float32 does not hold", exactly, func(k *kit) {
			odd := []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0, 1}
			strew := func(t ir.DType, name string, n, often int, odd []float64, shape ...int) *ir.Buffer {
				v := k.noise(n, 2)
				for i := range v {
					if k.rng.IntN(often) == 0 {
						v[i] = odd[k.rng.IntN(len(odd))]
					}
				}
				return k.floats(t, name, v, shape...)
			}
			ground := strew(ir.F32, "ground", rows*cols, 9, odd, rows, cols)
			here := strew(ir.F32, "here", rows*wide, 4, odd, rows, wide)
			offsets := strew(ir.F64, "offsets", 8*4, 3, append(odd, 1e300, -1e300, 1e-50, -1e-50, math.SmallestNonzeroFloat64), 8, 4)
			y, x := k.axis("y", rows), k.axis("x", wide)
			for n := range 8 { // few turns: each answer may be that of one
				v := k.fold(ir.Any, k.I32(4), []*ir.Node{k.False()}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
					level := k.Add(k.Cast(ir.F64, k.at(ground, y, k.Add(x, i))), k.at(offsets, k.I32(n), i))
					return []*ir.Node{k.Or(a[0], k.Lt(k.Cast(ir.F64, k.at(here, y, x)), level))}
				})
				k.out("some"+string(rune('0'+n)), v[0])
			}
		}},
		{"marches until one of several sees nothing", exactly, func(k *kit) {
			ground, rise := surface(k, "ground", 60), rising(k)
			y, x := k.axis("y", rows-3), k.axis("x", wide)
			all := k.fold(ir.All, k.I32(4), []*ir.Node{k.True()}, func(j *ir.Node, a []*ir.Node) []*ir.Node {
				here := k.Sub(k.at(ground, y, x), k.real(j))
				seen := k.fold(ir.Any, k.I32(steps), []*ir.Node{k.False()}, func(i *ir.Node, b []*ir.Node) []*ir.Node {
					return []*ir.Node{k.Or(b[0], k.Lt(here, k.Sub(k.at(ground, k.Add(y, j), k.Add(x, i)), k.at(rise, i))))}
				})
				return []*ir.Node{k.And(a[0], seen[0])}
			})
			k.out("all", all[0])
			share := k.sum(4, k.F32(0), func(j *ir.Node) *ir.Node {
				seen := k.fold(ir.Any, k.I32(steps), []*ir.Node{k.False()}, func(i *ir.Node, b []*ir.Node) []*ir.Node {
					return []*ir.Node{k.Or(b[0], k.Lt(k.at(ground, y, x), k.Sub(k.at(ground, k.Add(y, j), k.Add(x, i)), k.at(rise, i))))}
				})
				return k.Select(seen[0], k.F32(1), k.F32(0))
			})
			k.out("share", share)
		}},
	}
}
