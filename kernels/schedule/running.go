package schedule

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
)

// A running fold goes in order, each turn waiting for the one before, and stores as it goes or is one of many. Along rows, several of them
// under way at a time hide the waiting, without lanes, whose elements would lie far apart. Along columns, it sweeps.
const (
	runningFlight = 8   // runs under way at a time: an addition takes 4 cycles, and cores have two units for them
	waiting       = 4.0 // cycles until the result of a turn of floats is there
	atOnce        = 3.0 // operations of turns that differ: a core has 4 and more units for them, and waits for some. Sums of rows that counted took 2.2 on lanes
)

// running are schedules of a running fold, with what a point takes.
func (s *survey) running(f *ir.Fold) (out []option) {
	if f == nil || f.Monoid != ir.Ordered || f.While != nil || adds(s.k) {
		return nil
	}
	for a, axis := range s.k.Axes {
		_, known := count.KnownTrips(f) // or runs end at different turns and have masks, which cost more than waiting
		ragged := !known && s.vary(f.Lo).Or(s.vary(f.Hi)).Meets(axis.Bind())
		if flight := min(runningFlight, axis.Extent); flight > 1 && !ragged && s.vary(f.Node).Meets(axis.Bind()) {
			c := CPU{Order: s.order(), Unroll: s.unroll(a, flight)}
			out = append(out, option{c, max(s.scalars()+s.stored(), s.waits(f)/float64(flight))})
		}
	}
	return out
}

// scalars is what the operations of a point take without lanes, where float64 takes no more than float32.
func (s *survey) scalars() (sum float64) {
	for _, n := range s.nodes {
		each := s.weight(n)
		if n.Kind == ir.KAlu && Registers(n.Type) == 2 {
			each /= 2
		}
		sum += each * s.times(n)
	}
	return sum
}

// apart reports a kernel most of whose work goes in order through runs of its own for each point: lanes would lie far apart in memory, and the longest
// of them decide when all end.
func (s *survey) apart() bool {
	f := s.heaviest()
	return f != nil && f.Monoid == ir.Ordered && f.While == nil && s.ragged(f, CPU{Flat: 1})
}

// alone is what a value takes that is computed for one point and turn at a time.
func (s *survey) alone(n *ir.Node) float64 {
	if !s.apart() {
		return s.weight(n)
	}
	each := s.weight(n) / atOnce
	if n.Kind == ir.KAlu && Registers(n.Type) == 2 {
		each /= 2
	}
	return each
}

// waits is how long the turns of a fold take for a point that is computed alone.
func (s *survey) waits(f *ir.Fold) float64 {
	each := 1.0 // of integers
	if slices.ContainsFunc(f.Accs, func(a *ir.Node) bool { return a.Type.Float() }) {
		each = waiting
	}
	return each * s.trips(f) * s.times(f.Node)
}

// Independent reports whether the turns of a fold do nothing but store, each without regard to those before it, and to different arrays, what
// they need no fold of their own for, and that lanes make with less work than turns one by one.
func Independent(k *ir.Kernel, f *ir.Fold) bool {
	return independent(k, f) && !spreads(k, f)
}

func independent(k *ir.Kernel, f *ir.Fold) bool {
	seen := map[*ir.Buffer]bool{}
	ok := f.Monoid == ir.Ordered && f.While == nil && slices.Equal(f.Step, f.Accs)
	k.StoresIn(f, func(s *ir.Store) {
		ok = ok && !seen[s.Buf]
		seen[s.Buf] = true
		roots := append(slices.Clone(s.Index), s.Value)
		if s.Guard != nil {
			roots = append(roots, s.Guard)
		}
		ir.WalkNodes(roots, func(n *ir.Node) { ok = ok && !(n.Kind == ir.KFold && n.Free().Meets(f.Binders())) })
	}, func(*ir.Fold) { ok = false })
	return ok && len(seen) > 0
}

// fewSteps is up to how many operations turns one by one take no longer than on lanes where they add at places that arrays tell: lanes are put into memory
// for that, to be taken from there one by one. An entry of a sparse matrix takes 1.0 cycles then, and 1.3 on lanes.
const fewSteps = 2

// spreads reports such turns. Tables in copies by lanes have no others.
func spreads(k *ir.Kernel, f *ir.Fold) bool {
	var of []*ir.Node
	told := false
	for i := range k.Stores {
		s := &k.Stores[i]
		if s.In != f {
			continue
		}
		if !s.Adds || Copied(k, s) {
			return false
		}
		of = append(append(of, s.Index...), s.Value)
		if s.Guard != nil {
			of = append(of, s.Guard)
		}
		ir.WalkNodes(s.Index, func(n *ir.Node) { told = told || n.Kind == ir.KLoad && n.Free().Meets(f.IndexBind) })
	}
	steps := 0
	ir.WalkNodes(of, func(n *ir.Node) {
		if n.Kind == ir.KAlu && n.Op != ir.Cast && n.Free().Meets(f.IndexBind) {
			steps++
		}
	})
	return told && steps <= fewSteps
}

// splitsStores reports whether slices of the outermost fold make the same stores as all of it: no other fold has some.
func splitsStores(k *ir.Kernel, outermost *ir.Fold) bool {
	return !slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.In != nil && s.In != outermost })
}

// adds reports whether a store adds to what is there: lanes that repeat a point would add twice.
func adds(k *ir.Kernel) bool {
	return slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.Adds })
}
