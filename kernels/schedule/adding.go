package schedule

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
)

// adding is in which order a kernel's sums are added up: as the kernel is written, whatever the extents of its axes are, so that a result has the
// same bits alone and among thousands. All schedules that the rules give, and all that tuning tries, keep to it.
type adding struct {
	sums   bool // there are sums of floats whose turns may be lanes: others come out alike in any order
	turns  bool // they are: lanes have sums of their own, which are joined
	beside int  // the axis, counted from 1, along which lanes are points, and turns are lanes of those folds alone that are the same along it; 0: none
	flight int  // turns under way, each with a sum of its own, where turns are lanes
	block  int  // terms, of a lane where turns are lanes, that are summed in float32 before they are added to a float64 sum; 0: none
}

// findAdding goes by what turns cost if every axis had as many points as one likes, and by turns where that is nearly the same: there may be few.
func (s *survey) findAdding() (a adding) {
	f := s.heaviest()
	a.sums = slices.ContainsFunc(s.folds, func(g *ir.Fold) bool {
		return (g.Monoid == ir.Sum || g.Monoid == ir.Product) && slices.ContainsFunc(g.Accs, func(x *ir.Node) bool { return x.Type.Float() }) && s.splits(g)
	})
	if !a.sums || f == nil {
		return adding{}
	}
	s.plenty = true
	defer func() { s.plenty = false }()
	scattered := s.tiled(f)
	product := !scattered && s.product(f)
	points, turns := s.cost+s.stored(), s.onIterations()
	ragged, alone := false, true // points of some axis make turns of their own, those of the best one for lanes
	for axis := range s.k.Axes {
		cost, own := s.onLanes(axis, -1), s.ragged(f, CPU{Lanes: []AxisN{{axis, s.t.Lanes}}})
		if ragged = ragged || own; cost < points {
			points, alone = cost, own
		}
		if gain := s.turnsToo(nil, axis); gain > worthTurns*cost && cost-gain < turns {
			turns, a.beside = cost-gain, axis+1
		}
	}
	if a.turns = !product && (s.alongTurns(f) || scattered && s.ownRows(f) || !scattered && turns < alikeCost*points); !a.turns {
		a.beside = 0
	}
	switch {
	case a.turns:
		some := func(*ir.Fold) bool { return true }
		if a.beside > 0 {
			some = s.alike(s.k.Axes[a.beside-1])
		}
		c := s.withTurns(CPU{}, some)
		a.flight, a.block = c.Flight, c.AccBlock
	case !s.inBlocks(f) || !product && ragged && (alone || !Sole(s.k, f)):
	case product:
		a.block = productBlock
		if f.Lo.Kind == ir.KConst && f.Hi.Kind == ir.KConst || s.together(f) { // else sums that end elsewhere are cut where this one is
			a.block = evenly(s.longest(f), productBlock, 1)
		}
	case scattered:
		a.block = blockEach
	case ragged:
		a.block = narrowBlock
	}
	return a
}

// block is how many terms of a sum go one after the other in float32, for each point.
func (s *survey) block() int {
	if a := s.adding(); !a.turns {
		return a.block
	}
	return 0
}

// inBlocks reports a fold whose sums are better had in blocks of turns: for speed in float64, and in float32 for fewer additions one after the other,
// where these are many and the block takes no time, as in a product.
func (s *survey) inBlocks(f *ir.Fold) bool {
	wide := slices.ContainsFunc(f.Accs, func(a *ir.Node) bool { return a.Type == ir.F64 })
	return narrows(s.k, f) && (wide || s.product(f) && s.longest(f) > productBlock)
}

// parted reports a sum over parts of a dim.
func parted(f *ir.Fold) bool {
	_, ok := count.PartedTrips(f)
	return ok && f.Monoid == ir.Sum
}

// ragged reports a schedule with points side by side that begin or end a fold at different turns.
func (s *survey) ragged(f *ir.Fold, c CPU) bool {
	bounds := s.vary(f.Lo).Or(s.vary(f.Hi))
	for a, axis := range s.k.Axes {
		if (c.Flat > 0 || c.Step(a) > 1) && bounds.Meets(axis.Bind()) {
			return true
		}
	}
	return false
}

// together reports a fold whose points go together through all turns that one of them has, those masked that do not have one.
func (s *survey) together(f *ir.Fold) bool {
	_, _, hull := count.Hull(s.k, f)
	return hull && f == s.heaviest() && s.product(f)
}

// longest is how often a fold turns for those that go through it together.
func (s *survey) longest(f *ir.Fold) int {
	if lo, hi, hull := count.Hull(s.k, f); hull {
		return int(hi - lo)
	}
	return int(s.trips(f))
}

// Together is the fold of a kernel whose points go through it together though their ends differ; nil: there is none.
func Together(k *ir.Kernel, t Target) *ir.Fold {
	s := newSurvey(k, t)
	if f := s.heaviest(); f != nil && s.together(f) {
		return f
	}
	return nil
}

// product reports a fold that is a contraction along some two axes.
func (s *survey) product(f *ir.Fold) bool {
	for a := range s.k.Axes {
		for u := range s.k.Axes {
			if s.contraction(f, a, u) != nil {
				return true
			}
		}
	}
	return false
}

// tiled reports a long fold whose loads scatter along some axes.
func (s *survey) tiled(f *ir.Fold) bool {
	return f != nil && s.times(f.Node)*s.trips(f) >= longFold && len(s.scattered(f)) > 0
}

// sideBySide reports what lies at neighbouring places for neighbours along a binder's variable. If axes may have as many points as one likes, it is not
// by chance, since a dim behind has but one.
func (s *survey) sideBySide(buf *ir.Buffer, index []*ir.Node, x *ir.Node) bool {
	return stride(buf, index, x) == 1 && s.inLine(buf, index, x)
}

// inLine reports what lies so, or backwards, as lanes load it at once.
func (s *survey) inLine(buf *ir.Buffer, index []*ir.Node, x *ir.Node) bool {
	d := stride(buf, index, x)
	return d*d == 1 && (!s.plenty || index[len(index)-1].Free().Meets(x.Bind()))
}

// keeps reports whether a schedule adds up the kernel's sums in their order.
func (s *survey) keeps(c CPU) bool {
	a := s.adding()
	switch whole := c.Split == 0 || c.Split >= s.longest(s.outermost()); {
	case !a.sums:
		return true
	case c.FoldLanes != a.turns || c.Flight != a.flight || a.turns && a.beside != besides(c), a.block > 0 && !a.turns && s.ragged(s.heaviest(), c) && (c.Flat > 0 || !s.together(s.heaviest())):
		return false
	case a.block > 0 && c.Table > 0:
		return c.AccBlock == c.Table && c.Table <= a.block
	default:
		return c.AccBlock == a.block && (whole || a.block == 0 || c.Split%a.block == 0)
	}
}

// besides is adding.beside of a schedule.
func besides(c CPU) int {
	if len(c.Lanes) != 1 {
		return len(c.Lanes) * -1
	}
	return c.Lanes[0].Axis + 1
}

// AddsAlike reports whether a schedule adds up the sums of a kernel in the order that all of its schedules do.
func AddsAlike(k *ir.Kernel, t Target, c CPU) bool { return newSurvey(k, t).keeps(c) }

// AddsTurns reports whether lanes are turns of the sums of a kernel, rather than points.
func AddsTurns(k *ir.Kernel, t Target) bool { return newSurvey(k, t).adding().turns }
