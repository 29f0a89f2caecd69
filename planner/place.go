package planner

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/planner/cost"
)

// Placement is where a kernel runs. The zero value is the host's processor.
type Placement struct {
	// Devices are the names of the accelerators that share the kernel's rows; empty: the host's processor.
	Devices []string `yaml:"devices,omitempty,flow" json:"devices,omitempty"`
	// Weights are the predicted shares of these devices, in their order; they sum to 1.
	Weights []float64 `yaml:"weights,omitempty,flow" json:"weights,omitempty"`
	// Host, Accelerated and Transfer are predicted times in ms: on the host's processor, on the accelerators with what has to be
	// copied for it, and of the copies alone. All are 0 where there is no accelerator to weigh.
	Host        float64 `yaml:"host_ms,omitempty" json:"host_ms,omitempty"`
	Accelerated float64 `yaml:"accelerated_ms,omitempty" json:"accelerated_ms,omitempty"`
	Transfer    float64 `yaml:"transfer_ms,omitempty" json:"transfer_ms,omitempty"`
	// Bound is what limits it on the accelerators: compute, bandwidth, latency or transfer.
	Bound string `yaml:"accelerated_bound,omitempty" json:"accelerated_bound,omitempty"`
	// Refused is why the kernel is not on the accelerators that the run was asked to be on; empty: it is where it was asked to be.
	Refused string `yaml:"refused,omitempty" json:"refused,omitempty"`
	// Why says what decided, for people.
	Why string `yaml:"why,omitempty" json:"why,omitempty"`

	learned float64 // what runs taught; Accelerated is multiplied by it
}

// Accelerates reports a kernel that is placed on accelerators.
func (p Placement) Accelerates() bool { return len(p.Devices) > 0 }

// Unlearned is Accelerated without what runs taught, in ms.
func (p Placement) Unlearned() float64 { return p.Accelerated / cmp.Or(p.learned, 1) }

// Key names the devices together, for what is learned of them.
func (p Placement) Key() string { return strings.Join(p.Devices, "+") }

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
	Decided *Decisions  // of an earlier planning: its places are kept; nil: those of the plan, if that was made by some
	Cost    *cost.Model // of the host; what it learned of accelerators counts; nil: nothing
}

// Place chooses for every kernel of a plan whether it runs on the host's processor or on accelerators, on which of them, and in
// what shares. It weighs the predicted time on the host against that on the accelerators, copies included, given what they hold
// from the kernels before; where the two are about equal, the host has it. Errors are ops.Problems: devices that are not there,
// or whose memory cannot hold what was put there. A plan may be placed again, once its kernels are compiled and their times are known better.
func Place(p *Plan, devices []DeviceModel, opt Placing) error {
	if opt.Decided != nil {
		p.again = true
	} else if p.again {
		opt.Decided = &Decisions{Places: p.Decided.Places}
	}
	s := &site{plan: p, devices: attainable(devices), model: opt.Cost, index: map[string]int{}}
	wishes, err := s.wishes(opt)
	if err != nil || len(devices) == 0 {
		return err
	}
	s.survey(wishes)
	if err := errors.Join(s.refusals()...); err != nil {
		return err
	}
	s.search()
	s.describe()
	s.decide()
	p.sumPredictions()
	return nil
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

// Expected is how long the kernel is predicted to take where it is placed, in ms, and what limits it there.
func (k *Kernel) Expected() (ms float64, bound string) {
	if k.Place.Accelerates() {
		return k.Place.Accelerated, k.Place.Bound
	}
	return k.Predicted, k.Bound
}
