package fits

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/problem"
)

// Astronomical is the format of FITS files.
var Astronomical = &format.Format{
	Name: "FITS", Endings: []string{".fits", ".fit"}, Choices: []string{"hdu", "member"}, Holds: holds, Takes: []string{"as"},
	Open: openFile, List: list, Places: places, Check: check, Create: create, WriteRecord: writeTable, CheckRecord: checkTable,
	Reads: "A FITS file gives the image or the table of an HDU, the first with data unless `hdu` names another or gives its number, from 0. An image is an array, its slowest axis first, with the names that CTYPE gives its dimensions, and coordinates where the header says that they go on by steps or by factors, " +
		"a binary table a record of its columns, of which `member` reads one; columns of vectors have dimensions behind the one of the rows. Elements that BLANK or TNULL mark as missing are NaN, for " +
		"which whole numbers become floats; scale and zero are applied, and units are those of BUNIT and TUNIT where they are known.",
	Writes: "A FITS file holds an image, with its coordinates in HDUs of the names of its dimensions, or a record of arrays with the same first dimension as a binary table.",
}

// openFile opens an array of a file.
func openFile(path string, c format.Choice) (format.Input, error) {
	f, h, err := openHDU(path, c)
	if err != nil {
		return nil, err
	}
	a, err := f.openArray(h, c["member"])
	if err != nil {
		return nil, errors.Join(fileio.Wrap(path, fileio.CannotRead, err), f.close())
	}
	return a, nil
}

func openHDU(path string, c format.Choice) (*file, hdu, error) {
	f, err := open(path)
	if err != nil {
		return nil, hdu{}, err
	}
	h, err := f.choose(c["hdu"])
	if err != nil {
		return nil, h, errors.Join(err, f.close())
	}
	return f, h, nil
}

// list tells the columns of a table; of an image nothing.
func list(path string, c format.Choice) ([]format.Part, error) {
	f, h, err := openHDU(path, c)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if h.kind != "BINTABLE" {
		return nil, nil
	}
	all, err := h.columns()
	if err != nil {
		return nil, fileio.Wrap(path, fileio.CannotRead, err)
	}
	parts := make([]format.Part, len(all))
	for i, col := range all {
		parts[i] = format.Part{Name: col.name, Dims: col.dims(), Not: col.not}
	}
	return parts, nil
}

// places tells the HDUs that have data, as hdu names them.
func places(path string) (names []string, err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	for h, err := range f.hdus() {
		if err != nil {
			return nil, err
		}
		name := h.name
		if name == "" || slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(name, other) }) {
			name = strconv.Itoa(h.index)
		}
		if h.size > 0 {
			names = append(names, name)
		}
	}
	return names, nil
}

// written are the types of elements of files: what BITPIX and the form of a column say.
var written = map[element.DType]struct {
	bitpix int
	form   string
	zero   float64
}{
	element.Uint8: {8, "B", 0}, element.Int16: {16, "I", 0}, element.Int32: {32, "J", 0}, element.Int64: {64, "K", 0},
	element.Int8: {8, "B", -0x80}, element.Uint16: {16, "I", 0x8000}, element.Uint32: {32, "J", 0x80000000}, element.Uint64: {64, "K", 0x1p63},
	element.Float32: {-32, "E", 0}, element.Float64: {-64, "D", 0},
	element.Complex64: {0, "C", 0}, element.Complex128: {0, "M", 0}, element.Bool: {0, "L", 0},
}

func holds(d element.DType) bool { return written[d].bitpix != 0 }

// check finds what no image can be.
func check(o format.Order) error {
	if n := len(o.Type.Dims); n < 1 || n > 999 {
		return problem.Wrong(problem.CannotStore, "array", "write it as part of a record", "a FITS image has 1 to 999 dimensions, and the array has %d", n)
	}
	return nil
}

// create starts the file of an image.
func create(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	cards := []card{{"SIMPLE", true}}
	cards = append(cards, imageCards(o.DType, o.Type.Shape(), o.Unit)...)
	cards = append(cards, card{"EXTEND", true})
	for i, d := range slices.Backward(o.Type.Dims) {
		if dimName().MatchString(d.Name) { // as headers hold ASCII alone
			cards = append(cards, card{fmt.Sprintf("CTYPE%d", len(o.Type.Dims)-i), d.Name})
		}
	}
	f := tile.File{DType: o.DType, Shape: o.Type.Shape(), Head: head(cards), Code: coder(o.DType)}
	f.Tail = append(make([]byte, padding(f.Bytes())), coordinates(o.Type.Dims)...)
	return f.Create(o.Path, resumable, marks)
}
