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

func margins(b *ir.Buffer) int64 { return 2 * int64(device.MarginBytes(b)) }

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

// lines are a region in memory: in one piece, in pieces that a pitched copy takes together, or in several; bare: without padding
// between rows that is worth leaving out.
func (a Array) lines(at region.Region, bare, pitched bool) (out []device.Lines) {
	spans := a.spans(at)
	p, size := a.Buf.Pad, a.Buf.Type.Size()
	pitch := int64(a.Buf.Row() * size)
	wide := len(a.Buf.Shape) > 1 && float64(p.Before+p.After) >= worthLeaving*float64(a.Buf.Row())
	if bare && pitched && wide && len(spans) == 1 && spans[0].From%pitch == 0 && spans[0].To%pitch == 0 {
		width := (a.Buf.Row() - p.Before - p.After) * size
		count := int((spans[0].To - spans[0].From) / pitch)
		return []device.Lines{{Offset: spans[0].From + int64(p.Before*size), Pitch: pitch, Width: width, Count: count}}
	}
	for _, s := range spans {
		width := int(s.To - s.From)
		if n := len(out); n > 0 && pitched && out[n-1].Width == width {
			if l := &out[n-1]; l.Count == 1 || s.From == l.Offset+int64(l.Count)*l.Pitch {
				l.Pitch, l.Count = (s.From-l.Offset)/int64(l.Count), l.Count+1
				continue
			}
		}
		out = append(out, device.Lines{Offset: s.From, Pitch: int64(width), Width: width, Count: 1})
	}
	return out
}
