package form

import "weft/kernels/ir"

// Gathering are the loads in the turns of a fold at places that follow from floats or from elements, and these places. A processor waits long for either, and
// sees no further ahead than a turn or two.
func Gathering(f *ir.Fold) (places, loads []*ir.Node) {
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind != ir.KLoad || !n.Free().Meets(f.IndexBind) {
			return
		}
		computed := false
		ir.WalkNodes(n.Index(), func(x *ir.Node) { computed = computed || x.Type.Float() || x.Kind == ir.KLoad })
		if computed {
			places, loads = append(places, n.Index()...), append(loads, n)
		}
	})
	return places, loads
}
