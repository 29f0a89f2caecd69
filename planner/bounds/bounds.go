// Package bounds infers which regions of the arrays that a kernel loads a region of its axes is computed from, by interval
// analysis of the indices of its loads.
package bounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// Devices round square roots and the like each in its own way, and fused operations once where others do twice. An index made from
// floats may so differ from what intervals say by a few units in the last place of a single-precision value.
const (
	indexSlack    = 2
	relativeSlack = 1e-5
)

// FromFloats reports whether an index is made from floats, where some conditions hold: what these were made from is settled.
func FromFloats(index *ir.Node, holds ...*ir.Node) (yes bool) {
	done := map[*ir.Node]bool{}
	for _, c := range holds {
		done[c] = true
		for _, part := range ir.Conjuncts(c, nil) {
			done[part] = true
		}
	}
	var walk func(n *ir.Node)
	walk = func(n *ir.Node) {
		if yes = yes || n.Type.Float(); yes || done[n] {
			return
		}
		done[n] = true
		for _, x := range n.Args {
			walk(x)
		}
		if n.Kind == ir.KFold {
			n.Fold.Operands(walk)
		}
	}
	walk(index)
	return yes
}

// Slackened widens the range of an index that is made from floats and counts from start.
func Slackened(lo, hi float64, start int) (float64, float64) {
	slack := func(x float64) float64 { return indexSlack + relativeSlack*math.Abs(x+float64(start)) }
	return math.Ceil(lo - slack(lo)), math.Floor(hi + slack(hi))
}

// Values are the least and greatest elements of buffers, NaN apart, as far as they are known.
type Values map[*ir.Buffer][2]float64

// Store bounds what a kernel stores as it is.
func (v Values) Store(k *ir.Kernel) {
	for _, st := range k.Stores {
		if st.Adds || st.Buf.Type != st.Value.Type {
			continue
		}
		lo, hi, _ := ir.RangeOf(st.Value, v.load)
		if was, ok := v[st.Buf]; ok {
			lo, hi = min(lo, was[0]), max(hi, was[1])
		}
		v[st.Buf] = [2]float64{lo, hi}
	}
}

func (v Values) load(n *ir.Node) (lo, hi float64, ok bool) {
	if n.Kind != ir.KLoad {
		return 0, 0, false
	}
	s, ok := v[n.Buf]
	return s[0], s[1], ok
}

// risen is what a load reads of known elements that never fall.
func risen(n *ir.Node, known ir.AxisRange) (lo, hi float64, ok bool) {
	if n.Kind != ir.KLoad || n.Buf.Facts.Data == nil || n.Buf.Facts.Data.Rising == nil {
		return 0, 0, false
	}
	list := n.Buf.Facts.Data.Rising
	at := func(i float64) float64 { return float64(list[int(max(0, min(i, float64(len(list)-1))))]) }
	lo, hi, _ = ir.RangeOf(n.Args[0], known)
	return at(lo), at(hi), true
}

// Loads are the loads of a kernel. They do not change, and may be asked from several goroutines at once.
type Loads struct {
	axes   []*ir.Node
	values Values
	under  []conditional
	bufs   []*ir.Buffer
	steady func() [][]region.Interval // of the indices that are the same wherever the axes are, load by load
}

// prepared are loads with what need not be found for each region.
func (l *Loads) prepared(k *ir.Kernel) *Loads {
	moving := movingIn(k)
	for _, c := range l.under {
		for _, n := range c.loads {
			for i, x := range n.Index() {
				switch {
				case !x.Free().Meets(moving):
					n.axis[i] = anywhere
				case len(c.holds) == 0:
					n.axis[i] = slices.Index(k.Axes, x)
				}
			}
		}
	}
	return l.settled()
}

// movingIn are the axes of a kernel, what turns its folds make where these say how many, and what they carry.
func movingIn(k *ir.Kernel) (moving ir.Set) {
	for _, a := range k.Axes {
		moving = moving.Or(a.Bind())
	}
	for grown := true; grown; {
		before := moving
		k.Walk(func(n *ir.Node) {
			if n.Kind != ir.KFold {
				return
			}
			f := n.Fold
			if f.Lo.Free().Meets(moving) || f.Hi.Free().Meets(moving) {
				moving = moving.Or(f.IndexBind)
			}
			if n.Free().Or(f.IndexBind).Meets(moving) {
				moving = moving.Or(f.AccBind)
			}
		})
		grown = moving != before
	}
	return moving
}

// settled finds what is steady when it is first asked for.
func (l *Loads) settled() *Loads {
	l.steady = sync.OnceValue(func() (all [][]region.Interval) {
		for _, c := range l.under {
			ranges := ir.RangesWhere(c.holds, l.known(nil))
			for _, n := range c.loads {
				at := make(region.Region, len(n.axis))
				for i, axis := range n.axis {
					if axis == anywhere {
						at[i] = n.along(i, ranges)
					}
				}
				all = append(all, at)
			}
		}
		return all
	})
	return l
}

// conditional is loads whose values count only where some conditions hold.
type conditional struct {
	holds []*ir.Node
	loads []load
}

type load struct {
	*ir.Node
	floats []bool // indices that are made from floats
	axis   []int  // axes that indices are, anywhere those that are the same for all axes, else -1
}

const anywhere = -2

func newLoad(n *ir.Node, holds ...*ir.Node) load {
	l := load{Node: n}
	for _, x := range n.Index() {
		l.floats, l.axis = append(l.floats, FromFloats(x, holds...)), append(l.axis, -1)
	}
	return l
}

// along is the interval of one axis of the buffer that the load reads.
func (l load) along(axis int, ranges func(*ir.Node) (lo, hi float64, ok bool)) region.Interval {
	lo, hi, _ := ranges(l.Index()[axis])
	return l.within(axis, lo, hi)
}

// within is the interval of an axis of the buffer, as the index goes from lo to hi.
func (l load) within(axis int, lo, hi float64) region.Interval {
	if l.floats[axis] {
		lo, hi = Slackened(lo, hi, 0)
	}
	last := float64(l.Buf.Shape[axis] - 1)
	if l.Buf.Pad != (ir.Pad{}) && axis == len(l.Buf.Shape)-1 { // beside the row is its padding, which comes with its ends
		lo, hi = min(lo, last), max(hi, 0)
	}
	if lo, hi = max(lo, 0), min(hi, last); lo > hi {
		return region.Interval{}
	}
	return region.Interval{Lo: int(lo), Hi: int(hi) + 1}
}

// Executed are the loads of a kernel wherever they are executed: a load whose value is then thrown away counts like any other.
func Executed(k *ir.Kernel, v Values) *Loads {
	var all []load
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KLoad {
			all = append(all, newLoad(n))
		}
	})
	return (&Loads{axes: k.Axes, values: v, under: []conditional{{loads: all}}, bufs: k.Inputs()}).prepared(k)
}

// Needed are the loads of a kernel where their values make a difference: those outside of a guard, or of what a selection chooses,
// do not count.
func Needed(k *ir.Kernel) *Loads {
	l := &Loads{axes: k.Axes, bufs: k.Inputs()}
	at := map[string]int{}
	for _, w := range whereUsed(k) {
		key := ""
		for _, c := range w.holds {
			key += fmt.Sprint(c.ID(), " ")
		}
		i, ok := at[key]
		if !ok {
			i = len(l.under)
			at[key], l.under = i, append(l.under, conditional{holds: w.holds})
		}
		l.under[i].loads = append(l.under[i].loads, w.loads...)
	}
	return l.prepared(k)
}

// whereUsed finds, for each load, conditions that hold wherever its value is used.
func whereUsed(k *ir.Kernel) (out []conditional) {
	var order []*ir.Node
	k.Walk(func(n *ir.Node) { order = append(order, n) })
	holds := map[*ir.Node][]*ir.Node{} // conditions, by id; of a node that nothing was found to use yet: missing
	use := func(n *ir.Node, given []*ir.Node, and *ir.Node) {
		if and != nil && !slices.Contains(given, and) {
			given = append(given[:len(given):len(given)], and)
			slices.SortFunc(given, func(a, b *ir.Node) int { return cmp.Compare(a.ID(), b.ID()) })
		}
		if was, used := holds[n]; used {
			given = slices.DeleteFunc(slices.Clone(was), func(c *ir.Node) bool { return !slices.Contains(given, c) })
		}
		holds[n] = given
	}
	for _, s := range k.Stores {
		for _, n := range append(s.Index[:len(s.Index):len(s.Index)], s.Value) {
			use(n, nil, s.Guard)
		}
		if s.Guard != nil {
			use(s.Guard, nil, nil)
		}
	}
	for _, n := range slices.Backward(order) {
		given := holds[n]
		switch guard, _ := n.Guard(); {
		case n.Kind == ir.KAlu && n.Op == ir.Select:
			use(n.Args[0], given, nil)
			use(n.Args[1], given, n.Args[0])
			use(n.Args[2], given, nil)
			continue
		case n.Kind == ir.KLoad && guard != nil:
			for _, x := range n.Index() {
				use(x, given, guard)
			}
			use(n.Args[len(n.Args)-2], given, nil)
			use(n.Args[len(n.Args)-1], given, nil)
			if !slices.Contains(given, guard) {
				given = append(given[:len(given):len(given)], guard)
			}
			out = append(out, conditional{given, []load{newLoad(n, given...)}})
			continue
		case n.Kind == ir.KLoad:
			out = append(out, conditional{given, []load{newLoad(n, given...)}})
		case n.Kind == ir.KFold:
			n.Fold.Operands(func(x *ir.Node) { use(x, given, nil) })
		}
		for _, x := range n.Args {
			use(x, given, nil)
		}
	}
	return out
}

// Where are the same loads while some buffers hold what is told.
func (l *Loads) Where(v Values) *Loads {
	out := *l
	out.values = v
	return out.settled()
}

// known are ranges where axes lie in a region.
func (l *Loads) known(over region.Region) (known ir.AxisRange) {
	known = func(n *ir.Node) (lo, hi float64, ok bool) {
		i := slices.Index(l.axes, n)
		if lo, hi, ok := risen(n, known); ok {
			return lo, hi, true
		}
		if i < 0 || i >= len(over) {
			return l.values.load(n)
		}
		return float64(over[i].Lo), float64(over[i].Hi - 1), true
	}
	return known
}

// Of is the region of each buffer that a region of the axes reads: an interval an axis of the buffer, empty where it reads none.
// Bounding tables are read anywhere.
func (l *Loads) Of(over region.Region) map[*ir.Buffer]region.Region {
	out := make(map[*ir.Buffer]region.Region, len(l.bufs))
	for _, b := range l.bufs {
		out[b] = make(region.Region, len(b.Shape))
	}
	if over.Empty() {
		return out
	}
	var at region.Region
	steady := l.steady()
	for _, c := range l.under {
		var ranges func(*ir.Node) (lo, hi float64, ok bool)
		for _, n := range c.loads {
			at = at[:0]
			for i, axis := range n.axis {
				switch {
				case axis == anywhere:
					at = append(at, steady[0][i])
				case axis >= 0 && axis < len(over):
					at = append(at, n.within(i, float64(over[axis].Lo), float64(over[axis].Hi-1)))
				default:
					if ranges == nil {
						ranges = ir.RangesWhere(c.holds, l.known(over))
					}
					at = append(at, n.along(i, ranges))
				}
			}
			steady = steady[1:]
			switch is := out[n.Buf]; {
			case is.Empty():
				copy(is, at)
			case !at.Empty():
				for i := range is {
					is[i] = is[i].Hull(at[i])
				}
			}
		}
	}
	for _, b := range l.bufs {
		if m := b.Facts.Max; m != nil {
			out[m.Top] = region.Region{}
			for _, t := range m.Tables {
				out[t.Buf] = region.Whole(t.Buf.Shape...)
			}
		}
	}
	return out
}
