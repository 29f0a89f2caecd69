// Package blocks runs programs whose arrays do not fit the memory at once in passes over blocks of rows.
package blocks

import (
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/plan"
)

// Stream is a plan.Stream with what it is laid out by.
type Stream struct {
	plan.Stream
	Passes []Pass

	flow    *flow
	least   int64   // bytes that do
	seconds float64 // of all passes
	once    float64
}

// Pass is a plan.Pass with its steps and arrays.
type Pass struct {
	plan.Pass
	units   []*unit
	targets []*bound.Buffer
	tallest *bound.Buffer // of them
	most    []int         // how wide strips may be, as what they need is held; nil: any
	edges   []int         // what extents of blocks should be multiples of
	least   int64         // bytes that do, of all blocks that were tried
	seconds float64       // that its blocks take besides computing, and in one block
	once    float64
	kept    []*bound.Buffer // alive as a whole while it runs
	tried   bool            // with larger budgets too
}

// Block is a task of a pass: some rows of a strip.
type Block struct {
	Hi    int                        // rows of the tallest array up to its end
	Turns map[string]region.Interval // by kernel step that carries what it has from block to block: which turns to make
	Read  map[string]region.Region   // by buffer: what a source has to give
	Run   map[string]region.Region   // by kernel step: what to compute
	Write map[string]region.Region   // by sink step: what to hand over
	Keep  map[string]int             // by buffer: rows before this one are not needed any more
	From  map[string]int             // by buffer: the first row that is needed in it or later
}

// Share is how much of a kernel's work is in some blocks.
func Share(of []Block, kernel *bound.Step) (share float64) {
	for _, b := range of {
		if over, ok := b.Run[kernel.ID]; ok {
			share += kernel.Kernel.Share(over.Intersect(kernel.Kernel.IR.Domain()))
		}
	}
	return min(share, 1)
}

// unit is a step of a pass with what it reads and makes.
type unit struct {
	step  *bound.Step
	reads []*bound.Buffer
	makes []*bound.Buffer
	level int // of the pass that can run it first
	last  int // and of the last one in which it is run, again where what it makes comes in blocks
}

// flow is a plan seen as rows that move from step to step.
type flow struct {
	plan    *bound.Plan
	prints  map[*unit]func(over region.Region) map[string]region.Region
	units   []*unit
	maker   map[*bound.Buffer]*unit
	kept    map[*bound.Buffer]string // arrays that stay as a whole, and why
	late    map[*bound.Buffer]bool   // of these, those whose readers need all of them at once: they wait for a later pass
	scratch map[string]int64
	strips  bool                  // blocks may be narrower than rows
	held    map[*bound.Buffer]int // elements of rows that are held of arrays which strips may be narrower than; 0: all

	carrying bool                   // kernels may make a few turns at a time
	carry    map[*unit]*bound.Carry // those that do
	begun    map[string]int         // turns that such steps made before, where blocks begin at a later row

	objects map[*unit]int // of drives in rounds that go on with some of them at a time

	needs map[need]map[*bound.Buffer]region.Region // that were found before: other blocks have rows in common with these
}

// need is a region of the axes of a kernel that does not go by turns.
type need struct {
	step *bound.Step
	dims int
	at   [4]region.Interval
}

// newFlow finds out what can run by rows or, with strips, by parts of rows; with carrying, what goes along rows makes a few turns at a time.
func newFlow(p *bound.Plan, strips, carrying bool) *flow {
	f := &flow{plan: p, strips: strips, carrying: carrying, carry: map[*unit]*bound.Carry{}, prints: map[*unit]func(region.Region) map[string]region.Region{},
		maker: map[*bound.Buffer]*unit{}, kept: map[*bound.Buffer]string{}, late: map[*bound.Buffer]bool{}, scratch: map[string]int64{},
		objects: map[*unit]int{}, needs: map[need]map[*bound.Buffer]region.Region{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		u := &unit{step: s}
		for _, id := range p.Needs(s) {
			if b := p.Buffer(id); !slices.Contains(s.Writes, id) && !slices.Contains(u.reads, b) {
				u.reads = append(u.reads, b)
			}
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
		case b.Role == plan.FromPlan:
			f.kept[b] = "known while planning"
		case b.Role == plan.FromState, b.Role == plan.FromAround:
			f.kept[b] = "a drive has all of it"
		case len(b.Layout.Dims) == 0:
			f.kept[b] = "a single value"
		}
	}
	for _, u := range f.units {
		f.classify(u)
	}
	for again := true; again; {
		again = false
		for _, u := range f.units {
			again = f.together(u) || again
		}
	}
	f.levels()
	return f
}

// classify marks the arrays that a step takes or gives only as a whole.
func (f *flow) classify(u *unit) {
	keep := func(b *bound.Buffer, why string, late bool) {
		if f.kept[b] == "" {
			f.kept[b] = why
		}
		f.late[b] = f.late[b] || late && b.Role != plan.FromPlan
	}
	switch u.step.Kind {
	case plan.DriveStep:
		objects, own := f.plan.ByObject(u.step)
		if objects > 0 {
			f.objects[u] = objects
		}
		for _, b := range u.reads {
			if !u.step.Drive.OnDisk(b.ID) && !(objects > 0 && slices.Contains(own, b.ID)) {
				keep(b, u.step.Name+" reads all of it in each of its calls", b.Role == plan.FromKernel)
			}
		}
		if objects > 0 {
			for _, b := range u.makes {
				keep(b, u.step.Name+" leaves it there, object by object", false)
			}
		}
		if objects > 0 || u.step.Drive.Tiles != nil {
			break
		}
		fallthrough
	case plan.ReadStep:
		if why := refuses(u.step.Op, true); why != "" {
			for _, b := range u.makes {
				keep(b, why, false)
			}
		}
	case plan.SinkStep:
		if why := refuses(u.step.Op, false); why != "" {
			for _, b := range u.reads {
				keep(b, why, false)
			}
		}
	case plan.KernelStep:
		carried := f.carries(u)
		need := f.probe(u)
		for _, b := range u.reads {
			switch {
			case !carried && f.inOrder(u) && !f.packs(u):
				keep(b, u.step.Name+" makes its results in an order of its own", true)
			case f.kept[b] == "a single value":
				f.late[b] = f.late[b] || b.Role == plan.FromKernel
			case f.all(u, b, need[b]):
				keep(b, u.step.Name+" needs all of it for each of its rows", true)
			}
		}
		for _, b := range u.makes {
			switch {
			case carried && !f.carry[u].Rows:
				keep(b, u.step.Name+" has it when all rows have gone by", true)
			case carried:
			case f.inOrder(u):
				keep(b, u.step.Name+" makes it in an order of its own", f.packs(u))
			case b.Counted():
				keep(b, "it is known only then how many elements there are", false)
			}
		}
	}
}

// all reports whether a kernel needs all rows of an array for one of its own, of which it needs a region.
func (f *flow) all(u *unit, b *bound.Buffer, n region.Region) bool {
	rows := b.Layout.RowCount()
	return len(n) > 0 && !n.Empty() && n[0].Len() == rows && (rows > 1 || f.rows(u) == 1) &&
		!(f.strips && n.Points() < b.Layout.Whole().Points())
}

// inOrder reports whether what a kernel makes of some rows, or in strips of some columns, lies elsewhere in its results too.
func (f *flow) inOrder(u *unit) bool {
	return u.step.Kernel.IR.Each() == 0 && !(f.strips && u.step.Kernel.IR.Columnwise())
}

// packs reports whether what a kernel makes of some rows lies behind what it makes of those before, and it is told where.
func (f *flow) packs(u *unit) bool { return !f.strips && f.plan.Starts(u.step) != nil }

// probe is what a kernel needs of its inputs for one row in the middle or, with strips, one element.
func (f *flow) probe(u *unit) map[*bound.Buffer]region.Region {
	if c := f.carry[u]; c != nil {
		return f.inputs(u, region.Region{{Lo: c.Turns / 2, Hi: c.Turns/2 + 1}})
	}
	over := u.step.Kernel.IR.Domain()
	for i, along := range over {
		if middle := along.Hi / 2; i == 0 || f.strips {
			over[i] = region.Interval{Lo: middle, Hi: middle + 1}
		}
	}
	return f.inputs(u, over)
}

// inputs are the regions of its inputs that a kernel needs for a region of its axes or, if it makes a few turns at a time, for these.
func (f *flow) inputs(u *unit, over region.Region) map[*bound.Buffer]region.Region {
	key := need{step: u.step, dims: len(over)}
	kept := f.carry[u] == nil && copy(key.at[:], over) == len(over)
	if known, ok := f.needs[key]; kept && ok {
		return known
	}
	if f.prints[u] == nil {
		f.prints[u] = f.plan.Footprint(u.step)
	}
	all := f.prints[u](over)
	out := map[*bound.Buffer]region.Region{}
	for _, b := range u.reads {
		if n, ok := all[b.ID]; ok && len(n) > 0 {
			out[b] = n
		}
	}
	if kept {
		f.needs[key] = out
	}
	return out
}

// rows is the extent of a kernel's first axis; a single value is one row.
func (f *flow) rows(u *unit) int {
	if axes := u.step.Kernel.IR.Axes; f.packs(u) && len(axes) > 0 {
		return axes[0].Extent
	}
	return u.makes[0].Layout.RowCount()
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
		for _, picked := range []bool{true, false} {
			if p := f.pass(level, picked); len(p.units) > 0 {
				out = append(out, p)
			}
		}
	}
	for _, p := range out {
		for _, u := range p.units {
			for _, b := range u.reads {
				if m := f.maker[b]; m != nil && f.computes(m) && !slices.ContainsFunc(out, func(p Pass) bool { return slices.Contains(p.units, m) }) {
					panic("planner: " + u.step.ID + " reads what " + m.step.ID + " (" + m.step.Name + ") makes, and no pass runs that")
				}
			}
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

func usedAfter(passes []Pass, b *bound.Buffer) bool {
	for _, p := range passes {
		if slices.Contains(p.kept, b) {
			return true
		}
	}
	return false
}

// picked reports whether a value is made from some rows of arrays that come in blocks: it has a pass of its own, since these rows would
// otherwise stay until all others have come by.
func (f *flow) picked(b *bound.Buffer) bool {
	u := f.maker[b]
	if u == nil || u.step.Kind != plan.KernelStep || b.Layout.RowCount() > 1 {
		return false
	}
	return slices.ContainsFunc(u.reads, func(in *bound.Buffer) bool {
		return f.kept[in] == "" || f.picked(in) && f.maker[in].level == u.level
	})
}

// pass makes what a level of steps is there for: the values that are picked, or all else.
func (f *flow) pass(level int, picked bool) Pass {
	var p Pass
	target := func(b *bound.Buffer) {
		if !slices.Contains(p.targets, b) && b.Role != plan.FromPlan && f.picked(b) == picked {
			p.targets = append(p.targets, b)
			p.Makes = append(p.Makes, b.ID)
		}
	}
	included := map[*unit]bool{}
	for _, u := range f.units {
		only := !slices.ContainsFunc(u.reads, func(b *bound.Buffer) bool { return !f.picked(b) })
		if u.step.Kind == plan.SinkStep && u.level == level && picked == only {
			included[u] = true
			for _, b := range u.reads {
				target(b)
			}
		}
		for _, b := range u.makes {
			if f.computes(u) && u.level == level && f.kept[b] != "" && f.wanted(b, u) {
				target(b)
			}
		}
	}
	kept := map[*bound.Buffer]bool{}
	var include func(b *bound.Buffer)
	include = func(b *bound.Buffer) {
		if f.kept[b] != "" {
			kept[b] = true
		}
		u := f.maker[b]
		if u == nil || included[u] || f.kept[b] != "" && u.step.Kind != plan.ReadStep && u.level < level {
			return // a table, under way, or there from an earlier pass
		}
		included[u] = true
		for _, in := range u.reads {
			if !u.step.Drive.OnDisk(in.ID) { // it reads that by itself
				include(in)
			}
		}
		for _, made := range u.makes {
			if f.kept[made] != "" {
				kept[made] = true
			}
		}
	}
	for _, b := range p.targets {
		include(b)
		if n := b.Layout.RowCount(); p.tallest == nil || n > p.Rows {
			p.Rows, p.tallest = n, b
		}
	}
	for _, u := range f.units {
		if included[u] {
			if c := f.carry[u]; c != nil {
				p.Rows = max(p.Rows, c.Turns)
			}
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

// Lay lays out a plan that runs in blocks again.
func Lay(p *bound.Plan) (*Stream, error) {
	d := p.Stream
	f := newFlow(p, d.Strips, false)
	s := &Stream{Stream: *d, Passes: f.passes(), flow: f}
	f.asPlanned()
	if !slices.EqualFunc(s.Passes, d.Passes, func(p Pass, q plan.Pass) bool {
		return slices.Equal(p.Steps, q.Steps) && slices.Equal(p.Makes, q.Makes) && p.Rows == q.Rows
	}) {
		return nil, fmt.Errorf("the passes of the plan are not those that its steps make")
	}
	for i := range s.Passes {
		p, rows, strip := &s.Passes[i], d.Passes[i].BlockRows, d.Passes[i].Strip
		if rows < 1 || p.Rows/rows > 2*mostBlocks ||
			len(strip) > 0 && (!f.cuttable(p) || len(strip) != len(p.tallest.Layout.Dims)-1 || slices.Min(strip) < 1) {
			return nil, fmt.Errorf("a pass of the plan is cut into blocks of %d rows, as wide as %v", rows, strip)
		}
		p.set(f, rows, strip)
		p.most = strip
		p.Reads, p.Writes = d.Passes[i].Reads, d.Passes[i].Writes
	}
	return s, f.fitsHeld(s.Passes)
}

// StepBlocks is how many blocks of rows a step runs in.
func (s *Stream) StepBlocks(step string) int {
	n := 0
	for _, p := range s.Passes {
		if slices.Contains(p.Steps, step) {
			n += p.Blocks
		}
	}
	return n
}

// AtOnce is the part of an array that is in memory at once; of one in blocks of rows two blocks, for their halos.
func (s *Stream) AtOnce(buffer string) float64 {
	if !s.Windowed(buffer) {
		return 1
	}
	part := 0.0
	for _, p := range s.Passes {
		part = max(part, 2/float64(max(2, p.Blocks)))
	}
	return part
}
