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
func (a Array) spans(at region.Region) []device.Span { return ops.Spans(a.Buf, at) }

// lines are what is copied of a region, as ops.Lines.
func (a Array) lines(at region.Region, bare, pitched bool) []device.Lines {
	return ops.Lines(a.Buf, at, bare, pitched)
}
