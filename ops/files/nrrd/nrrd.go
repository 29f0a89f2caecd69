// Package nrrd writes NRRD files, which viewers of medical images read: a header of text and the elements behind it, after the definition of the
// format at teem.sourceforge.net/nrrd/format.html.
package nrrd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// Raster is the format of NRRD files.
var Raster = &format.Format{
	Name: "NRRD", Endings: []string{".nrrd"}, Takes: []string{"as"}, Check: check,
	Holds:  func(d element.DType) bool { return types[d] != "" },
	Writes: "An NRRD file holds an array with the names of its dimensions and, where their coordinates are evenly spaced, these; of three that are lengths, as a volume in space.",
	Create: func(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
		f := tile.File{DType: o.DType, Shape: o.Type.Shape(), Head: header(o)}
		return f.Create(o.Path, resumable, marks)
	},
}

// types are the names of element types.
var types = map[element.DType]string{
	element.Int8: "int8", element.Int16: "int16", element.Int32: "int32", element.Int64: "int64",
	element.Uint8: "uint8", element.Uint16: "uint16", element.Uint32: "uint32", element.Uint64: "uint64",
	element.Float32: "float", element.Float64: "double",
}

// Coordinates that are off by a larger part of a step than this are not evenly spaced.
const even = 1e-3

// mostDims is how many an NRRD file may have.
const mostDims = 16

func check(o format.Order) error {
	if n := len(o.Type.Dims); n == 0 || n > mostDims {
		return problem.Wrong(problem.CannotStore, "array", "write it to a .npy", "NRRD files hold arrays of 1 to %d dimensions, and this has %d", mostDims, n)
	}
	return nil
}

// header is what stands before the elements: axes in the order of the format, the one whose elements lie side by side first.
func header(o format.Order) []byte {
	dims := slices.Clone(o.Type.Dims)
	slices.Reverse(dims)
	all := func(of func(d ops.Dim) string) string {
		var out []string
		for _, d := range dims {
			out = append(out, of(d))
		}
		return strings.Join(out, " ")
	}
	endian := "little"
	if words.HostBigEndian {
		endian = "big"
	}
	text := []string{"NRRD0005", "type: " + types[o.DType], fmt.Sprintf("dimension: %d", len(dims)),
		"sizes: " + all(func(d ops.Dim) string { return strconv.Itoa(d.Size) }), "encoding: raw", "endian: " + endian,
		"labels: " + all(func(d ops.Dim) string { return strconv.Quote(d.Name) })}
	if !o.Unit.Plain() {
		text = append(text, "sample units: "+o.Unit.String())
	}
	if inSpace(dims) {
		text = append(text, space(dims)...)
	} else {
		text = append(text,
			"spacings: "+all(func(d ops.Dim) string { return spaced(d, step) }), "axis mins: "+all(func(d ops.Dim) string { return spaced(d, first) }),
			"centers: "+strings.TrimSpace(strings.Repeat("node ", len(dims))), "units: "+all(func(d ops.Dim) string { return strconv.Quote(unit(d)) }))
	}
	return []byte(strings.Join(text, "\n") + "\n\n")
}

func step(d ops.Dim) float64 {
	s, _ := d.Step(even)
	return s / d.Unit.SI()
}

func first(d ops.Dim) float64 { return format.Shown(d.Coords[0], d.Unit) }

// places reports coordinates that a first one and a step tell.
func places(d ops.Dim) bool {
	s, uneven := d.Step(even)
	return d.Coords != nil && s != 0 && uneven < 0
}

// spaced is a number of an axis, or nan for one that has none.
func spaced(d ops.Dim, of func(ops.Dim) float64) string {
	if !places(d) {
		return "nan"
	}
	return number(of(d))
}

func unit(d ops.Dim) string {
	if !places(d) || d.Unit.Plain() {
		return ""
	}
	return d.Unit.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// inSpace reports three axes that are lengths.
func inSpace(dims []ops.Dim) bool {
	length := ops.MustUnit("mm")
	return len(dims) == 3 && !slices.ContainsFunc(dims, func(d ops.Dim) bool { return !places(d) || !d.Unit.Same(length) })
}

// space are three axes as directions of a volume, in millimetres, with the place of the first element: those named x, y and z are these directions, in whatever
// order they lie.
func space(dims []ops.Dim) []string {
	mm := ops.MustUnit("mm").SI()
	var names, directions []string
	for _, d := range dims {
		names = append(names, d.Name)
	}
	if sorted := slices.Sorted(slices.Values(names)); slices.Equal(sorted, []string{"x", "y", "z"}) {
		names = sorted
	}
	origin := make([]string, len(dims))
	for _, d := range dims {
		s, _ := d.Step(even)
		direction, i := []string{"0", "0", "0"}, slices.Index(names, d.Name)
		direction[i], origin[i] = number(s/mm), number(d.Coords[0]/mm)
		directions = append(directions, "("+strings.Join(direction, ",")+")")
	}
	return []string{"kinds: domain domain domain", "space dimension: 3", "space directions: " + strings.Join(directions, " "),
		"space origin: (" + strings.Join(origin, ",") + ")", `space units: "mm" "mm" "mm"`}
}
