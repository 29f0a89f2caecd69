package planner

import (
	"fmt"
	"slices"

	"weft/ops"
)

// graph is the program as stages.
type graph struct {
	stages []*ops.Stage // producers before consumers
	sinks  []sink
	users  map[*ops.Stage][]*ops.Stage // stages that read a stage, in order
	wanted map[*ops.Stage]bool         // handed to a sink
}

// sink is a use of a sink operator and the stages it takes.
type sink struct {
	op     *ops.Instance
	inputs []*ops.Stage
}

// collect lowers every operator that a sink needs.
func collect(sinks []*ops.Instance) *graph {
	g := &graph{users: map[*ops.Stage][]*ops.Stage{}, wanted: map[*ops.Stage]bool{}}
	made := map[*ops.Instance][]*ops.Stage{}
	var outputs func(op *ops.Instance) []*ops.Stage
	stageOf := func(a ops.Array) *ops.Stage { return outputs(a.Of)[a.Out] }
	outputs = func(op *ops.Instance) []*ops.Stage {
		if s, ok := made[op]; ok {
			return s
		}
		var out []*ops.Stage
		switch {
		case op.Spec.Source != nil:
			for i, o := range op.Out {
				s := &ops.Stage{Name: ops.StageName(op, o.Name), Type: o.Type, Op: op, Source: true, Out: i, Where: op.Where}
				g.stages = append(g.stages, s)
				out = append(out, s)
			}
		case op.Spec.Lower != nil:
			l := ops.NewLowering(op, stageOf)
			out = op.Spec.Lower(l)
			g.stages = append(g.stages, l.Made()...)
		default:
			panic(fmt.Sprintf("planner: operator %s gives arrays but has neither Lower nor Source", op.Spec.Name))
		}
		made[op] = out
		return out
	}
	for _, op := range sinks {
		s := sink{op: op}
		op.Call.Arrays(func(_ string, a ops.Array) {
			st := stageOf(a)
			s.inputs = append(s.inputs, st)
			g.wanted[st] = true
		})
		g.sinks = append(g.sinks, s)
	}
	g.link()
	return g
}

// link keeps the stages that sinks need and records who reads whom.
func (g *graph) link() {
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
	for _, s := range g.sinks {
		for _, in := range s.inputs {
			need(in)
		}
	}
	kept := g.stages[:0]
	for _, s := range g.stages {
		if !needed[s] {
			continue
		}
		kept = append(kept, s)
		seen := map[*ops.Stage]bool{}
		for _, in := range s.Inputs {
			if !seen[in] {
				seen[in] = true
				g.users[in] = append(g.users[in], s)
			}
		}
	}
	g.stages = kept
}

// leads reports a way from one stage to another along readers.
func (g *graph) leads(from, to *ops.Stage) bool {
	seen := map[*ops.Stage]bool{}
	var look func(s *ops.Stage) bool
	look = func(s *ops.Stage) bool {
		if seen[s] {
			return false
		}
		seen[s] = true
		return slices.ContainsFunc(g.users[s], func(u *ops.Stage) bool { return u == to || look(u) })
	}
	return look(from)
}

// leadsAround reports a way from a stage to one of its readers through another reader.
func (g *graph) leadsAround(from, to *ops.Stage) bool {
	return slices.ContainsFunc(g.users[from], func(u *ops.Stage) bool { return u != to && g.leads(u, to) })
}

// given reports a stage whose elements exist before any kernel runs.
func given(s *ops.Stage) bool { return s.Source || s.Data != nil }
