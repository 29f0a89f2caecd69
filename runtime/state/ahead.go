package state

import (
	"context"
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/planner/bound"
	"weft/runtime/arrays"
	"weft/runtime/fleet"
)

// Calls whose kernels devices run go ahead of the host: what they store stays there until somebody asks, and no memory of the host is its own before. What the host had when the first of
// them was launched is left as it is, so that they can be made again from that if a device is lost.

// base is what the host had, and what was done since.
type base struct {
	held  [][]device.Memory // by array
	log   []*Entry
	there bool // the host has what came of it, too
}

// Entry is a call, or numbers that the host set: then Call is nil.
type Entry struct {
	*Call
	Set   func() error
	array int   // that they were set of
	turn  *turn // that went again; nil: it went for the first time
}

// Gone is that what a call was to make, or made, is on no device any more: what was done since the base is to be done again.
type Gone struct {
	fleet.Failure             // of no device: it is told of already
	Step          *bound.Step // that failed
	At            *Entry      // nil: of none, as nothing failed
}

func (g *Gone) Error() string { return fmt.Sprintf("%s: %s", g.Stage, g.Reason) }

// nowhere stands for memory of the host where what would be in it is on devices alone.
type nowhere struct{ _ byte }

// Host is none of it.
func (*nowhere) Host() []byte { return nil }

// Free does nothing.
func (*nowhere) Free() {}

func isNowhere(m device.Memory) bool { _, is := m.(*nowhere); return is }

// GoesAhead reports whether a call does go ahead of the host, if none of its kernels runs there: nothing of the state that devices alone hold is then where it would store.
func (s *State) GoesAhead(c *Call) bool {
	s.still()
	if !c.devices || !s.whole(c) {
		return false
	}
	for i := range s.held {
		for k, m := range s.memory(i) {
			at, had := s.had[m]
			switch {
			case !had || !at.of.Away(at.id):
			case c.Now[i] != "" && bound.Alike(at.part, c.Arrays.ByID[c.Now[i]].Bufs[k]):
			case c.Now[i] != "" || at.of == c.Arrays && slices.Contains(slices.Concat(c.Now, c.Next), at.id):
				return false
			}
		}
	}
	return true
}

// Entry is the last one of the log; nil: there is none.
func (s *State) Entry() *Entry {
	if s.base == nil || len(s.base.log) == 0 {
		return nil
	}
	return s.base.log[len(s.base.log)-1]
}

// begin has calls made again from what the arrays had before the last one.
func (s *State) begin(log ...*Entry) {
	s.base = &base{log: log}
	for _, p := range s.held {
		s.base.held = append(s.base.held, slices.Clone(p.now))
	}
}

// goAhead notes a call that goes ahead, and leaves it no memory of the host to store to.
func (s *State) goAhead(to *Call) {
	if s.base != nil && s.base.there {
		s.forgetBase()
	}
	if s.base == nil {
		s.begin()
	}
	s.base.log = append(s.base.log, &Entry{Call: to})
	s.float(to)
}

// float leaves what a call stores no memory of the host.
func (s *State) float(to *Call) {
	for i, id := range to.Next {
		if id == "" || to.Moved[i] >= 0 {
			continue
		}
		for _, m := range slices.Clone(s.held[i].next) {
			if !isNowhere(m) {
				s.become(m, &nowhere{})
				s.let(m)
			}
		}
	}
}

// become puts memory in the place of other memory, for devices too.
func (s *State) become(was, is device.Memory) {
	for _, p := range s.held {
		for _, list := range [][]device.Memory{p.now, p.next} {
			if k := slices.Index(list, was); k >= 0 {
				list[k] = is
			}
		}
	}
	if at, had := s.had[was]; had {
		delete(s.had, was)
		s.had[is] = at
	}
}

// let gives memory up that the state has no use for any more, unless it is of the base.
func (s *State) let(m device.Memory) {
	if !s.based(m) {
		s.around.Spare.Keep(m)
	}
}

// based reports whether memory is what calls that went ahead are made again from, of whatever array it is now.
func (s *State) based(m device.Memory) bool {
	return s.base != nil && slices.ContainsFunc(s.base.held, func(list []device.Memory) bool { return slices.Contains(list, m) })
}

// adopt takes memory in that the host was given because it asked for what devices hold.
func (s *State) adopt() {
	for m, at := range s.had {
		if real := at.of.Memory[at.part]; isNowhere(m) && real != nil {
			s.become(m, real)
		}
	}
}

// goTogether has memory of the host again for all that calls store, which has all that they stored.
func (s *State) goTogether() error {
	s.forgetBase()
	for i := range s.held {
		if !slices.ContainsFunc(s.held[i].next, isNowhere) {
			continue
		}
		mem, err := s.around.Allocate(s.Buffer(i))
		if err != nil {
			return err
		}
		for k, m := range slices.Clone(s.held[i].next) {
			s.become(m, mem[k])
			s.around.Spare.Keep(m)
		}
	}
	return nil
}

// forgetBase gives up what calls could be made again from.
func (s *State) forgetBase() {
	if s.base == nil {
		return
	}
	was := s.base.held
	s.base = nil
	for _, m := range slices.Concat(was...) {
		if !slices.ContainsFunc(s.held, func(p pair) bool { return slices.Contains(p.now, m) || slices.Contains(p.next, m) }) {
			s.around.Spare.Keep(m)
		}
	}
}

// Bring has the host have what an array holds after the last call; with one number all of them, as who steers by one asks for others.
func (s *State) Bring(ctx context.Context, i int) error {
	s.still()
	if s.base == nil {
		return nil
	}
	mem := slices.Clone(s.memory(i))
	for j := range s.held {
		if j != i && s.Buffer(i).Layout.Len() == 1 && s.Buffer(j).Layout.Len() == 1 {
			mem = append(mem, s.memory(j)...)
		}
	}
	return s.bring(ctx, mem)
}

func (s *State) bring(ctx context.Context, mem []device.Memory) error {
	var of []*arrays.Arrays
	ids := map[*arrays.Arrays][]string{}
	for _, m := range mem {
		at, had := s.had[m]
		if had && ids[at.of] == nil {
			of = append(of, at.of)
		}
		if had && !slices.Contains(ids[at.of], at.id) {
			ids[at.of] = append(ids[at.of], at.id)
		}
	}
	for _, a := range of {
		if err := a.Bring(ctx, ids[a]); err != nil {
			return err
		}
	}
	s.adopt()
	return nil
}

// BringGiven has the host have what the last call was given, in place of what it had: that call alone would be made again then. It does not where the host changed some of that since.
func (s *State) BringGiven(ctx context.Context) error {
	s.still()
	if s.base == nil || s.base.there || s.last == nil {
		return nil
	}
	at := len(s.base.log) - 1
	for ; at >= 0 && s.base.log[at].Call == nil; at-- {
		if s.last.Now[s.base.log[at].array] != "" {
			return nil
		}
	}
	if at < 0 || s.base.log[at].Call != s.last {
		return nil
	}
	for _, p := range s.held {
		if err := s.bring(ctx, p.now); err != nil {
			return err
		}
	}
	log := s.base.log[at:]
	s.forgetBase()
	s.begin(log...)
	return nil
}

// BringAll has the host have the state as it is after the last call.
func (s *State) BringAll(ctx context.Context) error {
	for i := range s.held {
		if err := s.Bring(ctx, i); err != nil {
			return err
		}
	}
	if s.base != nil {
		s.base.there = true
	}
	return nil
}

// Restore has the state hold what the host had, for what was done since to be done again.
func (s *State) Restore() ([]*Entry, error) {
	s.still()
	s.turns.forget()
	s.outdate()
	s.adopt()
	was := s.base
	for _, e := range was.log {
		if e.Call != nil {
			e.Arrays.Outdate(e.between)
			for _, id := range slices.Concat(e.Now, e.Next) {
				if id != "" {
					e.Arrays.Forget(id)
				}
			}
		}
	}
	for i, p := range s.held {
		for _, m := range slices.Concat(p.now, p.next) {
			s.let(m)
		}
		s.held[i] = pair{now: was.held[i]}
		if !slices.Contains(s.step.Drive.Single, s.step.Drive.Start[i]) {
			next, err := s.around.Allocate(s.Buffer(i))
			if err != nil {
				return nil, err
			}
			s.held[i].next = next
		}
	}
	s.last, s.base = nil, nil
	clear(s.had)
	return was.log, nil
}

// Set changes some numbers of an array.
func (s *State) Set(ctx context.Context, i, at int, v []float64) error {
	if err := s.Bring(ctx, i); err != nil {
		return err
	}
	s.turns.at = unknown
	if s.base != nil {
		v = slices.Clone(v) // which who set them may use for others
		s.base.log = append(s.base.log, &Entry{Set: func() error { return s.set(i, at, v) }, array: i})
		if err := s.part(i); err != nil {
			return err
		}
	}
	return s.set(i, at, v)
}

func (s *State) set(i, at int, v []float64) error {
	part, err := s.Numbers(i)
	if err == nil {
		part.Store(at, v)
		s.touched(i)
	}
	return err
}

// part gives an array that the host is about to change memory of its own, if what it has is of the base.
func (s *State) part(i int) error {
	was := s.Host(i)
	for k, m := range s.memory(i) {
		if !s.based(m) {
			continue
		}
		mem, err := s.around.Allocate(s.Buffer(i))
		if err != nil {
			return err
		}
		s.become(m, mem[k])
		copy(mem[k].Host(), was.Parts[k].Data)
	}
	return nil
}
