package netcdf

import (
	"fmt"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// Climate is the format of netCDF files.
var Climate = &format.Format{
	Name: "NetCDF", Endings: []string{".nc", ".nc4", ".cdf"}, Choices: []string{"member"}, Holds: holds, Takes: []string{"as", "nodata"},
	Open: open, List: list, Check: check, Doubts: doubts, Create: create, WriteRecord: writeRecord, CheckRecord: checkRecord, Texts: true,
	Reads: "A NetCDF file, of the classic formats (CDF-1, 2 and 5) or of netCDF-4, gives a record of its variables, groups as records within it, or the only one; `member` is one of them, also of those that are coordinates. Dimensions have their names, " +
		"the coordinates of the variables of these (times since an instant in seconds since 1970), and the system that a grid_mapping names by a number of EPSG; what is in a unit without meaning here is told, and coordinates in one are left out. " +
		"The attributes scale_factor, add_offset, _FillValue, missing_value, valid_range, valid_min, valid_max and _Unsigned are applied: elements are scale v + offset, in floats, and those that are missing or not valid are NaN, for which whole numbers become floats; " +
		"read `as` whole numbers, these keep the value that is stored.",
	Writes: "A NetCDF file, of the classic format (CDF-2, or CDF-5 for u32, i64 and sizes that need it; u8 and u16 are marked as _Unsigned), holds an array or a record of arrays after the CF conventions: dimensions with their coordinates and units as these write them, instants of a dimension `time` as seconds since 1970, " +
		"and of arrays on the map a grid_mapping with the place of the pixels (GeoTransform) and the system in well-known text as GDAL reads it, where EPSG has it. " +
		"What is missing (NaN) is the number `nodata` in the file, or that of the file that was read if these are its elements and nothing was made of them, or else NaN.",
}

// input is a variable as an array.
type input struct {
	source
	meaning
	path string
	in   *content
	v    *variable
}

func open(path string, c format.Choice) (format.Input, error) {
	in, err := contentOf(path)
	if err != nil {
		return nil, err
	}
	v, err := in.choose(c["member"])
	if err != nil {
		return nil, fileio.Wrap(path, fileio.CannotRead, err)
	}
	n, err := v.open(path)
	if err != nil {
		return nil, fileio.Wrap(path, fileio.CannotRead, err)
	}
	n.in = in
	return n, nil
}

// open opens a variable of a file.
func (v *variable) open(path string) (*input, error) {
	switch {
	case v.wrong != nil:
		return nil, v.wrong
	case v.text != nil:
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("holds a text in %.60s, not numbers", v.name)}
	case v.not == "is empty":
		return nil, &fileio.Error{Kind: fileio.Empty, Reason: fmt.Sprintf("holds no elements of %.60s", v.name)}
	case v.not != "":
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("is not read: its variable %.60s %s", v.name, v.not)}
	}
	m, err := v.meaning()
	if err != nil {
		return nil, err
	}
	opens := openClassic
	if v.set != nil {
		opens = openSet
	}
	from, err := opens(path, v, m.dtype, m.missing)
	if err != nil {
		return nil, err
	}
	return &input{source: from, meaning: m, path: path, v: v}, nil
}

// About is what is known of the array.
func (n *input) About() format.About {
	about := format.About{DType: n.dtype, Shape: n.v.shape, Scale: n.scale, Offset: n.offset, Gaps: n.missing.Any(), NaNIsMissing: n.nan || n.missing.Any(), Nodata: n.nodata, Doubts: n.doubts}
	var odd []string
	about.Names, odd = n.v.names()
	for _, name := range odd {
		about.Doubts = append(about.Doubts, problem.Wrong(problem.BadHeader, "path", "`dims` names them", "%.60q is no name of a dimension that a program could use", name))
	}
	text, known := n.v.unit()
	if !known {
		about.Doubts = append(about.Doubts, units.Unknown(text))
	} else if u, is := units.Read(text); is && (!u.Plain() || u.SI() != 1) {
		about.Unit = u
	}
	type parts interface {
		Bands() int
		Extents() []int
		Scratch(region.Region) int64
	}
	if a, packed := n.source.(parts); packed {
		about.Band, about.Chunk, about.Scratch = a.Bands(), a.Extents(), a.Scratch
		return about
	}
	row := int64(n.dtype.Size())
	for _, extent := range n.v.shape[min(1, len(n.v.shape)):] {
		row *= int64(extent)
	}
	about.Band = int(max(1, (4<<20)/max(row, 1)))
	return about
}

// values are all elements of a variable, as numbers.
func (v *variable) values(path string) ([]float64, error) {
	n, err := v.open(path)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if n.dtype.Class() == element.Complex {
		return nil, damage("%.60s is complex", v.name)
	}
	out := make([]float64, region.Whole(v.shape...).Points())
	if err := n.Read(words.Raw(out), element.Float64, 0, region.Whole(v.shape...)); err != nil {
		return nil, err
	}
	if n.scale != 0 {
		for i := range out {
			out[i] = out[i]*n.scale + n.offset
		}
	}
	return out, nil
}
