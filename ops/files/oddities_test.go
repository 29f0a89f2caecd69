package files

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
)

// TestFinite puts what is no number into each place of pieces of any length, beside the largest and smallest numbers there are.
func TestFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for typ := range exponents {
		largest := map[ir.DType]float64{ir.F16: 65504, ir.BF16: 3e38, ir.F32: math.MaxFloat32, ir.F64: math.MaxFloat64}[typ]
		for n := range 40 {
			values := make([]float64, n)
			for i := range values {
				values[i] = []float64{0, math.Copysign(0, -1), largest, -largest, 1, -1, 1e-30}[rng.IntN(7)]
			}
			b := make([]byte, n*typ.Size())
			device.Store(typ, b, values)
			if !finite(typ, b) {
				t.Fatalf("%s: %v are numbers", typ, values)
			}
			for i := range values {
				for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					device.Store(typ, b[i*typ.Size():][:typ.Size()], []float64{odd})
					if finite(typ, b) {
						t.Fatalf("%s: %v at %d of %d is none", typ, odd, i, n)
					}
				}
				device.Store(typ, b[i*typ.Size():][:typ.Size()], values[i:i+1])
			}
		}
	}
}

// TestBandsCountTogether reads a file in many bands and counts what is no number in each, but once where parts overlap.
func TestBandsCountTogether(t *testing.T) {
	const rows, columns = 3000, 500 // about six bands
	typ := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}
	h := ops.NewHostArray(typ)
	for i, odd := range map[int]float64{70: math.NaN(), 1400 * columns: math.Inf(1), 2999*columns + 499: math.NaN()} {
		h.Parts[0].Store(i, []float64{odd})
	}
	path := written(t, "a.npy", h, nil)
	for name, parts := range map[string][]region.Interval{
		"whole": {{Lo: 0, Hi: rows}}, "halves": {{Lo: 0, Hi: 1500}, {Lo: 1300, Hi: rows}}, "backward": {{Lo: 1401, Hi: rows}, {Lo: 1000, Hi: 1500}, {Lo: 0, Hi: 1400}},
	} {
		bound := optest.Bind(t, optest.Call(readSpec(), map[string]ops.Value{"path": ops.Text(path)}))
		source, err := bound.(ops.TileReader).OpenSource()
		if err != nil {
			t.Fatal(err)
		}
		whole := bound.Outputs()[0].Type
		for _, part := range parts {
			at := whole.Rows(part)
			if err := source.Read(t.Context(), at, ops.NewHostArray(whole.Sub(at))); err != nil {
				t.Fatal(err)
			}
		}
		note, err := source.Close(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(note.Warnings) != 1 || !strings.Contains(note.Warnings[0].Message, "2 NaN and 1 infinite values, the first at [axis0: 0, axis1: 70]") {
			t.Errorf("%s: %v", name, note.Warnings)
		}
	}
}

// TestBandsFailAtTheFirst reads numbers that a type cannot hold: whichever band is ready first, the error is of the first one.
func TestBandsFailAtTheFirst(t *testing.T) {
	in := input{Input: nil}
	in.Shape, in.Band = []int{1000}, 7
	for range 20 {
		err := in.bands(context.Background(), region.Whole(1000), func(band region.Region) error {
			if band[0].Lo >= 300 {
				return errBand(band[0].Lo)
			}
			return nil
		})
		if err != errBand(301) {
			t.Fatal(err)
		}
	}
}

type errBand int

func (e errBand) Error() string { return "band" }
