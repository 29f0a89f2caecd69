package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// folds run in order and are exact, or sum whole numbers, which is exact in any order.
func folds() []spec {
	out := []spec{
		{"fold of no turns", exactly, func(k *kit) {
			x := k.axis("x", 40)
			a := k.counts("a", 40)
			none := k.fold(ir.Sum, k.I32(0), []*ir.Node{k.real(x)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(acc[0], k.at(a, i))}
			})
			k.out("constant", none[0])
			back := k.Fold(ir.FoldSpec{Lo: k.I32(5), Hi: k.Sub(x, k.I32(20)), Init: []*ir.Node{k.F32(-1)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(k.Mul(acc[0], k.F32(0.5)), k.at(a, i))}, nil
			})
			k.out("some", back[0])
		}},
		{"float64 sums of float32", exactly, func(k *kit) { // that cancel: float32 would lose what is left
			y := k.axis("y", 21)
			v := make([]float64, 21*40)
			for i := range v {
				v[i] = []float64{1 << 30, 1, -1 << 30, 2, float64(i / 40)}[i%5]
			}
			a := k.floats(ir.F32, "a", v, 21, 40)
			k.out("sum", k.sum(40, k.F64(0), func(i *ir.Node) *ir.Node { return k.Cast(ir.F64, k.at(a, y, i)) }))
			k.out("few", k.sum(7, k.F64(0), func(i *ir.Node) *ir.Node { return k.Cast(ir.F64, k.Neg(k.at(a, y, i))) }))
		}},
		{"fold bounds from axes", exactly, func(k *kit) {
			y, x := k.axis("y", 19), k.axis("x", 23)
			a := k.counts("a", 64)
			triangle := k.Fold(ir.FoldSpec{Lo: y, Hi: k.Add(x, k.I32(3)), Init: []*ir.Node{k.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(acc[0], k.at(a, i))}, nil
			})
			k.out("triangle", triangle[0])
			k.out("rows", k.fold(ir.Sum, y, []*ir.Node{k.F32(0)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(acc[0], k.Mul(k.at(a, i), k.real(x)))}
			})[0])
		}},
		{"sums of products over parts", exactly, func(k *kit) { // of up to 1100 terms, which float32 holds
			y, x := k.axis("y", 9), k.axis("x", 21)
			a, rows := k.counts("a", 1200), k.counts("rows", 37, 21)
			lo := k.Mul(y, k.I32(11))
			hi := k.Add(lo, k.Alu(ir.Mod, k.Mul(y, k.I32(550)), k.I32(1103)))
			k.out("part", k.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{k.F64(1)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Sub(acc[0], k.Cast(ir.F64, k.Mul(k.at(a, i), k.at(rows, k.Alu(ir.Mod, i, k.I32(37)), x))))}, nil
			})[0])
		}},
		{"sums of sums of products with sums", exactly, func(k *kit) {
			y := k.axis("y", 5)
			a := k.counts("a", 5, 6, 20)
			total := k.sum(6, k.F32(0), func(i *ir.Node) *ir.Node {
				return k.sum(20, k.F32(0), func(j *ir.Node) *ir.Node {
					return k.Mul(k.at(a, y, i, j), k.sum(5, k.F32(0), func(l *ir.Node) *ir.Node { return k.at(a, y, i, k.Alu(ir.Mod, k.Add(j, l), k.I32(20))) }))
				})
			})
			k.out("total", total)
			k.out("all", k.sum(6, k.F32(3), func(i *ir.Node) *ir.Node {
				return k.sum(20, k.F32(0), func(j *ir.Node) *ir.Node { return k.at(a, y, i, j) })
			}))
		}},
		{"fold bounds below zero", exactly, func(k *kit) {
			x := k.axis("x", 21)
			v := k.Fold(ir.FoldSpec{Lo: k.I32(-7), Hi: k.Sub(x, k.I32(5)), Init: []*ir.Node{k.I32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(k.Mul(acc[0], k.I32(3)), i)}, nil
			})
			k.out("v", v[0])
		}},
		{"fold over int64", exactly, func(k *kit) {
			x := k.axis("x", 33)
			far := k.Int(ir.I64, 1<<40)
			v := k.Fold(ir.FoldSpec{Lo: far, Hi: k.Add(far, k.Cast(ir.I64, x)), Init: []*ir.Node{k.Int(ir.I64, 1)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(k.Mul(acc[0], k.Int(ir.I64, 31)), i)}, nil
			})
			k.out("v", v[0])
		}},
		{"fibonacci", exactly, func(k *kit) {
			x := k.axis("x", 50)
			v := k.fold(ir.Ordered, x, []*ir.Node{k.I32(0), k.I32(1)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				return []*ir.Node{a[1], k.Add(a[0], a[1])}
			})
			k.out("v", v[0])
			k.out("next", v[1])
		}},
		{"rotating accumulators", exactly, func(k *kit) {
			x := k.axis("x", 40)
			v := k.fold(ir.Ordered, x, []*ir.Node{k.F32(1), k.F32(2), k.F32(3), k.F32(4)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				return []*ir.Node{a[3], a[0], k.Add(a[1], k.F32(1)), a[2]}
			})
			for j, r := range v {
				k.out(fmt.Sprint("v", j), r)
			}
		}},
		{"a state with what it comes to", exactly, func(k *kit) {
			y, x := k.axis("y", 7), k.axis("x", 37)
			a, gain := k.random("a", 61), k.random("gain", 7, 37)
			v := k.fold(ir.Ordered, k.I32(61), []*ir.Node{k.F32(0.5), k.F64(0), k.F32(math.Inf(-1)), k.Int(ir.I64, 0)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				now := k.Add(acc[0], k.Mul(k.at(gain, y, x), k.Sub(k.at(a, i), acc[0])))
				return []*ir.Node{now, k.Add(acc[1], k.Cast(ir.F64, now)), k.Max(now, acc[2]), k.Add(acc[3], k.Cast(ir.I64, k.Lt(k.F32(0.25), now)))}
			})
			for j, r := range v[1:] {
				k.out(fmt.Sprint("v", j), r)
			}
		}},
		{"accumulators of all types", exactly, func(k *kit) {
			x := k.axis("x", 45)
			a := k.random("a", 45)
			init := []*ir.Node{k.F32(0), k.F64(0), k.I32(0), k.Int(ir.I64, 0), k.False()}
			v := k.fold(ir.Ordered, k.Add(x, k.I32(1)), init, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				w := k.at(a, i)
				return []*ir.Node{
					k.Add(k.Mul(acc[0], k.F32(0.5)), w),
					k.Add(acc[1], k.Mul(k.Cast(ir.F64, w), k.Cast(ir.F64, acc[0]))),
					k.Select(k.Lt(w, k.F32(0)), k.Add(acc[2], k.I32(1)), acc[2]),
					k.Add(k.Mul(acc[3], k.Int(ir.I64, 7)), k.Cast(ir.I64, i)),
					k.Alu(ir.Ne, acc[4], k.Lt(acc[0], k.F32(0.1))),
				}
			})
			for _, r := range v {
				k.out(r.Type.String(), r)
			}
		}},
		{"nested folds", exactly, func(k *kit) {
			x := k.axis("x", 37)
			a, b := k.counts("a", 37, 11), k.counts("b", 11, 5)
			k.out("v", k.sum(11, k.F32(0), func(i *ir.Node) *ir.Node {
				in := k.sum(5, k.F32(0), func(j *ir.Node) *ir.Node { return k.Mul(k.at(b, i, j), k.real(j)) })
				return k.Mul(k.at(a, x, i), in)
			}))
		}},
		{"nested folds of bounds that vary", exactly, func(k *kit) {
			x := k.axis("x", 29)
			a := k.counts("a", 29)
			v := k.fold(ir.Ordered, x, []*ir.Node{k.I32(1), k.F32(0)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				in := k.Fold(ir.FoldSpec{Lo: i, Hi: k.Min(k.Add(i, acc[0]), k.I32(29)), Init: []*ir.Node{acc[1]}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{k.Add(s[0], k.Mul(k.at(a, j), k.real(acc[0])))}, nil
				})
				return []*ir.Node{k.Add(k.Mod(acc[0], k.I32(5)), k.I32(1)), k.Sub(in[0], k.real(i))}
			})
			k.out("v", v[1])
		}},
		{"three folds deep", exactly, func(k *kit) {
			y, x := k.axis("y", 3), k.axis("x", 18)
			k.out("v", k.fold(ir.Sum, k.Add(y, k.I32(2)), []*ir.Node{k.I32(0)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				in := k.fold(ir.Sum, k.Add(i, k.I32(1)), []*ir.Node{k.I32(0)}, func(j *ir.Node, b []*ir.Node) []*ir.Node {
					in := k.fold(ir.Sum, k.I32(4), []*ir.Node{x}, func(l *ir.Node, c []*ir.Node) []*ir.Node {
						return []*ir.Node{k.Add(c[0], k.Mul(k.Add(l, j), k.Add(i, x)))}
					})
					return []*ir.Node{k.Add(b[0], in[0])}
				})
				return []*ir.Node{k.Add(a[0], in[0])}
			})[0])
		}},
		{"fold bounds from folds", exactly, func(k *kit) {
			x := k.axis("x", 31)
			marks := k.ints(ir.I32, "marks", k.whole(31*6, 0, 3), 31, 6)
			count := k.fold(ir.Sum, k.I32(6), []*ir.Node{k.I32(0)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(a[0], k.at(marks, x, i))}
			})[0]
			k.out("v", k.fold(ir.Ordered, count, []*ir.Node{k.F32(1)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(k.Mul(a[0], k.F32(0.75)), k.real(i))}
			})[0])
			k.out("count", count)
		}},
		{"while on an accumulator", exactly, func(k *kit) {
			x := k.axis("x", 67)
			v := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(200), Init: []*ir.Node{k.Add(x, k.I32(1)), k.I32(0)}}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				odd := k.Alu(ir.Eq, k.Alu(ir.BitAnd, a[0], k.I32(1)), k.I32(1))
				next := k.Select(odd, k.Add(k.Mul(a[0], k.I32(3)), k.I32(1)), k.Alu(ir.Shr, a[0], k.I32(1)))
				return []*ir.Node{next, k.Add(a[1], k.I32(1))}, k.Lt(k.I32(1), a[0])
			})
			k.out("steps", v[1])
		}},
		{"while on data", exactly, func(k *kit) {
			x := k.axis("x", 50)
			a := k.random("a", 90)
			v := k.Fold(ir.FoldSpec{Lo: x, Hi: k.I32(90), Init: []*ir.Node{k.F32(0), k.I32(-1)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(acc[0], k.at(a, i)), i}, k.Lt(k.Abs(acc[0]), k.F32(1.5))
			})
			k.out("sum", v[0])
			k.out("last", v[1])
		}},
		{"while that never holds", exactly, func(k *kit) {
			x := k.axis("x", 20)
			v := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(9), Init: []*ir.Node{k.real(x)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.F32(-1)}, k.Lt(acc[0], k.F32(0))
			})
			k.out("v", v[0])
		}},
		{"while that does not vary", exactly, func(k *kit) {
			x := k.axis("x", 50)
			stop := k.ints(ir.I32, "stop", []int64{1, 1, 1, 1, 0, 1})
			v := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(6), Init: []*ir.Node{k.real(x)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				go1 := k.Alu(ir.Ne, k.at(stop, i), k.I32(0))
				return []*ir.Node{k.Add(k.Mul(acc[0], k.F32(0.5)), k.real(i))}, k.And(go1, k.Lt(acc[0], k.F32(20)))
			})
			k.out("v", v[0])
		}},
		{"while in a fold", exactly, func(k *kit) {
			x := k.axis("x", 35)
			v := k.fold(ir.Ordered, k.I32(4), []*ir.Node{k.I32(0)}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
				in := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(30), Init: []*ir.Node{k.Add(x, i)}}, func(j *ir.Node, s []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{k.Add(s[0], k.Add(j, k.I32(1)))}, k.Lt(s[0], k.Mul(k.Add(i, k.I32(1)), k.I32(25)))
				})
				return []*ir.Node{k.Add(a[0], in[0])}
			})
			k.out("v", v[0])
		}},
		{"least of roots", exactly, func(k *kit) {
			x := k.axis("x", 40)
			v := k.noise(40*10, 3)
			for i := range 10 {
				v[i*31], v[i*40+1] = math.NaN(), 0
			}
			a := k.floats(ir.F32, "a", v)
			for _, init := range []float64{math.Inf(1), 1} {
				name := fmt.Sprint("below ", init)
				least := func(term func(s *ir.Node) *ir.Node) *ir.Node {
					return k.fold(ir.Smallest, k.I32(10), []*ir.Node{k.F32(init)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
						return []*ir.Node{k.Min(term(k.at(a, k.Add(k.Mul(i, k.I32(40)), x))), acc[0])}
					})[0]
				}
				k.out(name, least(func(s *ir.Node) *ir.Node { return k.Sqrt(k.Mul(s, s)) }))
				k.out(name+", of negative ones too", least(func(s *ir.Node) *ir.Node { return k.Sqrt(s) }))
				k.out(name+", of sums", least(func(s *ir.Node) *ir.Node { return k.Sqrt(k.Add(k.Mul(s, s), k.at(a, x))) }))
			}
		}},
		{"sum of what is needed here and there", exactly, func(k *kit) {
			y, x := k.axis("y", 7), k.axis("x", 40)
			a, near := k.counts("a", 40, 11), k.counts("near", 11)
			sum := func(name string, t ir.DType, needed func(i *ir.Node) *ir.Node) {
				v := k.fold(ir.Sum, k.I32(11), []*ir.Node{k.Const(t, 0), k.Const(t, 3)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
					heavy := k.Sqrt(k.Mul(k.at(a, x, i), k.at(a, x, i)))
					for range 4 {
						heavy = k.Sqrt(k.Mul(heavy, heavy))
					}
					term := func(v *ir.Node) *ir.Node { return k.Cast(t, k.Select(needed(i), v, k.F32(0))) }
					return []*ir.Node{k.Add(acc[0], term(heavy)), k.Sub(acc[1], term(k.Add(heavy, k.real(y))))}
				})
				k.out(name, v[0])
				k.out(name+", taken away", v[1])
			}
			for _, t := range []ir.DType{ir.F32, ir.F64} {
				sum(fmt.Sprint("on some lanes, ", t), t, func(i *ir.Node) *ir.Node { return k.Lt(k.Mul(k.real(i), k.F32(4)), k.real(x)) })
				sum(fmt.Sprint("in some rows, ", t), t, func(i *ir.Node) *ir.Node { return k.Lt(i, y) })
				sum(fmt.Sprint("in some turns, ", t), t, func(i *ir.Node) *ir.Node { return k.Lt(k.at(near, i), k.F32(5)) })
				sum(fmt.Sprint("never, ", t), t, func(i *ir.Node) *ir.Node { return k.Lt(k.real(x), k.at(near, i)) })
			}
		}},
		{"values shared by folds and stores", exactly, func(k *kit) {
			y, x := k.axis("y", 6), k.axis("x", 33)
			a := k.counts("a", 33, 8)
			shared := k.Mul(k.real(x), k.real(y))
			first := k.sum(8, k.F32(0), func(i *ir.Node) *ir.Node { return k.Mul(k.at(a, x, i), shared) })
			second := k.sum(8, first, func(i *ir.Node) *ir.Node { return k.Add(k.at(a, x, i), k.real(y)) })
			k.out("first", first)
			k.out("second", k.Add(second, shared))
		}},
	}
	for _, n := range []int{1, 2, 3, 8, 20, 33, 60} {
		out = append(out, spec{fmt.Sprintf("%d accumulators", n), exactly, manyAccumulators(n)})
	}
	return out
}

// manyAccumulators is a fold as normal equations have it: each accumulator adds another product of the same few values.
func manyAccumulators(n int) func(k *kit) {
	return func(k *kit) {
		x := k.axis("x", 21)
		a, w := k.counts("a", 21, 13), k.counts("w", 13)
		init := make([]*ir.Node, n)
		for j := range init {
			init[j] = k.real(k.Add(x, k.I32(j)))
		}
		v := k.fold(ir.Sum, k.I32(13), init, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			p, q := k.at(a, x, i), k.at(w, i)
			next := make([]*ir.Node, n)
			for j := range next {
				term := k.Mul(k.Add(p, k.F32(float64(j%7))), k.Sub(q, k.F32(float64(j/7))))
				if j%3 == 2 {
					next[j] = k.Sub(acc[j], term)
				} else {
					next[j] = k.Add(acc[j], term)
				}
			}
			return next
		})
		for j, r := range v {
			if j < 4 || j == n-1 {
				k.out(fmt.Sprint("v", j), r)
			}
		}
		total := v[0]
		for _, r := range v[1:] {
			total = k.Add(total, r)
		}
		k.out("total", total)
	}
}
