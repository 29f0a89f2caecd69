package sums

import (
	"maps"
	"math"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
	"weft/kernels/subst"
)

// Folds over a point's neighbours that are written out have at most so many turns, those of folds within them included, and so many operations in all of these.
const (
	mostWritten = 64
	mostWork    = 600
)

// Written writes out the folds over a point's neighbours, at places that are known now, such as a blur by a table of weights: rows beside each other load
// much of the same, which vectors in flight have in common where no loop is between them. Terms are joined in the order that they have. A sum
// whose turns are lanes stays.
func Written(k *ir.Kernel) *ir.Kernel {
	var around ir.Set
	var folds []*ir.Fold
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold {
			around, folds = around.Or(n.Fold.Binders()), append(folds, n.Fold)
		}
	})
	b, with := ir.Extend(k.Roots()), map[*ir.Node]*ir.Node{}
	for _, f := range folds {
		if f.Node.Free().Meets(around) || k.Writes(f) {
			continue
		}
		if turns, work := written(f); turns > mostWritten || work > mostWork {
			continue
		}
		values := (&writer{b: b, with: map[*ir.Node]*ir.Node{}}).turns(f)
		if !neighbours(k, values) || schedule.AddsTurns(k, schedule.AVX512) {
			continue
		}
		k.Walk(func(n *ir.Node) {
			if n.Kind == ir.KGet && n.Fold == f {
				with[n] = values[n.I]
			}
		})
	}
	return subst.Kernel(k, subst.Like(b, with), len(with) > 0)
}

// written is how many turns a fold has, with those of folds within, and how many operations these take; beyond any bound of one that may end early, or is not
// known to begin and end where it does.
func written(f *ir.Fold) (turns, work float64) {
	n, known := count.KnownTrips(f)
	if !known || !joins(f) || f.Lo.Kind != ir.KConst || f.Hi.Kind != ir.KConst {
		return math.Inf(1), 0
	}
	turns = n
	ir.WalkNodes(f.Step, func(x *ir.Node) {
		switch {
		case !x.Free().Meets(f.Binders()):
		case x.Kind == ir.KFold:
			inner, more := written(x.Fold)
			turns, work = max(turns, n*inner), work+n*more
		case x.Kind == ir.KAlu || x.Kind == ir.KLoad:
			work += n
		}
	})
	return turns, work
}

// neighbours reports values of which points beside each other, not along rows of what is loaded, load much of the same.
func neighbours(k *ir.Kernel, values []*ir.Node) bool {
	var loads []*ir.Node
	ir.WalkNodes(values, func(n *ir.Node) {
		if n.Kind == ir.KLoad {
			loads = append(loads, n)
		}
	})
	for _, axis := range k.Axes {
		if schedule.Slides(loads, axis) {
			return true
		}
	}
	return false
}

// writer makes values at one turn of folds.
type writer struct {
	b     *ir.Builder
	bound ir.Set                  // what the folds bind
	with  map[*ir.Node]*ir.Node   // known values
	folds map[*ir.Fold][]*ir.Node // and those that folds within end with
}

// turns are the values that a fold ends with.
func (w *writer) turns(f *ir.Fold) (values []*ir.Node) {
	for _, n := range f.Init {
		values = append(values, w.of(n))
	}
	for i := f.Lo.I; i < f.Hi.I; i++ {
		turn := writer{w.b, w.bound.Or(f.Binders()), maps.Clone(w.with), map[*ir.Fold][]*ir.Node{}}
		turn.with[f.Index] = w.b.Int(f.Index.Type, i)
		for q, acc := range f.Accs {
			turn.with[acc] = values[q]
		}
		values = nil
		for _, n := range f.Step {
			values = append(values, turn.of(n))
		}
	}
	return values
}

func (w *writer) of(n *ir.Node) *ir.Node {
	if !n.Free().Meets(w.bound) {
		return n
	}
	if m := w.with[n]; m != nil {
		return m
	}
	m := w.whole(n)
	switch {
	case m != nil:
	case n.Kind == ir.KGet:
		if w.folds[n.Fold] == nil {
			w.folds[n.Fold] = w.turns(n.Fold)
		}
		m = w.folds[n.Fold][n.I]
	default:
		args := make([]*ir.Node, len(n.Args))
		for i, a := range n.Args {
			args[i] = w.of(a)
		}
		m = w.b.Rebuild(n, args)
	}
	w.with[n] = m
	return m
}

// whole is the whole number that is loaded from a table of few, whatever type that has; nil: it is not known.
func (w *writer) whole(n *ir.Node) *ir.Node {
	load := n
	if n.Kind == ir.KAlu && n.Op == ir.Cast {
		load = n.Args[0]
	}
	if !n.Type.Int() || load.Kind != ir.KLoad || load.Guarded || load.Buf.Facts.Data == nil || load.Buf.Facts.Data.Elements == nil {
		return nil
	}
	at := 0 // in the order of the array, without what lies behind its rows
	for d, size := range load.Buf.Shape {
		i := w.of(load.Args[d])
		if i.Kind != ir.KConst || i.I < 0 || i.I >= int64(size) {
			return nil
		}
		at = at*size + int(i.I)
	}
	x := load.Buf.Facts.Data.Elements[at]
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return nil
	}
	return w.b.Int(n.Type, int64(x))
}
