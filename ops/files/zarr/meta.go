package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tiff"
	"weft/ops/files/tile"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// descriptionFile is the name of the file that describes an array or a group of them.
const descriptionFile = "zarr.json"

// description is what zarr.json holds.
type description struct {
	Format     int               `json:"zarr_format"`
	Node       string            `json:"node_type"`
	Shape      []int             `json:"shape"`
	DType      json.RawMessage   `json:"data_type"`
	Grid       extension         `json:"chunk_grid"`
	Keys       extension         `json:"chunk_key_encoding"`
	Fill       json.RawMessage   `json:"fill_value"`
	Codecs     []extension       `json:"codecs"`
	Storage    []json.RawMessage `json:"storage_transformers,omitempty"`
	Attributes attributes        `json:"attributes,omitempty"`
	Names      []*string         `json:"dimension_names,omitempty"`
}

// extension is a name with what configures it.
type extension struct {
	Name          string         `json:"name"`
	Configuration *configuration `json:"configuration,omitempty"`
}

// UnmarshalJSON takes a name alone for one without configuration.
func (e *extension) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &e.Name) == nil {
		return nil
	}
	type plain extension
	return json.Unmarshal(b, (*plain)(e))
}

// configuration is that of all extensions that are known.
type configuration struct {
	Chunk     []int  `json:"chunk_shape,omitzero"` // empty of a single value, nil of other extensions
	Separator string `json:"separator,omitempty"`
	Endian    string `json:"endian,omitempty"`
	Level     int    `json:"level,omitempty"`
}

// Limits that a description is held to: what is beyond them is damage, or meant to harm.
const (
	mostDescribed = 16 << 20  // bytes of zarr.json
	mostDims      = 32        //
	mostInChunk   = 1<<31 - 1 // bytes of a chunk
)

// layout is how an array lies in a store.
type layout struct {
	dtype   element.DType
	shape   []int
	chunk   []int
	swapped bool     // elements are in the other order of bytes
	packed  []string // what chunks are packed by, the last one first
	prefix  string   // of the names of chunks
	between string   // their numbers
	fill    []byte   // an element of a chunk that is not there, as in a file
	names   []string
	unit    ops.Unit

	shared        bool      // written so that GDAL before 3.13 reads it: packed by gzip, and nothing that no chunk holds but what is missing
	free          string    // a whole number that no element is, for what no chunk holds
	geo           *tiff.Geo // where rows and columns lie; nil: nowhere known
	scale, offset float64   // elements stand for scale v + offset; a scale of 0: for themselves
	missing       tile.Missing
	doubts        []problem.Problem
}

// describe reads the description of an array or a group.
func describe(root *os.Root) (*description, error) {
	text, err := readAll(root, descriptionFile, mostDescribed, nil)
	if errors.Is(err, fs.ErrNotExist) {
		for _, old := range []string{".zarray", ".zgroup"} {
			if _, err := root.Stat(old); err == nil {
				return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is a Zarr store of version 2; version 3 is read", Help: "write it anew with zarr.save(path, array, zarr_format=3)"}
			}
		}
		return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is not a Zarr store: there is no " + descriptionFile + " in it"}
	}
	if err != nil {
		return nil, err
	}
	d := new(description)
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, d); {
	case errors.As(err, &kind) && kind.Field != "":
		return nil, broken("%s is not what version 3 says: a %.40s as %s", descriptionFile, kind.Value, kind.Field)
	case err != nil:
		return nil, broken("%s is not what version 3 says: %v", descriptionFile, err)
	case d.Format != 3:
		return nil, &fileio.Error{Kind: fileio.Foreign, Reason: fmt.Sprintf("is a Zarr store of version %d; version 3 is read", d.Format), Help: "write it anew with zarr.save(path, array, zarr_format=3)"}
	case d.Node != "array" && d.Node != "group":
		return nil, broken("%s describes neither an array nor a group", descriptionFile)
	}
	return d, nil
}

// readAll reads a regular file of a store that has at most so many bytes, into memory that is given if it is enough.
func readAll(root *os.Root, name string, most int64, into []byte) ([]byte, error) {
	f, size, err := openPart(root, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	into = words.Resized(into, int(size))
	_, err = io.ReadFull(f, into)
	return into, err
}

// openPart opens a file of a store, of so many bytes at most, and says how many it has.
func openPart(root *os.Root, name string, most int64) (f *os.File, size int64, err error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, 0, unlinked(root, name, err)
	case !info.Mode().IsRegular():
		return nil, 0, broken("%s in it is not a regular file", name)
	case info.Size() > most:
		return nil, 0, broken("%s in it has %d bytes, and at most %d are right", name, info.Size(), most)
	}
	f, err = root.Open(name)
	return f, info.Size(), err
}

// unlinked says of a file that cannot be looked at that a link leads nowhere, or out of the store: what lies there is not the store's, and a chunk is not
// to be taken for one that was never written.
func unlinked(root *os.Root, name string, err error) error {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, none := root.Lstat(name[:i])
		if none != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if _, lost := root.Stat(name[:i]); lost != nil { // not as its cause: it is no file that is missing
			return &fileio.Error{Reason: "has a link, " + name[:i] + ", that leads nowhere or out of the store", Help: "copy what it should lead to into the store"}
		}
	}
	return err
}

func broken(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "is damaged: " + fmt.Sprintf(format, args...), Help: "copy or write the store again, or mend its " + descriptionFile}
}

func unread(what string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf(what, args...), Help: anew}
}

// anew is how others write a store that is read.
const anew = `write it anew: python3 -c "import zarr; zarr.create_array('new.zarr', data=zarr.open_array('old.zarr', mode='r')[...])"`

// layout checks a description of an array.
func (d *description) layout() (*layout, error) {
	l := &layout{shape: d.Shape}
	for _, step := range []func(*layout) error{d.elements, d.chunks, d.coding, d.filled, d.named, d.meaning, d.inUnit, d.located} {
		if err := step(l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (d *description) elements(l *layout) error {
	var name string
	if err := json.Unmarshal(d.DType, &name); err != nil {
		return unread("holds elements of the type %.60s, which is not read", d.DType)
	}
	for _, t := range element.All() {
		if t.String() == name {
			l.dtype = t
			return nil
		}
	}
	return unread("holds elements of the type %.60q, which is not read", name)
}

func (d *description) chunks(l *layout) error {
	switch {
	case len(d.Storage) > 0:
		return unread("uses storage transformers, which are not read")
	case d.Grid.Name != "regular" || d.Grid.Configuration == nil:
		return unread("has chunks by the grid %.60q; regular ones are read", d.Grid.Name)
	case len(d.Shape) > mostDims:
		return unread("has %d dimensions; up to %d are read", len(d.Shape), mostDims)
	}
	l.chunk = d.Grid.Configuration.Chunk
	if len(l.chunk) != len(d.Shape) {
		return broken("chunks of %d dimensions, of an array of %d", len(l.chunk), len(d.Shape))
	}
	size := int64(l.dtype.Size())
	for _, of := range []struct {
		shape []int
		least int
		most  int64
		what  string
	}{{l.shape, 0, math.MaxInt64, "an array"}, {l.chunk, 1, mostInChunk, "chunks"}} {
		left := of.most / size
		for _, n := range of.shape {
			if n < of.least || int64(max(n, 1)) > left {
				return broken("%s of the shape %v cannot be", of.what, element.Shape(of.shape))
			}
			left /= int64(max(n, 1))
		}
	}
	switch d.Keys.Name {
	case "default":
		l.prefix, l.between = "c", "/"
	case "v2":
		l.between = "."
	default:
		return unread("names its chunks by %.60q, which is not read", d.Keys.Name)
	}
	if c := d.Keys.Configuration; c != nil && c.Separator != "" {
		l.between = c.Separator
	}
	if l.between != "/" && l.between != "." {
		return broken("%.60q between the numbers of chunks", l.between)
	}
	return nil
}

func (d *description) coding(l *layout) error {
	if len(d.Codecs) == 0 || d.Codecs[0].Name != "bytes" {
		name := "nothing"
		if len(d.Codecs) > 0 {
			name = d.Codecs[0].Name
		}
		return unread("packs chunks by %.60s first; elements one after the other (bytes) are read, then packed by %s", name, strings.Join(packings(), ", "))
	}
	if c := d.Codecs[0].Configuration; c != nil && c.Endian != "" && l.dtype.Word() > 1 {
		if c.Endian != "little" && c.Endian != "big" {
			return broken("bytes in the order %.60q", c.Endian)
		}
		l.swapped = (c.Endian == "big") != hostBig
	} else if l.dtype.Word() > 1 {
		return broken("the order of bytes is not told")
	}
	for _, c := range slices.Backward(d.Codecs[1:]) {
		if codecs[c.Name] == nil {
			return unread("packs chunks by %.60s; %s are read", c.Name, strings.Join(packings(), ", "))
		}
		l.packed = append(l.packed, c.Name)
	}
	return nil
}

// key is the name of a chunk's file.
func (l *layout) key(at []int) string {
	parts := make([]string, 0, len(at)+1)
	if l.prefix != "" {
		parts = append(parts, l.prefix)
	}
	for _, i := range at {
		parts = append(parts, strconv.Itoa(i))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, l.between)
}

// chunkBytes is the bytes of a chunk as it is in memory: those at the edges reach beyond the array.
func (l *layout) chunkBytes() int {
	n := l.dtype.Size()
	for _, c := range l.chunk {
		n *= c
	}
	return n
}

// box is the part of the array that a chunk covers, cut at the array's edges.
func (l *layout) box(at []int) region.Region {
	r := make(region.Region, len(at))
	for d, i := range at {
		r[d] = region.Interval{Lo: i * l.chunk[d], Hi: min((i+1)*l.chunk[d], l.shape[d])}
	}
	return r
}

// over are the chunks that a part of the array lies in, as a box of their numbers.
func (l *layout) over(t region.Region) region.Region {
	r := make(region.Region, len(t))
	for d, i := range t {
		r[d] = region.Interval{Lo: i.Lo / l.chunk[d], Hi: (i.Hi + l.chunk[d] - 1) / l.chunk[d]}
	}
	return r
}
