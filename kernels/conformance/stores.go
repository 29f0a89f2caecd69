package conformance

import "weft/kernels/ir"

// stores: guards, permutations, strides, padding.
func stores() []spec {
	const n = 77
	to := func(k *kit, b *ir.Buffer, v *ir.Node, index ...*ir.Node) *ir.Store {
		k.kernel.Stores = append(k.kernel.Stores, ir.Store{Buf: b, Index: index, Value: v})
		return &k.kernel.Stores[len(k.kernel.Stores)-1]
	}
	buffer := func(t ir.DType, shape ...int) *ir.Buffer { return &ir.Buffer{Name: "out", Type: t, Shape: shape} }
	return []spec{
		{"stores of several types", exactly, func(k *kit) {
			x := k.axis("x", n)
			v := k.at(k.random("a", n), x)
			k.outAs(ir.F16, "half", v)
			k.out("f32", k.Neg(v))
			k.out("f64", k.Cast(ir.F64, v))
			k.out("sign", k.Lt(v, k.F32(0)))
			k.outAs(ir.I8, "i8", k.Mul(x, k.I32(3)))
		}},
		{"guarded stores", exactly, func(k *kit) {
			x := k.axis("x", n)
			v := k.at(k.random("a", n), x)
			k.out("negative", v)
			k.kernel.Stores[0].Guard = k.Lt(v, k.F32(0))
			k.out("middle", k.Mul(x, x))
			k.kernel.Stores[1].Guard = k.And(k.Le(k.I32(20), x), k.Lt(x, k.I32(50)))
			s := to(k, buffer(ir.F32, 10), v, k.Sub(x, k.I32(30)))
			s.Guard = k.within(k.Sub(x, k.I32(30)), 10)
			k.out("never", v)
			k.kernel.Stores[3].Guard = k.Lt(k.I32(n), x)
		}},
		{"stores to padded buffers", exactly, func(k *kit) {
			y, x := k.axis("y", 5), k.axis("x", 37)
			v := k.at(k.random("a", 5, 37), y, x)
			k.out("zero", v).Pad = ir.Pad{Before: 16, After: 11}
			k.out("other", k.Neg(v)).Pad = ir.Pad{Before: 1, After: 2, Value: -3}
			k.outAs(ir.I16, "small", k.Add(x, y)).Pad = ir.Pad{Before: 5, After: 70, Value: 12}
		}},
		{"scattered stores", exactly, func(k *kit) {
			x := k.axis("x", n)
			p := make([]int64, n)
			for i, j := range k.rng.Perm(n) {
				p[i] = int64(j)
			}
			v := k.at(k.random("a", n), x)
			to(k, buffer(ir.F32, n), v, k.at(k.ints(ir.I32, "p", p), x))
			to(k, buffer(ir.F32, 2*n), v, k.Mul(x, k.I32(2)))
			to(k, buffer(ir.F32, n), v, k.Sub(k.I32(n-1), x))
			to(k, buffer(ir.F64, n, 3), k.Cast(ir.F64, v), x, k.Mod(x, k.I32(3)))
		}},
		{"transposed store", exactly, func(k *kit) {
			y, x := k.axis("y", 19), k.axis("x", 35)
			to(k, buffer(ir.F32, 35, 19), k.at(k.random("a", 19, 35), y, x), x, y)
		}},
		{"stores side by side", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 45)
			a := k.random("a", 9, 45)
			pairs, across := buffer(ir.F32, 9, 45, 2), buffer(ir.F32, 45, 9, 2)
			for part := range 2 {
				to(k, pairs, k.Mul(k.at(a, y, x), k.F32(float64(1+part))), y, x, k.I32(part))
			}
			for part := range 2 {
				to(k, across, k.Sub(k.at(a, y, x), k.F32(float64(part))), x, y, k.I32(part))
			}
		}},
		{"one value", exactly, func(k *kit) {
			a := k.counts("a", 5)
			to(k, buffer(ir.F32), k.Add(k.at(a, k.I32(2)), k.at(a, k.I32(4))))
			to(k, buffer(ir.I64, 3), k.Int(ir.I64, -7), k.I32(1))
		}},
		{"axes that a guard selects", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 40)
			v := k.at(k.random("a", 9, 40), y, x)
			to(k, buffer(ir.F32, 40), v, x).Guard = k.Alu(ir.Eq, y, k.I32(4))
			to(k, buffer(ir.F32, 9), v, y).Guard = k.Alu(ir.Eq, x, k.I32(39))
		}},
	}
}
