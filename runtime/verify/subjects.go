package verify

import (
	"context"
	"maps"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/runtime"
	"weft/runtime/exec"
)

// Here are the subjects of this machine: the interpreter, and every instruction set that compiler and processor share, the best
// one in all its schedules.
func Here(c native.Config) ([]Subject, error) {
	out := []Subject{Interpreter()}
	for i, isa := range native.Available(c) {
		c.ISA = isa
		d, err := native.New(c)
		if err != nil {
			return nil, err
		}
		s := Host("cpu "+isa, d, d.Variants)
		if i > 0 {
			s = Host("cpu "+isa, d, nil)
		}
		out = append(out, s)
	}
	return out, nil
}

// Interpreter is the definition of the kernel language, at sampled points.
func Interpreter() Subject {
	s := Host("interpreter", interp.New(interp.Options{}), nil)
	s.Pointwise = true
	return s
}

// Host is a device in the host's memory, with the programs of a kernel that are given; nil: with the one that it compiles.
func Host(name string, d device.Device, programs func(context.Context, *ir.Kernel) ([]device.Program, error)) Subject {
	if programs == nil {
		programs = func(ctx context.Context, k *ir.Kernel) ([]device.Program, error) {
			return d.Compile(ctx, []*ir.Kernel{k}, device.Options{Small: true})
		}
	}
	variants := func(ctx context.Context, i *runtime.Inspection) (out []Variant, release func(), err error) {
		made, err := programs(ctx, i.Step.Kernel.IR)
		for _, p := range made {
			run := func(ctx context.Context, tiles []region.Region, own map[*ir.Buffer]device.Memory) error {
				return sweep(ctx, i, p, tiles, own)
			}
			out = append(out, Variant{Name: p.Report().Schedule, Tiles: i.Step.Kernel.TileSet, Run: run})
		}
		return out, nil, err
	}
	return Subject{Name: name, Alloc: d.Alloc, Variants: variants}
}

// sweep launches a program over tiles on all threads, with memory of its own for some buffers.
func sweep(ctx context.Context, i *runtime.Inspection, p device.Program, tiles []region.Region, instead map[*ir.Buffer]device.Memory) error {
	mem := maps.Clone(i.Arrays.Memory) // the tables that bound what the kernel loads among them
	maps.Copy(mem, instead)
	launch, err := p.Bind(device.Bindings{Mem: mem})
	if err != nil {
		return err
	}
	s := &exec.Sweep{Name: p.Kernel().Name, Bound: exec.Bound{Launch: launch}, Threads: i.Threads}
	if err := s.Run(ctx, tiles); err != nil {
		return err
	}
	return s.Fault
}
