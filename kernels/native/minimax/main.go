// Command minimax prints the polynomial coefficients of kernels/codegen/c/prelude/math.h: interpolation at Chebyshev nodes
// in 300-bit arithmetic, which is within a small factor of the minimax polynomial, then one rounding to the target type.
package main

import (
	"fmt"
	"math"
	"math/big"
)

// fit is one polynomial: f on [lo, hi] in powers 0..degree, rounded to single or double precision.
type fit struct {
	name   string
	f      func(*big.Float) *big.Float
	lo, hi float64
	degree int
	single bool
}

const third = 1.0 / 3

var (
	quarterPi = math.Pi/4 + 1e-4
	halfLn2   = math.Ln2/2 + 1e-4
	squares   = 0.0295 // of s = (m-1)/(m+1) for m in [sqrt(1/2), sqrt(2)]
	root      = math.Sqrt2
)

var fits = []fit{
	{"exp, f32: (e^r-1-r)/r^2", expTail, -halfLn2, halfLn2, 4, true},
	{"log, f32: (log(1+f)-f+f^2/2)/f^3", logTail, 1/root - 1, root - 1, 8, true},
	{"sin, f32: (sin r-r)/r^3 in r^2", sinTail, 0, quarterPi * quarterPi, 2, true},
	{"cos, f32: (cos r-1+r^2/2)/r^4 in r^2", cosTail, 0, quarterPi * quarterPi, 2, true},
	{"cos of a product, f32: cos r in r^2", cosine, -quarterPi * quarterPi * math.Pow(math.Tan(math.Pi/16), 2), quarterPi * quarterPi, 3, true}, // the first node is 0
	{"sin, f64 for an f32 result", sinTail, 0, quarterPi * quarterPi, 3, false},
	{"cos, f64 for an f32 result", cosTail, 0, quarterPi * quarterPi, 3, false},
	{"atan, f64 for an f32 result: (atan q-q)/q^3 in q^2", atanTail, 0, 1, 11, false},
	{"log2, f64 for an f32 result: log2((1+s)/(1-s))/s in s^2", log2Ratio, 0, squares, 6, false},
	{"exp2, f64 for an f32 result", exp2, -0.5, 0.5, 7, false},
	{"exp, f64: (e^r-1-r)/r^2", expTail, -halfLn2, halfLn2, 9, false},
	{"log, f64: (log((1+s)/(1-s))-2s)/s^3 in s^2", atanhTail, 0, squares, 6, false},
	{"sin, f64", sinTail, 0, quarterPi * quarterPi, 5, false},
	{"cos, f64", cosTail, 0, quarterPi * quarterPi, 5, false},
	{"tanh, f32: (tanh t-t)/t^3 in t^2", tanhTail, 0, 0.4, 4, true},
	{"tanh, f64", tanhTail, 0, 0.4, 11, false},
	{"erf, f32: erf t/t-1 in t^2", erfRatio, 0, 0.86, 6, true},
	{"erf, f64", erfRatio, 0, 1.01, 13, false},
	{"erf, f32: -log(erfc(0.92+t))", tails(0.92), 0, 3.1, 9, true},
	{"erf, f64: -log(erfc(1+t))", tails(1), 0, 5, 24, false},
}

func main() {
	for _, p := range fits {
		c := p.coefficients()
		fmt.Printf("%s: error %.2g\n", p.name, p.worst(c))
		for i, v := range c {
			fmt.Printf("\t%d: %s\n", i, p.literal(v))
		}
	}
	for _, s := range splits {
		s.print()
	}
}

// coefficients interpolates f at the Chebyshev nodes of [lo, hi] by Gaussian elimination.
func (p fit) coefficients() []*big.Float {
	n := p.degree + 1
	rows := make([][]*big.Float, n)
	for i := range rows {
		t := num((p.lo+p.hi)/2 + (p.hi-p.lo)/2*math.Cos(math.Pi*(float64(i)+0.5)/float64(n)))
		rows[i] = make([]*big.Float, n+1)
		power := num(1)
		for j := range n {
			rows[i][j] = power
			power = mul(power, t)
		}
		rows[i][n] = p.f(t)
	}
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			r := quo(rows[i][k], rows[k][k])
			for j := k; j <= n; j++ {
				rows[i][j] = sub(rows[i][j], mul(r, rows[k][j]))
			}
		}
	}
	c := make([]*big.Float, n)
	for k := range c {
		c[k] = quo(rows[k][n], rows[k][k])
	}
	return c
}

// worst is the largest error of the rounded polynomial on a grid.
func (p fit) worst(c []*big.Float) float64 {
	worst := 0.0
	for i := range 257 {
		t := num(p.lo + (p.hi-p.lo)*(float64(i)+third)/257)
		v := num(0)
		for k := len(c) - 1; k >= 0; k-- {
			v = add(mul(v, t), num(p.round(c[k])))
		}
		e, _ := sub(v, p.f(t)).Float64()
		worst = max(worst, math.Abs(e))
	}
	return worst
}

func (p fit) round(v *big.Float) float64 {
	if p.single {
		f, _ := v.Float32()
		return float64(f)
	}
	f, _ := v.Float64()
	return f
}

func (p fit) literal(v *big.Float) string {
	if p.single {
		return fmt.Sprintf("%.9gf", p.round(v))
	}
	return fmt.Sprintf("%.17g", p.round(v))
}
