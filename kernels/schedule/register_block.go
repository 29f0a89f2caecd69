package schedule

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule/inside"
)

// A contraction is a fold whose body joins values that differ along one axis with others that differ along another: a matrix product and
// its like. A block of registers, vectors in flight along both axes, then loads each value once for many outputs. Where its operands do not
// stay in the nearest cache, they are packed for a chunk of points: computed once, and laid out in the order that the block reads them. Where
// all the iterations of a chunk are too many for a core's own cache, a slice of them runs for the chunk before the next slice, with the
// accumulators parked in memory.

// manyOthers is from how many points along other axes on all threads find some.
const manyOthers = 32

// contraction is a fold seen as one, with lanes along axis a and single points along u.
type contraction struct {
	f      *ir.Fold
	a, u   int
	along  [2][]*ir.Node    // operands: the largest values that differ along the fold and only one axis, a and u
	inside map[*ir.Node]int // values within operands, by the axis along which they are shared
	vary   func(*ir.Node) ir.Set
}

// contraction finds the operands of a fold along two axes; nil if it has none along one of them, its turns end early or differ by more than places say, or it is the same
// along a third, which is innermost then.
func (s *survey) contraction(f *ir.Fold, a, u int) *contraction {
	key := [3]int{f.Node.ID(), a, u}
	if _, known := s.products[key]; !known {
		s.products[key] = s.findContraction(f, a, u)
	}
	return s.products[key]
}

func (s *survey) findContraction(f *ir.Fold, a, u int) *contraction {
	if a == u || f.While != nil || f.Monoid == ir.Ordered || f.Monoid == ir.Any || f.Monoid == ir.All {
		return nil
	}
	vary := s.vary
	if _, _, hull := count.Hull(s.k, f); hull {
		vary = ir.NewVary(f).Of
	} else if !s.vary(f.Lo).Or(s.vary(f.Hi)).Empty() {
		return nil
	}
	for other, axis := range s.k.Axes {
		if other != a && other != u && axis.Extent > 1 && !s.vary(f.Node).Meets(axis.Bind()) {
			return nil
		}
	}
	c := &contraction{f: f, a: a, u: u, inside: map[*ir.Node]int{}, vary: vary}
	axes := [2]ir.Set{s.k.Axes[a].Bind(), s.k.Axes[u].Bind()}
	seen := make([]bool, len(s.place))
	var find func(n *ir.Node)
	find = func(n *ir.Node) {
		if seen[n.ID()] || s.deepest(n) != f {
			return
		}
		seen[n.ID()] = true
		v := vary(n)
		for x := range axes {
			if v.Meets(axes[x]) && !v.Meets(axes[1-x]) && n.Free().Meets(f.IndexBind) && !n.Free().Meets(f.AccBind) {
				c.along[x] = append(c.along[x], n)
				s.inside(n, f, func(n *ir.Node) { c.inside[n] = [2]int{u, a}[x] })
				return
			}
		}
		for _, x := range n.Args {
			find(x)
		}
	}
	for _, n := range f.Step {
		find(n)
	}
	for _, n := range s.nodes { // what is left joins operands cheaply
		if _, ok := c.inside[n]; !ok && s.deepest(n) == f && (costly(n) || n.Kind == ir.KLoad) && !vary(n).Empty() {
			return nil
		}
	}
	if !slices.ContainsFunc(c.along[0], heavy) || !slices.ContainsFunc(c.along[1], heavy) {
		return nil
	}
	return c
}

// inside calls visit for a value and its operands inside a fold.
func (s *survey) inside(n *ir.Node, f *ir.Fold, visit func(*ir.Node)) {
	ir.WalkNodes([]*ir.Node{n}, func(n *ir.Node) {
		if s.deepest(n) == f {
			visit(n)
		}
	})
}

func costly(n *ir.Node) bool { return n.Kind == ir.KAlu && n.Op.Info().Cost.Slow() }

// heavy reports an operand that is worth a register: what is loaded or slow to compute.
func heavy(n *ir.Node) (yes bool) {
	ir.WalkNodes([]*ir.Node{n}, func(n *ir.Node) { yes = yes || n.Kind == ir.KLoad || costly(n) })
	return yes
}

// registerBlocks are schedules of contractions with lanes along an axis, cheapest first.
func (s *survey) registerBlocks(f *ir.Fold, a int) (out []option) {
	for u, axis := range s.k.Axes {
		x := s.contraction(f, a, u)
		if x == nil {
			continue
		}
		for nu := 1; nu <= min(axis.Extent, registers[s.t.ISA]); nu++ {
			for na := 1; na*s.t.Lanes <= s.k.Axes[a].Extent && s.held(x, na, nu) <= registers[s.t.ISA]; na++ {
				c := CPU{Lanes: []AxisN{{a, s.t.Lanes}}, AccMajor: true}
				c.Unroll = slices.DeleteFunc([]AxisN{{u, nu}, {a, na}}, func(x AxisN) bool { return x.N < 2 })
				c.AccBlock = s.block()
				s.chunk(&c, x)
				waste, _ := s.waste(c)
				out = append(out, option{c, waste * s.blockCost(c, x)})
			}
		}
	}
	return cheapest(out)
}

// held is how many registers a block takes: accumulators, operands along the lanes, and one value of the others.
func (s *survey) held(x *contraction, na, nu int) int {
	sum := 0
	for _, acc := range x.f.Accs {
		n := Registers(acc.Type)
		if narrows(s.k, x.f) {
			n = 1
		}
		sum += na * nu * n
	}
	for _, n := range x.along[0] {
		sum += na * Registers(n.Type)
	}
	for _, n := range x.along[1] {
		sum += Registers(n.Type)
	}
	return sum
}

// blockCost is the cost of a point under a block of registers: every value counts once for all vectors in flight that share it, and what
// is packed once for all points of a chunk that do.
func (s *survey) blockCost(c CPU, x *contraction) float64 {
	sum, w, lanes := 0.0, float64(s.t.Lanes), s.k.Axes[x.a]
	single := c.Pack && s.packsSingly(x)
	for _, n := range s.nodes {
		each, shared := s.weight(n)/w, 1
		for _, u := range c.Unroll {
			if !x.vary(n).Meets(s.k.Axes[u.Axis].Bind()) {
				shared *= u.N
			}
		}
		other, packed := x.inside[n]
		switch {
		case packed && c.Pack:
			if shared = s.packedFor(c, other); single && other == x.a {
				each *= w
			}
		case n.Kind == ir.KLoad && x.vary(n).Meets(lanes.Bind()) && !s.inLine(n.Buf, n.Index(), lanes):
			each = gatheredLane
		case c.AccBlock > 0 && s.deepest(n) == x.f && n.Type == ir.F64:
			each /= 2
		}
		sum += each * s.times(n) / float64(shared)
	}
	if c.Pack { // read once a block
		for i, shared := range [2]int{c.Step(x.u), c.Step(x.a) / s.t.Lanes} {
			for _, n := range x.along[i] {
				bytes := n.Type.Size() * []int{s.t.Lanes, 1}[i]
				sum += (packedRead + packedLine*float64(bytes)/64) * s.times(x.f.Node) * s.trips(x.f) / w / float64(shared)
			}
		}
	}
	for _, st := range s.k.Stores {
		if stride(st.Buf, st.Index, lanes) == 1 {
			sum += 1 / w
		} else {
			sum += scatteredLane
		}
	}
	return sum
}

// packsSingly reports operands of single points that are packed one by one, as neither iterations nor points are known to lie side by side.
func (s *survey) packsSingly(x *contraction) bool {
	for n, other := range x.inside {
		if n.Kind != ir.KLoad || other != x.a {
			continue
		}
		if l := ir.Flatten(n.Buf, n.Index()); l.Along(x.f.Index) != 1 && l.Along(s.k.Axes[x.u]) != 1 {
			return true
		}
	}
	return false
}

// chunk adds the order of the loops, and what keeps the operands of a block near, if they are too many to stay there anyway.
func (s *survey) chunk(c *CPU, x *contraction) {
	others := 1 // points along the other axes, which threads share out where they are many
	for axis, n := range s.k.Axes {
		if axis != x.a && axis != x.u {
			c.Order, others = append(c.Order, axis), others*n.Extent
		}
	}
	c.Order = append(c.Order, x.a, x.u)
	size, bytes, sides := 1, 0.0, [2]int{} // of what a turn takes of each side, for one point
	for i, axis := range []int{x.a, x.u} {
		for _, n := range x.along[i] {
			size, sides[i] = max(size, n.Type.Size()), sides[i]+n.Type.Size()
			bytes += float64(n.Type.Size()*s.k.Axes[axis].Extent) * s.trips(x.f)
		}
	}
	if o := s.outermost(); bytes <= nearCache || o != x.f || !s.level(o) || !s.k.Pointwise() {
		return
	}
	trips := s.longest(x.f)
	if 2*size*trips*s.t.Lanes <= ownCache && s.laidOut(x) {
		return
	}
	c.Pack, c.Split = true, trips
	row, whole := sides[1]*trips, sides[0]*trips*c.Step(x.a) <= ownCache
	if !whole {
		c.Split = evenly(trips, sliceBytes/max(sides[0], sides[1]), 1)
	}
	if c.AccBlock > 0 && c.Split < trips {
		c.Split = c.AccBlock
	}
	n, step := s.k.Axes[x.a].Extent, c.Step(x.a)
	// Near are points whose packed values stay near; few, that all those of the other axis are one chunk, unless vectors lie along these.
	near := (max(ownCache/(sides[0]*trips), fewestShare) + step - 1) / step * step
	few := whole && near < min(chunkPoints, (n+1)/2) && n >= manyOthers*step && row*s.k.Axes[x.u].Extent <= ownCache && s.k.Axes[x.u].Extent%s.t.Lanes != 0
	for i, axis := range []int{x.a, x.u} { // threads need some to share out
		n, step := s.k.Axes[axis].Extent, c.Step(axis)
		most := min(chunkPoints, (n+1)/2)
		switch {
		case few && i == 0: // all points of the other axis are one chunk: none comes back to what was packed before
			most = near
		case few || others >= manyOthers:
			most = min(chunkPoints, n)
		}
		if most >= n { // whole steps, of which the last repeats points
			most = (n + step - 1) / step * step
		} else {
			most = evenly(n, most, step)
		}
		if i > 0 && whole {
			most = min(most, (max(ownCache/row, fewestShare)+step-1)/step*step)
		}
		c.Chunk = append(c.Chunk, AxisN{axis, max(step, most)})
	}
}

// laidOut reports a contraction all of whose operands lie as a block reads them, turn by turn, the points of each side by side: in short rows, or in
// longer ones that few points share, so that packing them would take longer than it saves.
func (s *survey) laidOut(x *contraction) bool {
	for n, other := range x.inside {
		if n.Kind != ir.KLoad {
			continue
		}
		points := s.k.Axes[x.a+x.u-other]
		row := stride(n.Buf, n.Index(), x.f.Index) * int64(n.Buf.Type.Size())
		if stride(n.Buf, n.Index(), points) != 1 || row < 1 || row > 4*shortRow || row > shortRow && s.k.Axes[other].Extent > fewPoints {
			return false
		}
	}
	return true
}

// packedFor is for how many points of an axis of chunks a value is packed at a time. With one slice, what is packed along the outer
// axis serves as many chunks of the inner one as a tile has: 1,000 points of it are 4 % faster at 2000 than 500.
func (s *survey) packedFor(c CPU, axis int) int {
	i := slices.IndexFunc(c.Chunk, func(x AxisN) bool { return x.Axis == axis })
	if i > 0 && c.Pack && c.Split >= s.longest(s.outermost()) {
		n := s.k.Axes[axis].Extent
		return max(c.Chunk[i].N, evenly(n, min(2*chunkPoints, (n+1)/2), c.Step(axis)))
	}
	return c.Chunk[i].N
}

// TileStep is, an axis, what the extents of tiles should be multiples of.
func TileStep(k *ir.Kernel, t Target, c CPU) []int {
	out := make([]int, len(k.Axes))
	for a := range k.Axes {
		out[a] = c.Step(a)
	}
	if len(c.Chunk) > 0 {
		s := newSurvey(k, t)
		for _, x := range c.Chunk {
			out[x.Axis] = s.packedFor(c, x.Axis)
		}
	}
	return out
}

// evenly is the size of parts of about the same size, none much above a limit: a multiple of step, rounded down, so that what is left
// goes to the last part.
func evenly(n, most, step int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts / step * step
}

// Packed are the values inside operands that a schedule packs, and how many points share each.
func Packed(k *ir.Kernel, t Target, c CPU) map[*ir.Node]device.Packing {
	if !c.Pack {
		return nil
	}
	s, out := newSurvey(k, t), map[*ir.Node]device.Packing{}
	for _, u := range c.Chunk {
		x := s.contraction(s.heaviest(), c.Lanes[0].Axis, u.Axis)
		if x == nil {
			continue
		}
		single := map[*ir.Node]bool{}
		for _, o := range x.along[1] {
			if !inside.AlongTurns(o, x.f) && inside.SideBySide(o, k.Axes[u.Axis]) == nil {
				ir.WalkNodes([]*ir.Node{o}, func(n *ir.Node) { single[n] = true })
			}
		}
		for n, other := range x.inside {
			out[n] = device.Packing{Points: s.packedFor(c, other), Operand: slices.Contains(x.along[0], n) || slices.Contains(x.along[1], n),
				Single: single[n] && other == x.a}
		}
	}
	return out
}
