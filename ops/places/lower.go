package places

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// Lower reads the array at its places.
func (t *take) Lower(l *ops.Lowering) []*ops.Stage {
	in := l.In("input")
	inputs := []*ops.Stage{in}
	spots := make([]spot, len(t.places))
	steps := []string{"take"}
	for i := range t.places {
		p := &t.places[i]
		spots[i] = spot{place: p, take: t}
		if p.array >= 0 {
			spots[i].at = l.Lists["index"][p.array]
			inputs = append(inputs, spots[i].at)
		}
		if p.lookup {
			spots[i].coords = l.Table("coordinates of "+p.of.Name, spots[i].float(), p.rising(), ops.Dim{Name: p.of.Name, Size: p.of.Size})
			inputs = append(inputs, spots[i].coords)
		}
		if !p.whole {
			steps = []string{"take", "interpolate"}
		}
	}
	if d := t.rowed(); d >= 0 {
		in = rows(l, in, d)
		inputs[0] = in
	}
	s := l.Stage("", t.out, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem { return t.elem(b, in, spots, index) })
	s.Steps = steps
	return []*ops.Stage{s}
}

// rowed is the dim whose points would lie side by side if that were for the places to say: the one that is not the last and has a computed place of
// its own for each point of some dim that stays. -1: there is none.
func (t *take) rowed() int {
	if len(t.places) != 1 || t.places[0].array < 0 || t.places[0].here || t.input.Format != nil || t.places[0].dim == len(t.input.Dims)-1 ||
		!slices.ContainsFunc(t.keeps, func(k int) bool { return k >= 0 && slices.Contains(t.places[0].pick, k) }) {
		return -1
	}
	return t.places[0].dim
}

// rows is an array with one of its dims last: to be stored where reading rows repays that, which is for the planner to find.
func rows(l *ops.Lowering, in *ops.Stage, d int) *ops.Stage {
	t := in.Type
	t.Dims = ops.ToLast(t.Dims, d)
	return l.Stage("rows", t, []*ops.Stage{in}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		at := slices.Insert(slices.Clone(index[:len(index)-1]), d, index[len(index)-1])
		return in.At(b, at...)
	})
}

// rising are the coordinates, turned to rise.
func (p *place) rising() []float64 {
	out := make([]float64, len(p.of.Coords))
	for i, x := range p.of.Coords {
		out[i] = x * p.sense()
	}
	return out
}

func (p *place) sense() float64 {
	if p.of.Coords[0] > p.of.Coords[1] {
		return -1
	}
	return 1
}

// spot is a place with the stages that it reads.
type spot struct {
	*place
	take       *take
	at, coords *ops.Stage
}

// tap is an index that a place reads, and the share that it has; nil: all.
type tap struct{ index, share *ir.Node }

// elem goes through the taps of all places.
func (t *take) elem(b *ops.Body, in *ops.Stage, spots []spot, index []*ir.Node) ops.Elem {
	own := make([]*ir.Node, len(t.keeps))
	for d, k := range t.keeps {
		if k >= 0 {
			own[d] = index[k]
		}
	}
	var guard, valid, numbers *ir.Node // where the points can be read; where all places are inside; where none is NaN
	taps := make([][]tap, len(spots))
	one := true
	for i, s := range spots {
		var within, number *ir.Node
		taps[i], within, number = s.taps(b, index)
		valid, numbers = both(b, valid, within), both(b, numbers, number)
		if len(taps[i]) == 1 {
			guard = both(b, guard, within)
		} else {
			one = false
		}
	}
	valid = both(b, valid, numbers)
	base := t.out.Elem.Base
	direct := one && (!in.Type.Elem.Complex || t.fill == 0)
	if direct {
		guard = valid
	}
	var sum func(spots []spot, taps [][]tap, at []*ir.Node) ops.Elem
	sum = func(spots []spot, taps [][]tap, at []*ir.Node) ops.Elem {
		if len(spots) == 0 {
			if d := t.rowed(); d >= 0 {
				at = ops.ToLast(at, d)
			}
			switch {
			case guard == nil:
				return ops.CCast(b, base, in.At(b, at...))
			case direct:
				return ops.CCast(b, base, in.AtOr(b, guard, t.fill, at...))
			}
			return ops.CCast(b, base, in.AtOr(b, guard, 0, at...))
		}
		var total ops.Elem
		for k, p := range taps[0] {
			at := slices.Clone(at)
			at[spots[0].dim] = p.index
			x := sum(spots[1:], taps[1:], at)
			if p.share != nil {
				x = ops.CMul(b, ops.Real(b.Cast(base, p.share)), x)
			}
			if k > 0 {
				x = ops.CAdd(b, total, x)
			}
			total = x
		}
		return total
	}
	x := sum(spots, taps, own)
	if valid == nil || direct {
		return x
	}
	return ops.CSelect(b, valid, x, ops.Real(b.Const(base, t.fill)))
}

// both joins conditions of which nil always holds.
func both(b *ops.Body, x, y *ir.Node) *ir.Node {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return b.And(x, y)
}

// float is the type that a place is computed in.
func (s *spot) float() ir.DType {
	if s.at != nil {
		return ops.Inexact(s.at.Type.Elem.Base)
	}
	return ir.F32
}

// taps are the points that a place reads, in range wherever within holds (nil: everywhere); number tells whether the place is one.
func (s *spot) taps(b *ops.Body, index []*ir.Node) (taps []tap, within, number *ir.Node) {
	var at *ir.Node
	if s.here {
		at = index[s.own]
	}
	if s.whole {
		steps, number := s.wholeSteps(b, index)
		i := sum(b, at, steps)
		within := s.inside(b, i)
		if within != nil { // which no NaN is
			number = nil
		}
		return []tap{{index: s.moved(b, i)}}, within, number
	}
	if n, ok := s.value.(ops.Number); ok && !(s.lookup && s.here) {
		return s.between(b, at, s.stepsOf(n.V))
	}
	at, g := s.fraction(b, at, index)
	number = s.found(b, g)
	f := g.Type
	last := float64(s.of.Size - 1)
	if s.take.between == nearest {
		i := sum(b, at, s.steps(b, b.Alu(ir.Floor, b.Add(g, b.Const(f, 0.5)))))
		return []tap{{index: s.moved(b, i)}}, s.inside(b, i), number
	}
	if s.take.beyond == "" {
		place := g
		if at != nil {
			place = b.Add(b.Cast(f, at), g)
		}
		within, number = b.And(b.Le(b.Const(f, -slack), place), b.Le(place, b.Const(f, last+slack))), nil // false for NaN
	}
	if at == nil && s.take.between == linear && s.of.Size > 1 && (s.take.beyond == "" || s.take.beyond == nearest) {
		return s.cell(b, g), within, number
	}
	low := b.Alu(ir.Floor, g)
	u := b.Sub(g, low)
	i := sum(b, at, s.steps(b, low))
	all := shares(b, s.take.between, u)
	for k, share := range all {
		taps = append(taps, tap{s.moved(b, b.Add(i, b.I32(k+1-len(all)/2))), share})
	}
	return taps, within, number
}

// between are the taps of a place that is known, in steps.
func (s *spot) between(b *ops.Body, at *ir.Node, steps float64) (taps []tap, within, number *ir.Node) {
	low := math.Floor(steps)
	if s.take.between == nearest {
		low = math.Floor(steps + 0.5)
	}
	i := sum(b, at, b.I32(s.take.fixed(s.place, low)))
	if s.take.between == nearest {
		return []tap{{index: s.moved(b, i)}}, s.inside(b, i), nil
	}
	if s.take.beyond == "" {
		from := at
		if from == nil {
			from = b.I32(0)
		}
		whole := func(v float64) *ir.Node { return b.I32(int(max(-mostSteps, min(mostSteps, v)))) }
		first, end := whole(math.Ceil(-slack-steps)), whole(math.Floor(float64(s.of.Size-1)+slack-steps))
		within = b.And(b.Le(first, from), b.Le(from, end))
	}
	all := shares(b, s.take.between, b.Const(ir.F64, steps-low))
	for k, share := range all {
		taps = append(taps, tap{s.moved(b, b.Add(i, b.I32(k+1-len(all)/2))), share})
	}
	return taps, within, nil
}

// cell are the two neighbours that a place held at the ends lies between: indices of one float, in range whatever it is, so that windows
// serve both.
func (s *spot) cell(b *ops.Body, g *ir.Node) []tap {
	c := func(x int) *ir.Node { return b.Const(g.Type, float64(x)) }
	g = b.Max(b.Min(g, c(s.of.Size-1)), c(0)) // a NaN is an end
	low := b.Min(b.Alu(ir.Floor, g), c(s.of.Size-2))
	i := b.Cast(ir.I32, low)
	all := shares(b, linear, b.Sub(g, low))
	return []tap{{i, all[0]}, {b.Add(i, b.I32(1)), all[1]}}
}

func sum(b *ops.Body, x, y *ir.Node) *ir.Node {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return b.Add(x, y)
}

// mostSteps bounds steps, so that an index may be added to them.
const mostSteps = 1 << 30

// mostNear bounds the steps to a neighbour along a dim that has more points than mostSteps.
const mostNear = 1 << 20

// period is after how many steps what lies beyond the ends comes again; 0: it does not.
func (t *take) period(p *place) int {
	switch n := p.of.Size; {
	case t.beyond == wrap:
		return n
	case t.beyond == mirror:
		return 2*n - 2
	}
	return 0
}

// steps is a whole number of steps, in 32 bits: what is too far for them is brought nearer by whole periods, or to where all is beyond.
func (s *spot) steps(b *ops.Body, x *ir.Node) *ir.Node {
	lo, hi, known := ir.RangeOf(x, nil)
	near := known && lo >= -mostSteps && hi <= mostSteps
	period := s.take.period(s.place)
	switch float := x.Type.Float(); {
	case !float && near:
		return b.Cast(ir.I32, x)
	case !float && period > 0:
		return b.Cast(ir.I32, b.Mod(x, b.Int(x.Type, int64(period))))
	case !near && period > 0: // exact up to the farthest
		w := b.Cast(ir.F64, x)
		p := float64(period)
		x = b.Sub(w, b.Mul(b.Alu(ir.Floor, b.Mul(w, b.Const(ir.F64, 1/p))), b.Const(ir.F64, p)))
	}
	if x.Type.Float() {
		return b.Cast(ir.I32, b.Max(b.Min(x, b.Const(x.Type, mostSteps)), b.Const(x.Type, -mostSteps))) // a NaN is beyond
	}
	return b.Cast(ir.I32, b.Max(b.Int(x.Type, -mostSteps), b.Min(b.Int(x.Type, mostSteps), x)))
}

// fixed is a number of steps that is known, likewise.
func (t *take) fixed(p *place, steps float64) int {
	if period := t.period(p); period > 0 {
		return int(math.Mod(steps, float64(period)))
	}
	return int(max(-mostSteps, min(mostSteps, steps)))
}

// wholeSteps are the steps of a place of whole numbers; number is nil where it holds always.
func (s *spot) wholeSteps(b *ops.Body, index []*ir.Node) (steps, number *ir.Node) {
	switch v := s.value.(type) {
	case nil:
		return nil, nil
	case ops.Number:
		return b.I32(s.take.fixed(s.place, v.V)), nil
	}
	x := s.read(b, index)
	if x.Type.Float() {
		at := b.Cast(ir.I32, x)
		if lo, hi, sure := ir.SureRange(at, nil); sure && lo >= -mostSteps && hi <= mostSteps {
			return at, nil
		}
		number = s.found(b, x)
	}
	return s.steps(b, x), number
}

// farthest is how many steps away a place is one where all comes over and over: as far as float64 tells neighbours apart.
const farthest = 1 << 53

// found tells whether a number is a place: NaN is none, and one that is too far has no end to be held at where all comes over and over.
func (s *spot) found(b *ops.Body, x *ir.Node) *ir.Node {
	if s.take.period(s.place) > 0 {
		return b.Le(b.Alu(ir.Abs, x), b.Const(x.Type, farthest))
	}
	return b.Alu(ir.Eq, x, x)
}

// read is the place as a number of its array.
func (s *spot) read(b *ops.Body, index []*ir.Node) *ir.Node {
	return s.at.At(b, operand.Picked(index, s.pick)...).Re
}

// fraction is a place as steps from an index, or from the first point.
func (s *spot) fraction(b *ops.Body, at *ir.Node, index []*ir.Node) (from, steps *ir.Node) {
	f := s.float()
	var x *ir.Node
	if n, ok := s.value.(ops.Number); ok {
		x = b.Const(f, n.V)
	} else {
		x = b.Cast(f, s.read(b, index))
	}
	if s.lookup {
		x = b.Mul(x, b.Const(f, s.sense()))
		if s.here {
			x = b.Add(s.coords.At(b, at).Re, x)
		}
		return nil, s.search(b, x)
	}
	if s.first != 0 {
		x = b.Sub(x, b.Const(f, s.first))
	}
	return at, b.Mul(x, b.Const(f, 1/s.step))
}

// search finds a value among the coordinates, in steps, by halving.
func (s *spot) search(b *ops.Body, x *ir.Node) *ir.Node {
	n := s.of.Size
	lo := b.I32(0)
	step := 1
	for step < n {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		next := b.Add(lo, b.I32(step))
		fits := b.Le(next, b.I32(n-2))
		below := b.Le(s.coords.AtOr(b, fits, math.Inf(1), next).Re, x)
		lo = b.Select(b.And(fits, below), next, lo)
	}
	lo = b.Min(lo, b.I32(n-2))
	c0, c1 := s.coords.At(b, lo).Re, s.coords.At(b, b.Add(lo, b.I32(1))).Re
	return b.Add(b.Cast(x.Type, lo), b.Div(b.Sub(x, c0), b.Sub(c1, c0)))
}

// inside tells whether an index is one of the dim, where what is beyond has no index of its own; nil: it always is.
func (s *spot) inside(b *ops.Body, i *ir.Node) *ir.Node {
	if s.take.beyond != "" || s.value == nil {
		return nil
	}
	if lo, hi, sure := ir.SureRange(i, nil); sure && lo >= 0 && hi < float64(s.of.Size) {
		return nil
	}
	return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(s.of.Size)))
}

// moved is the index that is read for one that may be beyond the ends.
func (s *spot) moved(b *ops.Body, i *ir.Node) *ir.Node {
	n := s.of.Size
	one := s.whole || s.take.between == nearest
	switch {
	case s.value == nil || s.take.beyond == "" && one:
		return i
	case s.take.beyond == wrap:
		return b.Mod(i, b.I32(n))
	case s.take.beyond == mirror && n > 1:
		turn := b.Mod(i, b.I32(2*n-2))
		return b.Min(turn, b.Sub(b.I32(2*n-2), turn))
	}
	return b.Max(b.I32(0), b.Min(b.I32(n-1), i))
}

// shares are the weights of the points about a place that lies a part u of a step behind the middle one, or the second of four.
func shares(b *ops.Body, between string, u *ir.Node) []*ir.Node {
	c := func(v float64) *ir.Node { return b.Const(u.Type, v) }
	if between == linear {
		return []*ir.Node{b.Sub(c(1), u), u}
	}
	poly := func(a0, a1, a2, a3 float64) *ir.Node {
		return b.Add(b.Mul(b.Add(b.Mul(b.Add(b.Mul(c(a3), u), c(a2)), u), c(a1)), u), c(a0))
	}
	return []*ir.Node{poly(0, -.5, 1, -.5), poly(1, 0, -2.5, 1.5), poly(0, .5, 2, -1.5), poly(0, 0, -.5, .5)}
}
