package cli

import (
	"context"
	"errors"
	"fmt"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// ceilings are the rates that simple kernels reach on a device.
type ceilings struct {
	flops     float64 // float32 operations a second, in chains of products and sums
	bandwidth float64 // bytes of its memory a second, adding two arrays
}

// chain is how many products and sums each element of the arithmetic kernel takes.
const chain = 512

// ceilingsOf measures a device with two kernels over some elements each: the best of three launches, by its own clock.
func ceilingsOf(ctx context.Context, d device.Device, dense, wide int) (c ceilings, err error) {
	arithmetic, err := best(ctx, d, chained(dense))
	if err != nil {
		return c, err
	}
	adding, err := best(ctx, d, added(wide))
	if err != nil {
		return c, err
	}
	return ceilings{flops: 2 * chain * float64(dense) / arithmetic, bandwidth: 12 * float64(wide) / adding}, nil
}

// chained is x -> (((x x + c) x + c) ...): arithmetic, and next to no memory.
func chained(n int) *ir.Kernel {
	b := ir.NewBuilder()
	in, out := f32Buffer("in", n), f32Buffer("out", n)
	x := b.Axis("x", n)
	at, v := b.Load(in, x), b.F32(0.5)
	for range chain {
		v = b.Add(b.Mul(v, at), b.F32(0.25))
	}
	return &ir.Kernel{Name: "chained", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: v}}, Contract: true}
}

// added is the sum of two arrays: twelve bytes an element, and next to no arithmetic.
func added(n int) *ir.Kernel {
	b := ir.NewBuilder()
	left, right, out := f32Buffer("left", n), f32Buffer("right", n), f32Buffer("out", n)
	x := b.Axis("x", n)
	return &ir.Kernel{Name: "added", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: b.Add(b.Load(left, x), b.Load(right, x))}}}
}

func f32Buffer(name string, n int) *ir.Buffer {
	return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{n}}
}

// best is the shortest of three launches of all of a kernel, in seconds of the device's clock.
func best(ctx context.Context, d device.Device, k *ir.Kernel) (seconds float64, err error) {
	clock, ok := d.(device.Metered)
	if !ok {
		return 0, fmt.Errorf("%s keeps no clock", d.Info().Name)
	}
	programs, err := d.Compile(ctx, []*ir.Kernel{k}, device.Options{})
	if err != nil {
		return 0, err
	}
	bind := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	defer func() {
		for _, m := range bind.Mem {
			m.Free()
		}
	}()
	for _, b := range k.Buffers() {
		if bind.Mem[b], err = d.Alloc(b); err != nil {
			delete(bind.Mem, b)
			return 0, err
		}
	}
	launch, err := programs[0].Bind(bind)
	if err != nil {
		return 0, err
	}
	for range 3 {
		before := clock.Usage().Compute
		if err := launch(k.Domain()); err != nil {
			return 0, err
		}
		if took := (clock.Usage().Compute - before).Seconds(); seconds == 0 || took < seconds {
			seconds = took
		}
	}
	if seconds <= 0 {
		return 0, errors.New(d.Info().Name + " takes no time: describe its flops and bandwidth")
	}
	return seconds, nil
}
