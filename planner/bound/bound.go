// Package bound joins a plan with what its names stand for in a program, and with what devices tell of its kernels.
package bound

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/plan"
)

// Plan is a plan with what its names stand for in a program: operators, stages, kernels. It is what a run works on; Value is the plan
// alone.
type Plan struct {
	plan.Plan
	Buffers []Buffer
	Steps   []Step
	Graph   *graph.Graph
	Costs   Costs

	index map[string]int // of buffers
}

// Buffer is an array of a plan: what it holds by its definition, and how it lies in memory.
type Buffer struct {
	plan.Buffer
	Bufs   []*ir.Buffer // its parts
	Array  *ops.Stage
	Layout ops.Type // of the array as it lies in memory: a part of it, perhaps, with dims in another order
}

// Measure has the plan say how rows of the array are padded, and what it takes.
func (b *Buffer) Measure() {
	b.Bytes, b.Padded, b.Pad, b.Held = ops.BytesOf(b.Bufs), "", nil, b.Bufs[0].Held
	if buf := b.Bufs[0]; buf.Pad != (ir.Pad{}) {
		p := buf.Pad
		b.Padded = fmt.Sprintf("rows of %d + %d + %d, %g outside", p.Before, buf.Shape[len(buf.Shape)-1], p.After, p.Value)
		b.Pad = &plan.Pad{Before: p.Before, After: p.After, Value: strconv.FormatFloat(p.Value, 'g', -1, 64)}
	}
	if b.Held > 0 {
		b.Padded = strings.TrimPrefix(fmt.Sprintf("%s, %d elements of a row at a time", b.Padded, b.Held), ", ")
	}
}

// Step is a step of a plan: Op is the operator of a source, sink or drive, Programs are those of a drive.
type Step struct {
	plan.Step
	Kernel   *Kernel
	Op       *ops.Instance
	Programs []*Plan
	Holds    int64 // bytes of the state of a drive besides those that it starts in
}

// Kernel is a kernel of a plan.
type Kernel struct {
	plan.Kernel
	IR      *ir.Kernel
	Names   map[*ir.Buffer]string // of buffers in its text
	Roots   []*ops.Stage          // the stages it stores
	TileSet []region.Region
	Report  *device.Report // how the host's device compiled it, and Step how finely that likes its tiles; nil before
	Step    []int
	// Described is how the accelerators that it is placed on run it, once they were asked; nil: nobody did, or they cannot tell.
	Described *device.Report

	Inside  []*ops.Stage // the stages it computes, producers first
	Costs   Costs
	In, Out []cost.Array // that it reads and stores
	Kind    string       // of the device it is planned or compiled for

	Carry  *Carry         // where it makes a few turns of its fold at a time, whose kernel IR is then; nil: all
	layout *device.Layout // of its program, or by the device's rules; nil: not known
	work   *cost.Work     // under that layout, once it was counted

	counted ops.Counted // of what is counted when it runs, the share that there is, where that is known; and that of numbers that count it
	told    cost.Told
}

// Costs are what predictions are made by.
type Costs struct {
	Model *cost.Model // nil: rates alone
	Rates plan.Rates
}

// Value is the plan as it stands, apart from what it is bound to. What becomes of the bound one later does not change it.
func (p *Plan) Value() *plan.Plan {
	v := p.Plan
	v.Buffers, v.Steps = make([]plan.Buffer, len(p.Buffers)), make([]plan.Step, len(p.Steps))
	for i, b := range p.Buffers {
		v.Buffers[i] = b.Buffer
	}
	for i, s := range p.Steps {
		v.Steps[i] = s.Step
		if s.Kernel != nil {
			k := s.Kernel.Kernel
			v.Steps[i].Kernel = &k
		}
		if len(s.Programs) > 0 {
			d := *s.Drive
			d.Programs = slices.Clone(d.Programs)
			for j, program := range s.Programs {
				d.Programs[j].Plan = program.Value()
			}
			v.Steps[i].Drive = &d
		}
	}
	return &v
}

// Together are the steps that run with one, which begins a chain; else that alone.
func (p *Plan) Together(at int) []Step {
	n := 1
	if c := p.ChainOf(p.Steps[at].ID); c != nil && c.Steps[0] == p.Steps[at].ID {
		n = len(c.Steps)
	}
	return p.Steps[at:min(at+n, len(p.Steps))]
}

// Kernels are the kernel steps of a plan, those of drives among them.
func (p *Plan) Kernels() (out []*Step) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel != nil {
			out = append(out, s)
		}
		for _, program := range s.Programs {
			out = append(out, program.Kernels()...)
		}
	}
	return out
}

// Computed are the devices that compute a plan's kernels, and in which precision each does.
func (p *Plan) Computed() (devices []string, precision []ops.StagePrecision) {
	devices, precision = []string{}, []ops.StagePrecision{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel == nil {
			continue
		}
		if !slices.Contains(devices, s.Kernel.Device) {
			devices = append(devices, s.Kernel.Device)
		}
		k := s.Kernel.Precision
		precision = append(precision, ops.StagePrecision{Stage: s.Name, Storage: k.Storage, Compute: k.Compute, Accumulate: k.Accumulate})
	}
	return devices, precision
}

// Sources are the steps of a plan that read, those of drives among them.
func (p *Plan) Sources() (out []*Step) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind == plan.ReadStep {
			out = append(out, s)
		}
		for _, program := range s.Programs {
			out = append(out, program.Sources()...)
		}
	}
	return out
}

// Program names one of a drive's among all of a plan.
func (s *Step) Program(i int) string { return s.ID + "." + s.Drive.Programs[i].Name }

// Call is how long a call of one of the drive's programs is predicted to take, in ms, and the first one and the last more than others.
func (s *Step) Call(program int) (each, first float64) {
	for _, k := range s.Programs[program].Steps {
		if k.Kernel == nil {
			continue
		}
		ms, _ := k.Kernel.Expected()
		first += k.Kernel.Place.Once
		if slices.Contains(s.Drive.Programs[program].Once, k.ID) {
			first += ms
		} else {
			each += ms
		}
	}
	return each * s.Drive.Programs[program].Works(), first
}

// Objects is the part of a kernel's domain that makes so many objects of a drive in rounds.
func (k *Kernel) Objects(r *ops.Rounds, at region.Interval) region.Region {
	over := k.IR.Domain()
	for i, a := range k.IR.Axes {
		if a.Name == r.Dim && k.IR.Rowwise() {
			over[i] = at
		}
	}
	return over
}

// Holds is the memory of the state of a drive besides what it starts in.
func (p *Plan) Holds(d *plan.Drive) (bytes int64) {
	for _, id := range d.Start {
		bytes += 2 * p.Buffer(id).Bytes
	}
	for _, id := range slices.Concat(d.Moves, d.Single) {
		bytes -= p.Buffer(id).Bytes
	}
	if d.Tiles != nil {
		bytes += d.Tiles.Peak
		for _, id := range d.Start {
			if d.OnDisk(id) {
				bytes -= p.Buffer(id).Bytes
			}
		}
	}
	return bytes
}

// Takes is the memory of a drive: its state twice, once where it starts in memory that is there, and what its programs have besides.
func (s *Step) Takes() (bytes int64) {
	for i, p := range s.Programs {
		bytes += p.Takes()
		about := s.Drive.Programs[i]
		for _, b := range p.Buffers {
			if slices.Contains(about.Now, b.ID) || slices.Contains(about.Next, b.ID) {
				bytes -= b.Bytes
			}
		}
	}
	return bytes + s.Holds
}

// Takes is the memory of all that is alive at once.
func (p *Plan) Takes() int64 {
	if p.Stream != nil {
		return p.Stream.PeakBytes
	}
	return p.Totals.PeakBytes
}

// Where is the place of a step in the program: of its operator, or of the last stage that a kernel stores.
func (s *Step) Where() problem.Where {
	switch {
	case s.Op != nil:
		return s.Op.Where
	case s.Kernel != nil && len(s.Kernel.Roots) > 0:
		return s.Kernel.Roots[len(s.Kernel.Roots)-1].Where
	}
	return problem.Where{}
}

// Maker is the step that computes an array by a kernel or an algorithm; nil: there is none.
func (p *Plan) Maker(id string) *Step {
	i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Kind != plan.ReadStep && slices.Contains(s.Writes, id) })
	if i < 0 {
		return nil
	}
	return &p.Steps[i]
}

// FirstFile is the first file that the plan writes; empty: there is none.
func (p *Plan) FirstFile() string {
	i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Kind == plan.SinkStep && s.Op.File() != "" })
	if i < 0 {
		return ""
	}
	return p.Steps[i].Op.File()
}

// Buffer finds a buffer by id.
func (p *Plan) Buffer(id string) *Buffer {
	if i, ok := p.index[id]; ok && i < len(p.Buffers) && p.Buffers[i].ID == id {
		return &p.Buffers[i]
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	for i := range p.Buffers {
		p.index[p.Buffers[i].ID] = i
		if p.Buffers[i].ID == id {
			return &p.Buffers[i]
		}
	}
	return nil
}

// Narrowed reports whether an array is stored in fewer digits than its operator says.
func (b *Buffer) Narrowed() bool { return b.Stored != "" && graph.Narrower(b.Storage()) }

// Storage is the type of the elements in memory.
func (b *Buffer) Storage() ir.DType { return b.Bufs[0].Type }

// In is the array in some memory, as far as the host can reach it.
func (b *Buffer) In(mem map[*ir.Buffer]device.Memory) ops.HostArray {
	h := ops.HostArray{Type: b.Layout, Out: b.Array.Out}
	for _, buf := range b.Bufs {
		part := ops.HostPart{Buf: buf}
		if m := mem[buf]; m != nil {
			part.Data = m.Host()
		}
		h.Parts = append(h.Parts, part)
	}
	return h
}

// Parts describe an array that has several.
func Parts(t ops.Type) (out []string) {
	for _, p := range t.Parts() {
		if p.Role != "" {
			out = append(out, fmt.Sprint(p.Role, " ", p.Type, p.Shape))
		}
	}
	return out
}
