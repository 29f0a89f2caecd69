package beam

import (
	"math"
	"math/cmplx"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
)

func TestDemodulateAgainstDefinition(t *testing.T) {
	types := map[string]ops.Type{
		"f32 sample first": {Elem: ops.F32, Dims: []ops.Dim{dim("sample", 50), dim("element", 3)}},
		"f64 sample last":  {Elem: ops.F64, Dims: []ops.Dim{dim("frame", 2), dim("element", 3), dim("sample", 50)}},
		"short record":     {Elem: ops.F32, Dims: []ops.Dim{dim("sample", 5)}},
	}
	variants := map[string]arguments{
		"as is":   nil,
		"start":   {"start": us(7.3)},
		"cutoff":  {"cutoff": mhz(1)},
		"five":    {"taps": ops.Integer(5)},
		"one tap": {"taps": ops.Integer(1)},
	}
	for name, typ := range types {
		for variant, changes := range variants {
			t.Run(name+" "+variant, func(t *testing.T) {
				c := call(demodulate, arguments{"input": array(typ), "fc": mhz(3), "fs": mhz(12)}.with(changes))
				in := map[string]ops.Dense{"input": noisy(typ)}
				want := optest.Reference(t, c, in)
				for mode, most := range map[interp.Mode]float64{interp.Wide: 1e-12, interp.Exact: 1e-6} {
					optest.Near(t, optest.At(t, c, in, mode, optest.Fused, nil), want[0], most)
				}
			})
		}
	}
}

// Whole numbers are a converter's own output.
func TestDemodulateIntegers(t *testing.T) {
	typ := ops.Type{Elem: ops.ElemType{Base: ir.I16}, Dims: []ops.Dim{dim("sample", 40)}}
	in := noisy(typ)
	for i, v := range in.Re {
		in.Re[i] = math.Round(1000 * v)
	}
	c := call(demodulate, arguments{"input": array(typ), "fc": mhz(3), "fs": mhz(12)})
	want := optest.Reference(t, c, map[string]ops.Dense{"input": in})
	optest.Near(t, optest.At(t, c, map[string]ops.Dense{"input": in}, interp.Exact, optest.Fused, nil), want[0], 1e-6)
}

// An echo env(t - tau) cos(2 pi fc (t - tau)) comes back as env(t - tau) exp(-2 pi j fc tau).
func TestDemodulateFindsTheEnvelope(t *testing.T) {
	const fc, fs, tau, start, n = 3e6, 12e6, 17.37e-6, 10e-6, 180
	env := func(t float64) float64 { return math.Exp(-t * t / (2 * 0.4e-6 * 0.4e-6)) }
	typ := ops.Type{Elem: ops.F64, Dims: []ops.Dim{dim("sample", n)}}
	rf, want := ops.NewDense(false, n), ops.NewDense(true, n)
	for i := range n {
		at := start + float64(i)/fs - tau
		rf.Re[i] = env(at) * math.Cos(2*math.Pi*fc*at)
		want.Set(i, cmplx.Rect(env(at), -2*math.Pi*fc*tau))
	}
	c := call(demodulate, arguments{"input": array(typ), "fc": mhz(3), "fs": mhz(12), "start": us(10)})
	optest.Near(t, optest.At(t, c, map[string]ops.Dense{"input": rf}, interp.Exact, optest.Fused, nil), want, 5e-3)
}
