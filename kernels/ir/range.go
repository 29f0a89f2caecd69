package ir

import (
	"fmt"
	"math"
)

// AxisRange gives the least and the greatest value of a KAxis node, or of what a KLoad node reads where its guard holds, or ok
// false to leave it to RangeOf.
type AxisRange func(n *Node) (lo, hi float64, ok bool)

// RangeOf bounds the values n can take, by interval arithmetic over the whole domain of its axes: parallel axes run over
// their extent and fold indices over their fold's bounds, unless axis says otherwise (it may be nil). Unknown ends are
// infinite; ok reports that both are finite. NaN is not counted as a value. Float ranges hold for the interpreter's exact
// and wide arithmetic alike; casts of floats to integers are taken to be in range, as the language asks. Integers beyond
// 2^53 lose their last bits.
func RangeOf(n *Node, axis AxisRange) (lo, hi float64, ok bool) { return RangesWhere(nil, axis)(n) }

// RangesWhere is RangeOf for several nodes, at those points only where some conditions hold.
func RangesWhere(holds []*Node, axis AxisRange) func(n *Node) (lo, hi float64, ok bool) {
	r := ranger{axis: axis, clip: map[*Node]span{}}
	for _, c := range holds {
		r.hold(c)
	}
	return func(n *Node) (lo, hi float64, ok bool) {
		s := r.of(n)
		return s.lo, s.hi, s.finite()
	}
}

// SureRange is RangeOf for callers whose results depend on it: ok is false also where a NaN may have become an integer, which
// can then be any.
func SureRange(n *Node, axis AxisRange) (lo, hi float64, ok bool) {
	r := ranger{axis: axis}
	s := r.of(n)
	return s.lo, s.hi, s.finite() && !r.unsure
}

// span is an interval, and whether the value may be NaN besides.
type span struct {
	lo, hi float64
	nan    bool
}

var (
	inf       = math.Inf(1)
	anything  = span{-inf, inf, true}
	anyBool   = span{0, 1, false}
	truth     = span{1, 1, false}
	falsehood = span{0, 0, false}
)

// Holds reports whether a type has a value; floats have all, rounded.
func (t DType) Holds(x float64) bool { return t.Float() || x == float64(int64(x)) && limits(t).has(x) }

// Most is the largest magnitude that a type has.
func (t DType) Most() float64 { return max(-limits(t).lo, limits(t).hi) }

// limits are the values a type can hold.
func limits(t DType) span {
	switch t {
	case Bool:
		return anyBool
	case U8, U16, U32:
		return span{0, math.Ldexp(1, 8*t.Size()) - 1, false}
	case I8, I16, I32, I64:
		half := math.Ldexp(1, 8*t.Size()-1)
		return span{-half, half - 1, false}
	}
	return anything
}

func (s span) hull(t span) span { return span{min(s.lo, t.lo), max(s.hi, t.hi), s.nan || t.nan} }

func (s span) has(v float64) bool { return s.lo <= v && v <= s.hi }

func (s span) finite() bool { return !math.IsInf(s.lo, 0) && !math.IsInf(s.hi, 0) }

type ranger struct {
	axis   AxisRange
	memo   Memo[span]
	clip   map[*Node]span // of integers, by conditions that hold
	sure   bool           // an integer that a NaN may have become can be any
	unsure bool           // a NaN may have become an integer
}

// hold takes a condition as given, and what it says of an integer compared with a constant.
func (r *ranger) hold(c *Node) {
	r.memo.Put(c, truth)
	if c.Kind != KAlu {
		return
	}
	narrow := func(n *Node, s span) {
		if was, ok := r.clip[n]; ok {
			s = span{max(s.lo, was.lo), min(s.hi, was.hi), false}
		}
		r.clip[n] = s
	}
	switch a := c.Args; {
	case c.Op == And:
		r.hold(a[0])
		r.hold(a[1])
	case c.Op != Lt && c.Op != Le || !a[0].Type.Int():
	default:
		less := 0.0
		if c.Op == Lt {
			less = 1
		}
		if a[0].Kind == KConst {
			narrow(a[1], span{float64(a[0].I) + less, inf, false})
		}
		if a[1].Kind == KConst {
			narrow(a[0], span{-inf, float64(a[1].I) - less, false})
		}
	}
}

func (r *ranger) of(n *Node) span {
	if n.Kind == KConst && len(r.clip) == 0 && n.Type != Bool { // as fast as to remember it
		return constSpan(n)
	}
	if s, ok := r.memo.Of(n); ok {
		return s
	}
	s := r.compute(n)
	if c, ok := r.clip[n]; ok && max(s.lo, c.lo) <= min(s.hi, c.hi) {
		s = span{max(s.lo, c.lo), min(s.hi, c.hi), s.nan}
	}
	r.memo.Put(n, s)
	return s
}

func (r *ranger) compute(n *Node) span {
	switch n.Kind {
	case KConst:
		return constSpan(n)
	case KAxis:
		return r.axisSpan(n)
	case KLoad:
		s := limits(n.Buf.Type)
		if d := n.Buf.Facts.Data; d != nil && n.Buf.Type == n.Type { // narrow floats round
			s = fit(n.Type, span{d.Least, d.Most, false})
		}
		if w := n.Buf.Facts.Within; w != nil {
			s = span{w.Lo, w.Hi, w.NaN}
		}
		if r.axis != nil {
			if lo, hi, ok := r.axis(n); ok {
				s = span{lo, hi, n.Type.Float()}
			}
		}
		if _, other := n.Guard(); other != nil {
			s = s.hull(r.of(other))
		}
		return s
	case KAlu:
		return fit(n.Type, r.alu(n))
	case KGet:
		return r.get(n)
	}
	return limits(n.Type)
}

// constSpan covers an F32 constant both as written and as rounded.
func constSpan(n *Node) span {
	if !n.Type.Float() {
		return span{float64(n.I), float64(n.I), false}
	}
	if math.IsNaN(n.F) {
		return anything
	}
	return fit(n.Type, span{n.F, n.F, false})
}

func (r *ranger) axisSpan(n *Node) span {
	if r.axis != nil {
		if lo, hi, ok := r.axis(n); ok {
			return span{lo, hi, n.Type.Float()}
		}
	}
	switch n.Role {
	case RoleParallel:
		return span{0, float64(max(n.Extent-1, 0)), false}
	case RoleIndex:
		lo, hi := r.of(n.Fold.Lo), r.of(n.Fold.Hi)
		return span{lo.lo, max(lo.lo, hi.hi-1), false}
	}
	return limits(n.Type)
}

// get knows the accumulators that only ever choose between init and terms. Of loops that run at all, the result is not beyond any
// term.
func (r *ranger) get(n *Node) span {
	f := n.Fold
	s := r.chosen(f.Step[n.I], f.Accs[n.I], r.of(f.Init[n.I]))
	op := map[Monoid]Op{Smallest: Min, Largest: Max}[f.Monoid]
	if step := f.Step[n.I]; op != OpNone && step.Kind == KAlu && step.Op == op {
		term := step.Args[0]
		if term == f.Accs[n.I] {
			term = step.Args[1]
		}
		init, each := r.of(f.Init[n.I]), r.of(term)
		s = init.hull(each)
		if each.nan || f.While != nil || r.of(f.Lo).hi >= r.of(f.Hi).lo {
			return s
		}
		if op == Min {
			s.hi = min(s.hi, each.hi)
		} else {
			s.lo = max(s.lo, each.lo)
		}
	}
	return s
}

// chosen is what a value adds to a span that is an accumulator itself or chosen from it and others.
func (r *ranger) chosen(n, acc *Node, s span) span {
	switch {
	case n == acc:
		return s
	case n.Kind == KAlu && n.Op == Select:
		return r.chosen(n.Args[1], acc, r.chosen(n.Args[2], acc, s))
	}
	return s.hull(r.of(n))
}

// fit makes a span hold for a value of type t: integers that may wrap can be anything; an F32 may be rounded or not.
func fit(t DType, s span) span {
	if math.IsNaN(s.lo) || math.IsNaN(s.hi) {
		return limits(t)
	}
	all := limits(t)
	switch {
	case t == F32:
		return span{min(s.lo, float64(float32(s.lo))), max(s.hi, float64(float32(s.hi))), s.nan}
	case !t.Float() && (s.lo < all.lo || s.hi > all.hi):
		return all
	}
	return s
}

func (r *ranger) alu(n *Node) span {
	var a [3]span
	for i, x := range n.Args {
		a[i] = r.of(x)
	}
	if n.Op == Cast && a[0].nan && n.Args[0].Type.Float() && n.Type.Int() {
		if r.unsure = true; r.sure {
			return limits(n.Type)
		}
	}
	return n.Op.Info().Range(n, a)
}

// StoreRanges notes where the elements lie that a kernel stores, for kernels behind it that load them.
func StoreRanges(k *Kernel) {
	r := ranger{sure: true}
	within := map[*Buffer]span{}
	for _, s := range k.Stores {
		v := r.of(s.Value)
		if as, of := s.Buf.Type, s.Value.Type; s.In != nil || s.Guard != nil || as == Bool || as != of && !(as.Int() && of.Int() && fit(as, v) == v) { // some, or others
			v = anything
		}
		if was, ok := within[s.Buf]; ok {
			v = v.hull(was)
		}
		within[s.Buf] = v
	}
	for b, s := range within {
		if s.finite() && s != limits(b.Type) {
			b.Facts.Within = &Interval{s.lo, s.hi, s.nan}
		}
	}
}

// Interval bounds a value; NaN says that it may be NaN besides.
type Interval struct {
	Lo, Hi float64
	NaN    bool
}

func (i *Interval) String() string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%g..%g", i.Lo, i.Hi) + map[bool]string{true: " or NaN"}[i.NaN]
}

// Range is where the result of an Alu node lies, from where its operands do, before it is rounded.
func (n *Node) Range(a [3]Interval) Interval {
	var spans [3]span
	for i, x := range a {
		spans[i] = span{x.Lo, x.Hi, x.NaN}
	}
	s := n.Op.Info().Range(n, spans)
	return Interval{s.lo, s.hi, s.nan}
}
