package verify

import (
	"context"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
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
		out = append(out, Native(d, i == 0))
	}
	return out, nil
}

// Interpreter is the definition of the kernel language, at sampled points.
func Interpreter() Subject {
	dev := interp.New(interp.Options{})
	return Subject{Name: "interpreter", Pointwise: true, Alloc: dev.Alloc, Variants: func(ctx context.Context, k *ir.Kernel) ([]Variant, error) {
		p, err := dev.Compile(ctx, []*ir.Kernel{k}, device.Options{})
		if err != nil {
			return nil, err
		}
		return []Variant{{Program: p[0]}}, nil
	}}
}

// Native is a CPU device; with all its schedules, or only the one in use.
func Native(d *native.Device, all bool) Subject {
	return Subject{Name: "cpu " + d.Target().ISA, Alloc: d.Alloc, Variants: func(ctx context.Context, k *ir.Kernel) ([]Variant, error) {
		programs, err := d.Variants(ctx, k)
		if err != nil {
			return nil, err
		}
		if !all {
			programs = programs[:1]
		}
		var out []Variant
		for _, p := range programs {
			out = append(out, Variant{Name: p.Report().Schedule, Program: p})
		}
		return out, nil
	}}
}
