package files

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/aside"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// tileReader reads a file part by part.
type tileReader struct {
	in     input
	call   *ops.Call
	odd    oddities
	t      ops.Type // of the array as a whole
	rows   []int    // its elements, if they were looked up as starts of rows
	within *span    // where they lie, if that was looked up
}

// open opens the file for an array of a type, which may be in pairs.
func (r *reading) open(t ops.Type) (*tileReader, error) {
	in, err := open(r.Call)
	if err != nil {
		return nil, err
	}
	whole := t.Shape()
	if r.Pairs(0) && !t.Elem.Complex {
		whole = whole[:len(whole)-1]
	}
	if is := in.Shape; !slices.Equal(is, whole) {
		changed := problem.Wrong(problem.InputChanged, "path", "run again", "%s has become %v since it was checked, from %v", r.Text("path"), element.Shape(is), element.Shape(whole))
		return nil, errors.Join(changed, in.Close())
	}
	return &tileReader{in: in, call: r.Call, t: t, rows: r.rows, within: r.within}, nil
}

// Read fills to with a part of the array.
func (r *tileReader) Read(ctx context.Context, at region.Region, to ops.HostArray) error {
	whole := r.t
	if len(at) > len(whole.Dims) {
		whole = whole.InPairs()
	}
	before := r.odd.begin(at, whole)
	err := r.in.bands(ctx, at, func(band region.Region) error {
		part := to
		if len(at) > 0 {
			part = to.Sub(to.Type.Rows(band[0].Shift(-at[0].Lo)))
		}
		if err := fill(ctx, r.in, part, band); err != nil {
			return failure(err, false)
		}
		if err := r.inside(part); err != nil {
			return err
		}
		return r.odd.add(ctx, part, band, whole, before)
	})
	if err != nil {
		return err
	}
	return r.same(at, to)
}

// bands calls do for bands of rows of a part, several at once where rows lie together. The error is that of the first one that has any.
func (in input) bands(ctx context.Context, at region.Region, do func(band region.Region) error) error {
	if len(at) == 0 || in.Band >= in.Shape[0] {
		return do(at)
	}
	var todo []region.Region
	for lo, hi := at[0].Lo, 0; lo < at[0].Hi; lo = hi {
		hi = min((lo/in.Band+1)*in.Band, at[0].Hi)
		todo = append(todo, at.Along(0, region.Interval{Lo: lo, Hi: hi}))
	}
	if in.Whole {
		for _, band := range todo {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(band); err != nil {
				return err
			}
		}
		return nil
	}
	return aside.Each(ctx, len(todo), func(i int) error { return do(todo[i]) })
}

// same checks that starts of rows are what they were when they were looked up: what is read of other files follows from them.
func (r *tileReader) same(at region.Region, to ops.HostArray) error {
	if r.rows == nil {
		return nil
	}
	i := at[0].Lo
	for part := range to.Parts[0].Values() {
		for _, v := range part {
			if int(v) != r.rows[i] {
				return problem.Wrong(problem.InputChanged, "path", "run again", "element %d of %s has become %.0f since it was checked, from %d", i, r.call.Text("path"), v, r.rows[i])
			}
			i++
		}
	}
	return nil
}

// mostStarts bounds the elements that are kept as starts of rows.
const mostStarts = 1 << 24

// Starts reads a line of whole numbers and keeps it, if they never fall.
func (r *reading) Starts(int) []int {
	t := r.Gives[0].Type
	if r.looked || len(t.Dims) != 1 || t.Len() > mostStarts || !t.Elem.Base.Int() || t.Elem.Complex || !t.Unit.Plain() {
		return r.rows
	}
	r.looked = true
	h := ops.NewHostArray(t)
	if _, err := r.Fill(context.Background(), h); err != nil { // which the run reports
		return nil
	}
	rows := make([]int, 0, t.Len())
	for part := range h.Parts[0].Values() {
		for _, v := range part {
			if n := len(rows); n > 0 && int(v) < rows[n-1] {
				return nil
			}
			rows = append(rows, int(v))
		}
	}
	r.rows = rows
	return rows
}

// Close ends reading and warns of values that are not finite. In a raster NaN marks what is missing, as a matter of course.
func (r *tileReader) Close(context.Context) (ops.Note, error) {
	note := ops.Note{Bytes: r.in.bytes(), Text: fmt.Sprintf("read %s: %s", r.call.Text("path"), r.t)}
	if !r.in.NaNIsMissing || r.odd.all > r.odd.nan {
		note.Warnings = r.odd.warnings(r.call, r.t)
	}
	for _, doubt := range r.in.Doubts {
		if doubt.Code == problem.UnknownUnit && r.call.Has("unit") { // which says it
			continue
		}
		doubt.Message, doubt.Warning = r.call.Text("path")+": "+doubt.Message, true
		note.Warnings = append(note.Warnings, doubt)
	}
	return note, failure(r.in.Close(), false)
}

// Fits says why a use cannot read rows of its file alone.
func (r *reading) Fits() error {
	if r.about.Whole {
		return fmt.Errorf("%s is read as a whole: its rows do not lie together", r.Text("path"))
	}
	return nil
}

// little is next to nothing, of memory.
const little = 1 << 20

// Scratch is what the format takes.
func (r *reading) Scratch(at region.Region) int64 {
	if r.about.Scratch == nil {
		return little
	}
	return r.about.Scratch(at)
}

// Chunk is the file's.
func (r *reading) Chunk() []int { return r.about.Chunk }

// Moves is the file's.
func (r *reading) Moves(at region.Region) int64 { return r.about.Moves(at) }

// fill reads a part of a file into memory: as it is where the layout allows it, otherwise by blocks.
func fill(ctx context.Context, in input, h ops.HostArray, t region.Region) error {
	unit := h.Type.Unit
	first := h.Parts[0]
	base := ops.ElemType{Base: first.Buf.Type, Complex: in.pairs(t) || h.Type.Elem.Complex}
	as, _ := format.DTypeOf(base)
	plain := unit.SI() == 1 && unit.Offset == 0 && in.Scale == 0 && in.reads(base)
	if plain && !h.Type.Elem.Complex {
		stride := 0
		if len(h.Type.Dims) > 0 && !base.Complex { // pairs lie without margins
			stride = first.Stride()
		}
		return in.Read(first.Data[first.Offset():], as, stride, t[:len(in.Shape)])
	}
	for from, part := range blocks(h.Type.Shape()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range part {
			part[i] = part[i].Shift(t[i].Lo)
		}
		if plain {
			n := int(part.Points()) * base.Size()
			pairs := bytesOf(make([]complex128, (n+15)/16))[:n] // aligned for both types
			if err := in.Read(pairs, as, 0, part); err != nil {
				return err
			}
			h.StorePairs(from, pairs)
			continue
		}
		if err := fillBlock(in, h, from, part); err != nil {
			return err
		}
	}
	return nil
}

// pairs reports a part of a complex file that is to be stored in pairs.
func (in input) pairs(t region.Region) bool { return len(t) > len(in.Shape) }

// fillBlock reads one tile, which begins at element from of h, through float64.
func fillBlock(in input, h ops.HostArray, from int, t region.Region) error {
	inPairs := in.pairs(t)
	t = t[:len(in.Shape)]
	n := t.Points()
	unit := h.Type.Unit
	if !h.Type.Elem.Complex && !inPairs {
		values := make([]float64, n)
		if err := in.Read(bytesOf(values), element.Float64, 0, t); err != nil {
			return err
		}
		if in.Scale != 0 {
			stretch(values, in.Scale, in.Offset)
		}
		stretch(values, unit.SI(), unit.Offset)
		h.Parts[0].Store(from, values)
		return nil
	}
	pairs := make([]complex128, n)
	if err := in.Read(bytesOf(pairs), element.Complex128, 0, t); err != nil {
		return err
	}
	re, im := make([]float64, n), make([]float64, n)
	for i, v := range pairs {
		re[i], im[i] = real(v), imag(v)
	}
	for i, part := range [][]float64{re, im} {
		stretch(part, unit.SI(), unit.Offset*float64(1-i))
	}
	if inPairs {
		both := make([]float64, 0, 2*n)
		for i := range re {
			both = append(both, re[i], im[i])
		}
		h.Parts[0].Store(from, both)
		return nil
	}
	for i, part := range [][]float64{re, im} {
		h.Parts[i].Store(from, part)
	}
	return nil
}

// inside checks that whole numbers lie where they did when that was looked up: kernels go without guards by it.
func (r *tileReader) inside(part ops.HostArray) error {
	if r.within == nil {
		return nil
	}
	if is := extremes(part); is.lo < r.within.lo || is.hi > r.within.hi {
		return problem.Wrong(problem.InputChanged, "path", "run again", "elements of %s lie from %.0f to %.0f, and lay from %.0f to %.0f when it was checked",
			r.call.Text("path"), is.lo, is.hi, r.within.lo, r.within.hi)
	}
	return nil
}

// Within tells where whole numbers lie, if Range looked.
func (r *reading) Within(int) (lo, hi float64, ok bool) {
	if r.within == nil {
		return 0, 0, false
	}
	return r.within.lo, r.within.hi, true
}

// ranges remembers what scans of files found, while they stay as they are.
var ranges sync.Map // of rangeKey to span

type rangeKey struct {
	path, member, as string
	unit             string
	bytes, changed   int64
}

// Range reads a whole file for its least and largest finite value.
func (r *reading) Range(int) (lo, hi float64, err error) {
	bytes, changed, err := fileio.Stamp(r.Text("path"))
	if err != nil {
		return 0, 0, err
	}
	t := r.Gives[0].Type
	key := rangeKey{r.Text("path"), r.Text("member"), t.Elem.String(), t.Unit.String(), bytes, changed}
	defer func() {
		if err == nil && t.Elem.Base.Int() {
			r.within = &span{lo, hi}
		}
	}()
	if known, ok := ranges.Load(key); ok {
		return known.(span).lo, known.(span).hi, nil
	}
	if t.Elem.Complex || len(t.Dims) == 0 {
		return 0, 0, fmt.Errorf("%s has no range", t)
	}
	in, err := open(r.Call)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	s, err := scan(in, t)
	if err == nil {
		ranges.Store(key, s)
	}
	return s.lo, s.hi, err
}

// scan finds the least and the largest finite value of a file.
func scan(in input, t ops.Type) (span, error) {
	all := span{math.Inf(1), math.Inf(-1)}
	var mu sync.Mutex
	var bands sync.Pool // memory of bands: files are larger than what may be left to be collected
	err := in.bands(context.Background(), t.Whole(), func(band region.Region) error {
		h, ok := bands.Get().(*ops.HostArray)
		if is := t.Sub(band); !ok || !slices.Equal(h.Type.Shape(), is.Shape()) {
			made := ops.NewHostArray(is)
			h = &made
		}
		defer bands.Put(h)
		part, err := scanBand(in, *h, band)
		mu.Lock()
		defer mu.Unlock()
		all = all.and(part)
		return err
	})
	return all, err
}

// scanBand is scan for a band, which it reads into h.
func scanBand(in input, h ops.HostArray, at region.Region) (span, error) {
	if err := fill(context.Background(), in, h, at); err != nil {
		return span{}, err
	}
	return extremes(h), nil
}
