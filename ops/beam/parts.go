package beam

import "weft/ops"

// PartNames are what is told of a probe by names.
func (p *Probe) PartNames() []string {
	names := []string{"x", "y", "z"}
	if p.Width > 0 {
		names = append(names, "look", "width")
	}
	if p.Height > 0 {
		names = append(names, "height")
	}
	return names
}

// Part is the elements' places along an axis, an array over `element` or one length of all; the way that they look, which points have
// not; or their size.
func (p *Probe) Part(name string) ops.Value {
	switch name {
	case "x":
		return p.places(p.X)
	case "y":
		return p.places(p.Y)
	case "z":
		return p.places(p.Z)
	case "look":
		r := ops.Record{Fields: map[string]ops.Value{}}
		for i, name := range axisNames {
			r.Put(name, ops.Number{V: float64(i / 2), Int: true}) // they all look along z
		}
		return r
	case "width":
		return millimetre(p.Width)
	case "height":
		return millimetre(p.Height)
	}
	return nil
}

// places are lengths of elements; of a single element they are an array too, so that there is one with its dimension.
func (p *Probe) places(v []float64) ops.Value {
	if constant(v) && (len(v) > 1 || &v[0] != &p.X[0]) {
		return millimetre(v[0])
	}
	list := make(ops.List, len(v))
	for i, x := range v {
		list[i] = millimetre(x)
	}
	return ops.Made{By: "array", From: []ops.Value{list, ops.Symbol("element")}}
}

func millimetre(v float64) ops.Value { return ops.Number{V: v, Unit: ops.MustUnit("mm")} }

// PartNames are the axes of a grid.
func (g *Grid) PartNames() []string { return axisNames[:] }

// Part is the places along an axis: an array over the dimension of its name, or the length of one that is fixed.
func (g *Grid) Part(name string) ops.Value {
	for i, a := range g.Axes {
		switch {
		case axisNames[i] != name:
		case a.Fixed:
			return a.at
		default:
			return ops.Made{By: "axis", From: []ops.Value{ops.Symbol(name), a.at}}
		}
	}
	return nil
}
