//go:build linux

package runtime

import (
	"context"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/planner/plan"
)

// Memory of arrays that were freed is used again: kernels find there what was left, sources zeros, and results are the same.
func TestFreedMemoryIsUsedAgain(t *testing.T) {
	dev := interp.New(interp.Options{})
	const n = 800
	w := newWorld()
	thirds := w.third(w.ramp(matrix(n, n)))
	p := w.plan(t, dev, w.keep("all", w.over(thirds, w.total(thirds))))
	opt := Options{Devices: []device.Device{dev}}.withDefaults()
	if _, err := Run(context.Background(), p, opt); err != nil {
		t.Fatal(err)
	}
	want := w.got["all"].Re

	r := newRun(p, opt, nil)
	defer r.arrays.Spare.Release()
	defer r.arrays.FreeAll()
	r.arrays.Spare.Keep(garbage(t))
	kernels := 0
	for i := range p.Steps {
		s := &p.Steps[i]
		if err := r.allocate(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Writes {
			b := p.Buffer(id)
			if b.Bytes < n*n*4 {
				continue
			}
			host := r.arrays.Memory[b.Bufs[0]].Host()
			clean := !slices.ContainsFunc(host, func(x byte) bool { return x != 0 })
			if s.Kind == plan.KernelStep {
				kernels++
			}
			if clean == (s.Kind == plan.KernelStep) {
				t.Errorf("%s %s: zero %v", s.Kind, b.Stage, clean)
			}
		}
	}
	if kernels == 0 {
		t.Error("no kernel stores a large array: nothing is tested")
	}
	r.arrays.FreeAll()
	again := newRun(p, opt, nil)
	again.arrays.Spare = r.arrays.Spare
	defer again.arrays.FreeAll()
	if err := again.execute(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := w.got["all"].Re; !slices.Equal(got, want) {
		t.Error("results follow from what memory held")
	}
}

// garbage is memory that holds no numbers.
func garbage(t *testing.T) device.Memory {
	t.Helper()
	m, err := device.NewHostMemory(&ir.Buffer{Name: "garbage", Type: ir.U8, Shape: []int{20 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Host() {
		m.Host()[i] = 0xFF
	}
	return m
}
