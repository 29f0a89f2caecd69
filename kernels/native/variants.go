package native

import (
	"context"
	"slices"

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
		v, err := d.render(k, s)
		if err != nil { // this kernel has no such schedule
			continue
		}
		if !slices.ContainsFunc(all, func(w *variant) bool { return w.key == v.key }) {
			all = append(all, v)
		}
	}
	if err := d.build(ctx, all); err != nil {
		return nil, err
	}
	out := make([]device.Program, len(all))
	for i, v := range all {
		out[i] = &program{device: d, kernel: k, rule: v.key, variants: []*variant{v}, winner: v}
	}
	return out, nil
}
