package zarr

import (
	"math"
	"math/bits"
	"strconv"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// unused finds a whole number that no element is: what no chunk holds is missing for GDAL, and so are elements that are the same. It looks at those next
// to the end of what a type has: the most of numbers without a sign, the least of others.
type unused struct {
	end  uint64   // as the bits of 8 bytes
	seen []uint64 // bits, by the distance from the end
}

// mostUnused bounds the numbers that are looked at.
const mostUnused = 1 << 16

func newUnused(d element.DType) *unused {
	width := 8 * d.Size()
	u := &unused{seen: make([]uint64, min(mostUnused, 1<<min(width, 32))/64)}
	switch {
	case d.Class() == element.Signed:
		u.end = uint64(int64(-1) << (width - 1))
	case width == 64:
		u.end = math.MaxInt64 // GDAL reads no larger ones from descriptions
	default:
		u.end = 1<<width - 1
	}
	return u
}

// saw notes elements.
func (u *unused) saw(d element.DType, data []byte) {
	switch d {
	case element.Int8:
		sawAll(u, words.View[int8](data))
	case element.Uint8:
		sawAll(u, data)
	case element.Int16:
		sawAll(u, words.View[int16](data))
	case element.Uint16:
		sawAll(u, words.View[uint16](data))
	case element.Int32:
		sawAll(u, words.View[int32](data))
	case element.Uint32:
		sawAll(u, words.View[uint32](data))
	case element.Int64:
		sawAll(u, words.View[int64](data))
	case element.Uint64:
		sawAll(u, words.View[uint64](data))
	}
}

func sawAll[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](u *unused, of []T) {
	n := uint64(64 * len(u.seen))
	for _, v := range of {
		away := uint64(v) - u.end // of the least number
		if int64(u.end) > 0 {
			away = u.end - uint64(v)
		}
		if away < n {
			u.seen[away/64] |= 1 << (away % 64)
		}
	}
}

// text is a number that was not seen; 0, where each was.
func (u *unused) text() string {
	for i, all := range u.seen {
		if all == math.MaxUint64 {
			continue
		}
		away := uint64(64*i + bits.TrailingZeros64(^all))
		if int64(u.end) > 0 {
			return strconv.FormatUint(u.end-away, 10)
		}
		return strconv.FormatInt(int64(u.end+away), 10)
	}
	return "0"
}

// again looks at the chunks that earlier runs wrote; those of which some is missing are looked at when it has come.
func (w *writer) again(marks []ops.Mark) error {
	var b buffers
	seen := map[string]bool{}
	for _, m := range marks {
		for at := range w.over(m.There).Indices() {
			name := w.key(at)
			if _, some := w.todo[name]; some || seen[name] {
				continue
			}
			seen[name] = true
			packed, err := w.folder.ReadFile(name)
			if err != nil {
				return err
			}
			data, err := unzipped(packed, w.chunkBytes(), &b)
			if err != nil {
				return err
			}
			w.unused.saw(w.dtype, data)
		}
	}
	return nil
}

// whole reports whole numbers.
func whole(d element.DType) bool {
	return d.Class() == element.Signed || d.Class() == element.Unsigned
}
