package graph

import (
	"slices"

	"weft/ops"
)

// woven is how programs of a drive make an argument of which tasks read tiles, wherever they read it: in few operations from small arrays, and from others that have fewer
// bytes. Of these, tiles are there in place of its own.
type woven struct {
	made  map[string]bool // its stages, by key
	from  []ops.Array
	bytes int64 // that these have for an element of it
}

// Woven reports a stage of a drive's program that is computed wherever it is read: all of it does not fit the memory.
func (g *Graph) Woven(s *ops.Stage) bool { return g.woven[Key(s)] }

// weave finds how an argument follows from less; nil if it does not. What no file gives can be stored on disk where that is done at all.
func (c *collector) weave(a ops.Array) *woven {
	const worth = 2 // operations for a byte that is neither stored nor read
	alone := newCollector()
	alone.how, alone.bare = c.how, true
	alone.findEnds([]*ops.Instance{a.Of})
	s := alone.stageOf(a)
	alone.sink(a.Of, []*ops.Stage{s})
	g, w := alone.graph(), &woven{made: map[string]bool{}}
	given := func(s *ops.Stage) (of ops.Array, ok bool) {
		for op, stages := range alone.made {
			if i := slices.Index(stages, s); i >= 0 && (fromFile(s) || c.spilled != nil) && s.Type.Format == nil && !s.Type.Elem.Complex {
				return ops.Array{Of: op, Out: i}, true
			}
		}
		return of, false
	}
	size := int64(s.Type.Elem.Size())
	made, from, ok := g.ways(s, float64(worth*size), func(s *ops.Stage) bool { _, ok := given(s); return ok })
	for _, s := range made {
		w.made[Key(s)] = true
	}
	for _, s := range from {
		of, _ := given(s)
		w.from, w.bytes = append(w.from, of), w.bytes+int64(s.Type.Elem.Size())
	}
	if !ok || w.bytes >= size {
		return nil
	}
	return w
}

// ways are the stages that an element of one follows from in at most so many operations, and of those that may be given those that are loaded for it, where it
// stands. Arrays of fewer dims are loaded wherever they are read.
func (g *Graph) ways(s *ops.Stage, flops float64, given func(*ops.Stage) bool) (made, from []*ops.Stage, ok bool) {
	a := g.Alone(s)
	if Given(s) || s.Put != nil || s.Hints().Keep || s.Hints().Precision.Storage != 0 || a.Folds || a.Flops > flops {
		return nil, nil, false
	}
	made = []*ops.Stage{s}
	flops -= a.Flops
	for _, in := range s.Inputs {
		if len(in.Type.Dims) < len(s.Type.Dims) {
			continue
		}
		more, of, ok := g.ways(in, flops, given)
		if !ok || given(in) && (way{from: of}).bytes() > float64(in.Type.Elem.Size()) {
			more, of = nil, []*ops.Stage{in}
		}
		if a.Apart[in] || len(of) > 0 && a.Elsewhere[in] || !ok && !given(in) {
			return nil, nil, false
		}
		for _, m := range more {
			flops -= g.Alone(m).Flops
		}
		made, from = appendNew(made, more), appendNew(from, of)
	}
	return made, from, true
}
