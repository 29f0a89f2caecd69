package bound

import (
	"slices"

	"weft/planner/plan"
)

// Stays reports whether devices may keep what they make of a plan until somebody asks for it: arrays are whole, made once, and of as many elements as planned.
func (p *Plan) Stays() bool {
	return p.Stream == nil && !p.Counted() && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kernel != nil && p.Starts(&s) != nil })
}

// EachCall are the steps that are run in every call of a plan that is a drive's program.
func (p *Plan) EachCall(about *plan.DriveProgram) (out []*Step) {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kind != plan.SinkStep && !slices.Contains(about.Once, s.ID) {
			out = append(out, s)
		}
	}
	return out
}

// MayGoAhead reports whether calls of a program may go ahead of the host, each in line behind the one before: kernels make all that is made in one, as wholes, in memory that stays from call to
// call. The drive's state must be whole, too (plan.Drive.Whole).
func (p *Plan) MayGoAhead(about *plan.DriveProgram) bool {
	each := p.EachCall(about)
	return p.Stays() && !about.Boxed && len(each) > 0 && !slices.ContainsFunc(each, func(s *Step) bool { return s.Kernel == nil })
}

// GoAhead reports whether they do: devices make all that is made in a call.
func (p *Plan) GoAhead(about *plan.DriveProgram) bool {
	return p.MayGoAhead(about) && !slices.ContainsFunc(p.EachCall(about), func(s *Step) bool { return !s.Kernel.Place.Accelerates() })
}

// OnDevices are the devices that make something in calls of a drive, and what the arrays of all its programs take.
func (s *Step) OnDevices() (devices []string, bytes int64) {
	for _, p := range s.Programs {
		bytes += p.AllBytes()
		for _, k := range p.Kernels() {
			devices = append(devices, k.Kernel.Place.Devices...)
		}
	}
	return devices, bytes
}

// AllBytes is the memory that all arrays of a plan take at once. Calls go ahead where a device has as much: what it gives up would come to the host, beside what calls are made again from.
func (p *Plan) AllBytes() (bytes int64) {
	for i := range p.Buffers {
		bytes += p.Buffers[i].Bytes
	}
	return bytes
}
