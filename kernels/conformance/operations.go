package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// operations are exact: every operation over edge values, operands in all pairs.
func operations() []spec {
	var out []spec
	for _, t := range []ir.DType{ir.F32, ir.F64} {
		out = append(out,
			spec{fmt.Sprintf("%s of one operand", t), exactly, func(k *kit) {
				x := k.edgeAxis("x", t)
				for _, op := range []ir.Op{ir.Neg, ir.Abs, ir.Sqrt, ir.Rint, ir.Floor, ir.Ceil, ir.Trunc} {
					k.out(op.String(), k.Alu(op, x))
				}
			}},
			spec{fmt.Sprintf("%s of two operands", t), exactly, pairs(t, ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Min, ir.Max)},
			spec{fmt.Sprintf("%s products apart from sums", t), exactly, func(k *kit) {
				x, y := k.edgePair(t)
				p := k.Mul(x, y)
				k.out("apart", k.Sub(k.Alu(ir.Apart, p), k.Const(t, 0.7)))
				k.out("with it", k.Sub(p, k.Const(t, 0.7)))
				k.kernel.Contract = true
			}},
			spec{fmt.Sprintf("%s comparisons", t), exactly, pairs(t, ir.Lt, ir.Le, ir.Eq, ir.Ne)},
			spec{fmt.Sprintf("%s select on comparisons", t), exactly, func(k *kit) {
				x, y := k.edgePair(t)
				k.out("selected", k.Select(k.Lt(x, y), k.Sub(x, y), k.Select(k.Not(k.Le(y, x)), y, k.Const(t, 7))))
				k.out("add or keep", k.Select(k.Lt(x, y), k.Add(x, y), x))
			}},
		)
	}
	for _, t := range []ir.DType{ir.I32, ir.I64} {
		out = append(out,
			spec{fmt.Sprintf("%s of one operand", t), exactly, func(k *kit) {
				x := k.edgeAxis("x", t)
				k.out("neg", k.Neg(x))
				k.out("abs", k.Abs(x))
			}},
			spec{fmt.Sprintf("%s of two operands", t), exactly, pairs(t, ir.Add, ir.Sub, ir.Mul, ir.Min, ir.Max)},
			spec{fmt.Sprintf("%s bits and comparisons", t), exactly, pairs(t, ir.BitAnd, ir.BitOr, ir.BitXor, ir.Lt, ir.Le, ir.Eq, ir.Ne)},
			spec{fmt.Sprintf("%s division", t), exactly, division(t)},
			spec{fmt.Sprintf("%s shifts", t), exactly, shifts(t)},
		)
	}
	return append(out,
		spec{"bool operations", exactly, booleans},
		spec{"division by constants", exactly, func(k *kit) {
			x := k.edgeAxis("x", ir.I32)
			for _, d := range []int{2, 3, 7, 16, -4, -5} {
				k.out(fmt.Sprintf("div %d", d), k.Div(x, k.I32(d)))
				k.out(fmt.Sprintf("mod %d", d), k.Mod(x, k.I32(d)))
			}
		}},
		spec{"division of bounded integers by constants", exactly, func(k *kit) {
			i := k.axis("i", 3000)
			far := k.at(k.ints(ir.I32, "far", k.whole(3000, math.MinInt32, math.MaxInt32)), i)
			short := k.at(k.ints(ir.I16, "short", k.whole(3000, math.MinInt16, math.MaxInt16)), i)
			for q, x := range []*ir.Node{i, k.Sub(i, k.I32(1234)), short, k.Max(k.Min(far, k.I32(1<<30)), k.I32(-1<<30)), k.Max(far, k.I32(0)), far} {
				for _, d := range []int{3, 81, 1<<20 + 7, math.MaxInt32} {
					if d > 3000 && q == 0 || d == math.MaxInt32 && q == 4 {
						continue // 0 everywhere
					}
					k.out(fmt.Sprintf("%d div %d", q, d), k.Div(x, k.I32(d)))
					k.out(fmt.Sprintf("%d mod %d", q, d), k.Mod(x, k.I32(d)))
				}
			}
		}},
		spec{"division by constants of what is bounded", Tolerance{ULP: 2}, func(k *kit) {
			i := k.axis("i", 3000)
			for _, t := range []ir.DType{ir.F32, ir.F64} {
				x := k.at(k.floats(t, fmt.Sprint("x ", t), k.noise(3000, 80)), i)
				x = k.Add(k.Min(k.Max(x, k.Const(t, -70)), k.Const(t, 70)), k.Const(t, 71))
				for _, d := range []float64{1540, 3, -0.7, 1e-6} {
					k.out(fmt.Sprint(t, " by ", d), k.Div(x, k.Const(t, d)))
				}
			}
			k.kernel.Contract = true
		}},
		spec{"mixed f32 and f64", exactly, func(k *kit) {
			x := k.edgeAxis("x", ir.F32)
			wide := k.Mul(k.Cast(ir.F64, x), k.F64(1.0/3))
			k.out("wide", wide)
			k.out("narrow", k.Add(k.Cast(ir.F32, wide), x))
			k.out("less", k.Lt(wide, k.F64(0.1)))
			k.out("chosen", k.Select(k.Lt(k.Cast(ir.F32, wide), x), wide, k.F64(-1)))
		}},
		spec{"widened f32 against constants", exactly, func(k *kit) {
			x := k.edgeAxis("x", ir.F32)
			wide := k.Cast(ir.F64, x)
			for i, c := range []float64{0.1, float64(float32(0.1)), -0.1, 0, math.Copysign(0, -1), 1e300, -1e300, 1e-300, math.MaxFloat32} {
				k.out(fmt.Sprintf("less %d", i), k.Lt(wide, k.F64(c)))
				k.out(fmt.Sprintf("at most %d", i), k.Le(wide, k.F64(c)))
				k.out(fmt.Sprintf("more %d", i), k.Lt(k.F64(c), wide))
				k.out(fmt.Sprintf("at least %d", i), k.Le(k.F64(c), wide))
			}
		}},
		spec{"launch scalars", exactly, func(k *kit) {
			x := k.at(k.random("x", 50), k.axis("i", 50))
			f, d, n := k.arg(ir.F32, "f", 0.1), k.arg(ir.F64, "d", 0.1), k.arg(ir.I32, "n", -3)
			long, on := k.arg(ir.I64, "long", 1<<40), k.arg(ir.Bool, "on", 1)
			k.out("f32", k.Mul(x, f))
			k.out("f64", k.Mul(k.Cast(ir.F64, x), d))
			k.out("i32", k.Mul(k.kernel.Axes[0], n))
			k.out("i64", k.Add(k.Cast(ir.I64, k.kernel.Axes[0]), long))
			k.out("bool", k.Select(on, x, f))
			k.out("the kernel's own", k.Add(k.Mul(x, k.ArgOr(ir.F32, "own", 0.3)), k.Cast(ir.F32, k.ArgOr(ir.F64, "wide", 1.0/3))))
		}},
		spec{"constants that float32 rounds", exactly, func(k *kit) {
			x := k.at(k.random("x", 20), k.axis("i", 20))
			k.out("tenth", k.Mul(x, k.F32(0.1)))
			k.out("third", k.Add(x, k.F32(1.0/3)))
			k.out("large", k.Sub(x, k.F32(16777217)))
			k.out("wide", k.Mul(k.Cast(ir.F64, x), k.F64(0.1)))
			k.out("infinite", k.Min(k.Mul(x, k.F32(math.Inf(1))), k.F32(math.MaxFloat32)))
			k.out("not a number", k.Max(k.F32(math.NaN()), x))
			k.out("negative zero", k.Mul(x, k.F32(math.Copysign(0, -1))))
		}},
	)
}

// edgeAxis is an axis over the edge values of a type, and the value at it.
func (k *kit) edgeAxis(name string, t ir.DType) *ir.Node {
	var b *ir.Buffer
	if t.Float() {
		b = k.floats(t, name, k.edges(t))
	} else {
		b = k.ints(t, name, k.integers(t))
	}
	return k.at(b, k.axis(name, b.Len()))
}

func (k *kit) edgePair(t ir.DType) (x, y *ir.Node) { return k.edgeAxis("x", t), k.edgeAxis("y", t) }

func pairs(t ir.DType, ops ...ir.Op) func(k *kit) {
	return func(k *kit) {
		x, y := k.edgePair(t)
		for _, op := range ops {
			k.out(op.String(), k.Alu(op, x, y))
		}
	}
}

// division leaves out what the language does: zero divisors, and the least integer over -1.
func division(t ir.DType) func(k *kit) {
	return func(k *kit) {
		x := k.edgeAxis("x", t)
		var divisors []int64
		for _, v := range k.integers(t) {
			if v != 0 && v != -1 {
				divisors = append(divisors, v)
			}
		}
		y := k.at(k.ints(t, "y", divisors), k.axis("y", len(divisors)))
		k.out("div", k.Div(x, y))
		k.out("mod", k.Mod(x, y))
	}
}

func shifts(t ir.DType) func(k *kit) {
	return func(k *kit) {
		x := k.edgeAxis("x", t)
		n := k.Cast(t, k.axis("n", 8*t.Size()))
		for _, op := range []ir.Op{ir.Shl, ir.Shr, ir.Ushr} {
			k.out(op.String(), k.Alu(op, x, n))
			k.out(op.String()+" by 3", k.Alu(op, x, k.Int(t, 3)))
		}
	}
}

func booleans(k *kit) {
	p := k.at(k.ints(ir.Bool, "p", k.whole(70, 0, 1)), k.axis("i", 70))
	q := k.Lt(k.at(k.random("x", 70), k.kernel.Axes[0]), k.F32(0))
	wide := k.Lt(k.at(k.floats(ir.F64, "w", k.noise(70, 1)), k.kernel.Axes[0]), k.F64(0))
	k.out("and", k.And(p, q))
	k.out("or", k.Or(q, wide))
	k.out("not", k.Not(k.And(wide, p)))
	k.out("eq", k.Alu(ir.Eq, p, q))
	k.out("ne", k.Alu(ir.Ne, wide, q))
	k.out("select", k.Select(p, q, wide))
	k.out("as i32", k.Cast(ir.I32, k.Or(p, q)))
	k.out("as i64", k.Cast(ir.I64, q))
	k.out("as f32", k.Cast(ir.F32, p))
	k.out("as f64", k.Cast(ir.F64, wide))
	k.out("select of wide", k.Select(p, k.Cast(ir.F64, q), k.F64(0.1)))
	k.out("i64 by narrow condition", k.Select(q, k.Int(ir.I64, 1<<40), k.Cast(ir.I64, k.kernel.Axes[0])))
}

// conversions are casts between all compute types, in range, and reinterpretations.
func conversions() []spec {
	floats := func(t ir.DType) func(k *kit) {
		return func(k *kit) {
			x := k.edgeAxis("x", t)
			for _, to := range []ir.DType{ir.F32, ir.F64, ir.Bool} {
				if to != t {
					k.out("to "+to.String(), k.Cast(to, x))
				}
			}
			// Integers take in-range values only; Max and Min see NaN out.
			in := k.Min(k.Max(x, k.Const(t, -2147483520)), k.Const(t, 2147483520))
			k.out("to i32", k.Cast(ir.I32, in))
			k.out("to i64", k.Cast(ir.I64, k.Mul(in, k.Const(t, 1024))))
			k.out("rounded", k.Cast(ir.I32, k.Alu(ir.Rint, in)))
			// Whole numbers have one zero: nothing below zero is left of -0.5.
			for _, to := range []ir.DType{ir.F32, ir.F64} {
				for _, whole := range []ir.DType{ir.I32, ir.I64} {
					k.out(fmt.Sprintf("%s by %s", to, whole), k.Cast(to, k.Cast(whole, in)))
				}
			}
		}
	}
	ints := func(t ir.DType) func(k *kit) {
		return func(k *kit) {
			x := k.edgeAxis("x", t)
			for _, to := range []ir.DType{ir.F32, ir.F64, ir.I32, ir.I64, ir.Bool} {
				if to != t {
					k.out("to "+to.String(), k.Cast(to, x))
				}
			}
		}
	}
	return []spec{
		{"casts of f32", exactly, floats(ir.F32)},
		{"casts of f64", exactly, floats(ir.F64)},
		{"casts of i32", exactly, ints(ir.I32)},
		{"casts of i64", exactly, ints(ir.I64)},
		{"bits of floats", exactly, func(k *kit) {
			x, y := k.edgePair(ir.F32)
			k.out("bits", k.BitXor(k.Reinterpret(ir.I32, k.Abs(x)), k.Reinterpret(ir.I32, k.Abs(y))))
			k.out("exponent", k.Alu(ir.Ushr, k.Reinterpret(ir.I32, k.Abs(x)), k.I32(23)))
			d := k.Reinterpret(ir.I64, k.Abs(k.Cast(ir.F64, y)))
			k.out("wide exponent", k.Alu(ir.Ushr, d, k.Int(ir.I64, 52)))
		}},
		{"floats of bits", exactly, func(k *kit) {
			x := k.edgeAxis("x", ir.I32)
			k.out("f32", k.Reinterpret(ir.F32, x))
			k.out("f64", k.Reinterpret(ir.F64, k.Mul(k.Cast(ir.I64, x), k.Int(ir.I64, 1<<31+12345))))
		}},
	}
}

// BitXor is not among the builder's short forms.
func (k *kit) BitXor(x, y *ir.Node) *ir.Node { return k.Alu(ir.BitXor, x, y) }

// functions are transcendental: within 4 units in the last place. Results that underflow may be flushed.
func functions() []spec {
	var out []spec
	var ofOne []ir.Op
	for op := range ir.Ops {
		if i := op.Info(); i.Cost.Transcendental() && i.Arity == 1 {
			ofOne = append(ofOne, op)
		}
	}
	for _, t := range []ir.DType{ir.F32, ir.F64} {
		values := func(k *kit, n int, scale float64) *ir.Node {
			return k.at(k.floats(t, "x", k.noise(n, scale)), k.axis("i", n))
		}
		one := func(name string, scale float64, ops ...ir.Op) spec {
			return spec{fmt.Sprintf("%s %s", t, name), transcendent, func(k *kit) {
				x := values(k, 1000, scale)
				for _, op := range ops {
					v := x
					if op == ir.Log || op == ir.Log10 {
						v = k.Abs(x)
					}
					k.out(op.String(), k.Alu(op, v))
				}
			}}
		}
		out = append(out,
			one("functions near zero", 1e-3, ofOne...),
			one("functions", 4, ofOne...),
			one("functions of large values", 60, ofOne...),
			one("phases", 8000, ir.Sin, ir.Cos),
			spec{fmt.Sprintf("%s exp at its ends", t), underflowing, func(k *kit) {
				ends := map[ir.DType][2]float64{ir.F32: {-110, 95}, ir.F64: {-750, 715}}[t]
				v := make([]float64, 400)
				for i := range v {
					v[i] = ends[0] + (ends[1]-ends[0])*float64(i)/float64(len(v)-1)
				}
				k.out("exp", k.Alu(ir.Exp, k.at(k.floats(t, "x", v), k.axis("i", len(v)))))
			}},
			spec{fmt.Sprintf("%s functions within bounds", t), transcendent, func(k *kit) {
				i := k.axis("i", 108)
				for _, op := range ofOne {
					for _, f := range op.Info().Forms {
						ends := map[ir.DType][2]float64{ir.F32: f.F32, ir.F64: f.F64}[t]
						v := append(k.noise(100, ends[1]), ends[0], ends[1], 0, math.Copysign(0, -1), 1, math.Inf(1), math.Inf(-1), math.NaN())
						name := op.String() + " " + f.Name
						x := k.at(k.floats(t, name, v), i)
						k.out(name, k.Alu(op, k.Min(k.Const(t, ends[1]), k.Max(k.Const(t, ends[0]), x))))
					}
				}
			}},
			spec{fmt.Sprintf("%s functions of bounded multiples", t), Tolerance{ULP: 4, Abs: 2e-5}, func(k *kit) {
				x := k.at(k.floats(t, "x", append(k.noise(120, 1.5), 0, 1, -1, math.Inf(1), math.NaN())), k.axis("i", 125))
				x = k.Min(k.Const(t, 1), k.Max(k.Const(t, -1), x))
				for _, c := range []float64{0.5, -3, 100, 2e-9} {
					k.out(fmt.Sprint("sin ", c), k.Alu(ir.Sin, k.Mul(k.Const(t, c), x)))
					k.out(fmt.Sprint("cos ", c), k.Alu(ir.Cos, k.Mul(x, k.Const(t, c))))
				}
			}},
			spec{fmt.Sprintf("%s functions of small multiples", t), Tolerance{ULP: 5, Abs: 1e-37}, func(k *kit) {
				x := k.at(k.floats(t, "x", append(k.noise(120, 1.5), 0, math.Copysign(0, -1), 1, -1, math.NaN())), k.axis("i", 125))
				x = k.Min(k.Const(t, 1), k.Max(k.Const(t, -1), x))
				for _, c := range []float64{0.785, -0.5, 1e-3, 1e-20} {
					k.out(fmt.Sprint("sin ", c), k.Alu(ir.Sin, k.Mul(k.Const(t, c), x)))
					k.out(fmt.Sprint("cos ", c), k.Alu(ir.Cos, k.Mul(x, k.Const(t, c))))
				}
			}},
			spec{fmt.Sprintf("%s functions of special values", t), transcendent, func(k *kit) {
				special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 2, 10, 100, 1000}
				x := k.at(k.floats(t, "x", special), k.axis("i", len(special)))
				for _, op := range ofOne {
					k.out(op.String(), k.Alu(op, x))
				}
			}},
			spec{fmt.Sprintf("%s atan2", t), transcendent, func(k *kit) {
				special := append([]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e-5, 1e5}, k.noise(24, 3)...)
				y := k.at(k.floats(t, "y", special), k.axis("i", len(special)))
				x := k.at(k.floats(t, "x", special), k.axis("j", len(special)))
				k.out("atan2", k.Alu(ir.Atan2, y, x))
			}},
			spec{fmt.Sprintf("%s pow", t), transcendent, func(k *kit) {
				base := k.noise(40, 5)
				for i := range base {
					base[i] = math.Abs(base[i])
				}
				x := k.at(k.floats(t, "x", base), k.axis("i", len(base)))
				y := k.at(k.floats(t, "y", append(k.noise(20, 8), 0, 1, 2, -1, 0.5)), k.axis("j", 25))
				k.out("pow", k.Alu(ir.Pow, x, y))
			}},
		)
	}
	return out
}
