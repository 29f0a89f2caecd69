package profile

import (
	"context"
	"errors"
	"fmt"
	"math"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Ceilings are the rates that simple kernels reach on a device, by its own clock.
type Ceilings struct {
	Flops     float64 // float32 operations a second, in chains of products and sums
	Bandwidth float64 // bytes of its memory a second, adding two arrays
}

// chain is how many products and sums each element of the arithmetic kernel takes.
const chain = 512

// CeilingsOf measures a device with two kernels over some elements each: the best of three launches.
func CeilingsOf(ctx context.Context, dev device.Device, dense, wide int) (c Ceilings, err error) {
	chained := stream("chained", dense, 1, func(b *ir.Builder, in []*ir.Node) *ir.Node {
		v := b.F32(0.5)
		for range chain {
			v = b.Add(b.Mul(v, in[0]), b.F32(0.25))
		}
		return v
	})
	added := stream("added", wide, 2, func(b *ir.Builder, in []*ir.Node) *ir.Node { return b.Add(in[0], in[1]) })
	m := &meter{ctx: ctx, dev: dev}
	arithmetic, err := m.metered(chained)
	if err != nil {
		return c, err
	}
	adding, err := m.metered(added)
	return Ceilings{Flops: 2 * chain * float64(dense) / arithmetic, Bandwidth: 3 * floatSize * float64(wide) / adding}, err
}

// metered is the shortest of three launches of all of a kernel, in seconds of the device's clock.
func (m *meter) metered(k *ir.Kernel) (float64, error) {
	defer m.free()
	clock, ok := m.dev.(device.Metered)
	if !ok {
		return 0, fmt.Errorf("%s keeps no clock", m.dev.Info().Name)
	}
	programs, err := m.dev.Compile(m.ctx, []*ir.Kernel{k}, device.Options{})
	if err != nil {
		return 0, err
	}
	launch, err := m.bind(programs[0])
	if err != nil {
		return 0, err
	}
	best := math.Inf(1)
	for range 3 {
		before := clock.Usage().Compute
		if err := launch(k.Domain()); err != nil {
			return 0, err
		}
		best = min(best, (clock.Usage().Compute - before).Seconds())
	}
	if best <= 0 {
		return 0, errors.New(m.dev.Info().Name + " takes no time: describe its flops and bandwidth")
	}
	return best, nil
}
