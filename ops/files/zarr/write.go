package zarr

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
)

const cannotWrite = "cannot write"

// writer writes a store by parts, which may be given in any order.
type writer struct {
	folder *fileio.PendingFolder
	*layout
	attributes attributes
	about      attributes // of the store as a whole
	beside     *group     // nil: the store is the array alone
	missing    int64      // elements that have not come

	mu     sync.Mutex
	todo   map[string]int64 // elements that have not come, of chunks of which some have
	data   []byte           // of a chunk, with room for a checksum behind it
	unused *unused          // of whole numbers on the map
	fresh  region.Region    // written and not yet marked
}

// target is the bytes that chunks have, about: large enough for disks, small enough for a few rows of them to be in memory.
const target = 4 << 20

// mostAlong is how far a chunk reaches along the last dim of several, so that chunks of matrices are square.
const mostAlong = 1024

// chunkOf is the shape of the chunks of an array.
func chunkOf(shape []int, d element.DType) []int {
	chunk := make([]int, len(shape))
	left := target / d.Size()
	for i := len(shape) - 1; i >= 0; i-- {
		most := left
		if i == len(shape)-1 && i > 0 {
			most = min(left, mostAlong)
		}
		chunk[i] = even(max(1, shape[i]), most)
		left = max(1, left/chunk[i])
	}
	return chunk
}

// even is a part of an extent, at most so much, of which a whole number cover it with little to spare.
func even(extent, most int) int {
	if extent <= most {
		return extent
	}
	const step = 16
	n := (extent + most - 1) / most
	return min(most, ((extent+n-1)/n+step-1)/step*step)
}

func layoutOf(o format.Order) *layout {
	shape := append([]int{}, o.Type.Shape()...)
	l := &layout{dtype: o.DType, shape: shape, chunk: chunkOf(shape, o.DType), prefix: "c", between: "/"}
	for _, d := range o.Type.Dims {
		l.names = append(l.names, d.Name)
	}
	return l
}

// description is what zarr.json says.
func (l *layout) description(of attributes) ([]byte, error) {
	endian := &configuration{Endian: "little"}
	if hostBig {
		endian.Endian = "big"
	}
	if l.dtype.Word() == 1 {
		endian = nil
	}
	class := l.dtype.Class()
	fill := map[element.Class]string{element.Truth: "false", element.Complex: "[0.0, 0.0]", element.Floating: "0.0"}[class]
	last := extension{sum, nil}
	if l.shared {
		fill = cmp.Or(map[element.Class]string{element.Complex: `["NaN", "NaN"]`, element.Floating: `"NaN"`}[class], fill)
		last = extension{"gzip", &configuration{Level: gzipLevel}}
	}
	d := description{Format: 3, Node: "array", Shape: l.shape, DType: json.RawMessage(fmt.Sprintf("%q", l.dtype)),
		Grid: extension{"regular", &configuration{Chunk: l.chunk}}, Keys: extension{"default", &configuration{Separator: "/"}}, Fill: json.RawMessage(cmp.Or(fill, l.free, "0")),
		Codecs: []extension{{"bytes", endian}, last}, Attributes: of}
	for i := range l.names {
		d.Names = append(d.Names, &l.names[i])
	}
	return json.MarshalIndent(d, "", "  ")
}

// create starts a store, or takes one up of which some parts are there already.
func create(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	begin := fileio.CreateFolder
	switch {
	case resumable && len(marks) == 0:
		begin = fileio.CreateFolderResumable
	case resumable:
		begin = fileio.ResumeFolder
	}
	beside, of, err := groupOf(o)
	if err != nil {
		return nil, fileio.Wrap(o.Path, cannotWrite, err)
	}
	w := &writer{layout: layoutOf(o), attributes: of, about: of, beside: beside}
	if beside != nil {
		w.about = attributes{}
		w.prefix = path.Join(beside.name, w.prefix)
	}
	if !o.Unit.Plain() {
		w.attributes.set("units", o.Unit.String())
	}
	if w.geo, err = w.attributes.place(o.Type.Dims); err != nil {
		return nil, fileio.Wrap(o.Path, cannotWrite, err)
	}
	w.shared = w.geo != nil
	w.begun(marks)
	folder, err := begin(o.Path, isStore)
	if err != nil {
		return nil, err
	}
	w.folder = folder
	if w.shared && whole(w.dtype) {
		w.unused = newUnused(w.dtype)
		err = w.again(marks)
	}
	if err != nil {
		return nil, errors.Join(fileio.Wrap(o.Path, cannotWrite, err), folder.Suspend())
	}
	return w, nil
}

// isStore says why a folder is no store of an array, and so is not replaced by one.
func isStore(at string) error {
	root, err := openRoot(at)
	if err != nil {
		return err
	}
	d, err := describe(root)
	if err == nil && d.Node != "array" {
		err = alone(root)
	}
	return errors.Join(err, root.Close())
}

// Annotate notes where the array comes from.
func (w *writer) Annotate(software, text string) {
	w.about.set("software", software)
	w.about.set("provenance", text)
}

// provenance is what Annotate noted.
func provenance(at string) (string, error) {
	root, err := openRoot(at)
	if err != nil {
		return "", err
	}
	defer root.Close()
	d, err := describe(root)
	if err != nil {
		return "", fileio.Wrap(at, fileio.CannotRead, err)
	}
	text, _ := d.Attributes.text("provenance")
	return text, nil
}

// Commit gives the store its name, once every element was written.
func (w *writer) Commit(durable bool) error {
	err := error(nil)
	if w.missing != 0 || len(w.todo) > 0 {
		err = fmt.Errorf("%d elements were not written, and %d chunks not in full", w.missing, len(w.todo))
	}
	if w.unused != nil {
		w.free = w.unused.text()
	}
	var text []byte
	if err == nil && w.shared {
		err = w.folder.Remove(raws)
	}
	if err == nil {
		err = w.leaveOut()
	}
	if err == nil {
		text, err = w.description(w.attributes)
	}
	if err == nil && w.beside != nil {
		err = w.beside.write(w.folder, text, w.about)
	}
	if err == nil {
		err = w.folder.WriteFile(w.described(), append(text, '\n'))
	}
	if err != nil {
		return errors.Join(fileio.Wrap(w.folder.Path(), cannotWrite, err), w.folder.Leave())
	}
	return w.folder.Commit(durable)
}

// described is the file that describes the array.
func (w *writer) described() string {
	if w.beside == nil {
		return descriptionFile
	}
	return path.Join(w.beside.name, descriptionFile)
}

// Rename says that the store is to have another name in its folder.
func (w *writer) Rename(to string) error { return w.folder.Rename(to) }

// Suspend leaves the store for a later run.
func (w *writer) Suspend() error { return w.folder.Suspend() }

// Abort removes what was written.
func (w *writer) Abort() error { return w.folder.Abort() }
