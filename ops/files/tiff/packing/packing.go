// Package packing packs blocks of TIFF files, and unpacks them.
package packing

import "errors"

// Method says how the bytes of a block are packed.
type Method uint8

// The methods that are read; the first three are written too.
const (
	None Method = iota + 1
	Deflate
	LZW
	PackBits
	Zstandard
)

// methods are the names, how many bytes one byte can at most unpack to, and the values of the tag Compression, the one that is written first.
// Deflate: 258 bytes from two bits, less the codes' description. LZW: 4096 bytes at most from 12 bits. PackBits: 128 from two. Zstandard: a block
// of 128 KiB from four (RFC 8878, 3.1.1.2).
var methods = map[Method]struct {
	name    string
	densest int64
	tags    []int64
}{
	None: {"none", 1, []int64{1}}, Deflate: {"deflate", 1032, []int64{8, 32946}}, LZW: {"LZW", 2731, []int64{5}},
	PackBits: {"PackBits", 64, []int64{32773}}, Zstandard: {"Zstandard", 128 << 10 / 4, []int64{50000}},
}

// others are names of values of the tag Compression that are not read.
var others = map[int64]string{
	2: "CCITT", 3: "CCITT fax 3", 4: "CCITT fax 4", 6: "JPEG (old style)", 7: "JPEG", 34712: "JPEG 2000", 34887: "LERC", 34925: "LZMA", 50001: "WebP", 50002: "JPEG XL",
}

// String is the name of the method.
func (m Method) String() string { return methods[m].name }

// Tag is the value of the tag Compression.
func (m Method) Tag() int { return int(methods[m].tags[0]) }

// Densest is how many bytes one byte can at most unpack to.
func (m Method) Densest() int64 { return methods[m].densest }

// Packs says whether blocks can be packed so.
func (m Method) Packs() bool { return packers[m] != nil }

// Of is the method of a value of the tag Compression, 0 for one that is not read, with its name.
func Of(tag int64) (m Method, name string) {
	for m, about := range methods {
		for _, t := range about.tags {
			if t == tag {
				return m, about.name
			}
		}
	}
	if name, known := others[tag]; known {
		return 0, name
	}
	return 0, "an unknown method"
}

// Errors of blocks whose bytes are no packed ones of the method.
var (
	ErrOldLZW    = errors.New("is compressed with the LZW of TIFF before 5.0, which is not read")
	ErrShortened = errors.New("became shorter while it was read")
)
