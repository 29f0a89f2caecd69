package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Header is what an NPY file says of its array.
type Header struct {
	DType      element.DType
	Shape      []int // lengths, first axis first; empty for a single value
	Fortran    bool  // first axis contiguous in the file
	BigEndian  bool  // byte order in the file; false for elements of one byte
	Version    [2]uint8
	DataOffset int64 // bytes before the first element
}

// Len is the number of elements.
func (h Header) Len() int {
	n := 1
	for _, d := range h.Shape {
		n *= d
	}
	return n
}

// Bytes is the size of all elements.
func (h Header) Bytes() int64 { return int64(h.Len()) * int64(h.DType.Size()) }

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 20 // NumPy's own limit is 10,000 characters
	alignment = 64      // of the first element in files that NumPy and we write
)

// foreign names files that are no NPY by how they begin.
var foreign = []struct{ prefix, reason, help string }{
	{"PK\x03\x04", "is an archive (NPZ or ZIP), not a single NPY array", "open it as an NPZ archive and name one of its arrays"},
	{"PK\x05\x06", "is an empty archive", ""},
	{"\x89HDF\r\n", "is an HDF5 file, not an NPY file", ""},
	{"SIMPLE  =", "is a FITS file, not an NPY file", ""},
	{"II*\x00", "is a TIFF file, not an NPY file", ""},
	{"MM\x00*", "is a TIFF file, not an NPY file", ""},
	{"MATLAB", "is a MATLAB file, not an NPY file", ""},
	{"\x1f\x8b", "is compressed with gzip", "uncompress it first (gunzip)"},
	{"\x80", "is a Python pickle, not an NPY file", "load it in Python and save it with np.save"},
}

// readHeader reads and checks the header at the beginning of r, which holds size bytes: the array and no more.
func readHeader(r io.ReaderAt, size int64) (Header, error) {
	h, err := headerAt(r, size)
	if err != nil {
		return h, err
	}
	return h, h.checkSize(size)
}

// headerAt is readHeader where something else may lie behind the array.
func headerAt(r io.ReaderAt, size int64) (Header, error) {
	var h Header
	start := make([]byte, min(12, size))
	if err := readFull(r, start, 0); err != nil {
		return h, err
	}
	if !strings.HasPrefix(string(start), magic) {
		return h, notNPY(string(start))
	}
	lengthBytes := 4
	if len(start) > 6 && start[6] == 1 {
		lengthBytes = 2
	}
	if len(start) < 8+lengthBytes {
		return h, &Error{Kind: fileio.Cut, Reason: "ends within the NPY header: the file is incomplete"}
	}
	h.Version = [2]uint8{start[6], start[7]}
	if h.Version[0] < 1 || h.Version[0] > 3 || h.Version[1] != 0 {
		return h, &Error{Kind: fileio.BadHeader, Reason: fmt.Sprintf("has NPY version %d.%d; known are 1.0, 2.0 and 3.0", start[6], start[7])}
	}
	length := int64(binary.LittleEndian.Uint16(start[8:]))
	if lengthBytes == 4 {
		length = int64(binary.LittleEndian.Uint32(start[8:]))
	}
	h.DataOffset = int64(8+lengthBytes) + length
	if length > maxHeader {
		return h, &Error{Kind: fileio.HugeHeader, Reason: fmt.Sprintf("claims a header of %d bytes; at most %d are read", length, maxHeader), Help: "the file is damaged: copy it again, or save the array again with numpy.save"}
	}
	if h.DataOffset > size {
		return h, &Error{Kind: fileio.Cut, Reason: fmt.Sprintf("ends within the NPY header: %d bytes expected, the file has %d", h.DataOffset, size)}
	}
	text := make([]byte, length)
	if err := readFull(r, text, int64(8+lengthBytes)); err != nil {
		return h, err
	}
	return h, h.decode(string(text))
}

func notNPY(start string) error {
	if start == "" {
		return &Error{Kind: fileio.Cut, Reason: "is empty", Help: "copy or write the file again"}
	}
	for _, f := range foreign {
		if strings.HasPrefix(start, f.prefix) {
			return &Error{Kind: fileio.Foreign, Reason: f.reason, Help: f.help}
		}
	}
	return &Error{Kind: fileio.Foreign, Reason: "is not an NPY file: it does not begin with \\x93NUMPY", Help: "save the array with numpy.save"}
}

// decode fills the header from its dict literal.
func (h *Header) decode(text string) error {
	f, err := parseLiteral(text)
	if err != nil {
		return &Error{Kind: fileio.BadHeader, Reason: "has a damaged NPY header, which " + err.Error(), Help: "copy it again, or save the array again with numpy.save", Err: err}
	}
	if f.structured != "" {
		return &Error{
			Kind:   fileio.BadType,
			Reason: fmt.Sprintf("holds records with several fields (NumPy dtype %s)", clip(f.structured)),
			Help:   refusals['V'][1],
		}
	}
	if h.DType, h.BigEndian, err = parseDescr(f.descr); err != nil {
		return err
	}
	h.Shape, h.Fortran = f.shape, f.fortran
	if !addressable(h.Shape, h.DType) {
		return &Error{Kind: fileio.BadHeader, Reason: fmt.Sprintf("claims the shape %v of %v, more bytes than this machine can address", element.Shape(h.Shape), h.DType)}
	}
	return nil
}

// addressable says whether every stride of the array fits an int. Lengths of zero do not excuse the other axes,
// because strides are products of them.
func addressable(shape []int, d element.DType) bool {
	bytes := uint64(d.Size())
	for _, n := range shape {
		hi, lo := bits.Mul64(bytes, uint64(max(n, 1)))
		if hi != 0 || lo > math.MaxInt {
			return false
		}
		bytes = lo
	}
	return true
}

// checkSize compares the claim with the file.
func (h *Header) checkSize(size int64) error {
	expected := h.Bytes()
	actual := size - h.DataOffset
	switch {
	case actual < expected:
		return &Error{
			Kind:   fileio.Cut,
			Reason: fmt.Sprintf("is truncated: %v of %v needs %d bytes after the header, the file has %d", element.Shape(h.Shape), h.DType, expected, actual),
			Help:   "copy or write the file again",
		}
	case actual > expected:
		return &Error{
			Kind:   fileio.Overlong,
			Reason: fmt.Sprintf("is too long: %v of %v needs %d bytes after the header, the file has %d", element.Shape(h.Shape), h.DType, expected, actual),
			Help:   "if several arrays were appended to one file, save each in a file of its own or all in one NPZ archive",
		}
	}
	return nil
}

// encode gives the header of a version 1.0 file in C order and in this machine's byte order, padded so that the
// elements begin at a multiple of 64 bytes. 64 dimensions of 20 digits stay far below the format's 65,535 bytes.
func (h Header) encode() []byte { return encodeHeader(h.descr(), element.Shape(h.Shape)) }

// descr is the type in NumPy's words.
func (h Header) descr() string {
	order := "<"
	switch {
	case h.DType.Word() == 1:
		order = "|"
	case words.HostBigEndian:
		order = ">"
	}
	return order + codes[h.DType]
}

// encodeHeader is the header of an array of a type in NumPy's words.
func encodeHeader(descr string, shape element.Shape) []byte { return encodeHeaderIn(0, descr, shape) }

// encodeHeaderIn is encodeHeader of at least so many bytes.
func encodeHeaderIn(least int, descr string, shape element.Shape) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %v, }", descr, shape)
	prefix := len(magic) + 4
	length := prefix + len(dict) + 1
	padding := max(least, (length+alignment-1)/alignment*alignment) - length
	dict += strings.Repeat(" ", padding) + "\n"
	out := append([]byte(magic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	return append(out, dict...)
}
