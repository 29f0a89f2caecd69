package beam

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// lowerPrepare defines the table that the main stage reads: for each place m of the record the coefficients of the
// interpolation, turned by the phase at its middle, so that the main stage turns by the rest only, at most theta/2:
//
//	v(s) exp(2 pi j fc t) = exp(j theta u) sum over k of u^k T_k[m],  T_k[m] = exp(j phase(m)) sum over j of coef[k][j] q[m+j]
//
// Real, dims [frame,] [transmit,] element, tap, sample, with taps re T_0, im T_0, re T_1, ...: a row along sample is
// contiguous. Weights of elements that are the same for every point are applied here.
func lowerPrepare(l *ops.Lowering, s *setup) *ops.Stage {
	taps, places := 2*s.scheme.powers(), s.places()
	t := ops.Type{Elem: ops.F32, Unit: s.input.Unit}
	for _, d := range []int{s.frame, s.transmit} {
		if d >= 0 && (d == s.frame || s.shots() > 1) {
			t.Dims = append(t.Dims, s.input.Dims[d])
		}
	}
	element := ops.Dim{Name: "element", Size: s.size(s.element)}
	tap, sample := ops.Dim{Name: "tap", Size: taps}, ops.Dim{Name: "sample", Size: places}
	t.Dims = append(t.Dims, element, tap, sample)

	// T = turnRe re + turnIm im, tap by tap: (cos, -sin) for real parts, (sin, cos) for imaginary ones. Where taps are computed where they are
	// read, what they have in common is loaded once.
	turns := make([]float64, 3*places)
	for m := range places {
		sin, cos := math.Sincos(2*math.Pi*s.fc*s.start + s.theta()*(float64(m)+s.scheme.centre))
		turns[3*m], turns[3*m+1], turns[3*m+2] = -sin, cos, sin
	}
	weights := make([]float64, 0, taps*s.scheme.reach())
	for k := range taps {
		weights = append(weights, s.scheme.coef[k/2]...)
	}
	in := l.In("input")
	mix := l.Table("interpolation", ir.F32, weights, tap, ops.Dim{Name: "neighbour", Size: s.scheme.reach()})
	turn := l.Table("turn", ir.F32, turns, sample, ops.Dim{Name: "part", Size: 3})
	inputs := []*ops.Stage{in, mix, turn}
	steps := []string{"prepare"}
	var taper *ops.Stage
	if s.fnumber == 0 && s.window.Flat < 1 {
		taper = l.Table("apodization", ir.F32, staticWeights(s.probe, s.window), element)
		inputs, steps = append(inputs, taper), append(steps, "apodise")
	}
	out := l.Stage("prepare", t, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		lead, at := index[:len(index)-3], index[len(index)-3:]
		part := b.Alu(ir.BitAnd, at[1], b.I32(1))
		var sum ops.Elem
		for j := range s.scheme.reach() {
			v := in.At(b, s.inputIndex(b, lead, at[0], b.Add(at[2], b.I32(j)))...)
			w := mix.At(b, at[1], b.I32(j)).Re
			re, im := b.Mul(w, b.Cast(ir.F32, v.Re)), b.Mul(w, b.Cast(ir.F32, v.Im))
			if j == 0 {
				sum = ops.Elem{Re: re, Im: im}
			} else {
				sum = ops.Elem{Re: b.Add(sum.Re, re), Im: b.Add(sum.Im, im)}
			}
		}
		v := b.Add(b.Mul(sum.Re, turn.At(b, at[2], b.Add(part, b.I32(1))).Re), b.Mul(sum.Im, turn.At(b, at[2], part).Re))
		if taper != nil {
			v = b.Mul(v, taper.At(b, at[0]).Re)
		}
		return ops.Real(v)
	})
	out.Steps = steps
	return out
}

// inputIndex is the index of a sample in the input, whatever the order of its dims. lead holds frame and transmit, as far
// as the prepared table has them.
func (s *setup) inputIndex(b *ops.Body, lead []*ir.Node, element, sample *ir.Node) []*ir.Node {
	at := make([]*ir.Node, len(s.input.Dims))
	at[s.element], at[s.sample] = element, sample
	for _, d := range []int{s.frame, s.transmit} {
		switch {
		case d < 0:
		case d == s.frame || s.shots() > 1:
			at[d], lead = lead[0], lead[1:]
		default:
			at[d] = b.I32(0)
		}
	}
	return at
}
