package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/progress"
)

// world is a handful of operators and a way to chain them without a text.
type world struct {
	next int
	read []string // what sources and sinks did, in order
	got  map[string]ops.Dense
	warn []problem.Problem
}

func newWorld() *world { return &world{got: map[string]ops.Dense{}} }

func matrix(rows, columns int) ops.Type {
	return ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}
}

func (w *world) use(name string, bound ops.Op, t ops.Type, inputs ...ops.Array) *ops.Instance {
	spec := &ops.Spec{Name: name}
	w.next++
	args := map[string]ops.Value{}
	for i, a := range inputs {
		p := string(rune('a' + i))
		spec.Params = append(spec.Params, ops.Param{Name: p, Accept: ops.KArray})
		args[p] = a
	}
	op := &ops.Instance{ID: w.next, Spec: spec, Bound: bound, Out: []ops.Output{{Type: t}}, Where: problem.Where{Line: w.next, Col: 1}}
	op.Call = &ops.Call{Spec: spec, Args: args}
	return op
}

func (w *world) lowered(name string, t ops.Type, lower func(*ops.Lowering) []*ops.Stage, inputs ...ops.Array) ops.Array {
	return ops.Array{Of: w.use(name, optest.Lowered(lower), t, inputs...)}
}

// ramp is a source: 0, 1, 2, ...
func (w *world) ramp(t ops.Type) ops.Array {
	return ops.Array{Of: w.use("ramp", optest.Filled(func(_ context.Context, to ops.HostArray) (ops.Note, error) {
		d := to.Dense()
		for i := range d.Re {
			d.Re[i] = float64(i)
		}
		w.read = append(w.read, "ramp")
		return ops.Note{Text: "a ramp", Bytes: t.Bytes(), Warnings: w.warn}, to.SetDense(d)
	}), t)}
}

// third adds a table to a third of every element: neither is exact in f32.
func (w *world) third(in ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("third", t, func(l *ops.Lowering) []*ops.Stage {
		n := t.Dims[1].Size
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i) / 7
		}
		table := l.Table("weights", ir.F32, values, ops.Dim{Name: "x", Size: n})
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a"), table}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			v := l.In("a").At(b, i...).Re
			return ops.Real(b.Add(b.Div(v, b.F32(3)), table.At(b, i[1]).Re))
		})}
	}, in)
}

// spin is e^(j x): a complex array.
func (w *world) spin(in ops.Array) ops.Array {
	t := in.Type()
	t.Elem = ops.C64
	return w.lowered("spin", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			v := l.In("a").At(b, i...).Re
			return ops.Elem{Re: b.Alu(ir.Cos, v), Im: b.Alu(ir.Sin, v)}
		})}
	}, in)
}

// total is the sum of all elements.
func (w *world) total(in ops.Array) ops.Array {
	rows, columns := in.Type().Dims[0].Size, in.Type().Dims[1].Size
	t := ops.Type{Elem: ops.F32}
	return w.lowered("total", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
			sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
				return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Add(acc[0], term(i))}, nil
				})[0]
			}
			return ops.Real(sum(rows, func(y *ir.Node) *ir.Node {
				return sum(columns, func(x *ir.Node) *ir.Node { return l.In("a").At(b, y, x).Re })
			}))
		})}
	}, in)
}

// over divides every element by a scalar.
func (w *world) over(in, scalar ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("over", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a"), l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Div(l.In("a").At(b, i...).Re, l.In("b").At(b).Re))
		})}
	}, in, scalar)
}

// keep is a sink that remembers what it was given.
func (w *world) keep(name string, in ops.Array) *ops.Instance {
	return w.use("keep", optest.Taken(func(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
		w.got[name] = in[0].Dense()
		w.read = append(w.read, "keep "+name)
		return ops.Note{Text: "kept " + name, Bytes: in[0].Type.Bytes()}, nil
	}), ops.Type{}, in)
}

func (w *world) plan(t *testing.T, dev device.Device, sinks ...*ops.Instance) *bound.Plan {
	t.Helper()
	p, err := w.built(dev, sinks...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// built plans with rates of a slow machine, so that small arrays are cut into tiles.
func (w *world) built(dev device.Device, sinks ...*ops.Instance) (*bound.Plan, error) {
	return planner.Build(sinks, dev.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e5, Bandwidth: 1e6}})
}

// device is the interpreter under another name, with faults on demand.
type faulty struct {
	device.Device
	kind    string
	compile func(k *ir.Kernel) error
	launch  func(k *ir.Kernel, tile region.Region) error
	after   func(k *ir.Kernel, b device.Bindings, tile region.Region) // once a tile is done
	memory  error
	alive   *int
}

func newFaulty(kind string) *faulty {
	return &faulty{Device: interp.New(interp.Options{}), kind: kind, alive: new(int)}
}

func (f *faulty) Info() device.Info {
	return device.Info{Name: f.kind + "-device", Kind: f.kind, Threads: 2}
}

func (f *faulty) Compile(ctx context.Context, ks []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	var faults []error
	for _, k := range ks {
		if f.compile != nil {
			faults = append(faults, f.compile(k))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	programs, err := f.Device.Compile(ctx, ks, opt)
	for i := range programs {
		programs[i] = &faultyProgram{programs[i], f}
	}
	return programs, err
}

func (f *faulty) Alloc(b *ir.Buffer) (device.Memory, error) {
	if f.memory != nil {
		return nil, f.memory
	}
	m, err := f.Device.Alloc(b)
	if err != nil {
		return nil, err
	}
	*f.alive++
	return &counted{m, f.alive}, nil
}

type counted struct {
	device.Memory
	alive *int
}

func (c *counted) Free() {
	*c.alive--
	c.Memory.Free()
}

type faultyProgram struct {
	device.Program
	dev *faulty
}

func (p *faultyProgram) Bind(b device.Bindings) (func(region.Region) error, error) {
	launch, err := p.Program.Bind(b)
	if err != nil {
		return nil, err
	}
	return func(t region.Region) error {
		if p.dev.launch != nil {
			if err := p.dev.launch(p.Kernel(), t); err != nil {
				return err
			}
		}
		err := launch(t)
		if p.dev.after != nil {
			p.dev.after(p.Kernel(), b, t)
		}
		return err
	}, nil
}

// logbook is a Progress that remembers.
type logbook struct {
	progress.Silence
	lines []string
}

func (l *logbook) Log(line string) { l.lines = append(l.lines, line) }

func (l *logbook) holds(part string) bool {
	return slices.ContainsFunc(l.lines, func(s string) bool { return strings.Contains(s, part) })
}
