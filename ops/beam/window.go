package beam

import (
	"fmt"
	"math"
	"sync"

	"weft/kernels/ir"
	"weft/ops"
)

// Window is a symmetric taper over the aperture: flat up to Flat, then a raised cosine from 1 at Flat down to Edge at 1.
// Its argument is the distance from the middle of the aperture in units of half the aperture.
type Window struct {
	Name string
	Flat float64
	Edge float64
}

// Kind, TypeName and String make a Window an object of the language.
func (*Window) Kind() ops.Kind   { return ops.KObject }
func (*Window) TypeName() string { return "window" }
func (w *Window) String() string { return w.Name }

var windows = map[string]*Window{
	"rect":    {"rect", 1, 1},
	"hann":    {"hann", 0, 0},
	"hamming": {"hamming", 0, 0.08},
}

var windowNames = []string{"rect", "hann", "hamming"}

// At is the weight at distance r from the middle, 0 beyond the aperture.
func (w *Window) At(r float64) float64 {
	r = math.Abs(r)
	switch {
	case r > 1:
		return 0
	case r <= w.Flat:
		return 1
	}
	return w.Edge + (1-w.Edge)*(0.5+0.5*math.Cos(math.Pi*(r-w.Flat)/(1-w.Flat)))
}

// taperTerms approximates the raised cosine 0.5 + 0.5 cos(pi sqrt(q)), q in [0, 1], within 1e-6: 0.5e-6 of full weight is
// -126 dB.
var taperTerms = sync.OnceValue(func() []ops.Number {
	return constants("", fitUntil(func(q float64) float64 { return 0.5 + 0.5*math.Cos(math.Pi*math.Sqrt(q)) }, 1, 1e-6))
})

// constants are numbers that follow from no params.
func constants(_ string, v []float64) []ops.Number {
	out := make([]ops.Number, len(v))
	for i := range v {
		out[i].V = v[i]
	}
	return out
}

// lower is At for the squared distance q, which is at most 1.
func (w *Window) lower(b *ops.Body, q *ir.Node) *ir.Node {
	if w.Flat >= 1 {
		return b.F32(1)
	}
	if w.Flat > 0 {
		r := b.Max(b.Sub(b.Sqrt(q), b.F32(w.Flat)), b.F32(0))
		r = b.Mul(r, b.F32(1/(1-w.Flat)))
		q = b.Mul(r, r)
	}
	taper := horner(b, taperTerms(), q)
	if w.Edge == 0 {
		return taper
	}
	return b.Add(b.Mul(taper, b.F32(1-w.Edge)), b.F32(w.Edge))
}

var tukeyWindow = &ops.Spec{
	Name:  "tukey",
	Doc:   "A Tukey window for apodization: flat in the middle, a raised cosine over the outer part.",
	Group: group,
	Params: []ops.Param{
		ops.Num("alpha", "", "tapered fraction of the aperture: 0 is rect, 1 is hann").Within(0, 1),
	},
	Returns:  "a window",
	Examples: []ops.Example{{Title: "the outer half tapered", Code: "tukey(alpha: 0.5) | show"}},
	Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
		a := c.Number("alpha")
		if a == 0 {
			return windows["rect"], nil
		}
		return &Window{Name: fmt.Sprintf("tukey(%g)", a), Flat: 1 - a}, nil
	}),
}

// staticWeights are the weights of the elements where the aperture is the whole probe: per axis, with half an element's
// distance beyond the outermost ones, so that none of them is lost to a window that ends at zero.
func staticWeights(p *Probe, w *Window) []float64 {
	out := make([]float64, p.Elements())
	for e := range out {
		out[e] = 1
	}
	for _, v := range [2][]float64{p.X, p.Y} {
		middle, half := aperture(v)
		for e := range out {
			if half > 0 {
				out[e] *= w.At((v[e] - middle) / half)
			}
		}
	}
	return out
}

// aperture is the middle and half the size of the span of coordinates, widened by half the mean distance of neighbours.
func aperture(v []float64) (middle, half float64) {
	lo, hi := v[0], v[0]
	distinct := map[float64]bool{}
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
		distinct[x] = true
	}
	if n := len(distinct); n > 1 {
		half = (hi - lo) / 2 * float64(n) / float64(n-1)
	}
	return (lo + hi) / 2, half
}
