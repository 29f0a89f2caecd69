package search

import (
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/planner/plan"
)

const beamformed = `probe = matrix_probe(nx: 16, ny: 16, pitch: 0.3 mm)
echoes = simulate.echoes(probe, [point(z: 10 mm), point(x: 1 mm, z: 12 mm, amplitude: 0.1)], fc: 3 MHz, fs: 12 MHz, samples: 400, noise: -60 dB)
grid = box(x: -3 mm .. 3 mm in 17, y: -3 mm .. 3 mm in 17, z: 6 mm .. 14 mm in 33)
volume = echoes | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) @tolerance(0.1 dB)
volume | show
`

// TestBeamform: samples may be stored in 16 bits, which measures as the published tables say; what makes an index and what sums
// keeps float32.
func TestBeamform(t *testing.T) {
	level(t)
	p, err := find(t, cpu(t), beamformed, "")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Search.Candidates, func(c *plan.Candidate) bool { return c.Name == "f16" })
	half := p.Search.Candidates[i]
	if half.Stage != "beamform.prepare" || half.Verdict != "chosen" {
		t.Errorf("f16 of %s: %s", half.Stage, half.Verdict)
	}
	if got := half.Proofs[0]; got.Judged != "p99" || got.P99 < 1e-3 || got.P99 > 0.05 || got.Samples < fewestSamples {
		t.Errorf("f16 measures %+v", got)
	}
	for _, s := range p.Steps {
		if s.Kernel == nil || !slices.Contains(s.Kernel.Ops, "beamform") {
			continue
		}
		k := s.Kernel.Precision
		if k.Compute != "f32" || k.Accumulate != "" && k.Accumulate != "f32" {
			t.Errorf("%s: %+v", s.Name, k)
		}
		if main := k.Accumulate != ""; main != slices.Contains(k.Why, "computing is pinned at f32: it feeds the index of beamform.prepare") {
			t.Errorf("%s: %q", s.Name, k.Why)
		}
	}
}

// TestSkyviewKeepsFloat32: comparisons with the heights decide what is visible, so nothing of the march may be narrower.
func TestSkyviewKeepsFloat32(t *testing.T) {
	level(t)
	p, err := find(t, cpu(t), `city = simulate.city(y: 48, x: 48, seed: 3, pixel: 1 m)
sky = city.dsm | skyview @tolerance(1e-2)
sky.total | show
`, "")
	if err != nil {
		t.Fatal(err)
	}
	marches := false
	for _, s := range p.Steps {
		if s.Kernel == nil || !slices.Contains(s.Kernel.Ops, "skyview") {
			continue
		}
		for _, id := range s.Reads {
			if b := p.Buffer(id); b.Role != plan.FromPlan && b.Layout.Elem.Base == ir.F32 && b.Storage() != ir.F32 {
				t.Errorf("%s reads %s as %s", s.Name, b.Stage, b.Storage())
			}
		}
		if strings.Contains(s.Kernel.Precision.Compute, "16") {
			t.Errorf("%s computes %s", s.Name, s.Kernel.Precision.Compute)
		}
		for _, why := range s.Kernel.Precision.Why {
			marches = marches || strings.Contains(why, "is pinned at f32: it ")
		}
	}
	if !marches {
		t.Error("no kernel says what pins it")
	}
}
