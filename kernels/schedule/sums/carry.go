package sums

import (
	"hash/maphash"
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
	"weft/kernels/subst"
)

// What a sum through neighbours needs at a place, it needs again in the next turns of the loop that goes from place to place: what a spectrograph
// whose matrix has 11 diagonals sees of a spectrum, say. Such values are computed once, by the turn that is the first to need them, and handed on from
// turn to turn in accumulators of the loop: a line of delays. Where a loop around it goes on at the place where the last turn ended, its turns hand
// them on too. Before the first turn, a short loop fills the line. Every value is made by the same operations as if it were computed anew.

// A line hands on at most so many values, which take registers, and saves at least so many operations for each, which takes a move.
const (
	mostCarried  = 16
	leastCarried = 6
)

// line is a value of a fold's turn and those that are the same some turns before.
type line struct {
	head *ir.Node
	ago  map[*ir.Node]int64 // how many turns ago each value was the head
	long int64              // the most turns
}

// Carry has loops hand on what their turns have in common, where it takes more than a few operations. A sum whose turns are lanes stays: these are made side by side.
func Carry(k *ir.Kernel) *ir.Kernel {
	if slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.In != nil }) {
		return k
	}
	var folds []*ir.Fold
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			folds = append(folds, n.Fold)
		}
	})
	b, with := ir.Extend(k.Roots()), map[*ir.Node]*ir.Node{}
	for _, f := range folds {
		lines := linesOf(f)
		if len(lines) == 0 {
			continue
		}
		if 2*b.Binders()+4*len(lines)+8 > ir.MaxBinders || schedule.AddsTurns(k, schedule.AVX512) { // loops around are built anew
			return k
		}
		whole, values := around(b, k, f, lines), []*ir.Node(nil)
		switch {
		case whole != nil:
			values = carriedAround(b, whole, f, lines)
		case slices.ContainsFunc(lines, func(l line) bool { return 2*float64(l.long) > count.MostTrips(f) }):
			continue // filling them takes as long
		default:
			whole, values = f, carried(b, f, lines, nil, filled(b, f, lines, f.Lo, nil))
		}
		k.Walk(func(n *ir.Node) {
			if n.Kind == ir.KGet && n.Fold == whole {
				with[n] = values[n.I]
			}
		})
	}
	return subst.Kernel(k, subst.Like(b, with), len(with) > 0)
}

// joins reports a fold that may be made in order: it ends after all of its turns.
func joins(f *ir.Fold) bool {
	return f.While == nil && (f.Monoid == ir.Sum || f.Monoid == ir.Product || f.Monoid == ir.Smallest || f.Monoid == ir.Largest)
}

// linesOf are the lines of a fold that has none within: of values that are no part of others.
func linesOf(f *ir.Fold) (out []line) {
	if !joins(f) || !schedule.Innermost(f) {
		return nil
	}
	var nodes []*ir.Node
	like := shapes{seed: maphash.MakeSeed(), index: f.IndexBind, of: map[*ir.Node]uint64{}}
	alike := map[uint64][]*ir.Node{}
	ir.WalkNodes(f.Step, func(n *ir.Node) {
		if n.Kind == ir.KAlu && n.Type.Float() && n.Free().Meets(f.IndexBind) && !n.Free().Meets(f.AccBind) {
			nodes = append(nodes, n)
			alike[like.shape(n)] = append(alike[like.shape(n)], n)
		}
	})
	within, left := map[*ir.Node]bool{}, int64(mostCarried)
	for _, n := range slices.Backward(nodes) { // users come first
		if within[n] || len(alike[like.shape(n)]) < 2 {
			continue
		}
		l := line{n, map[*ir.Node]int64{n: 0}, 0}
		for _, m := range alike[like.shape(n)] {
			s := shift{index: f.Index, same: map[[2]*ir.Node]bool{}}
			if m == n || within[m] || !s.is(n, m) || s.by >= mostCarried || s.by <= -mostCarried {
				continue
			}
			if l.ago[m] = -s.by; l.ago[m] < l.ago[l.head] {
				l.head = m
			}
		}
		first := l.ago[l.head]
		for m := range l.ago {
			l.ago[m] -= first
			l.long = max(l.long, l.ago[m])
		}
		if l.long == 0 || l.long > left || !l.inside(f) || work(f, n)*float64(len(l.ago)-1) < leastCarried*float64(l.long) {
			continue
		}
		left -= l.long
		out = append(out, l)
		ir.WalkNodes(slices.Collect(maps.Keys(l.ago)), func(m *ir.Node) { within[m] = true })
	}
	return out
}

// inside reports a line that is filled with nothing but what turns compute too: each of its values is one of the first turn, which there is, or the
// last value of a turn.
func (l line) inside(f *ir.Fold) bool {
	_, lo, okLo := ir.RangeOf(f.Lo, nil)
	hi, _, okHi := ir.RangeOf(f.Hi, nil)
	at := map[int64]bool{}
	for _, ago := range l.ago {
		at[ago] = true
	}
	n, known := count.KnownTrips(f)
	return len(at) == int(l.long)+1 && okLo && okHi && lo < hi || known && n > float64(l.long)
}

// shapes are what values have in common that are the same some turns apart, by the index of a fold.
type shapes struct {
	seed  maphash.Seed
	index ir.Set
	of    map[*ir.Node]uint64
}

func (s shapes) shape(n *ir.Node) uint64 {
	if x, ok := s.of[n]; ok {
		return x
	}
	what := struct {
		op       ir.Op
		kind     ir.Kind
		typ      ir.DType
		buf      *ir.Buffer
		node     *ir.Node
		operands uint64
	}{op: n.Op, kind: n.Kind, typ: n.Type, buf: n.Buf}
	switch {
	case n.Type.Int() && n.Kind == ir.KAlu && n.Op != ir.Select || n.Kind == ir.KConst || n.Kind == ir.KAxis: // places are compared by what they add up to
		what.op, what.kind = ir.Add, ir.KAxis
	case !n.Free().Meets(s.index):
		what.node = n
	default:
		for _, a := range n.Args {
			what.operands = maphash.Comparable(s.seed, [2]uint64{what.operands, s.shape(a)})
		}
	}
	s.of[n] = maphash.Comparable(s.seed, what)
	return s.of[n]
}

// shift is by how many turns of a fold one value is before another: nil of a fold where they are to be the same.
type shift struct {
	index *ir.Node
	by    int64
	known bool
	same  map[[2]*ir.Node]bool
}

// is reports whether b in a turn is what a is some turns later.
func (s *shift) is(a, b *ir.Node) bool {
	if a == b {
		return s.index == nil || !a.Free().Meets(s.index.Bind())
	}
	pair := [2]*ir.Node{a, b}
	if s.same[pair] {
		return true
	}
	ok, told := s.places(a, b)
	if !told {
		ok = a.Kind == b.Kind && (a.Kind == ir.KAlu || a.Kind == ir.KLoad) && a.Op == b.Op && a.Type == b.Type && a.Buf == b.Buf && a.Guarded == b.Guarded && len(a.Args) == len(b.Args)
		for i := 0; ok && i < len(a.Args); i++ {
			ok = s.is(a.Args[i], b.Args[i])
		}
	}
	s.same[pair] = ok
	return ok
}

// places compares integers that follow evenly from the index; told is false of others.
func (s *shift) places(a, b *ir.Node) (ok, told bool) {
	if !a.Type.Int() || a.Type != b.Type {
		return false, false
	}
	var apart ir.Linear
	apart.Add(b, 1)
	apart.Add(a, -1)
	if slices.ContainsFunc(apart.Terms, func(t ir.Term) bool { return t.Coef != 0 }) {
		return false, false
	}
	along := int64(0)
	if s.index != nil {
		if along, told = ir.Affine(a, s.index); !told {
			return false, false
		}
	}
	switch {
	case along == 0:
		return apart.C == 0, true
	case apart.C%along != 0:
		return false, true
	case !s.known:
		s.by, s.known = apart.C/along, true
	}
	return s.by == apart.C/along, true
}

// work is how many operations, those on places apart, a turn of a fold takes for a value.
func work(f *ir.Fold, value *ir.Node) (n float64) {
	ir.WalkNodes([]*ir.Node{value}, func(x *ir.Node) {
		switch {
		case !x.Free().Meets(f.Binders()) || x.Kind == ir.KAlu && !x.Type.Float():
		case x.Kind == ir.KAlu || x.Kind == ir.KLoad:
			n++
		}
	})
	return n
}

// around is the fold whose turns go on where those of another, within it, ended; nil where there is none.
func around(b *ir.Builder, k *ir.Kernel, f *ir.Fold, lines []line) *ir.Fold {
	o := k.Around(f)
	trips, known := count.KnownTrips(f)
	if o == nil || !joins(o) || !known || f.Lo.Kind != ir.KConst {
		return nil
	}
	next := subst.New(b, map[*ir.Node]*ir.Node{o.Index: b.Add(o.Index, b.Int(o.Index.Type, 1))})
	after := subst.New(b, map[*ir.Node]*ir.Node{f.Index: b.Add(f.Index, b.Int(f.Index.Type, int64(trips)))})
	for _, l := range lines {
		s := shift{same: map[[2]*ir.Node]bool{}}
		if l.head.Free().Meets(o.AccBind) || !s.is(next.Of(l.head), after.Of(l.head)) {
			return nil
		}
	}
	return o
}

// carried is a fold whose turns hand on what lines hold, which is given for its first turn; its values, then what the lines hold after its last turn.
func carried(b *ir.Builder, f *ir.Fold, lines []line, within map[*ir.Node]*ir.Node, held []*ir.Node) []*ir.Node {
	out := subst.New(b, within)
	spec := ir.FoldSpec{Name: f.Index.Name, Lo: out.Of(f.Lo), Hi: out.Of(f.Hi), Init: append(all(out, f.Init), held...)}
	return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		own := maps.Clone(within)
		if own == nil {
			own = map[*ir.Node]*ir.Node{}
		}
		own[f.Index] = i
		for q, a := range f.Accs {
			own[a] = acc[q]
		}
		turn, values := subst.New(b, own), maps.Clone(own)
		held, next := acc[len(f.Accs):], []*ir.Node(nil)
		for _, l := range lines {
			now := append([]*ir.Node{turn.Of(l.head)}, held[:l.long]...)
			for n, ago := range l.ago {
				values[n] = now[ago]
			}
			held, next = held[l.long:], append(next, now[:l.long]...)
		}
		return append(all(subst.New(b, values), f.Step), next...), nil
	})
}

// carriedAround is a fold whose turns hand on what lines of one within it hold: its values, then what the lines hold at last.
func carriedAround(b *ir.Builder, o, f *ir.Fold, lines []line) []*ir.Node {
	held := filled(b, f, lines, f.Lo, map[*ir.Node]*ir.Node{o.Index: o.Lo})
	return b.Fold(ir.FoldSpec{Name: o.Index.Name, Lo: o.Lo, Hi: o.Hi, Init: append(slices.Clone(o.Init), held...)}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		own := map[*ir.Node]*ir.Node{o.Index: i}
		for q, a := range o.Accs {
			own[a] = acc[q]
		}
		inner := carried(b, f, lines, own, acc[len(o.Accs):])
		ir.WalkNodes(o.Step, func(n *ir.Node) {
			if n.Kind == ir.KGet && n.Fold == f {
				own[n] = inner[n.I]
			}
		})
		return append(all(subst.New(b, own), o.Step), inner[len(f.Accs):]...), nil
	})
}

// filled is what lines hold before the first turn of a fold: what turns before it would hand on.
func filled(b *ir.Builder, f *ir.Fold, lines []line, lo *ir.Node, within map[*ir.Node]*ir.Node) (held []*ir.Node) {
	for _, l := range lines {
		spec := ir.FoldSpec{Name: f.Index.Name, Lo: b.Sub(lo, b.Int(lo.Type, l.long)), Hi: lo, Init: slices.Repeat([]*ir.Node{b.Const(l.head.Type, 0)}, int(l.long))}
		held = append(held, b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			own := map[*ir.Node]*ir.Node{f.Index: i}
			maps.Copy(own, within)
			return append([]*ir.Node{subst.New(b, own).Of(l.head)}, acc[:l.long-1]...), nil
		})...)
	}
	return held
}

func all(s *subst.Substitution, nodes []*ir.Node) (out []*ir.Node) {
	for _, n := range nodes {
		out = append(out, s.Of(n))
	}
	return out
}

// Carried is how many values the turns of a kernel's folds hand on: as they are, or without regard to what was handed on to them.
func Carried(k *ir.Kernel) (n int) {
	k.Walk(func(m *ir.Node) {
		if m.Kind != ir.KFold {
			return
		}
		for q, x := range m.Fold.Step {
			if m.Fold.Init[q].Kind != ir.KConst && x != m.Fold.Accs[q] && (x.Role == ir.RoleAcc || !x.Free().Meets(m.Fold.AccBind)) {
				n++
			}
		}
	})
	return n
}

// mostTried is how many axes and folds a kernel binds while values with folds in them are tried a turn later, each of which binds its folds twice more: what
// is made of it afterwards binds the rest.
const mostTried = (ir.KernelBinders + ir.MaxBinders) / 2

// slid reports a value in turns of two folds that is the same a turn later of one as of the other.
func slid(b *ir.Builder, n, one, other *ir.Node) bool {
	if !n.Free().Meets(one.Bind()) || !n.Free().Meets(other.Bind()) || n.Free().Meets(one.Fold.AccBind.Or(other.Fold.AccBind)) {
		return false
	}
	binds := 0
	ir.WalkNodes([]*ir.Node{n}, func(x *ir.Node) {
		if x.Kind == ir.KFold {
			binds += 4
		}
	})
	if b.Binders()+binds > mostTried {
		return false
	}
	next := func(i *ir.Node) *ir.Node {
		return subst.New(b, map[*ir.Node]*ir.Node{i: b.Add(i, b.Int(i.Type, 1))}).Of(n)
	}
	s := shift{same: map[[2]*ir.Node]bool{}}
	return s.is(next(one), next(other))
}
