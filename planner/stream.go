package planner

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/plan"
)

// Stream is a plan.Stream with what it is laid out by.
type Stream struct {
	plan.Stream
	Passes []Pass

	flow *flow
}

// Pass is a plan.Pass with its steps and arrays.
type Pass struct {
	plan.Pass
	units   []*unit
	targets []*Buffer
	kept    []*Buffer // alive as a whole while it runs
}

// Block is what to do for one block of rows of a pass.
type Block struct {
	Rows  region.Interval            // of the tallest array the pass makes
	Read  map[string]region.Interval // by buffer: rows a source has to give
	Run   map[string]region.Interval // by kernel step: rows to compute
	Write map[string]region.Interval // by sink step: rows to hand over
	Keep  map[string]int             // by buffer: rows before this one are not needed any more
}

// unit is a step of a pass with what it reads and makes.
type unit struct {
	step  *Step
	reads []*Buffer
	makes []*Buffer
	level int // of the pass that can run it first
}

// flow is a plan seen as rows that move from step to step.
type flow struct {
	plan    *Plan
	prints  map[*unit]func(over region.Region) map[string]region.Region
	units   []*unit
	maker   map[*Buffer]*unit
	kept    map[*Buffer]string // arrays that stay as a whole, and why
	late    map[*Buffer]bool   // of these, those whose readers need all of them at once: they wait for a later pass
	scratch map[*unit]int64
}

// newFlow finds out what can run by rows.
func newFlow(p *Plan) *flow {
	f := &flow{plan: p, prints: map[*unit]func(region.Region) map[string]region.Region{}, maker: map[*Buffer]*unit{}, kept: map[*Buffer]string{}, late: map[*Buffer]bool{}, scratch: map[*unit]int64{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		u := &unit{step: s}
		for _, id := range s.Reads {
			u.reads = append(u.reads, p.Buffer(id))
		}
		for _, id := range s.Writes {
			u.makes = append(u.makes, p.Buffer(id))
		}
		for _, b := range u.makes {
			f.maker[b] = u
		}
		f.units = append(f.units, u)
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case b.Role == FromPlan:
			f.kept[b] = "known while planning"
		case len(b.Array.Type.Dims) == 0:
			f.kept[b] = "a single value"
		}
	}
	for _, u := range f.units {
		f.classify(u)
	}
	f.levels()
	return f
}

// classify marks the arrays that a step takes or gives only as a whole.
func (f *flow) classify(u *unit) {
	keep := func(b *Buffer, why string, late bool) {
		if f.kept[b] == "" {
			f.kept[b] = why
		}
		f.late[b] = f.late[b] || late && b.Role != FromPlan
	}
	switch u.step.Kind {
	case ReadStep:
		if why := refuses(u.step.Op, true); why != "" {
			keep(u.makes[0], why, false)
		}
	case SinkStep:
		if why := refuses(u.step.Op, false); why != "" {
			for _, b := range u.reads {
				keep(b, why, false)
			}
		}
	case KernelStep:
		need := f.probe(u)
		for _, b := range u.reads {
			n, rows := need[b], rowsOf(b.Array.Type)
			switch {
			case joins(u.step.Kernel):
				keep(b, u.step.Name+" adds to its results in any order", true)
			case f.kept[b] == "a single value":
				f.late[b] = f.late[b] || b.Role == FromKernel
			case n.Hi-n.Lo == rows && (rows > 1 || f.rows(u) == 1):
				keep(b, u.step.Name+" needs all of it for each of its rows", true)
			}
		}
		if joins(u.step.Kernel) {
			for _, b := range u.makes {
				keep(b, u.step.Name+" adds to it in any order", false)
			}
		}
	}
}

// probe are the rows of its inputs that a kernel needs for one row in the middle.
func (f *flow) probe(u *unit) map[*Buffer]region.Interval {
	middle := f.rows(u) / 2
	return f.inputs(u, region.Interval{Lo: middle, Hi: middle + 1})
}

// inputs are the rows of its inputs that a kernel needs for some rows of what it stores.
func (f *flow) inputs(u *unit, rows region.Interval) map[*Buffer]region.Interval {
	if f.prints[u] == nil {
		f.prints[u] = f.plan.Footprint(u.step)
	}
	need := f.prints[u](u.step.Kernel.over(rows))
	out := map[*Buffer]region.Interval{}
	for _, b := range u.reads {
		if n := need[b.ID]; len(n) > 0 {
			out[b] = n[0]
		}
	}
	return out
}

// rows is the extent of a kernel's first axis; a single value is one row.
func (f *flow) rows(u *unit) int { return rowsOf(u.makes[0].Array.Type) }

// refuses says why a source or sink takes its array only as a whole.
func refuses(op *ops.Instance, source bool) string {
	s := op.Spec.Streams
	switch {
	case s == nil || source && s.Source == nil || !source && s.Sink == nil:
		return op.Spec.Name + " takes it as a whole"
	case s.Fits != nil:
		if err := s.Fits(op.Call); err != nil {
			return err.Error()
		}
	}
	return ""
}

// levels finds the first pass in which each step can run: behind those that make what it needs as a whole.
func (f *flow) levels() {
	for _, u := range f.units {
		for _, b := range u.reads {
			m := f.maker[b]
			if m == nil || b.Role != FromKernel {
				continue
			}
			l := m.level
			if f.late[b] {
				l++
			}
			u.level = max(u.level, l)
		}
	}
}

// passes divides the steps: each pass makes what later ones need as a whole and feeds the sinks whose inputs are ready then.
// Arrays in blocks are made again in every pass that reads them.
func (f *flow) passes() []Pass {
	last := 0
	for _, u := range f.units {
		last = max(last, u.level)
	}
	var out []Pass
	for level := range last + 1 {
		if p := f.pass(level); len(p.targets) > 0 {
			out = append(out, p)
		}
	}
	seen := map[string]bool{}
	for i := len(out) - 1; i >= 0; i-- { // what is kept goes with the last pass that uses it
		for _, b := range out[i].kept {
			if !seen[b.ID] {
				seen[b.ID] = true
				out[i].Frees = append(out[i].Frees, b.ID)
			}
		}
	}
	for i := range out { // and lives from the pass that makes it on, in between too
		for j := range i {
			for _, b := range out[j].kept {
				if !slices.Contains(out[i].kept, b) && usedAfter(out[i:], b) {
					out[i].kept = append(out[i].kept, b)
				}
			}
		}
	}
	return out
}

func usedAfter(passes []Pass, b *Buffer) bool {
	for _, p := range passes {
		if slices.Contains(p.kept, b) {
			return true
		}
	}
	return false
}

func (f *flow) pass(level int) Pass {
	var p Pass
	target := func(b *Buffer) {
		if !slices.Contains(p.targets, b) && b.Role != FromPlan {
			p.targets = append(p.targets, b)
			p.Makes = append(p.Makes, b.ID)
		}
	}
	included := map[*unit]bool{}
	for _, u := range f.units {
		if u.step.Kind == SinkStep && u.level == level {
			included[u] = true
			for _, b := range u.reads {
				target(b)
			}
		}
		for _, b := range u.makes {
			if u.step.Kind == KernelStep && u.level == level && f.kept[b] != "" && f.wanted(b, u) {
				target(b)
			}
		}
	}
	kept := map[*Buffer]bool{}
	var include func(b *Buffer)
	include = func(b *Buffer) {
		if f.kept[b] != "" {
			kept[b] = true
		}
		u := f.maker[b]
		if u == nil || included[u] || f.kept[b] != "" && u.step.Kind == KernelStep && u.level < level {
			return // a table, under way, or there from an earlier pass
		}
		included[u] = true
		for _, in := range u.reads {
			include(in)
		}
		for _, made := range u.makes {
			if f.kept[made] != "" {
				kept[made] = true
			}
		}
	}
	for _, b := range p.targets {
		include(b)
		p.Rows = max(p.Rows, rowsOf(b.Array.Type))
	}
	for _, u := range f.units {
		if included[u] {
			p.units = append(p.units, u)
			p.Steps = append(p.Steps, u.step.ID)
		}
	}
	for i := range f.plan.Buffers {
		if b := &f.plan.Buffers[i]; kept[b] {
			p.kept = append(p.kept, b)
		}
	}
	return p
}

// wanted reports a kept array that a later pass reads, or a sink of this one.
func (f *flow) wanted(b *Buffer, maker *unit) bool {
	for _, u := range f.units {
		if slices.Contains(u.reads, b) && (u.level > maker.level || u.step.Kind == SinkStep) {
			return true
		}
	}
	return false
}

// joins reports a kernel whose stores add to what is there.
func joins(k *Kernel) bool {
	return slices.ContainsFunc(k.Ir.Stores, func(s ir.Store) bool { return s.Combine != ir.Ordered })
}
