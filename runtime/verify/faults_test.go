package verify

import (
	"context"
	"slices"
	"sync/atomic"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// faulty is the interpreter, with faults: compile may change kernels, after may change what a launch stored.
type faulty struct {
	device.Device
	compile func(*ir.Kernel) *ir.Kernel
	after   func(*ir.Kernel, device.Bindings, region.Region)
}

func newFaulty() *faulty { return &faulty{Device: interp.New(interp.Options{})} }

func (f *faulty) Compile(ctx context.Context, ks []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	if f.compile != nil {
		ks = slices.Clone(ks)
		for i, k := range ks {
			ks[i] = f.compile(k)
		}
	}
	programs, err := f.Device.Compile(ctx, ks, opt)
	for i, p := range programs {
		programs[i] = &faultyProgram{p, f}
	}
	return programs, err
}

type faultyProgram struct {
	device.Program
	of *faulty
}

func (p *faultyProgram) Bind(b device.Bindings) (func(region.Region) error, error) {
	launch, err := p.Program.Bind(b)
	if err != nil || p.of.after == nil {
		return launch, err
	}
	return func(t region.Region) error {
		err := launch(t)
		p.of.after(p.Kernel(), b, t)
		return err
	}, nil
}

// lying renders kernels that store a wrong value in one of every hundred elements, all over the array; which ones depends on
// the salt.
func lying(salt int) func(*ir.Kernel) *ir.Kernel {
	return func(k *ir.Kernel) *ir.Kernel {
		b := ir.Extend(k.Roots())
		wrong := b.I32(salt)
		for i, a := range k.Axes {
			wrong = b.Alu(ir.BitXor, b.Mul(wrong, b.I32(16777619)), b.Mul(b.Add(a, b.I32(i+1)), b.I32(-1640531535)))
			wrong = b.Alu(ir.BitXor, wrong, b.Alu(ir.Ushr, wrong, b.I32(15)))
		}
		one := b.Alu(ir.Eq, b.Alu(ir.Mod, wrong, b.I32(100)), b.I32(7))
		out := k.Copy()
		for i, s := range out.Stores {
			if s.Value.Type.Float() {
				c := func(v float64) *ir.Node { return b.Const(s.Value.Type, v) }
				out.Stores[i].Value = b.Select(one, b.Add(b.Mul(s.Value, c(1.25)), c(0.25)), s.Value)
			}
		}
		return out
	}
}

// corrupting adds to everything that the n-th launch of the last kernel stored.
func corrupting(name string, n int) func(*ir.Kernel, device.Bindings, region.Region) {
	var launches atomic.Int64 // by several threads
	return func(k *ir.Kernel, b device.Bindings, t region.Region) {
		if k.Name != name {
			return
		}
		if launches.Add(1) != int64(n)+1 {
			return
		}
		buf := k.Outputs()[0]
		host, strides := b.Mem[buf].Host(), buf.Strides()
		var walk func(axis, at int)
		walk = func(axis, at int) {
			if axis == len(t) {
				device.SetFloat(buf.Type, host, at, device.Float(buf.Type, host, at)+0.5)
				return
			}
			for i := t[axis].Lo; i < t[axis].Hi; i++ {
				walk(axis+1, at+i*strides[axis])
			}
		}
		walk(0, buf.Pad.Before)
	}
}
