package ops

import (
	"math"
	"slices"
	"testing"

	"weft/kernels/ir"
)

// TestHostArray stores and loads every storage type, real and complex, with and without padding.
func TestHostArray(t *testing.T) {
	for _, shape := range [][]Dim{nil, {{Name: "x", Size: 5}}, {{Name: "x", Size: 3}, {Name: "y", Size: 4}}} {
		for _, storage := range []ir.DType{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.F16, ir.BF16, ir.F32, ir.F64} {
			for _, complex := range []bool{false, true} {
				if complex && !storage.Float() {
					continue
				}
				for _, pad := range []ir.Pad{{}, {Before: 2, After: 3}} {
					typ := Type{Elem: ElemType{storage, complex}, Dims: shape}
					bufs := typ.Buffers("")
					for _, b := range bufs {
						b.Pad = pad
					}
					h := NewHostArrayIn(typ, bufs)
					d := NewDense(complex, typ.Shape()...)
					for i := range d.Re {
						d.Re[i] = float64(i % 2)
						if storage.Float() {
							d.Re[i] = float64(i) - 2.5
						}
						if complex {
							d.Im[i] = float64(2*i) + 0.25
						}
					}
					if err := h.SetDense(d); err != nil {
						t.Fatal(err)
					}
					if got := h.Dense(); !slices.Equal(got.Re, d.Re) || !slices.Equal(got.Im, d.Im) || !slices.Equal(got.Shape, d.Shape) {
						t.Errorf("%s, pad %v: %v, want %v", typ, pad, got, d)
					}
					for i := range d.Re {
						if h.Complex(i) != d.At(i) || h.Float(i) != d.Re[i] {
							t.Errorf("%s, pad %v: element %d is %v, want %v", typ, pad, i, h.Complex(i), d.At(i))
						}
					}
					checkRows(t, h, d)
				}
			}
		}
	}
}

func checkRows(t *testing.T, h HostArray, d Dense) {
	t.Helper()
	for i, p := range h.Parts {
		want := [][]float64{d.Re, d.Im}[i]
		at := 0
		for row := range p.Values() {
			if !slices.Equal(want[at:at+p.Width()], row) {
				t.Errorf("%s: the row at %d: %v", h.Type, at, row)
			}
			at += p.Width()
		}
		for from := range want {
			part := make([]float64, len(want)-from)
			p.Load(part, from)
			if !slices.Equal(want[from:], part) {
				t.Errorf("%s: from %d: %v", h.Type, from, part)
			}
		}
	}
}

func TestSetDenseRefusesOtherSizes(t *testing.T) {
	h := NewHostArray(Type{Elem: F32, Dims: []Dim{{Name: "x", Size: 3}}})
	for _, d := range []Dense{{Re: make([]float64, 2)}, {Re: make([]float64, 3), Im: make([]float64, 3)}} {
		if h.SetDense(d) == nil {
			t.Errorf("%d real and %d imaginary values are taken", len(d.Re), len(d.Im))
		}
	}
}

func TestStoredNaN(t *testing.T) {
	for _, storage := range []ir.DType{ir.F16, ir.BF16, ir.F32, ir.F64} {
		h := NewHostArray(Type{Elem: ElemType{Base: storage}, Dims: []Dim{{Name: "x", Size: 2}}})
		h.Parts[0].StoreRow(0, []float64{math.NaN(), math.Inf(-1)})
		if !math.IsNaN(h.Float(0)) || !math.IsInf(h.Float(1), -1) {
			t.Errorf("%s: %v, %v", storage, h.Float(0), h.Float(1))
		}
	}
}
