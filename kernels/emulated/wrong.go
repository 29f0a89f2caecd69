package emulated

import (
	"math"
	"slices"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// damage makes what a launch writes wrong, after it has run.
type damage struct {
	fraction float64 // of the elements
	outputs  []damaged
}

// damaged is one buffer that a launch writes.
type damaged struct {
	buf    *ir.Buffer
	data   []byte
	first  int     // of its cells that are in data
	before []byte  // nil where which elements are written follows from the tile
	boxes  [][]int // of the written elements: least and greatest index, axis by axis
}

// damageTo prepares for damage: where the written elements do not follow from the tile, those are taken that change.
func damageTo(bound *launch.Bound, k *ir.Kernel, t region.Region, fraction float64) *damage {
	d := &damage{fraction: fraction}
	bufs, mem := bound.Written()
	for i, b := range bufs {
		m := mem[i].(*memory)
		out := damaged{buf: b, data: m.data, first: int(m.part.From) / b.Type.Size()}
		for _, s := range k.Stores {
			if s.Buf != b {
				continue
			}
			box, ok := boxOf(k, s, t)
			if !ok {
				out.before = slices.Clone(out.data)
				break
			}
			out.boxes = append(out.boxes, box)
		}
		d.outputs = append(d.outputs, out)
	}
	return d
}

// boxOf is what a store whose indices are axes or constants writes for a tile.
func boxOf(k *ir.Kernel, s ir.Store, t region.Region) (box []int, ok bool) {
	if s.Guard != nil || s.In != nil {
		return nil, false
	}
	for _, n := range s.Index {
		axis := slices.Index(k.Axes, n)
		switch {
		case axis >= 0:
			box = append(box, t[axis].Lo, t[axis].Hi-1)
		case n.Kind == ir.KConst:
			box = append(box, int(n.I), int(n.I))
		default:
			return nil, false
		}
	}
	return box, true
}

// strike does the damage.
func (d *damage) strike() {
	for _, o := range d.outputs {
		if o.before != nil {
			size := o.buf.Type.Size()
			for cell := range len(o.data) / size {
				if !slices.Equal(o.data[cell*size:(cell+1)*size], o.before[cell*size:(cell+1)*size]) {
					d.hit(o, o.first+cell)
				}
			}
			continue
		}
		for _, box := range o.boxes {
			d.box(o, box, 0)
		}
	}
}

// box hits the elements of a box from a cell on, along the axes that are left.
func (d *damage) box(o damaged, box []int, cell int) {
	axis := len(o.buf.Shape) - len(box)/2
	if len(box) == 0 {
		d.hit(o, cell)
		return
	}
	if axis == len(o.buf.Shape)-1 {
		cell += o.buf.Pad.Before
	}
	stride := o.buf.Strides()[axis]
	for i := box[0]; i <= box[1]; i++ {
		d.box(o, box[2:], cell+i*stride)
	}
}

// hit changes a cell, or spares it where a fraction is to be changed: the same cells each time, spread evenly.
func (d *damage) hit(o damaged, cell int) {
	if _, spread := math.Modf(float64(cell) * math.Phi); spread >= d.fraction {
		return
	}
	cell -= o.first
	if o.buf.Type.Float() {
		v := 1.5*device.Float(o.buf.Type, o.data, cell) + 1
		if math.IsNaN(v) {
			v = 1
		}
		device.SetFloat(o.buf.Type, o.data, cell, v)
		return
	}
	device.SetInt(o.buf.Type, o.data, cell, device.Int(o.buf.Type, o.data, cell)^1)
}
