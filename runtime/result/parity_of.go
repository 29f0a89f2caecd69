package result

import (
	"math"

	"weft/runtime/audit"
)

// ParityOf reports a sample of what a kernel stored, taken by a seed; inner: nobody has a name for the array.
func ParityOf(s audit.Sample, kernel string, inner bool, seed uint64) Parity {
	rule, f := s.Rule(), s.Figures()
	p := Parity{Value: audit.Name(s.Array.Of), Kernel: kernel, Inner: inner, Seed: seed, Metric: rule.Metric, Tolerance: rule.Tolerance,
		Samples: f.Samples + f.Mismatched, Finds: audit.Finds(len(s.At), s.Type.Len()), Peak: s.Largest, Unit: s.Type.Unit.String(), Worst: f.Worst, P99: f.P99,
		Judged: audit.Judged(rule.Metric), MaxAbs: f.MaxAbs, MaxRel: f.MaxAbs, MeanAbs: f.MeanAbs, Mismatched: f.Mismatched, NotFinite: f.NotFinite,
		FiniteEqual: 100 * (1 - float64(f.Mismatched)/float64(max(1, len(s.Got)))), Ties: s.Ties, OK: s.OK(),
		Remainder: s.Array.Of.Array.Remainder, Type: s.Array.Of.Storage().String()}
	if p.OK && !f.Within(rule) {
		p.Rounding, p.Unexamined = len(s.Rounded), len(s.Unexamined)
	}
	if f.At >= 0 {
		p.At = s.At[f.At]
		if s.Leaves(f.At) {
			p.Leaves = real(s.Want[f.At])
		}
	}
	if s.Largest > 0 && !math.IsInf(s.Largest, 0) {
		p.MaxRel /= s.Largest
	}
	return p
}
