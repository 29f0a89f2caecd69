// Package choices tests that results do not depend on what is fused, how tiles are cut, how many threads run, how large a batch is, what else is read
// and which device computes, and on types no more than a tolerance.
package choices

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/ops/files/npy"
)

// TestMain: predictions are the same on every machine, and compilers do not optimise.
func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	os.Setenv("WEFT_PROFILE", "default")
	os.Exit(m.Run())
}

// program is a pipeline whose result must not depend on what is fused, how tiles are cut, how many threads run or which device
// computes, and on types no more than a tolerance. TILE, PRECISION and WITHIN stand where annotations may.
type program struct {
	text      string
	tolerance string  // that narrower types are held to
	allowed   float64 // the same in what is written
	most      float64 // part of the elements that may be beyond it
	exact     bool    // bits depend on nothing: no functions that devices round in ways of their own, comparisons without contraction
}

var programs = map[string]program{
	"volume": {`probe = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm)
grid = box(x: -3 mm .. 3 mm in 19, y: -2 mm .. 2 mm in 9, z: 9 mm .. 12 mm in 21)
iq = simulate.echoes(probe, [point(z: 10 mm), point(x: 1 mm, z: 11 mm, amplitude: 0.5)], fc: 3 MHz, fs: 12 MHz, samples: 256, noise: -50 dB, seed: 3)
volume = iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) TILE(x: %d, y: %d) PRECISION
volume | envelope WITHIN | decibel(range: 60 dB) | write("out.npy")`, "0.5 dB", 0.5, 0.01, false},
	"image": {`probe = linear_probe(n: 24, pitch: 0.3 mm)
waves = plane(angle: [-5 deg, 0 deg, 5 deg])
iq = simulate.echoes(probe, [point(z: 10 mm)], fc: 5 MHz, fs: 20 MHz, samples: 400, transmit: waves)
grid = box(x: -4 mm .. 4 mm in 33, z: 8 mm .. 12 mm in 41)
iq | beamform(probe, grid, fc: 5 MHz, fs: 20 MHz, transmit: waves, apodization: hann, fnumber: 1.5) TILE(x: %d, z: %d) PRECISION | abs | write("out.npy")`, "0.01", 0.01, 0, false},
	"arrays": {`a = axis(x, 0 .. 3 in 37) * axis(y, 1 .. 2 in 11)
b = sin(a * (1 rad)) + sqrt(a) TILE(x: %d, y: %d)
c = where(b > mean(b), b - mean(b, over: y), abs(b) * 0.5)
d = exp(c * 0.3) * sqrt(a + 1) @keep
e = norm(d, over: x) @keep PRECISION WITHIN
(d + max(b) * e) | write("out.npy")`, "0.01", 0.01, 0, false},
	"running": {`a = axis(x, 0 .. 3 in 37) + axis(y, 1 .. 2 in 2100)
b = sqrt(a) TILE(x: %d, y: %d)
alike = fill(0.5, dims: [x, y], extents: [37, 2100])
(cumsum(b, along: y) + cumsum(b, along: x) + cumsum(alike, along: x)) | write("out.npy")`, "", 0, 0, true},
	"counted": {`a = axis(x, 0 .. 3 in 37) + axis(y, 1 .. 2 in 2100)
b = sqrt(a) TILE(x: %d, y: %d)
histogram(b, 1 .. 2.5 in 41, weights: b) | write("out.npy")`, "", 0, 0, true},
	"counted in lines": {`a = axis(x, 0 .. 3 in 7) + axis(y, 1 .. 2 in 9) + axis(z, 0 .. 1 in 3)
b = sqrt(a) TILE(x: %d, y: %d)
histogram(b, 1 .. 2.5 in 4, weights: b, over: z) | write("out.npy")`, "", 0, 0, true},
	"counted in blocks": {`a = axis(x, 0 .. 3 in 300) + axis(y, 1 .. 2 in 310)
b = sqrt(a) TILE(x: %d, y: %d)
histogram(b, 1 .. 2.5 in 401) | write("out.npy")`, "", 0, 0, true},
	"counted between edges": {`a = axis(x, 0 .. 3 in 37) + axis(y, 1 .. 2 in 2100)
b = sqrt(a) TILE(x: %d, y: %d)
(histogram(b, 1 + axis(e, 0 .. 1.2 in 41) ^ 2) + histogram(b, array([2.2, 1.9, 1.25, 1.1], dims: e), weights: b)[bin: 1]) | write("out.npy")`, "", 0, 0, true},
	"packed": {`a = axis(x, 0 .. 3 in 37) + axis(y, 1 .. 2 in 2100)
b = sqrt(a) TILE(x: %d, y: %d)
p = pack(b, b > 1.3, at_most: 1500, along: y, fill: -1)
q = pack(b[y: 0 .. 1499], b[y: 0 .. 1499] < 1.7, at_most: 30, along: x, fill: 9)
write(p.value + q.value[x: 3] + p.count + sum(q.count), "out.npy")`, "", 0, 0, true},
	"places": {`a = axis(x, 0 m .. 36 m in 37) * axis(y, 1 .. 2 in 211)
dy = axis(dy, -2 .. 2 in 5)
t = axis(t, 0 m .. 36 m in 83)
b = sum(a[y: here + dy, x: here - dy, outside: mirror] * dy, over: dy) TILE(x: %d, y: %d) @keep PRECISION WITHIN
(a[x: t, y: here + 0.4, interpolation: linear, outside: wrap] + mean(b, over: x)) | write("out.npy")`, "0.01", 0.01, 0, false},
	"delays": {`use ultrasound
matrix = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm)
iq = simulate.echoes(matrix, [point(z: 10 mm), point(x: 1 mm, z: 11 mm, amplitude: 0.5)], fc: 0.3 MHz, fs: 6 MHz, samples: 95, noise: -50 dB, seed: 3) @keep
i = indices(iq, element)
probe = (x: (mod(i, 8) - 3.5) * 0.3 mm, y: (floor(i / 8) - 3.5) * 0.3 mm, z: 0 mm)
at = (x: axis(x, -3 mm .. 3 mm in 19), y: axis(y, -2 mm .. 2 mm in 9), z: axis(z, 9 mm .. 12 mm in 21))
a = iq | ultrasound.das(probe, at, fc: 0.3 MHz, fnumber: 1.2)
b = ultrasound.das(iq, probe, at, fc: 0.3 MHz, send: ultrasound.plane(3 deg)) TILE(x: %d, y: %d) PRECISION
abs(a + b) WITHIN | write("out.npy")`, "0.02", 0.02, 0.01, false},
	"shadows": {`city = simulate.city(y: 41, x: 37, seed: 5, pixel: 2 m)
light = city.dsm | shadow(azimuth: [100 deg, 200 deg], altitude: [20 deg, 40 deg]) TILE(y: %d, x: %d)
light.building | write("out.npy")`, "", 0, 0, true},
}

// computer is what kernels run on.
type computer struct {
	name    string
	cc      string  // WEFT_CC
	allowed float64 // difference from the host's compiled kernels, in parts of the peak
	flags   []string
}

// computers take turns. The interpreter and devices add sums up in other orders, which moves delays by a rounding, and take sines
// and exponentials from other libraries.
var computers = []computer{
	{"host", "", 1e-6, nil},
	{"interpreter", "no-such-compiler", 5e-5, nil},
	{"one device", "", 5e-5, []string{"--devices", "devices.yaml", "--device", "small"}},
	{"host", "", 1e-6, nil},
	{"devices", "", 5e-5, []string{"--devices", "devices.yaml", "--device", "small,large,odd"}},
	{"wherever it is fast", "", 5e-5, []string{"--devices", "devices.yaml"}},
}

const devices = `devices:
  - {name: small, memory: 300 KiB, flops: 1e12}
  - {name: large, flops: 3e12, bandwidth: 1e12}
  - {name: odd, flops: 5e11, max_grid: [7, 5, 3], max_threads: 128}
`

// precisions are what the stage at PRECISION, which sums, may be asked to have; the empty one leaves it to the search.
var precisions = []string{
	"", "@precision(storage: f16)", "@precision(storage: bf16)", "@precision(compute: f64)", "@precision(accumulate: f64)", "@precision(f64)",
}

var tileNote = regexp.MustCompile(` TILE\([^)]*\)`)

func TestResultsDoNotDependOnChoices(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	rng := rand.New(rand.NewPCG(2, 7))
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		p := programs[name]
		t.Run(name, func(t *testing.T) {
			plain := strings.NewReplacer(" PRECISION", "", " WITHIN", "").Replace(p.text)
			want, _ := ranProgram(t, tileNote.ReplaceAllString(plain, ""))
			for _, on := range computers {
				text := fmt.Sprintf(strings.ReplaceAll(plain, "TILE", "@tile"), 1+rng.IntN(40), 1+rng.IntN(40))
				t.Setenv("WEFT_CC", on.cc)
				allowed := on.allowed * peak(want)
				if p.exact {
					allowed = 0
				}
				flags := append(choices(rng), on.flags...)
				got, _ := ranProgram(t, text, flags...)
				if n, worst := beyond(got, want, allowed); n > 0 {
					t.Errorf("%s, %v: %d elements differ, by up to %.2g\n%s", on.name, flags, n, worst, text)
				}
			}
			t.Setenv("WEFT_CC", "")
			if p.exact {
				return
			}
			held, rounded := 0, false
			for _, asked := range precisions {
				text := fmt.Sprintf(strings.NewReplacer("TILE", "@tile", "PRECISION", asked, "WITHIN", "@tolerance(0.01)").Replace(p.text), 1+rng.IntN(40), 1+rng.IntN(40))
				flags := append(choices(rng), "--tolerance", p.tolerance)
				got, refused := ranProgram(t, text, flags...)
				if refused {
					continue // a type that is pinned, or known to break the tolerance: said, not written
				}
				held++
				if n, _ := beyond(got, want, 0); n > 0 {
					rounded = true
				}
				if n, worst := beyond(got, want, p.allowed*p.unit(want)); float64(n) > p.most*float64(len(want)) {
					t.Errorf("%v: %d of %d elements are beyond %s, by up to %.2g\n%s", flags, n, len(want), p.tolerance, worst, text)
				}
			}
			if held < len(precisions)-2 || !rounded {
				t.Errorf("%d of %d precisions ran, and that they differ is %t: little is tested", held, len(precisions), rounded)
			}
		})
	}
}

// withDevices goes to an empty folder with devices.yaml, and the cache of all tests.
func withDevices(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("devices.yaml", []byte(devices), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unit is what the tolerance is in parts of: the peak, where it has no unit of its own.
func (p program) unit(want []float32) float64 {
	if strings.HasSuffix(p.tolerance, "dB") {
		return 1
	}
	return peak(want)
}

// choices are flags that must not matter. Few limits of fusion stand for all, so that most kernels are compiled once; package numpytest draws any.
func choices(rng *rand.Rand) []string {
	return []string{fmt.Sprintf("--fuse-limit=%d", []int{-1, 0, 3}[rng.IntN(3)]), "--threads", fmt.Sprint([]int{1, 2, 3, 7}[rng.IntN(4)])}
}

// ranProgram runs a program and reads what it wrote. It may be refused for the types that are asked for, and for nothing else.
func ranProgram(t *testing.T, program string, flags ...string) (values []float32, refused bool) {
	t.Helper()
	if err := os.WriteFile("p.weft", []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), append([]string{"run", "p.weft"}, flags...), nil, &out, &out); code != 0 {
		if narrow := strings.Contains(program, "f16)"); narrow && (strings.Contains(out.String(), "error[E0609]") || strings.Contains(out.String(), "error[E0704]")) {
			return nil, true
		}
		t.Fatalf("%v: exit %d\n%s\n%s", flags, code, program, out.String())
	}
	v, _, err := npy.Load[float32]("out.npy")
	if err != nil {
		t.Fatal(err)
	}
	return v, false
}

// explained is how the program that ran last is planned.
func explained(t *testing.T, flags ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Run(t.Context(), append([]string{"explain", "--verbose", "p.weft"}, flags...), nil, &out, &out); code != 0 {
		t.Fatalf("exit %d\n%s", code, &out)
	}
	return out.String()
}

// peak is the largest magnitude.
func peak(v []float32) (peak float64) {
	for _, x := range v {
		peak = math.Max(peak, math.Abs(float64(x)))
	}
	return peak
}

// beyond counts the elements that differ by more than is allowed, and gives the largest difference.
func beyond(got, want []float32, allowed float64) (n int, worst float64) {
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if worst = math.Max(worst, d); !(d <= allowed) {
			n++
		}
	}
	return n, worst
}
