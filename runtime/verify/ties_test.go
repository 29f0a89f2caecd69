package verify

import (
	"context"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/runtime"
)

// A subject that takes the other branch of a discontinuity within rounding agrees, at sampled points and everywhere else; one that is off
// by what no branch gives does not.
func TestDevicesAgreeUpToTies(t *testing.T) {
	const text = "x = axis(x, 0 .. 1999 in 2000)\ntenths = floor(x * 0.01 * 100)\ntenths | write(\"unused.npy\")\n"
	for name, c := range map[string]struct {
		off float32 // in one element
		ok  bool
	}{"ties": {0, true}, "ties and a wrong one": {0.5, false}} {
		t.Run(name, func(t *testing.T) {
			dev := newFaulty()
			other := newFaulty()
			other.after = func(k *ir.Kernel, b device.Bindings, tile region.Region) {
				out := k.Stores[0].Buf
				cells := device.View[float32](b.Mem[out].Host(), ir.F32)
				for x := max(1, tile[0].Lo); x < tile[0].Hi; x += 500 { // others would be ties, too
					cell := &cells[out.Pad.Before+x]
					if *cell == float32(x) {
						*cell = float32(x - 1)
					} else {
						*cell = float32(x)
					}
				}
				if at := 1234; tile[0].Lo <= at && at < tile[0].Hi {
					cells[out.Pad.Before+at] += c.off
				}
			}
			r, err := Run(context.Background(), planned(t, text, dev), Options{
				Run: runtime.Options{Devices: []device.Device{dev}, Threads: 1}, Subjects: []Subject{Host("other", other, nil)}, Samples: 50, Seconds: 20,
			})
			if err != nil {
				t.Fatal(err)
			}
			if row := r.Rows[len(r.Rows)-1]; row.OK != c.ok || row.Ties == 0 || row.Compared != 2000 {
				t.Errorf("%+v", row)
			}
		})
	}
}
