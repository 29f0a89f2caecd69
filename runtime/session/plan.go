package session

import (
	"context"
	"fmt"
	"strings"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/place"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/journal"
	"weft/runtime/search"
)

// PlanOptions say how to plan. A plan that was read is made again where more is asked of it than to run.
type PlanOptions struct {
	planner.Request
	Resume    bool // by what a run decided that left an output unfinished
	AsWritten bool // in the types that operators say, without a search for those that tolerances allow
}

// Plan plans what a program's sinks ask for: precision and places of kernels included, as a run takes it. What is wrong with the program
// are Mistakes.
func (s *Session) Plan(ctx context.Context, prog *Program, opt PlanOptions) (*bound.Plan, error) {
	if err := prog.Err(); err != nil {
		return nil, err
	}
	if opt.Resume {
		opt.Decided = unfinished(prog.Sinks)
	}
	decided := opt.Decided
	if decided == nil && prog.Kept != nil {
		decided = &prog.Kept.Decided
	}
	if err := s.settle(ctx, prog, decided, !opt.AsWritten); err != nil {
		return nil, prog.fault(err)
	}
	replace := s.config.Device != ""
	if v := prog.Kept; v != nil && opt.FuseLimit == nil && opt.Decided == nil && !opt.Resume {
		here := planner.MachineOf(s.Hosts[0].Info(), s.Threads, s.Models())
		why, absent := bound.Elsewhere(v, s.config.Weft, here, s.config.Memory)
		if replace {
			why = append(why, "everything is to run on "+s.config.Device)
		}
		if len(why) == 0 && opt.After == nil {
			return s.bind(ctx, prog)
		}
		if why == nil {
			why = []string{"its passes are to be seen"}
		}
		s.config.Log("the plan of " + prog.File + " is made again, by its decisions: " + strings.Join(why, "; "))
		opt.Decided, replace = &v.Decided, replace || absent
	}
	build := s.builder(prog, opt, replace && prog.Kept != nil)
	p, err := build(nil)
	if err == nil && opt.Decided == nil && !opt.AsWritten {
		p, err = search.Find(ctx, p, search.Options{
			Build: build, Device: s.Hosts[0], Programs: &s.Programs, Threads: s.Threads, Cache: s.Cache, Memory: s.config.Memory,
		})
	}
	if err == nil {
		err = s.place(ctx, p)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return p, prog.fault(err)
}

// builder plans a program in some types.
func (s *Session) builder(prog *Program, opt PlanOptions, replace bool) func(plan.Choices) (*bound.Plan, error) {
	var params []ops.Number
	for _, p := range prog.Params {
		if n, ok := p.Value.(ops.Number); ok {
			params = append(params, n)
		}
	}
	return func(c plan.Choices) (*bound.Plan, error) {
		p, err := planner.Build(prog.Sinks, s.Hosts[0].Info(), planner.Options{
			Request: opt.Request, Params: params, File: prog.File, Weft: s.config.Weft, Threads: s.Threads, Memory: s.config.Memory, Cost: s.Model,
			Precision: c, Accelerators: s.Models(), Device: s.config.Device, Replace: replace,
			Program: plan.Program{Text: prog.Origin.Text, Params: prog.Origin.Params, Tolerance: prog.Origin.Tolerance},
		})
		if err == nil {
			p.Ways, p.Decided.Ways = prog.Ways, prog.Taken
			p.Recall(s.recall)
		}
		return p, err
	}
}

// wider are the plans of a program to run in place of one whose precision was found and turns out too low.
func (s *Session) wider(prog *Program, p *bound.Plan) (out []runtime.Wider) {
	if p.Repeated {
		return nil
	}
	build := s.builder(prog, PlanOptions{Request: planner.Request{FuseLimit: p.Decided.FuseLimit, Strict: p.Strict}}, false)
	names, choices := search.Wider(p)
	for i, name := range names {
		out = append(out, runtime.Wider{Types: name, Plan: func() (*bound.Plan, error) { return build(choices[i]) }})
	}
	return out
}

// bind is the plan of a program that was read, as it is.
func (s *Session) bind(ctx context.Context, prog *Program) (*bound.Plan, error) {
	p, err := bound.Bind(prog.Kept, prog.Sinks, s.Model)
	if err != nil {
		return nil, fmt.Errorf("error[%s]: %w; make it again with `weft plan`", problem.PipelineUnreadable, err)
	}
	p.Repeated = true
	p.Recall(s.recall)
	err = s.place(ctx, p)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return p, prog.fault(err)
}

// place compiles the plan for the host, where there are accelerators to weigh against it, and places its kernels again: how long the host
// takes is known much better once they are compiled. What does not compile is left to the run, which says so.
func (s *Session) place(ctx context.Context, p *bound.Plan) error {
	if len(s.Accelerators()) == 0 || s.Compile(ctx, p, device.Options{Describe: s.config.ISA != ""}) != nil {
		return nil
	}
	return place.PlaceAll(p, s.Models(), place.Placing{Device: s.config.Device, Cost: s.Model})
}

// Compile compiles the kernels of a plan for the first host, which tells schedules and tiles.
func (s *Session) Compile(ctx context.Context, p *bound.Plan, opt device.Options) error {
	return s.Programs.CompilePlan(ctx, s.Hosts[0], s.Threads, opt, p)
}

// unfinished are the decisions of the run that left an output of these sinks unfinished; nil if none did. If another program left
// it, they do not fit, which the runtime finds out.
func unfinished(sinks []*ops.Instance) *plan.Decisions {
	for _, s := range sinks {
		if s.File() == "" {
			continue
		}
		if h, err := journal.Unfinished(s.File()); err == nil && h.Decisions != nil {
			return h.Decisions
		}
	}
	return nil
}
