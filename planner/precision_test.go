package planner

import (
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/retype"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
)

// made stores a dear array, so that what reads it many times loads it.
func (w *world) made(n int) ops.Array { return w.note(w.dear(w.ramp(n)), "keep") }

// reading is an operator whose elements are made of those of an array, by a rule.
func (w *world) reading(name string, in ops.Array, rule func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node) ops.Array {
	return w.use(name, in.Type(), func(l *ops.Lowering) []*ops.Stage {
		a := l.In("a")
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{a}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(rule(b, a, i[0]))
		})}
	}, in)
}

const wide = 256

func within(b *ops.Body, i *ir.Node) *ir.Node {
	return b.Max(b.I32(0), b.Min(b.I32(wide-1), i))
}

func TestPins(t *testing.T) {
	sum := func(b *ops.Body, lo, hi *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(i))}, nil
		})[0]
	}
	at := func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node { return in.At(b, i).Re }
	plus := func(w *world, in ops.Array) ops.Array {
		return w.note(w.reading("plus", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node { return b.Add(at(b, in, i), b.F32(1)) }), "keep")
	}
	index := func(w *world, in ops.Array) ops.Array {
		return w.reading("index", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
			return at(b, in, within(b, b.Cast(ir.I32, at(b, in, i))))
		})
	}
	compare := func(w *world, in ops.Array) ops.Array {
		return w.reading("compare", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
			return b.Select(b.Lt(at(b, in, i), b.F32(3)), b.F32(1), b.F32(2))
		})
	}
	for _, c := range []struct {
		name  string
		build func(w *world, in ops.Array) ops.Array
		pin   string // of dear, whose array is read; empty: none
	}{
		{"arithmetic", plus, ""},
		{"the larger of two", func(w *world, in ops.Array) ops.Array {
			return w.reading("larger", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node { return b.Max(at(b, in, i), b.F32(3)) })
		}, ""},
		{"a sum", func(w *world, in ops.Array) ops.Array {
			return w.reading("sum", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
				return sum(b, b.I32(0), b.I32(wide), func(j *ir.Node) *ir.Node { return at(b, in, j) })
			})
		}, ""},
		{"an index", index, "feeds the index of dear"},
		{"the bounds of a loop", func(w *world, in ops.Array) ops.Array {
			return w.reading("bounds", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
				return sum(b, b.I32(0), b.Cast(ir.I32, at(b, in, i)), func(j *ir.Node) *ir.Node { return b.Cast(ir.F32, j) })
			})
		}, "feeds the bounds of a loop in bounds"},
		{"a while", func(w *world, in ops.Array) ops.Array {
			return w.reading("while", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
				return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(9), Init: []*ir.Node{at(b, in, i)}}, func(_ *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Mul(acc[0], b.F32(2))}, b.Lt(acc[0], b.F32(100))
				})[0]
			})
		}, "decides when a loop in while ends"},
		{"a whole number", func(w *world, in ops.Array) ops.Array {
			return w.reading("whole", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node { return b.Alu(ir.Floor, at(b, in, i)) })
		}, "becomes a whole number in whole"},
		{"a comparison", compare, "decides a comparison in compare"},
		{"a comparison of a sum", func(w *world, in ops.Array) ops.Array { return compare(w, plus(w, in)) }, ""},
		{"an index made of a sum", func(w *world, in ops.Array) ops.Array { return index(w, plus(w, in)) }, "makes plus, which feeds the index of plus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			p := planned(t, Options{}, w.sink(c.build(w, w.made(wide))))
			b := bufferNamed(t, p, "dear")
			if b.Pinned != c.pin {
				t.Errorf("pinned %q, want %q", b.Pinned, c.pin)
			}
			key := graph.Key(b.Array)
			w = &world{}
			p = planned(t, Options{Precision: plan.Choices{key: {Storage: ir.F16}}}, w.sink(c.build(w, w.made(wide))))
			if got := bufferNamed(t, p, "dear").Storage(); (got == ir.F16) != (c.pin == "") {
				t.Errorf("stored as %s", got)
			}
			for _, s := range p.Steps {
				if s.Kernel != nil {
					if err := rules.Check(s.Kernel.IR); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

func bufferNamed(t *testing.T, p *bound.Plan, stage string) *bound.Buffer {
	t.Helper()
	i := slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Stage == stage })
	if i < 0 {
		t.Fatalf("no buffer of %s", stage)
	}
	return &p.Buffers[i]
}

// asks puts @precision behind an operator: of one part, or bare.
func (w *world) asks(a ops.Array, part, typ string) ops.Array {
	to, _ := ir.ParseDType(typ)
	p := &a.Of.Hints.Precision
	switch p.Parts = part != ""; part {
	case "":
		p.Storage, p.Compute = to, to
	case "storage":
		p.Storage = to
	case "compute":
		p.Compute = to
	case "accumulate":
		p.Accumulate = to
	}
	return a
}

func TestForcedPrecision(t *testing.T) {
	double := func(w *world, in ops.Array) ops.Array { return w.double(in) }
	index := func(w *world, in ops.Array) ops.Array {
		return w.reading("index", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
			return in.At(b, within(b, b.Cast(ir.I32, in.At(b, i).Re))).Re
		})
	}
	for _, c := range []struct {
		name, part, typ string
		reader          func(w *world, in ops.Array) ops.Array
		where           string // dear or reader
		want, fault     string
	}{
		{"storage", "storage", "f16", double, "dear", "f16/f32/f32", ""},
		{"storage that feeds an index", "storage", "bf16", index, "dear", "", "storage of dear is pinned at f32, because it feeds the index of dear"},
		{"wide storage that feeds an index", "storage", "f64", index, "dear", "f64/f32/f32", ""},
		{"arithmetic", "compute", "bf16", double, "dear", "f32/f32/bf16/f32", ""},
		{"wide arithmetic", "compute", "f64", double, "dear", "f32/f32/f64/f32", ""},
		{"both", "", "f64", double, "dear", "f64/f32/f64/f32", ""},
		{"arithmetic that feeds an index", "", "f16", index, "reader", "", "compute of index is pinned at f32, because it feeds the index of dear"},
		{"the usual", "", "f32", index, "reader", "f32/f32/f32", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			made := w.made(wide)
			out := c.reader(w, made)
			if c.where == "dear" {
				w.asks(made, c.part, c.typ)
			} else {
				w.asks(out, c.part, c.typ)
			}
			p, err := Build([]*ops.Instance{w.sink(out)}, device.Info{Name: "test"}, Options{Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("error %v, want %q", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b := bufferNamed(t, p, "dear")
			got := b.Storage().String()
			for _, s := range p.Steps {
				if s.Kernel == nil {
					continue
				}
				got += "/" + s.Kernel.Precision.Compute
				if narrow := c.typ == "bf16" && c.part == "compute" && slices.Contains(s.Writes, b.ID); narrow != (s.Kernel.Precision.Emulated != nil) {
					t.Errorf("%s: emulated %q", s.Name, s.Kernel.Precision.Emulated)
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestKernelsComputeInOneType(t *testing.T) {
	w := &world{}
	in := w.ramp(1 << 12)
	p := planned(t, Options{}, w.sink(w.double(w.asks(w.double(in), "compute", "bf16"))))
	if k, e := shape(p); k != "ramp | double | double" || !strings.Contains(e, "double>double:S11") {
		t.Errorf("%s; %s", k, e)
	}
}

func TestCountedStorageSurvivesPlanning(t *testing.T) {
	w := &world{}
	build := func() *ops.Instance { w.next = 0; return w.sink(w.blur(w.made(1 << 10))) }
	p := planned(t, Options{}, build())
	key := graph.Key(bufferNamed(t, p, "dear").Array)
	p = planned(t, Options{Precision: plan.Choices{key: {Storage: ir.U16, Units: retype.Units{Scale: 0x1p-10}}}}, build())
	b := bufferNamed(t, p, "dear")
	if b.Storage() != ir.U16 || b.Scale != 0x1p-10 || b.Bufs[0].Pad.Value != retype.Middle {
		t.Errorf("%s in units of %g, padded with %g", b.Storage(), b.Scale, b.Bufs[0].Pad.Value)
	}
	if v := b.Value(retype.Middle + 3); v != 3*0x1p-10 {
		t.Errorf("three units above the middle are %g", v)
	}
	p = planned(t, Options{Precision: plan.Choices{key: {Storage: ir.U16, Units: retype.Units{Scale: 0x1p-10, Roots: true}}}}, build())
	if b = bufferNamed(t, p, "dear"); b.Bufs[0].Pad.Value != 0 || b.Value(3) != 9*0x1p-10 || b.Peak(7) != 0xffffp-10*0xffff {
		t.Errorf("roots are padded with %g; three stand for %g, the largest for %g", b.Bufs[0].Pad.Value, b.Value(3), b.Peak(7))
	}
}

// TestProofsSeeStorage: what was stored in few digits is not what the float64 of an output starts from, and what it starts from
// is there when the output is checked.
func TestProofsSeeStorage(t *testing.T) {
	w := &world{}
	build := func() *ops.Instance {
		w.next = 0
		a := w.ramp(1 << 12)
		a.Of.Bound = optest.Filled(readNothing)
		return w.sink(w.blur(w.note(w.double(a), "keep")))
	}
	p := planned(t, Options{}, build())
	key := graph.Key(bufferNamed(t, p, "double").Array)
	p = planned(t, Options{Precision: plan.Choices{key: {Storage: ir.F16}}}, build())
	blur, ramp := bufferNamed(t, p, "blur"), bufferNamed(t, p, "ramp")
	ref := p.Reference([]*ops.Stage{blur.Array}, func(s *ops.Stage) bool { return s != blur.Array }, 0)
	for _, s := range ref.Loads {
		if s != ramp.Array {
			t.Errorf("the float64 of blur loads %s", s.Name)
		}
	}
	for _, s := range p.Steps {
		if slices.Contains(s.Frees, ramp.ID) && !slices.Contains(s.Writes, blur.ID) && s.Kind != plan.SinkStep {
			t.Errorf("the input is freed at %s %s, before blur is checked", s.ID, s.Name)
		}
	}
	if !p.Narrowed() {
		t.Error("the plan does not say that it is narrower")
	}
}

// Where an output is dear, its float64 starts from what was stored in all digits, not from what was stored in few: that one is loaded
// only where computing it again would take too long, and then in its own units.
func TestDearProofsSeeStorageToo(t *testing.T) {
	for _, c := range []struct {
		n     int
		loads string
	}{{1 << 18, "ramp"}, {1 << 20, "double"}} {
		for _, storage := range []plan.Choice{{Storage: ir.F16}, {Storage: ir.U16, Units: retype.Units{Scale: 0x1p-3}}} {
			w := &world{}
			build := func() *ops.Instance {
				w.next = 0
				a := w.ramp(c.n)
				a.Of.Bound = optest.Filled(readNothing)
				return w.sink(w.note(w.normal(w.note(w.double(a), "keep")), "keep"))
			}
			p := planned(t, Options{}, build())
			p = planned(t, Options{Precision: plan.Choices{graph.Key(bufferNamed(t, p, "double").Array): storage}}, build())
			root := bufferNamed(t, p, "normal.peak").Array
			ref := p.Reference([]*ops.Stage{root}, func(s *ops.Stage) bool { return s != root }, 0)
			for buf, s := range ref.Loads {
				if s.Name != c.loads {
					t.Errorf("%d elements, %s: the float64 of their largest loads %s (cost %g)", c.n, storage.Storage, s.Name, ref.Cost)
				}
				if scaled := ref.Kernel.String(); buf.Type == ir.U16 && !strings.Contains(scaled, "0.125") {
					t.Errorf("counts are not turned into values: %s", scaled)
				}
			}
		}
	}
}
