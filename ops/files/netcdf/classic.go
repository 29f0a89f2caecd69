package netcdf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// Limits of headers: beyond them it is damage, or meant to harm.
const (
	mostHeader = 64 << 20 // bytes
	mostItems  = 100_000  // of a list
	mostRank   = 1024
	mostText   = 1 << 16 // characters of a variable that are read
)

func damage(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "is damaged: " + fmt.Sprintf(format, args...), Help: "copy or write the file again"}
}

func cut(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.Cut, Reason: "is cut short or damaged: " + fmt.Sprintf(format, args...), Help: "copy or write the file again"}
}

// decoder reads a header.
type decoder struct {
	from *bufio.Reader
	left int64 // bytes of the file, or of what is read of it at most
	wide bool
	err  error
}

// bytes are the next ones.
func (d *decoder) bytes(n int64) []byte {
	if d.err == nil && (n < 0 || n > d.left) {
		d.err = cut("its header does not end")
	}
	if d.err != nil || n == 0 {
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.from, b); err != nil {
		if d.err = err; errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			d.err = cut("its header does not end")
		}
		return nil
	}
	d.left -= n
	return b
}

func (d *decoder) word() uint32 {
	b := d.bytes(4)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint32(b)
}

func (d *decoder) long() uint64 {
	b := d.bytes(8)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// raw is a count as it stands.
func (d *decoder) raw() uint64 {
	if d.wide {
		return d.long()
	}
	return uint64(d.word())
}

// count is a number of things.
func (d *decoder) count() int64 {
	n := d.raw()
	if n > math.MaxInt64/16 && d.err == nil {
		d.err = damage("a count of %d", n)
	}
	if d.err != nil {
		return 0
	}
	return int64(n)
}

// padding passes what fills up to 4 bytes behind so many.
func (d *decoder) padding(n int64) { d.bytes(padded(n) - n) }

func (d *decoder) text() string {
	n := d.count()
	s := string(d.bytes(n))
	d.padding(n)
	return s
}

// list is how many things one has, whose tag is this.
func (d *decoder) list(tag uint32) int64 {
	is, n := d.word(), d.count()
	switch {
	case d.err != nil:
		return 0
	case is == 0 && n == 0:
		return 0
	case is != tag:
		d.err = damage("a list of %d things is marked %d, and %d is right", n, is, tag)
	case n > mostItems:
		d.err = damage("a list of %d things", n)
	}
	if d.err != nil {
		return 0
	}
	return n
}

// kind is a type: of elements, or 0 for characters.
func (d *decoder) kind() element.DType {
	n := d.word()
	t, is := stored[n]
	if d.err == nil && !is && n != charType {
		d.err = damage("a type %d, and 1 to 11 are known", n)
	}
	return t
}

func (d *decoder) attributes() attributes {
	all := attributes{}
	for range d.list(attributeTag) {
		name, t, n := d.text(), d.kind(), d.count()
		size := int64(1)
		if t != 0 {
			size = int64(t.Size())
		}
		if d.err == nil && n > d.left/size {
			d.err = cut("its header does not end")
		}
		if d.err != nil {
			return nil
		}
		raw := append(words.Bytes(int(n * size))[:0], d.bytes(n*size)...)
		d.padding(n * size)
		if t == 0 {
			all[name] = value{text: strings.TrimRight(string(raw), "\x00"), is: true}
			continue
		}
		if !words.HostBigEndian {
			words.Swap(raw, t.Word())
		}
		all[name] = value{dtype: t, raw: raw}
	}
	return all
}

// classic reads the header of a file of so many bytes.
func classic(r io.ReaderAt, size int64) (*content, error) {
	d := &decoder{from: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), left: min(size, mostHeader)}
	mark := d.bytes(4)
	if d.err != nil || string(mark[:3]) != magic {
		return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is not a netCDF file"}
	}
	version := mark[3]
	if version != 1 && version != 2 && version != 5 {
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("is a netCDF file of the version %d, and versions 1, 2 and 5 are read", version), Help: "write it again as another, e.g. by nccopy -k cdf5"}
	}
	d.wide = version == 5
	records := d.raw()
	streamed := !d.wide && records == unlimited || records == math.MaxUint64
	c := &content{}
	type dimension struct {
		name string
		size int64
	}
	var dims []dimension
	record := int64(-1)
	for i := range d.list(dimensionTag) {
		dim := dimension{d.text(), d.count()}
		if d.err == nil && dim.size == 0 {
			if record >= 0 {
				d.err = damage("two dimensions of records")
			}
			record = i
		}
		if dims = append(dims, dim); d.err != nil {
			return nil, d.err
		}
	}
	c.attrs = d.attributes()
	var each, alone int64 // bytes of a record, and of the part of the last variable of records before it is filled up
	many := 0
	for range d.list(variableTag) {
		v := &variable{name: d.text()}
		rank := d.count()
		if d.err == nil && rank > mostRank {
			d.err = damage("a variable of %d dimensions", rank)
		}
		if d.err != nil {
			return nil, d.err
		}
		v.bytes = 1
		for k := range rank {
			i := d.count()
			if d.err == nil && i >= int64(len(dims)) {
				d.err = damage("a dimension %d of %d", i, len(dims))
			}
			if d.err != nil {
				return nil, d.err
			}
			v.dims = append(v.dims, dims[i].name)
			v.shape = append(v.shape, int(dims[i].size))
			switch {
			case i == record && k > 0:
				return nil, damage("records are not the first dimension of %.60q", v.name)
			case i == record:
				v.records = true
			case dims[i].size > math.MaxInt64/16/v.bytes:
				return nil, damage("%.60q has more elements than there are bytes", v.name)
			default:
				v.bytes *= dims[i].size
			}
		}
		v.attrs = d.attributes()
		if v.dtype = d.kind(); v.dtype != 0 {
			v.bytes *= int64(v.dtype.Size())
		} else {
			v.not = "holds texts"
		}
		d.count() // its size, which follows from the above
		if version == 1 {
			v.begin = int64(d.word())
		} else if at := d.long(); at <= math.MaxInt64/16 {
			v.begin = int64(at)
		} else if d.err == nil {
			d.err = damage("%.60q lies at %d", v.name, at)
		}
		if d.err != nil {
			return nil, d.err
		}
		if v.records {
			if each > math.MaxInt64/16-padded(v.bytes) {
				return nil, damage("records of too many bytes")
			}
			each, alone, many = each+padded(v.bytes), v.bytes, many+1
		}
		c.vars = append(c.vars, v)
	}
	if d.err != nil {
		return nil, d.err
	}
	if many == 1 {
		each = alone
	}
	if streamed {
		records = 0
		for _, v := range c.vars {
			if v.records && each > 0 {
				records = max(records, uint64(max(0, size-v.begin)/each))
			}
		}
	}
	if records > math.MaxInt64/16 {
		return nil, damage("%d records", records)
	}
	for _, v := range c.vars {
		v.place(int64(records), each, size)
	}
	return c, c.texts(r)
}

// place finds where the elements of a variable are, of a file with so many records of as many bytes, and so many in all.
func (v *variable) place(records, each, size int64) {
	v.each = each
	end := v.begin + v.bytes
	if v.records {
		if v.shape[0] = int(records); records > 0 && (records-1) > (math.MaxInt64/4-end)/max(each, 1) {
			end = math.MaxInt64
		} else if records > 0 {
			end += (records - 1) * each
		}
	}
	switch {
	case v.records && records == 0 || v.bytes == 0:
		v.not = "is empty"
	case end > size:
		v.wrong = cut("%.60q ends at %d, and there are %d bytes", v.name, end, size)
	}
}

// texts reads what variables of characters say.
func (c *content) texts(r io.ReaderAt) error {
	for _, v := range c.vars {
		if v.dtype != 0 || v.wrong != nil || v.not == "is empty" || v.records || len(v.shape) > 1 || v.bytes > mostText {
			continue
		}
		b := make([]byte, v.bytes)
		if _, err := r.ReadAt(b, v.begin); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		text := strings.TrimRight(string(b), "\x00 ")
		v.text, v.not = &text, ""
	}
	return nil
}

// elements are those of a variable of an open file.
type elements struct {
	name    string
	r       io.ReaderAt
	close   func() error
	of      *variable
	dtype   element.DType // which may be of the other sign
	missing tile.Missing
}

func (e *elements) Close() error { return e.close() }

// Read fills dst with a part of the array.
func (e *elements) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := e.read(dst, as, stride, t); err != nil {
		return fileio.Wrap(e.name, fileio.CannotRead, err)
	}
	return nil
}

func (e *elements) read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := tile.Inside(t, e.of.shape); err != nil {
		return err
	}
	p, err := tile.NewPlacer(dst, tile.Layout{DType: as, RowStride: stride}, t, e.dtype, !words.HostBigEndian && e.dtype.Word() > 1)
	if err != nil {
		return err
	}
	p.Blank(e.missing)
	for r := range tile.Runs(t, e.of.shape) {
		if err := p.Fill(r, func(part []byte, from int) error { return e.at(part, int64(r.InArray)+int64(from)) }); err != nil {
			return err
		}
	}
	return nil
}

// at fills part with elements that follow each other, from one on.
func (e *elements) at(part []byte, from int64) error {
	v, place := e.of, from*int64(e.dtype.Size())
	if !v.records {
		_, err := e.r.ReadAt(part, v.begin+place)
		return err
	}
	for len(part) > 0 {
		record, within := place/v.bytes, place%v.bytes
		n := min(int64(len(part)), v.bytes-within)
		if _, err := e.r.ReadAt(part[:n], v.begin+record*v.each+within); err != nil {
			return err
		}
		part, place = part[n:], place+n
	}
	return nil
}

// openClassic opens the elements of a variable of a file.
func openClassic(path string, v *variable, as element.DType, missing tile.Missing) (source, error) {
	f, _, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	return &elements{path, f, f.Close, v, as, missing}, nil
}
