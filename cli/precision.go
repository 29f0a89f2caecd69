package cli

import (
	"context"

	"weft/kernels/profile"
	"weft/ops"
	"weft/planner"
	"weft/runtime/search"
)

// precise is the plan with the precision that tolerances allow: found before, or measured now. Tolerances that cannot be had are printed.
func (f planFlags) precise(ctx context.Context, s *streams, m machine, l *loaded, p *planner.Plan) (*planner.Plan, error) {
	if l.decided {
		return p, nil
	}
	opt, err := f.searching(m, l)
	if err != nil {
		return nil, err
	}
	found, err := search.Find(ctx, p, opt)
	switch {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !l.addProblems(err, ops.Where{}):
		return nil, err
	}
	return nil, l.show(s.err)
}

func (f planFlags) searching(m machine, l *loaded) (search.Options, error) {
	folder, err := profile.Folder()
	return search.Options{Build: l.build, Device: m.devices[0], Threads: f.threads(), Cache: folder, Memory: f.memory()}, err
}
