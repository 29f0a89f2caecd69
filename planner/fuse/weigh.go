package fuse

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule/sums"
	"weft/ops"
	"weft/planner/cost"
	"weft/planner/graph"
)

// recomputeDoubt is how many times less fusing must take than storing, by the cost model: it predicts kernels that compute again what others
// do within so much of those, since both are predicted as they would be scheduled. The gradient of a matrix in blocks is one kernel by it, of 8.6 ms, where
// two take 14.6; that of single entries stays two, of 34 ms, where one takes 36.
const recomputeDoubt = 1.15

// tellable is the share of their time by which readers must be predicted to take longer for the difference to count: less is beyond the model. tellableFar is
// that where what would be stored exceeds a core's own caches and takes few operations a byte: how fast it comes from beyond them follows from what else
// runs on the machine. Scans in float64 take 130 ms where they load such a table, by which 5 % were to be saved, and 84 where they compute it; those with
// 11 diagonals 215, and 48.
const (
	tellable    = 1e-4
	tellableFar = 0.08
	plainWork   = 2 // operations a byte
)

// tells is the share that counts of what readers of a stage take.
func (f *fuser) tells(p *ops.Stage) float64 {
	if f.Cost.Near(p.Type.Bytes()) || f.flopsPerElement(p) > plainWork*float64(p.Type.Elem.Size()) {
		return tellable
	}
	return tellableFar
}

// edgeKey names an edge of a program, the same in every planning of it.
func edgeKey(p, c *ops.Stage) string { return graph.Key(p) + " > " + graph.Key(c) }

// weighed is the verdict on an edge that is decided already, or else the one given now, which it records.
func (f *fuser) weighed(p, c *ops.Stage, fuse bool) bool {
	key := edgeKey(p, c)
	if was, ok := f.Decided[key]; ok {
		fuse = was
	}
	f.Weighed[key] = fuse
	return fuse
}

// alternatives are what two choices take beyond what both share, in seconds: what readers take longer that compute p in place
// than if they load it, as far as that can be told, and the kernel that stores p.
func (f *fuser) alternatives(p *ops.Stage, readers []*ops.Stage) (fused, stored float64) {
	turns := f.turns(p, readers)
	fused, ends := f.readersTake(p, readers, turns)
	if fused < math.Inf(1) {
		without, _ := f.readersTake(nil, readers, turns)
		fused = max(0, fused-(1+f.tells(p))*without)
	}
	if stored = f.predicted(p, nil, f.home); fused < stored {
		for _, h := range ends {
			f.leads(p, h)
		}
	}
	return fused, stored
}

// readersTake is the time of the kernels that readers of a stage are in, with the stage computed in place or loaded (nil). Where there is
// something to be weighed yet between a reader and where all ways from it end, it is the shorter one of both: that the reader is in a kernel
// of its own, loaded by the last, and that the last computes it, which may know more of places, such as bounds, where nothing is loaded.
// So it is of folds in whose turns all that is weighed before them may be computed. It also tells where all is computed, if not where readers are.
func (f *fuser) readersTake(p *ops.Stage, readers, turns []*ops.Stage) (seconds float64, ends []*ops.Stage) {
	apart, together, own, last := 0.0, 0.0, locator(f.home).of(readers), locator(f.end).of(readers)
	for _, h := range own {
		apart += f.predicted(h, p, f.home)
	}
	if !slices.Equal(own, last) {
		for _, h := range last {
			together += f.predicted(h, p, f.end)
			if !slices.Contains(own, h) {
				apart += f.predicted(h, nil, f.home)
			}
		}
		if together < apart {
			apart, ends = together, last
		}
	}
	behind, within := 0.0, 0.0
	for _, h := range turns {
		within += f.predicted(h, p, f.reach)
		behind += f.predicted(h, nil, func(s *ops.Stage) *ops.Stage {
			if slices.Contains(own, s) || slices.Contains(last, s) {
				return s
			}
			return f.reach(s)
		})
	}
	if len(turns) == 0 || math.IsInf(behind, 1) {
		return apart, ends
	}
	if within < apart+behind {
		return within, turns
	}
	return apart + behind, ends
}

// leads notes the stages between one and that in whose kernel it was found to be computed best, with all of them.
func (f *fuser) leads(p, to *ops.Stage) {
	for _, c := range f.g.Users[p] {
		if c != to && !f.ways[c] && f.g.Place[c] < f.g.Place[to] {
			f.ways[c] = true
			f.leads(c, to)
		}
	}
}

// turns are the folds in whose turns readers of a stage may yet be computed: vectors know bounds of places that are computed, and what turns load again
// and again is there once for each. None are told where kernels of so many values are not built to be compared.
func (f *fuser) turns(p *ops.Stage, readers []*ops.Stage) []*ops.Stage {
	own, last, turns := locator(f.home).of(readers), locator(f.end).of(readers), locator(f.reach).of(readers)
	if slices.ContainsFunc(turns, func(s *ops.Stage) bool { return slices.Contains(own, s) || slices.Contains(last, s) }) {
		return nil
	}
	for _, s := range turns {
		f.turning -= 2 * f.g.Alone(s).Nodes
	}
	if f.turning < 0 {
		return nil
	}
	return turns
}

// locator tells in whose kernel a stage is taken to be computed.
type locator func(*ops.Stage) *ops.Stage

// of are the stages in whose kernels some are.
func (in locator) of(stages []*ops.Stage) (out []*ops.Stage) {
	for _, s := range stages {
		if h := in(s); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// computed tells what of a kernel is computed where a stage of it reads it.
type computed func(in, c *ops.Stage) bool

// predicted is the time of a kernel that stores s and computes in place what is decided so, what will be as far as is known, and p.
func (f *fuser) predicted(s, p *ops.Stage, home locator) float64 {
	return f.found(s, func(in, c *ops.Stage) bool {
		return f.Fused[graph.Edge{From: in, To: c}] || in == p || f.g.Place[in] > f.at && home(in) == s
	}, p == nil)
}

// time is that of a kernel that stores some stages; settled says that nothing is supposed, so that the ranges of what it stores hold. Kernels of one loose hash share it. What earlier runs
// taught is left out: the same profile gives the same plan.
func (f *fuser) time(stages []*ops.Stage, in computed, settled bool) float64 {
	s := stages[0]
	about := cost.Kernel{Share: cost.Share(s, nil)}
	for _, s := range stages {
		if !f.passing(s) {
			about.Stores = append(about.Stores, cost.Array{Bytes: s.Type.Bytes(), Likely: s.Type.Likely(nil)})
		}
	}
	bufs := map[*ops.Stage][]*ir.Buffer{}
	l := f.g.KernelBuilder(func(p, c *ops.Stage) []*ir.Buffer {
		if in(p, c) {
			return nil
		}
		if bufs[p] == nil {
			bufs[p] = f.g.Buffers(p)
			for i, within := range f.within[p] {
				bufs[p][i].Facts.Within = within
			}
			if !f.blind {
				bufs[p][0].Facts.Max = tallest(p, c)
			}
			about.Loads = append(about.Loads, cost.ArrayOf(p, bufs[p], nil))
		}
		return bufs[p]
	})
	l.Most = mostBinders
	k, ok := l.Try(stages...)
	if !ok {
		return math.Inf(1)
	}
	hash := fmt.Sprint(ir.LooseHash(k), about.Stores)
	if settled && f.within[s] == nil {
		ir.StoreRanges(k)
		for _, b := range k.Outputs() {
			f.within[s] = append(f.within[s], b.Facts.Within)
		}
	}
	if known, ok := f.Weights[hash]; ok {
		return known
	}
	about.IR = k
	if l.Body.Binders() <= maxBinders {
		about.IR = sums.Ready(k) // as it will be
	}
	f.Scheduled++
	f.Weights[hash] = f.Cost.Weigh(about)
	return f.Weights[hash]
}

// passing reports a stage that its readers may yet compute: arithmetic does not hide behind memory that may never be written.
func (f *fuser) passing(s *ops.Stage) bool {
	users := f.g.Users[s]
	if f.g.Place[s] <= f.at || len(users) == 0 || f.g.Wanted[s] {
		return false
	}
	return f.followed(s) || !slices.ContainsFunc(users, func(c *ops.Stage) bool { return f.barred(s, c) != "" })
}

// culls reports an array by whose largest values a reader leaves out iterations, as it cannot where it computes the elements.
func (f *fuser) culls(p *ops.Stage) bool {
	return slices.ContainsFunc(f.g.Users[p], func(c *ops.Stage) bool { return tallest(p, c) != nil })
}

// topEdge is the edge, by its place in the list, to a reader of a table that holds the largest value of an array.
type topEdge struct {
	at     int
	reader *ops.Stage
}

// weighTables predicts the kernels that leave out turns of their loops by tables of largest values, with these and without: the edges to
// them say what the tables are worth.
func (f *fuser) weighTables() {
	if f.Cost == nil {
		return
	}
	f.at = len(f.g.Stages)
	for _, t := range f.tops {
		e, h := &f.Edges[t.at], f.kernelOf(t.reader)
		e.StoredMs = 1e3 * f.predicted(h, nil, f.home)
		f.blind = true
		e.FusedMs = 1e3 * f.predicted(h, nil, f.home)
		f.blind = false
	}
}

// kernelOf is the stage in whose kernel one is computed, of several the first.
func (f *fuser) kernelOf(s *ops.Stage) *ops.Stage {
	for _, c := range f.g.Users[s] {
		if f.Fused[graph.Edge{From: s, To: c}] {
			return f.kernelOf(c)
		}
	}
	return s
}

// isTableOf reports whether p is a table of another stage that c reads.
func isTableOf(p, c *ops.Stage) bool {
	return slices.ContainsFunc(c.Inputs, func(in *ops.Stage) bool { return slices.Contains(in.Tall.Stages(), p) })
}

// tallest says what is left out of loops over p in a reader that has its tables of largest values.
func tallest(p, c *ops.Stage) *ir.MaxPyramid {
	if p.Tall == nil || !slices.Contains(c.Inputs, p.Tall.Top) {
		return nil
	}
	out := &ir.MaxPyramid{}
	for _, l := range p.Tall.Levels {
		out.Tables = append(out.Tables, ir.MaxTable{Shift: l.Shift, Rows: l.Rows, Cols: l.Cols, Block: l.Block})
	}
	return out
}
