package places

import (
	"math"

	"weft/ops"
)

// Reference looks every point up by itself.
func (t *take) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in["input"]
	strides := a.Strides()
	out := ops.NewDense(a.Im != nil, t.out.Shape()...)
	for o, index := range ops.Indices(out.Shape) {
		type point struct {
			at    int
			share float64
		}
		points := []point{{0, 1}}
		for d, k := range t.keeps {
			if k >= 0 {
				points[0].at += index[k] * strides[d]
			}
		}
		ok := true
		for _, p := range t.places {
			if p.here {
				points[0].at -= index[p.own] * strides[p.dim]
			}
		}
		for _, p := range t.places {
			x := t.reference(p, in, index)
			_, known := p.value.(ops.Number)
			far := t.period(&p) > 0 && !known && math.Abs(x) > farthest
			if period := t.period(&p); period > 0 {
				x = math.Mod(x, float64(period))
			}
			read, shares := t.near(p, x)
			n := p.of.Size
			if math.IsNaN(x) || far || t.beyond == "" && (read == nil) {
				ok = false
				continue
			}
			var next []point
			for _, q := range points {
				for k, i := range read {
					next = append(next, point{q.at + fold(i, n, t.beyond)*strides[p.dim], q.share * shares[k]})
				}
			}
			points = next
		}
		if !ok {
			out.Set(o, complex(t.fill, 0))
			continue
		}
		var sum complex128
		for _, q := range points {
			v := a.At(q.at)
			if q.share != 1 {
				v = complex(real(v)*q.share, imag(v)*q.share)
			}
			sum += v
		}
		out.Set(o, sum)
	}
	return []ops.Dense{out}, nil
}

// reference is where a place is, in steps from the first point.
func (t *take) reference(p place, in map[string]ops.Dense, index []int) float64 {
	x := 0.0
	switch v := p.value.(type) {
	case ops.Number:
		x = v.V
	case ops.Array:
		d := in[ops.ReferenceKey("index", p.array)]
		at := 0
		for j, s := range d.Strides() {
			at += s * index[p.pick[j]]
		}
		x = d.Re[at]
	}
	here := 0.0
	if p.here {
		here = float64(index[p.own])
	}
	if p.lookup && p.here {
		return find(p.of.Coords, p.of.Coords[int(here)]+x)
	}
	return here + p.stepsOf(x)
}

// near are the indices that are read for a place and their shares; none where it is beyond the ends.
func (t *take) near(p place, x float64) (read []int, shares []float64) {
	last := float64(p.of.Size - 1)
	if p.whole || t.between == nearest {
		if x = math.Floor(x + 0.5); x < 0 || x > last {
			if t.beyond == "" {
				return nil, nil
			}
		}
		return []int{int(x)}, []float64{1}
	}
	if t.beyond == "" && (x < -slack || x > last+slack) {
		return nil, nil
	}
	if t.period(&p) == 0 {
		x = max(-2, min(x, last+2)) // as good as any that is further beyond the ends
	}
	i := int(math.Floor(x))
	u := x - math.Floor(x)
	if t.between == linear {
		return []int{i, i + 1}, []float64{1 - u, u}
	}
	return []int{i - 1, i, i + 1, i + 2}, []float64{
		u * (-0.5 + u*(1-u/2)), 1 + u*u*(1.5*u-2.5), u * (0.5 + u*(2-1.5*u)), u * u * (u - 1) / 2}
}

// fold is the index that one beyond the ends stands for.
func fold(i, n int, beyond string) int {
	switch {
	case beyond == wrap:
		return ((i % n) + n) % n
	case beyond == mirror && n > 1:
		turn := 2*n - 2
		i = (i%turn + turn) % turn
		return min(i, turn-i)
	}
	return max(0, min(n-1, i))
}
