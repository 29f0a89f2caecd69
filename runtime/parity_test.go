package runtime

import (
	"context"
	"math"
	"testing"

	"weft/kernels/device"
)

func TestArraysThatOneKernelStoresAreCheckedTogether(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	v := w.third(w.ramp(matrix(16, 5)))
	p := w.plan(t, dev, w.keep("third", v), w.keep("spin", w.spin(v)))
	if p.Totals.Kernels != 1 {
		t.Fatalf("%d kernels", p.Totals.Kernels)
	}
	r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Parity) != 2 {
		t.Fatalf("parity %+v", r.Parity)
	}
	for i, want := range []struct {
		value string
		peak  float64
	}{{"third", 79./3 + 4./7}, {"spin", 1}} {
		got := r.Parity[i]
		if got.Value != want.value || math.Abs(got.Peak-want.peak) > 1e-5 || got.Samples < 60 || !got.OK || got.MaxAbs == 0 {
			t.Errorf("parity %+v, want %+v", got, want)
		}
	}
}
