// Package fourier holds discrete Fourier transforms. One of n points is made of stages, a sum over each factor of n: Cooley and Tukey, An
// algorithm for the machine calculation of complex Fourier series, 1965, in the order of Stockham.
package fourier

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

const group = "signals"

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	wave := "x = axis(x, 0 s .. 7 s in 8)\na = cos(2 * pi * x / (4 s))\n"
	return []*ops.Spec{
		spec(kind{name: "fft"}, "Discrete Fourier transform along a dimension.",
			"Element k is the sum of a[j] exp(-2 pi i j k / n) over all j. The dimension has no coordinates: element k is of k waves along it, or of k - n.",
			wave+"show(abs(fft(a, x)))"),
		spec(kind{name: "ifft", sign: 1}, "Inverse discrete Fourier transform along a dimension.",
			"Element j is the sum of a[k] exp(2 pi i j k / n) over all k, by n. The dimension has no coordinates.",
			wave+"show(real(ifft(fft(a, x), x)))"),
		spec(kind{name: "rfft", half: true}, "Discrete Fourier transform of real numbers along a dimension: the half that says all.",
			"Elements 0 to n / 2 of fft. Where the dimension has evenly spaced coordinates, these are frequencies.",
			wave+"show(abs(rfft(a, x)))"),
	}
}

// kind is one of the transforms.
type kind struct {
	name string
	sign int  // of the exponent: 1 for the inverse, which divides by n
	half bool // the elements up to half of n, of real numbers
}

func spec(k kind, doc, long, example string) *ops.Spec {
	return &ops.Spec{
		Name: k.name, Doc: doc, Group: group, Long: long + " Any extent will do; work grows with it and with the sum of its prime factors.",
		Error: ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}, Returns: "a complex array.",
		Params:   []ops.Param{ops.In("a", "array"), {Name: "along", Doc: "one of its dimensions", Accept: ops.KSymbol}},
		Examples: []ops.Example{{Title: "A wave of two turns", Code: example}},
		Bind:     func(c *ops.Call) (ops.Op, error) { return bind(c, k) },
	}
}

// transform is a use of one.
type transform struct {
	kind
	at, n   int // the dim, and its extent
	out     ops.Type
	factors []int
}

func bind(c *ops.Call, k kind) (ops.Op, error) {
	t := c.Type("a")
	f := &transform{kind: k, at: t.Dim(c.Symbol("along"))}
	switch {
	case f.at < 0:
		return nil, operand.UnknownDim("along", c.Symbol("along"), t)
	case k.half && t.Elem.Complex:
		return nil, problem.Wrong(problem.WrongElementType, "a", "use fft", "`rfft` is of real numbers, and this is complex: %s", t)
	case t.Unit.Offset != 0:
		return nil, problem.Wrong(problem.OffsetUnit, "a", "subtract a temperature first", "`%s` adds what is measured in %s, which counts from a zero of its own", k.name, t.Unit)
	}
	d := t.Dims[f.at]
	f.n = d.Size
	f.factors = factorsOf(f.n)
	to := ops.Dim{Name: d.Name, Size: f.n}
	if k.half {
		to = halved(d)
	}
	f.out = ops.Type{Elem: ops.ElemType{Base: ops.Inexact(t.Elem.Widen().Base), Complex: true}, Unit: t.Unit, Dims: slices.Clone(t.Dims)}
	f.out.Dims[f.at] = to
	return f, nil
}

// halved is the dim of frequencies from 0 to the highest.
func halved(d ops.Dim) ops.Dim {
	out := ops.Dim{Name: d.Name, Size: d.Size/2 + 1}
	step, uneven := d.Step(1e-6)
	if step == 0 || uneven >= 0 {
		return out
	}
	for k := range out.Size {
		out.Coords = append(out.Coords, float64(k)/(float64(len(d.Coords))*math.Abs(step)))
	}
	out.Unit = d.Unit.Power(-1)
	return out
}

// mostFactor bounds the factors that are joined from primes: each costs a sum of its length, and a pass over the array.
const mostFactor = 32

// factorsOf are factors of a number, the primes of which are joined as long as they are small.
func factorsOf(n int) (out []int) {
	var primes []int
	for p := 2; n > 1; p++ {
		if p*p > n {
			p = n
		}
		for ; n%p == 0; n /= p {
			primes = append(primes, p)
		}
	}
	joined := 1
	for _, p := range primes {
		if joined*p > mostFactor && joined > 1 {
			out, joined = append(out, joined), 1
		}
		joined *= p
	}
	return append(out, joined)
}

// Outputs is one array.
func (f *transform) Outputs() []ops.Output { return ops.One(f.out) }

// Lower sums over a factor after the other. What a stage has is over found, the part of the number of waves that is known, and left, the places
// that are not summed over yet.
func (f *transform) Lower(l *ops.Lowering) []*ops.Stage {
	from := l.In("a")
	found, left := 1, f.n
	for i, factor := range f.factors {
		from = f.stage(l, from, i, found, left, factor)
		found, left = found*factor, left/factor
	}
	return []*ops.Stage{from}
}

func (f *transform) stage(l *ops.Lowering, from *ops.Stage, i, found, left, factor int) *ops.Stage {
	base := f.out.Elem.Base
	next, last := left/factor, i == len(f.factors)-1
	out, name := f.out, ""
	if !last {
		name = "pass"
		two := []ops.Dim{{Name: "found", Size: found * factor}, {Name: "left", Size: next}}
		out.Dims = slices.Concat(f.out.Dims[:f.at], two, f.out.Dims[f.at+1:])
	}
	cos, sin := f.turns(l, base, factor, factor, factor)
	inputs := []*ops.Stage{from, cos, sin}
	var cosTurn, sinTurn *ops.Stage
	if !last {
		cosTurn, sinTurn = f.turns(l, base, left, factor, next)
		inputs = append(inputs, cosTurn, sinTurn)
	}
	s := l.Stage(name, out, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem {
		k, rest := at[f.at], b.I32(0)
		after := at[f.at+1:]
		if !last {
			rest, after = at[f.at+1], at[f.at+2:]
		}
		known, c := b.I32(0), k
		if found > 1 {
			known, c = b.Mod(k, b.I32(found)), b.Div(k, b.I32(found))
		}
		zero := b.Const(base, 0)
		sum := b.Fold(ir.FoldSpec{Name: "j", Lo: b.I32(0), Hi: b.I32(factor), Init: []*ir.Node{zero, zero}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			where := []*ir.Node{b.Add(rest, b.Mul(j, b.I32(next)))}
			if i > 0 {
				where = []*ir.Node{known, where[0]}
			}
			x := ops.CCast(b, base, from.At(b, slices.Concat(at[:f.at], where, after)...))
			y := ops.CMul(b, ops.Elem{Re: cos.At(b, c, j).Re, Im: sin.At(b, c, j).Re}, x)
			return []*ir.Node{b.Add(acc[0], y.Re), b.Add(acc[1], y.Imag(b))}, nil
		})
		x := ops.Elem{Re: sum[0], Im: sum[1]}
		switch {
		case !last:
			return ops.CMul(b, ops.Elem{Re: cosTurn.At(b, c, rest).Re, Im: sinTurn.At(b, c, rest).Re}, x)
		case f.sign > 0:
			by := b.Const(base, 1/float64(f.n))
			return ops.Elem{Re: b.Mul(x.Re, by), Im: b.Mul(x.Im, by)}
		}
		return x
	})
	s.Steps = []string{f.name}
	return s
}

// turns are cosines and sines of products of two indices, in parts of a circle.
func (f *transform) turns(l *ops.Lowering, base ir.DType, circle, rows, columns int) (cos, sin *ops.Stage) {
	re, im := make([]float64, 0, rows*columns), make([]float64, 0, rows*columns)
	for i := range rows {
		for j := range columns {
			w := f.turn(i*j, circle)
			re, im = append(re, real(w)), append(im, imag(w))
		}
	}
	dims := []ops.Dim{{Name: "row", Size: rows}, {Name: "column", Size: columns}}
	return l.Table("cosines", base, re, dims...), l.Table("sines", base, im, dims...)
}

// turn is a part of a circle, exact at quarters.
func (f *transform) turn(k, n int) complex128 {
	k %= n
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	switch {
	case 4*k%n != 0:
	case 4*k/n%2 == 0:
		sin = 0
	default:
		cos = 0
	}
	if f.sign <= 0 {
		sin = -sin
	}
	return complex(cos, sin)
}

// Reference sums over all places.
func (f *transform) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in["a"]
	out := ops.NewDense(true, f.out.Shape()...)
	stride := a.Strides()[f.at]
	for o, index := range ops.Indices(out.Shape) {
		at := 0
		for d, s := range a.Strides() {
			if d != f.at {
				at += s * index[d]
			}
		}
		var sum complex128
		for j := range f.n {
			sum += a.At(at+j*stride) * f.turn(j*index[f.at]%f.n, f.n)
		}
		if f.sign > 0 {
			sum /= complex(float64(f.n), 0)
		}
		out.Set(o, sum)
	}
	return []ops.Dense{out}, nil
}
