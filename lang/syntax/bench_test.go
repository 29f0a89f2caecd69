package syntax

import (
	"strings"
	"testing"
	"time"

	"weft/lang/diag"
)

// hundredLines is a file of 100 lines in the manner of real pipelines.
func hundredLines() string {
	const twenty = `# one plane-wave shot through a 32 x 32 matrix probe, one volume
param iq = "iq.npy"                      # override: weft run volume.weft -p iq=mine.npy
param c  = 1540 m/s

probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid  = box(x: -10 mm .. 10 mm in 64, y: -10 mm .. 10 mm in 64, z: 20 mm .. 40 mm in 128)

volume = read(iq, dims: [sample, element])
       | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us, c: c)
       | envelope
       | decibel(range: 60 dB)           @tolerance(0.1 dB)

fn contrast(a, b) = (mean(a) - mean(b)) / sqrt(var(a) + var(b))
inside  = volume[x: -2 mm .. 2 mm, y: 0 mm, z: 28 mm .. 32 mm]
outside = volume[x: 5 mm .. 9 mm, y: 0 mm, z: 28 mm .. 32 mm]
lesion  = contrast(inside, outside) * 2 + where(inside > 3 dB and not outside > 1 dB, 1, 0)

volume | write("volume.npy")
volume[y: 0 mm] | show
lesion | show
`
	return strings.Repeat(twenty, 5)
}

func BenchmarkParse(b *testing.B) {
	text := hundredLines()
	for b.Loop() {
		var diags diag.List
		Parse(diag.NewSource("f.weft", text), testUnits, &diags)
		if diags.Len() > 0 {
			b.Fatal(&diags)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build()
	}
}

// The limit is generous, for slow machines; the benchmarks tell the real time.
func TestHundredLinesParseQuickly(t *testing.T) {
	best := time.Hour // of a few: the machine may be busy with something else
	for range 5 {
		start := time.Now()
		build()
		if _, diags := parse(hundredLines()); diags.Len() > 0 {
			t.Fatal(diags)
		}
		best = min(best, time.Since(start))
	}
	if best > 100*time.Millisecond {
		t.Errorf("building the parser and parsing 100 lines took %v at best", best)
	}
}
