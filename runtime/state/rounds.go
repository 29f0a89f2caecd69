package state

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime/arrays"
	"weft/runtime/memory"
)

// objects is how many an array is of; 0: it is of none.
func (s *State) objects(i int) int {
	r := s.step.Drive.Rounds
	if t := s.Buffer(i).Layout; r != nil && len(t.Dims) > 0 && t.Dims[0].Name == r.Dim {
		return t.Dims[0].Size
	}
	return 0
}

// BeginFew gives the state of a drive in rounds memory for so many of its objects at a time.
func BeginFew(step *bound.Step, around *arrays.Arrays, objects int) (*State, error) {
	s := &State{step: step, around: around, few: objects}
	for i := range step.Drive.Start {
		b, at := s.Buffer(i), pair{}
		around.Count(s.takes(i))
		for _, mem := range []*[]device.Memory{&at.now, &at.next} {
			rows := objects
			if n := s.objects(i); n == 0 {
				rows = b.Layout.RowCount()
			}
			for _, part := range b.Bufs {
				m, err := memory.NewFirst(part, rows)
				if err != nil {
					return s, problem.Wrong(problem.OutOfMemory, "", "stop other programs, or give --memory less", "%s", err)
				}
				*mem = append(*mem, m)
			}
		}
		s.held = append(s.held, at)
	}
	return s, nil
}

// Take has the state hold what some objects begin with, in front.
func (s *State) Take(objects region.Interval) error {
	s.last = nil
	for i, id := range s.step.Drive.Start {
		from, err := s.around.Host(id)
		if err != nil {
			return err
		}
		n, to := s.objects(i), s.Host(i)
		if n == 0 {
			to.CopyFrom(from)
			continue
		}
		each := from.Type.Len() / n
		for k, part := range to.Parts {
			for e := range objects.Len() * each {
				copy(part.Element(e), from.Parts[k].Element(objects.Lo*each+e))
			}
		}
	}
	return nil
}

// Objects is how many the state is of.
func (s *State) Objects() int { return s.objects(s.step.Drive.Rounds.Done) }

// Left is how many of the first n objects are not done.
func (s *State) Left(n int) (left int) {
	for _, end := range s.ends(n) {
		if !end {
			left++
		}
	}
	return left
}

// ends says which of the first n objects are done.
func (s *State) ends(n int) []bool {
	done, out := s.Host(s.step.Drive.Rounds.Done).Parts[0], make([]bool, n)
	for i := range out {
		out[i] = done.Element(i)[0] != 0
	}
	return out
}

// MoveUp hands out the objects that are done, of the first n, and moves the others to the front.
func (s *State) MoveUp(n int) error {
	s.Settle()
	ends := s.ends(n)
	if err := s.HandOutObjects(n, func(i int) bool { return ends[i] }); err != nil {
		return err
	}
	for i := range s.held {
		n := s.objects(i)
		if n == 0 {
			continue
		}
		for _, part := range s.Host(i).Parts {
			size, to := len(part.Data)/n, 0
			for from, end := range ends {
				if !end {
					copy(part.Data[to*size:(to+1)*size], part.Data[from*size:])
					to++
				}
			}
		}
	}
	return nil
}

// HandOutObjects copies what the state holds of some of its first objects to where they belong in the outputs.
func (s *State) HandOutObjects(first int, which func(i int) bool) error {
	order := s.Host(s.step.Drive.Rounds.Order)
	for _, id := range s.step.Writes {
		to, err := s.around.Host(id)
		if err != nil {
			return err
		}
		n, from := s.objects(to.Out), s.Host(to.Out)
		if n == 0 {
			continue
		}
		each := to.Type.Len() / n
		for i := range first {
			if !which(i) {
				continue
			}
			at := int(order.Float(i))
			for k, part := range to.Parts {
				for e := range each {
					copy(part.Element(at*each+e), from.Parts[k].Element(i*each+e))
				}
			}
		}
	}
	return nil
}

// Kept are the arrays that a checkpoint holds: the state and, in rounds, what was handed out. Between tasks it is what lasts of the state.
func (s *State) Kept() (out [][]byte, err error) {
	for i := range s.held {
		if s.Disk != nil && !slices.Contains(s.Disk.list.Lasts, i) { // or its file is kept
			continue
		}
		out = append(out, dataOf(s.Host(i))...)
	}
	if s.step.Drive.Rounds == nil {
		return out, nil
	}
	given, err := s.Outputs()
	return append(out, given...), err
}

// dataOf is the memory of an array, part by part.
func dataOf(h ops.HostArray) (out [][]byte) {
	for _, part := range h.Parts {
		out = append(out, part.Data)
	}
	return out
}

// Outputs is the memory of what the drive gives.
func (s *State) Outputs() (out [][]byte, err error) {
	for _, id := range s.step.Writes {
		h, err := s.around.Host(id)
		if err != nil {
			return nil, err
		}
		out = append(out, dataOf(h)...)
	}
	return out, nil
}
