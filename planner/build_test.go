package planner

import (
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner/bound"
	"weft/planner/plan"
)

// world is a handful of operators and a way to chain them without a text.
type world struct{ next int }

func vector(n int) ops.Type {
	return ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "x", Size: n}}}
}

func (w *world) use(name string, t ops.Type, lower func(*ops.Lowering) []*ops.Stage, inputs ...ops.Array) ops.Array {
	w.next++
	spec := &ops.Spec{Name: name}
	args := map[string]ops.Value{}
	for i, a := range inputs {
		p := string(rune('a' + i))
		spec.Params = append(spec.Params, ops.Param{Name: p, Accept: ops.KArray})
		args[p] = a
	}
	op := &ops.Instance{ID: w.next, Spec: spec, Bound: optest.Lowered(lower), Out: []ops.Output{{Type: t}}}
	op.Call = &ops.Call{Spec: spec, Args: args}
	return ops.Array{Of: op}
}

func (w *world) ramp(n int) ops.Array {
	return w.use("ramp", vector(n), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", vector(n), nil, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Cast(ir.F32, i[0]))
		})}
	})
}

// dear costs many operations an element.
func (w *world) dear(in ops.Array) ops.Array {
	return w.use("dear", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			v := l.In("a").At(b, i...).Re
			acc := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(500), Init: []*ir.Node{v}, Monoid: ir.Ordered}, func(_ *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Alu(ir.Sin, a[0])}, nil
			})
			return ops.Real(acc[0])
		})}
	}, in)
}

func (w *world) double(in ops.Array) ops.Array {
	return w.use("double", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			v := l.In("a").At(b, i...).Re
			return ops.Real(b.Add(v, v))
		})}
	}, in)
}

func (w *world) blur(in ops.Array) ops.Array {
	n := in.Type().Dims[0].Size
	return w.use("blur", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			var sum *ir.Node
			for d := -1; d <= 1; d++ {
				j := b.Add(i[0], b.I32(d))
				ok := b.And(b.Le(b.I32(0), j), b.Lt(j, b.I32(n)))
				v := l.In("a").AtOr(b, ok, 0, j).Re
				if sum == nil {
					sum = v
				} else {
					sum = b.Add(sum, v)
				}
			}
			return ops.Real(sum)
		})}
	}, in)
}

// normal divides by the largest element.
func (w *world) normal(in ops.Array) ops.Array {
	n := in.Type().Dims[0].Size
	return w.use("normal", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		a := l.In("a")
		peak := l.Stage("peak", ops.Type{Elem: ops.F32}, []*ops.Stage{a}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
			return ops.Real(b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Largest}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Max(acc[0], a.At(b, i).Re)}, nil
			})[0])
		})
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{a, peak}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Div(a.At(b, i...).Re, peak.At(b).Re))
		})}
	}, in)
}

func (w *world) note(a ops.Array, name string) ops.Array {
	a.Of.Hints.Keep, a.Of.Hints.Fuse = name == "keep", name == "fuse"
	return a
}

func (w *world) sink(in ops.Array) *ops.Instance {
	w.next++
	spec := &ops.Spec{Name: "sink", Params: []ops.Param{{Name: "a", Accept: ops.KArray}}}
	return &ops.Instance{ID: w.next, Spec: spec, Bound: optest.Taken(nil), Call: &ops.Call{Spec: spec, Args: map[string]ops.Value{"a": in}}}
}

func planned(t *testing.T, opt Options, sinks ...*ops.Instance) *bound.Plan {
	t.Helper()
	if opt.Rates == (plan.Rates{}) {
		opt.Rates = plan.Rates{Flops: 50e9, Bandwidth: 20e9}
	}
	p, err := Build(sinks, device.Info{Name: "test"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shape is kernels as operator lists and verdicts as from->to:code.
func shape(p *bound.Plan) (kernels, edges string) {
	var k, e []string
	for _, s := range p.Steps {
		if s.Kernel != nil {
			k = append(k, s.Name)
		}
	}
	for _, x := range p.Edges {
		e = append(e, x.From+">"+x.To+":"+string(x.Code))
	}
	return strings.Join(k, " | "), strings.Join(e, " ")
}

func TestVerdicts(t *testing.T) {
	const n = 1 << 16
	cases := []struct {
		name           string
		opt            Options
		build          func(w *world) []*ops.Instance
		kernels, edges string
	}{
		{"a chain of pointwise operators is one kernel", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.double(w.dear(w.ramp(n))))}
		}, "ramp + dear + double", "ramp>dear:F1 dear>double:F1"},
		{"a dear producer read three times is stored", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.blur(w.dear(w.ramp(n))))}
		}, "ramp + dear | blur", "ramp>dear:F1 dear>blur:S3"},
		{"a cheap producer read three times is computed again", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.blur(w.double(w.ramp(n))))}
		}, "ramp + double + blur", "ramp>double:F1 double>blur:F3"},
		{"the maximum of a whole array is a barrier", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.normal(w.dear(w.ramp(n))))}
		}, "ramp + dear | normal | normal", "ramp>dear:F1 dear>normal.peak:S9 dear>normal:S3 normal.peak>normal:S2"},
		{"an array that a sink takes is stored by the kernel that uses it", Options{}, func(w *world) []*ops.Instance {
			d := w.dear(w.ramp(n))
			return []*ops.Instance{w.sink(d), w.sink(w.double(d))}
		}, "ramp + dear + double", "ramp>dear:F1 dear>double:F2"},
		{"no fusion at limit 0", Options{Request: Request{FuseLimit: new(0)}}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.double(w.dear(w.ramp(n))))}
		}, "ramp | dear | double", "ramp>dear:S7 dear>double:S7"},
		{"one fusion at limit 1", Options{Request: Request{FuseLimit: new(1)}}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.double(w.dear(w.ramp(n))))}
		}, "ramp + dear | double", "ramp>dear:F1 dear>double:S7"},
		{"@keep stores", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.double(w.note(w.dear(w.ramp(n)), "keep")))}
		}, "ramp + dear | double", "ramp>dear:F1 dear>double:S6"},
		{"@fuse computes again where that is dearer", Options{}, func(w *world) []*ops.Instance {
			return []*ops.Instance{w.sink(w.blur(w.note(w.dear(w.ramp(n)), "fuse")))}
		}, "ramp + dear + blur", "ramp>dear:F1 dear>blur:F4"},
		{"what no sink needs is not run", Options{}, func(w *world) []*ops.Instance {
			w.dear(w.ramp(n))
			return []*ops.Instance{w.sink(w.ramp(n))}
		}, "ramp", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := planned(t, c.opt, c.build(&world{})...)
			kernels, edges := shape(p)
			if kernels != c.kernels || edges != c.edges {
				t.Errorf("kernels %q\n   want %q\nedges %q\n want %q", kernels, c.kernels, edges, c.edges)
			}
		})
	}
}

func TestFuseRefusedIsAnError(t *testing.T) {
	w := &world{}
	_, err := Build([]*ops.Instance{w.sink(w.double(w.note(w.dear(w.ramp(8)), "fuse")))}, device.Info{}, Options{Request: Request{FuseLimit: new(0)}})
	if err == nil || !strings.Contains(err.Error(), "dear cannot be fused into double as @fuse asks: beyond --fuse-limit (S7)") {
		t.Errorf("got %v", err)
	}
}

func TestMemoryBudgetNamesTheStage(t *testing.T) {
	w := &world{}
	_, err := Build([]*ops.Instance{w.sink(w.blur(w.dear(w.ramp(1 << 20))))}, device.Info{}, Options{Memory: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "stage blur needs 8 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestGuardedRowsArePadded(t *testing.T) {
	w := &world{}
	p := planned(t, Options{}, w.sink(w.blur(w.dear(w.ramp(100)))))
	if pad := p.Buffers[0].Bufs[0].Pad; pad != (ir.Pad{Before: 32, After: 64}) {
		t.Errorf("dear, read with a guard by blur, has padding %+v", pad)
	}
	if pad := p.Buffers[1].Bufs[0].Pad; pad != (ir.Pad{}) {
		t.Errorf("blur has padding %+v", pad)
	}
}

func TestBuffersAreFreedAfterTheirLastUse(t *testing.T) {
	w := &world{}
	p := planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.sink(w.double(w.dear(w.ramp(1000)))))
	var got []string
	for _, s := range p.Steps {
		got = append(got, s.ID+" frees "+strings.Join(s.Frees, ","))
	}
	if s := strings.Join(got, "; "); s != "k1 frees ; k2 frees b1; k3 frees b2; s4 frees b3" {
		t.Error(s)
	}
	if p.Totals.PeakBytes != 8000 {
		t.Errorf("peak %d bytes, want two arrays of 4000", p.Totals.PeakBytes)
	}
}

func TestEqualProgramsHaveEqualHashes(t *testing.T) {
	build := func(n int) string {
		w := &world{}
		return planned(t, Options{}, w.sink(w.blur(w.dear(w.ramp(n))))).Hash
	}
	if first, second := build(100), build(100); first != second {
		t.Error("the same program planned twice has two hashes")
	}
	if build(100) == build(101) {
		t.Error("programs of different extents share a hash")
	}
}

// A stage that a sink wants and that one reader takes element by element and another through memory must be stored before the
// second reader runs, though the first could store it in passing.
func TestStoredBeforeItIsLoaded(t *testing.T) {
	w := &world{}
	x := w.dear(w.ramp(64))
	around := w.note(w.blur(x), "keep")
	sum := w.use("sum", x.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", x.Type(), []*ops.Stage{l.In("a"), l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Add(l.In("a").At(b, i...).Re, l.In("b").At(b, i...).Re))
		})}
	}, x, around)
	p, err := Build([]*ops.Instance{w.sink(x), w.sink(sum)}, device.Info{Name: "test"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, s := range p.Steps {
		for _, id := range s.Reads {
			if !written[id] {
				t.Errorf("step %s (%s) reads %s before it is written", s.ID, s.Name, p.Buffer(id).Stage)
			}
		}
		for _, id := range s.Writes {
			written[id] = true
		}
	}
}
