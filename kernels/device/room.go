package device

import (
	"cmp"
	"fmt"
	"slices"

	"weft/kernels/ir"
)

// Span is a half-open interval of the bytes of a buffer as Memory.Host would lay it out, padding included.
type Span struct{ From, To int64 }

// Roomy is a device that gives memory for parts of buffers that are larger than all of it: taken once, and used for one part after the other.
type Roomy interface {
	// AllocRoom gives memory of so many bytes, whatever they hold. An error matches ErrMemory where there are not so many.
	AllocRoom(bytes int64) (Room, error)
}

// Room is memory of which views are parts of buffers.
type Room interface {
	// View is memory whose addresses are those of the whole buffer and of which only the part is there, with Margin elements before and after: ViewBytes of
	// the room from byte at on, a multiple of ViewStep. Its bytes, padding too, hold anything, or zeros where they are to be cleared. Copies and kernels must stay
	// within the part: a copy outside of it is an error, and what a kernel reads there is undefined. Views that are in use at the same time must lie apart; freeing
	// one gives nothing back.
	View(buf *ir.Buffer, part Span, at int64, cleared bool) (Memory, error)
	// Free gives the room back, of which no view is in use.
	Free()
}

// ViewStep is what addresses of views agree in with those of buffers, so that the same accesses fall on whole lines.
const ViewStep = 256

// ViewBytes is what a view of a part of a buffer takes of a room, wherever in the buffer the part is.
func ViewBytes(buf *ir.Buffer, part int64) int64 {
	return 2*viewMargin(buf) + stepUp(part) + ViewStep
}

// ViewFirst is where the buffer's first byte would be, from where a view of a part begins.
func ViewFirst(buf *ir.Buffer, part Span) int64 {
	return viewMargin(buf) - part.From/ViewStep*ViewStep
}

func viewMargin(buf *ir.Buffer) int64 { return stepUp(int64(MarginBytes(buf))) }

func stepUp(n int64) int64 { return (n + ViewStep - 1) / ViewStep * ViewStep }

// CheckView reports a part that is not within its buffer, and a view that is not within a room of so many bytes.
func CheckView(buf *ir.Buffer, part Span, at, room int64) error {
	if part.From < 0 || part.To < part.From || part.To > buf.Bytes() {
		return fmt.Errorf("part %v of buffer %s is not within its %d bytes", part, buf.Name, buf.Bytes())
	}
	if n := ViewBytes(buf, part.To-part.From); at < 0 || at%ViewStep != 0 || at > room-n {
		return fmt.Errorf("a view of %d bytes from byte %d on is not within a room of %d bytes", n, at, room)
	}
	return nil
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
