package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"weft/runtime/journal"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/exec"
	"weft/runtime/result"
)

// repeated is a use of ops.Iterate, as a front end makes it: turn makes the next state, and what is looked at, of arrays that stand for the
// state.
func (w *world) repeated(t testing.TB, from []ops.Array, turn func(state []ops.Array) (next []ops.Array, until, watch *ops.Array), most, every int) []ops.Array {
	t.Helper()
	var gives ops.Gives
	for _, a := range from {
		gives = append(gives, ops.Output{Name: string(rune('x' + len(gives))), Type: a.Type()})
	}
	list := func(arrays []ops.Array) (l ops.List) {
		for _, a := range arrays {
			l = append(l, a)
		}
		return l
	}
	carried := w.use("state", ops.Carried{Gives: gives}, ops.Type{})
	carried.Out = gives
	var state []ops.Array
	for i := range gives {
		state = append(state, ops.Array{Of: carried, Out: i})
	}
	next, until, watch := turn(state)
	w.next++
	args := map[string]ops.Value{"state": list(state), "from": list(from), "next": list(next), "at_most": ops.Integer(most), "every": ops.Integer(every)}
	for name, a := range map[string]*ops.Array{"until": until, "watch": watch} {
		if a != nil {
			args[name] = *a
		}
	}
	op := &ops.Instance{ID: w.next, Spec: ops.Iterate, Call: &ops.Call{Spec: ops.Iterate, Args: args}}
	bound, err := ops.Iterate.Bind(op.Call)
	if err != nil {
		t.Fatal(err)
	}
	op.Bound, op.Out = bound, bound.Outputs()
	var out []ops.Array
	for i := range op.Out {
		out = append(out, ops.Array{Of: op, Out: i})
	}
	return out
}

// heat is a turn of the heat equation, with zeros outside.
func (w *world) heat(in ops.Array, rate float64) ops.Array {
	t := in.Type()
	return w.lowered("heat", t, func(l *ops.Lowering) []*ops.Stage {
		u := l.In("a")
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{u}, func(b *ops.Body, at []*ir.Node) ops.Elem {
			here := u.At(b, at...).Re
			sum := b.Mul(b.F32(-4), here)
			for dim, along := range at {
				for _, by := range []int{-1, 1} {
					to := slices.Clone(at)
					to[dim] = b.Add(along, b.I32(by))
					inside := b.And(b.Le(b.I32(0), to[dim]), b.Lt(to[dim], b.I32(t.Dims[dim].Size)))
					sum = b.Add(sum, u.AtOr(b, inside, 0, to...).Re)
				}
			}
			return ops.Real(b.Add(here, b.Mul(b.F32(rate), sum)))
		})}
	}, in)
}

// widest is the largest difference of two arrays of two dims, and whether it is below a limit.
func (w *world) widest(x, y ops.Array, limit float64) (far, near ops.Array) {
	t := x.Type()
	far = w.lowered("far", ops.Type{Elem: ops.F32}, func(l *ops.Lowering) []*ops.Stage {
		x, y := l.In("a"), l.In("b")
		return []*ops.Stage{l.Stage("", ops.Type{Elem: ops.F32}, []*ops.Stage{x, y}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
			return ops.Real(b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(t.Dims[0].Size), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Largest}, func(i *ir.Node, rows []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Max(rows[0], b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(t.Dims[1].Size), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Largest}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Max(acc[0], b.Abs(b.Sub(x.At(b, i, j).Re, y.At(b, i, j).Re)))}, nil
				})[0])}, nil
			})[0])
		})}
	}, x, y)
	near = w.lowered("near", ops.Type{Elem: ops.Bool}, func(l *ops.Lowering) []*ops.Stage {
		v := l.In("a")
		return []*ops.Stage{l.Stage("", ops.Type{Elem: ops.Bool}, []*ops.Stage{v}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
			return ops.Real(b.Lt(v.At(b).Re, b.F32(limit)))
		})}
	}, far)
	return far, near
}

// heated is heat in plain Go, turn by turn until the largest change is below a limit; it gives the changes too.
func heated(rows, columns, most int, rate, limit float32) (u []float32, changes []float64) {
	u = make([]float32, rows*columns)
	for i := range u {
		u[i] = float32(i)
	}
	for range most {
		next, far := make([]float32, len(u)), float32(0)
		for i := range u {
			at := func(dy, dx int) float32 {
				y, x := i/columns+dy, i%columns+dx
				if y < 0 || y >= rows || x < 0 || x >= columns {
					return 0
				}
				return u[y*columns+x]
			}
			next[i] = u[i] + rate*(-4*u[i]+at(-1, 0)+at(1, 0)+at(0, -1)+at(0, 1))
			far = max(far, float32(math.Abs(float64(next[i]-u[i]))))
		}
		u, changes = next, append(changes, float64(far))
		if far < limit {
			break
		}
	}
	return u, changes
}

// The heat equation until it rests, looked at in every turn, in some, and never; whole, and cut off anywhere.
func TestIterate(t *testing.T) {
	const rows, columns, limit = 12, 9, 2
	for _, c := range []struct{ most, every int }{{100, 1}, {100, 3}, {7, 2}, {7, 1}, {1, 1}, {5, 0}} {
		dev := newFaulty("native")
		w := newWorld()
		out := w.repeated(t, []ops.Array{w.ramp(matrix(rows, columns))}, func(state []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
			next := w.heat(state[0], 0.2)
			if c.every == 0 {
				return []ops.Array{next}, nil, nil
			}
			far, near := w.widest(state[0], next, limit)
			return []ops.Array{next}, &near, &far
		}, c.most, max(1, c.every))
		var sinks []*ops.Instance
		for _, a := range out {
			sinks = append(sinks, w.keep(a.Of.Out[a.Out].Name, a))
		}
		r, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Parity {
			if !p.OK || p.Samples == 0 {
				t.Errorf("%+v", c)
			}
		}
		_, changes := heated(rows, columns, 100, 0.2, limit)
		turns, rests := min(c.most, len(changes)), 0.0
		if every := c.every; every > 0 {
			turns = min(c.most, (len(changes)+every-1)/every*every)
			if turns >= len(changes) {
				rests = 1
			}
		}
		if c.every == 0 {
			turns = c.most
		}
		want, changes := heated(rows, columns, turns, 0.2, 0)
		for i, v := range w.got["value.x"].Re {
			if math.Abs(v-float64(want[i])) > 1e-4 {
				t.Fatalf("%+v: element %d is %v, want %v", c, i, v, want[i])
			}
		}
		if s, k := w.got["steps"].Re[0], w.got["converged"].Re[0]; s != float64(turns) || k != rests {
			t.Errorf("%+v: %v steps, converged %v; want %d, %v", c, s, k, turns, rests)
		}
		for i, v := range w.got["history"].Re {
			turn := min((i+1)*c.every, c.most)
			if i*c.every >= turns != math.IsNaN(v) || turn <= turns && math.Abs(v-changes[turn-1]) > 1e-4 {
				t.Errorf("%+v: at turn %d the change was %v: %v", c, turn, v, changes)
			}
		}
		if warned := len(r.Warnings) > 0; warned != (c.every > 0 && rests == 0) {
			t.Errorf("%+v: warned %v", c, r.Warnings)
		}
		if *dev.alive != 0 {
			t.Errorf("%d arrays are still in memory", *dev.alive)
		}
	}
}

// A state of several arrays: one that stays as it is, two that are exchanged, one that is given from outside each time, and a number.
func TestIterateRecords(t *testing.T) {
	dev := newFaulty("native")
	w := newWorld()
	a, b := w.ramp(matrix(3, 4)), w.heat(w.ramp(matrix(3, 4)), 0.1)
	c := w.spin(a)
	out := w.repeated(t, []ops.Array{a, b, c, a, a}, func(s []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
		return []ops.Array{s[1], s[0], s[2], a, s[3]}, nil, nil
	}, 3, 1)
	var sinks []*ops.Instance
	for i, from := range append([]ops.Array{a, b, c}, out[:5]...) {
		sinks = append(sinks, w.keep(string(rune('0'+i)), from))
	}
	r, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := slices.IndexFunc(r.Kernels, func(k result.Kernel) bool { return k.ID == "d1.turn.k2" }); n >= 0 {
		t.Errorf("more is copied than what is given from outside: %+v", r.Kernels[n])
	}
	for i, from := range []string{"1", "0", "2", "0", "0"} {
		got, want := w.got[string(rune('3'+i))], w.got[from]
		if !slices.Equal(got.Re, want.Re) || !slices.Equal(got.Im, want.Im) {
			t.Errorf("array %d of the state is %v, want %v", i, got, want)
		}
	}
}

// A state that goes back two turns, as of the wave equation, moves without a copy, and is what it was after it was cut off.
func TestIterateMoves(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	path := filepath.Join(t.TempDir(), "u.npy")
	u, was := float32(4), float32(4)
	for range 9 {
		u, was = 0.6*u+was, u
	}
	for cut := range 9 {
		dev := newFaulty("native")
		w := newWorld()
		one := matrix(1, 1)
		four := w.lowered("four", one, func(l *ops.Lowering) []*ops.Stage {
			return []*ops.Stage{l.Stage("", one, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.F32(4)) })}
		})
		out := w.repeated(t, []ops.Array{four, four}, func(s []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
			return []ops.Array{w.sum(w.heat(s[0], 0.1), s[1]), s[0]}, nil, nil
		}, 9, 1)
		sinks := []*ops.Instance{w.keep("u", out[0]), w.keep("was", out[1])}
		sinks[0].Bound = written{sinks[0].Bound.(taker), path}
		turn := 0
		dev.launch = func(k *ir.Kernel, _ region.Region) error {
			if strings.Contains(k.Name, "sum") {
				if turn++; turn == cut+1 && cut > 0 {
					return errors.New("cut off")
				}
			}
			return nil
		}
		for resume := range 2 {
			r, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Resume: resume == 1})
			if (err == nil) != (cut == 0 || resume == 1) {
				t.Fatal(err)
			}
			if n := slices.IndexFunc(r.Kernels, func(k result.Kernel) bool { return k.ID == "d1.turn.k2" }); n >= 0 {
				t.Errorf("a copy: %+v", r.Kernels[n])
			}
		}
		if got := w.got["u"].Re[0]; math.Abs(got-float64(u)) > 1e-5*got || math.Abs(w.got["was"].Re[0]-float64(was)) > 1e-5*got {
			t.Errorf("cut off at %d: %v and %v, want %v and %v", cut, got, w.got["was"].Re, u, was)
		}
	}
}

// Turns of the heat equation: GB/s are of one read and one write of the state a turn, beside what the kernel takes of it.
func BenchmarkHeat(b *testing.B) {
	cpu, err := native.New(native.FromEnv())
	if err != nil {
		b.Skip(err)
	}
	for _, n := range []int{16, 2048} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const turns = 1000
			w, t := newWorld(), matrix(n, n)
			out := w.repeated(b, []ops.Array{w.ramp(t)}, func(state []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
				return []ops.Array{w.heat(state[0], 0.2)}, nil, nil
			}, turns, 1)
			p, err := planner.Build([]*ops.Instance{w.keep("u", out[0])}, cpu.Info(), planner.Options{Threads: 2})
			if err != nil {
				b.Fatal(err)
			}
			programs := &exec.Programs{}
			for b.Loop() {
				r, err := Run(b.Context(), p, Options{Devices: []device.Device{cpu}, Threads: 2, Programs: programs})
				if err != nil {
					b.Fatal(err)
				}
				k := r.Kernels[slices.IndexFunc(r.Kernels, func(k result.Kernel) bool { return strings.HasPrefix(k.ID, "d1.turn") })]
				all := r.Sources[slices.IndexFunc(r.Sources, func(s result.Transfer) bool { return s.Calls > 0 })].Wall
				b.ReportMetric(2*float64(t.Bytes())*turns/all/1e9, "GB/s")
				b.ReportMetric(2*float64(t.Bytes())*turns/k.CPU/1e9, "GB/CPU-s")
				b.ReportMetric((all-k.Wall)/turns*1e6, "us-beside/turn")
				b.ReportMetric(k.Wall/turns*1e6, "us/turn")
			}
		})
	}
}

// An iteration within another reads what that one carries.
func TestIterateWithin(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	dev := newFaulty("native")
	path := filepath.Join(t.TempDir(), "u.npy")
	w := newWorld()
	out := w.repeated(t, []ops.Array{w.ramp(matrix(6, 7)), w.ramp(matrix(6, 7))}, func(outer []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
		inner := w.repeated(t, []ops.Array{w.heat(outer[0], 0.1)}, func(state []ops.Array) ([]ops.Array, *ops.Array, *ops.Array) {
			return []ops.Array{w.sum(w.heat(state[0], 0.1), outer[1])}, nil, nil
		}, 3, 1)
		return []ops.Array{inner[0], outer[1]}, nil, nil
	}, 2, 1)
	sink := w.keep("u", out[0])
	sink.Bound = written{sink.Bound.(taker), path}
	var text bytes.Buffer
	p := w.plan(t, dev, sink)
	if err := plan.YAML(&text, p.Value()); err != nil {
		t.Fatal(err)
	}
	v, err := plan.Read(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	read, err := bound.Bind(v, []*ops.Instance{sink}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 6 * 7
	u, added := make([]float64, n), make([]float64, n)
	heat := func() {
		next := make([]float64, n)
		for i := range u {
			next[i] = 0.6 * u[i]
			for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				if y, x := i/7+d[0], i%7+d[1]; y >= 0 && y < 6 && x >= 0 && x < 7 {
					next[i] += 0.1 * u[y*7+x]
				}
			}
		}
		u = next
	}
	for i := range u {
		u[i], added[i] = float64(i), float64(i)
	}
	for range 2 {
		heat()
		for range 3 {
			heat()
			for i := range u {
				u[i] += added[i]
			}
		}
	}
	for _, p := range []*bound.Plan{p, read} {
		r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range w.got["u"].Re {
			if math.Abs(v-u[i]) > 1e-4 {
				t.Fatalf("%v, want %v", w.got["u"].Re, u)
			}
		}
		for _, p := range r.Parity {
			if !p.OK {
				t.Errorf("%+v", p)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 || *dev.alive != 0 {
			t.Errorf("left %v, and %d arrays", left, *dev.alive)
		}
	}
}

// sum adds two arrays.
func (w *world) sum(x, y ops.Array) ops.Array {
	return w.lowered("sum", x.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", x.Type(), []*ops.Stage{l.In("a"), l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Add(l.In("a").At(b, i...).Re, l.In("b").At(b, i...).Re))
		})}
	}, x, y)
}
