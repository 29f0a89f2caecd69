package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// A fold whose points lie side by side in memory, and whose turns lie far apart, reads another place of memory at every turn. Where it sweeps, it
// takes a slice of its turns for many points before the next slice, and reads, and writes if it is a running one, whole lengths of rows.
const (
	runningSlice = 2     // turns of a slice that are written: as many rows are read and written at a time, and the next ones asked for
	sumSlice     = 8     // turns of a slice that are only read
	shortestLine = 64    // points that lie side by side, for which a slice is worth while: of 156 x 64 it took 50 of 204 ms
	sweptPoints  = 16384 // points whose accumulators caches of a core hold: lengths of rows that are long enough for prefetchers
)

// sweeping are the schedules of a fold that sweeps, with what a point takes.
func (s *survey) sweeping(f *ir.Fold) (out []option) {
	if f == nil || f.While != nil || adds(s.k) {
		return nil
	}
	for a, axis := range s.k.Axes {
		if !s.sweeps(f, axis) {
			continue
		}
		c := CPU{Lanes: []AxisN{{a, s.t.Lanes}}, Split: runningSlice}
		if !s.k.Writes(f) {
			c.Split, c.AccBlock = sumSlice, s.block()
			if c.AccBlock > 0 {
				c.Split = c.AccBlock
			}
		}
		for other := range s.k.Axes {
			if other != a {
				c.Order = append(c.Order, other)
			}
		}
		c.Order = append(c.Order, a)
		c.Unroll = s.unroll(a, 2)
		if c.Chunk = s.sweep(c, a); len(c.Chunk) > 1 && s.farther(f, c.Split, s.k.Axes[c.Chunk[0].Axis]) {
			continue // lines of it are no longer one
		}
		out = append(out, option{c, s.onLanes(a, -1) * sharedLoad})
	}
	return out
}

// sweep are the points of a slice: part of a half of those along the axis, or so many lines of it as make a long one.
func (s *survey) sweep(c CPU, a int) []AxisN {
	extent, step := s.k.Axes[a].Extent, c.Step(a)
	if extent >= sweptPoints/8 || len(c.Order) == 1 {
		return []AxisN{{a, max(step, evenly((extent+1)/2, sweptPoints, step))}}
	}
	outer := c.Order[len(c.Order)-2]
	lines := s.k.Axes[outer].Extent
	return []AxisN{{outer, evenly((lines+1)/2, max(1, sweptPoints/extent), 1)}, {a, max(step, evenly(extent, extent, step))}}
}

// farther reports whether neighbours along an axis lie farther apart than so many turns of a fold in something that these load.
func (s *survey) farther(f *ir.Fold, turns int, axis *ir.Node) bool {
	return slices.ContainsFunc(s.nodes, func(n *ir.Node) bool {
		return n.Kind == ir.KLoad && s.deepest(n) == f && stride(n.Buf, n.Index(), axis) > int64(turns)*stride(n.Buf, n.Index(), f.Index)
	})
}

// sweeps reports whether all that a fold's turns load and store lies side by side along an axis, and far apart along the fold, and no cache holds it.
func (s *survey) sweeps(f *ir.Fold, axis *ir.Node) bool {
	if s.outermost() != f || f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst || axis.Extent < shortestLine || int(s.k.Points()) < sweptPoints/16 {
		return false
	}
	beside := func(buf *ir.Buffer, index []*ir.Node) bool {
		return stride(buf, index, axis) == 1 && stride(buf, index, f.Index) > lineElements
	}
	if slices.ContainsFunc(s.k.Stores, func(st ir.Store) bool {
		return stride(st.Buf, st.Index, axis) != 1 || st.In != nil && !beside(st.Buf, st.Index)
	}) {
		return false
	}
	large := s.k.Writes(f)
	for _, n := range s.nodes {
		if n.Kind != ir.KLoad || s.deepest(n) != f || !s.vary(n).Meets(axis.Bind()) {
			continue
		}
		if !beside(n.Buf, n.Index()) {
			return false
		}
		large = large || n.Buf.Bytes() > ownCache
	}
	return large
}
