package fits

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"strconv"
	"strings"

	"weft/ops/files/fileio"
)

// file is a FITS file open for reading.
type file struct {
	path   string
	source io.ReaderAt
	size   int64
	close  func() error
}

func open(path string) (*file, error) {
	f, size, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{path: path, source: f, size: size, close: f.Close}, nil
}

// hdu is a header and the data behind it.
type hdu struct {
	header
	index       int
	name        string
	kind        string // IMAGE, BINTABLE and others
	axes        []int64
	start, size int64 // of its data
}

// label names an HDU for people.
func (h hdu) label() string {
	if h.name == "" {
		return fmt.Sprintf("HDU %d", h.index)
	}
	return fmt.Sprintf("HDU %d (%s)", h.index, h.name)
}

// hdus yields the HDUs in their order. The last is the one whose data the file ends within, if there is one.
func (f *file) hdus() iter.Seq2[hdu, error] {
	return func(yield func(hdu, error) bool) {
		for at, i := int64(0), 0; at < f.size; i++ {
			cards, err := f.cards(at, i)
			if err == nil && cards == nil {
				return
			}
			var h hdu
			if err == nil {
				h, err = newHDU(cards, i)
			}
			if err != nil {
				yield(hdu{}, fileio.Wrap(f.path, fileio.CannotRead, err))
				return
			}
			h.start = at + int64(len(cards))
			if !yield(h, nil) || h.size > f.size-h.start {
				return
			}
			at = h.start + (h.size+block-1)/block*block
		}
	}
}

var ends = []byte("END     ")

// cards reads the header of HDU i. Behind the last there may be anything: nil.
func (f *file) cards(at int64, i int) ([]byte, error) {
	var all []byte
	for len(all) < mostHeader {
		part := make([]byte, min(block, f.size-at-int64(len(all))))
		if err := readFull(f.source, part, at+int64(len(all))); err != nil {
			return nil, err
		}
		switch first := len(all) == 0; {
		case first && i == 0 && !bytes.HasPrefix(part, []byte("SIMPLE  =")):
			return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is not a FITS file: it does not begin with SIMPLE  ="}
		case first && i > 0 && !bytes.HasPrefix(part, []byte("XTENSION")):
			return nil, nil
		case len(part) < block:
			return nil, &fileio.Error{Kind: fileio.Cut, Reason: fmt.Sprintf("ends within the header of HDU %d", i), Help: "copy it again"}
		}
		all = append(all, part...)
		for c := 0; c < block; c += line {
			if bytes.HasPrefix(part[c:], ends) {
				return all, nil
			}
		}
	}
	return nil, &fileio.Error{Kind: fileio.HugeHeader, Reason: fmt.Sprintf("has a header of HDU %d without an end: %d bytes are read", i, mostHeader)}
}

func newHDU(cards []byte, index int) (hdu, error) {
	h := hdu{index: index, kind: "IMAGE"}
	var err error
	if h.header, err = parse(cards); err != nil {
		return h, err
	}
	if index > 0 {
		h.kind = h.text("X-TENSIO")
	}
	h.name = h.text("EXTNAME")
	n, err := h.count("X-NAXIS", 0)
	if err != nil {
		return h, err
	}
	if n > 999 {
		return h, damaged("NAXIS is %d", n)
	}
	elements := int64(min(n, 1))
	for i := range n {
		key := fmt.Sprintf("NAXIS%d", i+1)
		axis, err := h.count(key, -1)
		if err != nil {
			return h, err
		}
		h.axes = append(h.axes, axis)
		if i == 0 && axis == 0 && h.header["GROUPS"] == true {
			axis = 1
		}
		if elements, err = times(elements, axis, key); err != nil {
			return h, err
		}
	}
	bitpix, err := h.whole("X-BITPIX", 8)
	if err != nil {
		return h, err
	}
	more, err := h.count("PCOUNT", 0)
	if err != nil {
		return h, err
	}
	groups, err := h.count("GCOUNT", 1)
	if err != nil {
		return h, err
	}
	if groups != 1 && h.header["GROUPS"] != true || h.kind == "BINTABLE" && bitpix != 8 {
		return h, damaged("GCOUNT is %d and BITPIX %d", groups, bitpix)
	}
	if h.size, err = times(elements+min(more, 1<<61), groups, "GCOUNT"); err == nil {
		h.size, err = times(h.size, max(bitpix, -bitpix)/8, "BITPIX")
	}
	return h, err
}

// times is a product that is no more than bytes can be counted.
func times(a, b int64, key string) (int64, error) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > 1<<61 {
		return 0, damaged("%s makes it larger than any file", key)
	}
	return int64(low), nil
}

// choose finds the HDU of a name or a number, the first being 0; without either the first that has data.
func (f *file) choose(want string) (hdu, error) {
	var known []string
	for h, err := range f.hdus() {
		if err != nil {
			return h, err
		}
		known = append(known, cmp.Or(h.name, strconv.Itoa(h.index)))
		if !(want == "" && h.size > 0 || want == strconv.Itoa(h.index) || want != "" && strings.EqualFold(want, h.name)) {
			continue
		}
		if f.size-h.start < h.size {
			return h, f.cut(h)
		}
		return h, nil
	}
	if want == "" {
		return hdu{}, &fileio.Error{Path: f.path, Kind: fileio.Empty, Reason: "holds no data"}
	}
	return hdu{}, &fileio.Error{Path: f.path, Kind: fileio.NoHDU, Reason: "holds no HDU " + want, Known: known, Help: fmt.Sprintf("it holds %s, which have the numbers 0 to %d", strings.Join(known, ", "), len(known)-1)}
}

// cut says that the file ends within the data of an HDU.
func (f *file) cut(h hdu) error {
	return &fileio.Error{Path: f.path, Kind: fileio.Cut, Help: "copy it again",
		Reason: fmt.Sprintf("ends within %s, which has %d bytes of data: %d are there", h.label(), h.size, max(f.size-h.start, 0))}
}

// readFull fills p from an offset.
func readFull(r io.ReaderAt, p []byte, offset int64) error {
	if len(p) == 0 {
		return nil
	}
	n, err := r.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		return &fileio.Error{Kind: fileio.Cut, Reason: "became shorter while it was read"}
	}
	return err
}
