package count

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// placesOfAxis are at how many places along each axis it is looked from where to where a fold goes that begins or ends elsewhere for each point.
var placesOfAxis = [...]int{8, 7, 5} // of none as many as of another, so that as many lie before a diagonal as behind it

// Hull is from where to where the points of a kernel go together in a fold whose ends follow from their places alone, as those of a triangle do. It is none
// where all go alike, or where what a point that has more turns loads may lie outside of an array.
func Hull(k *ir.Kernel, f *ir.Fold) (lo, hi int64, ok bool) {
	if len(placing(k.Axes, f)) == 0 || f.While != nil || f.Index.Type != ir.I32 {
		return 0, 0, false
	}
	least, _, okLo := ir.RangeOf(f.Lo, nil)
	_, most, okHi := ir.RangeOf(f.Hi, nil)
	ok = okLo && okHi && least < most
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind != ir.KLoad || n.Guarded || !n.Free().Meets(f.IndexBind) {
			return
		}
		for d, i := range n.Index() {
			first, last, known := ir.SureRange(i, nil)
			ok = ok && known && first >= 0 && last < float64(n.Buf.Shape[d])
		}
	})
	return int64(least), int64(most), ok
}

// placing are the axes that the ends of a fold follow from, where they follow from nothing else.
func placing(axes []*ir.Node, f *ir.Fold) (out []*ir.Node) {
	free := f.Lo.Free().Or(f.Hi.Free())
	for _, a := range axes {
		if free.Meets(a.Bind()) {
			out, free = append(out, a), free.Minus(a.Bind())
		}
	}
	plain := free.Empty()
	ir.WalkNodes([]*ir.Node{f.Lo, f.Hi}, func(n *ir.Node) { plain = plain && n.Kind != ir.KLoad && n.Kind != ir.KFold })
	if !plain {
		return nil
	}
	return out
}

// MeanTrips is how often a fold turns on average where its ends follow from the places of points alone, by places that lie evenly; ok is false where they do not.
func MeanTrips(f *ir.Fold) (mean float64, ok bool) {
	var axes []*ir.Node
	ir.WalkNodes([]*ir.Node{f.Lo, f.Hi}, func(n *ir.Node) {
		if n.Kind == ir.KAxis && n.Role == ir.RoleParallel && !slices.Contains(axes, n) {
			axes = append(axes, n)
		}
	})
	if axes = placing(axes, f); len(axes) == 0 || len(axes) > len(placesOfAxis) {
		return 0, false
	}
	at, ok := map[*ir.Node]float64{}, true
	var sum func(axes []*ir.Node) float64
	sum = func(rest []*ir.Node) (total float64) {
		if len(rest) == 0 {
			end := ir.RangesWhere(nil, func(n *ir.Node) (lo, hi float64, ok bool) { x, ok := at[n]; return x, x, ok })
			lo, _, okLo := end(f.Lo)
			_, hi, okHi := end(f.Hi)
			ok = ok && okLo && okHi
			return max(0, hi-lo)
		}
		places := min(placesOfAxis[len(axes)-len(rest)], rest[0].Extent)
		for i := range places {
			at[rest[0]] = math.Floor((float64(i) + 0.5) * float64(rest[0].Extent) / float64(places))
			total += sum(rest[1:]) / float64(places)
		}
		return total
	}
	mean = sum(axes)
	return mean, ok
}
