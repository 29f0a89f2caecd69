package ops

import (
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Spans are where a region of a buffer lies in memory, padding included; that beside a row goes with its ends.
func Spans(buf *ir.Buffer, at region.Region) []device.Span {
	var out []device.Span
	for from, to := range ByteRanges(buf, at) {
		out = append(out, device.Span{From: int64(from), To: int64(to)})
	}
	return device.JoinSpans(out)
}

// worthLeaving is the part of a row that padding must be for copies to leave it out.
const worthLeaving = 0.1

// Lines are a region of a buffer in memory, as it is copied to devices and back: in one piece, in pieces that a pitched copy takes together, or in
// several; bare: without padding between rows that is worth leaving out.
func Lines(buf *ir.Buffer, at region.Region, bare, pitched bool) (out []device.Lines) {
	spans := Spans(buf, at)
	p, size := buf.Pad, buf.Type.Size()
	pitch := int64(buf.Row() * size)
	wide := len(buf.Shape) > 1 && buf.Held == 0 && float64(p.Before+p.After) >= worthLeaving*float64(buf.Row())
	if bare && pitched && wide && len(spans) == 1 && spans[0].From%pitch == 0 && spans[0].To%pitch == 0 {
		width := (buf.Row() - p.Before - p.After) * size
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

// Copied is how many bytes are copied of a region of a buffer to a device that holds all of it, or back.
func Copied(buf *ir.Buffer, at region.Region) (n int64) {
	for _, l := range Lines(buf, at, true, true) {
		n += int64(l.Bytes())
	}
	return n
}

// CopiedOf is the part of a buffer that is copied where a region of it is needed: most of some rows is all of them, as they lie together.
func CopiedOf(buf *ir.Buffer, at region.Region) region.Region {
	if len(at) == 0 {
		return region.Whole(buf.Shape...)
	}
	if rows := RowsOf(buf, at[0]); buf.Held == 0 && 2*at.Points() > rows.Points() {
		return rows
	}
	return at
}
