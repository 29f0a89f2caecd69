package fleet_test

import (
	"fmt"
	"testing"

	"weft/kernels/ir/count"
	"weft/kernels/native"
	"weft/planner/bound"
	"weft/runtime"
)

// flopsOf are the operations of a kernel as the clock of emulated devices counts them.
func flopsOf(p *bound.Plan) (of map[string]float64, most float64) {
	of = map[string]float64{}
	for _, s := range p.Steps {
		if s.Kernel != nil {
			of[s.ID] = count.CostOf(s.Kernel.IR).Flops
			most = max(most, of[s.ID])
		}
	}
	return of, most
}

// The heavy kernels of every pipeline that ships take no more than 15 % longer on two and on five devices of different speed than the sum of
// their rates would, copies and tails included, whatever their first axes are: 64 planes of a volume, 5 transmits, 80 rows of a city. Only the
// grid across the first axis is smaller than what ships.
func TestShippedThroughput(t *testing.T) {
	speeds := []float64{4, 2.5, 7, 1, 3}
	for _, c := range []struct {
		file    string
		replace []string
		heavy   int // kernels
	}{
		{"beamform/volume.weft", []string{"y: -10 mm .. 10 mm in 64", "y: -10 mm .. 10 mm in 12", "in 128", "in 20", "nx: 32, ny: 32", "nx: 12, ny: 12"}, 2},
		{"beamform/plane_wave.weft", []string{"in 257", "in 65", "in 513", "in 51", "n: 128", "n: 32"}, 2},
		{"skyview/city.weft", []string{"size    = 400", "size    = 80"}, 1},
	} {
		text := shipped(t, c.file, c.replace...)
		cpu := host(t)
		plan := program(t, text, cpu, 0)
		flops, most := flopsOf(plan)
		want, _, err := run(t, plan, runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 5} {
			t.Run(fmt.Sprintf("%s on %d", c.file, n), described(func(t *testing.T, cpu *native.Device) {
				sum := 0.0
				for _, s := range speeds[:n] {
					sum += s
				}
				var descriptions []string // devices that together take a second for the heaviest kernel
				for _, s := range speeds[:n] {
					descriptions = append(descriptions, fmt.Sprintf("{flops: %g, launch: 20us, link: {rate: 1e8, latency: 10us}, pace: 1}", most*s/sum))
				}
				devices := emulatedDevices(t, cpu, descriptions...)
				got, r, err := run(t, program(t, text, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
				if err != nil {
					t.Fatal(err)
				}
				if apart := got.apart(t, want); apart > 2e-5 {
					t.Errorf("%g apart", apart)
				}
				heavy := 0
				for _, k := range r.Kernels {
					if flops[k.ID] < most/10 {
						continue
					}
					heavy++
					share := flops[k.ID] / most / k.Wall
					t.Logf("%s %v: %.3f of the sum of rates in %.3f s", k.ID, k.Ops, share, k.Wall)
					if share < 0.85 || share > 1.02 {
						t.Errorf("%s %v: %.3f of the sum of rates in %.3f s; %+v", k.ID, k.Ops, share, k.Wall, k.Shares)
					}
				}
				if heavy != c.heavy {
					t.Errorf("%d heavy kernels", heavy)
				}
				checkDevices(t, r, devices)
			}))
		}
	}
}
