// Package layout decides how arrays that only kernels read lie in memory: their last dims in which order, which part of them, and with
// which margins.
package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/module"
)

// Transpose lays stages out with their last two dims in the other order where all their readers on the device run faster so, and where some gather
// along the last dim: what they take of the one before lies side by side then. What does not fit the memory goes by rows; 0: all fits.
func Transpose(m *module.Module, memory int64) error {
	prefers := m.Device.Rules
	if prefers == nil {
		return nil
	}
	votes, readers := map[*ir.Buffer]int{}, map[*ops.Stage]int{}
	for _, k := range m.Kernels {
		for _, buf := range prefers.Transposed(k.IR) {
			votes[buf]++
		}
		for _, s := range k.Loads {
			readers[s]++
		}
	}
	found := false
	for _, k := range m.Kernels {
		s := k.Roots[0]
		if len(k.Roots) == 1 && free(m.Graph, s) && len(s.Type.Dims) > 2 && readers[s] > 0 && votes[m.Arrays.Of(s)[0]] == readers[s] {
			m.Views[s] = graph.View{Transposed: true}
			found = true
		}
	}
	if found {
		m.Assemble()
	}
	return choose(m, func(m *module.Module) []*ops.Stage { return append(gathered(m), narrow(m, memory)...) }, func(v *graph.View, crosswise bool) { v.Transposed = crosswise })
}

// Rows are narrow that have few elements, fewer than there are rows beside each other, and enough of these for vectors, where arrays of them are more than
// caches hold. Of arrays of two dims, which cannot be cut by rows then, they have fewer than vectors have lanes, and are not made from more that is given, or does not
// fit the memory, which could not be either.
const (
	narrowRow   = 64
	fewLanes    = 16
	narrowBytes = 1 << 20
)

// narrowly reports dims of an array whose rows are narrow.
func narrowly(dims []ops.Dim) bool {
	last := len(dims) - 1
	row, beside := dims[last].Size, dims[last-1].Size
	if last == 1 {
		return row > 1 && row < fewLanes && beside >= 4*fewLanes
	}
	return row > 1 && row < min(narrowRow, beside) && beside >= 2*fewLanes
}

// rowed reports a stage whose rows are objects of a drive in rounds, and would not be with its dims in the other order.
func rowed(g *graph.Graph, s *ops.Stage) bool {
	return g.Objects != "" && len(s.Type.Dims) == 2 && g.Type(s).Dims[0].Name == g.Objects
}

// narrow are arrays of narrow rows, besides those that are gathered: lanes that lie along the dim before take an element of every row.
func narrow(m *module.Module, memory int64) (out []*ops.Stage) {
	among := gathered(m)
	for _, k := range m.Kernels {
		s := k.Roots[0]
		dims := m.Type(s).Dims
		if len(k.Roots) == 1 && len(dims) > 1 && private(m.Graph, s) && !rowed(m.Graph, s) && !s.Type.Elem.Complex && !m.Views[s].Transposed && !slices.Contains(among, s) &&
			narrowly(dims) && m.Arrays.Of(s)[0].Bytes() >= narrowBytes && (len(dims) > 2 || !condenses(k, s, memory)) {
			out = append(out, s)
		}
	}
	return out
}

// condenses reports a kernel that makes an array from a larger one that is given, or does not fit the memory.
func condenses(k *module.Kernel, s *ops.Stage, memory int64) bool {
	return slices.ContainsFunc(k.Loads, func(in *ops.Stage) bool {
		bytes := in.Type.Bytes()
		return bytes > s.Type.Bytes() && (graph.Given(in) || memory > 0 && bytes > memory)
	})
}

// gathered are the arrays of which some kernel loads elements at places along the last dim that it loads too, for all points of an axis.
func gathered(m *module.Module) (out []*ops.Stage) {
	stages := m.Arrays.Stages()
	made := map[*ops.Stage]bool{}
	for _, k := range m.Kernels {
		if len(k.Roots) == 1 {
			made[k.Roots[0]] = true
		}
	}
	for _, k := range m.Kernels {
		k.IR.Walk(func(n *ir.Node) {
			if n.Kind != ir.KLoad || len(n.Buf.Shape) < 2 {
				return
			}
			s, index := stages[n.Buf], n.Index()
			last := len(index) - 1
			if made[s] && free(m.Graph, s) && !rowed(m.Graph, s) && !m.Views[s].Transposed && loaded(index[last:]) && index[last-1].Kind == ir.KAxis && !slices.Contains(out, s) {
				out = append(out, s)
			}
		})
	}
	return out
}

// loaded reports an index that follows from elements.
func loaded(index []*ir.Node) (yes bool) {
	ir.WalkNodes(index, func(n *ir.Node) { yes = yes || n.Kind == ir.KLoad })
	return yes
}

// free reports whether the layout of a stage in memory concerns kernels alone: inner, real, one element a point.
func free(g *graph.Graph, s *ops.Stage) bool {
	return !graph.Given(s) && !g.Wanted[s] && !s.IsOutput() && !s.Type.Elem.Complex &&
		s.Put == nil && s.Tall == nil && s.Facts == (ir.Facts{})
}
