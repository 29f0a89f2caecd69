package device

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
)

// Span is a half-open interval of the bytes of a buffer as Memory.Host would lay it out, padding included.
type Span struct{ From, To int64 }

// Partial is a device that can back parts of a buffer only, for buffers larger than its memory.
type Partial interface {
	// AllocParts gives memory whose addresses are those of the whole buffer and of which only the parts, with Margin elements
	// before and after each, take memory. Their bytes are zero; padding has no value until it is copied there. Copies and kernels
	// must stay within the parts: a copy outside of them is an error, and what a kernel reads there is undefined.
	// An error matches ErrMemory where the parts do not fit.
	AllocParts(buf *ir.Buffer, parts []Span) (Memory, error)
}

// JoinSpans sorts spans and joins those that touch or overlap; empty ones go.
func JoinSpans(spans []Span) []Span {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.To <= s.From })
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}
