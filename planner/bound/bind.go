package bound

import (
	"fmt"
	"slices"
	"strconv"

	"weft/kernels/ir"
	"weft/kernels/ir/text"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/plan"
)

// mostTiles is far more than a kernel is cut into.
const mostTiles = 1 << 20

// Bind finds in a checked program what a plan of it names. A plan that is damaged, or is not of this program, is an error: what its
// kernels compute and in which order is held against its hash. model predicts; nil: the plan's rates do.
func Bind(v *plan.Plan, sinks []*ops.Instance, model *cost.Model) (*Plan, error) {
	return bind(v, graph.Collect(sinks, graph.How{Apart: v.Apart, Room: v.Room, Spill: v.Spills, Strict: v.Strict, Blocks: v.Unmirrored, Anew: v.Anew}), model)
}

func bind(v *plan.Plan, g *graph.Graph, model *cost.Model) (*Plan, error) {
	b := &binder{from: v, g: g, stages: map[string]*ops.Stage{}, arrays: map[string]*Buffer{}, bufs: map[string]*ir.Buffer{},
		steps: map[string]bool{}, seen: map[*ops.Stage]bool{}}
	b.a = graph.NewArrays(b.g)
	b.plan = &Plan{Plan: *v, Graph: b.g, Costs: Costs{model, v.Rates}}
	for _, s := range b.g.Stages {
		b.stages[graph.Key(s)] = s
	}
	if err := b.bind(); err != nil {
		return nil, fmt.Errorf("the plan of %s is damaged, or not of this program: %w", v.File, err)
	}
	return b.plan, nil
}

type binder struct {
	from   *plan.Plan
	plan   *Plan
	g      *graph.Graph
	a      graph.Arrays
	stages map[string]*ops.Stage
	arrays map[string]*Buffer
	bufs   map[string]*ir.Buffer // by the names that kernels have for them
	steps  map[string]bool
	seen   map[*ops.Stage]bool
	made   map[string]bool
}

func (b *binder) bind() error {
	b.plan.Buffers = make([]Buffer, len(b.from.Buffers))
	for i := range b.from.Buffers { // all views before any array is laid out: tables are laid out with what they bound
		if err := b.view(&b.from.Buffers[i]); err != nil {
			return err
		}
	}
	for i := range b.from.Buffers {
		if err := b.array(i); err != nil {
			return err
		}
	}
	b.made = map[string]bool{}
	var err error
	if b.plan.Steps, err = b.sequence(b.from.Steps); err != nil {
		return err
	}
	if err := b.carries(); err != nil {
		return err
	}
	if is := b.from.Sum(); is != b.from.Hash {
		return fmt.Errorf("what it computes has the hash %s, and it says %s", is, b.from.Hash)
	}
	return nil
}

// carries has kernels make a few turns at a time as they did.
func (b *binder) carries() error {
	if b.from.Stream == nil {
		return nil
	}
	for _, id := range b.from.Stream.Carries {
		i := slices.IndexFunc(b.plan.Steps, func(s Step) bool { return s.ID == id && s.Kernel != nil })
		if i < 0 {
			return fmt.Errorf("there is no kernel %s to carry anything from block to block", id)
		}
		c := b.plan.Carried(&b.plan.Steps[i])
		if c == nil {
			return fmt.Errorf("%s carries nothing from block to block", id)
		}
		b.plan.Steps[i].Kernel.Carries(c)
	}
	return nil
}

// view sees a stage as an array holds it.
func (b *binder) view(d *plan.Buffer) error {
	s := b.stages[d.Key]
	switch {
	case s == nil:
		return fmt.Errorf("array %s is of a stage %s, which there is none of", d.ID, d.Key)
	case b.arrays[d.ID] != nil || b.seen[s]:
		return fmt.Errorf("array %s is there twice", d.ID)
	case (d.Transposed || d.Innermost != 0 || d.Box != nil) && graph.Given(s), d.Innermost < 0 || d.Innermost >= max(1, len(s.Type.Dims)) || d.Innermost > 0 && (d.Interleaved || d.Transposed && d.Innermost > len(s.Type.Dims)-2), d.Transposed && len(s.Type.Dims) < 2, d.Block < 0 || d.Block > 0 && (d.Innermost == 0 || s.Type.Dims[d.Innermost-1].Size%d.Block != 0), d.Interleaved && (!graph.Pairs(s) || s.Put != nil):
		return fmt.Errorf("array %s is no part of %s", d.ID, d.Key)
	}
	b.arrays[d.ID], b.seen[s] = &Buffer{}, true
	if !d.Transposed && d.Innermost == 0 && !d.Interleaved && d.Box == nil {
		return nil
	}
	v := graph.View{Transposed: d.Transposed, Innermost: d.Innermost, Block: d.Block, Interleaved: d.Interleaved}
	b.g.Views[s] = v
	dims := b.g.Type(s).Dims
	if d.Box != nil && len(d.Box) != len(dims) {
		return fmt.Errorf("array %s is no part of %s", d.ID, d.Key)
	}
	for i, at := range d.Box {
		v.Box = append(v.Box, region.Interval(at))
		if at.Lo < 0 || at.Lo >= at.Hi || at.Hi > dims[i].Size {
			return fmt.Errorf("array %s holds %d..%d of a dim of %d", d.ID, at.Lo, at.Hi-1, dims[i].Size)
		}
	}
	if at := d.Margin; at != nil {
		value, err := strconv.ParseFloat(at.Value, 64)
		if err != nil || d.Innermost == 0 || at.Dim < 0 || at.Dim >= len(dims) || s.Type.Elem.Complex {
			return fmt.Errorf("array %s has a margin of %s", d.ID, at.Value)
		}
		v.Margin = &graph.Margin{Dim: at.Dim, Value: value}
	}
	b.g.Views[s] = v
	return nil
}

// array lays an array out in memory as it was.
func (b *binder) array(i int) error {
	d := b.from.Buffers[i]
	s := b.stages[d.Key]
	bufs, layout := b.a.Of(s), b.g.Type(s)
	if d.Stored != "" && !s.Around { // which are stored already
		t, ok := ir.ParseDType(d.Stored)
		if !ok {
			return fmt.Errorf("array %s is stored as %s, which is no type", d.ID, d.Stored)
		}
		for i, buf := range bufs {
			to := *buf
			to.Type = t
			bufs[i] = &to
		}
	}
	if p := d.Pad; p != nil {
		v, err := strconv.ParseFloat(p.Value, 64)
		if err != nil || p.Before < 0 || p.After < 0 || p.Before > 1<<10 || p.After > 1<<10 || len(bufs[0].Shape) == 0 {
			return fmt.Errorf("array %s has margins of %d and %d of %s", d.ID, p.Before, p.After, p.Value)
		}
		for _, buf := range bufs {
			buf.Pad = ir.Pad{Before: p.Before, After: p.After, Value: v}
		}
	}
	if h := d.Held; h != 0 {
		if h < 0 || len(bufs[0].Shape) < 2 || h > bufs[0].Padded() || b.from.Stream == nil || !b.from.Stream.Strips {
			return fmt.Errorf("array %s holds %d elements of its rows", d.ID, h)
		}
		for _, buf := range bufs {
			buf.Held = h
		}
	}
	if is, bytes := layout.String(), ops.BytesOf(bufs); is != d.Type || bytes != d.Bytes || RoleOf(s) != d.Role {
		return fmt.Errorf("array %s is %s of %s (%d bytes), and now %s of %s (%d bytes)", d.ID, d.Role, d.Type, d.Bytes, RoleOf(s), is, bytes)
	}
	if parts := Parts(layout); !slices.Equal(parts, d.Parts) {
		return fmt.Errorf("array %s has the parts %v, and now %v", d.ID, d.Parts, parts)
	}
	if Values(s) != d.Values {
		return fmt.Errorf("table %s holds other values now", d.ID)
	}
	for i, p := range layout.Parts() {
		b.bufs[ops.PartName(d.ID, p)] = bufs[i]
	}
	b.plan.Buffers[i] = Buffer{Buffer: d, Bufs: bufs, Array: s, Layout: layout}
	b.arrays[d.ID] = &b.plan.Buffers[i]
	return nil
}

// sequence binds steps in their order: what one reads was made before.
func (b *binder) sequence(from []plan.Step) ([]Step, error) {
	out := make([]Step, len(from))
	for i, d := range from {
		if b.steps[d.ID] {
			return nil, fmt.Errorf("step %s is there twice", d.ID)
		}
		b.steps[d.ID] = true
		out[i].Step = d
		out[i].Step.Kernel = nil
		for _, id := range slices.Concat(d.Reads, d.Writes, d.Frees) {
			if b.arrays[id] == nil {
				return nil, fmt.Errorf("step %s names an array %s, which there is none of", d.ID, id)
			}
		}
		for _, id := range d.Reads {
			if role := b.arrays[id].Role; !b.made[id] && role != plan.FromPlan && role != plan.FromState && role != plan.FromAround {
				return nil, fmt.Errorf("step %s reads %s before it is made", d.ID, id)
			}
		}
		if err := b.step(&out[i], d.Kernel); err != nil {
			return nil, fmt.Errorf("step %s: %w", d.ID, err)
		}
		for _, id := range d.Writes {
			b.made[id] = true
		}
	}
	return out, nil
}

func (b *binder) step(s *Step, k *plan.Kernel) error {
	switch s.Kind {
	case plan.ReadStep:
		if len(s.Writes) != 1 || b.arrays[s.Writes[0]].Role != plan.FromSource {
			return fmt.Errorf("it gives %v, and a source gives one array of its own", s.Writes)
		}
		s.Op = b.arrays[s.Writes[0]].Array.Op
	case plan.SinkStep:
		i := slices.IndexFunc(b.g.Sinks, func(k graph.Sink) bool { return k.Op.ID == s.Instance })
		if i < 0 {
			return fmt.Errorf("the program has no sink %d", s.Instance)
		}
		takes := b.g.Sinks[i].Inputs
		if !slices.EqualFunc(s.Reads, takes, func(id string, in *ops.Stage) bool { return b.arrays[id].Array == in }) {
			return fmt.Errorf("it does not take what %s takes", b.g.Sinks[i].Op.Spec.Name)
		}
		s.Op = b.g.Sinks[i].Op
	case plan.KernelStep:
		if k == nil || len(s.Writes) == 0 {
			return fmt.Errorf("it has no kernel, or nothing to store")
		}
		return b.kernel(s, *k)
	case plan.DriveStep:
		if err := b.drive(s); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%q is no kind of step", s.Kind)
	}
	if s.Op == nil || s.Op.Spec.Name != s.Name || s.Op.ID != s.Instance {
		return fmt.Errorf("%s is not what the program has there", s.Name)
	}
	return nil
}

// kernel reads a kernel and finds its stages.
func (b *binder) kernel(s *Step, d plan.Kernel) error {
	body, err := text.Decode(d.Text, func(name string) *ir.Buffer { return b.bufs[name] }, b.from.Arguments())
	if err != nil {
		return err
	}
	ir.StoreRanges(body)
	if is := ir.Hash(body); is != d.Hash {
		return fmt.Errorf("its kernel has the hash %s, and it says %s", is, d.Hash)
	}
	k := &Kernel{Kernel: d, IR: body, Costs: b.plan.Costs, Kind: b.from.Machine.Kind}
	s.Kernel = k
	of := func(ids []string, arrays *[]cost.Array) (stages []*ops.Stage, bufs []*ir.Buffer) {
		for _, id := range ids {
			a := b.arrays[id]
			stages, bufs, *arrays = append(stages, a.Array), append(bufs, a.Bufs...), append(*arrays, cost.ArrayOf(a.Array, a.Bufs, nil))
		}
		return stages, bufs
	}
	_, in := of(s.Reads, &k.In)
	roots, out := of(s.Writes, &k.Out)
	k.Roots = roots
	stray := slices.ContainsFunc(body.Inputs(), func(x *ir.Buffer) bool { return !slices.Contains(in, x) })
	if stray || !sameSet(body.Outputs(), out) {
		return fmt.Errorf("its kernel does not read and store what it says")
	}
	for _, f := range d.Stages {
		st := b.stages[f.Key]
		if st == nil || graph.Given(st) {
			return fmt.Errorf("it computes %s, which there is none of", f.Key)
		}
		k.Inside = append(k.Inside, st)
	}
	for _, st := range body.Stores {
		for i, x := range st.Index {
			if lo, hi, sure := ir.SureRange(x, nil); sure && st.Guard == nil && (lo < 0 || hi >= float64(st.Buf.Shape[i])) {
				return fmt.Errorf("its kernel stores beside %s", st.Buf.Name)
			}
		}
	}
	err = k.cutAs(d.Axes)
	k.Kernel = d // as it was compiled, which joins short tiles
	return err
}

// cutAs cuts a kernel into the tiles that a plan says.
func (k *Kernel) cutAs(axes []plan.Axis) error {
	own := axesOf(k.IR)
	size := make([]int, len(own))
	tiles := 1.0
	if len(axes) != len(own) {
		return fmt.Errorf("its kernel has %d axes, and it says %d", len(own), len(axes))
	}
	for i, a := range axes {
		if size[i] = a.Tile; a.Name != own[i].Name || a.Extent != own[i].Extent || a.Tile < 1 && a.Extent > 0 {
			return fmt.Errorf("axis %s of its kernel is not cut into parts of %d", own[i].Name, a.Tile)
		}
		tiles *= float64(a.Extent) / float64(max(1, a.Tile))
	}
	if tiles > mostTiles {
		return fmt.Errorf("it is cut into %.3g tiles", tiles)
	}
	k.Retile(size)
	return nil
}

func sameSet[T comparable](a, b []T) bool {
	holds := func(list, of []T) bool {
		return !slices.ContainsFunc(of, func(x T) bool { return !slices.Contains(list, x) })
	}
	return holds(a, b) && holds(b, a)
}

// drive binds the programs of a drive.
func (b *binder) drive(s *Step) error {
	d := s.Step.Drive
	if d == nil || len(s.Writes) == 0 || b.arrays[s.Writes[0]].Array.Op == nil {
		return fmt.Errorf("it has nothing to drive")
	}
	s.Op = b.arrays[s.Writes[0]].Array.Op
	if _, ok := s.Op.Bound.(ops.Driver); !ok {
		return fmt.Errorf("%s has no programs", s.Op.Spec.Name)
	}
	from := b.g.Drives[s.Op]
	programs := from.Programs
	others := slices.ContainsFunc(s.Writes, func(id string) bool { return b.arrays[id].Array.Op != s.Op })
	if others || len(programs) != len(d.Programs) || (d.Rounds != nil) != (programs[0].Rounds != nil) {
		return fmt.Errorf("its programs are not those of %s", s.Op.Spec.Name)
	}
	if !slices.EqualFunc(d.Start, from.Start, func(id string, start *ops.Stage) bool {
		return start == nil && slices.Contains(s.Writes, id) || slices.Contains(s.Reads, id) && b.arrays[id].Array == start
	}) || slices.ContainsFunc(d.Moves, func(id string) bool {
		return !slices.Contains(d.Start, id) || b.arrays[id].Role != plan.FromKernel || b.g.Takers[b.arrays[id].Array] != 1
	}) || slices.ContainsFunc(d.Single, func(id string) bool {
		i := slices.Index(d.Start, id)
		return i < 0 || !from.Single(i)
	}) {
		return fmt.Errorf("its state does not begin as that of %s", s.Op.Spec.Name)
	}
	s.Step.Drive = &plan.Drive{Start: d.Start, Moves: d.Moves, Single: d.Single, Tiles: d.Tiles, Programs: slices.Clone(d.Programs), Rounds: programs[0].Rounds, Says: d.Says}
	s.Holds = b.plan.Holds(d)
	for i, g := range programs {
		at := &s.Step.Drive.Programs[i]
		if at.Plan == nil || at.Name != g.Name || at.Most != g.Most || at.Boxed != g.Boxed {
			return fmt.Errorf("program %s of %s is not there", g.Name, s.Op.Spec.Name)
		}
		for _, o := range g.Outside {
			if i := slices.IndexFunc(s.Reads, func(id string) bool { return b.arrays[id].Array == o.Of }); i >= 0 {
				a := b.arrays[s.Reads[i]]
				g.Share(o.In, a.Bufs, a.Units, false)
			}
		}
		for _, a := range at.Plan.Buffers {
			if a.Role == plan.FromAround && (!slices.Contains(s.Reads, a.Around) || b.arrays[a.Around].Key != a.Key) {
				return fmt.Errorf("program %s has %s from an array that is not around it", g.Name, a.ID)
			}
		}
		p, err := bind(at.Plan, g.Graph, b.plan.Costs.Model)
		if err != nil {
			return err
		}
		for _, list := range []struct {
			ids    []string
			stages []*ops.Stage
		}{{at.Now, g.State}, {at.Next, g.Next}} {
			if !slices.EqualFunc(list.ids, list.stages, func(id string, s *ops.Stage) bool {
				return id == "" || p.Buffer(id) != nil && p.Buffer(id).Array == s
			}) {
				return fmt.Errorf("program %s does not hand on what %s does", g.Name, s.Op.Spec.Name)
			}
		}
		for i, id := range at.Next {
			if now := at.Now[i]; id != "" && now != "" && !slices.EqualFunc(p.Buffer(id).Bufs, p.Buffer(now).Bufs, Alike) {
				return fmt.Errorf("%s does not go on as %s", id, now)
			}
		}
		at.Plan = nil
		s.Programs = append(s.Programs, p)
	}
	return nil
}

// Alike reports whether two buffers lie alike in memory.
func Alike(a, b *ir.Buffer) bool {
	return a.Type == b.Type && slices.Equal(a.Shape, b.Shape) && a.Pad.Same(b.Pad) && a.Held == b.Held
}

// RoleOf is where the elements of a stage come from.
func RoleOf(s *ops.Stage) plan.Role {
	switch {
	case s.Around:
		return plan.FromAround
	case s.State:
		return plan.FromState
	case s.Source:
		return plan.FromSource
	case s.Data != nil:
		return plan.FromPlan
	}
	return plan.FromKernel
}
