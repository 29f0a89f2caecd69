package fleet_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/native"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/memory"
	"weft/runtime/trace"
)

// onlyLast places only the last kernel, on some devices, and gives it.
func onlyLast(p *bound.Plan, devices []device.Device, weights ...float64) *bound.Kernel {
	var k *bound.Kernel
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kernel != nil {
			s.Kernel.Place = plan.Placement{}
			k = s.Kernel
		}
	}
	for _, d := range devices {
		k.Place.Devices = append(k.Place.Devices, d.Info().Name)
	}
	k.Place.Weights = weights
	return k
}

// Five devices of very different speed finish together: their throughput on the described clock is the sum of their rates, also
// where the plan was wrong about them.
func TestThroughputIsTheSumOfRates(t *testing.T) {
	const text = `
y = axis(y, 0 mm .. 3999 mm in 4000)
x = axis(x, 0 mm .. 31 mm in 32)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm
show(b)
`
	rates := []float64{3e5, 1e5, 5e5, 4e4, 7e5}
	for name, weights := range map[string][]float64{"as described": nil, "all equal": {0.2, 0.2, 0.2, 0.2, 0.2}} {
		t.Run(name, described(func(t *testing.T, cpu *native.Device) {
			var descriptions []string
			sum := 0.0
			for i, r := range rates {
				descriptions = append(descriptions, fmt.Sprintf("{name: d%d, flops: %g, launch: 20us, link: {rate: 1e9, latency: 10us}, pace: 1}", i, r))
				sum += r
			}
			devices := emulatedDevices(t, cpu, descriptions...)
			p := program(t, text, cpu, 0)
			k := onlyLast(p, devices, weights...)
			_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Kernels[len(r.Kernels)-1]
			share := k.Flops / sum / got.Wall
			t.Logf("%.3g of the sum of rates in %.3g s; %d ranges; %+v", share, got.Wall, got.Tiles, got.Shares)
			if share < 0.85 || share > 1.02 {
				t.Errorf("throughput is %.3g of the sum of rates; %+v", share, got.Shares)
			}
		}))
	}
}

// While one tile is computed, the next is uploaded and the one before downloaded; no lane does two things at once.
func TestOverlap(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, "{flops: 1e6, link: {rate: 2e6, latency: 1ms}, pace: 1, memory: 30 KiB}")
		p := program(t, twelve, cpu, 0)
		k := onlyLast(p, devices)
		devices = emulatedDevices(t, cpu, fmt.Sprintf("{flops: %g, link: {rate: 3.2e5}, pace: 1, memory: 30 KiB}", k.Flops/12/5e-3)) // 5 ms for each of the three
		onlyLast(p, devices)
		w := trace.Record()
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Trace: w})
		if err != nil {
			t.Fatal(err)
		}
		type edge struct {
			at   float64
			lane string
			open int
		}
		var edges []edge
		busy := map[string]float64{}
		for _, s := range w.Spans() {
			if s.Lane >= 1000 {
				start, end := math.Round(s.Start*1e9), math.Round((s.Start+s.Seconds)*1e9)
				edges = append(edges, edge{start / 1e9, s.Category, 1}, edge{end / 1e9, s.Category, -1})
				busy[s.Category] += s.Seconds
			}
		}
		slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.open, b.open)) })
		open := map[string]int{}
		three, before := 0.0, 0.0
		for _, e := range edges {
			if open["upload"] > 0 && open["compute"] > 0 && open["download"] > 0 {
				three += e.at - before
			}
			before = e.at
			if open[e.lane] += e.open; open[e.lane] > 1 {
				t.Errorf("two %ss at once", e.lane)
			}
		}
		t.Log(lanesOf(w.Spans(), 2.5e-3))
		wall := r.Kernels[len(r.Kernels)-1].Wall
		sum := busy["upload"] + busy["compute"] + busy["download"]
		t.Logf("%.3g s for %.3g s of work; all three lanes at once for %.3g s; %v", wall, sum, three, busy)
		if len(busy) != 3 || three < 0.3*wall || wall > 0.6*sum {
			t.Errorf("%.3g s for %.3g s of work; all three lanes at once for %.3g s; %v", wall, sum, three, busy)
		}
	})(t)
}

// lanesOf draws what a device did, a column a time step: a, b, c for the first, second and third piece of work on a lane.
func lanesOf(spans []trace.Span, step float64) string {
	begin := math.Inf(1)
	lines := map[string][]byte{"upload": nil, "compute": nil, "download": nil}
	for _, s := range spans {
		if s.Lane >= 1000 {
			begin = min(begin, s.Start)
		}
	}
	next := map[string]byte{}
	for _, s := range slices.SortedFunc(slices.Values(spans), func(a, b trace.Span) int { return cmp.Compare(a.Start, b.Start) }) {
		if s.Lane < 1000 {
			continue
		}
		line := lines[s.Category]
		for from, to := int(math.Round((s.Start-begin)/step)), int(math.Round((s.Start+s.Seconds-begin)/step)); len(line) < to; {
			mark := byte(' ')
			if len(line) >= from {
				mark = 'a' + next[s.Category]%26
			}
			line = append(line, mark)
		}
		next[s.Category]++
		lines[s.Category] = line
	}
	return fmt.Sprintf("a column is %g ms\nupload   %s\ncompute  %s\ndownload %s", 1e3*step, lines["upload"], lines["compute"], lines["download"])
}

// Ranges of a device's own choosing overlap too: where copying in, computing and copying out take as long as each other, all takes
// little longer than one of them.
func TestOwnRangesOverlap(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		const text = "y = axis(y, 0 mm .. 1 mm in 2000)\nx = axis(x, 0 mm .. 1 mm in 64)\na = sqrt(y ^ 2 + x ^ 2) @keep\nshow(a ^ 3 + x ^ 3)"
		const each = 0.3 // seconds
		k := onlyLast(program(t, text, cpu, 0), nil)
		devices := emulatedDevices(t, cpu, fmt.Sprintf("{flops: %g, link: {rate: %g}, pace: 1}", k.Flops/each, 2000*64*4/each))
		p := program(t, text, cpu, 0)
		onlyLast(p, devices)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices})
		if err != nil {
			t.Fatal(err)
		}
		if wall := r.Kernels[len(r.Kernels)-1].Wall; wall > 1.6*each || wall < each {
			t.Errorf("%.3g s, with %.3g s on each lane; %+v", wall, each, r.Devices)
		} else {
			t.Logf("%.3g s, with %.3g s on each lane; %d ranges", wall, each, r.Devices[0].Ranges)
		}
	})(t)
}

// Without page-locked memory, be it refused by the device or by the budget, the result is the same to the bit.
func TestPinsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"city":   shipped(t, "skyview/city.weft", "size    = 400", "size    = 48", "patches = 153", "patches = 145"),
		"volume": shipped(t, "beamform/volume.weft", "in 64", "in 14", "in 128", "in 20", "nx: 32, ny: 32", "nx: 12, ny: 12"),
	} {
		t.Run(name, func(t *testing.T) { refusePins(t, text) })
	}
}

func refusePins(t *testing.T, text string) {
	cpu := host(t)
	var want seen
	for _, c := range []struct {
		name, device string
		tight        bool
		refused      bool
	}{
		{"granted", "{memory: 16 MiB}", false, false},
		{"refused by the device", "{memory: 16 MiB, link: {pinned: false}}", false, true},
		{"refused now and then", "{memory: 16 MiB, failures: [{on: pin, at: 1}, {on: pin, at: 3, until: 5}]}", false, true},
		{"no room in the budget", "{memory: 16 MiB}", true, true},
	} {
		devices := emulatedDevices(t, cpu, c.device)
		p := program(t, text, cpu, 0, devices...)
		budget := p.Totals.PeakBytes
		if !c.tight {
			budget += 1 << 30
		}
		g := memory.NewGovernor(budget)
		got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Memory: g, Strict: true, Verify: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if want == nil {
			want = got
		}
		if apart := got.apart(t, want); apart > 0 {
			t.Errorf("%s: %g apart", c.name, apart)
		}
		if u := r.Devices[0]; (u.PinsRefused > 0) != c.refused || g.Granted() != 0 {
			t.Errorf("%s: %+v, %v", c.name, u, g.Granted())
		}
		checkDevices(t, r, devices)
	}
}

// Axes longer than a grid may have blocks in y and z, either way round.
func TestLongAxes(t *testing.T) {
	cpu := host(t)
	for _, shape := range [][2]int{{70000, 3}, {3, 70000}} {
		text := fmt.Sprintf("y = axis(y, 0 mm .. 1 mm in %d)\nx = axis(x, 0 mm .. 2 mm in %d)\na = sqrt(y ^ 2 + x ^ 2) @keep\nshow(a * 3 + x)", shape[0], shape[1])
		want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu), Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		devices := emulatedDevices(t, cpu, "{max_grid: [65535, 65535, 65535]}", "{max_grid: [9, 9, 9], memory: 100 KiB}", "{memory: 30 KiB}")
		got, r, err := run(t, program(t, text, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if apart := got.apart(t, want); apart > 1e-6 {
			t.Errorf("%v: %g apart", shape, apart)
		}
		checkDevices(t, r, devices)
	}
}
