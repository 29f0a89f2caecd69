package native

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// program is a compiled kernel: one variant, or several of which the first launch with enough work finds the fastest.
type program struct {
	device   *Device
	kernel   *ir.Kernel
	rule     string     // key of the variant that the rule makes: identifies measurements
	variants []*variant // the rule's first
	measured bool       // the only variant was chosen by an earlier measurement

	tuneTime time.Duration

	mu     sync.Mutex
	winner *variant // the variant measured fastest, or the only one; nil while undecided
}

var _ device.Program = (*program)(nil)

// plan renders a kernel under the schedule measured before, or the rule's, and with it the candidates to measure.
func (d *Device) plan(k *ir.Kernel, opt device.Options) (*program, error) {
	schedules := append(schedule.Candidates(k, d.target), schedule.CPU{}) // every kernel has the scalar one
	rule, rest, err := d.first(k, schedules)
	if err != nil {
		return nil, err
	}
	p := &program{device: d, kernel: k, rule: rule.key, variants: []*variant{rule}}
	p.winner = rule
	if s, ok := d.store.best(rule.key); ok && schedule.AddsAlike(k, d.target, s) {
		// A schedule that no longer renders, or adds up in another order, is from another version: measure again.
		if v, err := d.render(k, s, c.Way{}); err == nil && d.fits(v) {
			p.variants, p.winner, p.measured = []*variant{v}, v, true
		}
	}
	if !opt.Tune || !worthTuning(k) || p.measured && opt.TuneTime == 0 {
		return p, nil
	}
	if p.measured { // measured again, with the rule's choice among the candidates
		p.variants = append(p.variants, rule)
	}
	p.tuneTime = cmp.Or(opt.TuneTime, defaultTuneTime)
	for len(rest) > 1 { // the scalar one, last, is not worth measuring
		var v *variant
		if v, rest, err = d.first(k, rest); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(p.variants, func(w *variant) bool { return w.key == v.key }) {
			p.variants = append(p.variants, v)
		}
	}
	p.winner, p.measured = nil, false
	return p, nil
}

// first renders the first schedule that the kernel has, and returns those that follow it.
func (d *Device) first(k *ir.Kernel, schedules []schedule.CPU) (v *variant, rest []schedule.CPU, err error) {
	for len(schedules) > 0 {
		v, err = d.fitting(k, schedules[0])
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
func (p *program) Bind(b device.Bindings) (func(region.Region) error, error) {
	if w := p.decided(); w != nil {
		c, err := newCall(w, b)
		if err != nil {
			return nil, err
		}
		return c.launch, nil
	}
	r := &race{program: p, bindings: b}
	for _, v := range p.variants {
		if _, err := r.call(v); err != nil {
			return nil, err
		}
	}
	return r.launch, nil
}

// decided is the variant in use, nil while several compete.
func (p *program) decided() *variant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner
}

// current is the variant in use; the first one while several compete.
func (p *program) current() *variant {
	if w := p.decided(); w != nil {
		return w
	}
	return p.variants[0]
}

// Step is, an axis, the granularity at which tiles cost least.
func (p *program) Step() []int { return p.current().out.Step }

// Prepare gives the memory that launches need for themselves its pages.
func (p *program) Prepare(launches int, ended func() bool) error {
	for range launches {
		v := p.current()
		if v.out.Scratch == 0 || ended() {
			return nil
		}
		m, err := scratch.spared(v.out.Scratch, v.most)
		if m == nil || err != nil {
			return err
		}
		defer scratch.give(m)
		device.Populate(m.Host(), ended)
	}
	return nil
}

// Report describes the variant in use.
func (p *program) Report() device.Report {
	v := p.current()
	return device.Report{
		Schedule: v.schedule.Text(p.kernel),
		Tuned:    p.measured || p.tuneTime > 0 && p.decided() != nil,
		Loads:    v.out.Loads,
		Tables:   v.out.Tables,
		Source:   v.out.Source,
		Cached:   v.cached,
		Layout:   v.layout(),
	}
}

func layoutOf(k *ir.Kernel, t schedule.Target, s schedule.CPU, windows bool) device.Layout {
	l := device.Layout{Order: s.Order, Flight: max(1, s.Flat), FlightOn: map[int]int{}, LanesOn: map[int]int{}, FoldLanes: s.FoldLanes,
		Parts: s.Split > 0, Windows: windows, Fetched: schedule.Fetched(k, t, s), Narrow: s.AccBlock > 0, Packed: schedule.Packed(k, t, s)}
	if s.Flat > 0 {
		for a := range k.Axes {
			l.Lanes = append(l.Lanes, a)
		}
	}
	l.Waste = 1
	for a := range k.Axes {
		l.Step = append(l.Step, s.Step(a))
	}
	for _, a := range s.Lanes {
		l.Lanes = append(l.Lanes, a.Axis)
		l.LanesOn[a.Axis] = a.N
		points := max(1, k.Axes[a.Axis].Extent)
		l.Waste *= float64((points+a.N-1)/a.N*a.N) / float64(points)
	}
	for _, a := range s.Unroll {
		l.Flight *= a.N
		l.FlightOn[a.Axis] = a.N
	}
	return l
}
