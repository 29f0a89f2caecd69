package audit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/enclose"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/subst"
)

// tieWork is how many operations are spent on elements that seem to be wrong; more, as many as were spent on them before.
const tieWork = 2e7

// Settle looks closer at elements that are off by more than their tolerance. Where a discontinuity lies within rounding (a
// comparison of what is equal, a value that is rounded to a whole number), float64 took one branch and the kernel may have taken
// another: the result of that one is then what the element should be, and it counts as a tie. Where rounding in the array's own type
// may make as much of a difference by itself, that is recorded, and so is where nobody knows how much that is, but the definition
// makes the same element if it is followed in the array's own type. The samples are those that Take took at the points, with the largest magnitudes of
// their arrays.
func (r *Reference) Settle(samples []Sample, points [][]int, mem map[*ir.Buffer]device.Memory) {
	wrong := func(s Sample) bool { return !s.Figures().Within(s.Rule()) }
	if !slices.ContainsFunc(samples, wrong) {
		return
	}
	if r.Cost <= tieWork {
		r.enclosed(samples, points, mem)
	}
	r.narrowly(samples, points, mem)
}

// enclosed explains elements by what rounding may make of them.
func (r *Reference) enclosed(samples []Sample, points [][]int, mem map[*ir.Buffer]device.Memory) {
	var kernel *enclose.Kernel
	left := int(tieWork)
	for p, point := range points {
		var sets []enclose.Values
		store := 0
		for i := range samples {
			s := &samples[i]
			at := store
			store += r.roots[i].Type.Elem.Scalars()
			if s.near(p, s.Want[p]) {
				continue
			}
			if sets == nil {
				if kernel == nil {
					kernel = enclose.New(r.Kernel, r.loader(mem))
				}
				var ok bool
				if sets, left, ok = kernel.At(point, left); !ok {
					return
				}
			}
			s.explain(p, sets[at:store])
		}
	}
}

// narrowly explains elements by the definition in the kernel's own float types, products rounded with sums as in kernels. Whole numbers that leave their
// type, and faults in it, explain nothing. Where those that there is time for are all explained, and discontinuities are among what the others follow
// from, these are said not to be examined.
func (r *Reference) narrowly(samples []Sample, points [][]int, mem map[*ir.Buffer]device.Memory) {
	numbers, few := open(samples, points)
	n := min(len(few), int(max(tieWork, r.Price()*float64(len(points)))/max(1, r.Cost)))
	if n == 0 {
		return
	}
	own := r.Kernel.Copy()
	own.Contract = !r.Exact
	program, err := interp.Compile(subst.Settle(own), interp.Narrow)
	if err != nil {
		return
	}
	values, err := r.eval(context.Background(), program, few[:n], mem, 1, n) // which takes no time
	if err != nil {
		return
	}
	explained := true
	for i := range samples {
		s := &samples[i]
		for j, e := range s.of(numbers[:n], points) {
			switch {
			case s.Holds(e):
			case s.near(e, values[i][j]):
				s.Rounded = append(s.Rounded, e)
			default:
				explained = false
			}
		}
	}
	if !explained || !count.Jumps(r.Kernel) {
		return
	}
	for i := range samples {
		for _, e := range samples[i].of(numbers[n:], points) {
			if !samples[i].Holds(e) {
				samples[i].Unexamined = append(samples[i].Unexamined, e)
			}
		}
	}
}

// open are the numbers of points with elements that nothing explains, and these points.
func open(samples []Sample, points [][]int) (numbers []int, at [][]int) {
	for p := range points {
		if slices.ContainsFunc(samples, func(s Sample) bool {
			return slices.ContainsFunc(s.of([]int{p}, points), func(e int) bool { return !s.Holds(e) })
		}) {
			numbers, at = append(numbers, p), append(at, points[p])
		}
	}
	return numbers, at
}

// of are the numbers of the elements that belong to some of the points.
func (s Sample) of(numbers []int, points [][]int) (out []int) {
	each := len(s.At) / len(points)
	for _, p := range numbers {
		for e := range each {
			out = append(out, p*each+e)
		}
	}
	return out
}

// Holds reports whether an element is what it should be, as far as rounding lets it.
func (s *Sample) Holds(e int) bool { return s.near(e, s.Want[e]) || slices.Contains(s.Rounded, e) }

// near reports whether an element agrees with a value within its rule.
func (s *Sample) near(e int, want complex128) bool {
	rule := s.Rule()
	return Compare(rule.Metric, s.Got[e:e+1], []complex128{want}, s.Largest).Within(rule)
}

// explain takes an element for a tie, or for what rounding may give, if its values say so. They hold what float64 gives too, unless whole numbers
// left their type, which explains nothing.
func (s *Sample) explain(e int, parts []enclose.Values) {
	got, wide := [2]float64{real(s.Got[e]), imag(s.Got[e])}, [2]float64{real(s.Want[e]), imag(s.Want[e])}
	var want, held [2]float64
	several := false
	for i, v := range parts {
		want[i], held[i] = v.Nearest(got[i]), v.Nearest(wide[i])
		several = several || len(v) > 1 || v.NaN() && math.IsNaN(got[i])
		if math.IsInf(want[i], 0) {
			return
		}
	}
	v := complex(want[0], want[1])
	switch {
	case !s.near(e, v), !Compare(s.Rule().Metric, []complex128{complex(held[0], held[1])}, s.Want[e:e+1], s.Largest).Within(s.Rule()):
	case several:
		s.Want[e] = v
		s.Ties++
	default:
		s.Rounded = append(s.Rounded, e)
	}
}

// Leaves reports whether what an element should be is no whole number that the array's type holds.
func (s *Sample) Leaves(e int) bool {
	t := s.Type.Elem.Base
	return e >= 0 && t.Int() && math.Abs(real(s.Want[e])) >= math.Ldexp(1, 8*t.Size()-1)
}

// loader reads what the reference loads: tables as they were computed and as a device holds them, other arrays as they are stored.
func (r *Reference) loader(mem map[*ir.Buffer]device.Memory) enclose.Load {
	return func(b *ir.Buffer, index []int) (ir.Interval, error) {
		if s := r.Loads[b]; s != nil && s.Data != nil {
			v := s.Data[Flat(index, b.Shape)]
			held := v
			if b.Type == ir.F32 {
				held = float64(float32(v))
			}
			return ir.Interval{Lo: min(v, held), Hi: max(v, held), NaN: v != v}, nil
		}
		m, ok := mem[b]
		if !ok {
			return ir.Interval{}, fmt.Errorf("buffer %s is not in memory", b.Name)
		}
		cell := 0
		if len(index) > 0 {
			cell = b.Pad.Before
		}
		for d, stride := range b.Strides() {
			cell += index[d] * stride
		}
		var v float64
		if b.Type.Float() {
			v = device.Float(b.Type, m.Host(), cell)
		} else {
			v = float64(device.Int(b.Type, m.Host(), cell))
		}
		return ir.Interval{Lo: v, Hi: v, NaN: v != v}, nil
	}
}

// Explained is the sample without the elements that were not examined, and those that rounding explains for a user who asked for no tolerance.
func (s Sample) Explained() Sample {
	apart := s.Unexamined
	if _, asked := Asked(s.Array.Of.Array); !asked {
		apart = slices.Concat(apart, s.Rounded)
	}
	if len(apart) == 0 {
		return s
	}
	var rest []int
	for e := range s.At {
		if !slices.Contains(apart, e) {
			rest = append(rest, e)
		}
	}
	return s.Only(rest)
}
