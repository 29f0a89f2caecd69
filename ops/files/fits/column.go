package fits

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// forms are the kinds of columns by their letter: the bytes of an element, its type, and why it is not read.
var forms = map[string]struct {
	bytes int64
	dtype element.DType
	not   string
}{
	"L": {1, element.Bool, ""}, "B": {1, element.Uint8, ""}, "I": {2, element.Int16, ""}, "J": {4, element.Int32, ""}, "K": {8, element.Int64, ""},
	"E": {4, element.Float32, ""}, "D": {8, element.Float64, ""}, "C": {8, element.Complex64, ""}, "M": {16, element.Complex128, ""},
	"A": {1, 0, "holds texts; only numbers are read"}, "X": {0, 0, "holds single bits, which are not read"},
	"P": {8, 0, "holds arrays of different lengths, which are not read"}, "Q": {16, 0, "holds arrays of different lengths, which are not read"},
}

// column is one of a binary table.
type column struct {
	number int // from 1
	name   string
	dtype  element.DType
	offset int64 // within a row
	inner  []int // extents within a row, as arrays have them; nil: a single element
	not    string
}

var formOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{0,15})([A-Z])`) })

// columns are those of a table.
func (h hdu) columns() ([]column, error) {
	switch {
	case h.header["ZIMAGE"] == true:
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: h.label() + " holds a compressed image", Help: "unpack it first (funpack)"}
	case len(h.axes) != 2:
		return nil, damaged("%s is a table of %d axes, not 2", h.label(), len(h.axes))
	}
	n, err := h.count("TFIELDS", 0)
	if err != nil {
		return nil, err
	}
	if n > 999 {
		return nil, damaged("TFIELDS is %d, and 999 are the most", n)
	}
	var all []column
	at := int64(0)
	for i := 1; i <= int(n); i++ {
		c, width, err := h.column(i)
		if err != nil {
			return nil, err
		}
		if c.offset = at; width > h.axes[0]-at {
			return nil, damaged("column %s lies behind the end of the rows of %s, which are %d bytes", c.name, h.label(), h.axes[0])
		}
		at += width
		all = append(all, c)
	}
	if at != h.axes[0] {
		return nil, damaged("the columns of %s take %d bytes, and its rows are %d", h.label(), at, h.axes[0])
	}
	return all, nil
}

// column reads what the header says of a column, and its bytes in a row.
func (h hdu) column(i int) (c column, width int64, err error) {
	key := func(name string) string { return name + strconv.Itoa(i) }
	if c = (column{number: i, name: h.text(key("TTYPE"))}); c.name == "" {
		c.name = key("col")
	}
	form := formOf().FindStringSubmatch(h.text(key("TFORM")))
	if form == nil || forms[form[2]].bytes == 0 && form[2] != "X" {
		return c, 0, damaged("%s of column %s is %q", key("TFORM"), c.name, h.text(key("TFORM")))
	}
	repeat := int64(1)
	if form[1] != "" {
		repeat, _ = strconv.ParseInt(form[1], 10, 64) // of at most 15 digits
	}
	f := forms[form[2]]
	if c.dtype, c.not = f.dtype, f.not; form[2] == "X" {
		return c, (repeat + 7) / 8, nil
	}
	if width, err = times(repeat, f.bytes, key("TFORM")); err != nil {
		return c, 0, err
	}
	if repeat == 0 || h.axes[1] == 0 {
		c.not = "has no elements"
	}
	if dims := h.text(key("TDIM")); dims != "" && c.not == "" {
		c.inner, err = innerOf(dims, repeat)
		return c, width, err
	}
	if repeat != 1 {
		c.inner = []int{int(repeat)}
	}
	return c, width, nil
}

// innerOf reads extents such as (4,3), the first of which varies fastest.
func innerOf(text string, repeat int64) ([]int, error) {
	var inner []int
	product := int64(1)
	for part := range strings.SplitSeq(strings.Trim(text, "()"), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err == nil && n < 1 {
			err = fmt.Errorf("%d is no extent", n)
		}
		if err == nil {
			product, err = times(product, n, "TDIM")
		}
		if err != nil {
			return nil, damaged("TDIM is %q", text)
		}
		inner = append([]int{int(n)}, inner...)
	}
	if product != repeat {
		return nil, damaged("TDIM is %q for %d elements", text, repeat)
	}
	return inner, nil
}
