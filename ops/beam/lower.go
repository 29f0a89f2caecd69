package beam

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// kernel is what the main stage of beamform is made of.
type kernel struct {
	*geometry
	prepared, arrival *ops.Stage
	rotation          rotation
	start             ops.Number // of the record, before the centre of the interpolation, in samples
}

// Lower prepares the record, finds when the wave arrives, and sums.
func (s *setup) Lower(l *ops.Lowering) []*ops.Stage {
	g := newGeometry(l, s)
	k := &kernel{geometry: g, prepared: lowerPrepare(l, s), arrival: lowerArrival(g), rotation: newRotation(s.theta(), l.Numbers),
		start: l.Number("start", -s.start*s.fs-s.scheme.centre)}
	out := l.Stage("", s.output(), append(g.tables(), k.prepared, k.arrival), k.image)
	out.Steps = s.steps()
	return []*ops.Stage{out}
}

// theta is by how much the phase turns from sample to sample.
func (s *setup) theta() float64 { return 2 * math.Pi * s.fc / s.fs }

func (s *setup) steps() []string {
	delay := "delay"
	if s.law != nil {
		delay = fmt.Sprintf("delay (%.3g %% of pairs in the record)", 100*s.share)
	}
	steps := []string{delay, "interpolate", "rotate"}
	if s.fnumber > 0 {
		steps = append(steps, "apodise")
	}
	steps = append(steps, "sum")
	if s.shots() > 1 {
		steps = append(steps, "compound")
	}
	if s.coherence {
		steps = append(steps, "weigh")
	}
	return steps
}

// image is one point of the image.
func (k *kernel) image(b *ops.Body, index []*ir.Node) ops.Elem {
	var frame []*ir.Node
	if k.frame >= 0 {
		frame, index = index[:1], index[1:]
	}
	p := k.point(b, index)
	r := sums(b, 2)
	if k.coherence {
		r = sums(b, 4)
	}
	shot := func(t []*ir.Node) []*ir.Node {
		way := k.arrival.At(b, append(t[:len(t):len(t)], index...)...).Re
		begin := b.Add(way, b.Number(ir.F32, k.start))
		lead := append(frame[:len(frame):len(frame)], t...)
		return k.over(b, p, r, func(e element, acc []*ir.Node) []*ir.Node { return k.add(b, begin, lead, e, acc) })
	}
	var total []*ir.Node
	if n := k.shots(); n > 1 {
		total = r.loop(b, n, func(t *ir.Node, acc []*ir.Node) []*ir.Node { return r.join(acc, shot([]*ir.Node{t})) })
	} else {
		total = shot(nil)
	}
	if !k.coherence {
		return ops.Elem{Re: total[0], Im: total[1]}
	}
	f := coherenceFactor(b, total)
	return ops.Elem{Re: b.Mul(total[0], f), Im: b.Mul(total[1], f)}
}

// add is the contribution of one element: delay, interpolate, rotate, apodise, sum. begin is the arrival at the point less
// the start of the record; lead is the index of frame and shot.
func (k *kernel) add(b *ops.Body, begin *ir.Node, lead []*ir.Node, e element, acc []*ir.Node) []*ir.Node {
	s := b.Add(length(b, e.delta), begin)
	m := b.Alu(ir.Rint, s)
	u := b.Sub(s, m)
	n := b.Cast(ir.I32, m)
	inside := b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(k.places())))
	part := func(which int) *ir.Node {
		var v *ir.Node
		for power := k.scheme.powers() - 1; power >= 0; power-- {
			at := append(append(lead[:len(lead):len(lead)], e.index), b.I32(2*power+which), n)
			c := k.prepared.AtOr(b, inside, 0, at...).Re
			if v == nil {
				v = c
			} else {
				v = b.Add(b.Mul(u, v), c)
			}
		}
		return v
	}
	re, im := part(0), part(1)
	if k.fnumber > 0 {
		open, weight := k.apodise(b, e)
		taper := func(v *ir.Node) *ir.Node { return b.Mul(b.Select(open, v, b.F32(0)), weight) }
		re, im = taper(re), taper(im)
		inside = b.And(inside, open)
	}
	cos, sin := k.rotation.lower(b, u)
	out := []*ir.Node{
		b.Sub(b.Add(acc[0], b.Mul(re, cos)), b.Mul(im, sin)),
		b.Add(b.Add(acc[1], b.Mul(re, sin)), b.Mul(im, cos)),
	}
	if k.coherence {
		out = append(out,
			b.Add(b.Add(acc[2], b.Mul(re, re)), b.Mul(im, im)),
			b.Add(acc[3], b.Select(inside, b.F32(1), b.F32(0))))
	}
	return out
}

// apertureEdge is the greatest square of |d| 2F / depth that lies in the aperture. Grids and pitches are round numbers, so many
// elements lie exactly on the edge, where rounding would decide; what lies less than eight parts in a million of its width outside counts as on it.
const apertureEdge = 1 + 0x1p-16

// apodise tells whether an element is in the aperture of a point, and its weight there: per axis along which the probe
// extends, at |d| 2F / depth.
func (k *kernel) apodise(b *ops.Body, e element) (open, weight *ir.Node) {
	open, weight = b.True(), b.F32(1)
	narrow := b.Div(b.F32(4*k.fnumber*k.fnumber), squares(b, e.delta[2]))
	for _, axis := range [2]int{1, 0} {
		if constant(k.probe.along(axis)) {
			continue
		}
		d := e.delta[axis]
		q := b.Mul(b.Mul(d, d), narrow)
		open = b.And(open, b.Le(q, b.F32(apertureEdge)))
		weight = b.Mul(weight, k.window.lower(b, b.Min(q, b.F32(1))))
	}
	return open, weight
}

// coherenceFactor of sums {re, im, power, count}: |sum|^2 over count times power; 0 where nothing was summed.
func coherenceFactor(b *ops.Body, total []*ir.Node) *ir.Node {
	power := b.Mul(total[2], total[3])
	square := b.Add(b.Mul(total[0], total[0]), b.Mul(total[1], total[1]))
	return b.Select(b.Lt(b.F32(0), power), b.Div(square, power), b.F32(0))
}
