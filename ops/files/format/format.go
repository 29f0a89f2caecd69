// Package format says what a kind of file can do for read and write, and does what all kinds need. Each kind is a package of its own
// that makes a Format; the list of them is in package files.
package format

import (
	"cmp"
	"context"
	"io"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/problem"
)

// Format is a kind of file. What it cannot do is nil.
type Format struct {
	Name    string   // as people say it: NPY
	Endings []string // of the names of its files, the usual one first
	Reads   string   // what reading one gives, and what is written: sentences of the manual
	Writes  string

	// Open opens the array in a file, or the one chosen where files hold several.
	Open func(path string, c Choice) (Input, error)
	// Choices are the arguments of read that choose one. List tells which arrays there are where a file is read as a record of them; nil: as an array.
	Choices []string
	List    func(path string, c Choice) ([]Part, error)
	// Places are what the first of the choices may be, of files that are several in one; nil: they are one.
	Places func(path string) ([]string, error)

	// Holds says whether files can have elements of a type; nil: they hold no numbers.
	Holds func(element.DType) bool
	// Takes are the arguments of write, beside array, path and unit, that mean something for it.
	Takes []string
	// Check finds what no such file can hold, beside elements of a type that it has not.
	Check func(Order) error
	// Doubts are warnings of what a file will not say; nil: none.
	Doubts func(Order) error
	// Create starts a file that is written part by part: so that a later run can go on where this one stopped, if it is to be
	// resumable, behind the marks that Sync gave, if there are any.
	Create func(o Order, resumable bool, marks []ops.Mark) (Output, error)
	// Write writes a file as a whole, where Create is nil.
	Write func(context.Context, Order, ops.HostArray) error
	// WriteRecord writes a record of arrays, if CheckRecord finds nothing; nil: files hold one array.
	WriteRecord func(ctx context.Context, path string, of []Named) error
	CheckRecord func(of []Named) error
	Texts       bool // records may hold texts and numbers
	// Scratch is the bytes of memory that writing parts as wide as a region takes; nil: next to nothing.
	Scratch func(o Order, at region.Region) int64
	Chunk   func(o Order) []int // extents of what is written together; nil: elements that follow each other

	// Folder says why a folder is none of them, where they are folders; nil: they are files.
	Folder func(path string) error

	// Provenance is the text that Annotate put into a file; nil: there is no room for it.
	Provenance func(path string) (string, error)
}

// Order is a file to be written.
type Order struct {
	Path  string
	Call  *ops.Call // of write
	Type  ops.Type  // of the array
	Elem  ops.ElemType
	DType element.DType   // what Elem is in the file
	Unit  ops.Unit        // of the numbers in the file
	Other []ops.HostArray // further arrays that Call names
	// Nodata is the number in the file that stands for missing elements, which are NaN in memory, if the file is to have one.
	Nodata *float64
}

// Choice is what was given for the arguments of read that choose among the arrays of a file, by their names.
type Choice map[string]string

// Part is one of the arrays in a file.
type Part struct {
	Name string
	Dims []string // names of its dims that are used without others
	Not  string   // why it cannot be read: "holds texts"; empty: it can
	Text *string  // what it says, where it is a text and no array
}

// Named is a part of a record that is written. What is known before it is computed is its order.
type Named struct {
	Name   string
	Order  Order
	Array  ops.HostArray
	Kept   io.Reader // in place of an array in memory: its elements as the file has them, but in this machine's byte order; it is read once
	Text   *string   // in place of an array
	Number *float64  // likewise, in the unit that it is shown in
}

// Encode writes all elements of an array in C order, in the file's type and the machine's byte order.
func (n Named) Encode(ctx context.Context, to io.Writer) error {
	if n.Kept == nil {
		return Encode(ctx, to, n.Order, n.Array)
	}
	block := make([]byte, 1<<18)
	for {
		k, err := n.Kept.Read(block)
		if _, wrong := to.Write(block[:k]); wrong != nil {
			return wrong
		}
		if err == io.EOF {
			return nil
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// Streams gives the elements of arrays as Encode writes them, so that rows of all can be read in turn, until stop is called.
func Streams(ctx context.Context, of []Named) (readers []io.Reader, stop func()) {
	var encoders sync.WaitGroup
	var out []*io.PipeReader
	for _, n := range of {
		r, w := io.Pipe()
		out, readers = append(out, r), append(readers, r)
		encoders.Go(func() { w.CloseWithError(n.Encode(ctx, w)) })
	}
	return readers, func() {
		for _, r := range out {
			r.Close()
		}
		encoders.Wait()
	}
}

// Input is an array in an open file. Parts of it may be read concurrently. An Input that is a Placer gives coordinates.
type Input interface {
	About() About
	// Read fills dst with a part of the array in C order, NaN where elements are missing and dst holds floats: elements of a type,
	// rows stride bytes apart, or without padding where stride is 0.
	Read(dst []byte, as element.DType, stride int, t region.Region) error
	Close() error
}

// About is what is known of an array in a file without reading it.
type About struct {
	DType element.DType
	Shape []int
	Names []string                 // of the dims, where the format says
	Unit  ops.Unit                 // of the elements, where the format says
	Gives func(element.DType) bool // element types that it can be read as, if Conversion allows; nil: all

	Scale, Offset float64  // elements stand for Scale v + Offset; a Scale of 0: for themselves
	Gaps          bool     // elements may be marked as missing
	Nodata        *float64 // the number in the file that marks them, if it is one
	NaNIsMissing  bool     // NaN is no mistake

	Doubts []problem.Problem // what should be known of what is read

	Whole   bool                         // rows do not lie together, so that they are not read alone
	Band    int                          // rows that are read together with least effort
	Chunk   []int                        // extents of what can only be read together; nil: elements that follow each other
	Scratch func(at region.Region) int64 // bytes of memory that reading parts as wide as a region takes; nil: next to nothing
}

// Moves is the bytes of the elements of a part, and of all that can only be read together with them.
func (a About) Moves(at region.Region) int64 {
	return ops.Together(at[:min(len(at), len(a.Shape))], a.Chunk) * int64(a.DType.Size())
}

// Placer gives the dims of an array their coordinates, and says what is wrong with them: as warnings, where it can be read all the same.
type Placer interface {
	Place(c *ops.Call, dims []ops.Dim) (warnings, err error)
}

// Output is a file that is being written, part by part. It ends in one of Commit, Suspend and Abort. One that is a MemoryWriter takes
// parts as they are in memory, one that is an Annotator says where it comes from.
type Output interface {
	// Part takes the elements of a region in C order, in the file's type and this machine's byte order. It is closed before the next one.
	Part(at region.Region) io.WriteCloser
	// Rename says that the file is to have another name in its folder.
	Rename(path string) error
	// Commit gives the file its name. With durable set it first waits until all is on the disk.
	Commit(durable bool) error
	Abort() error

	// Mark, Sync and Suspend are those of ops.TileSink, for files created to be resumed.
	Mark() (ops.Mark, error)
	Sync() error
	Suspend() error
}

// MemoryWriter takes a region whose elements are of the file's type, rows stride bytes apart.
type MemoryWriter interface {
	WriteMemory(ctx context.Context, src []byte, stride int, at region.Region) error
}

// Annotator keeps a text in its file.
type Annotator interface {
	Annotate(software, text string)
}
