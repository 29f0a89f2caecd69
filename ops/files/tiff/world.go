package tiff

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"weft/ops/files/fileio"
)

// worldEndings are those of the files of six numbers that place a raster (a world file of ESRI), in the order in which GDAL looks for them.
var worldEndings = []string{".tfw", ".TFW", ".tifw", ".wld"}

// mostWorld is the most bytes of such a file.
const mostWorld = 4 << 10

// placeByWorld takes the place of a raster that has none from a file beside it.
func (f *File) placeByWorld(path string) error {
	if f.header.Geo.Placed {
		return nil
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	for _, ending := range worldEndings {
		file, size, err := fileio.Open(base + ending)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		world := make([]byte, min(size, mostWorld+1))
		if _, err = io.ReadFull(file, world); err == nil {
			err = f.place(world)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return fileio.Wrap(base+ending, fileio.CannotRead, err)
		}
		return nil
	}
	return nil
}

// place sets the place from six lines: the size of a pixel along x, two rotations, the size along y, and x and y of the centre of the first pixel.
func (f *File) place(world []byte) error {
	lines := strings.Fields(string(world))
	if len(lines) != 6 || len(world) > mostWorld {
		return &Error{Reason: fmt.Sprintf("places a raster by %d numbers; six are expected, one in a line", len(lines)), Help: "remove it, or write it again"}
	}
	var v [6]float64
	for i, line := range lines {
		var err error
		if v[i], err = strconv.ParseFloat(strings.ReplaceAll(line, ",", "."), 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return &Error{Reason: fmt.Sprintf("places a raster by %s, which is no number", clip(line)), Help: "remove it, or write it again"}
		}
	}
	if v[0]*v[3] == v[1]*v[2] {
		return &Error{Reason: fmt.Sprintf("gives pixels without area: %v", v), Help: "remove it, or write it again"}
	}
	a := Affine{v[4] - (v[0]+v[2])/2, v[0], v[2], v[5] - (v[1]+v[3])/2, v[1], v[3]}
	f.header.Geo = f.header.Geo.at(a)
	return nil
}
