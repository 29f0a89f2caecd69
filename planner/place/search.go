package place

import (
	"math"
	"slices"

	"weft/planner/plan"
)

const (
	// doubt is how much longer than predicted accelerators are taken to need when they are weighed against the host: predictions
	// are not that good, and a wrong guess costs copies.
	doubt = 1.1
	// teamGain is what each further device of a team has to gain of the time: one that adds little is better left alone.
	teamGain = 0.05
	// longRun is how many neighbouring kernels are moved together at most, and fewer in plans of more kernels than manyTasks.
	longRun   = 8
	manyTasks = 64
	rounds    = 8
)

// chain is a placement of all tasks, with what it costs.
type chain struct {
	teams  []int     // by task
	states []holding // before each task
	costs  []float64
	made   []outcome
	end    holding
	once   float64 // of calls that go ahead of the host, what the first and the last take more than others
}

func (c *chain) total() (sum float64) {
	for _, x := range c.costs {
		sum += x
	}
	return sum
}

// search places the tasks: the best of all on the host and all on one team, improved by moving single tasks and runs of
// neighbours for as long as that helps. What devices hold from one kernel to the next makes neighbours depend on each other.
func (s *site) search() *chain {
	best := s.chain(0)
	for n := 1; n < len(s.teams); n++ {
		if c := s.chain(n); c.total() < best.total() {
			best = c
		}
	}
	longest := min(longRun, len(s.tasks))
	if len(s.tasks) > manyTasks {
		longest = 2
	}
	for range rounds {
		better := false
		for length := 1; length <= longest; length++ {
			for i := 0; i+length <= len(s.tasks); i++ {
				for n := range s.teams {
					better = s.move(best, i, i+length, n) || better
				}
			}
		}
		if !better {
			break
		}
	}
	return s.goAhead(best)
}

// settled places the tasks as they were found to be best.
func (s *site) settled(best *chain) {
	for i, t := range s.tasks {
		s.place(t, best.made[i], best.states[i])
	}
	if best.once > 0 {
		s.tasks[0].step.Kernel.Place.Once = 1e3 * best.once
	}
	s.count(best)
}

// count finds the bytes that are copied for each task: to devices before it, and to the host of what it makes.
func (s *site) count(best *chain) {
	s.came = make([]int64, len(s.alloc))
	held := s.begin()
	for i, t := range s.tasks {
		p := &t.step.Kernel.Place
		for n, d := range best.made[i].team {
			for _, f := range t.in {
				p.BytesIn += int64(math.Round(s.lacks(f, d, best.made[i].weights[n], held) * float64(f.moved)))
			}
		}
		s.run(t, best.made[i].team, held)
	}
	for _, t := range s.tasks {
		for _, f := range t.out {
			t.step.Kernel.Place.BytesOut += s.came[f.array]
		}
	}
	s.came = nil
}

// chain puts every task on one team, as far as it may be there.
func (s *site) chain(n int) *chain {
	c := &chain{}
	held := s.begin()
	for _, t := range s.tasks {
		c.teams = append(c.teams, n)
		c.states = append(c.states, slices.Clone(held))
		o := s.run(t, s.team(t, n), held)
		c.made, c.costs = append(c.made, o), append(c.costs, weighed(o))
	}
	c.end = held
	return c
}

// weighed is what a task counts for in a comparison.
func weighed(o outcome) float64 {
	if n := len(o.team); n > 0 {
		return doubt*o.seconds*(1+teamGain*float64(n-1)) + o.fetched
	}
	return o.seconds + o.fetched
}

// move puts the tasks from lo to hi on a team if all is faster then.
func (s *site) move(c *chain, lo, hi, n int) bool {
	if !slices.ContainsFunc(c.teams[lo:hi], func(m int) bool { return m != n }) {
		return false
	}
	s.scratch = append(s.scratch[:0], c.states[lo]...)
	gain, end := 0.0, lo
	for ; end < len(s.tasks) && (end < hi || !slices.Equal(s.scratch, c.states[end])); end++ { // from there on nothing differs
		gain += c.costs[end] - weighed(s.moved(c, end, hi, n, s.scratch))
	}
	if !(gain > 1e-9*math.Max(1e-6, c.total())) {
		return false
	}
	held := slices.Clone(c.states[lo])
	for i := lo; i < end; i++ {
		c.states[i] = slices.Clone(held)
		c.made[i] = s.moved(c, i, hi, n, held)
		c.costs[i] = weighed(c.made[i])
	}
	for i := lo; i < hi; i++ {
		c.teams[i] = n
	}
	return true
}

// moved runs a task of a chain in which those before hi, as far as they are looked at, are on team n.
func (s *site) moved(c *chain, i, hi, n int, held holding) outcome {
	if i >= hi {
		n = c.teams[i]
	}
	return s.run(s.tasks[i], s.team(s.tasks[i], n), held)
}

// place records where a task runs, and what it would take elsewhere.
func (s *site) place(t *task, o outcome, held holding) {
	p := &t.step.Kernel.Place
	*p = plan.Placement{Host: 1e3 * t.host, Learned: 1}
	if len(o.team) > 0 {
		p.Devices, p.Weights = s.names(o.team), o.weights
		take(p, o)
		p.Accelerated, p.Transfer = p.Accelerated+1e3*o.fetched, p.Transfer+1e3*o.fetched
		return
	}
	best := outcome{seconds: math.Inf(1)}
	for _, team := range s.teams[1:] {
		able := s.able(t, team)
		if len(able) == 0 {
			continue
		}
		if t.whole {
			able = able[:1]
		}
		if o := s.accelerated(t, able, held); o.seconds < best.seconds {
			best = o
		}
	}
	if best.team != nil {
		take(p, best)
	}
}

func take(p *plan.Placement, o outcome) {
	p.Accelerated, p.Transfer, p.Bound, p.Learned = 1e3*o.seconds, 1e3*o.transfer, o.bound, o.learned
}
