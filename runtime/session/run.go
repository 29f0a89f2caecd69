package session

import (
	"context"
	"slices"

	"weft/lang/diag"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/memory"
	"weft/runtime/result"
	"weft/runtime/verify"
)

// mostSeen is of how many kernels a session that lasts keeps what they took until it learns, the latest ones.
const mostSeen = 4096

// Run runs a plan of a program: on the session's devices, within its memory, with what outputs record. Options say the rest. The result
// holds what was done also where an error is returned; what a run warns of is added to the program.
func (s *Session) Run(ctx context.Context, prog *Program, p *bound.Plan, opt runtime.Options) (*result.Result, error) {
	opt.Accelerators, opt.Memory, opt.Origin = s.Accelerators(), memory.NewGovernor(p.Budget), prog.Origin
	opt.Roof, opt.Wider = s.Model.Roof, s.wider(prog, p)
	opt.Tiled = func(k *bound.Kernel) error { return s.Model.RememberTiles(k.Hash, k.Kind, k.TileSize()) }
	r, err := runtime.Run(ctx, p, s.hosted(opt))
	if err != nil {
		r.Error = err.Error()
	}
	for _, w := range r.Warnings {
		if d := prog.say(w.Code, w.Message, w.Help, w.Where); w.Mild {
			d.Severity = diag.Warning
		}
	}
	if err == nil {
		s.counted(p, r)
	}
	if err == nil && !opt.Tune { // kernels that are tuned took the time of their measurements too
		s.seen = append(s.seen, result.Observations(p, r)...)
		if opt.Verify && !opt.Count && !opt.Discard && !opt.Resume { // a run as `weft run` makes it
			s.seen = append(s.seen, result.Besides(p, r)...)
		}
		s.seen = slices.Delete(s.seen, 0, max(0, len(s.seen)-mostSeen))
	}
	return r, prog.failed(err)
}

// hosted are options with the session's hosts.
func (s *Session) hosted(opt runtime.Options) runtime.Options {
	opt.Devices, opt.Missing, opt.Threads, opt.Programs = s.Hosts, s.Missing, s.Threads, &s.Programs
	return opt
}

// Verify runs a plan without its sinks, on the host, and compares what every device and schedule makes of its kernels.
func (s *Session) Verify(ctx context.Context, prog *Program, p *bound.Plan, opt verify.Options) (*verify.Report, error) {
	subjects, err := verify.Here(s.native())
	if err != nil {
		return nil, err
	}
	for _, d := range s.Accelerators() {
		subjects = append(subjects, verify.Accelerator(d))
	}
	opt.Subjects, opt.Run = subjects, s.hosted(opt.Run)
	r, err := verify.Run(ctx, p, opt)
	return r, prog.failed(err)
}
