package schedule

import (
	"math"
	"slices"
	"sync"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule/exits"
)

// survey is what the choice of a schedule looks at: which folds there are, how often each value is computed for a point,
// and which loads would be costly on lanes.
type survey struct {
	k     *ir.Kernel
	t     Target
	nodes []*ir.Node
	folds []*ir.Fold
	depth map[*ir.Fold]int
	place []*placed               // of nodes, by their numbers
	in    map[*ir.Fold][]*ir.Node // the nodes whose loop a fold is; nil: that of the points
	cost  float64                 // of a point computed alone, in additions

	builder  func() *ir.Builder      // for trying what values would become
	leaves   map[*ir.Fold]bool       // memo of left
	turns    map[*ir.Fold]float64    // memo of trips
	parts    map[*ir.Fold]bool       // memo of splits
	works    map[*ir.Fold]float64    // memo of foldWork; nil: not yet known
	products map[[3]int]*contraction // memo of contraction, by fold and axes
	heaviest func() *ir.Fold         // the innermost that takes most of the work; nil if there is none
	beside   map[*ir.Buffer]bool     // buffers taken to have their last two dims transposed
	adding   func() adding           // the order of its sums
	plenty   bool                    // axes are taken to have as many points as one likes
}

// placed is where values are computed that depend on the same.
type placed struct {
	loop  *ir.Fold // the innermost, nil if none
	times float64  // for one point; 0: not yet known
	vary  ir.Set   // over what it differs
}

func newSurvey(k *ir.Kernel, t Target) *survey {
	s := &survey{k: k, t: t, nodes: k.Ordered(), depth: map[*ir.Fold]int{}, in: map[*ir.Fold][]*ir.Node{}, leaves: map[*ir.Fold]bool{}, turns: map[*ir.Fold]float64{},
		parts: map[*ir.Fold]bool{}, products: map[[3]int]*contraction{},
		builder: sync.OnceValue(func() *ir.Builder { return ir.Extend(k.Roots()) })}
	s.heaviest = sync.OnceValue(s.findHeaviest)
	s.adding = sync.OnceValue(s.findAdding)
	last := 0
	k.Walk(func(n *ir.Node) {
		last = max(last, n.ID())
		if n.Kind == ir.KFold {
			s.folds = append(s.folds, n.Fold)
		}
	})
	for _, f := range s.folds { // operands come first, so inner folds do
		s.depth[f] = 1
	}
	slices.Reverse(s.folds)
	binders := make([]ir.Set, len(s.folds))
	for i, f := range s.folds {
		binders[i] = f.Binders()
		for j, g := range s.folds[:i] {
			if f.Node.Free().Meets(binders[j]) {
				s.depth[f] = max(s.depth[f], s.depth[g]+1)
			}
		}
	}
	s.place = make([]*placed, last+1)
	vary, alike := ir.NewVary(), map[*ir.Set]*placed{}
	for _, n := range s.nodes {
		at := alike[n.Depends()]
		if at == nil {
			at = &placed{vary: vary.Of(n)}
			for i, f := range s.folds {
				if n.Free().Meets(binders[i]) && (at.loop == nil || s.depth[f] > s.depth[at.loop]) {
					at.loop = f
				}
			}
			alike[n.Depends()] = at
		}
		s.place[n.ID()], s.in[at.loop] = at, append(s.in[at.loop], n)
	}
	for _, n := range s.nodes {
		s.cost += s.weight(n) * s.times(n)
	}
	return s
}

// at is where a value is computed; an axis that nothing reads is nowhere.
func (s *survey) at(n *ir.Node) *placed {
	if at := s.place[n.ID()]; at != nil {
		return at
	}
	return &placed{}
}

// deepest is the innermost fold whose loop a value is computed in, nil if none.
func (s *survey) deepest(n *ir.Node) *ir.Fold { return s.at(n).loop }

// vary is the axes and folds over which a value differs.
func (s *survey) vary(n *ir.Node) ir.Set { return s.at(n).vary }

// times is how often a value is computed for one point.
func (s *survey) times(n *ir.Node) float64 {
	at := s.at(n)
	if at.times == 0 {
		at.times = 1
		if f := at.loop; f != nil {
			at.times = s.trips(f) * s.times(f.Node)
		}
	}
	return at.times
}

// left reports a fold that is left as soon as its steps show that nothing can change its results any more.
func (s *survey) left(f *ir.Fold) bool {
	known, ok := s.leaves[f]
	if !ok {
		known = f.Monoid == ir.Any || f.Monoid == ir.All || f.Monoid == ir.Ordered && exits.Absorber(s.builder(), f) >= 0
		s.leaves[f] = known
	}
	return known
}

// trips is Trips of a fold of the kernel, found once.
func (s *survey) trips(f *ir.Fold) float64 {
	n, ok := s.turns[f]
	if !ok {
		n = Trips(f)
		s.turns[f] = n
	}
	return n
}

// Trips is how often a fold turns.
func Trips(f *ir.Fold) float64 {
	if n, ok := count.KnownTrips(f); ok {
		return n
	}
	if n, ok := count.PartedTrips(f); ok {
		return math.Round(n)
	}
	if n, ok := count.MeanTrips(f); ok {
		return n
	}
	return count.UnknownTrips
}

// weight is the cost of a node by itself.
func (s *survey) weight(n *ir.Node) float64 {
	switch n.Kind {
	case ir.KLoad:
		return 1
	case ir.KAlu:
		if Registers(n.Type) == 2 {
			return 2 * float64(n.Op.Info().Flops)
		}
		return float64(n.Op.Info().Flops)
	}
	return 0
}

func (s *survey) findHeaviest() *ir.Fold {
	var best *ir.Fold
	most := 0.0
	for _, f := range s.folds {
		work := 0.0
		for _, n := range s.in[f] {
			work += s.weight(n) * s.times(n)
		}
		if work > most {
			best, most = f, work
		}
	}
	return best
}

// shared is the work inside fold f that does not differ along an axis: vectors in flight along it have it in common.
func (s *survey) shared(f *ir.Fold, axis *ir.Node) float64 {
	sum := 0.0
	if f == nil {
		return sum
	}
	for _, n := range s.in[f] {
		if !s.vary(n).Meets(axis.Bind()) {
			sum += s.weight(n)
		}
	}
	return sum
}

// hoisted is the share of all work that is done once for all points along an axis, if its loop is the innermost.
func (s *survey) hoisted(axis *ir.Node) float64 {
	sum := 0.0
	for _, n := range s.in[nil] {
		if n.Kind == ir.KFold && !s.vary(n).Meets(axis.Bind()) {
			sum += s.foldWork(n.Fold)
		}
	}
	return sum / max(1, s.cost)
}

// foldWork is all work in the turns of a fold.
func (s *survey) foldWork(f *ir.Fold) float64 {
	if s.works == nil {
		s.works = map[*ir.Fold]float64{}
		for _, n := range s.nodes {
			for g := s.deepest(n); g != nil; g = s.deepest(g.Node) {
				s.works[g] += s.weight(n) * s.times(n)
			}
		}
	}
	return s.works[f]
}

// onLanes estimates the cost of a point when lanes run along an axis and, if u is one, as many vectors in flight along u.
func (s *survey) onLanes(a, u int) float64 {
	axis := s.k.Axes[a]
	w := float64(s.t.Lanes)
	used := float64(axis.Extent) / (w * float64((axis.Extent+s.t.Lanes-1)/s.t.Lanes))
	full := axis.Extent >= s.t.Lanes // shorter than a vector, lanes repeat: neighbours in memory do not help
	if s.plenty {
		used, full = 1, true
	}
	sum := 0.0
	for _, n := range s.nodes {
		c := s.weight(n) / (w * used)
		if n.Kind == ir.KLoad && s.vary(n).Meets(axis.Bind()) && (!full || !s.inLine(n.Buf, n.Index(), axis)) {
			c = gatheredLane
			if u >= 0 && s.crosses(n, a, u) || full && s.loadsRow(n) {
				c = crossedLane
			}
		}
		sum += c * s.times(n)
	}
	for _, st := range s.k.Stores {
		each := scatteredLane
		if st.Guard != nil && s.vary(st.Guard).Meets(axis.Bind()) {
			each += chosenLane
		}
		if full && (s.sideBySide(st.Buf, st.Index, axis) || s.inPairs(st, axis)) {
			each = 1 / (w * used)
		} else if full && (u >= 0 && s.inRows(st, a, u) || s.storesRow(&st)) {
			each = storedRow
		}
		sum += each * s.made(st)
	}
	for _, f := range s.folds {
		if s.vary(f.Lo).Or(s.vary(f.Hi)).Meets(axis.Bind()) {
			sum *= divergence
			break
		}
	}
	return sum
}

// onTurns estimates the cost of a value in a turn of a fold whose turns are lanes.
func (s *survey) onTurns(n *ir.Node, f *ir.Fold) float64 {
	if n.Kind == ir.KLoad && n.Free().Meets(f.IndexBind) && !s.sideBySide(n.Buf, n.Index(), f.Index) {
		if len(rounded(n.Index()[len(n.Index())-1])) > 0 && s.ownRows(f) {
			return (windowCosts[s.t.Lanes][2*s.t.Lanes] + windowProof) / float64(s.t.Lanes)
		}
		return gatheredLane
	}
	w := float64(s.t.Lanes)
	used := s.trips(f) / (w * float64((int(s.trips(f))+s.t.Lanes-1)/s.t.Lanes))
	return s.weight(n) / (w * max(used, 1/w))
}

// onIterations estimates it when lanes are iterations of the innermost folds.
func (s *survey) onIterations() float64 {
	sum := 0.0
	for _, n := range s.nodes {
		c := s.alone(n)
		if f := s.deepest(n); f != nil && s.splits(f) {
			c = s.onTurns(n, f)
		}
		sum += c * s.times(n)
	}
	for _, f := range s.folds {
		if s.splits(f) {
			sum += s.joins(f)
		}
	}
	return sum + s.stored()
}

// joins is what joining the lanes takes of a fold whose turns are lanes.
func (s *survey) joins(f *ir.Fold) float64 {
	return joinedLanes * float64(len(f.Accs)) * s.times(s.whole(f).Node)
}

// whole is the outermost fold whose lanes are joined after all turns of a fold.
func (s *survey) whole(f *ir.Fold) *ir.Fold {
	for _, g := range slices.Backward(s.folds) { // inner ones first
		if Nested(g, s.t.Lanes) == f {
			f = g
		}
	}
	return f
}

// made is how often a store is made for one point.
func (s *survey) made(st ir.Store) float64 {
	if st.In == nil {
		return 1
	}
	return s.trips(st.In) * s.times(st.In.Node)
}

// stored is how many elements are stored for one point.
func (s *survey) stored() (n float64) {
	for _, st := range s.k.Stores {
		n += s.made(st)
	}
	return n
}

// splits reports whether a fold's iterations may be lanes.
func (s *survey) splits(f *ir.Fold) bool {
	known, ok := s.parts[f]
	if !ok {
		known = s.mayBeLanes(f)
		s.parts[f] = known
	}
	return known
}

func (s *survey) mayBeLanes(f *ir.Fold) bool {
	if f.Monoid == ir.Ordered && !Independent(s.k, f) || f.While != nil || s.trips(f) < 4 {
		return false
	}
	for _, g := range s.folds {
		if g.Node.Free().Meets(f.Binders()) {
			return false
		}
	}
	return true
}

// Registers is how many registers a vector of t takes: lanes are counted in 4-byte types, a Bool is a mask of that width.
func Registers(t ir.DType) int {
	if t == ir.I64 || t == ir.F64 {
		return 2
	}
	return 1
}
