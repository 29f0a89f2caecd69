package packing

import "fmt"

// LZW as TIFF 6.0 section 13 has it: codes of 9 to 12 bits, most significant bit first, one bit wider one code
// earlier than elsewhere.
const (
	lzwClear    = 256
	lzwEnd      = 257
	lzwFirst    = 258
	lzwMinWidth = 9
	lzwMaxWidth = 12
)

// unpackLZW fills dst from src, which may hold more only where it may be padded.
func unpackLZW(dst, src []byte, padded bool) error {
	if len(src) > 1 && src[0] == 0 && src[1]&1 == 1 {
		return ErrOldLZW
	}
	// Each code stands for bytes that are in dst already: those of the code before it and the one that followed.
	var starts, lengths [1 << lzwMaxWidth]int32
	var (
		bits  uint64
		have  uint
		width uint = lzwMinWidth
		next       = lzwFirst
		out   int  // bytes of dst filled
		last  = -1 // where the bytes of the last code begin, or -1 after a clear
	)
	for {
		for have < width && len(src) > 0 {
			bits = bits<<8 | uint64(src[0])
			src = src[1:]
			have += 8
		}
		code := lzwEnd // where the bytes end without it
		if have >= width {
			have -= width
			code = int(bits >> have & (1<<width - 1))
		}
		switch {
		case code == lzwEnd && out == len(dst), out == len(dst) && padded:
			return nil
		case code == lzwEnd:
			return short(out, len(dst))
		case code == lzwClear:
			width, next, last = lzwMinWidth, lzwFirst, -1
			continue
		case code > next || code == next && last < 0 || last < 0 && code > lzwEnd:
			return fmt.Errorf("the LZW code %d stands for nothing", code)
		}
		start := out
		if last >= 0 && next < 1<<lzwMaxWidth {
			starts[next], lengths[next] = int32(last), int32(out-last+1)
			next++
		}
		from, n := start, 1
		if code > lzwEnd {
			from, n = int(starts[code]), int(lengths[code])
		}
		if n > len(dst)-out {
			if !padded {
				return overlong(len(dst))
			}
			n = len(dst) - out
		}
		if code < lzwClear {
			dst[out] = byte(code)
		}
		if done := copy(dst[out:out+n], dst[from:out]); done < n { // a code just being made ends with the byte it begins with
			dst[out+done] = dst[from]
		}
		out += n
		last = start
		if next+1 >= 1<<width && width < lzwMaxWidth {
			width++
		}
	}
}

func short(got, want int) error {
	return fmt.Errorf("its bytes unpack to %d, %d expected", got, want)
}

// packerLZW keeps the table of codes between blocks.
type packerLZW struct {
	codes  map[uint32]uint16 // code of a string, by the code of all but its last byte and that byte
	bits   uint64
	have   uint
	width  uint
	packed []byte
}

// pack appends src to packed.
func (p *packerLZW) pack(packed, src []byte) []byte {
	p.packed, p.bits, p.have, p.width = packed, 0, 0, lzwMinWidth
	p.put(lzwClear)
	p.clear()
	next := lzwFirst
	code := -1
	for _, b := range src {
		if code < 0 {
			code = int(b)
			continue
		}
		key := uint32(code)<<8 | uint32(b)
		if longer, known := p.codes[key]; known {
			code = int(longer)
			continue
		}
		p.put(uint16(code))
		p.codes[key] = uint16(next)
		code = int(b)
		if next = p.grow(next); next == lzwFirst {
			p.clear()
		}
	}
	if code >= 0 {
		p.put(uint16(code))
		p.grow(next)
	}
	p.put(lzwEnd)
	if p.have > 0 {
		p.packed = append(p.packed, byte(p.bits<<(8-p.have)))
	}
	return p.packed
}

// grow counts one more code: it widens codes where they get longer and clears the table where it is full.
func (p *packerLZW) grow(next int) int {
	next++
	if next == 1<<lzwMaxWidth-2 {
		p.put(lzwClear)
		p.width = lzwMinWidth
		return lzwFirst
	}
	if next == 1<<p.width {
		p.width++
	}
	return next
}

func (p *packerLZW) clear() {
	if p.codes == nil {
		p.codes = make(map[uint32]uint16, 1<<lzwMaxWidth)
	}
	clear(p.codes)
}

func (p *packerLZW) put(code uint16) {
	p.bits = p.bits<<p.width | uint64(code)
	for p.have += p.width; p.have >= 8; {
		p.have -= 8
		p.packed = append(p.packed, byte(p.bits>>p.have))
	}
}
