package files

import (
	"path/filepath"
	"strings"

	"weft/ops/problem"
)

// converters are the commands that turn files which are not read into ones that are, by the ending of their names. FILE stands for
// the path, STEM for the path without its ending.
var converters = map[string]string{
	".asc": gdal, ".img": gdal, ".jp2": gdal, ".vrt": gdal, ".hgt": gdal,
}

const (
	gdal = `gdal_translate FILE STEM.tif`
)

// unknownFormat says what a file that is to be read, or written, would have to be.
func unknownFormat(path, known string, reading bool) error {
	ext := ending(path)
	if ext == "" {
		return problem.Wrong(problem.UnknownFormat, "path", "end it in "+known, "the name %q has no ending that tells the format", path)
	}
	help := "end it in " + known
	if command, can := converters[ext]; reading && can {
		name := path
		if strings.ContainsAny(name, `'"$\`+"`") {
			name = "file" + ext // quoted in a shell it would be another
		}
		help = "convert it: " + strings.NewReplacer("FILE", name, "STEM", strings.TrimSuffix(name, filepath.Ext(name))).Replace(command)
	}
	return problem.Wrong(problem.UnknownFormat, "path", help, "%s files are not known: %s", ext, path)
}
