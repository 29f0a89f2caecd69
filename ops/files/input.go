package files

import (
	"os"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// input is an array in an open file, with what is known of it.
type input struct {
	format.Input
	format.About
}

// open opens the array a call names.
func open(c *ops.Call) (input, error) {
	path := c.Text("path")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return input{}, problem.Wrong(problem.IsDirectory, "path", "name a file in it", "%s is a folder, not a file", path)
	}
	f := formatOf(path, reads)
	switch {
	case f == nil:
		return input{}, unknownFormat(path, endings(those(reads), true, "or"), true)
	case c.Has("member") && !f.Members:
		return input{}, problem.Wrong(problem.ContradictArguments, "member", "leave it out", "`member` is for %s files, and %s holds a single array without a name",
			endings(those(func(f *format.Format) bool { return f.Members }), false, "and"), path)
	}
	in, err := f.Open(path, c.Text("member"))
	if err != nil {
		return input{}, besides(path, failure(err, false))
	}
	return input{in, in.About()}, nil
}

func (in input) elem() ops.ElemType { return format.ElemOf(in.DType) }

// bytes are those of the elements.
func (in input) bytes() int64 {
	n := int64(in.DType.Size())
	for _, extent := range in.Shape {
		n *= int64(extent)
	}
	return n
}

// reads says whether elements can become such.
func (in input) reads(as ops.ElemType) bool {
	to, known := format.DTypeOf(as)
	return known && (in.Gives == nil || in.Gives(to)) && element.Conversion(in.DType, to) != element.Refused
}

// place gives dims their coordinates.
func (in input) place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	if p, places := in.Input.(format.Placer); places {
		return p.Place(c, dims)
	}
	return nil, format.PlaceByPixel(c, dims)
}
