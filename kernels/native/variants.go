package native

import (
	"context"
	"slices"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Variants compiles a kernel under every schedule worth measuring and the scalar one, the schedule in use first, for tests of
// one against the other.
func (d *Device) Variants(ctx context.Context, k *ir.Kernel) ([]device.Program, error) {
	used, err := d.plan(k, device.Options{})
	if err != nil {
		return nil, err
	}
	all := []*variant{used.current()}
	for _, s := range append(schedule.Candidates(k, d.target), schedule.CPU{}) {
		v, err := d.fitting(k, s)
		if err != nil { // this kernel has no such schedule
			continue
		}
		if !slices.ContainsFunc(all, func(w *variant) bool { return w.key == v.key }) {
			all = append(all, v)
		}
	}
	small, err := d.smalls(all)
	if err != nil {
		return nil, err
	}
	if err := d.build(ctx, append(small, all...), nil); err != nil {
		return nil, err
	}
	out := make([]device.Program, len(all))
	for i, v := range all {
		out[i] = &program{device: d, kernel: k, rule: v.key, variants: []*variant{v}, winner: v}
	}
	return out, nil
}

// smalls are what some variants need for small tiles.
func (d *Device) smalls(of []*variant) (out []*variant, err error) {
	for _, v := range of {
		if v.out.Least == nil {
			continue
		}
		small, err := d.render(v.kernel, v.schedule, c.Way{Small: true})
		if err != nil {
			return nil, err
		}
		out = append(out, small)
	}
	return out, nil
}
