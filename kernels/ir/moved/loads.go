package moved

import "weft/kernels/ir"

// Along are the loads that differ along an axis, without those along the rows of an array.
func Along(loads []*ir.Node, axis *ir.Node) (out []*ir.Node) {
	for _, n := range loads {
		if index := n.Index(); n.Free().Meets(axis.Bind()) && len(index) > 1 && !index[len(index)-1].Free().Meets(axis.Bind()) {
			out = append(out, n)
		}
	}
	return out
}

// Saved is how many loads of a point, of those that differ along an axis, are loads of another of some points beside each other along it, too: on average of these.
func Saved(along []*ir.Node, axis *ir.Node, points int) float64 {
	if len(along) == 0 {
		return 0
	}
	values, different := NewValues(), map[int]bool{}
	for i := range int64(points) {
		point := values.Point(func(a *ir.Node) (int64, bool) {
			if a == axis {
				return i, true
			}
			return 0, true
		}, func(n *ir.Node) bool { return n.Free().Meets(axis.Bind()) })
		for _, n := range along {
			different[point.Of(n)] = true
		}
	}
	return float64(len(along)) - float64(len(different))/float64(points)
}
