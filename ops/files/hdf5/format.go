package hdf5

import (
	"fmt"
	"os"
	"path"
	"strings"

	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/units"
	"weft/ops/problem"
)

// Hierarchical is the format of HDF5 files.
var Hierarchical = &format.Format{
	Name: "HDF5", Endings: []string{".h5", ".hdf5", ".uff"}, Choices: []string{"member"}, Open: open, List: list,
	Reads: "An HDF5 file, as PICMUS and UFF are, gives a record of its datasets, groups as records within it, with the unit in the attribute units; `member: \"US/data/real\"` is one of them. Dimensions have the names of their scales. " +
		"Datasets may be in chunks that are packed by deflate (gzip), shuffled, and have checksums.",
}

var latest fileio.Latest[Content]

func contentOf(path string) (*Content, error) {
	return latest.Open(path, func(f *os.File, size int64) (*Content, error) { return Find(f, size) })
}

// fieldOf is the name of a dataset in a record: groups are records within.
func fieldOf(path string) string { return strings.ReplaceAll(path, "/", ".") }

func list(path string, _ format.Choice) (out []format.Part, err error) {
	all, err := contentOf(path)
	if err != nil {
		return nil, err
	}
	for _, d := range all.Datasets {
		out = append(out, format.Part{Name: fieldOf(d.Path), Dims: all.Names(d), Not: d.Not})
	}
	return out, nil
}

// Names are those of the dims of a dataset: of their scales where they have any.
func (c *Content) Names(d *Dataset) []string {
	scales := d.Attrs["DIMENSION_LIST"].References()
	names := make([]string, len(d.Shape))
	for i := range names {
		names[i] = fmt.Sprintf("axis%d", i)
		if len(scales) != len(names) || len(scales[i]) == 0 {
			continue
		}
		if s := c.At(scales[i][0]); s != nil && format.IsDimName(path.Base(s.Path)) {
			names[i] = path.Base(s.Path)
		}
	}
	return names
}

// input is a dataset as an array.
type input struct {
	*Array
	of    *Content // which is not looked for again as long as one of its arrays is in use
	names []string
}

func open(name string, c format.Choice) (format.Input, error) {
	all, err := contentOf(name)
	if err != nil {
		return nil, err
	}
	member := strings.Trim(c["member"], "/")
	var known []string
	for _, d := range all.Datasets {
		if known = append(known, fieldOf(d.Path)); d.Path != member && fieldOf(d.Path) != member {
			continue
		}
		if d.Not != "" {
			return nil, &fileio.Error{Path: name, Kind: fileio.BadType, Reason: d.Path + " " + d.Not}
		}
		a, err := d.Open(name)
		if err != nil {
			return nil, err
		}
		return input{a, all, all.Names(d)}, nil
	}
	if len(known) == 0 {
		return nil, &fileio.Error{Path: name, Kind: fileio.Empty, Reason: "holds no datasets"}
	}
	return nil, &fileio.Error{Path: name, Kind: fileio.NoMember, Reason: "holds no array " + member, Known: known}
}

// About is what is known of the array.
func (n input) About() format.About {
	about := format.About{DType: n.DType, Shape: n.Shape, Names: n.names, Band: n.Bands(), Chunk: n.Extents(), Scratch: n.Scratch}
	if text, is := n.Attrs["units"].Text(); is && text != "" {
		u, known := units.Read(text)
		if !known {
			about.Doubts = []problem.Problem{units.Unknown(text)}
		}
		if !u.Plain() || u.SI() != 1 {
			about.Unit = u
		}
	}
	return about
}
