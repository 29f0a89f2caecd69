package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// puts are stores in the turns of folds.
func puts() []spec {
	buffer := func(t ir.DType, shape ...int) *ir.Buffer { return &ir.Buffer{Name: "out", Type: t, Shape: shape} }
	to := func(k *kit, in *ir.Fold, b *ir.Buffer, v *ir.Node, index ...*ir.Node) *ir.Store {
		k.kernel.Stores = append(k.kernel.Stores, ir.Store{Buf: b, Index: index, Value: k.Cast(b.Type.Compute(), v), In: in})
		return &k.kernel.Stores[len(k.kernel.Stores)-1]
	}
	// running sums up f(i) in order from lo to hi and calls store with the index, the sum before and the sum after a turn.
	running := func(k *kit, t ir.DType, lo, hi *ir.Node, f func(i *ir.Node) *ir.Node, store func(i, before, after *ir.Node) []func(*ir.Fold)) *ir.Node {
		var after []func(*ir.Fold)
		out := k.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{k.Const(t, 0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			next := k.Add(acc[0], k.Cast(t, f(i)))
			after = store(i, acc[0], next)
			return []*ir.Node{next}, nil
		})[0]
		for _, f := range after {
			f(out.Fold)
		}
		return out
	}
	one := func(f func(*ir.Fold)) []func(*ir.Fold) { return []func(*ir.Fold){f} }
	scan := func(t, stored ir.DType) spec {
		return spec{fmt.Sprintf("running sums in %s, stored as %s", t, stored), exactly, func(k *kit) {
			y := k.axis("y", 37)
			a := k.random("a", 37, 29)
			running(k, t, k.I32(0), k.I32(29), func(x *ir.Node) *ir.Node { return k.Mul(k.at(a, y, x), k.F32(9)) }, func(x, _, sum *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, buffer(stored, 37, 29), sum, y, x) })
			})
		}}
	}
	table := func(t ir.DType) spec {
		return spec{"tables of " + t.String() + " by chunks", exactly, func(k *kit) {
			const chunks, each, bins = 19, 23, 5
			c := k.axis("chunk", chunks)
			at, w := k.ints(ir.I32, "at", k.whole(chunks*each, -1, bins)), k.counts("w", chunks*each)
			out := buffer(t, chunks, bins)
			var bin, v, on *ir.Node
			clear := k.Turns("bin", k.I32(0), k.I32(bins), k.kernel.Axes, func(i *ir.Node) { bin = i })
			to(k, clear, out, k.I32(0), c, bin)
			count := k.Turns("i", k.I32(0), k.I32(each), k.kernel.Axes, func(i *ir.Node) {
				i = k.Add(k.Mul(c, k.I32(each)), i)
				bin, v = k.at(at, i), k.Abs(k.at(w, i))
				on = k.And(k.Le(k.I32(0), bin), k.Lt(bin, k.I32(bins)))
			})
			s := to(k, count, out, v, c, bin)
			s.Guard, s.Adds = on, true
		}}
	}
	// counted are tables of counts of turns of two folds, far enough to be kept in copies.
	counted := func(t ir.DType, rows, each, bins int) spec {
		return spec{fmt.Sprintf("counts in %s of %d bins in rows of %d", t, bins, each), exactly, func(k *kit) {
			const chunks = 3
			c := k.axis("chunk", chunks)
			values := k.noise(chunks*rows*each, float64(bins))
			values[17], values[40] = math.NaN(), math.Inf(1)
			x := k.floats(ir.F32, "x", values, chunks, rows, each)
			out := buffer(t, chunks, bins)
			var bin *ir.Node
			clear := k.Turns("bin", k.I32(0), k.I32(bins), k.kernel.Axes, func(i *ir.Node) { bin = i })
			to(k, clear, out, k.I32(2), c, bin)
			var in *ir.Fold
			var on *ir.Node
			k.Turns("row", k.I32(0), k.I32(rows), k.kernel.Axes, func(row *ir.Node) {
				in = k.Turns("i", k.I32(0), k.I32(each), []*ir.Node{c, row}, func(i *ir.Node) {
					v := k.Cast(ir.F64, k.at(x, c, row, i))
					on = k.And(k.Le(k.F64(0), v), k.Lt(v, k.F64(float64(bins)-0.3)))
					bin = k.Cast(ir.I32, k.Select(on, v, k.F64(0)))
				})
			})
			s := to(k, in, out, k.I32(3), c, bin)
			s.Guard, s.Adds = on, true
		}}
	}
	// spread are rows of a matrix in blocks, each times its product with an array, added up by columns: what is stored goes along an axis, and the
	// product is the same along it.
	spread := func(t ir.DType, wide int) spec {
		return spec{fmt.Sprintf("sums in %s of blocks of %d by columns, times their rows' products", t, wide), exactly, func(k *kit) {
			const chunks, each, groups = 5, 7, 11
			start, cols := k.rows(chunks*each, 0, 9)
			p, at := k.ints(ir.I32, "start", start), k.ints(ir.U16, "cols", k.whole(len(cols), 0, groups))
			a, x := k.counts("a", len(cols), wide), k.counts("x", groups+1, wide)
			c, lane := k.axis("chunk", chunks), k.axis("lane", wide)
			out := buffer(t, chunks, groups, wide)
			clear := k.Turns("group", k.I32(0), k.I32(groups), k.kernel.Axes, func(i *ir.Node) { to(k, nil, out, k.I32(0), c, i, lane) })
			k.kernel.Stores[0].In = clear
			k.Turns("row", k.I32(0), k.I32(each), k.kernel.Axes, func(i *ir.Node) {
				row := k.Add(k.Mul(c, k.I32(each)), i)
				first, last := k.at(p, row), k.at(p, k.Add(row, k.I32(1)))
				product := k.Fold(ir.FoldSpec{Lo: first, Hi: last, Init: []*ir.Node{k.F64(0)}, Monoid: ir.Sum}, func(b *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{k.Add(acc[0], k.fold(ir.Sum, k.I32(wide), []*ir.Node{k.F64(0)}, func(l *ir.Node, acc []*ir.Node) []*ir.Node {
						return []*ir.Node{k.Add(acc[0], k.Cast(ir.F64, k.Mul(k.at(a, b, l), k.at(x, k.at(at, b), l))))}
					})[0])}, nil
				})[0]
				var v, column *ir.Node
				add := k.Turns("block", first, last, []*ir.Node{c, lane, i}, func(b *ir.Node) {
					column, v = k.at(at, b), k.Mul(k.Cast(ir.F32, product), k.at(a, b, lane))
				})
				s := to(k, add, out, v, c, column, lane)
				s.Guard, s.Adds = k.Lt(column, k.I32(groups)), true
			})
		}}
	}
	specs := []spec{
		spread(ir.F64, 16), spread(ir.F32, 5), spread(ir.F64, 37),
		counted(ir.I64, 7, 300, 5), counted(ir.I32, 2, 531, 90), counted(ir.I32, 40, 11, 3),
		{"running sums along columns", exactly, func(k *kit) {
			x := k.axis("x", 77)
			a := k.random("a", 31, 77)
			running(k, ir.F64, k.I32(0), k.I32(31), func(y *ir.Node) *ir.Node { return k.at(a, y, x) }, func(y, before, sum *ir.Node) []func(*ir.Fold) {
				return []func(*ir.Fold){func(f *ir.Fold) { to(k, f, buffer(ir.F32, 31, 77), sum, y, x) }, func(f *ir.Fold) {
					b := buffer(ir.F64, 77, 31)
					b.Name, b.Pad = "before", ir.Pad{Before: 3, After: 4, Value: 2}
					to(k, f, b, before, x, y).Guard = k.Lt(k.F64(0), before)
				}}
			})
		}},
		{"running sums over two axes of points", exactly, func(k *kit) {
			y, x := k.axis("y", 7), k.axis("x", 45)
			a := k.random("a", 7, 13, 45)
			last := running(k, ir.F32, k.I32(0), k.I32(13), func(i *ir.Node) *ir.Node { return k.at(a, y, i, x) }, func(i, _, sum *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, buffer(ir.F32, 7, 13, 45), sum, y, i, x) })
			})
			k.out("last", k.Mul(last, k.F32(2)))
		}},
		{"running sums of ragged rows", exactly, func(k *kit) {
			starts, _ := k.rows(41, 0, 9)
			y := k.axis("y", 41)
			n := int(starts[len(starts)-1])
			a, row := k.random("a", n), k.ints(ir.I32, "row", starts)
			running(k, ir.F32, k.at(row, y), k.at(row, k.Add(y, k.I32(1))), func(i *ir.Node) *ir.Node { return k.at(a, i) }, func(i, _, sum *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, buffer(ir.F32, n), sum, i) })
			})
		}},
		{"turns until a limit", exactly, func(k *kit) {
			y := k.axis("y", 50)
			a := k.random("a", 50, 40)
			out, steps := buffer(ir.F32, 50, 40), buffer(ir.I32, 50, 40)
			steps.Name = "steps"
			zero := k.Turns("x", k.I32(0), k.I32(40), k.kernel.Axes, func(x *ir.Node) { to(k, nil, out, k.F32(-1), y, x); to(k, nil, steps, k.I32(-1), y, x) })
			k.kernel.Stores[0].In, k.kernel.Stores[1].In = zero, zero
			var i, sum, n *ir.Node
			f := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(40), Init: []*ir.Node{k.F32(0), k.I32(0)}}, func(x *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				i, sum, n = x, acc[0], acc[1]
				return []*ir.Node{k.Add(sum, k.Abs(k.at(a, y, x))), k.Add(n, k.I32(2))}, k.Lt(sum, k.Mul(k.real(y), k.F32(0.4)))
			})[0].Fold
			to(k, f, out, sum, y, i)
			to(k, f, steps, n, y, i).Guard = k.Alu(ir.Ne, n, k.I32(6))
		}},
		{"nested folds that store", exactly, func(k *kit) {
			c := k.axis("c", 11)
			a := k.random("a", 11, 5, 14)
			var inner *ir.Fold
			var y, x, total, sum *ir.Node
			outer := k.Fold(ir.FoldSpec{Name: "y", Lo: k.I32(0), Hi: k.I32(5), Init: []*ir.Node{k.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				y, total = i, acc[0]
				g := k.Fold(ir.FoldSpec{Name: "x", Lo: k.I32(0), Hi: k.I32(14), Init: acc}, func(j *ir.Node, in []*ir.Node) ([]*ir.Node, *ir.Node) {
					x, sum = j, k.Add(in[0], k.at(a, c, i, j))
					return []*ir.Node{sum}, nil
				})
				inner = g[0].Fold
				return g, nil
			})[0].Fold
			to(k, inner, buffer(ir.F32, 11, 5, 14), sum, c, y, x)
			at := buffer(ir.F32, 11, 5)
			at.Name = "rows"
			to(k, outer, at, total, c, y)
		}},
		{"counts in nested folds, of which only the inner one stores", exactly, func(k *kit) {
			c := k.axis("c", 11)
			a, out := k.random("a", 11, 5, 14), buffer(ir.I32, 11, 4)
			to(k, k.Turns("clear", k.I32(0), k.I32(4), k.kernel.Axes, func(*ir.Node) {}), out, k.I32(0), c, nil)
			k.kernel.Stores[0].Index[1] = k.kernel.Stores[0].In.Index
			k.Fold(ir.FoldSpec{Name: "y", Lo: k.I32(0), Hi: k.I32(5), Init: []*ir.Node{c}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				var bin *ir.Node
				inner := k.Fold(ir.FoldSpec{Name: "x", Lo: k.I32(0), Hi: k.I32(14), Init: acc}, func(j *ir.Node, in []*ir.Node) ([]*ir.Node, *ir.Node) {
					bin = k.Min(k.Cast(ir.I32, k.Mul(k.Abs(k.at(a, c, i, j)), k.F32(3))), k.I32(3))
					return in, nil
				})
				to(k, inner[0].Fold, out, k.I32(1), c, bin)
				k.kernel.Stores[1].Adds = true
				return inner, nil
			})
		}},
		{"compaction", exactly, func(k *kit) {
			c := k.axis("chunk", 21)
			a := k.random("a", 21, 33)
			out := buffer(ir.F32, 21, 33)
			fill := k.Turns("i", k.I32(0), k.I32(33), k.kernel.Axes, func(i *ir.Node) { to(k, nil, out, k.F32(7), c, i) })
			k.kernel.Stores[0].In = fill
			var v, on *ir.Node
			n := running(k, ir.I32, k.I32(0), k.I32(33), func(i *ir.Node) *ir.Node {
				v = k.at(a, c, i)
				on = k.Lt(k.F32(0), v)
				return on
			}, func(i, before, _ *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, out, v, c, before).Guard = on })
			})
			k.out("count", n)
		}},
		{"what is kept of ragged rows, so many of each", exactly, func(k *kit) {
			starts, _ := k.rows(41, 0, 19)
			y := k.axis("y", 41)
			a, row := k.random("a", int(starts[len(starts)-1])), k.ints(ir.I32, "row", starts)
			value, rest := buffer(ir.F32, 41, 4), buffer(ir.F64, 41, 4)
			rest.Name = "rest"
			clear := k.Turns("i", k.I32(0), k.I32(4), k.kernel.Axes, func(*ir.Node) {})
			to(k, clear, value, k.F32(7), y, clear.Index)
			to(k, clear, rest, k.F64(7), y, clear.Index)
			var v, on, left, n *ir.Node
			init := []*ir.Node{k.I32(0), k.F64(0), k.F64(0), k.I32(-1), k.I32(0)}
			ends := k.Fold(ir.FoldSpec{Lo: k.at(row, y), Hi: k.at(row, k.Add(y, k.I32(1))), Init: init}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				v, n = k.at(a, i), acc[0]
				large := k.Lt(k.F32(0.8), v)
				sum := k.Select(large, acc[1], k.Add(acc[1], k.Cast(ir.F64, k.Abs(v))))
				more := k.And(k.Not(large), k.Lt(k.Add(acc[2], k.F64(0.7)), sum))
				on, left = k.Or(large, more), k.Sub(sum, acc[2])
				return []*ir.Node{k.Add(n, k.Cast(ir.I32, on)), sum, k.Select(more, sum, acc[2]), n, k.Select(on, acc[3], acc[4])}, nil
			})
			few := k.And(on, k.Lt(n, k.I32(4)))
			to(k, ends[0].Fold, value, v, y, n).Guard = few
			to(k, ends[0].Fold, rest, left, y, n).Guard = few
			k.out("count", ends[0])
			k.out("before", ends[3])
			k.out("last", ends[4])
		}},
		{"shares of a sum that turns need and stores do", exactly, func(k *kit) {
			c := k.axis("row", 21)
			w := k.counts("w", 21, 33)
			all := k.sum(33, k.F32(0), func(i *ir.Node) *ir.Node { return k.at(w, c, i) })
			var on, share *ir.Node
			running(k, ir.F32, k.I32(0), k.I32(33), func(i *ir.Node) *ir.Node {
				v := k.at(w, c, i)
				on, share = k.Lt(k.F32(1), v), k.Mul(v, all)
				return k.Select(k.Lt(k.F32(0), all), v, k.F32(2))
			}, func(i, before, _ *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, buffer(ir.F32, 21, 33), k.Add(share, before), c, i).Guard = on })
			})
		}},
		{"turns without points", exactly, func(k *kit) {
			a := k.random("a", 60)
			running(k, ir.F32, k.I32(3), k.I32(55), func(i *ir.Node) *ir.Node { return k.at(a, i) }, func(i, _, sum *ir.Node) []func(*ir.Fold) {
				return one(func(f *ir.Fold) { to(k, f, buffer(ir.F32, 60), sum, k.Sub(k.I32(59), i)) })
			})
		}},
	}
	for _, t := range [][2]ir.DType{{ir.F32, ir.F32}, {ir.F64, ir.F32}, {ir.F64, ir.F64}, {ir.I32, ir.I32}, {ir.I32, ir.I8}, {ir.I64, ir.I64}, {ir.F32, ir.F16}} {
		specs = append(specs, scan(t[0], t[1]))
	}
	for _, t := range []ir.DType{ir.F32, ir.F64, ir.U32, ir.I32, ir.I64, ir.U8, ir.I16, ir.F16, ir.BF16} {
		specs = append(specs, table(t))
	}
	return specs
}
