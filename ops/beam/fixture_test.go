package beam

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/interp"
	"weft/ops"
	file "weft/ops/files/element"
	"weft/ops/files/npy"
	"weft/ops/optest"
)

// fixture loads an array of the shared fixtures, or skips.
func fixture[T file.Go](t testing.TB, name string) []T {
	t.Helper()
	dir := os.Getenv("WEFT_FIXTURES")
	if dir == "" {
		dir = "../../../shared/data"
	}
	v, _, err := npy.Load[T](filepath.Join(dir, "beamform", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no fixtures: set WEFT_FIXTURES (%v)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func dense(v []complex64, shape ...int) ops.Dense {
	d := ops.NewDense(true, shape...)
	for i, x := range v {
		d.Set(i, complex128(x))
	}
	return d
}

// A volume of seven targets behind a probe of 1024 elements, calculated elsewhere in float64: one voxel in 97.
func TestSharedVolume(t *testing.T) {
	record := dense(fixture[complex64](t, "iq_allin.npy"), 560, 1024)
	volume := dense(fixture[complex64](t, "ref_allin_small.npy"), 32, 32, 64)
	args := arguments{
		"input": array(iq(dim("sample", 560), dim("element", 1024))),
		"probe": made[*Probe](t, matrixProbe, arguments{"nx": ops.Integer(32), "ny": ops.Integer(32), "pitch": mm(0.3)}),
		"grid":  made[*Grid](t, boxGrid, arguments{"x": span(-10, 10, 32), "y": span(-10, 10, 32), "z": span(20, 40, 64)}),
		"fc":    mhz(3), "fs": mhz(12), "start": us(15),
	}
	var points [][]int
	want := ops.NewDense(true, 0)
	for i := 5; i < 32*32*64; i += 97 {
		points = append(points, []int{i / 2048, i / 64 % 32, i % 64})
		want.Re, want.Im = append(want.Re, volume.Re[i]), append(want.Im, volume.Im[i])
	}
	want.Shape = []int{len(points)}
	_, peak, _ := optest.Difference(volume, volume)
	for mode, most := range map[interp.Mode]float64{interp.Exact: -115, interp.Wide: -125} {
		got := optest.At(t, call(beamform, args), map[string]ops.Dense{"input": record}, mode, optest.Fused, points)
		rms := optest.RMS(got, want, peak)
		t.Logf("%s: rms %.1f dB re peak", mode, rms)
		if !(rms <= most) {
			t.Errorf("%s: rms error %.1f dB re peak, want %g", mode, rms, most)
		}
	}
}
