package runtime

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// cut is the entry from which a row keeps its entries as they are: a tenth of the largest. Of the others a row keeps as many, of one size, as
// give the same sum: where their running sum passes whole multiples of that size, from a random one on.
const cut = 0.02

// fewer is a matrix with few of the entries of another: values and columns, row by row in places of which each row has enough.
func (w *streams) fewer(a, random ops.Array, places int) (values, columns ops.Array) {
	rows := a.Type().Dims[:1]
	line := func(e ops.ElemType) ops.Type {
		return ops.Type{Elem: e, Dims: []ops.Dim{{Name: "place", Size: places}}}
	}
	op := w.lowered("fewer", line(ops.F32), func(l *ops.Lowering) []*ops.Stage {
		a, random := l.In("a"), l.In("b")
		bounds := func(b *ops.Body, row *ir.Node) (lo, hi *ir.Node) {
			return a.Part(b, "starts", row), a.Part(b, "starts", b.Add(row, b.I32(1)))
		}
		// tail is the sum of the small entries of a row, their number, and that of the others.
		tail := func(b *ops.Body, row *ir.Node) []*ir.Node {
			return b.Once("tail", []*ir.Node{row}, func() []*ir.Node {
				lo, hi := bounds(b, row)
				return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F64(0), b.I32(0), b.I32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					v := a.Part(b, "values", k)
					small := b.Le(v, b.F32(cut))
					return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Select(small, v, b.F32(0)))), b.Add(acc[1], b.Cast(ir.I32, small)),
						b.Add(acc[2], b.Cast(ir.I32, b.Not(small)))}, nil
				})
			})
		}
		shares := func(b *ops.Body, sum *ir.Node) *ir.Node { return b.Alu(ir.Ceil, b.Div(sum, b.F64(cut))) }
		sums := l.Stage("tail", ops.Type{Elem: ops.F64, Dims: rows}, []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(tail(b, i[0])[0]) })
		most := l.Stage("most", ops.Type{Elem: ops.I32, Dims: rows}, []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			t := tail(b, i[0])
			return ops.Real(b.Add(t[2], b.Min(b.Add(b.Cast(ir.I32, shares(b, t[0])), b.I32(1)), t[1])))
		})
		before := l.Scan("before", ops.I32, ops.Unit{}, []*ops.Stage{most}, &ops.Scan{Dims: rows,
			Start: func(b *ops.Body, _ []*ir.Node) []*ir.Node { return []*ir.Node{b.I32(0)} },
			Step: func(b *ops.Body, at, state []*ir.Node) []*ir.Node {
				return []*ir.Node{b.Add(state[0], most.At(b, at...).Re)}
			},
		}, func(_ *ops.Body, before, _ []*ir.Node) ops.Elem { return ops.Real(before[0]) })

		// turn is what a row keeps of an entry, and the state after it: the running sum, the shares given, and the place of the next.
		turn := func(b *ops.Body, row, k *ir.Node, state []*ir.Node) (value, keep *ir.Node, next []*ir.Node) {
			sum, v := sums.At(b, row).Re, a.Part(b, "values", k)
			n := shares(b, sum)
			large := b.Lt(b.F32(cut), v)
			c := b.Add(state[0], b.Select(large, b.F64(0), b.Cast(ir.F64, v)))
			given := b.Min(b.Alu(ir.Floor, b.Add(b.Mul(c, b.Div(n, sum)), b.Cast(ir.F64, random.At(b, row).Re))), n)
			given = b.Select(large, state[1], given)
			keep = b.Or(large, b.Lt(state[1], given))
			value = b.Select(large, v, b.Cast(ir.F32, b.Mul(b.Sub(given, state[1]), b.Div(sum, n))))
			return value, keep, []*ir.Node{c, given, b.Add(state[2], b.Cast(ir.I32, keep))}
		}
		start := func(b *ops.Body, row *ir.Node) []*ir.Node {
			return []*ir.Node{b.F64(0), b.F64(0), before.At(b, row).Re}
		}
		stage := func(name string, t ops.ElemType, pick func(b *ops.Body, value, k *ir.Node) *ir.Node) *ops.Stage {
			s := l.Stage(name, line(t), []*ops.Stage{a, random, sums, before}, func(b *ops.Body, i []*ir.Node) ops.Elem {
				row := b.Sub(b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows[0].Size), Init: []*ir.Node{b.I32(0)}}, func(r *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Add(acc[0], b.Cast(ir.I32, b.Le(before.At(b, r).Re, i[0])))}, nil
				})[0], b.I32(1))
				lo, hi := bounds(b, row)
				none := b.Const(t.Base, 0)
				return ops.Real(b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: append(start(b, row), none)}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					v, keep, next := turn(b, row, k, acc)
					here := b.And(keep, b.Alu(ir.Eq, acc[2], i[0]))
					return append(next, b.Select(here, pick(b, v, k), acc[3])), nil
				})[3])
			})
			s.Put = &ops.Put{Axes: rows, Writes: func(b *ops.Body, at []*ir.Node) []ops.Write {
				lo, hi := bounds(b, at[0])
				var out ops.Write
				f := b.Once("fill", at, func() []*ir.Node {
					return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: start(b, at[0])}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
						_, _, next := turn(b, at[0], k, acc)
						return next, nil
					})
				})[0].Fold
				v, keep, _ := turn(b, at[0], f.Index, f.Accs)
				out = ops.Write{In: f, At: []*ir.Node{f.Accs[2]}, Value: ops.Real(pick(b, v, f.Index)), Where: keep}
				return []ops.Write{out}
			}}
			return s
		}
		return []*ops.Stage{
			stage("", ops.F32, func(_ *ops.Body, value, _ *ir.Node) *ir.Node { return value }),
			stage("columns", ops.I32, func(b *ops.Body, _, k *ir.Node) *ir.Node { return a.Part(b, "columns", k) }),
		}
	}, a, random)
	op.Of.Out = append(op.Of.Out, ops.Output{Name: "columns", Type: line(ops.I32)})
	return op, ops.Array{Of: op.Of, Out: 1}
}

// places is how many places the rows need, and kept what they hold, row by row: 0 where there is nothing.
func (d *doses) places(random []float32) (places int, values, columns []float64) {
	for row := range d.rows {
		sum, small, large := 0.0, 0, 0
		entries := d.value[d.starts[row]:d.starts[row+1]]
		for _, v := range entries {
			if v <= cut32 {
				sum, small = sum+float64(v), small+1
			} else {
				large++
			}
		}
		n := math.Ceil(sum / cut)
		most := large + min(int(n)+1, small)
		c, given, at := 0.0, 0.0, places
		values, columns = append(values, make([]float64, most)...), append(columns, make([]float64, most)...)
		for k, v := range entries {
			next, put := given, float64(v)
			if v <= cut32 {
				c += float64(v)
				next = min(math.Floor(c*(n/sum)+float64(random[row])), n)
				put = float64(float32((next - given) * (sum / n)))
			}
			if v > cut32 || next > given {
				values[at], columns[at] = put, float64(d.column[d.starts[row]+k])
				at++
			}
			given = next
		}
		places += most
	}
	return places, values, columns
}

// random is a number a row.
func (d *doses) random() []float32 {
	out := make([]float32, d.rows)
	for i := range out {
		out[i] = d.penalty[6*i] - 0.5
	}
	return out
}

const cut32 = float32(cut)
