package files

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/npy"
	"weft/ops/files/tiff"
	"weft/ops/problem"
)

// input is an array in an open file. Parts of it may be read concurrently.
type input interface {
	Shape() []int
	Elem() ops.ElemType
	Bytes() int64 // of the elements
	Close() error

	reads(as ops.ElemType) bool // elements can become such
	scaled() bool               // elements must be multiplied to become what they stand for
	gaps() bool                 // elements may be marked as missing
	names() []string            // of the dims, where the format says
	unit() ops.Unit             // of the elements, where the format says
	// place gives dims their coordinates. It also returns what is wrong with them, as warnings.
	place(c *ops.Call, dims []ops.Dim) (warnings, err error)
	// read fills dst with a part of the array in C order: elements of a type, rows stride bytes apart.
	read(dst []byte, as ops.ElemType, stride int, t region.Region) error
	// bands is the number of rows that are read together with least effort.
	bands() int
	// scratch is the bytes that reading by rows takes.
	scratch() int64
}

// open opens the array a call names.
func open(c *ops.Call) (input, error) {
	path := c.Text("path")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, problem.Wrong(problem.IsDirectory, "path", "name a file in it", "%s is a folder, not a file", path)
	}
	switch ending(path) {
	case ".npy":
		if c.Has("member") {
			return nil, problem.Wrong(problem.ContradictArguments, "member", "leave it out", "`member` is for NPZ archives: an NPY file holds a single array without a name")
		}
		f, err := npy.Open(path)
		if err != nil {
			return nil, besides(path, failure(err, false))
		}
		return npyInput{File: f}, nil
	case ".npz":
		return openMember(c, path)
	case ".tif", ".tiff":
		if c.Has("member") {
			return nil, problem.Wrong(problem.ContradictArguments, "member", "leave it out", "`member` is for NPZ archives: a GeoTIFF file holds a single raster without a name")
		}
		f, err := tiff.Open(path)
		if err != nil {
			return nil, besides(path, failure(err, false))
		}
		in := rasterInput{f}
		f.SetCache(in.cacheSize())
		return in, nil
	default:
		return nil, unknownFormat(path, ".npy, .npz, .tif or .tiff", true)
	}
}

func openMember(c *ops.Call, path string) (input, error) {
	a, err := npy.OpenArchive(path)
	if err != nil {
		return nil, besides(path, failure(err, false))
	}
	name, names := c.Text("member"), a.Names()
	switch {
	case name != "":
	case len(names) == 1:
		name = names[0]
	case len(names) == 0:
		return nil, errors.Join(problem.Wrong(problem.EmptyArray, "path", "", "%s holds no array", path), a.Close())
	default:
		return nil, errors.Join(problem.Wrong(problem.AmbiguousMember, "path", "choose one: member: "+fmt.Sprintf("%q", names[0]),
			"%s holds %d arrays: %s", path, len(names), strings.Join(names, ", ")), a.Close())
	}
	f, err := a.Open(name)
	if err != nil {
		return nil, errors.Join(among(failure(err, false), names), a.Close())
	}
	return npyInput{File: f, archive: a}, nil
}

// npyInput is an array of an NPY file or of an NPZ archive.
type npyInput struct {
	*npy.File
	archive *npy.Archive // nil for NPY files
}

func (n npyInput) Close() error {
	err := n.File.Close()
	if n.archive != nil {
		err = errors.Join(err, n.archive.Close())
	}
	return err
}

func (n npyInput) Shape() []int       { return n.Header().Shape }
func (n npyInput) Elem() ops.ElemType { return elemOf(n.Header().DType) }
func (n npyInput) Bytes() int64       { return n.Header().Bytes() }
func (n npyInput) scaled() bool       { return false }
func (n npyInput) gaps() bool         { return false }
func (n npyInput) names() []string    { return nil }
func (n npyInput) unit() ops.Unit     { return ops.Unit{} }

func (n npyInput) reads(as ops.ElemType) bool {
	to, known := fileType(as)
	return known && element.Conversion(n.Header().DType, to) != element.Refused
}

func (n npyInput) read(dst []byte, as ops.ElemType, stride int, t region.Region) error {
	to, known := fileType(as)
	if !known {
		return fmt.Errorf("NPY files hold no %s", as)
	}
	return n.ReadTile(dst, npy.Layout{DType: to, RowStride: stride}, t)
}

// place follows the argument pixel.
func (n npyInput) place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	return nil, placeByPixel(c, dims)
}

func (n npyInput) bands() int {
	row := max(1, int(n.Bytes())/max(1, n.Shape()[0]))
	return max(1, 4<<20/row)
}

func (n npyInput) scratch() int64 { return 1 << 20 }
