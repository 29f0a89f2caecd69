package native

import (
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/render"
)

// program is a compiled kernel: one variant, or several of which the first launch with enough work finds the fastest.
type program struct {
	device   *Device
	kernel   *ir.Kernel
	rule     string     // key of the variant that the rule makes: identifies measurements
	variants []*variant // the rule's first
	measured bool       // the only variant was chosen by an earlier measurement

	mu     sync.Mutex
	winner int // index of the variant measured fastest; -1 while undecided
}

var _ device.Program = (*program)(nil)

// plan renders a kernel under the schedule measured before, or the rule's, and with it the candidates to measure.
func (d *Device) plan(k *ir.Kernel, opt device.Options) (*program, error) {
	schedules := append(render.Candidates(k, d.target), render.Schedule{}) // every kernel has the scalar one
	rule, rest, err := d.first(k, schedules)
	if err != nil {
		return nil, err
	}
	p := &program{device: d, kernel: k, rule: rule.key, variants: []*variant{rule}}
	if s, ok := d.store.best(rule.key); ok {
		// A schedule that no longer renders is from another version: measure again.
		if v, err := d.render(k, s); err == nil {
			p.variants, p.measured = []*variant{v}, true
			return p, nil
		}
	}
	if !opt.Tune || !worthTuning(k) {
		return p, nil
	}
	for len(rest) > 1 { // the scalar one, last, is not worth measuring
		var v *variant
		if v, rest, err = d.first(k, rest); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(p.variants, func(w *variant) bool { return w.key == v.key }) {
			p.variants = append(p.variants, v)
		}
	}
	if len(p.variants) > 1 {
		p.winner = -1
	}
	return p, nil
}

// first renders the first schedule that the kernel has, and returns those that follow it.
func (d *Device) first(k *ir.Kernel, schedules []render.Schedule) (v *variant, rest []render.Schedule, err error) {
	for len(schedules) > 0 {
		v, err = d.render(k, schedules[0])
		schedules = schedules[1:]
		if err == nil {
			return v, schedules, nil
		}
	}
	return nil, nil, err
}

// Kernel is what was compiled.
func (p *program) Kernel() *ir.Kernel { return p.kernel }

// Bind checks buffers and scalars and returns the launch.
func (p *program) Bind(b device.Bindings) (func(device.Tile) error, error) {
	if w := p.decided(); w >= 0 {
		c, err := newCall(p.variants[w], b)
		if err != nil {
			return nil, err
		}
		return c.launch, nil
	}
	calls := make([]*call, len(p.variants))
	for i, v := range p.variants {
		c, err := newCall(v, b)
		if err != nil {
			return nil, err
		}
		calls[i] = c
	}
	return func(t device.Tile) error {
		w, err := p.decide(calls, t)
		if err != nil {
			return err
		}
		return calls[w].launch(t)
	}, nil
}

// decided is the index of the variant in use, -1 while several compete.
func (p *program) decided() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner
}

// current is the variant in use; the rule's while several compete.
func (p *program) current() *variant { return p.variants[max(0, p.decided())] }

// Step is, an axis, the granularity at which tiles cost least.
func (p *program) Step() []int { return p.current().out.Step }

// Report describes the variant in use.
func (p *program) Report() device.Report {
	w := p.decided()
	v := p.variants[max(0, w)]
	return device.Report{
		Schedule: v.schedule.Text(p.kernel),
		Tuned:    p.measured || w >= 0 && len(p.variants) > 1,
		Loads:    v.out.Loads,
		Tables:   v.out.Tables,
		Source:   v.out.Source,
		Cached:   v.cached,
		Layout:   layoutOf(v.schedule),
	}
}

func layoutOf(s render.Schedule) device.Layout {
	l := device.Layout{Flight: 1, FoldLanes: s.FoldLanes}
	for _, a := range s.Lanes {
		l.Lanes = append(l.Lanes, a.Axis)
	}
	for _, a := range s.Unroll {
		l.Flight *= a.N
		l.FlightOn = append(l.FlightOn, a.Axis)
	}
	return l
}
