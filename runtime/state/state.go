// Package state holds the arrays of a drive from one call of its programs to the next.
package state

import (
	"fmt"
	"maps"
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
	few    int                    // objects that there is room for, of drives that go on with some at a time; 0: all
	Disk   *Disk                  // nil: all of it is in memory
	last   *Call                  // what it stored is not yet what programs read
	had    map[device.Memory]site // that calls had it as, where devices hold what is in it, if anything
	stayed []*Call                // of which devices may hold what kernels made for each other
	base   *base                  // from which calls went ahead of the host; nil: it has all that they made
	edits  [][]float64            // memory of boxes that the host changes, from edit to edit
	turns  turns                  // calls that go as they went
}

// site is a part of an array of a call.
type site struct {
	of   *arrays.Arrays
	id   string
	part *ir.Buffer
}

// pair are the parts of an array before and after a call.
type pair struct{ now, next []device.Memory }

// Call is a program as the state sees it.
type Call struct {
	plan.DriveProgram
	Moved   []int // which array of the state moves to each; -1: none
	Arrays  *arrays.Arrays
	between []string // made by its kernels for each other
	devices bool     // make all of it: it may go ahead
	whole   bool     // it has arrays whose memory devices may hold replicas of from call to call
}

// NewCall is a program with the arrays of its run.
func NewCall(p plan.DriveProgram, of *bound.Plan, a *arrays.Arrays) *Call {
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
	c := &Call{DriveProgram: p, Moved: moved, Arrays: a, whole: of.Stream == nil && !p.Boxed}
	c.between, c.devices = between(of, &p), of.GoAhead(&p)
	return c
}

// Place is where a drive may leave what does not fit the memory.
type Place struct {
	Tasks ops.Tasks
	Path  string // empty: it has no name
	Keep  bool   // what an earlier run left there is still good
}

// Begin gives the state its memory and what it holds at first: the memory of that, where nobody needs it afterwards, or a copy. What is on disk is zero.
func Begin(step *bound.Step, around *arrays.Arrays, blocks bool, place Place) (s *State, err error) {
	s = &State{step: step, around: around, had: map[device.Memory]site{}, turns: turns{at: unknown}}
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
		takes, moves := s.takes(i), slices.Contains(step.Drive.Moves, id) && (blocks || slices.Contains(step.Frees, id))
		if moves { // it is counted already
			takes -= b.Bytes
		}
		around.Count(takes)
		if !slices.Contains(step.Drive.Single, id) {
			if at.next, err = around.Allocate(b); err != nil {
				return s, err
			}
		}
		if moves {
			for _, part := range b.Bufs {
				at.now = append(at.now, around.Memory[part])
			}
			around.Forget(id)
			around.Lent[id] = true
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
	s.still()
	s.turns.forget()
	if s.Disk != nil {
		s.around.Count(-s.step.Drive.Tiles.Peak)
	}
	s.adopt()
	s.forgetBase()
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

// memory is that of an array after the last call, part by part.
func (s *State) memory(i int) []device.Memory {
	switch {
	case s.last == nil || s.last.Next[i] == "":
		return s.held[i].now
	case s.last.Moved[i] >= 0:
		return s.held[s.last.Moved[i]].now
	}
	return s.held[i].next
}

// Host is what an array holds after the last call.
func (s *State) Host(i int) ops.HostArray {
	b, mem := s.Buffer(i), s.memory(i)
	parts := map[*ir.Buffer]device.Memory{}
	for k, part := range b.Bufs {
		parts[part] = mem[k]
	}
	return b.In(parts)
}

// Lend gives a program the state to read, and where to store what comes next, which the host has no memory for if the call goes ahead of it: what devices hold of that memory goes along. What
// calls store in boxes is as good as settled, and devices keep nothing of it.
func (s *State) Lend(to *Call, ahead bool) error {
	s.still()
	if !ahead || !s.turns.holds() {
		s.turns.at = unknown
	}
	s.ready()
	if ahead {
		s.goAhead(to)
	} else if err := s.goTogether(); err != nil {
		return err
	}
	if s.whole(to) {
		s.lendWhole(to)
		return nil
	}
	clear(s.had)
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
	return nil
}

// ready makes the state that of before a call.
func (s *State) ready() {
	s.outdate()
	s.adopt()
	s.settle()
}

func (s *State) lendWhole(to *Call) {
	s.last = to
	var list []arrays.Taken
	now := map[device.Memory]site{}
	take := func(id string, mem []device.Memory, blank bool) {
		t := arrays.Taken{ID: id, Memory: mem, Blank: blank}
		for k, part := range to.Arrays.ByID[id].Bufs {
			from := s.had[mem[k]].part
			if from != nil && !bound.Alike(from, part) {
				from = nil
			}
			t.From = append(t.From, from)
			now[mem[k]] = site{to.Arrays, id, part}
		}
		list = append(list, t)
	}
	for i := range s.held {
		if id := to.Now[i]; id != "" {
			take(id, s.held[i].now, false)
		}
		if id := to.Next[i]; id != "" && to.Moved[i] < 0 {
			take(id, s.held[i].next, true)
		}
	}
	to.Arrays.TakeAll(list)
	had := s.had
	s.had = now
	for mem, at := range had { // what this program does not read stays what it was, unless its buffer has other memory now
		if _, is := s.had[mem]; !is && !slices.Contains(slices.Collect(maps.Values(now)), at) {
			s.had[mem] = at
		}
	}
}

// touched notes that the host changed what an array holds after the last call: devices hold nothing of it.
func (s *State) touched(i int) {
	for _, m := range s.memory(i) {
		delete(s.had, m)
	}
}

// Last is the program launched last, of which what it was given is still there; nil: none.
func (s *State) Last() *Call {
	s.still()
	return s.last
}

// Settle makes what the last call stored what the next one reads. An array whose memory moved gets that of the one it moved to.
func (s *State) Settle() {
	s.still()
	s.settle()
}

func (s *State) settle() {
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
	s.turns.at = unknown
	s.forgetBase()
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
		s.touched(p.State)
	}
	return nil
}

// HandOut gives an output the memory of the state that holds it, if that may go, or a copy where it lies otherwise.
func (s *State) HandOut(id string, may bool) error {
	s.still()
	s.forgetBase()
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
