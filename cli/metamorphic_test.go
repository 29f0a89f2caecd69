package cli

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"weft/ops/files/npy"
)

// programs are pipelines whose result must not depend on what is fused, how tiles are cut, how many threads run or which
// device computes. TILE stands where an annotation may.
var programs = map[string]string{
	"volume": `probe = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm)
grid = box(x: -3 mm .. 3 mm in 19, y: -2 mm .. 2 mm in 9, z: 9 mm .. 12 mm in 21)
iq = simulate.echoes(probe, [point(z: 10 mm), point(x: 1 mm, z: 11 mm, amplitude: 0.5)], fc: 3 MHz, fs: 12 MHz, samples: 256, noise: -50 dB, seed: 3)
volume = iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) TILE(x: %d, y: %d)
volume | envelope | decibel(range: 60 dB) | write("out.npy")`,
	"image": `probe = linear_probe(n: 24, pitch: 0.3 mm)
waves = plane(angle: [-5 deg, 0 deg, 5 deg])
iq = simulate.echoes(probe, [point(z: 10 mm)], fc: 5 MHz, fs: 20 MHz, samples: 400, transmit: waves)
grid = box(x: -4 mm .. 4 mm in 33, z: 8 mm .. 12 mm in 41)
iq | beamform(probe, grid, fc: 5 MHz, fs: 20 MHz, transmit: waves, apodization: hann, fnumber: 1.5) TILE(x: %d, z: %d) | abs | write("out.npy")`,
	"arrays": `a = axis(x, 0 .. 3 in 37) * axis(y, 1 .. 2 in 11)
b = sin(a * (1 rad)) + sqrt(a) TILE(x: %d, y: %d)
c = where(b > mean(b), b - mean(b, over: y), abs(b) * 0.5)
(c + max(b) * norm(c, over: x)) | write("out.npy")`,
}

func TestResultsDoNotDependOnChoices(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	t.Setenv("WEFT_CACHE", t.TempDir())
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 7))
	for name, text := range programs {
		t.Run(name, func(t *testing.T) {
			plain := strings.ReplaceAll(text, " TILE(x: %d, y: %d)", "")
			want := result(t, strings.ReplaceAll(plain, " TILE(x: %d, z: %d)", ""))
			for range 6 {
				program := fmt.Sprintf(strings.ReplaceAll(text, "TILE", "@tile"), 1+rng.IntN(40), 1+rng.IntN(40))
				flags := []string{fmt.Sprintf("--fuse-limit=%d", rng.IntN(10)-1), "--threads", fmt.Sprint(1 + rng.IntN(3))}
				tolerance := 1e-6
				t.Setenv("WEFT_CC", "")
				if rng.IntN(3) == 0 { // the interpreter rounds every product by itself, which moves delays by a rounding
					t.Setenv("WEFT_CC", "no-such-compiler")
					tolerance = 5e-5
				}
				got := result(t, program, flags...)
				if e := farthest(got, want); !(e <= tolerance) {
					t.Errorf("%v, WEFT_CC=%q: differs by %.2g of the peak\n%s", flags, os.Getenv("WEFT_CC"), e, program)
				}
			}
		})
	}
}

// result runs a program and reads what it wrote.
func result(t *testing.T, program string, flags ...string) []float32 {
	t.Helper()
	if err := os.WriteFile("p.weft", []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := Run(t.Context(), append([]string{"run", "p.weft"}, flags...), nil, &out, &out); code != 0 {
		t.Fatalf("%v: exit %d\n%s\n%s", flags, code, program, out.String())
	}
	v, _, err := npy.Load[float32]("out.npy")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// farthest is the largest difference, relative to the largest magnitude.
func farthest(got, want []float32) float64 {
	var peak, worst float64
	for i, w := range want {
		peak = math.Max(peak, math.Abs(float64(w)))
		worst = math.Max(worst, math.Abs(float64(got[i])-float64(w)))
	}
	return worst / peak
}
