package schedule

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Threads and points by which the rules choose; reasoned from the machine's parameters, not measured.
const (
	blockThreads     = 256
	fillThreads      = 1 << 15  // points below which threads per output leave a large device idle
	blockFold        = 256      // threads of a block that shares a fold
	sharedTrips      = 64       // iterations from which a warp pays
	blockTrips       = 4096     // and a block
	plenty           = 1 << 17  // points from which a thread may take several outputs
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
	if f != nil && narrows(s.k, f) {
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
	} else if c := s.sharedTiles(base); len(c.SharedTiles) > 0 {
		add(c)
	}
	axis, share := s.severalAxis(f, base.Block)
	if axis >= 0 && share >= framesWork {
		c := base
		c.Unroll = []AxisN{{axis, frames}}
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
	axes := s.scattered(f)
	if len(axes) < 2 || s.times(f.Node)*s.trips(f) < longFold {
		return s.blockOf(order, blockThreads)
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

// blockOf fills a block of n threads with axes in order.
func (s *survey) blockOf(order []int, n int) (block []AxisN) {
	for _, a := range order[:min(len(order), 3)] {
		along := min(n, s.k.Axes[a].Extent)
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

// culls reports whether maximum tables leave few iterations of a fold: too few to share.
func (s *survey) culls(f *ir.Fold) bool {
	return f.Monoid != ir.All && s.left(f) && s.hasMaxima(f)
}

// foldThreads is how many threads should share the folds of a kernel with few outputs; 0: none.
func (s *survey) foldThreads(f *ir.Fold) int {
	points := float64(s.k.Points())
	if f == nil || points >= fillThreads {
		return 0
	}
	most := 0.0
	for _, g := range s.folds {
		if g.Monoid != ir.Ordered && g.While == nil && !s.culls(g) {
			most = math.Max(most, s.foldIterations(g))
		}
	}
	switch {
	case most >= blockTrips && points*32 < fillThreads:
		return blockFold
	case most >= sharedTrips:
		return 32
	}
	return 0
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
