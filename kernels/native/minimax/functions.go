package main

import (
	"fmt"
	"math/big"
	"sync"
)

const precision = 300

func num(x float64) *big.Float       { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func blank() *big.Float              { return new(big.Float).SetPrec(precision) }
func add(a, b *big.Float) *big.Float { return blank().Add(a, b) }
func sub(a, b *big.Float) *big.Float { return blank().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return blank().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return blank().Quo(a, b) }

// series sums c(k) x^k until the terms no longer matter; |x| must be well below the radius of convergence.
func series(x *big.Float, c func(k int) *big.Float) *big.Float {
	sum, power := num(0), num(1)
	most, _ := x.Float64() // terms of functions without a pole grow as far as that
	for k := range 2000 {
		term := mul(power, c(k))
		sum, power = add(sum, term), mul(power, x)
		if power.Sign() == 0 || float64(k) > most && term.MantExp(nil) < -precision-20 {
			break
		}
	}
	return sum
}

func factorial(n int) *big.Float {
	return blank().SetInt(new(big.Int).MulRange(1, int64(max(n, 1))))
}

func sign(k int) *big.Float { return num(float64(1 - 2*(k&1))) }

// expTail is (e^r - 1 - r) / r^2.
func expTail(r *big.Float) *big.Float {
	return series(r, func(k int) *big.Float { return quo(num(1), factorial(k+2)) })
}

func exp2(x *big.Float) *big.Float {
	r := mul(x, ln2())
	return add(add(num(1), r), mul(mul(r, r), expTail(r)))
}

// sinTail is (sin r - r) / r^3 as a function of r^2.
func sinTail(z *big.Float) *big.Float {
	return series(z, func(k int) *big.Float { return quo(sign(k+1), factorial(2*k+3)) })
}

// cosTail is (cos r - 1 + r^2/2) / r^4 as a function of r^2.
func cosTail(z *big.Float) *big.Float {
	return series(z, func(k int) *big.Float { return quo(sign(k), factorial(2*k+4)) })
}

// cosine is cos r as a function of r^2.
func cosine(z *big.Float) *big.Float {
	return series(z, func(k int) *big.Float { return quo(sign(k), factorial(2*k)) })
}

// atanhTail is (log((1+s)/(1-s)) - 2s) / s^3 as a function of s^2.
func atanhTail(z *big.Float) *big.Float {
	return series(z, func(k int) *big.Float { return quo(num(2), num(float64(2*k+3))) })
}

// log2Ratio is log2((1+s)/(1-s)) / s as a function of s^2.
func log2Ratio(z *big.Float) *big.Float {
	return quo(add(num(2), mul(z, atanhTail(z))), ln2())
}

// log1p is log(1+f) for f above -1/2.
func log1p(f *big.Float) *big.Float {
	s := quo(f, add(num(2), f))
	z := mul(s, s)
	return mul(s, add(num(2), mul(z, atanhTail(z))))
}

// logTail is (log(1+f) - f + f^2/2) / f^3.
func logTail(f *big.Float) *big.Float {
	square := mul(f, f)
	return quo(add(sub(log1p(f), f), mul(num(0.5), square)), mul(square, f))
}

// atanTail is (atan q - q) / q^3 as a function of q^2: atan q = 2 atan(q / (1 + sqrt(1 + q^2))), twice, then the series.
func atanTail(z *big.Float) *big.Float {
	q := blank().Sqrt(z)
	return quo(sub(atan(q), q), mul(z, q))
}

func atan(q *big.Float) *big.Float {
	scale := 1.0
	for range 3 {
		root := blank().Sqrt(add(num(1), mul(q, q)))
		q = quo(q, add(num(1), root))
		scale *= 2
	}
	s := series(mul(q, q), func(k int) *big.Float { return quo(sign(k), num(float64(2*k+1))) })
	return mul(mul(q, s), num(scale))
}

// tanhTail is (tanh t - t) / t^3 as a function of t^2.
func tanhTail(z *big.Float) *big.Float {
	t := blank().Sqrt(z)
	r := mul(num(2), t)
	above := add(r, mul(mul(r, r), expTail(r))) // e^2t - 1
	return quo(sub(quo(above, add(above, num(2))), t), mul(z, t))
}

// erfRatio is erf(t) / t - 1 as a function of t^2.
func erfRatio(z *big.Float) *big.Float {
	sum := series(z, func(k int) *big.Float { return quo(sign(k), mul(factorial(k), num(float64(2*k+1)))) })
	return sub(quo(mul(num(2), sum), blank().Sqrt(mul(num(2), halfPi()))), num(1))
}

// tails is -log(erfc(start + t)) as a function of t.
func tails(start float64) func(*big.Float) *big.Float {
	return func(t *big.Float) *big.Float {
		a := add(num(start), t)
		left := sub(num(1), mul(a, add(erfRatio(mul(a, a)), num(1))))
		mantissa := blank()
		exponent := left.MantExp(mantissa)
		return sub(num(0), add(log1p(sub(mantissa, num(1))), mul(num(float64(exponent)), ln2())))
	}
}

var ln2 = sync.OnceValue(func() *big.Float { return log1p(num(1)) })

// ln10 = 3 ln 2 + log(1 + 1/4).
func ln10() *big.Float { return add(mul(num(3), ln2()), log1p(num(0.25))) }

// split is a constant cut into parts of so many bits each, the last rounded to its type.
type split struct {
	name  string
	value func() *big.Float
	bits  []uint // of all but the last part
	last  uint
}

var splits = []split{
	{"pi/2, k below 2^20", halfPi, []uint{33}, 53},
	{"pi/2, k below 2^20, 152 bits", halfPi, []uint{33, 33, 33}, 53},
	{"ln 2, f32", ln2, []uint{15}, 24},
	{"ln 2, f64", ln2, []uint{32}, 53},
	{"log10 2, f32", log10of2, []uint{15}, 24},
	{"log10 2, f64", log10of2, []uint{32}, 53},
	{"log10 e, f32", log10ofE, []uint{12}, 24},
	{"log10 e, f64", log10ofE, []uint{24}, 53},
	{"log2 e", func() *big.Float { return quo(num(1), ln2()) }, nil, 53},
	{"2/pi", func() *big.Float { return quo(num(1), halfPi()) }, nil, 53},
}

func halfPi() *big.Float   { return mul(num(2), atan(num(1))) }
func log10of2() *big.Float { return quo(ln2(), ln10()) }
func log10ofE() *big.Float { return quo(num(1), ln10()) }

func (s split) print() {
	fmt.Println(s.name)
	rest := s.value()
	for _, b := range append(append([]uint(nil), s.bits...), s.last) {
		part, _ := new(big.Float).SetPrec(b).Set(rest).Float64()
		fmt.Printf("\t%.17g  %x\n", part, part)
		rest = sub(rest, num(part))
	}
}
