package place

import (
	"math"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/planner/cost"
)

// holding is what share of each array's rows each device holds, by buffer, then device.
type holding []float64

func (s *site) at(array, dev int) int { return array*len(s.devices) + dev }

// outcome is a kernel on the host or on a team.
type outcome struct {
	team     []int
	weights  []float64
	seconds  float64
	transfer float64
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
	for d := range s.devices {
		for _, f := range t.out {
			held[s.at(f.array, d)] = 0
		}
	}
	for i, d := range team {
		s.leave(t, d, o.weights[i], len(team) == 1, held)
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
			parts[i] = s.part(t, d, o.weights[i], held)
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
func (s *site) part(t *task, d int, share float64, held holding) cost.Pipeline {
	r := s.devices[d].Rates
	work := t.work.Scale(share)
	var c cost.Traffic
	fixed, moving := 0.0, 0.0 // bytes of device memory: of arrays there as a whole, and of rows
	for _, f := range t.in {
		missing := 1 - held[s.at(f.array, d)]
		switch {
		case f.all:
			fixed += f.bytes
			c.Whole += f.bytes * missing
		default:
			moving += f.bytes
			c.In += f.bytes * missing * share
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
		c.Out += f.bytes * share
		c.OutCopies += f.copies
	}
	longest := max(r.Compute(work), device.Quotient(c.In, r.LinkIn), device.Quotient(c.Out, r.LinkOut))
	latency := cost.PerRange + r.Launch + r.LinkLatency*float64(c.InCopies+c.OutCopies)
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

// leave marks what a device holds once it has run its share of a task. Which rows fall to which of several devices is not known
// before, so shares of one kernel and the next overlap by chance.
func (s *site) leave(t *task, d int, share float64, alone bool, held holding) {
	needs := 0.0
	for _, f := range slices.Concat(t.in, t.out) {
		needs += s.alloc[f.array]
	}
	limit := float64(s.devices[d].Info.Limits.Memory)
	rowsStay := limit <= 0 || needs <= limit
	own := map[int]bool{}
	for _, f := range t.in {
		own[f.array] = true
		at := s.at(f.array, d)
		switch {
		case f.all || alone && rowsStay:
			held[at] = 1
		case rowsStay:
			held[at] += share * (1 - held[at])
		default:
			held[at] = 0
		}
	}
	for _, f := range t.out {
		own[f.array] = true
		if rowsStay {
			held[s.at(f.array, d)] = share
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
			if !own[array] {
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
