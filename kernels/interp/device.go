package interp

import (
	"context"
	"errors"
	"runtime"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Options of the interpreter as a device.
type Options struct{ Mode Mode }

// New is the interpreter as a device: any machine has it, and it is slow.
func New(opt Options) device.Device { return interpreter{opt} }

type interpreter struct{ opt Options }

func (d interpreter) Info() device.Info {
	return device.Info{Name: "interpreter", Kind: "interp", Detail: d.opt.Mode.String() + " arithmetic", Threads: runtime.GOMAXPROCS(0)}
}

// Compile reports all kernels that cannot be compiled.
func (d interpreter) Compile(ctx context.Context, kernels []*ir.Kernel, _ device.Options) ([]device.Program, error) {
	out := make([]device.Program, len(kernels))
	var problems []error
	for i, k := range kernels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := Compile(k, d.opt.Mode)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out[i] = p
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return out, nil
}

func (d interpreter) Alloc(buf *ir.Buffer) (device.Memory, error) {
	m, err := device.NewHostMemory(buf)
	if err != nil {
		return nil, err
	}
	return m, nil
}
