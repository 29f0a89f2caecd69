package audit

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
)

// Sample are some elements of an array: as they are, and as they should be.
type Sample struct {
	Array
	At        [][]int // the elements
	Got, Want []complex128
	Largest   float64 // magnitude of the array, as far as it is known
	Ties      int     // elements beside a discontinuity that lies within rounding: what they should be is the branch that was taken
	Rounded   []int   // elements beyond their tolerance by no more than rounding in the array's own type may give

	Unexamined []int // elements beyond their tolerance of which nothing is known, since a second look takes too long: they may be ties
}

// Take samples what a kernel stored, its arrays in the order of the reference, at points of its axes.
func Take(
	ctx context.Context, ref *Reference, arrays []Array, points [][]int, mem map[*ir.Buffer]device.Memory, threads int,
) ([]Sample, error) {
	want, err := ref.Eval(ctx, points, mem, threads)
	if err != nil {
		return nil, err
	}
	out := make([]Sample, len(arrays))
	for i, a := range arrays {
		at := a.Elements(points)
		out[i] = Sample{Array: a, At: at, Got: a.Values(at), Want: want[i]}
	}
	return out, nil
}

// Add takes in more elements of the same array.
func (s *Sample) Add(more Sample) {
	s.Array = more.Array
	for _, e := range more.Rounded {
		s.Rounded = append(s.Rounded, len(s.At)+e)
	}
	for _, e := range more.Unexamined {
		s.Unexamined = append(s.Unexamined, len(s.At)+e)
	}
	s.Ties += more.Ties
	s.At, s.Got, s.Want = append(s.At, more.At...), append(s.Got, more.Got...), append(s.Want, more.Want...)
	s.Largest = max(s.Largest, more.Largest)
}

// Kept is a sample as a journal holds it: numbers as their bits, since JSON has no NaN.
type Kept struct {
	At      [][]int     `json:"at"`
	Got     [][2]uint64 `json:"got"`
	Want    [][2]uint64 `json:"want"`
	Largest uint64      `json:"largest"`
	Ties    int         `json:"ties,omitempty"`
	Rounded []int       `json:"rounded,omitempty"`

	Unexamined []int `json:"unexamined,omitempty"`
}

// Keep is the sample for a journal.
func (s Sample) Keep() Kept {
	bits := func(values []complex128) [][2]uint64 {
		out := make([][2]uint64, len(values))
		for i, v := range values {
			out[i] = [2]uint64{math.Float64bits(real(v)), math.Float64bits(imag(v))}
		}
		return out
	}
	return Kept{At: s.At, Got: bits(s.Got), Want: bits(s.Want), Largest: math.Float64bits(s.Largest), Ties: s.Ties, Rounded: s.Rounded, Unexamined: s.Unexamined}
}

// Of is the sample again, of the array that it was taken from.
func (k Kept) Of(a Array) Sample {
	values := func(bits [][2]uint64) []complex128 {
		out := make([]complex128, len(bits))
		for i, v := range bits {
			out[i] = complex(math.Float64frombits(v[0]), math.Float64frombits(v[1]))
		}
		return out
	}
	return Sample{Array: a, At: k.At, Got: values(k.Got), Want: values(k.Want), Largest: math.Float64frombits(k.Largest), Ties: k.Ties, Rounded: k.Rounded, Unexamined: k.Unexamined}
}

// In is the sample of the same elements as another array holds them, which should be the same.
func (s Sample) In(a Array) Sample {
	s.Array, s.Got = a, a.Values(s.At)
	return s
}

// Only keeps the elements whose numbers are given.
func (s Sample) Only(numbers []int) Sample {
	out := Sample{Array: s.Array, Largest: s.Largest}
	for _, i := range numbers {
		out.At, out.Got, out.Want = append(out.At, s.At[i]), append(out.Got, s.Got[i]), append(out.Want, s.Want[i])
	}
	return out
}

// Parted are samples of several groups of points, one after the other, as those of each; the largest magnitudes are those seen among all.
func Parted(samples []Sample, points [][][]int) [][]Sample {
	all, out := 0, make([][]Sample, len(points))
	for _, p := range points {
		all += len(p)
	}
	for _, s := range samples {
		s.Largest = s.Seen()
		each, from := len(s.At)/max(1, all), 0
		for i, p := range points {
			numbers := make([]int, each*len(p))
			for k := range numbers {
				numbers[k] = from + k
			}
			from += len(numbers)
			out[i] = append(out[i], s.Only(numbers))
		}
	}
	return out
}

// Figures are the errors of the sample.
func (s Sample) Figures() Figures { return Compare(s.Rule().Metric, s.Got, s.Want, s.Largest) }

// OK reports errors within the rule, those apart that rounding explains.
func (s Sample) OK() bool {
	return s.Figures().Within(s.Rule()) || s.Explained().Figures().Within(s.Rule())
}

// Seen is the largest magnitude among the elements: the array's own is no smaller, and errors relative to it are no larger.
func (s Sample) Seen() (largest float64) {
	for _, v := range s.Want {
		if m := cmplx.Abs(v); m > largest && !math.IsInf(m, 0) {
			largest = m
		}
	}
	return largest
}

// Numbers reports whether one of the elements is finite.
func (s Sample) Numbers() bool { return slices.ContainsFunc(s.Got, finite) }

// gross is how many times its tolerance an element is off that cannot be rounding.
const gross = 8

// Gross says which element is off by more than rounding; empty: none.
func (s Sample) Gross() string {
	rule := s.Rule()
	if rule.Metric == ops.Level { // near nothing levels are far apart; what counts is relative to the peak
		rule.Metric, rule.Tolerance = ops.Peak, ratioOf(rule.Tolerance)-1
	}
	for i := range s.Got {
		f := Compare(rule.Metric, s.Got[i:i+1], s.Want[i:i+1], s.Largest)
		if f.Mismatched > 0 || f.Worst > gross*rule.Tolerance {
			return fmt.Sprintf("%s holds %s at %v, where float64 gives %s", Name(s.Array.Of), value(s.Got[i]), s.At[i], value(s.Want[i]))
		}
	}
	return ""
}

// value writes an element for people; those of real arrays have no imaginary part.
func value(v complex128) string {
	if imag(v) == 0 {
		return fmt.Sprintf("%.6g", real(v))
	}
	return fmt.Sprintf("%.6g", v)
}
