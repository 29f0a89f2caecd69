package fuse

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/ops"
	"weft/planner/graph"
)

// size is how large the kernel of a stage is, with what is computed in it: as counted, or estimated from that of its parts.
type size struct {
	nodes, binders int
	flops          float64 // of an element
	estimated      bool
}

func (s size) within(nodes, binders int) bool { return s.nodes <= nodes && s.binders <= binders }

// sizeOf is the size of a stage as decided so far.
func (f *fuser) sizeOf(s *ops.Stage) size {
	if known, ok := f.sizes[s]; ok {
		return known
	}
	a := f.g.Alone(s)
	return size{nodes: a.Nodes, binders: a.Binders, flops: a.Flops}
}

// counted is the size of a stage as decided so far, unless it is beyond all bounds.
func (f *fuser) counted(s *ops.Stage) (size, bool) {
	l := f.g.KernelBuilder(f.readAsDecided())
	l.Most = mostBinders
	k, ok := l.Try(s)
	if !ok {
		return size{}, false
	}
	out := size{binders: l.Body.Binders(), flops: count.CostOf(k).Flops / float64(max(1, s.Type.Len()))}
	k.Walk(func(*ir.Node) { out.nodes++ })
	f.sizes[s] = out
	return out, true
}

// fits reports whether a stage may be computed in other kernels. Its size is estimated; what seems too large, perhaps because parts of
// it share elements, is counted.
func (f *fuser) fits(p *ops.Stage) bool {
	if f.sizeOf(p).within(maxNodes, maxBinders) {
		return true
	}
	s, ok := f.counted(p)
	return ok && s.within(maxNodes, maxBinders)
}

// takes reports whether the kernel of c can hold p besides what it holds, and counts it in if so.
func (f *fuser) takes(c, p *ops.Stage) bool {
	was, more := f.sizeOf(c), f.sizeOf(p)
	for i, in := range p.Inputs {
		if f.home(in) != in && !slices.Contains(p.Inputs[:i], in) && f.Fused[graph.Edge{From: in, To: p}] && f.Fused[graph.Edge{From: in, To: c}] {
			shared := f.sizeOf(in) // both compute it, once
			more = size{more.nodes - shared.nodes, more.binders - shared.binders, more.flops - shared.flops, true}
		}
	}
	a := f.g.Alone(c)
	sites, reads := a.Sites[p], a.Loads[p]/float64(max(1, c.Type.Len()))
	f.sizes[c] = size{was.nodes + sites*more.nodes, was.binders + sites*more.binders, was.flops + reads*more.flops, true}
	most := mostNodes + a.Nodes // what a stage needs by itself is no reason to store what it reads
	if f.sizes[c].within(most, mostBinders) {
		return true
	}
	e := graph.Edge{From: p, To: c}
	f.Fused[e] = true
	s, ok := f.counted(c)
	if delete(f.Fused, e); ok && s.within(most, mostBinders) {
		return true
	}
	f.sizes[c] = was
	return false
}
