package zarr

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// longestMember bounds the bytes of a member's name.
const longestMember = 256

// mappingName is that of the array that tells the system of coordinates.
const mappingName = "crs"

// group is what lies beside an array that has coordinates: arrays of them by the names of dims, and one whose attributes tell their system, as
// xarray and GDAL read them.
type group struct {
	name  string // of the array
	along []ops.Dim
	crs   string // the name of the array that tells the system; empty: there is none
	about attributes
}

// groupOf is the group that an array goes into; nil: it is a store by itself, as none of its dims has places or instants. Plain numbers along a dim are
// neither: a matrix stays an array to all that read matrices.
func groupOf(o format.Order) (*group, attributes, error) {
	g := &group{}
	for _, d := range o.Type.Dims {
		if d.Coords != nil {
			g.along = append(g.along, d)
		}
	}
	if !slices.ContainsFunc(g.along, func(d ops.Dim) bool { return d.Frame != nil || !d.Unit.Plain() }) {
		return nil, attributes{}, nil
	}
	g.name = cf.NameOf(o, longestMember)
	for slices.ContainsFunc(o.Type.Dims, func(d ops.Dim) bool { return strings.EqualFold(d.Name, g.name) }) { // folders of some systems are not told apart by case
		g.name += "_"
	}
	of := attributes{}
	geo, err := cf.PlaceOf(o.Type.Dims)
	if err != nil || geo == nil {
		return g, of, err
	}
	for g.crs = mappingName; g.crs == g.name || o.Type.Dim(g.crs) >= 0; {
		g.crs += "_"
	}
	of.set(cf.GridMapping, g.crs)
	g.about = attributes{}
	g.about.all(cf.Mapping(*geo))
	return g, of, nil
}

// write puts the arrays beside the one of the group, which is described, and what tells of all of them, also in one place as xarray looks for it.
func (g *group) write(to *fileio.PendingFolder, described []byte, about attributes) error {
	all := map[string]json.RawMessage{g.name: described}
	for _, d := range g.along {
		values, of := cf.Coordinates(d)
		l := layoutOf(format.Order{Type: ops.Type{Dims: []ops.Dim{{Name: d.Name, Size: d.Size}}}, DType: element.Float64})
		a := attributes{}
		a.all(of)
		text, err := l.write(to, d.Name, a, words.Raw(values))
		if err != nil {
			return err
		}
		all[d.Name] = text
	}
	if g.crs != "" {
		text, err := layoutOf(format.Order{DType: element.Int32}).write(to, g.crs, g.about, words.Bytes(4))
		if err != nil {
			return err
		}
		all[g.crs] = text
	}
	text, err := json.MarshalIndent(map[string]any{"zarr_format": 3, "node_type": "group", "attributes": about,
		"consolidated_metadata": map[string]any{"kind": "inline", "must_understand": false, "metadata": all}}, "", "  ")
	if err != nil {
		return err
	}
	return to.WriteFile(descriptionFile, append(text, '\n'))
}

// write puts a whole array into a group, packed as all programs unpack it.
func (l *layout) write(to *fileio.PendingFolder, name string, about attributes, elements []byte) (described []byte, err error) {
	l.shared = true
	if described, err = l.description(about); err != nil {
		return nil, err
	}
	if err := to.WriteFile(path.Join(name, descriptionFile), append(described, '\n')); err != nil {
		return nil, err
	}
	chunk := l.chunkBytes()
	i := 0
	for at := range l.over(region.Whole(l.shape...)).Indices() {
		data := words.Bytes(chunk)
		copy(data, elements[i*chunk:])
		i++
		packed, err := zipped(data)
		if err == nil {
			err = to.WriteFile(path.Join(name, l.key(at)), packed)
		}
		if err != nil {
			return nil, err
		}
	}
	return described, nil
}

// alone says why a group is not one of a single array with what lies beside it, and so not replaced by another.
func alone(root *os.Root) error {
	all, err := members(root)
	if err != nil {
		return err
	}
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	inner := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.IsDir() && !slices.Contains(all, e.Name()) })
	if own := arrays(root, all); inner || len(own) != 1 {
		err = errors.Join(err, &fileio.Error{Kind: fileio.Foreign, Reason: "is a group, whose arrays would be lost"})
	}
	return err
}
