package fuse

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/ops"
	"weft/planner/graph"
)

// once is how often elements may be read, a little over, for which they count as read once.
const once = 1 + 1e-9

// home is the stage in whose kernel a stage is computed as far as rules alone decide: along only readers that compute it in place, each
// element once, with what their folds repeat counted.
func (f *fuser) home(s *ops.Stage) *ops.Stage {
	if h, ok := f.homes[s]; ok {
		return h
	}
	h := s
	if c := f.only(s); c != nil {
		in := f.home(c)
		if n, ok := f.runsIn(in).computed[s]; ok && n <= once*float64(s.Type.Len()) {
			h = in
		}
	}
	f.homes[s] = h
	return h
}

// only is the only reader of a stage, if it may compute it and seems to read each element once, and nothing is to be weighed.
func (f *fuser) only(s *ops.Stage) *ops.Stage {
	if len(f.g.Users[s]) != 1 || f.g.Wanted[s] || f.Limit >= 0 {
		return nil
	}
	c := f.g.Users[s][0]
	if f.barred(s, c) != "" || f.doubtful(s, c) || f.g.Alone(c).Loads[s] > once*float64(s.Type.Len()) {
		return nil
	}
	return c
}

// mostMeeting is how many stages are looked at for whether the readers of a fold meet again.
const mostMeeting = 16

// meeting is the stage in which all ways from a fold with several readers come together, and the stages on these ways: point by point, so that
// a kernel with the last one computes the fold once. nil: there is none nearby.
func (f *fuser) meeting(p *ops.Stage) (last *ops.Stage, between map[*ops.Stage]bool) {
	next := slices.Clone(f.g.Users[p])
	if len(next) < 2 || !f.g.Alone(p).Folds || f.g.Wanted[p] || f.Limit >= 0 {
		return nil, nil
	}
	between = map[*ops.Stage]bool{p: true}
	for len(next) > 1 && len(between) <= mostMeeting {
		slices.SortFunc(next, func(a, b *ops.Stage) int { return f.g.Place[a] - f.g.Place[b] })
		c := next[0]
		for _, in := range c.Inputs {
			if between[in] && (f.barred(in, c) != "" || f.g.Alone(c).Elsewhere[in]) {
				return nil, nil
			}
		}
		if f.g.Wanted[c] || f.g.Alone(c).Folds || !graph.SameShape(p, c) {
			return nil, nil
		}
		between[c] = true
		for _, u := range f.g.Users[c] {
			if !slices.Contains(next, u) {
				next = append(next, u)
			}
		}
		next = next[1:]
	}
	if len(next) != 1 {
		return nil, nil
	}
	delete(between, p)
	return next[0], between
}

// doubtful reports an edge that is weighed although every element is read once: of two folds that may suit other schedules, or of a fold
// that gathers elements, which vectors do in groups or through windows if they lie in memory.
func (f *fuser) doubtful(p, c *ops.Stage) bool {
	return f.g.Alone(c).Scattered[p] || f.g.Alone(p).Folds && f.g.Alone(c).Folds
}

// runs are how often elements of stages are computed in a kernel that holds what only is in, and loaded for each reader.
type runs struct {
	computed map[*ops.Stage]float64
	loaded   map[graph.Edge]float64
	nodes    int
}

// runsIn counts the kernel of a home, once. A value that depends on a fold's index is computed in every run of the fold, whatever else it
// depends on.
func (f *fuser) runsIn(home *ops.Stage) *runs {
	if r := f.counts[home]; r != nil {
		return r
	}
	r := &runs{computed: map[*ops.Stage]float64{}, loaded: map[graph.Edge]float64{}}
	f.counts[home] = r
	bufs := map[graph.Edge][]*ir.Buffer{}
	l := f.g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if f.only(p) == c {
			return nil
		}
		e := graph.Edge{From: p, To: c}
		if bufs[e] == nil {
			bufs[e] = f.g.Buffers(p)
		}
		return bufs[e]
	})
	l.Most = mostBinders
	k, ok := l.Try(home)
	if !ok {
		return r
	}
	times := count.Trips(k)
	for _, p := range l.Placed {
		var free ir.Set
		for _, x := range p.Index {
			free = free.Or(x.Free())
		}
		r.computed[p.Stage] += times(free)
	}
	loads := map[*ir.Buffer]float64{}
	k.Walk(func(n *ir.Node) {
		if r.nodes++; n.Kind == ir.KLoad {
			loads[n.Buf] += times(n.Free())
		}
	})
	for e, parts := range bufs {
		for _, b := range parts {
			r.loaded[e] += loads[b] / float64(len(parts))
		}
	}
	return r
}

// reads is how often a reader takes elements of a stage, where it is computed itself.
func (f *fuser) reads(p, c *ops.Stage) float64 {
	r := f.runsIn(f.home(c))
	if f.only(p) == c {
		if n, ok := r.computed[p]; ok {
			return n
		}
	} else if n, ok := r.loaded[graph.Edge{From: p, To: c}]; ok {
		return n
	}
	return f.g.Alone(c).Loads[p]
}
