package planner_test

import (
	"fmt"
	"testing"

	"weft/planner"
	"weft/planner/module"
)

// TestInterleaved: complex samples lie in pairs where a grid gathers them, and apart where a file is made of them, where what is made of them first is
// stored, and where they are read one after the other.
func TestInterleaved(t *testing.T) {
	beamformed := func(n int, more string) string {
		return fmt.Sprintf(`probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm, width: 0.25 mm)
grid = box(x: -10 mm .. 10 mm in %d, y: -10 mm .. 10 mm in %d, z: 20 mm .. 40 mm in %d)
iq = simulate.echoes(probe, [point(z: 30 mm)], fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us)
iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us) | write("volume.npy")
%s`, n, n, 2*n, more)
	}
	for text, want := range map[string]bool{
		beamformed(5, ""):                     true,
		beamformed(8, ""):                     true,
		beamformed(8, `iq | write("iq.npy")`): false,
		beamformed(32, ""):                    false,
		`x = axis(x, 0 .. 1 in 4000)
y = axis(y, 0 .. 1 in 3000)
z = complex(sin(x * y), cos(x * y)) @keep
sum(abs(z), over: x) | write("s.npy")`: false,
	} {
		planned := func(after func(string, *module.Module) error) (pairs bool) {
			p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Request: planner.Request{After: after}, Threads: 4})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range p.Buffers {
				pairs = pairs || b.Interleaved
				if last := b.Bufs[0].Shape; b.Interleaved && (len(b.Bufs) != 1 || last[len(last)-1] != 2) {
					t.Errorf("pairs lie in %d buffers of %v", len(b.Bufs), last)
				}
			}
			return pairs
		}
		if got := planned(planner.Check); got != want {
			t.Errorf("in pairs: %v\n%s", got, text)
		}
	}
}
