package fleet

import (
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Array is a part of a host array, of which devices hold replicas. Its rows are those of its first axis; a single value is one row.
type Array ops.HostPart

func (a Array) whole() region.Region { return region.Whole(a.Buf.Shape...) }

// size is what the array takes on a device, with its margins.
func (a Array) size() int64 { return a.Buf.Bytes() + margins(a.Buf) }

func margins(b *ir.Buffer) int64 { return 2 * device.Margin * int64(b.Type.Size()) }

// spans are where a region lies in memory, padding included; that beside a row goes with its ends.
func (a Array) spans(at region.Region) []device.Span {
	var out []device.Span
	for from, to := range ops.ByteRanges(a.Buf, at) {
		out = append(out, device.Span{From: int64(from), To: int64(to)})
	}
	return device.JoinSpans(out)
}

// worthLeaving is the part of a row that padding must be for copies to leave it out.
const worthLeaving = 0.1

// lines are the innermost rows in a span of whole ones, without their padding; ok is false where there is too little of that to matter.
func (a Array) lines(s device.Span) (l device.Lines, ok bool) {
	p, size := a.Buf.Pad, a.Buf.Type.Size()
	pitch := int64(a.Buf.Row() * size)
	if len(a.Buf.Shape) < 2 || float64(p.Before+p.After) < worthLeaving*float64(a.Buf.Row()) || s.From%pitch != 0 || s.To%pitch != 0 {
		return l, false
	}
	return device.Lines{Offset: s.From + int64(p.Before*size), Pitch: pitch, Width: (a.Buf.Row() - p.Before - p.After) * size, Count: int((s.To - s.From) / pitch)}, true
}
