// Package graph is a program as stages: what reads what, how a stage is written into a kernel, and what the stages of a program ask of
// their planning. Stages do not change; how a planner sees them otherwise than their operators defined them stands beside them.
package graph

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// Graph is the stages that the sinks of a program need.
type Graph struct {
	Stages []*ops.Stage // producers before consumers
	Sinks  []Sink
	Users  map[*ops.Stage][]*ops.Stage // stages that read a stage, in order
	Wanted map[*ops.Stage]bool         // handed to a sink
	Place  map[*ops.Stage]int          // in Stages
	Views  Views
	// Arguments are settled when there is a graph.
	Arguments Arguments
	loose     map[*ops.Stage]bool // tables that kernels would be the same for if they held other values

	alone   map[*ops.Stage]*Alone
	points  map[*ops.Stage]*Point
	Lowered int // stages that were written into kernels, as a measure of the work
}

// Sink is a use of a sink operator and the stages it takes.
type Sink struct {
	Op     *ops.Instance
	Inputs []*ops.Stage
}

// Edge is a stage and one that reads it.
type Edge struct{ From, To *ops.Stage }

// Collect lowers every operator that a sink needs.
func Collect(sinks []*ops.Instance) *Graph {
	g := &Graph{Users: map[*ops.Stage][]*ops.Stage{}, Wanted: map[*ops.Stage]bool{}, Place: map[*ops.Stage]int{}, Views: Views{}, alone: map[*ops.Stage]*Alone{},
		points: map[*ops.Stage]*Point{}, Arguments: Arguments{Values: map[string]ops.Number{}, Fixed: map[string]string{}}}
	made := map[*ops.Instance][]*ops.Stage{}
	var outputs func(op *ops.Instance) []*ops.Stage
	stageOf := func(a ops.Array) *ops.Stage { return outputs(a.Of)[a.Out] }
	outputs = func(op *ops.Instance) []*ops.Stage {
		if s, ok := made[op]; ok {
			return s
		}
		var out []*ops.Stage
		switch bound := op.Bound.(type) {
		case ops.Source:
			for i, o := range op.Out {
				s := &ops.Stage{Name: ops.StageName(op, o.Name), Type: o.Type, Op: op, Source: true, Out: i, Where: op.Where}
				g.Stages = append(g.Stages, s)
				out = append(out, s)
			}
		case ops.Lowerer:
			l := ops.NewLowering(op, stageOf)
			out = bound.Lower(l)
			g.Stages = append(g.Stages, l.Made()...)
		default:
			panic(fmt.Sprintf("planner: operator %s gives arrays but is neither lowered nor a source", op.Spec.Name))
		}
		made[op] = out
		return out
	}
	for _, op := range sinks {
		s := Sink{Op: op}
		op.Call.Arrays(func(_ string, a ops.Array) {
			st := stageOf(a)
			s.Inputs = append(s.Inputs, st)
			g.Wanted[st] = true
		})
		g.Sinks = append(g.Sinks, s)
	}
	g.link()
	g.settleArguments()
	return g
}

// link keeps the stages that sinks need and records who reads whom.
func (g *Graph) link() {
	needed := map[*ops.Stage]bool{}
	var need func(s *ops.Stage)
	need = func(s *ops.Stage) {
		if needed[s] {
			return
		}
		needed[s] = true
		for _, in := range s.Inputs {
			need(in)
		}
	}
	for _, s := range g.Sinks {
		for _, in := range s.Inputs {
			need(in)
		}
	}
	g.Stages = slices.DeleteFunc(g.Stages, func(s *ops.Stage) bool { return !needed[s] })
	for i, s := range g.Stages {
		g.Place[s] = i
		for _, in := range s.Inputs {
			if !slices.Contains(g.Users[in], s) {
				g.Users[in] = append(g.Users[in], s)
			}
		}
	}
}

// Leads reports whether there is a way from one stage to another along readers.
func (g *Graph) Leads(from, to *ops.Stage) bool {
	seen := map[*ops.Stage]bool{}
	var look func(s *ops.Stage) bool
	look = func(s *ops.Stage) bool {
		if seen[s] || g.Place[s] >= g.Place[to] { // readers come later
			return false
		}
		seen[s] = true
		return slices.ContainsFunc(g.Users[s], func(u *ops.Stage) bool { return u == to || look(u) })
	}
	return look(from)
}

// LeadsAround reports whether there is a way from a stage to one of its readers through another reader.
func (g *Graph) LeadsAround(from, to *ops.Stage) bool {
	return slices.ContainsFunc(g.Users[from], func(u *ops.Stage) bool { return u != to && g.Leads(u, to) })
}

// Given reports whether the elements of a stage exist before any kernel runs.
func Given(s *ops.Stage) bool { return s.Source || s.Data != nil }

// Buffers lay a stage's array out in memory.
func (g *Graph) Buffers(s *ops.Stage) []*ir.Buffer {
	bufs := buffersOf(s, g.Type(s))
	if g.loose[s] {
		bufs[0].Facts.Data = nil
	}
	return bufs
}

func buffersOf(s *ops.Stage, t ops.Type) []*ir.Buffer {
	bufs := t.Buffers(s.Name)
	if t.Format == nil {
		bufs[0].Facts = s.Facts
	}
	return bufs
}

// SameShape reports whether two stages have the same extents.
func SameShape(a, b *ops.Stage) bool { return SameSizes(a.Type.Dims, b.Type.Dims) }

// SameSizes reports whether dims have the same extents.
func SameSizes(a, b []ops.Dim) bool {
	return slices.EqualFunc(a, b, func(x, y ops.Dim) bool { return x.Size == y.Size })
}
