package files

import (
	"os"
	"slices"

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
	f := formatOf(path, reads)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir() && (f == nil || f.Folder == nil):
		return input{}, problem.Wrong(problem.IsDirectory, "path", "name a file in it", "%s is a folder, not a file", path)
	case f == nil:
		return input{}, unknownFormat(path, endings(those(reads), true, "or"), true)
	}
	choice, err := chosen(c, f)
	if err != nil {
		return input{}, err
	}
	in, err := f.Open(path, choice)
	if err != nil {
		return input{}, besides(path, failure(err, false))
	}
	return input{in, in.About()}, nil
}

// choices are the arguments by which one of the arrays in a file is chosen.
var choices = []string{"hdu", "member", "band"}

// chosen is what a call chooses of a file by.
func chosen(c *ops.Call, f *format.Format) (format.Choice, error) {
	out := format.Choice{}
	for _, name := range choices {
		chooses := func(f *format.Format) bool { return slices.Contains(f.Choices, name) }
		switch v := c.Args[name].(type) {
		case nil:
		case ops.Text:
			out[name] = string(v)
		default:
			out[name] = v.String()
		}
		if c.Has(name) && !chooses(f) {
			return nil, problem.Wrong(problem.ContradictArguments, name, "leave it out", "`%s` is for %s files, not for %s", name, endings(those(chooses), false, "and"), c.Text("path"))
		}
	}
	return out, nil
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
