// Package beamtest runs operators through the interpreter, for tests of the ultrasound operators.
package beamtest

import (
	"context"
	"fmt"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
)

// Run evaluates an operator's only output.
type Run struct {
	Call   *ops.Call
	Inputs map[string]ops.Dense // by argument
	Mode   interp.Mode
	Stored bool // every stage is computed by itself and stored; otherwise all are computed in place
}

// runner holds the stages that have values.
type runner struct {
	Run
	values map[*ops.Stage][]float64 // planes one after another
}

// All is the output at every index.
func (r Run) All(t testing.TB) ops.Dense {
	t.Helper()
	return r.At(t, nil)
}

// At is the output at some points; at all of them, in C order, for nil.
func (r Run) At(t testing.TB, points [][]int) ops.Dense {
	t.Helper()
	stage, run := r.lower(t)
	planes, err := run.evaluate(stage, points)
	if err != nil {
		t.Fatal(err)
	}
	shape := stage.Type.Shape()
	if points != nil {
		shape = []int{len(points)}
	}
	n := len(planes) / stage.Type.Elem.Planes()
	d := ops.Dense{Shape: shape, Re: planes[:n]}
	if stage.Type.Elem.Complex {
		d.Im = planes[n:]
	}
	return d
}

// Stages are the stages the operator lowers to.
func (r Run) Stages(t testing.TB) []*ops.Stage {
	t.Helper()
	out, _ := r.lower(t)
	var all []*ops.Stage
	seen := map[*ops.Stage]bool{}
	var walk func(s *ops.Stage)
	walk = func(s *ops.Stage) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, in := range s.Inputs {
			walk(in)
		}
		all = append(all, s)
	}
	walk(out)
	return all
}

func (r Run) lower(t testing.TB) (*ops.Stage, *runner) {
	t.Helper()
	out, err := r.Call.Spec.Infer(r.Call)
	if out == nil { // with outputs, the error holds warnings
		t.Fatalf("%s: %v", r.Call.Spec.Name, err)
	}
	run := &runner{r, map[*ops.Stage][]float64{}}
	op := &ops.Instance{Spec: r.Call.Spec, Call: r.Call, Out: out}
	inputs := map[ops.Array]*ops.Stage{}
	op.Call.Arrays(func(param string, a ops.Array) {
		s := &ops.Stage{Name: param, Type: a.Type(), Source: true}
		d, ok := r.Inputs[param]
		if !ok {
			t.Fatalf("no values for %s", param)
		}
		run.values[s] = append(append([]float64{}, d.Re...), d.Im...)
		inputs[a] = s
	})
	stages := op.Spec.Lower(ops.NewLowering(op, func(a ops.Array) *ops.Stage { return inputs[a] }))
	if got, want := stages[0].Type.String(), out[0].Type.String(); got != want {
		t.Fatalf("lowered to %s, inferred %s", got, want)
	}
	return stages[0], run
}

// evaluate runs a kernel that computes a stage, all that it reads in place or, if Stored, loaded.
func (r *runner) evaluate(s *ops.Stage, points [][]int) ([]float64, error) {
	if r.Stored {
		for _, in := range s.Inputs {
			if r.values[in] == nil && in.Data == nil {
				v, err := r.evaluate(in, nil)
				if err != nil {
					return nil, err
				}
				r.values[in] = v
			}
		}
	}
	host := map[*ir.Buffer][]float64{}
	buffers := map[*ops.Stage]*ir.Buffer{}
	buffer := func(s *ops.Stage) *ir.Buffer {
		v := s.Data
		if v == nil {
			v = r.values[s]
		}
		if buffers[s] == nil && v != nil {
			buffers[s] = &ir.Buffer{Name: s.Name, Type: s.Type.Elem.Base, Shape: ops.PlanesOf(s.Type)}
			host[buffers[s]] = v
		}
		return buffers[s]
	}
	b := &ops.Body{Builder: ir.NewBuilder()}
	b.Read = func(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
		return read(b, s, buffer(s), guard, other, index)
	}
	k := kernel(b, s)
	p, err := interp.Compile(k, r.Mode)
	if err != nil {
		return nil, err
	}
	if points == nil {
		points = everywhere(s.Type.Shape())
	}
	samples, err := p.Eval(context.Background(), interp.Inputs{Host: host}, points)
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, len(samples)*len(k.Stores))
	for plane := range k.Stores {
		for _, at := range samples {
			out = append(out, at[plane].F)
		}
	}
	return out, nil
}

// read loads an element, or computes it in place at an index that is 0 where the guard does not hold.
func read(b *ops.Body, s *ops.Stage, buf *ir.Buffer, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
	if guard == nil {
		guard = b.True()
	}
	if buf != nil {
		load := func(index []*ir.Node) *ir.Node {
			return b.LoadOr(buf, guard, b.Const(buf.Type.Compute(), other), index...)
		}
		if !s.Type.Elem.Complex {
			return ops.Real(load(index))
		}
		plane := func(i int) *ir.Node { return load(append([]*ir.Node{b.I32(i)}, index...)) }
		return ops.Elem{Re: plane(0), Im: plane(1)}
	}
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

func kernel(b *ops.Body, s *ops.Stage) *ir.Kernel {
	k := &ir.Kernel{Name: s.Name}
	for _, d := range s.Type.Dims {
		k.Axes = append(k.Axes, b.Axis(d.Name, d.Size))
	}
	e := s.Elem(b, k.Axes)
	out := &ir.Buffer{Name: s.Name, Type: s.Type.Elem.Base, Shape: ops.PlanesOf(s.Type)}
	if e.Im == nil {
		k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: e.Re}}
		return k
	}
	for i, v := range []*ir.Node{e.Re, e.Im} {
		k.Stores = append(k.Stores, ir.Store{Buf: out, Index: append([]*ir.Node{b.I32(i)}, k.Axes...), Value: v})
	}
	return k
}

// everywhere lists all indices of a shape in C order.
func everywhere(shape []int) [][]int {
	points := [][]int{{}}
	for _, n := range shape {
		var next [][]int
		for _, p := range points {
			for i := range n {
				next = append(next, append(append([]int{}, p...), i))
			}
		}
		points = next
	}
	return points
}

// Compare fails unless got is within tolerance of want, relative to want's largest magnitude.
func Compare(t testing.TB, got, want ops.Dense, tolerance float64) {
	t.Helper()
	if fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		t.Fatalf("shape %v, want %v", got.Shape, want.Shape)
	}
	worst, peak, at := Difference(got, want)
	if peak == 0 {
		t.Fatal("the reference is zero everywhere: nothing is compared")
	}
	if !(worst <= tolerance*peak) {
		t.Errorf("element %d is %v, want %v: error %.3g of the peak %.3g, tolerance %.3g", at, got.At(at), want.At(at), worst/peak, peak, tolerance)
	}
}
