package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/memory"
	"weft/runtime/result"
	"weft/runtime/search"
)

// settle takes one of each several ways to an array: that of earlier decisions, or of a run that measures them. What is measured may itself be made
// in several ways, which are settled first.
func (s *Session) settle(ctx context.Context, prog *Program, decided *plan.Decisions, measured bool) error {
	for _, w := range waysOf(prog.Sinks) {
		of := w.uses[0].Bound.(*ops.Ways)
		var said *plan.Ways
		way, key := 0, of.Group()
		switch {
		case decided != nil:
			if way = decided.Ways[key]; way >= len(of.Names) {
				way = 0
			}
			said = search.Untried(of, way, "it was taken before")
		case !measured:
			said = search.Untried(of, 0, "nothing is to be chosen by measurement")
		case s.config.ISA != "":
			said = search.Untried(of, 0, "it is planned for another machine")
		case s.CPU == nil:
			said = search.Untried(of, 0, "the interpreter is for checking, not for speed")
		default:
			var err error
			if said, way, err = search.Fastest(ctx, of, w.turns, s.trials(prog)); err != nil {
				return err
			}
		}
		at := of.Trials[0].Of
		if said.Of, said.Line = at.Label, at.Line(); at.Within != nil {
			said.Of = cmp.Or(at.Within.Function, at.Within.Variable)
		}
		for _, op := range w.uses {
			op.Take(way)
		}
		if prog.Taken == nil {
			prog.Taken = map[string]int{}
		}
		prog.Taken[key], prog.Ways = way, append(prog.Ways, said)
	}
	return nil
}

// trials plan and run parts of a program as the session does, with nothing to show for it.
func (s *Session) trials(prog *Program) search.Trials {
	return search.Trials{
		Build: func(sinks []*ops.Instance) (*bound.Plan, error) {
			part := *prog.Program
			part.Sinks = sinks
			return s.builder(&Program{Program: &part, Origin: prog.Origin}, PlanOptions{}, false)(nil)
		},
		Run: func(ctx context.Context, p *bound.Plan) (*result.Result, error) {
			r, err := runtime.Run(ctx, p, s.hosted(runtime.Options{Accelerators: s.Accelerators(), Memory: memory.NewGovernor(p.Budget)}))
			if err == nil {
				s.counted(p, r)
			}
			return r, err
		},
		On: fmt.Sprint(s.Hosts[0].Info(), s.Threads, s.Models()), Cache: s.Cache,
	}
}

// ways are uses of one array, or of several that are made in the same ways, and how many turns the program makes of them.
type ways struct {
	uses  []*ops.Instance
	turns int
}

// waysOf are those of a program, producers first.
func waysOf(sinks []*ops.Instance) []*ways {
	var order []*ways
	of := map[string]*ways{}
	open := func(op *ops.Instance) *ops.Ways {
		if w, ok := op.Bound.(*ops.Ways); ok && len(w.Trials) > 0 {
			return w
		}
		return nil
	}
	trials := map[*ops.Instance]bool{}
	var loops []*ops.Instance
	ops.Walk(sinks, func(op *ops.Instance) {
		if op.Spec == ops.Iterate {
			loops = append(loops, op)
		}
		w := open(op)
		if w == nil {
			return
		}
		for _, t := range w.Trials {
			trials[t.Of] = true
		}
		if of[w.Group()] == nil {
			of[w.Group()] = &ways{}
			order = append(order, of[w.Group()])
		}
		of[w.Group()].uses = append(of[w.Group()].uses, op)
	})
	for _, loop := range loops {
		if trials[loop] {
			continue
		}
		counted := map[*ways]bool{}
		for op := range turning(loop) {
			if w := open(op); w != nil && !counted[of[w.Group()]] {
				counted[of[w.Group()]] = true
				of[w.Group()].turns += loop.Call.Int("at_most")
			}
		}
	}
	slices.Reverse(order)
	return order
}

// turning are the uses that follow from what a loop carries from turn to turn.
func turning(loop *ops.Instance) map[*ops.Instance]bool {
	varies, seen := map[*ops.Instance]bool{}, map[*ops.Instance]bool{}
	loop.Call.Arrays(func(param string, a ops.Array) {
		if param == "state" {
			varies[a.Of], seen[a.Of] = true, true
		}
	})
	var walk func(op *ops.Instance) bool
	walk = func(op *ops.Instance) bool {
		if !seen[op] {
			seen[op] = true
			op.Call.Arrays(func(_ string, a ops.Array) {
				if walk(a.Of) {
					varies[op] = true
				}
			})
		}
		return varies[op]
	}
	walk(loop)
	return varies
}
