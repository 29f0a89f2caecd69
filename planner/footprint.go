package planner

import (
	"math"
	"slices"
	"sync"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// footprints tell which rows of the arrays it reads a stage needs for some rows of its own. Rows are indices along the first dim.
type footprints struct {
	stages map[*ops.Stage]*rowReads
	values map[*ops.Stage]span
}

// rowReads are the row indices at which a stage reads each of its inputs, as nodes of the kernel that stores it alone.
type rowReads struct {
	of     map[*ops.Stage][]*ir.Node
	tables map[*ir.Buffer]*ops.Stage // inputs whose values are known
	axis   *ir.Node                  // over the stage's rows; nil for a single value
}

type span struct{ lo, hi float64 }

func newFootprints() *footprints {
	return &footprints{stages: map[*ops.Stage]*rowReads{}, values: map[*ops.Stage]span{}}
}

// reads builds a stage from stored inputs and looks at its loads.
func (f *footprints) reads(s *ops.Stage) *rowReads {
	if r := f.stages[s]; r != nil {
		return r
	}
	r := &rowReads{of: map[*ops.Stage][]*ir.Node{}, tables: map[*ir.Buffer]*ops.Stage{}}
	bufs, stages := map[*ops.Stage]*ir.Buffer{}, map[*ir.Buffer]*ops.Stage{}
	l := newLowerer(func(p, _ *ops.Stage) *ir.Buffer {
		if bufs[p] == nil {
			b := bufferOf(p, p.Name)
			bufs[p], stages[b] = b, p
			if p.Data != nil {
				r.tables[b] = p
			}
		}
		return bufs[p]
	})
	k := l.kernelOf(s)
	if len(k.Axes) > 0 {
		r.axis = k.Axes[0]
	}
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad {
			return
		}
		p := stages[n.Buf]
		index := n.Index()
		if p.Type.Elem.Complex {
			index = index[1:] // of the plane
		}
		if len(index) > 0 && !slices.Contains(r.of[p], index[0]) {
			r.of[p] = append(r.of[p], index[0])
		}
	})
	f.stages[s] = r
	return r
}

// need are the rows of an input that some rows of a stage are made from; empty where it reads none.
func (f *footprints) need(p, s *ops.Stage, rows region.Interval) region.Interval {
	r := f.reads(s)
	known := func(n *ir.Node) (lo, hi float64, ok bool) {
		if n == r.axis {
			return float64(rows.Lo), float64(rows.Hi - 1), true
		}
		if t := r.tables[n.Buf]; n.Kind == ir.KLoad && t != nil {
			v := f.valuesOf(t)
			return v.lo, v.hi, true
		}
		return 0, 0, false
	}
	var out region.Interval
	for _, index := range r.of[p] {
		lo, hi, _ := ir.RangeOf(index, known)
		first, last := math.Max(lo, 0), math.Min(hi, float64(p.Type.Dims[0].Size-1))
		if first <= last {
			out = out.Hull(region.Interval{Lo: int(first), Hi: int(last) + 1})
		}
	}
	return f.within(out, p, s, rows)
}

// Footprint is which rows of the arrays that a kernel step reads are needed to store some rows of what it writes, by buffer id.
// Rows are indices along the first dim; single values, and arrays looked up anywhere, are needed as a whole. The function may be called from several
// goroutines at once.
func (p *Plan) Footprint(step *Step) func(rows region.Interval) map[string]region.Interval {
	f, g := newFootprints(), step.Kernel.group
	reads := make(map[string]*ops.Stage, len(step.Reads))
	for _, id := range step.Reads {
		reads[id] = p.Buffer(id).Array
	}
	var mu sync.Mutex // guards what f remembers
	return func(rows region.Interval) map[string]region.Interval {
		mu.Lock()
		defer mu.Unlock()
		need := f.kernel(g, rows)
		out := make(map[string]region.Interval, len(reads))
		for id, s := range reads {
			at, ok := need[s]
			if !ok {
				at = whole(s)
			}
			out[id] = at
		}
		return out
	}
}

// within narrows what the index map says by what the operator declares of its arguments.
func (f *footprints) within(need region.Interval, p, s *ops.Stage, rows region.Interval) region.Interval {
	if s.Op == nil || s.Op.Spec.Footprint == nil || p.Op == s.Op || len(s.Op.Out) == 0 || len(s.Op.Out[0].Type.Dims) == 0 || !sameSizes(s.Type.Dims, s.Op.Out[0].Type.Dims) {
		return need
	}
	declared := s.Op.Spec.Footprint(s.Op.Call, region.Whole(s.Type.Shape()...).Along(0, rows))
	var all region.Interval
	found := false
	s.Op.Call.Arrays(func(param string, a ops.Array) {
		if at := declared[param]; a.Of == p.Op && len(at) > 0 {
			all, found = all.Hull(at[0]), true
		}
	})
	if !found {
		return need
	}
	if box := p.Box(); box != nil { // declared of the whole
		all = all.Shift(-box[0].Lo)
	}
	return region.Interval{Lo: max(need.Lo, all.Lo), Hi: max(need.Lo, all.Lo, min(need.Hi, all.Hi))}
}

// valuesOf are the least and the greatest value of a table.
func (f *footprints) valuesOf(t *ops.Stage) span {
	v, ok := f.values[t]
	if !ok {
		v = span{math.Inf(1), math.Inf(-1)}
		for _, x := range t.Data {
			v = span{math.Min(v.lo, x), math.Max(v.hi, x)}
		}
		f.values[t] = v
	}
	return v
}

// kernel are the rows of each array it loads that a kernel needs to store some rows of its roots.
func (f *footprints) kernel(g *group, rows region.Interval) map[*ops.Stage]region.Interval {
	need := map[*ops.Stage]region.Interval{}
	for _, r := range g.roots {
		need[r] = rows
	}
	for _, s := range slices.Backward(g.inside) {
		at := need[s]
		if at.Empty() {
			continue
		}
		for p := range f.reads(s).of {
			need[p] = need[p].Hull(f.need(p, s, at))
		}
	}
	out := map[*ops.Stage]region.Interval{}
	for _, p := range g.loads {
		if len(p.Type.Dims) > 0 {
			out[p] = need[p]
		}
	}
	for _, p := range g.loads { // what bounds an array is looked up anywhere
		for _, t := range p.Tall.Stages() {
			if len(t.Type.Dims) > 0 {
				out[t] = whole(t)
			}
		}
	}
	return out
}

func whole(s *ops.Stage) region.Interval { return region.Interval{Lo: 0, Hi: rowsOf(s.Type)} }

// rowsOf is the number of rows of an array; a single value is one row.
func rowsOf(t ops.Type) int {
	if len(t.Dims) == 0 {
		return 1
	}
	return t.Dims[0].Size
}
