package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"weft/kernels/device"
	"weft/kernels/profile"
	"weft/lang/check"
	"weft/ops/amount"
	weft "weft/runtime"
	"weft/runtime/result"
	"weft/runtime/session"
)

type gpuReportCommand struct {
	deviceFlags
	Device string `placeholder:"NAME" help:"Device to measure (default: the first)."`
	Small  bool   `help:"Sizes that an emulated device can do."`
}

// benchmark is a pipeline whose heaviest kernel is measured.
type benchmark struct {
	name string
	text string
	work float64 // that the kernel does, in units
	unit string
	aim  string
}

// benchmarks are those that docs/gpu.md lists; small ones are for emulated devices.
func benchmarks(small bool) []benchmark {
	points, deep, probe, frames, pixels := 64, 128, 32, 32, 1000
	if small {
		points, deep, probe, frames, pixels = 8, 16, 8, 4, 64
	}
	pairs := float64(points*points*deep) * float64(probe*probe)
	volume := func(frames string) string {
		return fmt.Sprintf(`probe = matrix_probe(nx: %d, ny: %d, pitch: 0.3 mm, width: 0.25 mm)
grid = box(x: -10 mm .. 10 mm in %d, y: -10 mm .. 10 mm in %d, z: 20 mm .. 40 mm in %d)
targets = [point(z: 30 mm), point(x: 3 mm, y: -2 mm, z: 24 mm, amplitude: 0.7), point(x: -4 mm, y: 3 mm, z: 27 mm, amplitude: 0.5)]
iq = simulate.echoes(probe, targets, fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us, noise: -60 dB, seed: 7)
iq%s | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us) | envelope | write("volume.npy")
`, probe, probe, points, points, deep, frames)
	}
	sky := fmt.Sprintf("city = simulate.city(y: %d, x: %[1]d, seed: 3, pixel: 1 m)\n"+
		"sky = city.dsm | skyview(patches: 153)\nsky.total | write(\"sky.npy\")\n", pixels)
	return []benchmark{
		{fmt.Sprintf("beamform, %d x %d x %d points, %d elements, a frame", points, points, deep, probe*probe),
			volume(""), pairs, "pairs/s", ">= 600 Gpairs/s on an H200"},
		{fmt.Sprintf("the same, %d frames", frames),
			volume(fmt.Sprintf(" * axis(frame, 1 .. 2 in %d)", frames)), pairs * float64(frames), "pairs/s", ">= 1,500 Gpairs/s on an H200"},
		{fmt.Sprintf("skyview, %d x %d pixels, 153 patches", pixels, pixels), sky, 153 * float64(pixels*pixels), "rays/s", "<= 3 ms"},
	}
}

// Run measures a device and prints a section of docs/gpu.md.
func (c gpuReportCommand) Run(ctx context.Context, s *streams) error {
	config := c.config(s)
	config.Device = c.Device
	se, err := session.Open(config)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(se.Accelerators(), func(d device.Device) bool { return c.Device == "" || d.Info().Name == c.Device })
	if at < 0 {
		return fmt.Errorf("there is no GPU %s to measure: %s", c.Device, cmp.Or(se.NoCUDA(), "see `weft devices`"))
	}
	d := se.Accelerators()[at]
	se.Only(d)
	dense, wide := 1<<24, 1<<26
	if c.Small {
		dense, wide = 1<<16, 1<<22
	}
	top, err := profile.CeilingsOf(ctx, d, dense, wide)
	if err != nil {
		return err
	}
	c.head(s.out, d, top)
	for _, b := range benchmarks(c.Small) {
		if err := c.measure(ctx, s, se, b, top); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return nil
}

func (c gpuReportCommand) head(w io.Writer, d device.Device, top profile.Ceilings) {
	i := d.Info()
	fmt.Fprintf(w, "## %s: %s\n\n", i.Name, i.Detail)
	if i.Kind == "emulated" {
		fmt.Fprint(w, "**EMULATED: no GPU was there. Times on the device follow from its description, and say nothing about hardware.**\n\n")
	}
	fmt.Fprintf(w, "weft %s, %s. Measured ceilings: %s and %s. Computing and copies by the device's clock, the rest on the wall.\n"+
		"The first columns are of the heaviest kernel; operations and bytes are those that its definition asks for, before culling and caches, "+
		"so that shares may exceed 100 %%.\n\n",
		version(), time.Now().UTC().Format("2006-01-02"), amount.Of(top.Flops, "flop/s"), amount.Of(top.Bandwidth, "B/s"))
	fmt.Fprintln(w, "| pipeline | run | computing | rate | rate on the wall | of flop/s | of bandwidth | run: computing | copies in | copies out | "+
		"kernel on the wall | run on the wall | worst error | aim |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|")
}

// measure runs a benchmark for the first time and once more.
func (c gpuReportCommand) measure(ctx context.Context, s *streams, se *session.Session, b benchmark, top profile.Ceilings) error {
	for _, run := range []string{"first", "warm"} {
		start := time.Now()
		r, err := c.run(ctx, s, se, b)
		if err != nil {
			return err
		}
		wall := time.Since(start).Seconds()
		k := slices.MaxFunc(r.Kernels, func(a, b result.Kernel) int { return cmp.Compare(a.Flops, b.Flops) })
		if len(k.Shares) != 1 || len(r.Fallbacks) > 0 {
			return fmt.Errorf("%s did not run on the device alone: %+v", k.ID, r.Fallbacks)
		}
		t, all := k.Shares[0], r.Devices[0]
		cells := []string{b.name, run, amount.Seconds(t.Compute), amount.Of(b.work/t.Compute, b.unit), amount.Of(b.work/k.Wall, b.unit),
			percent(k.Flops / t.Compute / top.Flops), percent(float64(k.Bytes) / t.Compute / top.Bandwidth)}
		for _, took := range []float64{all.Compute, all.Upload, all.Download, k.Wall, wall} {
			cells = append(cells, amount.Seconds(took))
		}
		fmt.Fprintf(s.out, "| %s | %s | %s |\n", strings.Join(cells, " | "), worstOf(r), b.aim)
	}
	return nil
}

// run plans a benchmark for the device alone and runs it; what it computes is checked, and not written.
func (c gpuReportCommand) run(ctx context.Context, s *streams, se *session.Session, b benchmark) (*result.Result, error) {
	prog := session.CheckText("benchmark.weft", []byte(b.text), check.Options{})
	p, err := se.Plan(ctx, prog, session.PlanOptions{})
	if err != nil {
		return nil, err
	}
	return se.Run(ctx, prog, p, weft.Options{Strict: true, Verify: true, Discard: true,
		Terminal: terminalOf(io.Discard), Progress: progressOn(s.err)})
}

// worstOf is the error nearest to its tolerance.
func worstOf(r *result.Result) string {
	text, most := "-", -1.0
	for _, p := range r.Parity {
		if share := p.Worst / p.Tolerance; p.Skipped == "" && share > most {
			most = share
			text = strings.TrimSpace(fmt.Sprintf("%.2g of %.2g %s", p.Worst, p.Tolerance, cmp.Or(p.Unit, string(p.Metric))))
		}
	}
	return text
}

func percent(share float64) string {
	if math.IsInf(share, 0) || math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.3g %%", 100*share)
}
