package planner

import (
	"weft/kernels/ir"
	"weft/ops"
)

// inlineBudget bounds the scalar operations one sampled element of a reference may cost.
const inlineBudget = 400e3

// Reference is a stage's definition in one kernel for evaluation in float64 at sampled points. Producers are computed in
// place as far back as stays cheap; beyond that, the arrays the plan stored are read, so errors that were made before them
// are not seen here (they are seen where those arrays are themselves sampled).
type Reference struct {
	Kernel *ir.Kernel
	Loads  map[*ir.Buffer]*ops.Stage // what its loads read
	Cost   float64                   // scalar operations an element
}

// Reference builds the float64 definition of a stage that the plan stores.
func (p *Plan) Reference(s *ops.Stage) Reference {
	stored := map[*ops.Stage]*ir.Buffer{}
	for _, b := range p.Buffers {
		stored[b.Array] = b.Ir
	}
	load := map[[2]*ops.Stage]bool{}
	for {
		ref, frontier := buildReference(s, stored, load)
		if ref.Cost <= inlineBudget || len(frontier) == 0 {
			return ref
		}
		load[frontier[0]] = true // the farthest one first: as much as possible stays in float64
	}
}

// buildReference inlines every edge but those in load, and lists the edges that could be loaded instead, deepest first.
func buildReference(s *ops.Stage, stored map[*ops.Stage]*ir.Buffer, load map[[2]*ops.Stage]bool) (Reference, [][2]*ops.Stage) {
	ref := Reference{Loads: map[*ir.Buffer]*ops.Stage{}}
	var frontier [][2]*ops.Stage
	seen := map[[2]*ops.Stage]bool{}
	l := newLowerer(func(p, c *ops.Stage) *ir.Buffer {
		e := [2]*ops.Stage{p, c}
		if !given(p) && !(load[e] && stored[p] != nil) {
			if stored[p] != nil && !seen[e] {
				seen[e] = true
				frontier = append([][2]*ops.Stage{e}, frontier...)
			}
			return nil
		}
		buf := stored[p]
		if buf == nil {
			buf = bufferOf(p, p.Name)
		}
		ref.Loads[buf] = p
		return buf
	})
	ref.Kernel = l.kernelOf(s)
	ref.Cost = ir.CostOf(ref.Kernel).NodeEvals / float64(max(1, s.Type.Len()))
	return ref, frontier
}
