package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// monoids may be split and reordered: sums agree within rounding, the rest exactly. Each is run with many outputs, with
// few, and as a single scalar.
func monoids() []spec {
	reduce := func(name string, within Tolerance, build func(k *kit, x, n *ir.Node, rows int)) []spec {
		return []spec{
			{name + " a row", within, func(k *kit) { build(k, k.axis("x", 43), k.I32(100), 43) }},
			{name + " of few rows", within, func(k *kit) { build(k, k.axis("x", 3), k.I32(1000), 3) }},
			{name + " to a scalar", within, func(k *kit) { build(k, k.I32(0), k.I32(1003), 1) }},
			{name + " of ragged rows", within, func(k *kit) { x := k.axis("x", 37); build(k, x, k.Mod(k.Mul(x, k.I32(7)), k.I32(23)), 37) }},
		}
	}
	const cols = 1003
	fold1 := func(k *kit, m ir.Monoid, n, init *ir.Node, step func(i, acc *ir.Node) *ir.Node) *ir.Node {
		return k.fold(m, n, []*ir.Node{init}, func(i *ir.Node, a []*ir.Node) []*ir.Node { return []*ir.Node{step(i, a[0])} })[0]
	}
	var out []spec
	out = append(out, reduce("sum", sums, func(k *kit, x, n *ir.Node, rows int) {
		a, b := k.random("a", rows, cols), k.random("b", cols)
		k.out("dot", fold1(k, ir.Sum, n, k.F32(0), func(i, s *ir.Node) *ir.Node { return k.Add(s, k.Mul(k.at(a, x, i), k.at(b, i))) }))
		k.out("wide", fold1(k, ir.Sum, n, k.F64(1), func(i, s *ir.Node) *ir.Node { return k.Sub(s, k.Cast(ir.F64, k.at(a, x, i))) }))
	})...)
	out = append(out, reduce("exact sum", exactly, func(k *kit, x, n *ir.Node, rows int) {
		a, c := k.counts("a", rows, cols), k.ints(ir.I16, "c", k.whole(cols, -3000, 3000))
		k.out("floats", fold1(k, ir.Sum, n, k.F32(2), func(i, s *ir.Node) *ir.Node { return k.Sub(k.Add(k.at(a, x, i), s), k.F32(1)) }))
		k.out("integers", fold1(k, ir.Sum, n, k.I32(0), func(i, s *ir.Node) *ir.Node { return k.Add(s, k.Mul(k.at(c, i), k.at(c, i))) }))
		k.out("int64", fold1(k, ir.Sum, n, k.Int(ir.I64, 5), func(i, s *ir.Node) *ir.Node { return k.Add(s, k.Cast(ir.I64, k.Mul(i, i))) }))
	})...)
	out = append(out, reduce("product", Tolerance{ULP: 2000}, func(k *kit, x, n *ir.Node, rows int) {
		a := k.random("a", rows, cols)
		k.out("v", fold1(k, ir.Product, n, k.F32(3), func(i, s *ir.Node) *ir.Node {
			return k.Mul(s, k.Add(k.F32(1), k.Mul(k.F32(0.01), k.at(a, x, i))))
		}))
		k.out("wrapping", fold1(k, ir.Product, n, k.I32(3), func(i, s *ir.Node) *ir.Node { return k.Mul(k.Add(k.Mul(i, k.I32(2)), k.I32(1)), s) }))
	})...)
	out = append(out, reduce("extremes", exactly, func(k *kit, x, n *ir.Node, rows int) {
		a, c := k.random("a", rows, cols), k.ints(ir.I32, "c", k.whole(cols, math.MinInt32, math.MaxInt32))
		k.out("least", fold1(k, ir.Smallest, n, k.F32(math.Inf(1)), func(i, s *ir.Node) *ir.Node { return k.Min(s, k.at(a, x, i)) }))
		k.out("largest", fold1(k, ir.Largest, n, k.F32(-0.5), func(i, s *ir.Node) *ir.Node { return k.Max(k.at(a, x, i), s) }))
		k.out("wide", fold1(k, ir.Largest, n, k.F64(-5), func(i, s *ir.Node) *ir.Node { return k.Max(s, k.Cast(ir.F64, k.at(a, x, i))) }))
		k.out("integer", fold1(k, ir.Smallest, n, k.I32(math.MaxInt32), func(i, s *ir.Node) *ir.Node { return k.Min(s, k.at(c, i)) }))
	})...)
	out = append(out, reduce("extremes in one, of several types", exactly, func(k *kit, x, n *ir.Node, rows int) {
		a := k.random("a", rows, cols)
		init := []*ir.Node{k.F32(math.Inf(-1)), k.I32(0), k.F64(-2), k.F32(math.Inf(-1)), k.I32(1)}
		for q, v := range k.fold(ir.Largest, n, init, func(i *ir.Node, s []*ir.Node) []*ir.Node {
			v := k.at(a, x, i)
			over := k.Select(k.Lt(k.F32(0.97), v), k.I32(1), k.I32(0))
			return []*ir.Node{k.Max(v, s[0]), k.Max(over, s[1]), k.Max(s[2], k.Cast(ir.F64, v)), k.Max(k.Neg(v), s[3]), k.Max(s[4], k.Select(k.Lt(v, k.F32(0.5)), i, k.I32(0)))}
		}) {
			k.out(fmt.Sprint("largest", q), v)
		}
	})...)
	out = append(out, reduce("any and all", exactly, func(k *kit, x, n *ir.Node, rows int) {
		a, full := k.floats(ir.F32, "a", k.holed(rows*cols), rows, cols), k.random("full", rows, cols)
		limit := k.Sub(k.F32(0.985), k.Mul(k.real(x), k.F32(1e-4)))
		k.out("any", fold1(k, ir.Any, n, k.False(), func(i, s *ir.Node) *ir.Node { return k.Or(s, k.Lt(limit, k.at(a, x, i))) }))
		k.out("any not above", fold1(k, ir.Any, n, k.False(), func(i, s *ir.Node) *ir.Node { return k.Or(k.Not(k.Le(k.at(full, x, i), limit)), s) }))
		k.out("all", fold1(k, ir.All, n, k.True(), func(i, s *ir.Node) *ir.Node { return k.And(s, k.Lt(k.at(full, x, i), limit)) }))
		k.out("any from true", fold1(k, ir.Any, n, k.Lt(k.Mod(x, k.I32(3)), k.I32(1)), func(i, s *ir.Node) *ir.Node { return k.Or(s, k.Lt(k.F32(5), k.at(a, x, i))) }))
	})...)
	out = append(out, reduce("argmin and argmax among NaN", exactly, func(k *kit, x, n *ir.Node, rows int) {
		extreme := []float64{math.NaN(), math.Inf(1), math.MaxFloat32, float64(math.Nextafter32(math.MaxFloat32, 0)), math.Inf(-1), -math.MaxFloat32, 0}
		values := make([]float64, rows*cols)
		for i := range values { // rows of one kind, NaN, of two, and so on
			values[i] = extreme[(i*i+i/cols)%(1+(rows-i/cols)%len(extreme))]
		}
		for _, t := range []ir.DType{ir.F32, ir.F64} {
			a := k.floats(t, "a"+t.String(), values, rows, cols)
			for _, m := range []ir.Monoid{ir.ArgMin, ir.ArgMax} {
				best := k.fold(m, n, []*ir.Node{k.Const(t, math.NaN()), k.I32(0)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
					v := k.at(a, x, i)
					c := k.Better(m, v, acc[0])
					return []*ir.Node{k.Select(c, v, acc[0]), k.Select(c, i, acc[1])}
				})
				k.out(fmt.Sprint(m, " of ", t), best[1])
			}
		}
	})...)
	return append(out, reduce("argmin and argmax", exactly, func(k *kit, x, n *ir.Node, rows int) {
		a := k.counts("a", rows, cols) // many ties: the first counts
		best := func(m ir.Monoid, from float64, better func(v, acc *ir.Node) *ir.Node) []*ir.Node {
			return k.fold(m, n, []*ir.Node{k.F32(from), k.I32(-1)}, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
				v := k.at(a, x, i)
				c := better(v, acc[0])
				return []*ir.Node{k.Select(c, v, acc[0]), k.Select(c, i, acc[1])}
			})
		}
		lo := best(ir.ArgMin, math.Inf(1), func(v, acc *ir.Node) *ir.Node { return k.Lt(v, acc) })
		hi := best(ir.ArgMax, 8.5, func(v, acc *ir.Node) *ir.Node { return k.Lt(acc, v) })
		k.out("least", lo[0])
		k.out("where least", lo[1])
		k.out("largest", hi[0])
		k.out("where largest", hi[1])
	})...)
}

// holed is noise with NaN islands.
func (k *kit) holed(n int) []float64 {
	v := k.noise(n, 1)
	for i := range v {
		if i%97 > 90 {
			v[i] = math.NaN()
		}
	}
	return v
}
