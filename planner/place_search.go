package planner

import (
	"math"
	"slices"
)

const (
	// doubt is how much longer than predicted accelerators are taken to need when they are weighed against the host: predictions
	// are not that good, and a wrong guess costs copies.
	doubt = 1.1
	// crowd is what each further device of a team has to gain of the time: one that adds little is better left alone.
	crowd = 0.05
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
}

func (c *chain) total() (sum float64) {
	for _, x := range c.costs {
		sum += x
	}
	return sum
}

// search places the tasks: the best of all on the host and all on one team, improved by moving single tasks and runs of
// neighbours for as long as that helps. What devices hold from one kernel to the next makes neighbours depend on each other.
func (s *site) search() {
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
	for i, t := range s.tasks {
		s.place(t, best.made[i], best.states[i])
	}
}

// chain puts every task on one team, as far as it may be there.
func (s *site) chain(n int) *chain {
	c := &chain{}
	held := make(holding, len(s.alloc)*len(s.devices))
	for _, t := range s.tasks {
		c.teams = append(c.teams, n)
		c.states = append(c.states, slices.Clone(held))
		o := s.run(t, s.team(t, n), held)
		c.made, c.costs = append(c.made, o), append(c.costs, weighed(o))
	}
	return c
}

// weighed is what a task counts for in a comparison.
func weighed(o outcome) float64 {
	if n := len(o.team); n > 0 {
		return doubt * o.seconds * (1 + crowd*float64(n-1))
	}
	return o.seconds
}

// move puts the tasks from lo to hi on a team if all is faster then.
func (s *site) move(c *chain, lo, hi, n int) bool {
	if !slices.ContainsFunc(c.teams[lo:hi], func(m int) bool { return m != n }) {
		return false
	}
	held := slices.Clone(c.states[lo])
	gain := 0.0
	var states []holding
	var made []outcome
	for i := lo; i < len(s.tasks); i++ {
		if i >= hi && slices.Equal(held, c.states[i]) {
			break // from here on nothing differs
		}
		m := c.teams[i]
		if i < hi {
			m = n
		}
		states = append(states, slices.Clone(held))
		o := s.run(s.tasks[i], s.team(s.tasks[i], m), held)
		made = append(made, o)
		gain += c.costs[i] - weighed(o)
	}
	if !(gain > 1e-9*math.Max(1e-6, c.total())) {
		return false
	}
	for j, o := range made {
		c.states[lo+j], c.made[lo+j], c.costs[lo+j] = states[j], o, weighed(o)
	}
	for i := lo; i < hi; i++ {
		c.teams[i] = n
	}
	return true
}

// place records where a task runs, and what it would take elsewhere.
func (s *site) place(t *task, o outcome, held holding) {
	p := &t.step.Kernel.Place
	*p = Placement{Host: 1e3 * t.host, learned: 1}
	if len(o.team) > 0 {
		p.Devices, p.Weights = s.names(o.team), o.weights
		p.take(o)
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
		p.take(best)
	}
}

func (p *Placement) take(o outcome) {
	p.Accelerated, p.Transfer, p.Bound, p.learned = 1e3*o.seconds, 1e3*o.transfer, o.bound, o.learned
}
