package schedule

import (
	"slices"

	"weft/kernels/ir"
)

// A contraction is a fold whose body loads some values that differ along one axis and others that differ along another: a matrix
// product and its like. A block of registers, vectors in flight along both axes, then loads each value once for many outputs. Where its
// operands do not stay in the nearest cache, a slice of the iterations runs for a chunk of points before the next slice, with the
// accumulators parked in memory, and the operands of the slice are packed: laid out in the order that the block reads them.

// contracts reports whether loads inside f differ along an axis that others do not differ along, and the other way round.
func (s *survey) contracts(f *ir.Fold, a, u int) bool {
	only := func(x, y int) bool {
		return slices.ContainsFunc(s.nodes, func(n *ir.Node) bool {
			v := s.vary.Of(n)
			return n.Kind == ir.KLoad && s.deepest(n) == f && v.Meets(s.k.Axes[x].Bind()) && !v.Meets(s.k.Axes[y].Bind())
		})
	}
	return a != u && only(a, u) && only(u, a)
}

// registerBlocks are schedules of contractions with lanes along an axis, cheapest first.
func (s *survey) registerBlocks(f *ir.Fold, a int) (out []option) {
	if f == nil || f.While != nil || f.Monoid == ir.Ordered || f.Monoid == ir.Any || f.Monoid == ir.All || s.divergent(f) {
		return nil
	}
	for u, axis := range s.k.Axes {
		if !s.contracts(f, a, u) {
			continue
		}
		for nu := 1; nu <= min(axis.Extent, registers[s.t.ISA]); nu++ {
			for na := 1; na*s.t.Lanes <= s.k.Axes[a].Extent && s.held(f, a, na, u, nu) <= registers[s.t.ISA]; na++ {
				c := CPU{Lanes: []AxisN{{a, s.t.Lanes}}, Unroll: slices.DeleteFunc([]AxisN{{u, nu}, {a, na}}, func(x AxisN) bool { return x.N < 2 }), AccMajor: true}
				if narrows(f) {
					c.AccBlock = narrowBlock
				}
				s.chunk(&c, f, a, u)
				waste, _ := s.waste(c)
				out = append(out, option{c, waste * s.blockCost(c, f)})
			}
		}
	}
	return cheapest(out)
}

// divergent reports whether the turns of a fold differ from point to point.
func (s *survey) divergent(f *ir.Fold) bool { return !s.vary.Of(f.Lo).Or(s.vary.Of(f.Hi)).Empty() }

// held is how many registers a block takes: accumulators, one operand along the lanes, and one value of the other.
func (s *survey) held(f *ir.Fold, a, na, u, nu int) int {
	sum := 0
	for _, acc := range f.Accs {
		n := Registers(acc.Type)
		if narrows(f) {
			n = 1
		}
		sum += na * nu * n
	}
	for _, n := range s.nodes {
		if v := s.vary.Of(n); n.Kind == ir.KLoad && s.deepest(n) == f {
			if v.Meets(s.k.Axes[a].Bind()) {
				sum += na * Registers(n.Type)
			} else if v.Meets(s.k.Axes[u].Bind()) {
				sum += Registers(n.Type)
			}
		}
	}
	return sum
}

// blockCost is the cost of a point under a block of registers: every value counts once for all vectors in flight that share it.
func (s *survey) blockCost(c CPU, f *ir.Fold) float64 {
	sum, w := 0.0, float64(s.t.Lanes)
	for _, n := range s.nodes {
		x, shared := s.weight(n)/w, 1
		for _, u := range c.Unroll {
			if !s.vary.Of(n).Meets(s.k.Axes[u.Axis].Bind()) {
				shared *= u.N
			}
		}
		lanes := s.k.Axes[c.Lanes[0].Axis]
		switch {
		case n.Kind == ir.KLoad && !c.Pack && s.vary.Of(n).Meets(lanes.Bind()) && stride(n.Buf, n.Index(), lanes) != 1:
			x = gatheredLane
		case c.AccBlock > 0 && s.deepest(n) == f && n.Type == ir.F64:
			x /= 2
		}
		sum += x * s.times(n) / float64(shared)
	}
	for _, st := range s.k.Stores {
		if stride(st.Buf, st.Index, s.k.Axes[c.Lanes[0].Axis]) == 1 {
			sum += 1 / w
		} else {
			sum += scatteredLane
		}
	}
	return sum
}

// chunk adds the order of the loops, and what keeps the operands of a block near, if they are too many to stay there anyway.
func (s *survey) chunk(c *CPU, f *ir.Fold, a, u int) {
	for x := range s.k.Axes {
		if x != a && x != u {
			c.Order = append(c.Order, x)
		}
	}
	c.Order = append(c.Order, a, u)
	size, bytes := 1, 0.0
	for _, n := range s.nodes {
		if n.Kind == ir.KLoad && s.deepest(n) == f {
			size = max(size, n.Type.Size())
			for _, x := range []int{a, u} {
				if s.vary.Of(n).Meets(s.k.Axes[x].Bind()) {
					bytes += float64(n.Type.Size()*s.k.Axes[x].Extent) * Trips(f)
				}
			}
		}
	}
	if o := s.outermost(); bytes <= nearCache || o != f || f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst || !s.k.Pointwise() {
		return
	}
	c.Pack, c.Split = true, evenly(int(Trips(f)), sliceBytes/size, 1)
	if c.AccBlock > 0 {
		c.AccBlock = c.Split
	}
	for _, x := range []int{a, u} {
		n := s.k.Axes[x].Extent
		c.Chunk = append(c.Chunk, AxisN{x, max(c.Step(x), evenly(n, min(chunkPoints, (n+1)/2), c.Step(x)))})
	}
}

// evenly is the size of parts of about the same size, none much above a limit: a multiple of step, rounded down, so that what is left
// goes to the last part.
func evenly(n, most, step int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts / step * step
}
