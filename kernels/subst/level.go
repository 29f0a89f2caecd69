package subst

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Level is a kernel over one axis that does what another does over several, row by row, where all that is loaded and stored goes on in memory from the end
// of each row to the beginning of the next; nil where there is none such.
func Level(k *ir.Kernel) *ir.Kernel {
	if len(k.Axes) < 2 || k.Folds() > 0 {
		return nil
	}
	var binds ir.Set
	points := int64(1)
	spans := make([]int64, len(k.Axes)) // how many points there are from one of an axis to the next
	for i, a := range slices.Backward(k.Axes) {
		spans[i], binds = points, binds.Or(a.Bind())
		if points *= int64(a.Extent); points > math.MaxInt32 {
			return nil
		}
	}
	b := ir.Extend(k.Roots())
	axis := b.Axis("point", int(points))
	along := func(buf *ir.Buffer, index []*ir.Node) []*ir.Node {
		l := ir.Flatten(buf, index)
		if len(l.Terms) == 0 {
			return index
		}
		for i, a := range k.Axes {
			if a.Extent > 1 && l.Along(a) != spans[i] {
				return nil
			}
		}
		for _, t := range l.Terms {
			if !slices.Contains(k.Axes, t.N) {
				return nil
			}
		}
		out := make([]*ir.Node, len(index))
		for i := range out {
			out[i] = b.I32(0)
		}
		out[len(out)-1] = b.Add(axis, b.Int(ir.I32, l.C))
		return out
	}
	with, fits := map[*ir.Node]*ir.Node{}, true
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad || !n.Free().Meets(binds) {
			return
		}
		if index := along(n.Buf, n.Index()); index != nil && !n.Guarded {
			with[n] = b.Load(n.Buf, index...)
		} else {
			fits = false
		}
	})
	out, s := k.Copy(), New(b, with)
	out.Axes = []*ir.Node{axis}
	for i := range out.Stores {
		st := &out.Stores[i]
		if !fits || st.Guard != nil || st.Adds || st.In != nil {
			return nil
		}
		st.Index, st.Value = along(st.Buf, st.Index), s.Of(st.Value)
		if st.Index == nil || st.Value.Free().Meets(binds) {
			return nil
		}
	}
	return out
}
