package bound

import (
	"slices"

	"weft/planner/plan"
)

// Distances tells kernels how much is moved between when what they load was last loaded or stored and when they load it, which decides what caches still hold of it: of
// two kernels that go through an array, half of what each moves, and all that is moved between them. Of what comes by blocks, and of the first kernels that load what was
// there before the plan runs, nothing is told.
func (p *Plan) Distances() {
	if p.Stream != nil {
		return
	}
	last, moved := map[string]int64{}, int64(0) // how much was moved until the middle of the last step that loads or stores an array, and until now
	for i := range p.Steps {
		s := &p.Steps[i]
		bytes := p.moves(s)
		middle := moved + bytes/2
		if k := s.Kernel; k != nil && len(k.In) == len(s.Reads) {
			changed := false
			for j, id := range s.Reads {
				if at, ok := last[id]; ok && k.In[j].Since != middle-at {
					k.In[j].Since, changed = middle-at, true
				}
			}
			if changed {
				k.Predict()
			}
		}
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			last[id] = middle
		}
		moved += bytes
	}
}

// moves is how much a step moves: a drive, all that its programs do in their calls.
func (p *Plan) moves(s *Step) (bytes int64) {
	switch {
	case s.Kernel != nil:
		return s.Kernel.Bytes
	case s.Kind == plan.ReadStep:
		for _, id := range s.Writes {
			bytes += p.Buffer(id).Known()
		}
	}
	for i, program := range s.Programs {
		for j := range program.Steps {
			bytes += program.moves(&program.Steps[j]) * int64(max(1, s.Drive.Programs[i].Most))
		}
	}
	return bytes
}
