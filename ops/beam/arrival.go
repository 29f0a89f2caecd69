package beam

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// arrival builds the stage of transmit arrivals: for each shot and point, when the wave gets there, in samples.
type arrival struct {
	*geometry
	inputs []*ops.Stage
	at     func(b *ops.Body, shot *ir.Node, p point, index []*ir.Node) *ir.Node
}

// lowerArrival defines the stage, with dims transmit (if there are several) and those of the grid.
func lowerArrival(g *geometry) *ops.Stage {
	a := &arrival{geometry: g, inputs: g.tables()}
	if g.law != nil {
		g.law.lower(a)
	} else {
		a.lowerGiven()
	}
	t := ops.Type{Elem: ops.F32, Dims: g.grid.Dims()}
	several := g.shots() > 1
	if several {
		t.Dims = append([]ops.Dim{{Name: "transmit", Size: g.shots()}}, t.Dims...)
	}
	s := g.l.Stage("arrival", t, a.inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		shot := b.I32(0)
		if several {
			shot, index = index[0], index[1:]
		}
		return ops.Real(a.at(b, shot, g.point(b, index), index))
	})
	s.Steps = []string{"transmit"}
	return s
}

// perShot is a table of one value a shot; a single shot needs none.
func (a *arrival) perShot(name string, values []float64) coordinate {
	c := coordinate{value: values[0]}
	if !constant(values) {
		c.table = a.l.Table(name, ir.F32, values, ops.Dim{Name: "transmit", Size: len(values)})
		a.inputs = append(a.inputs, c.table)
	}
	return c
}

// lower of first_arrival. Elements of one depth that fire together need no second pass over the elements for every point:
// the first to be heard is the nearest in (x, y), whatever the depth of the point.
func (f firstArrival) lower(a *arrival) {
	together := a.probe.flat()
	for _, t := range f.delays {
		together = together && (t == nil || constant(t))
	}
	if together {
		f.lowerTogether(a)
		return
	}
	e := a.probe.Elements()
	delays := make([]float64, 0, f.Shots()*e)
	for _, t := range f.delays {
		if t == nil {
			t = make([]float64, e)
		}
		for _, v := range t {
			delays = append(delays, v*a.fs)
		}
	}
	table := a.l.Table("transmit_delay", ir.F32, delays, ops.Dim{Name: "transmit", Size: f.Shots()}, ops.Dim{Name: "element", Size: e})
	a.inputs = append(a.inputs, table)
	a.at = func(b *ops.Body, shot *ir.Node, p point, _ []*ir.Node) *ir.Node {
		return a.over(b, p, least(b), func(e element, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Min(acc[0], b.Add(length(b, e.delta), table.At(b, shot, e.index).Re))}
		})[0]
	}
}

func (f firstArrival) lowerTogether(a *arrival) {
	delays := make([]float64, f.Shots())
	for i, t := range f.delays {
		if t != nil {
			delays[i] = t[0] * a.fs
		}
	}
	delay := a.perShot("transmit_delay", delays)
	a.at = func(b *ops.Body, shot *ir.Node, p point, _ []*ir.Node) *ir.Node {
		depth := difference(b, p[2], a.elements[2].at(b, nil))
		way := b.Sqrt(b.Add(a.nearest(b, p), apart(b, squares(b, depth))))
		if delay.table == nil && delay.value == 0 {
			return way
		}
		return b.Add(way, delay.at(b, shot))
	}
}

// apart keeps a product from being rounded together with the sum it goes into, in some kernels and not in others: arrivals that are
// computed in place and stored ones then agree to the bit.
func apart(b *ops.Body, product *ir.Node) *ir.Node {
	if product.Kind == ir.KConst {
		return product
	}
	return b.Max(product, b.F32(-math.MaxFloat32))
}

// lengthApart is length, rounded the same in every kernel.
func lengthApart(b *ops.Body, way point) *ir.Node {
	sum := b.F32(0)
	for _, x := range way {
		if x.IsConst(0) {
			continue
		}
		square := apart(b, b.Mul(x, x))
		if sum.IsConst(0) {
			sum = square
		} else {
			sum = b.Add(sum, square)
		}
	}
	return b.Sqrt(sum)
}

// nearest is the least squared distance in (x, y) from p to an element. On a lattice x and y separate.
func (a *arrival) nearest(b *ops.Body, p point) *ir.Node {
	if !a.lattice {
		return a.over(b, p, least(b), func(e element, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Min(acc[0], squares(b, e.delta[0], e.delta[1]))}
		})[0]
	}
	along := func(axis, n int) *ir.Node {
		return least(b).loop(b, n, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			d := b.Sub(p[axis], a.elements[axis].at(b, i))
			return []*ir.Node{b.Min(acc[0], b.Mul(d, d))}
		})[0]
	}
	return b.Add(along(0, a.probe.Columns), along(1, a.probe.Rows))
}

func (w planeWave) lower(a *arrival) {
	var n [3]coordinate
	for k := range n {
		values := make([]float64, w.Shots())
		for i, d := range w.directions {
			values[i] = d[k]
		}
		n[k] = a.perShot("direction_"+axisNames[k], values)
	}
	a.at = func(b *ops.Body, shot *ir.Node, p point, _ []*ir.Node) *ir.Node {
		var sum *ir.Node
		for k, c := range n {
			if c.table == nil && c.value == 0 || p[k].IsConst(0) {
				continue
			}
			term := apart(b, b.Mul(p[k], c.at(b, shot)))
			if sum == nil {
				sum = term
			} else {
				sum = b.Add(sum, term)
			}
		}
		if sum == nil {
			return b.F32(0)
		}
		return sum
	}
}

func (s virtualSource) lower(a *arrival) {
	var v [3]coordinate
	for k := range v {
		values := make([]float64, s.Shots())
		for i, p := range s.points {
			values[i] = p[k] * a.scale
		}
		v[k] = a.perShot("source_"+axisNames[k], values)
	}
	ways := make([]float64, s.Shots())
	for i, p := range s.points {
		ways[i] = distance(p, [3]float64{}) * a.scale
	}
	way := a.perShot("source_way", ways)
	a.at = func(b *ops.Body, shot *ir.Node, p point, _ []*ir.Node) *ir.Node {
		var delta point
		for k := range delta {
			delta[k] = difference(b, p[k], v[k].at(b, shot))
		}
		d, origin, depth := lengthApart(b, delta), way.at(b, shot), v[2].at(b, shot)
		behind := b.Lt(depth, b.F32(0))
		before := b.Lt(p[2], depth)
		return b.Select(behind, b.Sub(d, origin), b.Select(before, b.Sub(origin, d), b.Add(origin, d)))
	}
}

// lowerGiven reads arrival times. A point that the wave does not reach (NaN) or reaches beyond all records is kept out of
// every record, so that no index overflows.
func (a *arrival) lowerGiven() {
	in := a.l.In("transmit")
	a.inputs = append(a.inputs, in)
	names := a.given.DimNames()
	var grid []string
	for _, d := range a.grid.Dims() {
		grid = append(grid, d.Name)
	}
	a.at = func(b *ops.Body, shot *ir.Node, _ point, index []*ir.Node) *ir.Node {
		at := make([]*ir.Node, len(names))
		for i, name := range names {
			if k := slices.Index(grid, name); k >= 0 {
				at[i] = index[k]
			} else {
				at[i] = shot
			}
		}
		t := b.Mul(b.Cast(ir.F32, in.At(b, at...).Re), b.F32(a.fs))
		return b.Min(b.Max(t, b.F32(-unreached)), b.F32(unreached))
	}
}
