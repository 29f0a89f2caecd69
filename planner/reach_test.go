package planner

import (
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

const long = 1 << 16

// part is an operator of n elements, each the sum of those of its input that index maps name.
func (w *world) part(in ops.Array, n int, at ...func(b *ops.Body, i *ir.Node) *ir.Node) ops.Array {
	t := vector(n)
	return w.use("part", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			sum := b.F32(0)
			for _, f := range at {
				sum = b.Add(sum, l.In("a").At(b, f(b, i[0])).Re)
			}
			return ops.Real(sum)
		})}
	}, in)
}

// from reads one element, so many on.
func from(d int) func(b *ops.Body, i *ir.Node) *ir.Node {
	return func(b *ops.Body, i *ir.Node) *ir.Node { return b.Add(i, b.I32(d)) }
}

// boxOf is the part of the array of a stage that a plan keeps; nil if all of it, or if it is not stored.
func boxOf(p *bound.Plan, name string) region.Region {
	for _, b := range p.Buffers {
		if b.Stage == name {
			return p.Graph.Views[b.Array].Box
		}
	}
	return nil
}

func TestArraysAreStoredAsFarAsTheyAreReached(t *testing.T) {
	box := func(lo, hi int) region.Region { return region.Region{{Lo: lo, Hi: hi}} }
	half := long / 2
	rounded := func(scale float64) func(b *ops.Body, i *ir.Node) *ir.Node {
		return func(b *ops.Body, i *ir.Node) *ir.Node {
			return b.Cast(ir.I32, b.Alu(ir.Rint, b.Mul(b.Cast(ir.F32, i), b.F32(scale))))
		}
	}
	for name, c := range map[string]struct {
		read func(w *world, dear ops.Array) ops.Array
		want region.Region
	}{
		"neighbours":       {func(w *world, a ops.Array) ops.Array { return w.part(a, half, from(100), from(103)) }, box(100, half+103)},
		"all":              {func(w *world, a ops.Array) ops.Array { return w.part(a, long-1, from(0), from(1)) }, nil},
		"all but a few":    {func(w *world, a ops.Array) ops.Array { return w.part(a, long-100, from(0), from(1)) }, nil},
		"floats round":     {func(w *world, a ops.Array) ops.Array { return w.part(a, half, rounded(0.5), from(0)) }, box(0, half)},
		"floats are slack": {func(w *world, a ops.Array) ops.Array { return w.part(a, half, rounded(0.75), rounded(0.25)) }, box(0, 24576+2)},
		"anywhere":         {func(w *world, a ops.Array) ops.Array { return w.part(a, half, w.lookup(a), from(1)) }, nil},
		"through a stored": {func(w *world, a ops.Array) ops.Array {
			return w.part(w.dear(w.part(a, long-8, from(0), from(8))), half, from(50), from(53))
		}, box(50, half+61)},
		"wanted by the user": {func(w *world, a ops.Array) ops.Array { return w.part(w.note(a, "keep"), half, from(100), from(103)) }, nil},
	} {
		w := &world{}
		p := planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(c.read(w, w.dear(w.ramp(long)))))
		if got := boxOf(p, "dear"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// lookup is an index that an array's values give.
func (w *world) lookup(a ops.Array) func(b *ops.Body, i *ir.Node) *ir.Node {
	return func(b *ops.Body, i *ir.Node) *ir.Node {
		return b.Max(b.I32(0), b.Min(b.I32(long-1), b.Mul(i, i)))
	}
}

func TestNamedArraysAreWhole(t *testing.T) {
	w := &world{}
	a := w.dear(w.ramp(long))
	a.Of.Label = "mine"
	if got := boxOf(planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(w.part(a, 100, from(0), from(1)))), "dear"); got != nil {
		t.Errorf("an array with a name is cut to %v", got)
	}
	b := w.dear(w.ramp(long))
	if got := boxOf(planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(w.part(b, 100, from(0), from(1))), w.sink(b)), "dear"); got != nil {
		t.Errorf("an array that a sink takes is cut to %v", got)
	}
}

// Guards that keep an index where it always is go; those that do not stay, and are padded as before.
func TestGuardsThatAlwaysHoldGo(t *testing.T) {
	for name, c := range map[string]struct {
		first  int
		guards int
		padded bool
	}{"inside": {10, 0, false}, "beyond the start": {-10, 2, true}, "beyond the end": {long/2 + 10, 2, true}} {
		w := &world{}
		in := w.dear(w.ramp(long))
		within := w.use("within", vector(long/2), func(l *ops.Lowering) []*ops.Stage {
			return []*ops.Stage{l.Stage("", vector(long/2), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
				read := func(d int) *ir.Node {
					j := b.Add(i[0], b.I32(c.first+d))
					return l.In("a").AtOr(b, b.And(b.Le(b.I32(0), j), b.Lt(j, b.I32(long))), 0, j).Re
				}
				return ops.Real(b.Add(read(0), read(1)))
			})}
		}, in)
		p := planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(within))
		k := p.Steps[len(p.Steps)-2].Kernel.IR
		guards := 0
		k.Walk(func(n *ir.Node) {
			if n.Kind == ir.KLoad && n.Guarded {
				guards++
			}
		})
		if guards != c.guards || (k.Inputs()[0].Pad != ir.Pad{}) != c.padded {
			t.Errorf("%s: %d guards, padding %+v", name, guards, k.Inputs()[0].Pad)
		}
		if got := boxOf(p, "dear"); got == nil {
			t.Errorf("%s: dear is stored as a whole", name)
		}
	}
}

// A part holds what the whole does: the same program with @keep, bit by bit.
func TestReachedPartsHoldTheSame(t *testing.T) {
	dev := interp.New(interp.Options{})
	run := func(note bool) []float64 {
		w := &world{}
		a := w.double(w.ramp(long))
		if note {
			a = w.note(a, "keep")
		}
		in := w.blur(w.part(a, long/4, from(1000), from(1003)))
		p := planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(in))
		if cut := boxOf(p, "double") != nil; cut == note {
			t.Fatalf("@keep %t, and it is cut: %t", note, cut)
		}
		mem := map[*ir.Buffer]device.Memory{}
		var last device.Memory
		for _, s := range p.Steps {
			if s.Kernel == nil {
				continue
			}
			for _, id := range slices.Concat(s.Reads, s.Writes) {
				if b := p.Buffer(id).Bufs[0]; mem[b] == nil {
					m, err := dev.Alloc(b)
					if err != nil {
						t.Fatal(err)
					}
					defer m.Free()
					mem[b] = m
				}
			}
			programs, err := dev.Compile(t.Context(), []*ir.Kernel{s.Kernel.IR}, device.Options{})
			if err != nil {
				t.Fatal(err)
			}
			launch, err := programs[0].Bind(device.Bindings{Mem: mem})
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(s.Kernel.IR.Domain()); err != nil {
				t.Fatal(err)
			}
			last = mem[p.Buffer(s.Writes[0]).Bufs[0]]
		}
		out := make([]float64, long/4)
		for i := range out {
			out[i] = device.Float(ir.F32, last.Host(), i)
		}
		return out
	}
	if whole, part := run(true), run(false); !slices.Equal(whole, part) || whole[5] == 0 {
		t.Error("a part of an array holds other values than the whole")
	}
}
