package audit

import (
	"fmt"
	"slices"

	"weft/kernels/region"
)

// Again computes one point again, compares, and puts back what was there.
func Again(launch func(region.Region) error, point []int, of []Sample) (fault string, err error) {
	before := make([]Sample, len(of))
	var bytes [][]byte
	for i, s := range of {
		at := s.Elements([][]int{point})
		was := s.Values(at)
		before[i] = Sample{Array: s.Array, At: at, Got: was, Want: was, Largest: s.Largest}
		for _, e := range elements(s.Array, at) {
			bytes = append(bytes, slices.Clone(e))
		}
	}
	if err := launch(region.Point(point)); err != nil {
		return "", err
	}
	for _, was := range before {
		now := was.In(was.Array)
		for _, e := range elements(was.Array, was.At) {
			copy(e, bytes[0])
			bytes = bytes[1:]
		}
		rule, f := now.Rule(), now.Figures()
		if f.Mismatched > 0 || f.Worst > 2*rule.Tolerance {
			fault = fmt.Sprintf("holds %v at %v, and %v when that is computed again", was.Got[max(0, f.At)], was.At[max(0, f.At)], now.Got[max(0, f.At)])
		}
	}
	return fault, nil
}

// elements are the bytes of some elements, in all parts.
func elements(a Array, at [][]int) (out [][]byte) {
	for _, p := range at {
		for _, part := range a.Parts {
			out = append(out, part.Element(Flat(p, a.Type.Shape())))
		}
	}
	return out
}

// Gross says which element of some samples is off by more than rounding; empty: none.
func Gross(samples []Sample) string {
	for _, s := range samples {
		if fault := s.Explained().Gross(); fault != "" {
			return fault
		}
	}
	return ""
}
