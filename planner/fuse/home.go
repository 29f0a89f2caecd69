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

// home is the stage in whose kernel a stage is computed as far as rules alone decide: along readers that compute it in place, all of them in
// one kernel, each element once, with what their folds repeat counted.
func (f *fuser) home(s *ops.Stage) *ops.Stage {
	if h, ok := f.homes[s]; ok {
		return h
	}
	h := s
	if f.joined(s) {
		in := f.home(f.g.Users[s][0])
		n, ok := f.runsIn(in).computed[s]
		if ok && n <= once*float64(s.Type.Len()) && !slices.ContainsFunc(f.g.Users[s], func(c *ops.Stage) bool { return f.home(c) != in }) {
			h = in
		}
	}
	f.homes[s] = h
	return h
}

// end is where all ways from a stage come together last, along readers that may compute it, seem to read each element once, of several each at
// its own point, and about which nothing is to be weighed.
func (f *fuser) end(s *ops.Stage) *ops.Stage {
	if e, ok := f.ends[s]; ok {
		return e
	}
	e, users := s, f.g.Users[s]
	if len(users) > 0 && !f.g.Wanted[s] && f.Limit < 0 {
		last := f.end(users[0])
		if !slices.ContainsFunc(users, func(c *ops.Stage) bool {
			return f.end(c) != last || f.barred(s, c) != "" || f.doubtful(s, c) ||
				f.g.Alone(c).Loads[s] > once*float64(s.Type.Len()) || len(users) > 1 && f.g.Alone(c).Apart[s]
		}) {
			e = last
		}
	}
	f.ends[s] = e
	return e
}

// beyond is the next stage that all ways from one lead through, whatever is weighed on them, as far as no rule bars any; nil: there is none.
func (f *fuser) beyond(s *ops.Stage) *ops.Stage {
	if b, ok := f.meets[s]; ok {
		return b
	}
	var meet *ops.Stage
	for i, c := range f.g.Users[s] {
		if f.g.Wanted[s] || f.Limit >= 0 || f.barred(s, c) != "" {
			meet = nil
			break
		}
		if i == 0 {
			meet = c
		}
		for meet != nil && meet != c {
			if f.g.Place[meet] < f.g.Place[c] {
				meet = f.beyond(meet)
			} else if c = f.beyond(c); c == nil {
				meet = nil
			}
		}
		if meet == nil {
			break
		}
	}
	f.meets[s] = meet
	return meet
}

// reach is the fold in whose turns a stage may yet be computed, if all that is weighed on the ways there is fused, sums of few turns among it: where these
// come together last if there is none.
func (f *fuser) reach(s *ops.Stage) *ops.Stage {
	for b := f.beyond(s); b != nil; b = f.beyond(b) {
		if a := f.g.Alone(b); a.Folds && !a.Brief {
			return b
		}
	}
	return f.end(s)
}

// reduces reports a stage with a fold, or a single number that is made of one in its kernel, as decided so far.
func (f *fuser) reduces(s *ops.Stage) bool {
	return f.g.Alone(s).Folds || s.Type.Len() == 1 && slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool {
		return in.Type.Len() == 1 && f.Fused[graph.Edge{From: in, To: s}] && f.reduces(in)
	})
}

// joined reports a stage that all its readers may compute in place, in one kernel.
func (f *fuser) joined(s *ops.Stage) bool { return f.end(s) != s }

// doubtful reports an edge that is weighed although every element is read once: of two folds that may suit other schedules, or of a fold
// that gathers elements, which vectors do in groups or through windows if they lie in memory; or of elements read at other places, that take more work there than here.
func (f *fuser) doubtful(p, c *ops.Stage) bool {
	return f.g.Alone(c).Scattered[p] || f.g.Alone(p).Uneven && f.g.Alone(c).Elsewhere[p] || f.g.Alone(p).Folds && f.g.Alone(c).Folds
}

// repeats reports whether a reader is computed in the kernel of one before it, which stores their homes and computes what both read once. What
// merely follows from that element by element may as well end in other kernels, unless it is stored in any case.
func (f *fuser) repeats(before []*ops.Stage, c *ops.Stage) bool {
	y := f.home(c)
	return slices.ContainsFunc(before, func(b *ops.Stage) bool {
		x := f.home(b)
		return x != y && f.g.Siblings(x, y) && (x.Op == y.Op || f.kept(x) && f.kept(y))
	})
}

// kept reports a stage that is stored, whatever is weighed.
func (f *fuser) kept(s *ops.Stage) bool {
	return f.g.Wanted[s] || slices.ContainsFunc(f.g.Users[s], func(c *ops.Stage) bool { return f.barred(s, c) != "" })
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
		if f.joined(p) {
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
	if f.joined(p) {
		if n, ok := r.computed[p]; ok {
			return n
		}
	} else if n, ok := r.loaded[graph.Edge{From: p, To: c}]; ok {
		return n
	}
	return f.g.Alone(c).Loads[p]
}
