package runtime

import (
	"fmt"

	"weft/kernels/region"
	"weft/ops"
)

// Box implements ops.Host.
func (d *drive) Box(call int, box region.Region) error {
	p := d.programs[call]
	if !p.Boxed || box.Empty() {
		return fmt.Errorf("%s stores no box %v", p.Name, box)
	}
	p.asked++
	p.box = box
	return d.once(func() error { return d.call(p) })
}

// Edit implements ops.Host.
func (d *drive) Edit(change func(of [][]float64) error, boxes ...ops.StateBox) error {
	return d.once(func() error {
		d.settle()
		in, of := make([]ops.HostArray, len(boxes)), make([][]float64, len(boxes))
		for i, p := range boxes {
			if in[i], of[i] = d.host(p.State), make([]float64, p.Box.Points()); len(in[i].Parts) != 1 || in[i].Parts[0].Data == nil {
				return fmt.Errorf("%s is no array of numbers that the host can reach", d.buffer(p.State).Stage)
			}
			in[i].LoadBox(p.Box, of[i])
		}
		if err := change(of); err != nil {
			return err
		}
		for i, p := range boxes {
			in[i].StoreBox(p.Box, of[i])
		}
		return nil
	})
}
