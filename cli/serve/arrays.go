package serve

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/runtime/notebook"
)

// array is an array as requests and replies have it: elements in C order in shared memory, in the machine's byte order.
type array struct {
	Type   string `json:"dtype"` // NumPy's name: float32
	Dims   []dim  `json:"dims"`
	Unit   string `json:"unit,omitempty"` // of the numbers
	Path   string `json:"path"`           // of the memory
	Offset int    `json:"offset"`         // bytes before the first element
}

type dim struct {
	Name   string    `json:"name"`
	Size   int       `json:"size"`
	Coords []float64 `json:"coords,omitempty"` // in Unit
	Unit   string    `json:"unit,omitempty"`
}

// margin is the bytes around the elements of an array that is given, so that it can be read where it lies.
const margin = device.Margin * 16

// input is an array that a client shares, as a value, and the memory that it lies in, if it is stored as weft stores such arrays. open maps the client's
// memory.
func (a array) input(name string, open func(path string) (*memory, error)) (ops.Array, *memory, error) {
	wrong := func(format string, v ...any) (ops.Array, *memory, error) {
		return ops.Array{}, nil, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, v...))
	}
	i := slices.IndexFunc(element.All(), func(d element.DType) bool { return d.String() == a.Type })
	if i < 0 {
		return wrong("no arrays of %s: give one of %v", a.Type, element.All())
	}
	dtype := element.All()[i]
	if a.Offset < 0 {
		return wrong("it begins at %d bytes", a.Offset)
	}
	unit, err := ops.ParseUnit(a.Unit)
	if err != nil {
		return wrong("%v; give it in another, or without (unit=\"\" in Python)", err)
	}
	t := ops.Type{Elem: format.ElemOf(dtype), Unit: unit}
	bytes := dtype.Size()
	for k, d := range a.Dims {
		u, err := ops.ParseUnit(d.Unit)
		switch {
		case err != nil:
			return wrong("coordinates of %s: %v; give them in another unit (coord_units={%q: ...} in Python)", d.Name, err, d.Name)
		case d.Size <= 0:
			return wrong("it has no elements along %s", d.Name)
		case slices.ContainsFunc(a.Dims[:k], func(e dim) bool { return e.Name == d.Name }):
			return wrong("two dimensions are named %s", d.Name)
		case d.Coords != nil && len(d.Coords) != d.Size:
			return wrong("%d coordinates along %s, which has %d elements", len(d.Coords), d.Name, d.Size)
		case bytes > math.MaxInt/2/d.Size:
			return wrong("it is larger than memory can be")
		}
		bytes *= d.Size
		into := ops.Dim{Name: d.Name, Size: d.Size, Unit: u}
		for _, v := range d.Coords {
			into.Coords = append(into.Coords, v*u.SI()+u.Offset)
		}
		t.Dims = append(t.Dims, into)
	}
	m, err := open(a.Path)
	switch {
	case err != nil:
		return wrong("%v", err)
	case bytes <= 0 || a.Offset > len(m.data)-bytes:
		return wrong("%s has %d bytes, and %d from byte %d on are to be read", a.Path, len(m.data), bytes, a.Offset)
	}
	padded := a.Offset >= margin && a.Offset%64 == 0 && len(m.data)-bytes-a.Offset >= margin
	h, copied := held(t, dtype, m.data[a.Offset:a.Offset+bytes], padded)
	if copied {
		m = nil
	}
	return notebook.Given(name, h), m, nil
}

// held is an array of elements in memory, with margins that may be read or without. copied reports that it is one of its own: complex numbers are
// stored apart, and numbers in SI units.
func held(t ops.Type, from element.DType, data []byte, padded bool) (h ops.HostArray, copied bool) {
	scaled := t.Unit.SI() != 1 || t.Unit.Offset != 0
	if base := from != element.Uint64 && !t.Elem.Complex; base && !scaled && padded {
		h.Type = t
		for _, b := range t.Buffers("") {
			h.Parts = append(h.Parts, ops.HostPart{Buf: b, Data: data})
		}
		return h, false
	}
	if scaled && !t.Elem.Base.Float() {
		t.Elem.Base = ops.Inexact(t.Elem.Base)
	}
	h = ops.NewHostArray(t)
	format.Decode(h, t.Unit, from, data)
	return h, true
}

// output copies an array to shared memory, in its unit. room gives so many bytes of it.
func output(ctx context.Context, h ops.HostArray, room func(bytes int) (*memory, error)) (array, error) {
	t := h.Type
	if _, known := format.DTypeOf(t.Elem); !known {
		t.Elem.Base = ops.F32.Base // as wide as bf16 and more exact
	}
	dtype, _ := format.DTypeOf(t.Elem)
	a := array{Type: dtype.String(), Dims: []dim{}, Unit: t.Unit.String()}
	for _, d := range t.Dims {
		into := dim{Name: d.Name, Size: d.Size, Unit: d.Unit.String()}
		for _, v := range d.Coords {
			into.Coords = append(into.Coords, format.Shown(v, d.Unit))
		}
		a.Dims = append(a.Dims, into)
	}
	m, err := room(max(1, t.Len()*dtype.Size()))
	if err != nil {
		return a, err
	}
	a.Path = m.path
	p := h.Parts[0]
	if plain := !t.Elem.Complex && p.Buf.Type == t.Elem.Base && t.Unit.SI() == 1 && t.Unit.Offset == 0 && p.Buf.Pad.Before+p.Buf.Pad.After == 0; plain {
		format.InParallel(t.Len()*dtype.Size(), func(lo, hi int) { copy(m.data[lo:hi], p.Data[lo:hi]) })
		return a, nil
	}
	order := format.Order{Type: h.Type, Elem: t.Elem, DType: dtype, Unit: t.Unit}
	return a, format.Encode(ctx, &filling{m.data}, order, h)
}

// filling writes to memory that has room.
type filling struct{ left []byte }

func (f *filling) Write(b []byte) (int, error) {
	n := copy(f.left, b)
	f.left = f.left[n:]
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}
