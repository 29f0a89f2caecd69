package moved

import "weft/kernels/ir"

// Saved is how many loads of a point, on average of some points beside each other along an axis, are loads of another of them too; all is how many there are that
// differ along the axis. Loads along the rows of an array are left out.
func Saved(loads []*ir.Node, axis *ir.Node, points int) (saved, all float64) {
	values, different := NewValues(), map[int]bool{}
	for i := range int64(points) {
		point := values.Point(func(a *ir.Node) (int64, bool) {
			if a == axis {
				return i, true
			}
			return 0, true
		}, func(n *ir.Node) bool { return n.Free().Meets(axis.Bind()) })
		for _, n := range loads {
			if index := n.Index(); n.Free().Meets(axis.Bind()) && len(index) > 1 && !index[len(index)-1].Free().Meets(axis.Bind()) {
				different[point.Of(n)] = true
				all++
			}
		}
	}
	return (all - float64(len(different))) / float64(points), all / float64(points)
}
