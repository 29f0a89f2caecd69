package schedule

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule/warps"
)

// Threads and points by which the rules choose; reasoned from the machine's parameters, not measured.
const (
	blockThreads     = 256
	fillThreads      = 1 << 15  // points below which threads per output leave a large device idle
	blockFold        = 256      // threads of a block that shares a fold
	sharedTrips      = 64       // iterations from which a warp pays
	blockTrips       = 4096     // and a block
	plenty           = 1 << 17  // points from which a thread may take several outputs
	pairAccs         = 4        // accumulators of a fold at most for a thread to have two outputs
	beside           = 4        // outputs a thread then has side by side where it does little but load and store
	registerRows     = 8        // outputs of a thread along the other axis of a contraction
	registerX        = 16       // threads along the axis of which it has outputs side by side
	littleWork       = 64       // in additions, for an output
	anyEvery         = 4        // iterations between tests of an early exit
	skipEvery        = 8        // and of maximum tables, which cost more
	sharedWork       = 0.3      // share of a fold's work that outputs of a thread must have in common to be worth a try
	framesWork       = 0.6      // and to be chosen without measuring: frames of a batch, which share all arithmetic on indices
	frames           = 4        // outputs a thread then has
	sharedReuse      = 16       // reads of each element of an input by a block from which shared memory pays for filling it
	sharedBytes      = 16 << 10 // that a block may take, so that 8 blocks run beside each other
	sharedX, sharedY = 32, 8    // block of a kernel with shared-memory tiles: compact, so that its points share much
	warpPoints       = 4        // of a block whose warps share folds
	warpX, warpY     = 8, 4     // of a warp where loads scatter along several axes
)

// CUDADefault is the schedule that the rules choose without measuring.
func CUDADefault(k *ir.Kernel) CUDA { return CUDACandidates(k)[0] }

// CUDACandidates are the schedules worth measuring for a kernel, the rules' own choice first.
func CUDACandidates(k *ir.Kernel) []CUDA {
	s := newSurvey(k, Target{Lanes: 32, ISA: "cuda"})
	f := s.heaviest()
	base := CUDA{Block: s.threadBlock(f)}
	for _, g := range s.folds {
		if s.left(g) {
			base.Every = max(base.Every, anyEvery)
			if s.culls(g) {
				base.Every, base.Skip = skipEvery, true
			}
		}
	}
	if f != nil && s.inBlocks(f) {
		base.AccBlock = 32
	}
	var out []CUDA
	add := func(c CUDA) {
		if c.Check(k) == nil && !slices.ContainsFunc(out, func(o CUDA) bool { return o.String() == c.String() }) {
			out = append(out, c)
		}
	}
	if n := s.foldThreads(f); n > 0 {
		for points := warpPoints; points > 0; points /= 2 { // fewer where threads set much aside
			add(s.sharing(base, n, points))
		}
	} else if c := s.registerBlock(f, base); c.Together {
		add(c)
	} else if c := s.sharedTiles(base); len(c.SharedTiles) > 0 {
		add(c)
	}
	if c := s.framesTogether(f, base); c.Together {
		add(c)
	}
	axis, share := s.severalAxis(f, base.Block)
	if axis >= 0 && share >= framesWork {
		c := base
		c.Unroll = []AxisN{{axis, frames}}
		add(c)
	} else if axis := s.pairAxis(f); axis >= 0 && !base.Skip {
		c := base
		c.Unroll = []AxisN{{axis, 2}}
		add(c)
	}
	if c := s.besideEach(base); c.Together {
		add(c)
	}
	add(base)
	if axis >= 0 {
		for _, n := range []int{2, 4} {
			c := base
			c.Unroll = []AxisN{{axis, n}}
			add(c)
		}
	}
	if base.Every > 0 {
		c := base
		c.Vote = true
		add(c)
	}
	for n := blockThreads / 2; n >= 32; n /= 2 {
		small := base
		small.Block = s.blockOf(s.threadOrder(f), n)
		add(small)
	}
	add(CUDA{})
	return out
}

// threadOrder ranks the axes, fastest first, by how many loads and stores have neighbours side by side along them; an
// inner axis goes before an outer one that is no better.
func (s *survey) threadOrder(f *ir.Fold) []int {
	score := make([]float64, len(s.k.Axes))
	for a, axis := range s.k.Axes {
		for _, st := range s.k.Stores {
			if stride(st.Buf, st.Index, axis) == 1 {
				score[a] += 2
			}
		}
		for _, n := range s.nodes {
			if n.Kind == ir.KLoad && stride(n.Buf, n.Index(), axis) == 1 {
				score[a] += s.times(n)
			}
		}
		if axis.Extent < 2 {
			score[a] = -1
		}
	}
	var order []int
	for a := len(score) - 1; a >= 0; a-- {
		order = append(order, a)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return 0
	})
	return order
}

// threadBlock is the block's shape: along the fastest axis as far as it goes, or, where a long fold's loads scatter
// along several axes, compact, so that a warp's loads fall on few lines.
func (s *survey) threadBlock(f *ir.Fold) []AxisN {
	order := s.threadOrder(f)
	if near := s.culledAxes(order); len(near) > 1 && slices.ContainsFunc(s.folds, s.culls) {
		return []AxisN{{near[0], min(warpX, s.k.Axes[near[0]].Extent)}, {near[1], min(blockThreads/warpX, s.k.Axes[near[1]].Extent)}}
	}
	axes := s.scattered(f)
	if len(axes) < 2 || s.times(f.Node)*s.trips(f) < longFold {
		return s.warpBlock(order, 1)
	}
	order = slices.DeleteFunc(slices.Clone(order), func(a int) bool { return !slices.Contains(axes, a) })
	x, y := order[0], order[1]
	block := []AxisN{{x, min(warpX, s.k.Axes[x].Extent)}, {y, min(warpY, s.k.Axes[y].Extent)}}
	if len(order) > 2 {
		return append(block, AxisN{order[2], min(blockThreads/(warpX*warpY), s.k.Axes[order[2]].Extent)})
	}
	block[1].N = min(blockThreads/warpX, s.k.Axes[y].Extent)
	return block
}

// culledAxes are those along which what maximum tables are made of lies: points that lie near each other leave out much the same of a fold.
func (s *survey) culledAxes(order []int) []int {
	return slices.DeleteFunc(slices.Clone(order), func(a int) bool {
		return !slices.ContainsFunc(s.nodes, func(n *ir.Node) bool {
			return n.Kind == ir.KLoad && n.Buf.Facts.Max != nil && stride(n.Buf, n.Index(), s.k.Axes[a]) != 0
		})
	})
}

// besideEach is a schedule under which a thread of a kernel without folds, which does little but load and store, has several outputs side by side; the plain
// one where what is side by side does not go together in memory, or is too little to fill a device so.
func (s *survey) besideEach(c CUDA) CUDA {
	b := s.warpBlock(s.threadOrder(nil), beside)
	if len(s.folds) == 0 && s.cost <= littleWork && len(c.Block) > 0 && s.goesTogether(b[0].Axis) {
		c.Together, c.Unroll, c.Block = true, []AxisN{{b[0].Axis, beside}}, b
	}
	return c
}

// goesTogether reports that what points along an axis load and store side by side begins at multiples of what goes together.
func (s *survey) goesTogether(a int) bool {
	axis := s.k.Axes[a]
	fits := func(buf *ir.Buffer, index []*ir.Node, must bool) bool {
		l := ir.Flatten(buf, index)
		return l.Along(axis) != 1 && !must || buf.Pad.Before%beside == 0 && l.Beside(axis, beside)
	}
	return s.k.Points() >= plenty && !adds(s.k) && !slices.ContainsFunc(s.nodes, func(n *ir.Node) bool { return n.Kind == ir.KLoad && !fits(n.Buf, n.Index(), false) }) &&
		!slices.ContainsFunc(s.k.Stores, func(st ir.Store) bool { return st.Guard != nil || !fits(st.Buf, st.Index, true) })
}

// pairAxis is the axis along which two outputs of a thread share most of a long fold's work that gathers what lies scattered: what they share is little in
// arithmetic, but as much again in addresses and in what loads and loops take besides. -1: there is none, or a thread holds much already.
func (s *survey) pairAxis(f *ir.Fold) int {
	best, most := -1, 0.0
	if f == nil || len(f.Accs) > pairAccs || s.k.Points() < 2*plenty || s.times(f.Node)*s.trips(f) < longFold || len(s.scattered(f)) < 2 {
		return best
	}
	for a, axis := range s.k.Axes {
		if w := s.shared(f, axis); axis.Extent >= 8 && w > most {
			best, most = a, w
		}
	}
	return best
}

// registerBlock is a schedule of a contraction under which a thread has outputs along both axes, so that it loads each value for several of them; the plain
// one of what is none.
func (s *survey) registerBlock(f *ir.Fold, c CUDA) CUDA {
	if f == nil || s.left(f) || len(c.Block) == 0 {
		return c
	}
	a, n := s.threadOrder(f)[0], registerRows
	if s.trips(f) < sharedTrips { // most is loaded and stored once
		n /= 2
	}
	for n > 1 && (s.k.Points() < int64(fillThreads*beside*n) || n*beside*len(f.Accs) > maxOutputs) {
		n /= 2
	}
	for u := range s.k.Axes {
		if u != a && n > 1 && s.contraction(f, a, u) != nil && s.goesTogether(a) {
			c.Together, c.Unroll, c.Block = true, []AxisN{{u, n}, {a, beside}}, []AxisN{{a, registerX}, {u, blockThreads / registerX}}
			break
		}
	}
	return c
}

// blockOf fills a block of n threads with axes in order.
func (s *survey) blockOf(order []int, n int) []AxisN { return s.blockFor(order, n, 1) }

// blockFor is blockOf where threads have so many outputs along the first axis.
func (s *survey) blockFor(order []int, n, each int) (block []AxisN) {
	for i, a := range order[:min(len(order), 3)] {
		along := min(n, s.k.Axes[a].Extent)
		if i == 0 {
			along = min(n, (s.k.Axes[a].Extent+each-1)/each)
		}
		if len(block) == 2 {
			along = min(along, maxBlockZ)
		}
		if along > 32 {
			along = min(n, (along+31)/32*32) // whole warps
		}
		along = max(1, along)
		block = append(block, AxisN{a, along})
		n /= along
	}
	return block
}

// warpBlock fills a block with axes in order, or, for a kernel without folds, so that warps load and store less.
func (s *survey) warpBlock(order []int, each int) (block []AxisN) {
	axes, n := warps.Block(warps.Kernel{Kernel: s.k, Nodes: s.nodes, Stride: stride, Vary: s.vary}, order, each)
	if axes == nil || len(s.folds) > 0 {
		return s.blockFor(order, blockThreads, each)
	}
	for i, a := range axes {
		block = append(block, AxisN{a, n[i]})
	}
	return block
}

// culls reports whether maximum tables leave few iterations of a fold: too few to share.
func (s *survey) culls(f *ir.Fold) bool {
	return f.Monoid != ir.All && s.left(f) && s.hasMaxima(f)
}

// foldThreads is how many threads should share the folds of a kernel with few outputs; 0: none.
func (s *survey) foldThreads(f *ir.Fold) int {
	points := float64(s.k.Points())
	if f == nil || points >= fillThreads && !s.rowwise(f) {
		return 0
	}
	most := 0.0
	for _, g := range s.folds {
		if g.Monoid != ir.Ordered && g.While == nil && !s.culls(g) {
			most = math.Max(most, s.foldIterations(g))
		}
	}
	switch {
	case most >= blockTrips && points*32 < 16*fillThreads: // two waves of a large device, or less
		return blockFold
	case most >= sharedTrips:
		return 32
	}
	return 0
}

// rowwise reports a fold of which each point goes along a row of its own, so that threads of neighbouring points load from places far apart, and those
// of neighbouring turns side by side.
func (s *survey) rowwise(f *ir.Fold) (some bool) {
	order := s.threadOrder(f)
	if len(order) == 0 || f.Monoid == ir.Ordered || f.While != nil || s.left(f) {
		return false
	}
	axis := s.k.Axes[order[0]]
	for _, n := range s.in[f] {
		if n.Kind != ir.KLoad || !s.vary(n).Meets(axis.Bind()) {
			continue
		}
		if by := stride(n.Buf, n.Index(), axis); stride(n.Buf, n.Index(), f.Index) != 1 || by == 0 || by == 1 {
			return false
		}
		some = true
	}
	return some
}

// foldIterations are a fold's own, with those of the folds it runs inside.
func (s *survey) foldIterations(f *ir.Fold) float64 { return s.trips(f) * s.times(f.Node) }

// sharing is a schedule under which n threads share each fold, a warp those of one of so many points of a block.
func (s *survey) sharing(c CUDA, n, points int) CUDA {
	c.Fold, c.AccBlock, c.Skip, c.Block = n, 0, false, nil
	if n == 32 {
		c.Block = s.blockOf(s.threadOrder(nil)[:min(1, len(s.k.Axes))], points)
	}
	return c
}

// severalAxis is the axis along which a thread may take several outputs, which then share much of the heaviest fold's
// work; -1 if there is none, or too few points. Share is how much of it.
func (s *survey) severalAxis(f *ir.Fold, block []AxisN) (best int, share float64) {
	best, most := -1, 0.0
	if f == nil || s.k.Points() < plenty {
		return best, 0
	}
	work := 0.0
	for _, n := range s.nodes {
		if s.deepest(n) == f {
			work += s.weight(n)
		}
	}
	for a, axis := range s.k.Axes {
		fast := len(block) > 0 && block[0].Axis == a
		if w := s.shared(f, axis); !fast && axis.Extent >= 8 && w > sharedWork*work && w > most {
			best, most = a, w
		}
	}
	return best, most / math.Max(1, work)
}

// sharedTiles is the schedule with shared-memory tiles of inputs that the rules' own block, or a compact one, reads often enough.
func (s *survey) sharedTiles(base CUDA) CUDA {
	order := s.threadOrder(nil)
	if len(s.folds) == 0 || len(order) == 0 {
		return CUDA{}
	}
	compact := base
	compact.Block = []AxisN{{order[0], sharedX}}
	if len(order) > 1 {
		compact.Block = append(compact.Block, AxisN{order[1], sharedY})
	}
	for _, c := range []CUDA{base, compact} {
		if c = c.WithSharedTiles(s.k, sharedReuse, sharedBytes); len(c.SharedTiles) > 0 {
			return c
		}
	}
	return CUDA{}
}
