//go:build darwin || linux

package native

import (
	_ "embed"
	"flag"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"weft/kernels/ir"
)

//go:embed testdata/accuracy.c
var accuracySource string

// mathFunctions are the elementary functions of math.h with the elements a second that a core must reach on AVX-512 where
// it matters; 0: no aim.
var mathFunctions = []struct {
	name string
	f64  bool
	aim  float64
}{
	{"expf", false, 1e9}, {"logf", false, 1e9}, {"log10f", false, 1e9}, {"sinf", false, 1e9}, {"cosf", false, 1e9},
	{"tanf", false, 0}, {"tanhf", false, 0}, {"erff", false, 0}, {"atan2f", false, 0}, {"powf", false, 0},
	{"exp", true, 0}, {"log", true, 0}, {"log10", true, 0}, {"sin", true, 0}, {"cos", true, 0},
	{"tan", true, 0}, {"tanh", true, 0}, {"erf", true, 0}, {"atan2", true, 0}, {"pow", true, 0},
}

// mathForms are the forms of functions for operands within bounds, in both types.
func mathForms() (names []string, within [][2]float64) {
	for op := range ir.Ops {
		for _, f := range op.Info().Forms {
			name := op.String() + "_" + f.Name
			names, within = append(names, name+"f", name), append(within, f.F32, f.F64)
		}
	}
	return names, within
}

var points = flag.Int("points", 1<<16, "values drawn for each function of TestMathAccuracy")

// worst is accuracy.c's worst_t.
type worst struct{ ULP, X, Y, Got float64 }

// TestMathAccuracy compares every elementary function, in vectors and alone, with the C library in long double: special
// values against each other first, then values drawn from all bit patterns and from the range where the function works.
func TestMathAccuracy(t *testing.T) {
	best := open(t, "").target
	for _, l := range levels {
		if testing.Short() && l.target != best {
			continue
		}
		t.Run(l.target.ISA, func(t *testing.T) {
			t.Parallel()
			d := open(t, l.target.ISA)
			var names, symbols []string
			for _, f := range mathFunctions {
				names = append(names, f.name)
			}
			forms, within := mathForms()
			names = append(names, forms...)
			for _, name := range names {
				symbols = append(symbols, "worst_"+name)
			}
			functions := buildC(t, d, accuracySource, append(symbols, "long_double_digits", "within")...)
			if n, _, _ := purego.SyscallN(functions[len(names)]); n < 64 {
				t.Skipf("long double has %d digits here: no more than what is to be checked", n)
			}
			for i, name := range names {
				if form := i - len(mathFunctions); form >= 0 {
					purego.SyscallN(functions[len(names)+1], uintptr(unsafe.Pointer(&within[form])))
				}
				for scalar, form := range []string{"v", "s"} {
					w := new(worst)
					purego.SyscallN(functions[i], uintptr(scalar), uintptr(*points/(1+3*scalar)), uintptr(unsafe.Pointer(w)))
					t.Logf("%s_%-7s %.3f ulp at (%.9g, %.9g), got %.9g", form, name, w.ULP, w.X, w.Y, w.Got)
					if !(w.ULP <= 2) {
						t.Errorf("%s_%s(%.17g, %.17g) = %.17g is off by %.3g ulp", form, name, w.X, w.Y, w.Got, w.ULP)
					}
				}
			}
		})
	}
}

// TestHalfTurns measures sines and cosines of products in half turns where multiply-adds leave out whole ones without rounding.
func TestHalfTurns(t *testing.T) {
	for _, l := range levels {
		if l.macros == nil {
			continue
		}
		d := open(t, l.target.ISA)
		symbols := buildC(t, d, accuracySource, "off_half_turns", "long_double_digits")
		if n, _, _ := purego.SyscallN(symbols[1]); n < 64 {
			t.Skipf("long double has %d digits here: no more than what is to be checked", n)
		}
		var off func(n int32) float64
		purego.RegisterFunc(&off, symbols[0])
		if most := off(1 << 18); !(most < 2.2e-7) || most == 0 {
			t.Errorf("%s: off by %.3g", d.target.ISA, most)
		}
	}
}

// BenchmarkMath reports elements a second on one core, data in the nearest cache.
func BenchmarkMath(b *testing.B) {
	d := open(b, "")
	const n = 4096
	x64, r64 := make([]float64, n), make([]float64, n)
	x32, r32 := make([]float32, n), make([]float32, n)
	for i := range n {
		x64[i] = 0.001 + 0.01*float64(i)
		x32[i] = float32(x64[i])
	}
	symbols := make([]string, len(mathFunctions))
	for i, f := range mathFunctions {
		symbols[i] = "speed_" + f.name
	}
	functions := buildC(b, d, accuracySource, symbols...)
	for i, f := range mathFunctions {
		b.Run(f.name, func(b *testing.B) {
			x, r := unsafe.Pointer(&x32[0]), unsafe.Pointer(&r32[0])
			if f.f64 {
				x, r = unsafe.Pointer(&x64[0]), unsafe.Pointer(&r64[0])
			}
			for b.Loop() {
				purego.SyscallN(functions[i], n, 100, uintptr(x), uintptr(r))
			}
			rate := float64(b.N) * n * 100 / b.Elapsed().Seconds()
			b.ReportMetric(rate/1e9, "G/s")
			if f.aim > 0 && d.target.ISA == "avx512" && rate < f.aim {
				b.Logf("%s: %.2g a second, aim %.2g", f.name, rate, f.aim)
			}
		})
	}
}
