package zarr

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

var hostBig = words.HostBigEndian

// filled reads the value of elements that no chunk holds.
func (d *description) filled(l *layout) error {
	raw := d.Fill
	if string(raw) == "null" || len(raw) == 0 {
		return broken("the value of chunks that are not there is not told")
	}
	parts := []json.RawMessage{raw}
	if l.dtype.Class() == element.Complex {
		if json.Unmarshal(raw, &parts) != nil || len(parts) != 2 {
			return broken("%.60s as the value of chunks that are not there, of complex elements", raw)
		}
	}
	for _, p := range parts {
		word, ok := fillWord(l.dtype, p)
		if !ok {
			return broken("%.60s as the value of chunks that are not there, of elements that are %s", raw, l.dtype)
		}
		l.fill = append(l.fill, word...)
	}
	if l.swapped {
		words.Swap(l.fill, l.dtype.Word())
	}
	return nil
}

// fillWord is a number in the machine's order of bytes.
func fillWord(d element.DType, text json.RawMessage) ([]byte, bool) {
	size := d.Word()
	var number uint64
	var s string
	switch isText := json.Unmarshal(text, &s) == nil; {
	case d.Class() == element.Truth:
		var v bool
		if json.Unmarshal(text, &v) != nil {
			return nil, false
		}
		if v {
			number = 1
		}
	case d.Class() == element.Signed:
		v, err := strconv.ParseInt(string(text), 10, 8*size)
		if err != nil {
			return nil, false
		}
		number = uint64(v)
	case d.Class() == element.Unsigned:
		v, err := strconv.ParseUint(string(text), 10, 8*size)
		if err != nil {
			return nil, false
		}
		number = v
	case isText && strings.HasPrefix(s, "0x"):
		v, err := strconv.ParseUint(s[2:], 16, 8*size)
		if err != nil || len(s) != 2+2*size {
			return nil, false
		}
		number = v
	default:
		v, known := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[s]
		if !known && (isText || json.Unmarshal(text, &v) != nil) {
			return nil, false
		}
		number = floatBits(v, size)
	}
	return wordOf(number, size), true
}

// wordOf is the bytes of a number, so many of them.
func wordOf(number uint64, size int) []byte {
	word := words.Bytes(8)
	binary.NativeEndian.PutUint64(word, number)
	if hostBig {
		return word[8-size:]
	}
	return word[:size]
}

func floatBits(v float64, size int) uint64 {
	switch size {
	case 8:
		return math.Float64bits(v)
	case 4:
		return uint64(math.Float32bits(float32(v)))
	}
	to, from := words.Bytes(2), words.Bytes(8)
	binary.NativeEndian.PutUint64(from, math.Float64bits(v))
	if convert, err := element.Converter(element.Float64, element.Float16); err == nil {
		convert(to, from)
	}
	return uint64(binary.NativeEndian.Uint16(to))
}

// repeated fills memory with an element, over and over.
func repeated(to, one []byte) {
	for n := copy(to, one); n < len(to) && n > 0; {
		n += copy(to[n:], to[:n])
	}
}

// nothing reports zeros alone.
func nothing(b []byte) bool {
	var any uint64
	for _, w := range words.View[uint64](b[:len(b)&^7]) {
		any |= w
	}
	for _, v := range b[len(b)&^7:] {
		any |= uint64(v)
	}
	return bits.OnesCount64(any) == 0
}
