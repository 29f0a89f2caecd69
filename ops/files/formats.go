package files

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/ops/files/csv"
	"weft/ops/files/epw"
	"weft/ops/files/fits"
	"weft/ops/files/format"
	"weft/ops/files/hdf5"
	"weft/ops/files/mat"
	"weft/ops/files/netcdf"
	"weft/ops/files/npy"
	"weft/ops/files/nrrd"
	"weft/ops/files/picture"
	"weft/ops/files/tiff"
	"weft/ops/files/zarr"
)

// formats are the kinds of files that are read and written, in the order of the manual.
var formats = []*format.Format{npy.Single, npy.Several, zarr.Store, tiff.Raster, fits.Astronomical, csv.Table, csv.Text, epw.Weather, mat.Variables, hdf5.Hierarchical, netcdf.Climate, nrrd.Raster, picture.PNG, picture.SVG}

func reads(f *format.Format) bool  { return f.Open != nil }
func writes(f *format.Format) bool { return f.Create != nil || f.Write != nil || f.WriteRecord != nil }

// records says whether files hold a record of arrays.
func records(f *format.Format) bool { return f.WriteRecord != nil }

// Places are what a file, if it is several in one, holds, as an argument of read tells them apart; nothing of what cannot be read.
func Places(path string) (option string, places []string) {
	f := formatOf(path, func(f *format.Format) bool { return f.Places != nil })
	if f == nil {
		return "", nil
	}
	places, err := f.Places(path)
	if err != nil {
		return "", nil // which reading it tells
	}
	return f.Choices[0], places
}

// byRows says whether files are written row by row.
func byRows(f *format.Format) bool { return f.Create != nil }

// ending is what tells the format of a path, with or without the separator behind a folder.
func ending(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimRight(path, string(filepath.Separator))))
}

// formatOf is the format of a path; nil: none that can do that.
func formatOf(path string, can func(*format.Format) bool) *format.Format {
	for _, f := range formats {
		if can(f) && slices.Contains(f.Endings, ending(path)) {
			return f
		}
	}
	return nil
}

// those are the formats that can do something.
func those(can func(*format.Format) bool) []*format.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f *format.Format) bool { return !can(f) })
}

// endings are those of some formats, in words: .npy, .npz or .tif. Of each the usual one, or all.
func endings(of []*format.Format, all bool, last string) string {
	var list []string
	for _, f := range of {
		if all {
			list = append(list, f.Endings...)
		} else {
			list = append(list, f.Endings[0])
		}
	}
	return enumerated(list, last)
}

// named are the names of the formats that can do something, in words.
func named(can func(*format.Format) bool) string {
	var list []string
	for _, f := range those(can) {
		list = append(list, f.Name)
	}
	return enumerated(list, "or")
}

func enumerated(list []string, last string) string {
	n := len(list) - 1
	if n == 0 {
		return list[0]
	}
	return strings.Join(list[:n], ", ") + " " + last + " " + list[n]
}

// manual is what formats say of themselves.
func manual(text func(*format.Format) string) string {
	var all []string
	for _, f := range formats {
		if t := text(f); t != "" {
			all = append(all, t)
		}
	}
	return "\n\n- " + strings.Join(all, "\n- ")
}

// elementNames lists what the argument `as` takes.
func elementNames() []string {
	var names []string
	for _, e := range format.Elems() {
		names = append(names, e.String())
	}
	return names
}
