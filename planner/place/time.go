package place

import (
	"math"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/planner/cost"
)

// holding is what share of each array's rows each device, and behind them the host, holds, by buffer, then device.
type holding []float64

func (s *site) at(array, dev int) int { return array*(len(s.devices)+1) + dev }

// host is where the host's share is.
func (s *site) host(array int) int { return s.at(array, len(s.devices)) }

// begin is what is held before a run: all that is not made in it, by the host.
func (s *site) begin() holding {
	if s.before != nil {
		return slices.Clone(s.before)
	}
	held := make(holding, s.at(len(s.alloc), 0))
	for array := range s.alloc {
		held[s.host(array)] = 1
	}
	return held
}

// fetch is how long the host, or a device by way of it, waits for a part of an array of which it lacks some, which the host has then: for what is in line, and for the copy.
func (s *site) fetch(array int, part float64, held holding) (seconds float64) {
	lacks := min(part, 1-held[s.host(array)])
	if lacks < 1e-6 {
		return 0
	}
	if s.came != nil {
		s.came[array] += int64(math.Round(lacks * float64(s.bytes(array))))
	}
	all := 0.0
	for d := range s.devices {
		all += held[s.at(array, d)]
	}
	for d := range s.devices {
		if n := held[s.at(array, d)]; n > 0 {
			r := s.devices[d].Rates
			seconds = max(seconds, r.LinkLatency+2*r.Wait+device.Quotient(lacks*s.alloc[array]*n/all, r.LinkOut))
		}
	}
	held[s.host(array)] += lacks
	return seconds
}

// outcome is a kernel on the host or on a team.
type outcome struct {
	team     []int
	weights  []float64
	seconds  float64
	transfer float64
	fetched  float64 // seconds of what the host waits for on its account
	bound    string
	learned  float64
}

const (
	hostSlots = 3  // ranges of a device under way at once: one goes up, one computes, one comes down
	mostParts = 24 // ranges of a device, where nothing asks for more
	worthPart = 8  // a range computes or copies for so many times its latencies
	settling  = 6  // rounds in which the shares of a team's devices are made even
	leastPart = 1e-3
)

// run is what a task takes on a team, and, in held, what it leaves on the devices.
func (s *site) run(t *task, team []int, held holding) outcome {
	o := outcome{team: team, seconds: t.host, learned: 1}
	if len(team) > 0 {
		o = s.accelerated(t, team, held)
	}
	for _, f := range t.in {
		part := 1.0
		if len(team) > 0 {
			part = 0
		}
		for i, d := range team {
			if lacks := s.lacks(f, d, o.weights[i], held); f.all {
				part = max(part, lacks)
			} else {
				part += lacks
			}
		}
		o.fetched += s.fetch(f.array, part, held)
	}
	for d := range s.devices {
		for _, f := range t.out {
			held[s.at(f.array, d)] = 0
		}
	}
	for _, f := range t.out {
		held[s.host(f.array)] = 1
	}
	for i, d := range team {
		s.leave(t, d, o.weights[i], len(team) == 1, held)
	}
	for _, array := range t.taken {
		if !s.handed(array) {
			continue
		}
		o.fetched += s.fetch(array, 1, held)
	}
	for _, array := range t.frees {
		clear(held[s.at(array, 0):s.at(array+1, 0)])
	}
	return o
}

func (s *site) accelerated(t *task, team []int, held holding) outcome {
	o := outcome{team: team, weights: make([]float64, len(team))}
	for i := range team {
		o.weights[i] = 1 / float64(len(team))
	}
	parts := make([]cost.Pipeline, len(team))
	for round := range settling {
		for i, d := range team {
			parts[i] = s.part(t, d, o.weights[i], len(team) == 1, held)
		}
		if len(team) == 1 || round == settling-1 {
			break
		}
		settle(o.weights, parts)
	}
	for _, p := range parts {
		if p.Seconds >= o.seconds {
			o.seconds, o.bound = p.Seconds, p.Bound
		}
		o.transfer = max(o.transfer, p.Transfer)
	}
	o.learned = s.learned(t, o)
	o.seconds *= o.learned
	return o
}

// settle moves shares from the devices that take longer than the mean to those that take less.
func settle(weights []float64, parts []cost.Pipeline) {
	sum := 0.0
	for i, p := range parts {
		weights[i] = max(leastPart, weights[i]/math.Pow(max(p.Seconds, 1e-9), 0.8))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
}

// part is what a device takes for a share of a task's rows.
func (s *site) part(t *task, d int, share float64, alone bool, held holding) cost.Pipeline {
	r := s.devices[d].Rates
	work := t.work.Scale(share)
	var c cost.Traffic
	fixed, moving := 0.0, 0.0 // bytes of device memory: of arrays there as a whole, and of rows
	for _, f := range t.in {
		missing := s.lacks(f, d, share, held)
		switch {
		case f.all:
			fixed += f.bytes
			c.Whole += f.bytes * missing
		default:
			moving += f.bytes
			c.In += f.bytes * missing
		}
		if missing < 1e-6 {
			continue
		}
		if f.all {
			c.WholeCopies += f.copies
		} else {
			c.InCopies += f.copies
		}
	}
	for _, f := range t.out {
		moving += f.bytes
		if !s.remains(t, f, d) {
			c.Out += f.bytes * share
			c.OutCopies += f.copies
		}
	}
	longest := max(r.Compute(work), device.Quotient(c.In, r.LinkIn), device.Quotient(c.Out, r.LinkOut))
	if alone && s.queued(t, d, r.Compute(work), device.Quotient(c.In, r.LinkIn)+device.Quotient(c.Out, r.LinkOut)) {
		c.Queued = true
		return cost.Overlapped(r, work, c, 1)
	}
	latency := cost.PerRange + r.Launch + r.Wait + (r.LinkLatency+r.Wait)*float64(c.InCopies+c.OutCopies)
	n := min(mostParts, longest/(worthPart*latency))
	if limit := float64(s.devices[d].Info.Limits.Memory); limit > 0 && fixed+moving > limit {
		n = max(n, hostSlots*moving*share/max(limit-fixed, moving/float64(t.rows)))
	}
	n = max(n, float64(t.tiles)*share, float64(t.block))
	c.Blocks = t.block
	n = min(n, float64(t.rows)*share)
	if t.whole {
		n = 1
	}
	return cost.Overlapped(r, work, c, int(math.Ceil(n)))
}

// A device that has a kernel for itself has it in line, as one range, where copies beside the computing would take less than this part of it, or so many seconds.
const (
	worthOverlapping = 0.1
	shortest         = 300e-6
)

// queued reports whether a kernel that one device has for itself is launched in line.
func (s *site) queued(t *task, d int, compute, copies float64) bool {
	_, _, fits := s.fits(t, d)
	return s.stays && fits && t.tiles == 0 && copies <= max(shortest, worthOverlapping*compute)
}

// fits is the memory of all arrays of a task, that of a device, and whether they are there as a whole.
func (s *site) fits(t *task, d int) (needs, limit float64, ok bool) {
	for _, f := range slices.Concat(t.in, t.out) {
		needs += s.alloc[f.array]
	}
	limit = float64(s.devices[d].Info.Limits.Memory)
	return needs, limit, limit <= 0 || needs <= limit
}

// remains reports whether what a task makes of an array on a device stays there alone.
func (s *site) remains(t *task, f feed, d int) bool {
	_, _, fits := s.fits(t, d)
	return s.stays && fits && (!f.taken || !s.handed(f.array))
}

// lacks is the part of an array that a device lacks for a share of a task's rows. Devices keep to the rows that they hold.
func (s *site) lacks(f feed, d int, share float64, held holding) float64 {
	if f.all {
		share = 1
	}
	return max(0, share-held[s.at(f.array, d)])
}

// leave marks what a device holds once it has run its share of a task.
func (s *site) leave(t *task, d int, share float64, alone bool, held holding) {
	needs, limit, rowsStay := s.fits(t, d)
	own := map[int]bool{}
	for _, f := range t.in {
		own[f.array] = true
		at := s.at(f.array, d)
		switch {
		case f.all || alone && rowsStay:
			held[at] = 1
		case rowsStay:
			held[at] = max(held[at], share)
		default:
			held[at] = 0
		}
	}
	for _, f := range t.out {
		own[f.array] = true
		if rowsStay {
			held[s.at(f.array, d)] = share
		}
		switch {
		case s.remains(t, f, d):
			held[s.host(f.array)] -= share
		case s.came != nil:
			s.came[f.array] += int64(math.Round(share * float64(s.bytes(f.array))))
		}
	}
	if limit <= 0 {
		return
	}
	others := 0.0
	for array, bytes := range s.alloc {
		if !own[array] && held[s.at(array, d)] > 0 {
			others += bytes
		}
	}
	if needs+others > limit { // they are given up for it
		for array := range s.alloc {
			if n := held[s.at(array, d)]; !own[array] && n > 0 {
				s.fetch(array, 1, held)
				held[s.at(array, d)] = 0
			}
		}
	}
}

// learned is what runs on the same devices taught. What an emulated device takes of the host's time says nothing.
func (s *site) learned(t *task, o outcome) float64 {
	for _, d := range o.team {
		if s.devices[d].Info.Kind == emulated {
			return 1
		}
	}
	k := t.step.Kernel
	f, _ := s.model.Learned(k.Hash, strings.Join(s.names(o.team), "+"), k.Ops, o.bound)
	return f
}

func (s *site) names(team []int) []string {
	var out []string
	for _, d := range team {
		out = append(out, s.devices[d].Info.Name)
	}
	return out
}
