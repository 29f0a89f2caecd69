// Package state holds the arrays of a drive from one call of its programs to the next.
package state

import (
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/arrays"
)

// State is what a drive keeps. An array has two memories, from one of which a call reads while it fills the other, unless calls store boxes of it.
type State struct {
	step   *bound.Step
	around *arrays.Arrays
	held   []pair
	few    int         // objects that there is room for, of drives that go on with some at a time; 0: all
	Disk   *Disk       // nil: all of it is in memory
	last   *Call       // what it stored is not yet what programs read
	edits  [][]float64 // memory of boxes that the host changes, from edit to edit
}

// pair are the parts of an array before and after a call.
type pair struct{ now, next []device.Memory }

// Call is a program as the state sees it.
type Call struct {
	plan.DriveProgram
	Moved  []int // which array of the state moves to each; -1: none
	Arrays *arrays.Arrays
}

// NewCall is a program with the arrays of its run.
func NewCall(p plan.DriveProgram, a *arrays.Arrays) *Call {
	moved := make([]int, len(p.Next))
	for i, id := range p.Next {
		moved[i] = -1
		if id != "" {
			moved[i] = slices.Index(p.Now, id)
		}
	}
	for _, id := range slices.Concat(p.Now, p.Next) {
		a.Lent[id] = true
	}
	return &Call{p, moved, a}
}

// Place is where a drive may leave what does not fit the memory.
type Place struct {
	Tasks ops.Tasks
	Path  string // empty: it has no name
	Keep  bool   // what an earlier run left there is still good
}

// Begin gives the state its memory and what it holds at first: the memory of that, where nobody needs it afterwards, or a copy. What is on disk is zero.
func Begin(step *bound.Step, around *arrays.Arrays, blocks bool, place Place) (s *State, err error) {
	s = &State{step: step, around: around}
	if step.Drive.Tiles != nil {
		if s.Disk, err = openDisk(s, place.Tasks, place.Path, place.Keep); err != nil {
			return s, err
		}
	}
	for i, id := range step.Drive.Start {
		b, at := s.Buffer(i), pair{}
		if step.Drive.OnDisk(id) {
			s.held = append(s.held, pair{now: []device.Memory{s.Disk.out.mem}})
			continue
		}
		around.Count(s.takes(i))
		if !slices.Contains(step.Drive.Single, id) {
			if at.next, err = around.Allocate(b); err != nil {
				return s, err
			}
		}
		if slices.Contains(step.Drive.Moves, id) && (blocks || slices.Contains(step.Frees, id)) {
			for _, part := range b.Bufs {
				at.now = append(at.now, around.Memory[part])
			}
			around.Forget(id)
			around.Lent[id] = true
			around.Count(-b.Bytes)
			s.held = append(s.held, at)
			continue
		}
		if at.now, err = around.Allocate(b); err != nil {
			return s, err
		}
		s.held = append(s.held, at)
		from, err := around.Host(id)
		if err != nil {
			return s, err
		}
		s.Host(i).CopyFrom(from)
	}
	return s, nil
}

// takes is the memory of an array of the state.
func (s *State) takes(i int) int64 {
	if n := s.objects(i); s.few > 0 && n > 0 {
		return 2 * s.Buffer(i).Bytes / int64(n) * int64(s.few)
	}
	if s.step.Drive.OnDisk(s.step.Drive.Start[i]) {
		return 0
	}
	if slices.Contains(s.step.Drive.Single, s.step.Drive.Start[i]) {
		return s.Buffer(i).Bytes
	}
	return 2 * s.Buffer(i).Bytes
}

// Close gives its memory up.
func (s *State) Close() {
	for i, p := range s.held {
		if s.step.Drive.OnDisk(s.step.Drive.Start[i]) {
			continue
		}
		for _, m := range slices.Concat(p.now, p.next) {
			s.around.Spare.Keep(m)
		}
		s.around.Count(-s.takes(i))
	}
}

// Buffer is how an array lies in memory: the same in all programs, and as what it is at first.
func (s *State) Buffer(i int) *bound.Buffer { return s.around.ByID[s.step.Drive.Start[i]] }

// Host is what an array holds after the last call.
func (s *State) Host(i int) ops.HostArray {
	b, mem := s.Buffer(i), s.held[i].now
	switch {
	case s.last == nil || s.last.Next[i] == "":
	case s.last.Moved[i] >= 0:
		mem = s.held[s.last.Moved[i]].now
	default:
		mem = s.held[i].next
	}
	parts := map[*ir.Buffer]device.Memory{}
	for k, part := range b.Bufs {
		parts[part] = mem[k]
	}
	return b.In(parts)
}

// Lend gives a program the state to read, and where to store what comes next. What calls store in boxes is as good as settled.
func (s *State) Lend(to *Call) {
	s.Settle()
	for i := range s.held {
		next := s.held[i].next
		if to.Boxed {
			next = s.held[i].now
		}
		if id := to.Now[i]; id != "" {
			to.Arrays.Take(id, s.held[i].now)
		}
		if id := to.Next[i]; id != "" && to.Moved[i] < 0 {
			to.Arrays.Take(id, next)
		}
	}
	if !to.Boxed {
		s.last = to
	}
}

// Last is the program launched last, of which what it was given is still there; nil: none.
func (s *State) Last() *Call { return s.last }

// Settle makes what the last call stored what the next one reads. An array whose memory moved gets that of the one it moved to.
func (s *State) Settle() {
	if s.last == nil {
		return
	}
	was := slices.Clone(s.held)
	for i, from := range s.last.Moved {
		switch {
		case s.last.Next[i] == "":
		case from >= 0:
			s.held[i].now = was[from].now
		default:
			end := i
			for to := i; to >= 0; to = slices.Index(s.last.Moved, to) {
				end = to
			}
			s.held[i] = pair{now: was[i].next, next: was[end].now}
		}
	}
	s.last = nil
}

// Numbers is a real array in one part that the host can reach.
func (s *State) Numbers(i int) (ops.HostPart, error) {
	h := s.Host(i)
	if len(h.Parts) != 1 || h.Parts[0].Data == nil {
		return ops.HostPart{}, fmt.Errorf("%s is no array of numbers that the host can reach", s.Buffer(i).Stage)
	}
	return h.Parts[0], nil
}

// Edit lets the host change boxes.
func (s *State) Edit(change func(of [][]float64) error, boxes []ops.StateBox) error {
	s.Settle()
	in, of := make([]ops.HostArray, len(boxes)), make([][]float64, len(boxes))
	for i, p := range boxes {
		if _, err := s.Numbers(p.State); err != nil {
			return err
		}
		if i == len(s.edits) {
			s.edits = append(s.edits, nil)
		}
		n := int(p.Box.Points())
		s.edits[i] = slices.Grow(s.edits[i][:0], n)[:n]
		in[i], of[i] = s.Host(p.State), s.edits[i]
		in[i].LoadBox(p.Box, of[i])
	}
	if err := change(of); err != nil {
		return err
	}
	for i, p := range boxes {
		in[i].StoreBox(p.Box, of[i])
	}
	return nil
}

// HandOut gives an output the memory of the state that holds it, if that may go, or a copy where it lies otherwise.
func (s *State) HandOut(id string, may bool) error {
	to, err := s.around.Host(id)
	if err != nil || s.objects(to.Out) > 0 || s.step.Drive.OnDisk(id) {
		return err
	}
	if out := s.around.ByID[id]; may && slices.EqualFunc(out.Bufs, s.Buffer(to.Out).Bufs, bound.Alike) {
		s.Settle()
		for k, part := range out.Bufs {
			held := &s.held[to.Out].now[k]
			*held, s.around.Memory[part] = s.around.Memory[part], *held
		}
		return nil
	}
	to.CopyFrom(s.Host(to.Out))
	return nil
}
