// Package place decides where kernels run.
package place

import (
	"errors"
	"slices"

	"weft/kernels/device"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
)

// DeviceModel is an accelerator as placement sees it.
type DeviceModel struct {
	Info  device.Info
	Rates device.Rates
	// Unrated is a device that does not know how fast it is: it gets what is asked to be there, and nothing else. A described device
	// may leave rates out, and then costs nothing.
	Unrated bool
}

// emulated is the kind of devices whose times are their own, and not the host's.
const emulated = "emulated"

// ModelOf describes a device.
func ModelOf(d device.Device) DeviceModel {
	m := DeviceModel{Info: d.Info()}
	if r, ok := d.(device.Rated); ok {
		m.Rates = r.Rates()
	}
	m.Unrated = m.Info.Kind != emulated && m.Rates.Flops <= 0
	return m
}

// What kernels are taken to reach of a real device's peaks, which is what its attributes tell, until runs teach better. The host is
// weighed by what it reaches, too. No GPU has confirmed them.
const (
	reachedFlops     = 0.25
	reachedBandwidth = 0.7
)

// attainable are devices with the rates that kernels reach; what is described is reached.
func attainable(devices []DeviceModel) []DeviceModel {
	out := slices.Clone(devices)
	for i := range out {
		if r := &out[i].Rates; out[i].Info.Kind != emulated {
			r.Flops, r.Flops64, r.Bandwidth = reachedFlops*r.Flops, reachedFlops*r.Flops64, reachedBandwidth*r.Bandwidth
		}
	}
	return out
}

// Placing is how to place.
type Placing struct {
	// Device is what the whole run was asked to be on, in place of what stages ask for: cpu, gpu, or names of devices, separated
	// by commas; empty: what @device says, and what is fastest otherwise.
	Device  string
	Decided *plan.Decisions    // of an earlier planning: its places are kept; nil: those of the plan, if that was made by some
	Cost    *cost.Model        // of the host; what it learned of accelerators counts; nil: nothing
	Inner   bool               // the plan is a drive's program, whose arrays the host has after every call that does not go ahead of it
	Turn    *plan.DriveProgram // of a drive whose state is whole, whose calls may go ahead of the host; nil: the plan is no program of such a drive
}

// Place chooses for every kernel of a plan whether it runs on the host's processor or on accelerators, on which of them, and in
// what shares. It weighs the predicted time on the host against that on the accelerators, copies included, given what they hold
// from the kernels before; where the two are about equal, the host has it. Errors are ops.Problems: devices that are not there,
// or whose memory cannot hold what was put there. A plan may be placed again, once its kernels are compiled and their times are
// known better.
func Place(p *bound.Plan, devices []DeviceModel, opt Placing) error {
	if opt.Decided != nil {
		p.Repeated = true
	} else if p.Repeated {
		opt.Decided = &plan.Decisions{Places: p.Decided.Places}
	}
	s := &site{plan: p, devices: attainable(devices), model: opt.Cost, index: map[string]int{}}
	var err error
	if p.Stream != nil {
		if s.stream, err = blocks.Lay(p); err != nil {
			return err
		}
	}
	requests, err := s.requests(opt)
	if err != nil || len(devices) == 0 {
		return err
	}
	s.survey(requests, opt.Inner)
	s.turn = opt.Turn
	if err := errors.Join(s.refusals()...); err != nil {
		return err
	}
	s.settled(s.search())
	s.describe()
	s.decide()
	p.SumPredictions()
	return nil
}

// PlaceAll is Place for a plan with the programs of its drives.
func PlaceAll(p *bound.Plan, devices []DeviceModel, opt Placing) error {
	for _, s := range p.Steps {
		for i, program := range s.Programs {
			inner := opt
			inner.Inner, inner.Turn = true, nil
			if s.Drive.Whole() {
				inner.Turn = &s.Drive.Programs[i]
			}
			if err := PlaceAll(program, devices, inner); err != nil {
				return err
			}
			p.Decided.Drives[s.Program(i)] = program.Decided
		}
	}
	return Place(p, devices, opt)
}

// decide records where kernels are.
func (s *site) decide() {
	s.plan.Decided.Places = nil
	for _, t := range s.tasks {
		if k := t.step.Kernel; k.Place.Accelerates() {
			if s.plan.Decided.Places == nil {
				s.plan.Decided.Places = map[string][]string{}
			}
			s.plan.Decided.Places[t.step.ID] = k.Place.Devices
		}
	}
}
