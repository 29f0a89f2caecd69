package beam

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"weft/kernels/ir"
	"weft/ops"
)

// fit interpolates f on [0, top] by a polynomial of the given number of terms at Chebyshev nodes, which is within a small
// factor of the best approximation. The coefficients come lowest power first, with the largest error seen.
func fit(f func(q float64) float64, top float64, terms int) (coef []float64, worst float64) {
	a := mat.NewDense(terms, terms, nil)
	y := mat.NewVecDense(terms, nil)
	for i := range terms {
		t := 0.5 + 0.5*math.Cos(math.Pi*(float64(i)+0.5)/float64(terms))
		for k := range terms {
			a.Set(i, k, math.Pow(t, float64(k)))
		}
		y.SetVec(i, f(t*top))
	}
	var x mat.VecDense
	if err := x.SolveVec(a, y); err != nil {
		panic(fmt.Sprintf("beam: fit of %d terms: %v", terms, err)) // distinct nodes: regular for the few terms used here
	}
	for k := range terms {
		coef = append(coef, x.AtVec(k)/math.Pow(top, float64(k)))
	}
	const probes = 256
	for i := range probes + 1 {
		q := top * float64(i) / probes
		p := 0.0
		for k := terms - 1; k >= 0; k-- {
			p = p*q + coef[k]
		}
		worst = max(worst, math.Abs(p-f(q)))
	}
	return coef, worst
}

const maxTerms = 12

// fitUntil takes as many terms as the error asks for. The functions of this package, turns by at most pi, need seven or so.
func fitUntil(f func(q float64) float64, top, tolerance float64) []float64 {
	for n := 1; n <= maxTerms; n++ {
		if coef, worst := fit(f, top, n); worst <= tolerance {
			return coef
		}
	}
	panic("beam: no polynomial fits")
}

// horner evaluates a polynomial, lowest power first.
func horner(b *ops.Body, coef []ops.Number, q *ir.Node) *ir.Node {
	p := b.Number(ir.F32, coef[len(coef)-1])
	for k := len(coef) - 2; k >= 0; k-- {
		p = b.Add(b.Mul(p, q), b.Number(ir.F32, coef[k]))
	}
	return p
}

// rotationError is the largest error of the sine and cosine by which a sample is turned: -97 dB of one contribution, where
// float32 delays alone err by up to -92 dB (of the sum).
const rotationError = 1.4e-5

// rotation turns by theta u, u in [-1/2, 1/2], by polynomials in u^2: sin(theta u) = u S(u^2), cos(theta u) = C(u^2).
type rotation struct{ sin, cos []ops.Number }

// newRotation fits the polynomials: three terms each up to theta = pi/2, which is fs = 4 fc.
func newRotation(theta float64, numbers func(name string, v []float64) []ops.Number) rotation {
	sinc := func(q float64) float64 {
		u := math.Sqrt(q)
		if u == 0 {
			return theta
		}
		return math.Sin(theta*u) / u
	}
	cos := func(q float64) float64 { return math.Cos(theta * math.Sqrt(q)) }
	return rotation{
		sin: numbers("sin", fitUntil(sinc, 0.25, 2*rotationError)), // multiplied by u, at most 1/2
		cos: numbers("cos", fitUntil(cos, 0.25, rotationError)),
	}
}

func (r rotation) lower(b *ops.Body, u *ir.Node) (cos, sin *ir.Node) {
	q := b.Mul(u, u)
	return horner(b, r.cos, q), b.Mul(u, horner(b, r.sin, q))
}
