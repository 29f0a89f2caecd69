package choices

import (
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
)

// reached are pipelines that read little of what KEEP stands behind, or of what is computed for it.
var reached = map[string]struct {
	text  string
	flags []string
	apart float64 // part of the peak: what is gathered lies in pairs unless it is kept, and is then summed in another order
}{
	"echoes": {`probe = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm)
grid = box(x: -3 mm .. 3 mm in 19, y: -2 mm .. 2 mm in 9, z: 9 mm .. 12 mm in 21)
simulate.echoes(probe, [point(z: 10 mm)], fc: 3 MHz, fs: 12 MHz, samples: 512, noise: -50 dB, seed: 3) KEEP
    | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) KEEP | envelope | write("out.npy")`, []string{"--fuse-limit=3"}, 0},
	"waves": {`probe = linear_probe(n: 24, pitch: 0.3 mm)
waves = plane(angle: [-5 deg, 0 deg, 5 deg])
simulate.echoes(probe, [point(z: 10 mm)], fc: 5 MHz, fs: 20 MHz, samples: 700, transmit: waves) KEEP
    | beamform(probe, box(x: -4 mm .. 4 mm in 33, z: 8 mm .. 12 mm in 41), fc: 5 MHz, fs: 20 MHz, transmit: waves, apodization: hann, fnumber: 1.5) KEEP
    | abs | write("out.npy")`, []string{"--fuse-limit=3"}, 0},
	"beyond the record": {`probe = linear_probe(n: 16, pitch: 0.3 mm)
simulate.echoes(probe, [point(z: 10 mm)], fc: 3 MHz, fs: 12 MHz, samples: 1024, start: 8 us) KEEP
    | beamform(probe, box(x: -2 mm .. 2 mm in 17, z: 1 mm .. 12 mm in 40), fc: 3 MHz, fs: 12 MHz, start: 8 us, weighting: coherence_factor)
    | abs | write("out.npy")`, []string{"--fuse-limit=3"}, 1e-6},
	"part": {`a = axis(x, 0 .. 3 in 300) * axis(y, 1 .. 2 in 700)
d = (exp(sin(a) * a) KEEP)[x: 20 .. 90, y: 100 .. 200]
(d / norm(d, over: x)) | write("out.npy")`, []string{"--fuse-limit=3"}, 0},
	"in blocks of rows": {`a = axis(x, 0 .. 3 in 3000) * axis(y, 1 .. 2 in 700)
d = (exp(sin(a) * a) KEEP)[x: 200 .. 2800, y: 100 .. 200]
d * d | write("out.npy")`, []string{"--fuse-limit=0", "--memory=3MiB"}, 0},
}

// What is left out of arrays because nobody reads it changes nothing: with @keep they are whole.
func TestWhatIsNotReadDoesNotMatter(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	for name, p := range reached {
		t.Run(name, func(t *testing.T) {
			cut := 0
			for _, flags := range [][]string{nil, {"--fuse-limit=0"}, p.flags} {
				want, _ := ranProgram(t, strings.ReplaceAll(p.text, "KEEP", "@keep"), flags...)
				got, _ := ranProgram(t, strings.ReplaceAll(p.text, "KEEP", ""), flags...)
				if n, worst := beyond(got, want, p.apart*peak(want)); n > 0 {
					t.Errorf("%v: another result than of whole arrays: %d elements differ, by up to %.2g", flags, n, worst)
				}
				cut += strings.Count(explained(t, flags...), "is never read")
			}
			if cut == 0 {
				t.Error("no array is cut")
			}
		})
	}
}
