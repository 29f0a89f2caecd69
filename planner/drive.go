package planner

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
	"weft/planner/tasks"
)

// drives plans the programs of all drives, before any array is written down: where they load what lies around them, it may get margins for that.
func (b *builder) drives() error {
	for _, s := range b.Stages {
		if g := b.GivenBy(s); g != nil && b.driven[s.Op] == nil {
			if err := b.programs(s.Op, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// driven are a drive's programs before it has a step.
type driven struct {
	number   int
	drive    *plan.Drive
	programs []*bound.Plan
	order    tasks.Order // of those that are on disk
}

// tiled is how an array lies in memory of which tiles are there. One of the state lies as the output that it is.
func (b *builder) tiled(op *ops.Instance, g *graph.Drive, s *ops.Stage) *ir.Buffer {
	if i := slices.Index(g.State, s); i >= 0 {
		s = b.Stages[slices.IndexFunc(b.Stages, func(s *ops.Stage) bool { return s.Op == op && b.GivenBy(s) == g && s.Out == i })]
	}
	return b.Arrays.Of(s)[0]
}

// tiles tells of arrays that are on disk.
func (b *builder) tiles(out *ops.Stage, g *graph.Drive, o tasks.Order) *plan.Tiles {
	t := &plan.Tiles{Tasks: g.Tasks.Count, Rows: o.Rows, Peak: o.Peak, Multiplies: g.Tasks.Multiplies, Moves: g.Tasks.Moves}
	moved := func(all []tasks.Moved) (list []plan.MovedTiles) {
		for _, m := range all {
			id := b.ids[out]
			if !slices.Contains(g.State, m.Of) {
				id = b.use(m.Of)
			}
			if !slices.Contains(t.Arrays, id) {
				t.Arrays = append(t.Arrays, id)
			}
			list = append(list, plan.MovedTiles{Buffer: id, Tiles: m.Tiles, Bytes: m.Elements * int64(b.tiled(out.Op, g, m.Of).Type.Size())})
		}
		return list
	}
	t.Reads, t.Writes = moved(o.Read), moved(o.Made)
	return t
}

// programs plans those of a drive as pipelines are, within the memory that its outputs, its state and what lies around them leave.
func (b *builder) programs(op *ops.Instance, g *graph.Drive) error {
	opt := b.opt
	opt.After, opt.Params = nil, nil
	at := &driven{number: len(b.driven) + 1, drive: &plan.Drive{Says: g.Says}}
	b.driven[op] = at
	id := fmt.Sprintf("%sd%d", b.opt.within, at.number)
	taken := int64(0)
	var around []*ops.Stage
	for _, s := range b.Stages {
		if b.GivenBy(s) == g {
			if around = b.Around[s]; g.Tasks.Of == nil {
				taken += ops.BytesOf(b.Arrays.Of(s))
			}
		}
	}
	if g.Tasks.Of != nil {
		at.order = tasks.Lay(g.Tasks, func(s *ops.Stage) *ir.Buffer { return b.tiled(op, g, s) })
		taken += at.order.Peak
	}
	counted := int64(0)
	for _, s := range around {
		if g.OnDisk(s) {
			continue
		}
		bytes := ops.BytesOf(b.Arrays.Of(s))
		if taken += bytes; slices.ContainsFunc(s.Type.Dims, func(d ops.Dim) bool { return d.Count != nil }) {
			counted += bytes
		}
	}
	for i, s := range g.Start {
		if s == nil {
			continue
		}
		each := ops.BytesOf(b.Arrays.Of(s))
		if taken += 2 * each; b.moves(s, g) {
			taken -= each
		}
		if g.Single(i) {
			taken -= each
		}
	}
	streams := 0
	for _, p := range g.Programs {
		name := id + "." + p.Name
		opt.within, opt.turns = name+".", &turns{p, p.Rounds == nil && g.Tasks.Of == nil}
		if b.opt.Decided != nil {
			decided := b.opt.Decided.Drives[name]
			opt.Decided = &decided
		}
		for _, o := range p.Outside {
			p.Share(o.In, b.Arrays.Of(o.Of), b.Units[o.Of], b.Lasts(o.Of) || b.lent[o.Of])
			b.lent[o.Of] = true
		}
		rounds := p.Rounds != nil && b.opt.Memory > 0
		opt.whole = rounds
		made, err := b.program(p, opt, taken, counted)
		given := true
		if opt.whole = false; rounds && err != nil {
			if whole := b.byObject(p, opt); whole != nil { // in whatever memory: how it would go in blocks need not be found
				made, err, given = whole, nil, false
			} else {
				made, err = b.program(p, opt, taken, counted)
			}
		}
		if given && err == nil && made.Stream != nil {
			streams++
		}
		if given && b.opt.beyond != nil {
			b.opt.beyond.given = max(b.opt.beyond.given, streams, 1)
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", p.Name, op.Spec.Name, err)
		}
		if b.Plan.Decided.Drives == nil {
			b.Plan.Decided.Drives = map[string]plan.Decisions{}
		}
		b.Plan.Decided.Drives[name] = made.Decided
		if at.drive.Rounds = p.Rounds; p.Rounds != nil {
			if err := alone(made, p); err != nil {
				return err
			}
		}
		first := opt.turns.once(made)
		if p.Boxed {
			if err := b.boxed(made, p, op, taken, first); err != nil {
				return err
			}
		}
		for i := range made.Steps {
			if s := &made.Steps[i]; s.Kernel != nil && !slices.Contains(first, s.ID) {
				s.Kernel.Again = true
				if onlyState(s, idsIn(made, p.Next)) && blocks.Lost(made, s.Writes) {
					s.Kernel.StorePast()
				}
				s.Kernel.Predict()
			}
		}
		made.SumPredictions()
		at.drive.Programs = append(at.drive.Programs, plan.DriveProgram{Name: p.Name, Most: p.Most, Now: idsIn(made, p.State), Next: idsIn(made, p.Next), Once: first, Boxed: p.Boxed, Share: p.Fraction})
		at.programs = append(at.programs, made)
	}
	return nil
}

// idsIn are the arrays of stages in a plan; empty for those that it has none of.
func idsIn(p *bound.Plan, stages []*ops.Stage) []string {
	out := make([]string, len(stages))
	for i, s := range stages {
		if at := slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Array == s }); at >= 0 {
			out[i] = p.Buffers[at].ID
		}
	}
	return out
}

// byObject plans a program of rounds as for any memory, if it can go on with some objects at a time; else it is nil.
func (b *builder) byObject(g graph.Program, opt Options) *bound.Plan {
	opt.Memory, opt.taken = 0, 0
	p, err := opt.build(g.Graph, b.Device, opt)
	if err != nil {
		return nil
	}
	about := plan.DriveProgram{Now: idsIn(p, g.State), Once: opt.turns.once(p)}
	if _, ok := p.ObjectRows(g.Rounds, about, p.Buffer(about.Now[g.Rounds.Order]).Layout.RowCount()); !ok {
		return nil
	}
	return p
}

// onlyState reports a kernel that stores nothing but parts of the next state, in memory that turns before this stored in: of large ones, the next
// turn, that begins anew, would find the end alone in caches.
func onlyState(s *bound.Step, next []string) bool {
	return !slices.ContainsFunc(s.Writes, func(id string) bool { return !slices.Contains(next, id) })
}

// drive adds the step of the drive that a stage is an output of, with all its outputs that are needed.
func (b *builder) drive(s *ops.Stage, step bound.Step) {
	at, g := b.driven[s.Op], b.Drives[s.Op]
	for _, in := range b.Around[s] {
		step.Reads = append(step.Reads, b.use(in))
	}
	for i, in := range g.Start {
		if in == nil { // it begins in the output
			at.drive.Start = append(at.drive.Start, b.ids[s])
			at.drive.Single = append(at.drive.Single, b.ids[s])
			continue
		}
		at.drive.Start = append(at.drive.Start, b.use(in))
		if b.moves(in, g) {
			at.drive.Moves = append(at.drive.Moves, b.use(in))
		}
		if g.Single(i) {
			at.drive.Single = append(at.drive.Single, b.use(in))
		}
	}
	for i, p := range g.Programs {
		for _, o := range p.Outside {
			for k := range at.programs[i].Buffers {
				if in := &at.programs[i].Buffers[k]; in.Array == o.In {
					in.Around = b.use(o.Of)
				}
			}
		}
		at.programs[i].Hash = at.programs[i].Value().Sum()
	}
	if g.Tasks.Of != nil {
		at.drive.Tiles = b.tiles(s, g, at.order)
	}
	step.Step.Drive, step.Programs, step.Holds = at.drive, at.programs, b.Plan.Holds(at.drive)
	b.add(step, plan.DriveStep, "d", at.number) // before its outputs have buffers, which would add it again
	n := len(b.Plan.Steps) - 1
	for _, out := range b.Stages {
		if b.GivenBy(out) == g && out != s {
			b.Plan.Steps[n].Writes = append(b.Plan.Steps[n].Writes, b.array(out))
		}
	}
}

// moves reports whether a drive starts in the memory of an array: a kernel makes it for nothing else, and does so once.
func (b *builder) moves(s *ops.Stage, g *graph.Drive) bool {
	uses := 0
	for _, t := range g.Start {
		if t == s {
			uses++
		}
	}
	for _, p := range g.Programs {
		if slices.ContainsFunc(p.Outside, func(o graph.Outside) bool { return o.Of == s }) {
			uses++
		}
	}
	return uses == 1 && b.opt.within == "" && !graph.Given(s) && len(b.Users[s]) == 0 && b.Takers[s] == 1
}

// program plans one of a drive's programs, in the memory that is left. Of what is counted around it, it is known when it runs how much that takes.
func (b *builder) program(g graph.Program, opt Options, taken, counted int64) (p *bound.Plan, err error) {
	if b.opt.Memory == 0 {
		return opt.build(g.Graph, b.Device, opt)
	}
	own := int64(0) // the state is among what is taken
	for _, s := range g.Stages {
		if g.Lasts(s) && !s.Around {
			own += s.Type.Bytes()
		}
	}
	room := b.opt.Memory
	if b.opt.room > 0 {
		room = b.opt.room
	}
	opt.room, opt.beyond = 0, nil
	beside := func(taken int64) (*bound.Plan, error) {
		opt.Memory = max(1, room-taken+own)
		opt.taken = b.opt.taken + b.opt.Memory - opt.Memory
		return opt.build(g.Graph, b.Device, opt)
	}
	p, err = beside(taken)
	if counted > 0 && (err != nil || p.Stream != nil) {
		if whole, fault := beside(taken - counted); fault == nil && (err != nil || whole.Stream == nil) {
			return whole, nil
		}
	}
	return p, err
}

// boxed makes sure that calls which store boxes in place do so by one kernel, point by point, that reads none of what it stores, with all arrays in memory. Others
// do the same in each call, and are launched in the first.
func (b *builder) boxed(p *bound.Plan, g graph.Program, op *ops.Instance, taken int64, once []string) error {
	if p.Stream != nil {
		fault := problem.Wrong(problem.MemoryBudget, "", fmt.Sprintf("give --memory at least %s, or use smaller arrays", plan.SizeFor(p.Totals.PeakBytes+taken)),
			"%s keeps its arrays as a whole: it needs %s of them, and %s", op.Spec.Name, amount.Bytes(p.Totals.PeakBytes+taken), budget(p.Totals.PeakBytes+taken, b.opt.Memory))
		fault.At = op.Where
		return fault
	}
	var kernels []*bound.Step
	for i := range p.Steps {
		if p.Steps[i].Kernel != nil && !slices.Contains(once, p.Steps[i].ID) {
			kernels = append(kernels, &p.Steps[i])
		}
	}
	if len(kernels) != 1 || !kernels[0].Kernel.IR.Pointwise() {
		return fmt.Errorf("%s: a call that stores boxes is one kernel, and this is %d", g.Name, len(kernels))
	}
	for i, next := range g.Next {
		if next != nil && slices.ContainsFunc(p.Buffers, func(b bound.Buffer) bool { return b.Array == g.State[i] }) {
			return fmt.Errorf("%s: a call that stores boxes reads %s, of which it stores some", g.Name, g.State[i].Name)
		}
	}
	return nil
}

// alone makes sure that objects which are done by themselves are computed from what the state holds of each alone.
func alone(p *bound.Plan, g graph.Program) error {
	for i := range p.Steps { // without those of drives in it, whose buffers are their own
		s := &p.Steps[i]
		if s.Kernel == nil {
			continue
		}
		needs := p.Footprint(s)
		at := region.Interval{Lo: p.Buffer(s.Writes[0]).Layout.RowCount() / 2}
		at.Hi = at.Lo + 1
		for id, need := range needs(s.Kernel.Objects(g.Rounds, at)) {
			b := p.Buffer(id)
			if i := b.Layout.Dim(g.Rounds.Dim); i >= 0 && g.Varies[b.Array] && need[i].Hull(at) != at {
				return fmt.Errorf("%s: %s reads %d..%d of %s for %s %d, and only what stands there may be read in rounds",
					g.Name, s.Name, need[i].Lo, need[i].Hi-1, b.Stage, g.Rounds.Dim, at.Lo)
			}
		}
	}
	return nil
}

// turns are those of a drive's program.
type turns struct {
	graph.Program
	whole bool // plan.Drive.Whole
}

// varies reports a step that does something else in each call.
func (t turns) varies(p *bound.Plan, s *bound.Step) bool {
	return slices.ContainsFunc(slices.Concat(s.Reads, s.Writes), func(id string) bool { return t.Varies[p.Buffer(id).Array] })
}

// once are the steps of a program that do the same in every call.
func (t turns) once(p *bound.Plan) (out []string) {
	for i := range p.Steps {
		if s := &p.Steps[i]; p.Stream == nil && !t.varies(p, s) && s.Kind != plan.SinkStep {
			out = append(out, s.ID)
		}
	}
	return out
}

// of says what chains go by. Whole numbers are looked at after each call, in memory; those of objects while a few of these are.
func (t *turns) of(p *bound.Plan) *blocks.Turns {
	if t == nil {
		return nil
	}
	out := &blocks.Turns{
		Lasts: func(b *bound.Buffer) bool { return t.Lasts(b.Array) },
		Each: func(s *bound.Step) bool {
			return t.varies(p, s) && (t.Rounds != nil || !slices.ContainsFunc(s.Kernel.Roots, func(r *ops.Stage) bool { return r.Type.Elem.Base.Int() }))
		},
	}
	if t.Rounds != nil {
		out.Dim = t.Rounds.Dim
	}
	return out
}
