package fits

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// array is an image, or a column of a table, in an open file.
type array struct {
	*file
	dtype         element.DType
	flip          bool   // whole numbers are stored with their first bit turned, since FITS has no others of that sign
	null          []byte // what stands for a missing element, in this machine's byte order; nil: nothing does
	shape         []int  // rows first
	start, stride int64  // bytes to the first row, and from row to row
	names         []string
	unit          ops.Unit
	scale, offset float64
	doubts        []problem.Problem
	coords        []coords
}

// openArray opens the image of an HDU, or a column of a table.
func (f *file) openArray(h hdu, member string) (*array, error) {
	switch {
	case h.kind == "BINTABLE":
		return f.openColumn(h, member)
	case member != "":
		return nil, &fileio.Error{Kind: fileio.NoMember, Reason: fmt.Sprintf("holds no columns in %s", h.label()), Help: "leave `member` out, or choose a table by `hdu`"}
	}
	a, err := f.openImage(h)
	if err != nil {
		return nil, err
	}
	return a, f.place(h, a)
}

// pixels are the types of elements of images by BITPIX.
var pixels = map[int64]element.DType{8: element.Uint8, 16: element.Int16, 32: element.Int32, 64: element.Int64, -32: element.Float32, -64: element.Float64}

func (f *file) openImage(h hdu) (*array, error) {
	switch {
	case h.kind != "IMAGE" || h.header["GROUPS"] == true:
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("holds no image and no binary table in %s", h.label()), Help: "choose another HDU by `hdu`"}
	case h.size == 0:
		return nil, &fileio.Error{Kind: fileio.Empty, Reason: fmt.Sprintf("holds no data in %s", h.label()), Help: "choose another HDU by `hdu`"}
	}
	bitpix, _ := h.whole("X-BITPIX", 8) // which was read with the HDU
	a := &array{file: f, dtype: pixels[bitpix], start: h.start}
	if a.dtype == 0 {
		return nil, damaged("BITPIX is %d", bitpix)
	}
	for _, n := range slices.Backward(h.axes) {
		a.shape = append(a.shape, int(n))
	}
	a.stride = int64(a.dtype.Size()) * int64(region.Whole(a.shape[1:]...).Points())
	return a, a.meaning(h, "BSCALE", "BZERO", "BLANK", "BUNIT")
}

func (f *file) openColumn(h hdu, name string) (*array, error) {
	all, err := h.columns()
	if err != nil {
		return nil, err
	}
	var known []string
	for k, c := range all {
		switch {
		case c.name == name && c.not != "":
			return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("%s in column %s of %s", c.not, c.name, h.label())}
		case c.name != name:
			known = append(known, c.name)
			continue
		}
		a := &array{file: f, dtype: c.dtype, shape: append([]int{int(h.axes[1])}, c.inner...), start: h.start + c.offset, stride: h.axes[0], names: c.dims()}
		if slices.ContainsFunc(all[k+1:], func(o column) bool { return o.name == name }) {
			a.doubts = append(a.doubts, problem.Wrong(problem.AmbiguousMember, "path", "", "%s has several columns %s: the first is read, the others are left out", h.label(), name))
		}
		i := strconv.Itoa(c.number)
		return a, a.meaning(h, "TSCAL"+i, "TZERO"+i, "TNULL"+i, "TUNIT"+i)
	}
	return nil, &fileio.Error{Kind: fileio.NoMember, Reason: fmt.Sprintf("holds no column %s in %s", name, h.label()), Known: known}
}

// dims are the names of the dims of a column that are used without others.
func (c column) dims() []string {
	names := []string{"row"}
	for i := range c.inner {
		names = append(names, fmt.Sprintf("axis%d", i+1))
	}
	return names
}

// flips are the offsets by which files hold whole numbers of the other sign.
var flips = map[element.DType]struct {
	offset float64
	dtype  element.DType
}{
	element.Uint8: {-0x80, element.Int8}, element.Int16: {0x8000, element.Uint16}, element.Int32: {0x80000000, element.Uint32}, element.Int64: {0x1p63, element.Uint64},
}

// meaning reads what the numbers stand for from these keywords.
func (a *array) meaning(h hdu, scale, zero, null, unit string) (err error) {
	if a.scale, err = h.real(scale, 1); err != nil {
		return err
	}
	if a.offset, err = h.real(zero, 0); err != nil {
		return err
	}
	if a.scale == 0 || a.scale-a.scale != 0 || a.offset-a.offset != 0 {
		return damaged("%s and %s are %v and %v", scale, zero, a.scale, a.offset)
	}
	if c := a.dtype.Class(); h.header[null] != nil && (c == element.Signed || c == element.Unsigned) {
		v, err := h.whole(null, 0)
		if err != nil {
			return err
		}
		a.null = binary.NativeEndian.AppendUint64(nil, uint64(v))
		if a.null = a.null[:a.dtype.Size()]; words.HostBigEndian {
			a.null = binary.NativeEndian.AppendUint64(nil, uint64(v))[8-a.dtype.Size():]
		}
		bits := 8 * a.dtype.Size()
		if c == element.Unsigned && v>>bits != 0 || c == element.Signed && v != v<<(64-bits)>>(64-bits) {
			a.null = nil
			a.doubts = append(a.doubts, problem.Wrong(problem.BadHeader, "path", "", "%s is %d, which no %s element is: none is missing", null, v, a.dtype))
		}
	}
	f, turned := flips[a.dtype]
	if a.flip = turned && a.scale == 1 && a.offset == f.offset; a.flip {
		a.dtype, a.offset = f.dtype, 0
		turn(a.null, a.dtype.Size())
	}
	if a.scale == 1 && a.offset == 0 || a.dtype == element.Bool {
		a.scale, a.offset = 0, 0 // elements stand for themselves
	}
	text := h.text(unit)
	u, known := unitOf(text)
	if text != "" && !known {
		a.doubts = append(a.doubts, units.Unknown(text))
	}
	if !u.Plain() || u.SI() != 1 {
		a.unit = u
	}
	return nil
}

// turn turns the first bit of each element.
func turn(src []byte, size int) {
	at := size - 1
	if words.HostBigEndian {
		at = 0
	}
	for ; at < len(src); at += size {
		src[at] ^= 0x80
	}
}

// About is what is known of the array.
func (a *array) About() format.About {
	return format.About{DType: a.dtype, Shape: a.shape, Names: a.names, Unit: a.unit, Doubts: a.doubts, Scale: a.scale, Offset: a.offset,
		Gaps: a.null != nil, NaNIsMissing: true, Band: int(max(1, 4<<20/max(1, a.stride)))}
}

// Read reads a part of the array.
func (a *array) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := tile.Inside(t, a.shape); err != nil {
		return fileio.Wrap(a.path, fileio.CannotRead, err)
	}
	p, err := tile.NewPlacer(dst, tile.Layout{DType: as, RowStride: stride}, t, a.dtype, !words.HostBigEndian && a.dtype.Word() > 1)
	if err != nil {
		return fileio.Wrap(a.path, fileio.CannotRead, err)
	}
	p.Prepare = a.prepare()
	if a.null != nil {
		p.Blank(tile.Missing{Words: [][]byte{a.null}})
	}
	size := int64(a.dtype.Size())
	row := size * region.Whole(a.shape[1:]...).Points()
	w := &window{source: a.source, end: a.start + int64(t[0].Hi-1)*a.stride + row, sparse: a.stride >= windowLen}
	if t[1:].Equal(region.Whole(a.shape[1:]...)) { // whole rows
		first := a.start + int64(t[0].Lo)*a.stride
		err := p.Fill(tile.Run{N: int(t.Points())}, func(part []byte, from int) error { return w.rows(part, first, int64(from)*size, row, a.stride) })
		if err != nil {
			return fileio.Wrap(a.path, fileio.CannotRead, err)
		}
		return nil
	}
	for i := range t[0].Len() {
		for r := range tile.Runs(t[1:], a.shape[1:]) {
			at := a.start + int64(t[0].Lo+i)*a.stride + int64(r.InArray)*size
			r.InTile += i * int(t[1:].Points())
			if err := p.Fill(r, func(part []byte, from int) error { return w.read(part, at+int64(from)*size) }); err != nil {
				return fileio.Wrap(a.path, fileio.CannotRead, err)
			}
		}
	}
	return nil
}

// prepare makes elements of what a file holds; nil: it holds these.
func (a *array) prepare() func([]byte) {
	switch {
	case a.dtype == element.Bool:
		return func(src []byte) {
			for i, c := range src {
				if src[i] = 0; c == 'T' {
					src[i] = 1
				}
			}
		}
	case a.flip:
		return func(src []byte) { turn(src, a.dtype.Size()) }
	}
	return nil
}

// window reads small parts that follow each other from one larger one.
type window struct {
	source   io.ReaderAt
	end      int64 // of what will be read
	at       int64
	sparse   bool // the parts lie far from each other
	bytes    []byte
	buffered [windowLen]byte
}

const windowLen = 64 << 10

// rows reads what lies from a byte on in rows that follow each other, so many bytes each and a stride apart.
func (w *window) rows(dst []byte, first, from, row, stride int64) error {
	if row == stride { // nothing lies between
		return w.read(dst, first+from)
	}
	for len(dst) > 0 {
		n := min(int64(len(dst)), row-from%row)
		if err := w.read(dst[:n], first+from/row*stride+from%row); err != nil {
			return err
		}
		dst, from = dst[n:], from+n
	}
	return nil
}

func (w *window) read(dst []byte, at int64) error {
	if len(dst) >= windowLen/2 || w.sparse {
		return readFull(w.source, dst, at)
	}
	if at < w.at || at+int64(len(dst)) > w.at+int64(len(w.bytes)) {
		w.at, w.bytes = at, w.buffered[:min(windowLen, w.end-at)]
		if err := readFull(w.source, w.bytes, at); err != nil {
			return err
		}
	}
	copy(dst, w.bytes[at-w.at:])
	return nil
}

// Close ends reading.
func (a *array) Close() error { return a.close() }

// coords are the coordinates of a dim.
type coords struct {
	unit   ops.Unit
	values []float64
}

// names that dims may have.
var dimName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// place reads the names of the dims of an image from CTYPE, and their coordinates from HDUs of these names, or from what the header says of steps.
func (f *file) place(h hdu, a *array) error {
	var names []string
	for i := range a.shape {
		name := h.axisName(len(a.shape) - i)
		if !dimName().MatchString(name) || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	a.names, a.coords = names, make([]coords, len(names))
	for i, n := range a.shape {
		if c, ok := h.linear(len(a.shape)-i, n); ok {
			a.coords[i] = c
		}
	}
	for other, err := range f.hdus() {
		switch {
		case err != nil:
			return err
		case f.size-other.start < other.size:
			return f.cut(other)
		}
		d := slices.Index(names, other.name)
		if d < 0 || other.index == h.index || other.kind != "IMAGE" || len(other.axes) != 1 || other.axes[0] != int64(a.shape[d]) {
			continue
		}
		c, err := f.openImage(other)
		if err != nil {
			return err
		}
		values := make([]float64, a.shape[d])
		if err := c.Read(words.Raw(values), element.Float64, 0, region.Whole(len(values))); err != nil {
			return err
		}
		scale := c.scale
		if scale == 0 {
			scale = 1
		}
		for i, v := range values {
			values[i] = (v*scale+c.offset)*c.unit.SI() + c.unit.Offset
		}
		a.coords[d] = coords{c.unit, values}
	}
	return nil
}

// Place gives dims the coordinates of an image.
func (a *array) Place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	for i, x := range a.coords {
		if x.values != nil && !c.Has("dims") {
			dims[i].Unit, dims[i].Coords = x.unit, x.values
		}
	}
	return nil, format.PlaceByPixel(c, dims)
}
