package verify

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/runtime"
)

// town is a sky view so dear in float64 that the interpreter checks a tenth of a full sample.
const town = `
city = simulate.city(y: 120, x: 130, seed: 3, pixel: 1 m)
sky = city.dsm | skyview(patches: 153)
sky.total | write("unused.npy")
`

// lyingStores changes one element of a hundred that a kernel stores, whenever it stores it and in the same way each time, as a renderer
// does that is wrong there.
func lyingStores(salt uint32, name string) func(*ir.Kernel, device.Bindings, region.Region) {
	return func(k *ir.Kernel, b device.Bindings, t region.Region) {
		if k.Name != name {
			return
		}
		buf := k.Outputs()[0]
		host, row := b.Mem[buf].Host(), buf.Row()
		for y := t[0].Lo; y < t[0].Hi; y++ {
			for x := t[1].Lo; x < t[1].Hi; x++ {
				h := (uint32(y)*73856093 ^ uint32(x)*19349663 ^ salt*83492791) * 2654435761
				if (h>>12)%100 == 7 {
					at := buf.Pad.Before + y*row + x
					device.SetFloat(buf.Type, host, at, device.Float(buf.Type, host, at)*0.9+0.01)
				}
			}
		}
	}
}

// A dear stage is checked at enough points independent of the renderer to find that 1 % of it is wrong, even where recomputing gives
// the same lie again, and every corrupted tile that holds 1 % of the elements.
func TestTheSampleOfADearStageFindsFaults(t *testing.T) {
	cpu, err := native.New(native.Config{Cache: t.TempDir()})
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev := &faulty{Device: cpu}
	p := planned(t, town, dev)
	var sky *bound.Step
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kernel != nil && strings.Contains(s.Kernel.Roots[0].Name, "skyview") {
			sky = s
		}
	}
	name := sky.Kernel.IR.Name
	find := func(seed uint64) bool {
		t.Helper()
		r, err := runtime.Run(context.Background(), p, runtime.Options{Devices: []device.Device{dev, cpu}, Threads: 2, Verify: true, Discard: true, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Parity {
			if c.Kernel == sky.ID && (c.Samples < 459 || c.Finds < 0.99 || c.Recomputed > 0) {
				t.Fatalf("not enough independent samples: %+v", c)
			}
			if !c.OK {
				return true
			}
		}
		return false
	}
	if find(1) {
		t.Fatal("a device without faults is accused")
	}
	rendered := &faulty{Device: cpu, compile: func(k *ir.Kernel) *ir.Kernel {
		if k.Name != name {
			return k
		}
		return lying(5)(k)
	}}
	lied := planned(t, town, rendered)
	r, err := runtime.Run(context.Background(), lied, runtime.Options{Devices: []device.Device{rendered, cpu}, Threads: 2, Verify: true, Discard: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Parity {
		if c.OK != (c.Kernel != sky.ID) {
			t.Errorf("rendered with a lie about 1 %% of %s: %+v", sky.ID, c)
		}
	}
	trials := uint32(60)
	if os.Getenv("WEFT_LONG") != "" {
		trials = 400
	}
	missed := uint32(0)
	for seed := range trials {
		dev.after = lyingStores(seed+1, name)
		if !find(uint64(seed) + 1) {
			missed++
		}
	}
	if t.Logf("%d of %d lies missed", missed, trials); missed*100 > trials {
		t.Errorf("a lie about 1 %% of the elements went unnoticed in %d of %d runs", missed, trials)
	}
	tiles := sky.Kernel.TileSet
	for i, tile := range tiles {
		if tile.Points()*100 < sky.Kernel.IR.Points() {
			continue
		}
		dev.after = corrupting(name, i)
		if !find(uint64(i) + 1) {
			t.Errorf("tile %d of %d was corrupted and nobody noticed", i, len(tiles))
		}
	}
	t.Logf("%d tiles", len(tiles))
}
