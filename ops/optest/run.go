// Package optest runs operators through the kernel interpreter and compares them with their references, for tests.
package optest

import (
	"context"
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/ops"
)

// Array is an array argument of the given type; its values come from the map given to Run.
func Array(t ops.Type) ops.Array { return ops.Array{Of: &ops.Instance{Out: []ops.Output{{Type: t}}}} }

// Host is a zeroed array in host memory, its rows with margins.
func Host(t ops.Type, pad ir.Pad) ops.HostArray {
	bufs := t.Buffers("")
	for _, b := range bufs {
		b.Pad = pad
	}
	return ops.NewHostArrayIn(t, bufs)
}

// Call binds arguments and fills in defaults.
func Call(s *ops.Spec, args map[string]ops.Value) *ops.Call {
	c := &ops.Call{Spec: s, Args: map[string]ops.Value{}}
	for _, p := range s.Params {
		switch v := args[p.Name]; {
		case v != nil:
			c.Args[p.Name] = v
		case p.Default != nil:
			c.Args[p.Name] = p.Default
		}
	}
	return c
}

// Bind reads the arguments of a call, which has no mistakes.
func Bind(t testing.TB, c *ops.Call) ops.Op {
	t.Helper()
	op, err := c.Spec.Bind(c)
	if op == nil { // beside an Op, the error holds warnings
		t.Fatalf("%s: %v", c.Spec.Name, err)
	}
	return op
}

// Instance is a use of an operator, as the checker makes it.
func Instance(t testing.TB, c *ops.Call) *ops.Instance {
	t.Helper()
	op := Bind(t, c)
	return &ops.Instance{Spec: c.Spec, Call: c, Bound: op, Out: op.Outputs()}
}

// Fusion says how stages are computed.
type Fusion bool

const (
	Fused  Fusion = true  // everything in one kernel
	Stored Fusion = false // every stage by itself
)

// Run lowers a call and computes its outputs from the values of its arrays, which stand under ops.ReferenceKey.
func Run(t testing.TB, c *ops.Call, in map[string]ops.Dense, mode interp.Mode, how Fusion) []ops.Dense {
	t.Helper()
	outputs, r := lower(t, c, in, mode, how)
	var out []ops.Dense
	for _, s := range outputs {
		out = append(out, r.dense(t, s, nil))
	}
	return out
}

// At is the first output of a call at some points, at all for nil.
func At(t testing.TB, c *ops.Call, in map[string]ops.Dense, mode interp.Mode, how Fusion, points [][]int) ops.Dense {
	t.Helper()
	outputs, r := lower(t, c, in, mode, how)
	return r.dense(t, outputs[0], points)
}

// Stages are all that a call lowers to, producers first.
func Stages(t testing.TB, c *ops.Call, in map[string]ops.Dense) []*ops.Stage {
	t.Helper()
	outputs, _ := lower(t, c, in, interp.Exact, Fused)
	var all []*ops.Stage
	walk := ops.EachStage(func(s *ops.Stage) { all = append(all, s) })
	for _, s := range outputs {
		walk(s)
	}
	return all
}

// lower gives the stages of a call's outputs, and the runner that knows its inputs.
func lower(t testing.TB, c *ops.Call, in map[string]ops.Dense, mode interp.Mode, how Fusion) ([]*ops.Stage, *runner) {
	t.Helper()
	r := &runner{mode: mode, how: how, values: map[*ops.Stage][]float64{}}
	op := Instance(t, c)
	count := map[string]int{}
	byArray := map[ops.Array]*ops.Stage{}
	c.Arrays(func(param string, a ops.Array) {
		key := ops.ReferenceKey(param, count[param])
		count[param]++
		d, ok := in[key]
		if !ok {
			t.Fatalf("%s: no values for %s", c.Spec.Name, key)
		}
		s := &ops.Stage{Name: key, Type: a.Type(), Source: true}
		r.values[s] = append(append([]float64{}, d.Re...), d.Im...)
		byArray[a] = s
	})
	outputs := op.Bound.(ops.Lowerer).Lower(ops.NewLowering(op, func(a ops.Array) *ops.Stage { return byArray[a] }))
	for i, s := range outputs {
		if got, want := s.Type.String(), op.Out[i].Type.String(); got != want {
			t.Fatalf("%s: lowered to %s, inferred %s", c.Spec.Name, got, want)
		}
	}
	return outputs, r
}

// runner computes stages.
type runner struct {
	mode   interp.Mode
	how    Fusion
	values map[*ops.Stage][]float64 // parts one after another, of stages that are known
}

// dense is a stage at some points, at all for nil.
func (r *runner) dense(t testing.TB, s *ops.Stage, points [][]int) ops.Dense {
	t.Helper()
	shape := []int{len(points)}
	values, err := []float64(nil), error(nil)
	if points == nil {
		shape = s.Type.Shape()
		err = r.compute(s)
		values = r.values[s]
	} else {
		values, err = r.at(s, points)
	}
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	n := len(values) / s.Type.Elem.Scalars()
	d := ops.Dense{Shape: shape, Re: values[:n]}
	if s.Type.Elem.Complex {
		d.Im = values[n:]
	}
	return d
}

// compute makes a stage known.
func (r *runner) compute(s *ops.Stage) (err error) {
	if r.values[s] != nil {
		return nil
	}
	if s.Data != nil {
		r.values[s] = s.Data
		return nil
	}
	var points [][]int
	for _, index := range ops.Indices(s.Type.Shape()) {
		points = append(points, slices.Clone(index))
	}
	r.values[s], err = r.at(s, points)
	return err
}

// at evaluates a stage at some points, part by part.
func (r *runner) at(s *ops.Stage, points [][]int) (values []float64, err error) {
	for _, in := range s.Inputs {
		if r.how == Stored || in.Data != nil {
			if err := r.compute(in); err != nil {
				return nil, err
			}
		}
	}
	k, host := r.kernel(s)
	if err := rules.Check(k); err != nil {
		return nil, err
	}
	p, err := interp.Compile(k, r.mode)
	if err != nil {
		return nil, err
	}
	samples, err := p.Eval(context.Background(), interp.Inputs{Host: host}, points)
	if err != nil {
		return nil, err
	}
	for part := range k.Stores {
		for _, at := range samples {
			v := at[part].F
			if !s.Type.Elem.Base.Float() {
				v = float64(at[part].I)
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// kernel computes a stage at every index, reading known stages and computing the others in place.
func (r *runner) kernel(s *ops.Stage) (*ir.Kernel, map[*ir.Buffer][]float64) {
	host := map[*ir.Buffer][]float64{}
	buffers := map[*ops.Stage][]*ir.Buffer{}
	b := &ops.Body{Builder: ir.NewBuilder()}
	b.Read = func(in *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
		if guard == nil {
			guard = b.True()
		}
		if r.values[in] == nil && in.Data != nil {
			r.values[in] = in.Data
		}
		if r.values[in] == nil {
			return inPlace(b, in, guard, other, index)
		}
		if buffers[in] == nil {
			buffers[in] = in.Type.Buffers(in.Name)
			for i, buf := range buffers[in] {
				host[buf] = r.values[in][i*buf.Len():][:buf.Len()]
			}
		}
		var parts []*ir.Node
		for _, buf := range buffers[in] {
			parts = append(parts, b.LoadOr(buf, guard, b.Const(buf.Type.Compute(), other), index...))
		}
		return ops.ElemOf(parts)
	}
	k := &ir.Kernel{Name: s.Name}
	for _, d := range s.Type.Dims {
		k.Axes = append(k.Axes, b.Axis(d.Name, d.Size))
	}
	bufs := s.Type.Buffers(s.Name)
	for i, v := range s.Elem(b, k.Axes).Parts() {
		k.Stores = append(k.Stores, ir.Store{Buf: bufs[i], Index: k.Axes, Value: v})
	}
	return k, host
}

// inPlace computes a stage at an index that is 0 where the guard does not hold.
func inPlace(b *ops.Body, s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	safe := make([]*ir.Node, len(index))
	for i, n := range index {
		safe[i] = b.Select(guard, n, b.I32(0))
	}
	e := s.Elem(b, safe)
	e.Re = b.Select(guard, e.Re, b.Const(e.Re.Type, other))
	if e.Im != nil {
		e.Im = b.Select(guard, e.Im, b.Const(e.Im.Type, 0))
	}
	return e
}
