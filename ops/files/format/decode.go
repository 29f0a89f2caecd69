package format

import (
	"runtime"
	"sync"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/files/element"
)

// Decode is the opposite of Encode: it fills an array with elements of a type of files, in C order and the machine's byte order. Numbers are in a unit.
func Decode(h ops.HostArray, unit ops.Unit, from element.DType, data []byte) {
	each := h.Type.Elem.Scalars()
	stored := ElemOf(from).Base
	size := stored.Size()
	if all, ok := h.Parts[0].Together(); ok && from != element.Uint64 && each == 1 && h.Parts[0].Buf.Type == stored && unit.SI() == 1 && unit.Offset == 0 {
		InParallel(h.Type.Len(), func(lo, hi int) { copy(all[lo*size:hi*size], data[lo*size:hi*size]) })
		return
	}
	InParallel(h.Type.Len(), func(lo, hi int) {
		joined, part := make([]float64, BlockLen*each), make([]float64, BlockLen)
		for i := lo; i < hi; i += BlockLen {
			n := min(BlockLen, hi-i)
			device.Load(stored, joined[:n*each], data[i*each*size:(i+n)*each*size])
			for k := range each {
				for j := range n {
					part[j] = joined[j*each+k]*unit.SI() + unit.Offset*float64(1-k)
				}
				h.Parts[k].Store(i, part[:n])
			}
		}
	})
}

// InParallel shares a range out to the processors, in whole blocks.
func InParallel(n int, do func(lo, hi int)) {
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	each := (n/workers + BlockLen) / BlockLen * BlockLen
	for lo := 0; lo < n; lo += each {
		all.Go(func() { do(lo, min(lo+each, n)) })
	}
	all.Wait()
}
