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
