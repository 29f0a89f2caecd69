package state

import (
	"context"
	"slices"
	"time"

	"weft/kernels/ir"
	"weft/planner/bound"
	"weft/runtime/fleet"
	"weft/runtime/usage"
)

// A call that goes ahead of the host comes to the same launches whenever devices hold the same. What they held before and behind one, and what it put in line, is remembered: from then on it
// goes as it went. What is to be noted of it, as which memory holds what, is noted once somebody asks, and of the last ones alone, as those before come to the same.

// turns are calls as they go, and those that went so and are not noted yet.
type turns struct {
	fleet *fleet.Fleet
	bufs  []*ir.Buffer // of all programs
	held  []fleet.Held // what devices held between calls
	known []*turn
	at    int // which of held they hold now; unknown: none, or nobody looked

	start      int     // which of held they held when all was noted
	loop, path []*turn // not noted: a way from start to start that was gone once or more, and the way from there

	went   []*turn // that are not told of
	begun  time.Time
	cpu    time.Duration
	waited time.Duration
}

// turn is a call that goes as it went.
type turn struct {
	*Call
	from, to int // of turns.held
	line     *fleet.Turn
	steps    []*bound.Step
	last     *Entry // that went so
	times    int    // that are not told of
	told     func(job, times int, wall, cpu float64)
}

// mostHeld bounds what is remembered of what devices held: calls that alternate come back to it soon.
const mostHeld = 16

const unknown = -1

// Lost makes the error of what a device could not do of a call.
func (e *Entry) Lost(job int, why fleet.Failure) error {
	return &Gone{Failure: why, Step: e.turn.steps[job], At: e}
}

// Went takes in what a call that went ahead put in line, a job for each step; nil: that is not all it did. Told is told what it was when that went again so many times.
func (s *State) Went(f *fleet.Fleet, c *Call, line *fleet.Turn, steps []*bound.Step, told func(job, times int, wall, cpu float64)) {
	t := &s.turns
	if t.fleet == nil {
		t.fleet = f
		for _, p := range s.step.Programs {
			for i := range p.Buffers {
				t.bufs = append(t.bufs, p.Buffers[i].Bufs...)
			}
		}
	}
	from, now := t.at, f.Held(t.bufs)
	if t.at = slices.IndexFunc(t.held, now.Equal); t.at < 0 {
		if len(t.held) == mostHeld {
			t.forget()
			from = unknown
		}
		t.at, t.held = len(t.held), append(t.held, now)
	}
	if t.start = t.at; from == unknown || line == nil || len(line.Jobs) != len(steps) || t.next(from, c) != nil {
		return
	}
	again := &turn{Call: c, from: from, to: t.at, line: line, steps: steps, told: told}
	for i, j := range line.Jobs {
		j.Gone = func(why fleet.Failure) error { return again.last.Lost(i, why) }
	}
	t.known = append(t.known, again)
}

// next is how a call goes where devices hold what they held then; nil: nobody knows.
func (t *turns) next(from int, c *Call) *turn {
	for _, k := range t.known {
		if k.from == from && k.Call == c {
			return k
		}
	}
	return nil
}

// Again has a call go ahead as it went before, if devices hold what they held then; false: nobody knows how it goes.
func (s *State) Again(ctx context.Context, c *Call) (ok bool, err error) {
	t := &s.turns
	next := t.next(t.at, c)
	if next == nil || !t.fleet.Ready(next.line) {
		return false, nil
	}
	late := s.base != nil && !s.base.there
	if !late && !(s.GoesAhead(c) && t.holds()) {
		return false, nil
	}
	if t.begun.IsZero() {
		t.begun, t.cpu, t.waited = time.Now(), usage.CPU(), t.fleet.Waited()
	}
	if !late {
		s.ready()
		s.goAhead(c)
		s.lendWhole(c)
	} else {
		s.base.log = append(s.base.log, &Entry{Call: c})
	}
	next.last = s.Entry()
	next.last.turn = next
	if next.times++; next.times == 1 {
		t.went = append(t.went, next)
	}
	if t.at = next.to; !late {
		s.note(next)
		t.start = t.at
	} else if t.path = append(t.path, next); t.at == t.start && !t.around() {
		s.catchUp()
	}
	return true, t.fleet.Repeat(ctx, next.line, next.last)
}

// forget gives up what is known of calls, all of which are noted.
func (t *turns) forget() {
	for _, k := range t.known {
		k.line.Free()
	}
	t.known, t.held, t.at = nil, nil, unknown
}

// holds reports whether devices hold what they are taken to hold.
func (t *turns) holds() bool { return t.at != unknown && t.fleet.Held(t.bufs).Equal(t.held[t.at]) }

// around takes in a way back to the start; false: it is another than before.
func (t *turns) around() bool {
	switch {
	case t.loop == nil:
		t.loop, t.path = t.path, nil
	case slices.Equal(t.loop, t.path):
		t.path = t.path[:0]
	default:
		return false
	}
	return true
}

// note takes in what a call made that was lent the state.
func (s *State) note(k *turn) {
	s.turns.fleet.Note(k.line)
	s.stayed = append(s.stayed, k.Call)
}

// catchUp notes what calls came to that went again.
func (s *State) catchUp() {
	t := &s.turns
	if len(t.loop)+len(t.path) == 0 {
		return
	}
	all := slices.Concat(t.loop, t.path)
	t.loop, t.path, t.start = nil, nil, t.at
	for _, k := range all {
		s.ready()
		s.float(k.Call)
		s.lendWhole(k.Call)
		s.last = k.Call
		s.note(k)
	}
}

// still is for who is about to look at the state, or to change it: all calls are noted and told of.
func (s *State) still() {
	s.catchUp()
	t := &s.turns
	jobs := 0
	for _, k := range t.went {
		jobs += k.times * len(k.steps)
	}
	if jobs == 0 {
		return
	}
	wall, cpu := time.Since(t.begun)-(t.fleet.Waited()-t.waited), usage.CPU()-t.cpu
	for _, k := range t.went {
		part := float64(k.times) / float64(jobs)
		for i := range k.steps {
			k.told(i, k.times, part*wall.Seconds(), part*cpu.Seconds())
		}
		k.times = 0
	}
	t.went, t.begun = nil, time.Time{}
}
