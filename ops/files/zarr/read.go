package zarr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"weft/kernels/region"
	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// array is an array of a store that is open for reading. Links that lead out of the store are not followed.
type array struct {
	path string // as the user named the store, with the array's name if it is one of a group
	root *os.Root
	*layout
	spare sync.Pool // of *buffers: chunks are read again and again

	along   []cf.Variable // the coordinates of dims that the group has
	mapping cf.Variable   // what tells their system; nil: nothing does
}

// buffers hold a chunk on its way.
type buffers struct {
	file, chunk []byte
	zstd        *zstd.Decoder // of chunks of this array, once there was one
}

// again is what to do about chunks that are damaged.
const again = "copy or write the store again"

func openRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fileio.Error{Kind: fileio.Foreign, Reason: "is not a Zarr store: a store is a folder"}
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, fileio.Wrap(path, fileio.CannotRead, err)
	}
	return root, nil
}

// open opens the array of a store, or the one of a group that is chosen.
func open(at string, c format.Choice) (format.Input, error) {
	root, err := openRoot(at)
	if err != nil {
		return nil, err
	}
	d, err := describe(root)
	switch {
	case err != nil:
	case d.Node == "array" && c["member"] != "":
		err = &fileio.Error{Kind: fileio.NoMember, Reason: "is a single array, without a name"}
	case d.Node == "group":
		var member string
		if member, err = choose(root, c["member"]); err != nil {
			break
		}
		inner, err := root.OpenRoot(member)
		if err != nil {
			return nil, errors.Join(fileio.Wrap(at, fileio.CannotRead, err), root.Close())
		}
		d, err = describe(inner)
		a, err := opened(at+"["+member+"]", inner, d, err)
		if err == nil {
			a.beside(root, at, member, d)
		}
		return a, errors.Join(err, root.Close())
	}
	return opened(at, root, d, err)
}

// opened is an array that is described, or why it is not: then nothing stays open.
func opened(at string, root *os.Root, d *description, err error) (*array, error) {
	var l *layout
	if err == nil {
		l, err = d.layout()
	}
	if err == nil {
		err = d.lost(root.FS(), l)
	}
	if err != nil {
		return nil, errors.Join(fileio.Wrap(at, fileio.CannotRead, err), root.Close())
	}
	return &array{path: at, root: root, layout: l}, nil
}

// choose gives the name of an array of a group: the one asked for, or the only one.
func choose(root *os.Root, member string) (string, error) {
	all, err := members(root)
	names := arrays(root, all)
	switch {
	case err != nil:
		return "", err
	case strings.Contains(member, "/") && isArray(root, member), slices.Contains(all, member): // of a group within, or coordinates
		return member, nil
	case len(names) == 0:
		return "", &fileio.Error{Kind: fileio.Empty, Reason: "is a group without arrays", Help: "choose one of a group within it: member: \"GROUP/ARRAY\""}
	case member == "" && len(names) > 1:
		return "", &fileio.Error{Kind: fileio.Ambiguous, Reason: fmt.Sprintf("holds %d arrays: %v", len(names), names), Help: fmt.Sprintf("choose one: member: %q", names[0])}
	case member != "":
		return "", &fileio.Error{Kind: fileio.NoMember, Reason: fmt.Sprintf("holds no array named %.60q", member), Known: names}
	}
	return names[0], nil
}

// mostMembers bounds the folders of a group that are looked at.
const mostMembers = 4096

// members are the names of a group's arrays.
func members(root *os.Root) ([]string, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries[:min(len(entries), mostMembers)] {
		if isArray(root, e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// isArray reports whether a name in a group is that of an array, or of one that is damaged: who reads it is told.
func isArray(root *os.Root, name string) bool {
	inner, err := root.OpenRoot(name)
	if err != nil {
		return false // a file, or a link that leads out of the store
	}
	defer inner.Close()
	d, err := describe(inner)
	var e *fileio.Error
	return err == nil && d.Node == "array" || errors.As(err, &e) && e.Kind != fileio.Foreign
}

// list tells the arrays of a group of several.
func list(at string, _ format.Choice) ([]format.Part, error) {
	root, err := openRoot(at)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	d, err := describe(root)
	if err != nil || d.Node != "group" {
		return nil, err
	}
	names, err := members(root)
	if names = arrays(root, names); err != nil || len(names) < 2 {
		return nil, err
	}
	parts := make([]format.Part, len(names))
	for i, name := range names {
		parts[i].Name = name
		in, err := open(at, format.Choice{"member": name})
		var e *fileio.Error
		switch {
		case errors.As(err, &e):
			parts[i].Not = e.Reason
			continue
		case err != nil:
			return nil, err
		}
		about := in.About()
		for k := range about.Shape {
			dim := fmt.Sprintf("axis%d", k)
			if about.Names != nil {
				dim = about.Names[k]
			}
			parts[i].Dims = append(parts[i].Dims, dim)
		}
		if err := in.Close(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Close ends reading.
func (a *array) Close() error { return a.root.Close() }

// About tells of the array. What no chunk holds may be marked by NaN.
func (a *array) About() format.About {
	about := format.About{DType: a.dtype, Shape: a.shape, Names: a.names, Unit: a.unit, Doubts: a.doubts, Scale: a.scale, Offset: a.offset, Gaps: a.missing.Any(),
		NaNIsMissing: a.missing.Any() || a.dtype.Float() && a.fillsNaN(), Band: 1}
	if len(a.chunk) > 0 {
		about.Band = a.chunk[0]
	}
	if !a.byRows() {
		about.Chunk, about.Scratch = a.chunk, a.scratch
	}
	return about
}

func (a *array) fillsNaN() bool {
	one := words.Bytes(len(a.fill))
	copy(one, a.fill)
	if a.swapped {
		words.Swap(one, a.dtype.Word())
	}
	v := words.Bytes(8)
	convert, err := element.Converter(a.dtype, element.Float64)
	return err == nil && convert(v, one) < 0 && words.View[float64](v)[0] != words.View[float64](v)[0]
}

// scratch is a chunk for each processor, and what it is unpacked from.
func (a *array) scratch(region.Region) int64 {
	n := a.chunkBytes()
	if a.fileBytes() < 0 {
		n += a.mostBytes()
	}
	return int64(runtime.GOMAXPROCS(0)) * int64(n+1<<16)
}

// Read reads a part, chunk by chunk. Chunks that are packed are unpacked as a whole.
func (a *array) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	return a.explain(a.read(dst, tile.Layout{DType: as, RowStride: stride}, t))
}

func (a *array) explain(err error) error {
	if err == nil {
		return nil
	}
	return fileio.Wrap(a.path, fileio.CannotRead, err)
}

func (a *array) read(dst []byte, as tile.Layout, t region.Region) error {
	if err := tile.Inside(t, a.shape); err != nil {
		return err
	}
	p, err := tile.NewPlacer(dst, as, t, a.dtype, a.swapped)
	if err != nil || t.Empty() {
		return err
	}
	p.Blank(a.missing)
	if a.byRows() {
		for at := range a.over(t).Indices() {
			if err := a.readRows(p, at, t); err != nil {
				return err
			}
		}
		return nil
	}
	b, _ := a.spare.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	defer a.spare.Put(b)
	size := a.dtype.Size()
	for at := range a.over(t).Indices() {
		data, err := a.chunkAt(at, b)
		if err != nil {
			return err
		}
		for row := range tile.Pieces(a.box(at).Intersect(t), a.chunk, t) {
			if data == nil {
				err = a.fillIn(p, row)
			} else {
				err = p.Place(row.There, data[row.Here*size:(row.Here+row.N)*size])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fillIn gives elements that no chunk holds their value.
func (a *array) fillIn(p *tile.Placer, row tile.Piece) error {
	return p.Fill(tile.Run{InTile: row.There, N: row.N}, func(part []byte, _ int) error { repeated(part, a.fill); return nil })
}

// leastRow is what a row of a chunk has at least that is read by itself.
const leastRow = 4 << 10

// byRows reports chunks of which rows are read by themselves, from where they lie in the file: they are long, and nothing is packed.
func (a *array) byRows() bool {
	last := len(a.chunk) - 1
	return len(a.packed) == 0 && last >= 0 && a.chunk[last]*a.dtype.Size() >= leastRow
}

// readRows reads what lies both in a chunk and in a part, row by row.
func (a *array) readRows(p *tile.Placer, at []int, t region.Region) error {
	name, whole := a.key(at), a.chunkBytes()
	f, n, err := openPart(a.root, name, int64(whole))
	there, err := a.there(err)
	if err != nil {
		return err
	}
	if there {
		defer f.Close()
		if int(n) < whole {
			return truncated(name, int(n), whole)
		}
	}
	size := a.dtype.Size()
	for row := range tile.Pieces(a.box(at).Intersect(t), a.chunk, t) {
		if !there {
			err = a.fillIn(p, row)
		} else {
			err = p.Fill(tile.Run{InTile: row.There, N: row.N}, func(part []byte, from int) error {
				n, err := f.ReadAt(part, int64((row.Here+from)*size))
				if n == len(part) || !errors.Is(err, io.EOF) {
					return err
				}
				return truncated(name, (row.Here+from)*size+n, whole) // since it was opened
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// there tells a chunk that was never written from one that cannot be read.
func (a *array) there(err error) (bool, error) {
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	if _, gone := a.root.Stat(descriptionFile); gone != nil {
		return false, &fileio.Error{Reason: "was replaced or removed while it was read", Help: "run it again", Err: gone}
	}
	return false, nil
}

func truncated(name string, n, right int) error {
	return &fileio.Error{Kind: fileio.Cut, Reason: fmt.Sprintf("is truncated: chunk %s holds %d bytes, and %d are right", name, n, right), Help: again}
}

// fileBytes is the size of the file of a chunk where all have the same, or -1.
func (a *array) fileBytes() int {
	for _, codec := range a.packed {
		if codec != sum {
			return -1
		}
	}
	return a.chunkBytes() + sumBytes*len(a.packed)
}

// mostBytes is what the file of a chunk has at most: what cannot be packed grows a little.
func (a *array) mostBytes() int {
	if n := a.fileBytes(); n >= 0 {
		return n
	}
	n := a.chunkBytes()
	return n + n/8 + 1<<12
}

// chunkAt is the elements of a chunk as they are in the file; nil: there is none.
func (a *array) chunkAt(at []int, b *buffers) (data []byte, err error) {
	name, whole, most := a.key(at), a.chunkBytes(), a.mostBytes()
	b.file, err = readAll(a.root, name, int64(most), b.file)
	if there, err := a.there(err); !there {
		return nil, err
	}
	data = b.file
	if right := a.fileBytes(); right >= 0 && len(data) < right {
		return nil, truncated(name, len(data), right)
	}
	for i, codec := range a.packed {
		room := most
		if i == len(a.packed)-1 {
			room = whole
		}
		if data, err = codecs[codec](data, room, b); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, &fileio.Error{Kind: fileio.Cut, Reason: fmt.Sprintf("is truncated: chunk %s ends before it is unpacked by %s", name, codec), Help: again, Err: err}
			}
			return nil, &fileio.Error{Reason: fmt.Sprintf("is damaged: chunk %s cannot be unpacked by %s: %v", name, codec, err), Help: again, Err: err}
		}
	}
	if len(data) != whole {
		kind, what := fileio.Cut, "is truncated"
		if len(data) > whole {
			kind, what = fileio.Overlong, "is damaged"
		}
		return nil, &fileio.Error{Kind: kind, Reason: fmt.Sprintf("%s: chunk %s holds %d bytes, and %d are right", what, name, len(data), whole), Help: again}
	}
	if !words.Aligned(data, a.dtype.Size()) {
		b.chunk = append(words.Resized(b.chunk, whole)[:0], data...)
		data = b.chunk
	}
	return data, nil
}
