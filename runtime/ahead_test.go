package runtime

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

// steered is a drive of two programs, of which the host sets a number now and then that one reads, and asks for an array that both make.
type steered struct {
	ops.Gives
	asked [][]float64
}

const (
	steeredCalls = 60
	edited       = 30 // before which the host changes an element
)

func (c *steered) Programs(l *ops.Lowering) ops.Drive {
	line, number := ops.Type{Elem: ops.F32, Dims: c.Gives[0].Type.Dims}, ops.Type{Elem: ops.F32}
	x, y, add := l.State("x", line), l.State("y", line), l.State("add", number)
	in := l.In("a")
	start := func(name string, t ops.Type, v float64) *ops.Stage {
		return l.Stage(name, t, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(t.Elem.Base, v)) })
	}
	turned := l.Stage("turned", line, []*ops.Stage{y, add, in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(b.Add(b.Sub(add.At(b).Re, y.At(b, i...).Re), in.At(b, i...).Re))
	})
	joined := l.Stage("joined", line, []*ops.Stage{x, y}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(b.Sub(x.At(b, i...).Re, y.At(b, i...).Re))
	})
	return ops.Drive{
		State: []*ops.Stage{x, y, add}, Start: []*ops.Stage{start("x0", line, 1), start("y0", line, 2), start("add0", number, 3)},
		Calls: []ops.Program{{Name: "turn", Next: []*ops.Stage{turned, x, nil}, Most: steeredCalls}, {Name: "join", Next: []*ops.Stage{joined, nil, nil}, Most: steeredCalls}},
	}
}

// steers is what the host does before a call.
func steers(i int) (call int, set, ask bool) {
	return min(1, max(0, i%11-9)), i%13 == 12 || i == 40, i%17 == 16 || i == 41 || i == edited+2 || i == edited+4
}

func (c *steered) Drive(h ops.Host) (ops.Note, error) {
	c.asked = nil
	for i := range steeredCalls {
		call, set, ask := steers(i)
		var v []float64
		var err error
		if i == edited {
			err = h.Edit(func(of [][]float64) error { of[0][3]++; return nil }, ops.StateBox{State: 0, Box: region.Whole(100)})
		}
		if err == nil && ask {
			v, err = h.Values(0)
			c.asked = append(c.asked, v)
		}
		if err == nil && set {
			err = h.Set(2, 0, float64(i))
		}
		if err = errors.Join(err, h.Launch(call)); err != nil {
			return ops.Note{}, err
		}
	}
	return ops.Note{}, nil
}

// steer is what a drive that is steered makes of a ramp, and what it is told.
func steer() (x []float64, asked [][]float64) {
	x, y, add := slices.Repeat([]float64{1}, 100), slices.Repeat([]float64{2}, 100), 3.0
	for i := range steeredCalls {
		call, set, ask := steers(i)
		if i == edited {
			x = slices.Clone(x)
			x[3]++
		}
		if ask {
			asked = append(asked, slices.Clone(x))
		}
		if set {
			add = float64(i)
		}
		next := make([]float64, len(x))
		for k := range next {
			if next[k] = add - y[k] + float64(k); call == 1 {
				next[k] = x[k] - y[k]
			}
		}
		if call == 0 {
			y = x
		}
		x = next
	}
	return x, asked
}

// Numbers that the host sets reach the calls behind, and what it asks for is of the calls before, whichever of these go as they went; whatever fails, too.
func TestCallsGoAsTheyAreSteered(t *testing.T) {
	want, asked := steer()
	for n := 0; n <= steeredCalls; n++ {
		for _, kind := range []string{"fail", "lost, back: true"} {
			devices := emulations(t, fmt.Sprintf("{failures: [{on: launch, at: %d, kind: %s}]}", max(1, n), kind))
			if n == 0 {
				devices = emulations(t, "{}")
			}
			w, c := newWorld(), &steered{Gives: ops.Gives{{Name: "x", Type: vector}}}
			out := ops.Array{Of: w.use("steered", c, vector, w.ramp(vector))}
			out.Of.Out[0].Name = "x"
			host := newFaulty("native")
			p := w.plan(t, host, w.keep("x", out))
			step := p.Steps[slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Drive != nil })]
			for _, program := range step.Programs {
				placeAll(program, devices)
			}
			r, err := Run(t.Context(), p, Options{Devices: []device.Device{host}, Accelerators: devices, Threads: 2})
			if err != nil || !slices.Equal(w.got["x"].Re, want) || !slices.EqualFunc(c.asked, asked, slices.Equal) || (n == 0) != (len(r.Fallbacks) == 0) {
				t.Fatalf("launch %d, %s: %v: %v, %v, not %v; %+v", n, kind, err, w.got["x"].Re[:5], len(c.asked), want[:5], r.Fallbacks)
			}
		}
	}
}
