package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/layout"
	"weft/planner/module"
	"weft/planner/place"
	"weft/planner/plan"
	"weft/planner/precision"
)

// steps writes the plan of a module: its arrays, and what is done in which order.
func steps(m *module.Module, opt Options) error {
	m.Plan = &bound.Plan{Graph: m.Graph, Costs: bound.Costs{Model: opt.Cost, Rates: opt.Rates}, Plan: plan.Plan{
		Format: plan.FormatVersion, Weft: opt.Weft, File: opt.File, Program: opt.Program, Device: m.Device.Name,
		Machine: MachineOf(m.Device, opt.Threads, opt.Accelerators),
		Budget:  opt.Memory, Rates: opt.Rates, Edges: m.Verdicts.Edges, Approximations: approximations(m.Stages),
		Decided: plan.Decisions{Fused: m.Verdicts.Weighed, Precision: opt.Precision, FuseLimit: opt.FuseLimit},
	}}
	b := &builder{Module: m, opt: opt, ids: map[*ops.Stage]string{}, names: map[*ir.Buffer]string{}, driven: map[*ops.Instance]*driven{}, lent: map[*ops.Stage]bool{}}
	if err := b.drives(); err != nil {
		return err
	}
	for i, k := range m.Kernels {
		for _, s := range k.Loads {
			b.use(s)
		}
		b.kernel(i, k)
	}
	for _, s := range m.Sinks {
		for _, in := range s.Inputs {
			b.use(in)
		}
		b.sink(s)
	}
	b.sinksFirst()
	b.numbers()
	return nil
}

// ReadNow is why a plan holds for one value of a param that no kernel knows.
const ReadNow = "read while planning"

// numbers writes what follows from params: what kernels are given, what they are made for, and params that are used up by now.
func (b *builder) numbers() {
	given, mentioned := map[string]bool{}, map[string]bool{}
	for _, k := range b.Kernels {
		for _, a := range k.IR.Args() {
			given[a.Name] = true
		}
	}
	add := func(n ops.Number, fixed string) {
		b.Plan.Numbers = append(b.Plan.Numbers, plan.Number{Name: n.From, Value: n.V, Fixed: fixed})
	}
	mention := func(name string) {
		for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			mentioned[word] = true
		}
	}
	for _, s := range b.Plan.Steps {
		for _, p := range s.Programs {
			for _, n := range p.Numbers {
				mention(n.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Arguments.Values)) {
		if fixed := b.Arguments.Fixed[name]; fixed != "" || given[name] {
			add(b.Arguments.Values[name], fixed)
			mention(name)
		}
	}
	for _, n := range b.opt.Params {
		if !mentioned[n.From] {
			add(n, ReadNow)
		}
	}
}

// MachineOf is what a plan is made for.
func MachineOf(dev device.Info, threads int, accelerators []place.DeviceModel) plan.Machine {
	m := plan.Machine{Kind: dev.Kind, Detail: dev.Detail, Threads: threads}
	for _, a := range accelerators {
		m.Accelerators = append(m.Accelerators, a.Info.Name)
	}
	return m
}

// builder writes steps.
type builder struct {
	*module.Module
	opt    Options
	ids    map[*ops.Stage]string
	names  map[*ir.Buffer]string
	driven map[*ops.Instance]*driven
	lent   map[*ops.Stage]bool // to a program, which loads it as it lies
}

func (b *builder) add(s bound.Step, kind plan.StepKind, prefix string, number int) {
	s.ID, s.Kind = fmt.Sprintf("%s%s%d", b.opt.within, prefix, number), kind
	if s.Op != nil {
		s.Name, s.Args, s.Line, s.Instance = s.Op.Spec.Name, arguments(s.Op), s.Op.Line(), s.Op.ID
	}
	b.Plan.Steps = append(b.Plan.Steps, s)
}

// use makes sure a stage has a buffer and, when it comes from outside, a step that reads it.
func (b *builder) use(s *ops.Stage) string {
	if id, ok := b.ids[s]; ok {
		return id
	}
	id := b.array(s)
	read := bound.Step{Op: s.Op, Step: plan.Step{Writes: []string{id}}}
	switch {
	case s.Around:
		for _, n := range b.Counting(s) {
			b.use(n)
		}
	case !s.Source || s.State:
	case b.GivenBy(s) != nil:
		b.drive(s, read)
	default:
		b.add(read, plan.ReadStep, "r", len(b.Plan.Steps)+1)
	}
	return id
}

// array gives a stage a buffer.
func (b *builder) array(s *ops.Stage) string {
	id := fmt.Sprintf("b%d", len(b.Plan.Buffers)+1)
	bufs, t := b.Arrays.Of(s), b.Type(s)
	buf := bufs[0]
	b.ids[s] = id
	pb := bound.Buffer{Bufs: bufs, Array: s, Layout: t, Buffer: plan.Buffer{
		ID: id, Key: graph.Key(s), Stage: s.Name, Label: graph.Label(s), Type: t.String(), Parts: bound.Parts(t),
		Role: bound.RoleOf(s), Values: bound.Values(s), Unit: t.Unit.String(), Transposed: b.Views[s].Transposed, Innermost: b.Views[s].Innermost, Block: b.Views[s].Block, Interleaved: b.Views[s].Interleaved,
		Reached: layout.Reached(b.Graph, s)}}
	for i, p := range t.Parts() {
		b.names[bufs[i]] = ops.PartName(id, p)
	}
	pb.Measure()
	if at := b.Views[s].Margin; at != nil {
		pb.Margin = &plan.Margin{Dim: at.Dim, Value: fmt.Sprint(at.Value)}
	}
	for _, at := range b.Views[s].Box {
		pb.Box = append(pb.Box, plan.Box(at))
	}
	if buf.Type != s.Type.Elem.Base {
		pb.Stored, pb.Units = buf.Type.String(), b.Units[s]
	}
	switch {
	case !s.Type.Elem.Base.Float() || pb.Role != plan.FromKernel:
	case b.Lends[s]:
		pb.Pinned = "goes to a drive"
	case b.Wanted[s]:
		pb.Pinned = "goes to a sink"
	default:
		pb.Pinned = b.Pinned[s]
	}
	b.Plan.Buffers = append(b.Plan.Buffers, pb)
	return id
}

// arguments writes an operator's settings for people: everything but arrays and lists of them.
func arguments(op *ops.Instance) string {
	var out []string
	for _, p := range op.Spec.Params {
		v, ok := op.Call.Args[p.Name]
		list, _ := v.(ops.List)
		arrays := slices.ContainsFunc(list, func(x ops.Value) bool { return x.Kind() == ops.KArray })
		if !ok || v == nil || arrays || v.Kind()&(ops.KArray|ops.KObject|ops.KRecord) != 0 || p.Default != nil && v.String() == p.Default.String() {
			continue
		}
		out = append(out, p.Name+": "+v.String())
	}
	return strings.Join(out, ", ")
}

func (b *builder) kernel(i int, m *module.Kernel) {
	var step plan.Step
	var names []string
	k := &bound.Kernel{Kernel: plan.Kernel{Device: b.Device.Name}, IR: m.IR, Names: b.names, Roots: m.Roots, Inside: m.Inside}
	for _, s := range m.Inside {
		f := plan.Fused{Name: s.Name, Key: graph.Key(s), Label: graph.Variable(s), Steps: s.Steps, Line: s.Op.Line()}
		if in := s.Op.Within; in != nil && in.Function != "" {
			if f.Function, f.Call = in.Function, in.Where.Start; s.Op.Label != in.Variable {
				f.Part = f.Label
			}
		}
		k.Stages = append(k.Stages, f)
		if !slices.Contains(k.Ops, s.Op.Spec.Name) {
			k.Ops = append(k.Ops, s.Op.Spec.Name)
		}
		if name := cmp.Or(f.Function, s.Op.Spec.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	step.Name = strings.Join(names, " + ")
	for _, s := range m.Loads {
		step.Reads = append(step.Reads, b.use(s))
		k.In = append(k.In, cost.ArrayOf(s, b.Arrays.Of(s), nil))
	}
	for _, s := range m.Roots {
		step.Writes = append(step.Writes, b.use(s))
		k.Out = append(k.Out, cost.ArrayOf(s, b.Arrays.Of(s), nil))
		if step.Line == 0 || s.Op.Line() > 0 {
			step.Line = s.Op.Line()
		}
	}
	k.Write()
	k.Plan(b.Device.Kind, b.Plan.Costs, b.opt.Threads)
	for _, id := range step.Writes {
		layout.CountSaved(b.Graph, b.Plan.Buffer(id).Reached, k.Flops, m.Roots[0])
	}
	k.Precision = precision.Of(m.IR, m.Types)
	k.Precision.Why = m.Why
	b.add(bound.Step{Step: step, Kernel: k}, plan.KernelStep, "k", i+1)
}

func (b *builder) sink(s graph.Sink) {
	step := bound.Step{Op: s.Op}
	for _, in := range s.Inputs {
		step.Reads = append(step.Reads, b.ids[in])
	}
	b.add(step, plan.SinkStep, "s", len(b.Plan.Steps)+1)
}

// sinksFirst moves every sink up to right behind the step that completes its inputs, so that memory is freed early.
func (b *builder) sinksFirst() {
	done := map[string]int{} // place of the step that makes a buffer
	var sinks []bound.Step
	var rest [][]bound.Step // each step but sinks, with the sinks behind it
	for _, s := range b.Plan.Steps {
		if s.Kind == plan.SinkStep {
			sinks = append(sinks, s)
			continue
		}
		rest = append(rest, []bound.Step{s})
		for _, id := range s.Writes {
			done[id] = len(rest)
		}
	}
	first := []bound.Step{}
	for _, s := range sinks {
		at := 0
		for _, id := range s.Reads {
			at = max(at, done[id])
		}
		if at == 0 {
			first = append(first, s)
		} else {
			rest[at-1] = append(rest[at-1], s)
		}
	}
	b.Plan.Steps = slices.Concat(append([][]bound.Step{first}, rest...)...)
}

// approximations are those of the operators that stages come from.
func approximations(stages []*ops.Stage) (out []plan.Approximation) {
	seen := map[*ops.Instance]bool{}
	for _, s := range stages {
		if s.Op == nil || s.Around || seen[s.Op] {
			continue
		}
		seen[s.Op] = true
		a, ok := s.Op.Bound.(ops.Approximator)
		if !ok {
			continue
		}
		for _, what := range a.Approximations() {
			out = append(out, plan.Approximation{Op: s.Op.Spec.Name, Line: s.Op.Line(), What: what})
		}
	}
	return out
}
