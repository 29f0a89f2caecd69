package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Policy says how a device is tested. The zero value asks for everything.
type Policy struct {
	Tune  bool                   // compile with tuning
	Scale float64                // multiplies tolerances; 0 is 1. Equal bits stay equal bits
	Only  func(name string) bool // cases to run; nil: all
	Apart bool                   // the device has no fused multiply-add: cases of equal bits that are contracted are left out
}

// Run compares a device with the interpreter on every case.
func Run(t *testing.T, dev device.Device) {
	t.Helper()
	RunWith(t, dev, Policy{})
}

// RunWith is Run under a policy. Kernels are compiled in one call; if that fails, one by one to tell which.
func RunWith(t *testing.T, dev device.Device, p Policy) {
	t.Helper()
	var cases []Case
	var kernels []*ir.Kernel
	for _, c := range Cases() {
		if (p.Only == nil || p.Only(c.Name)) && !(p.Apart && c.Kernel.Contract && c.Within == exactly) {
			cases, kernels = append(cases, c), append(kernels, c.Kernel)
		}
	}
	opt := device.Options{Tune: p.Tune, Small: true}
	programs, err := dev.Compile(t.Context(), kernels, opt)
	if err == nil && len(programs) != len(kernels) {
		t.Fatalf("%d kernels make %d programs", len(kernels), len(programs))
	}
	if err != nil {
		t.Errorf("compiling all kernels together: %v", err)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var program device.Program
			if err == nil {
				program = programs[i]
			} else {
				one, err := dev.Compile(t.Context(), []*ir.Kernel{c.Kernel}, opt)
				if err != nil {
					t.Fatalf("%v\n%s", err, c.Kernel)
				}
				program = one[0]
			}
			for _, problem := range c.compare(dev, program, p) {
				t.Error(problem)
			}
			if t.Failed() && testing.Verbose() {
				t.Logf("%s\nschedule %s", c.Kernel, program.Report().Schedule)
			}
		})
	}
}

// compare runs one case on the interpreter and on the device, whole and in tiles, and says what is wrong.
func (c Case) compare(dev device.Device, program device.Program, p Policy) (problems []error) {
	if program.Kernel() != c.Kernel {
		return []error{errors.New("the program is of another kernel")}
	}
	want, err := c.define()
	defer want.free()
	if err != nil {
		return []error{fmt.Errorf("interpreter: %w", err)}
	}
	scale := p.Scale
	if scale == 0 {
		scale = 1
	}
	within := Tolerance{c.Within.ULP * scale, c.Within.Abs * scale}
	for _, plan := range []struct {
		name  string
		tiles []region.Region
	}{
		{"whole", []region.Region{c.Kernel.Domain()}},
		{"tiles", c.tiles(program.Step())},
	} {
		if err := c.runOn(dev, program, plan.tiles, want, within); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", plan.name, err))
		}
	}
	return problems
}

// define runs the case on the interpreter.
func (c Case) define() (*arena, error) {
	a, err := c.setUp(interp.New(interp.Options{}))
	if err != nil {
		return a, err
	}
	p, err := interp.Compile(c.Kernel, interp.Exact)
	if err != nil {
		return a, err
	}
	return a, a.launch(p, []region.Region{c.Kernel.Domain()})
}

// runOn runs the case on a device with memory of its own.
func (c Case) runOn(dev device.Device, program device.Program, tiles []region.Region, want *arena, within Tolerance) error {
	got, err := c.setUp(dev)
	defer got.free()
	if err != nil {
		return err
	}
	if err := got.launch(program, tiles); err != nil {
		return err
	}
	if d := got.differences(want, within); len(d) > 0 {
		return errors.New(report(d))
	}
	return nil
}

// tiles cuts the kernel's axes at random multiples of the program's step, in random order.
func (c Case) tiles(step []int) []region.Region {
	rng := rand.New(rand.NewPCG(11, uint64(len(c.Kernel.Axes))))
	tiles := []region.Region{{}}
	for d, a := range c.Kernel.Axes {
		var ranges region.Region
		for lo := 0; lo < a.Extent; {
			hi := min(lo+max(1, step[d])*(1+rng.IntN(3)), a.Extent)
			if len(ranges) == 3 {
				hi = a.Extent
			}
			ranges = append(ranges, region.Interval{Lo: lo, Hi: hi})
			lo = hi
		}
		var next []region.Region
		for _, t := range tiles {
			for _, r := range ranges {
				next = append(next, append(t[:d:d], r))
			}
		}
		tiles = next
	}
	rng.Shuffle(len(tiles), func(i, j int) { tiles[i], tiles[j] = tiles[j], tiles[i] })
	return tiles
}

// report shows the first few of a list of problems.
func report(problems []string) string {
	const shown = 6
	s := fmt.Sprintf("%d differences", len(problems))
	for _, p := range problems[:min(shown, len(problems))] {
		s += "\n\t" + p
	}
	return s
}
