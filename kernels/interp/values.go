package interp

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Values are what the first store of a kernel would write at all points of its axes, the last axis fastest. Elements of a row that are like the one
// before them, since all that the last axis does is to be held by something, are not computed.
func (p *Program) Values(in Inputs) (out []float64, err error) {
	b, err := p.bind(in, false)
	if err != nil {
		return nil, err
	}
	ends, err := p.ends(in)
	if err != nil {
		return nil, err
	}
	m, s := p.machine(b), &p.stores[0]
	defer m.release()
	out = make([]float64, 0, p.kernel.Points())
	var nest func(level int) bool
	nest = func(level int) bool {
		if !m.run(p.levels[level]) {
			return false
		}
		if level == len(p.axes) {
			if s.float {
				out = append(out, m.f[s.value])
			} else {
				out = append(out, float64(m.i[s.value]))
			}
			return true
		}
		n := p.kernel.Axes[level].Extent
		end := n
		if ends != nil && level == len(p.axes)-1 {
			end = ends[len(out)/n]
		}
		for v := range end {
			m.i[p.axes[level]] = int64(v)
			if !nest(level + 1) {
				return false
			}
		}
		if end < n {
			row, alike := out[len(out):len(out)+n-end], out[len(out)-1]
			for i := range row {
				row[i] = alike
			}
			out = out[:len(out)+n-end]
		}
		return true
	}
	if !nest(0) {
		return nil, m.err
	}
	return out, nil
}

// ends are how many elements of each row there are to compute; nil: all. The first one beyond all that holds the last axis is the last.
func (p *Program) ends(in Inputs) (ends []int, err error) {
	for _, limit := range limits(p.kernel) {
		last := len(p.kernel.Axes) - 1
		rows := p.kernel.Axes[:last]
		to := &ir.Buffer{Name: "limit", Type: limit.Type}
		for _, a := range rows {
			to.Shape = append(to.Shape, a.Extent)
		}
		of, err := Compile(&ir.Kernel{Name: p.kernel.Name, Axes: rows, Stores: []ir.Store{{Buf: to, Index: rows, Value: limit}}, Contract: p.kernel.Contract}, p.mode)
		if err != nil {
			return nil, err
		}
		found, err := of.Values(in)
		if err != nil {
			return nil, err
		}
		if ends == nil {
			ends = make([]int, len(found))
		}
		most := float64(p.kernel.Axes[last].Extent)
		for row, v := range found {
			if v != v {
				v = most
			}
			ends[row] = max(ends[row], int(max(1, min(most, math.Floor(v)+2))))
		}
	}
	return ends, nil
}

// limits are what holds the last axis of a kernel, as min(k, limit) does, or is compared with it, where nothing else depends on the axis: behind
// all of them, elements are alike. None: something else does.
func limits(k *ir.Kernel) (found []*ir.Node) {
	if len(k.Axes) == 0 || k.Axes[len(k.Axes)-1].Extent == 0 {
		return nil
	}
	last := k.Axes[len(k.Axes)-1]
	rising, free := map[*ir.Node]bool{last: true}, false
	ir.WalkNodes([]*ir.Node{k.Stores[0].Value}, func(n *ir.Node) { // operands first
		at := slices.IndexFunc(n.Args, func(a *ir.Node) bool { return rising[a] })
		switch {
		case n.Kind == ir.KFold:
			free = free || n.Free().Meets(last.Bind())
		case at < 0:
		case n.Kind == ir.KAlu && n.Op == ir.Cast && n.Type.Size() >= 4: // exact as far as an axis reaches
			rising[n] = true
		case n.Kind == ir.KAlu && (n.Op == ir.Min || n.Op == ir.Lt || n.Op == ir.Le) && !n.Args[1-at].Free().Meets(last.Bind()):
			found = append(found, n.Args[1-at])
		default:
			free = true
		}
	})
	if free || rising[k.Stores[0].Value] {
		return nil
	}
	return found
}
