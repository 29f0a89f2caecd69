package fleet_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/kernels/native"
	"weft/planner/bound"
	"weft/runtime"
)

// h200 describes a GPU by what an H200 is expected to reach, and everything but latencies by so many times less, for problems that are as much smaller: work
// by one factor, arrays, and the multiprocessors that they lie on, by another. Times are those of the whole problem on the whole GPU. Operations a second are those at
// which 12.88 instructions a pair and frame, as docs/gpu.md counts for several devices, take three quarters of what 132 multiprocessors issue at 1.98 GHz: 8.8 ms for 32 frames of
// 64 x 64 x 128 points and 1,024 elements. The host is taken to have memory for all links at once. A
// graph is taken to take as long to launch as one kernel, and 1 us for each besides; public figures are 3.5 us, and 0.9 for a short kernel with all that it does (docs/gpu.md).
func h200(count int, work, arrays float64) string {
	return fmt.Sprintf("{name: h200, count: %d, pace: 1, memory: 4 GiB, sms: %d, resident: 2048, launch: 4us, shortest: 2us, graph: {launch: 4us, node: 1us, make: 20us}, sync: 25us, "+
		"flops: %g, bandwidth: %g, link: {rate: %g, latency: 8us}}", count, int(132/arrays+0.5), 25.2e12/work, 4.3e12/arrays, 50e9/arrays)
}

// A kernel is one launch on one device where copies take little beside it: as the shipped volume's, made small.
func TestOneLaunchAKernel(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		text := shipped(t, "beamform/volume.weft", "in 64", "in 32", "in 128", "in 32", "nx: 32, ny: 32", "nx: 8, ny: 8")
		devices := emulatedDevices(t, cpu, h200(1, 256, 16))
		p := planned(t, text, "gpu", cpu, devices)
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		heaviest := r.Kernels[0]
		for _, k := range r.Kernels {
			t.Logf("%s: %d launches, %.3g ms", k.Name, k.Tiles, 1e3*k.Wall)
			if k.Flops > heaviest.Flops {
				heaviest = k
			}
		}
		if u := r.Devices[0]; heaviest.Shares[0].Ranges > 2 || u.Launches > int64(2*len(r.Kernels)) {
			t.Errorf("%d launches of %s, %d of all %d kernels", heaviest.Shares[0].Ranges, heaviest.Name, u.Launches, len(r.Kernels))
		}
	})(t)
}

// batch is 32 frames of a volume's echoes, which the host has.
const batch = `
probe = matrix_probe(nx: 8, ny: 8, pitch: 0.3 mm, width: 0.25 mm)
grid  = box(x: -5 mm .. 5 mm in 16, y: -5 mm .. 5 mm in 16, z: 20 mm .. 25 mm in 32)
one   = simulate.echoes(probe, [point(z: 22 mm)], fc: 3 MHz, fs: 12 MHz, samples: 140, start: 25 us) @device(cpu)
iq    = axis(frame, 1 .. 2 in 32) * one @keep @device(cpu)
show(iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 25 us) @device(gpu))
`

// 32 frames on several devices take little more than their part of the time of one, and are the same to the bit.
func TestFramesOverDevices(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		var one seen
		var alone float64
		for _, c := range []struct {
			devices int
			least   float64
		}{{1, 1}, {4, 3.2}, {8, 5.5}} {
			devices := emulatedDevices(t, cpu, h200(c.devices, 1024, 64))
			p := planned(t, batch, "", cpu, devices)
			block := map[int]int{1: 0, 4: 8, 8: 4}[c.devices] // of the frames that a device has, as many as a thread or two take
			if i := slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Innermost == 1 }); i < 0 || p.Buffers[i].Block != block {
				t.Errorf("%d devices: no array with %d frames innermost", c.devices, block)
			}
			start := time.Now()
			got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
			wall := time.Since(start).Seconds() // on a clock that stands still where no device is waited for
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range r.Kernels {
				if len(k.Shares) > 0 {
					t.Logf("%d devices: %s on %d, %.3g ms, %d launches, %.3g flops", c.devices, k.Name, len(k.Shares), 1e3*k.Wall, k.Tiles, k.Flops)
				}
			}
			if one == nil {
				one, alone = got, wall
			}
			t.Logf("%d devices: %.3g ms, %.3g times as fast as one", c.devices, 1e3*wall, alone/wall)
			if apart := got.apart(t, one); apart > 0 || alone/wall < c.least {
				t.Errorf("%d devices: %.3g times as fast, %g apart", c.devices, alone/wall, apart)
			}
			checkDevices(t, r, devices)
		}
	})(t)
}
