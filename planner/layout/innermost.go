package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/module"
)

// Innermost lays arrays out with another of their dims innermost that kernels on GPUs make and read, where all that read them run faster so: a thread loads by one
// instruction what it needs of several frames of a batch, say. It reports whether there are any, of a plan whose kernels have their places; kernels and plan are
// then to be made anew. Arrays that several devices share are cut along the first dim: of that, blocks of a few are innermost, so that each device has whole ones.
// Arrays that come and go by rows stay as they are.
func Innermost(m *module.Module) bool {
	if m.Plan.Stream != nil {
		return false
	}
	refused, where, want, stored := map[*ops.Stage]bool{}, map[*ops.Stage][]string{}, map[*ops.Stage]int{}, map[*ops.Stage]ir.DType{}
	for i := range m.Plan.Steps {
		step := &m.Plan.Steps[i]
		at, inner := []string(nil), map[*ir.Buffer]int(nil)
		if k := step.Kernel; k != nil && len(k.Place.Devices) > 0 {
			at, inner = k.Place.Devices, schedule.FramesInnermost(k.IR)
		}
		for _, id := range slices.Concat(step.Reads, step.Writes) {
			b := m.Plan.Buffer(id)
			if b == nil || at == nil || where[b.Array] != nil && !slices.Equal(where[b.Array], at) {
				refused[b.Array] = true
				continue
			}
			where[b.Array], stored[b.Array] = at, b.Bufs[0].Type
			if slices.Contains(step.Reads, id) {
				dim, ok := inner[b.Bufs[0]]
				if was := want[b.Array]; !ok || was > 0 && was != dim+1 {
					refused[b.Array] = true
				}
				want[b.Array] = dim + 1
			}
		}
	}
	found := false
	for _, k := range m.Kernels {
		s := k.Roots[0]
		if want[s] == 0 || refused[s] {
			continue
		}
		v := m.Views[s]
		block, fits := blockOf(s, stored[s], want[s], len(where[s]))
		if len(k.Roots) == 1 && fits && free(m.Graph, s) && s.Void == nil && !v.Interleaved && (!v.Transposed || want[s] <= len(s.Type.Dims)-2) &&
			!slices.ContainsFunc(s.Type.Dims, func(d ops.Dim) bool { return d.Count != nil }) {
			m.Views[s], found = graph.View{Transposed: v.Transposed, Innermost: want[s], Block: block}, true
		}
	}
	if !found {
		return false
	}
	for s, v := range m.Views { // they are found anew
		v.Box, v.Margin = nil, nil
		m.Views[s] = v
	}
	m.Assemble()
	return true
}

// blockOf is how many elements of a dim, counted from 1, are innermost of an array, stored as some type, that so many devices share: 32 bytes, which is what GPUs load at least, or 16; 0: all of
// them, where there is one device.
func blockOf(s *ops.Stage, t ir.DType, dim, devices int) (block int, fits bool) {
	if devices < 2 {
		return 0, true
	}
	if dim != 1 { // it is not cut along that
		return 0, false
	}
	for _, bytes := range []int{32, 16} {
		block = bytes / t.Size()
		if block > 1 && s.Type.Dims[0].Size%(block*devices) == 0 {
			return block, true
		}
	}
	return 0, false
}

// margins gives arrays that lie with another dim innermost margins along the dim of which all loads that are guarded are guarded alike, as rows have them.
func margins(m *module.Module) {
	stages, found, refused := m.Arrays.Stages(), map[*ops.Stage]graph.Margin{}, map[*ops.Stage]bool{}
	for _, k := range m.Kernels {
		k.IR.Walk(func(n *ir.Node) {
			if n.Kind != ir.KLoad || !n.Guarded || m.Views[stages[n.Buf]].Innermost == 0 {
				return
			}
			s, index := stages[n.Buf], n.Index()
			guard, other := n.Guard()
			at := slices.IndexFunc(index, func(x *ir.Node) bool { return graph.InDim(guard, x, int64(n.Buf.Shape[slices.Index(index, x)])) })
			was, seen := found[s]
			if at < 0 || other.Kind != ir.KConst || seen && (was.Dim != at || !other.IsConst(was.Value)) || !n.Buf.Type.Holds(constant(other)) {
				refused[s] = true
				return
			}
			found[s] = graph.Margin{Dim: at, Value: constant(other)}
		})
	}
	some := false
	for s, margin := range found {
		if !refused[s] {
			v := m.Views[s]
			v.Margin, some = &margin, true
			m.Views[s] = v
		}
	}
	if some {
		m.Assemble()
	}
}
