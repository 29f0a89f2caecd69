package enclose

import (
	"cmp"
	"math"
	"slices"

	"weft/kernels/ir"
)

// Values are intervals, in order and apart, one of which holds the value.
type Values []ir.Interval

// most is how many intervals a value has; more are joined, the closest first.
const most = 6

func exactly(v float64) Values { return Values{{Lo: v, Hi: v, NaN: false}} }

// point is the value where there is but one, and no NaN.
func (v Values) point() (float64, bool) {
	if len(v) == 1 && v[0].Lo == v[0].Hi && !v[0].NaN {
		return v[0].Lo, true
	}
	return 0, false
}

// NaN reports whether the value may be NaN.
func (v Values) NaN() bool { return slices.ContainsFunc(v, func(i ir.Interval) bool { return i.NaN }) }

// Nearest is the value that is nearest to x.
func (v Values) Nearest(x float64) float64 {
	if math.IsNaN(x) {
		if v.NaN() {
			return x
		}
		return v[0].Lo
	}
	best := v[0].Lo
	for _, i := range v {
		if n := min(max(x, i.Lo), i.Hi); n == x || math.Abs(n-x) < math.Abs(best-x) {
			best = n
		}
	}
	return best
}

// join is the union of intervals.
func join(parts Values) Values {
	slices.SortFunc(parts, func(a, b ir.Interval) int { return cmp.Compare(a.Lo, b.Lo) })
	out := Values{}
	for _, p := range parts {
		if n := len(out); n > 0 && p.Lo <= out[n-1].Hi {
			last := &out[n-1]
			last.Hi, last.NaN = max(last.Hi, p.Hi), last.NaN || p.NaN
			continue
		}
		out = append(out, p)
	}
	for len(out) > most {
		at, gap := 0, math.Inf(1)
		for i := range out[1:] {
			if g := out[i+1].Lo - out[i].Hi; g < gap {
				at, gap = i, g
			}
		}
		out[at].Hi, out[at].NaN = out[at+1].Hi, out[at].NaN || out[at+1].NaN
		out = slices.Delete(out, at+1, at+2)
	}
	return out
}

// whole takes an interval of whole numbers apart, if they are few.
func whole(i ir.Interval) Values {
	if n := i.Hi - i.Lo; !(n > 0 && n < most) || i.NaN {
		return Values{i}
	}
	var out Values
	for v := i.Lo; v <= i.Hi; v++ {
		out = append(out, ir.Interval{Lo: v, Hi: v})
	}
	return out
}

// rounding is the half of a unit in the last place, relative to the value, and the smallest normal number of a type.
func rounding(t ir.DType) (unit, smallest float64) {
	if t == ir.F64 {
		return 0x1p-53, 0x1p-1022
	}
	return 0x1p-24, 0x1p-126
}

// widened allows for ulps half units in the last place of a type. What underflows may be flushed.
func widened(i ir.Interval, t ir.DType, ulps float64) ir.Interval {
	unit, smallest := rounding(t)
	slack := func(v float64) float64 {
		if math.Abs(v) < 4*smallest {
			return smallest
		}
		return ulps * unit * 1.01 * math.Abs(v)
	}
	out := ir.Interval{Lo: i.Lo, Hi: i.Hi, NaN: i.NaN}
	if !math.IsInf(i.Lo, 0) {
		out.Lo -= slack(i.Lo)
	}
	if !math.IsInf(i.Hi, 0) {
		out.Hi += slack(i.Hi)
	}
	if t == ir.F32 && out.Hi > math.MaxFloat32 { // it may overflow
		out.Hi = math.Inf(1)
	}
	if t == ir.F32 && out.Lo < -math.MaxFloat32 {
		out.Lo = math.Inf(-1)
	}
	return out
}
