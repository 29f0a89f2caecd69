package runtime

import (
	"errors"
	"slices"
	"time"

	"weft/planner/bound"
	"weft/runtime/fleet"
	"weft/runtime/state"
)

// While calls go ahead of the host, it gets the state now and then, so that little is to be done again if a device is lost: not oftener than betweenCopies, and for a part of the time.
const (
	betweenCopies = 100 * time.Millisecond
	copiesPart    = 20
	// Of calls between the first and the last that devices make, one is looked at now and then: as often as takes, with what devices wait for then, a tenth of the time at most.
	looksPart = 15
)

// goesAhead reports whether a call goes ahead of the host: devices make all of it, and none of it is compared as that of the first call is.
func (d *drive) goesAhead(p *program) bool {
	return p.calls > 1 && !p.opt.Verify && d.fits && p.mayStay() && d.state.GoesAhead(p.Call) &&
		!slices.ContainsFunc(p.run.plan.EachCall(&p.DriveProgram), func(s *bound.Step) bool { return !p.onDevices(s) })
}

// again has a call go ahead as it went before, where that is known and nobody looks at it; false: it does not.
func (d *drive) again(p *program) (bool, error) {
	if d.run.fleet == nil || d.copies.Due(0, betweenCopies, copiesPart) || d.run.opt.Verify && d.looks.Due(d.run.fleet.Behind(), 0, looksPart) {
		return false, nil
	}
	ok, err := d.state.Again(d.ctx, p.Call)
	if ok {
		p.calls, p.turns = p.calls+1, p.turns+1
		_, err = d.redo(err)
	}
	return ok, err
}

// went takes in how a call went ahead. Those who trace kernels have them go one by one, always.
func (d *drive) went(p *program, line *fleet.Turn) {
	steps := p.run.plan.EachCall(&p.DriveProgram)
	d.state.Went(d.run.fleet, p.Call, line, steps, func(job, times int, wall, cpu float64) {
		w := p.works[slices.IndexFunc(p.run.plan.Steps, func(s bound.Step) bool { return s.ID == steps[job].ID })]
		w.share([]fleet.Share{line.Share(job, times)})
		w.wall, w.cpu = w.wall+wall, w.cpu+cpu
		w.sweep.Again(times, time.Duration(wall/float64(times)*float64(time.Second)))
	})
}

// bring has the host have the state; before, if somebody looks at the last call then, what that was given, in place of what the host had.
func (d *drive) bring(looked bool) error {
	err := error(nil)
	if d.state.Entry() != nil {
		err = d.run.fleet.Settle(d.ctx)
	}
	start := time.Now()
	if err == nil && looked {
		err = d.state.BringGiven(d.ctx)
	}
	if err == nil {
		err = d.state.BringAll(d.ctx)
	}
	d.copies.Did(start)
	_, err = d.redo(err)
	return err
}

// gone tells what of a call that goes ahead devices could not do, or lost.
func (d *drive) gone(step *bound.Step) func(fleet.Failure) error {
	at := d.state.Entry()
	return func(f fleet.Failure) error { return &state.Gone{Failure: f, Step: step, At: at} }
}

// redo makes calls again of which something is gone, from what the host has, which does itself what a device failed to do; false: nothing is.
func (d *drive) redo(err error) (bool, error) {
	g := (*state.Gone)(nil)
	if !errors.As(err, &g) {
		return false, err
	}
	entries, err := d.state.Restore()
	for i := 0; i < len(entries) && err == nil; i++ {
		e := entries[i]
		if e.Call == nil {
			err = e.Set()
			continue
		}
		p := d.programs[slices.IndexFunc(d.programs, func(p *program) bool { return p.Call == e.Call })]
		p.opt.Verify, p.spots = false, d.run.opt.Verify // each, as some were found wrong, or may be
		if e == g.At {
			p.failing, err = g.Step, p.deviceFailed(g.Step, g.Failure)
		}
		if err == nil {
			err = d.turn(p, false, false)
		}
		p.failing = nil
	}
	return true, err
}
