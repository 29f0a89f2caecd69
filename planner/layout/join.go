package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/subst"
	"weft/ops"
	"weft/planner/module"
)

// Join makes one kernel of those over the same points that load the same there: elements of an array, each at one point alone, or, to find
// what is smallest, largest, or so of any or all, arrays from end to end. It is then loaded once. Either takes the place of the other: the earlier one
// waits, if nothing between them loads what it stores, or the later one goes before, if it loads nothing that is stored there.
func Join(m *module.Module) error {
	for j := len(m.Kernels) - 1; j > 0; j-- {
		for i := j - 1; i >= 0; i-- {
			x, y := m.Kernels[i], m.Kernels[j]
			if !alike(m, x, y) {
				continue
			}
			waits, ahead := !needs(m, m.Kernels[i+1:j+1], x), !needs(m, m.Kernels[j:j+1], m.Kernels[i:j]...)
			if !waits && !ahead || !share(x, y) {
				continue
			}
			both := subst.Join(x.IR, y.IR)
			if !simple(x) || !simple(y) {
				if both = subst.Sweep(both); both.Folds() >= x.IR.Folds()+y.IR.Folds() {
					continue
				}
			}
			y.Join(x, both)
			if waits {
				m.Kernels = slices.Delete(m.Kernels, i, i+1)
				j--
			} else {
				m.Kernels = slices.Delete(m.Kernels, j, j+1)
				m.Kernels[i] = y
				break
			}
		}
	}
	return nil
}

// needs reports whether kernels need what others store.
func needs(m *module.Module, of []*module.Kernel, stored ...*module.Kernel) bool {
	return slices.ContainsFunc(of, func(k *module.Kernel) bool {
		return slices.ContainsFunc(m.Before(k), func(s *ops.Stage) bool {
			return slices.ContainsFunc(stored, func(x *module.Kernel) bool { return slices.Contains(x.Roots, s) })
		})
	})
}

// alike reports whether two kernels may be one. Of a program of a drive, what is the same in all calls is not made with what is not.
func alike(m *module.Module, x, y *module.Kernel) bool {
	if !plain(x) || !plain(y) || !slices.EqualFunc(x.IR.Axes, y.IR.Axes, func(a, b *ir.Node) bool { return a.Extent == b.Extent }) ||
		!slices.EqualFunc(m.Axes(x.Roots[0]), m.Axes(y.Roots[0]), func(a, b ops.Dim) bool { return a.SameCount(b) }) {
		return false
	}
	p, q := x.Roots[0], y.Roots[0]
	return x.IR.Contract == y.IR.Contract && x.IR.Termwise == y.IR.Termwise && x.Types.Compute == y.Types.Compute && x.Types.Accumulate == y.Types.Accumulate &&
		m.Varies[p] == m.Varies[q] && simple(x) == simple(y)
}

// share reports whether two kernels that are alike load the same.
func share(x, y *module.Kernel) bool {
	of := atPoints
	if !simple(x) {
		of = endToEnd
	}
	return slices.ContainsFunc(of(x), func(a read) bool {
		return slices.ContainsFunc(of(y), func(b read) bool { return a.buf == b.buf && slices.Equal(a.along, b.along) })
	})
}

// read is what a kernel reads of a buffer: the element at each of its points, whose indices are the axes with these numbers, or all of it.
type read struct {
	buf   *ir.Buffer
	along []int
}

// plain reports a kernel of elements that are stored at their points, all of them.
func plain(k *module.Kernel) bool {
	return k.IR.Pointwise() && len(k.IR.Axes) > 0 && !slices.ContainsFunc(k.Roots, func(s *ops.Stage) bool {
		return s.Put != nil || s.Tall != nil
	}) && !slices.ContainsFunc(k.IR.Stores, func(s ir.Store) bool { return s.Guard != nil || s.Adds })
}

// simple reports a kernel without loops.
func simple(k *module.Kernel) bool { return k.IR.Folds() == 0 }

// atPoints are the elements, each of one point alone, that a kernel loads there.
func atPoints(k *module.Kernel) (out []read) {
	k.IR.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad {
			return
		}
		r := read{buf: n.Buf}
		for _, i := range n.Index() {
			r.along = append(r.along, slices.Index(k.IR.Axes, i))
		}
		if each := slices.Sorted(slices.Values(r.along)); len(each) == len(k.IR.Axes) && each[0] == 0 && len(slices.Compact(each)) == len(k.IR.Axes) {
			out = append(out, r)
		}
	})
	return out
}

func endToEnd(k *module.Kernel) (out []read) {
	for _, b := range k.IR.Inputs() {
		out = append(out, read{buf: b})
	}
	return out
}
