package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/module"
)

// Join makes one kernel of those without loops over the same points that load an array of as many elements at these points: it is then loaded once. The
// earlier one waits for the later one, if nothing between them loads what it stores.
func Join(m *module.Module) error {
	for j := len(m.Kernels) - 1; j > 0; j-- {
		for i := j - 1; i >= 0; i-- {
			x, y := m.Kernels[i], m.Kernels[j]
			waits := !slices.ContainsFunc(m.Kernels[i+1:j+1], func(k *module.Kernel) bool {
				return slices.ContainsFunc(x.Roots, func(s *ops.Stage) bool { return slices.Contains(k.Loads, s) })
			})
			if waits && joins(m, x, y) {
				y.Join(x, subst.Join(x.IR, y.IR))
				m.Kernels = slices.Delete(m.Kernels, i, i+1)
				j--
			}
		}
	}
	return nil
}

// joins reports whether two kernels would load less as one. Of a program of a drive, what is the same in all calls is not made with what is not.
func joins(m *module.Module, x, y *module.Kernel) bool {
	if !simple(x) || !simple(y) || !slices.EqualFunc(x.IR.Axes, y.IR.Axes, func(a, b *ir.Node) bool { return a.Extent == b.Extent }) ||
		!slices.EqualFunc(m.Axes(x.Roots[0]), m.Axes(y.Roots[0]), func(a, b ops.Dim) bool { return a.SameCount(b) }) {
		return false
	}
	p, q := x.Roots[0], y.Roots[0]
	same := x.IR.Contract == y.IR.Contract && x.IR.Termwise == y.IR.Termwise && x.Types.Compute == y.Types.Compute && x.Types.Accumulate == y.Types.Accumulate &&
		m.Varies[p] == m.Varies[q]
	return same && slices.ContainsFunc(atPoints(x), func(b *ir.Buffer) bool { return slices.Contains(atPoints(y), b) })
}

// simple reports a kernel of elements that are each computed at once and stored at their points, all of them.
func simple(k *module.Kernel) bool {
	folds := false
	k.IR.Walk(func(n *ir.Node) { folds = folds || n.Kind == ir.KFold })
	return !folds && k.IR.Pointwise() && len(k.IR.Axes) > 0 && !slices.ContainsFunc(k.Roots, func(s *ops.Stage) bool {
		return s.Put != nil || s.Tall != nil || s.Unrolled
	}) && !slices.ContainsFunc(k.IR.Stores, func(s ir.Store) bool { return s.Guard != nil || s.Adds })
}

// atPoints are the buffers of which a kernel loads the element at each of its points.
func atPoints(k *module.Kernel) (out []*ir.Buffer) {
	k.IR.Walk(func(n *ir.Node) {
		if n.Kind == ir.KLoad && slices.Equal(n.Index(), k.IR.Axes) {
			out = append(out, n.Buf)
		}
	})
	return out
}
