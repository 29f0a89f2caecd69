package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/memory"
	"weft/runtime/result"
)

// streams is a world whose sources and sinks work by rows.
type streams struct {
	*world
	mu    sync.Mutex
	fault func(row int) error // of the sink
	chunk optest.Chunks       // of sources and sinks
	parts map[string][]region.Region
}

func newStreams() *streams { return &streams{world: newWorld(), parts: map[string][]region.Region{}} }

// part notes what a source read, or a sink was given.
func (w *streams) part(of string, at region.Region) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts[of] = append(w.parts[of], slices.Clone(at))
}

// waves is a source of a bumpy surface with holes.
func (w *streams) waves(t ops.Type) ops.Array {
	value := func(flat int) float64 {
		if flat%97 == 13 {
			return math.NaN()
		}
		return float64(float32(math.Sin(float64(flat)*0.37) + float64(flat%11)))
	}
	fill := func(at int, to ops.HostArray) error {
		d := to.Dense()
		for i := range d.Re {
			d.Re[i] = value(at + i)
			if d.Im != nil {
				d.Im[i] = value(at+i) * 0.5
			}
		}
		return to.SetDense(d)
	}
	return ops.Array{Of: w.use("waves", optest.TileFill{
		Chunks: w.chunk,
		Filled: func(_ context.Context, to ops.HostArray) (ops.Note, error) { return ops.Note{}, fill(0, to) },
		Open:   func() (ops.TileSource, error) { return waveSource{w, t.Shape(), fill}, nil },
	}, t)}
}

type waveSource struct {
	w     *streams
	shape []int
	fill  func(int, ops.HostArray) error
}

func (s waveSource) Read(_ context.Context, at region.Region, to ops.HostArray) error {
	s.w.mu.Lock()
	s.w.read = append(s.w.read, fmt.Sprintf("waves %d-%d", at[0].Lo, at[0].Hi))
	s.w.mu.Unlock()
	s.w.part("waves", at)
	for row := range at.Along(len(at)-1, region.Interval{Hi: 1}).Indices() { // one after the other
		flat := 0
		for d, x := range row {
			flat = flat*s.shape[d] + x
		}
		piece := append(region.Point(row[:len(row)-1]), at[len(at)-1])
		from := make(region.Region, len(at))
		for d := range piece {
			from[d] = piece[d].Shift(-at[d].Lo)
		}
		if err := s.fill(flat+at[len(at)-1].Lo, to.Sub(from)); err != nil {
			return err
		}
	}
	return nil
}

func (s waveSource) Close(context.Context) (ops.Note, error) { return ops.Note{Text: "waves"}, nil }

// blur averages 2n+1 rows and 3 columns; beyond the edges there is nothing.
func (w *streams) blur(in ops.Array, n int) ops.Array {
	t := in.Type()
	rows, columns := t.Dims[0].Size, t.Dims[1].Size
	return w.lowered("blur", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			fold := func(lo, hi int, term func(*ir.Node) *ir.Node) *ir.Node {
				return b.Fold(ir.FoldSpec{Lo: b.I32(lo), Hi: b.I32(hi), Init: []*ir.Node{b.F32(0)}}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Add(acc[0], term(k))}, nil
				})[0]
			}
			sum := fold(-n, n+1, func(dy *ir.Node) *ir.Node {
				return fold(-1, 2, func(dx *ir.Node) *ir.Node {
					y, x := b.Add(i[0], dy), b.Add(i[1], dx)
					inside := b.And(b.And(b.Le(b.I32(0), y), b.Lt(y, b.I32(rows))), b.And(b.Le(b.I32(0), x), b.Lt(x, b.I32(columns))))
					v := l.In("a").AtOr(b, inside, 0, y, x).Re
					return b.Select(b.Alu(ir.Eq, v, v), v, b.F32(0))
				})
			})
			return ops.Real(b.Div(sum, b.F32(float64(3*(2*n+1)))))
		})}
	}, in)
}

// swap exchanges the two dims.
func (w *streams) swap(in ops.Array) ops.Array {
	t := in.Type()
	t.Dims = []ops.Dim{t.Dims[1], t.Dims[0]}
	return w.lowered("swap", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return l.In("a").At(b, i[1], i[0])
		})}
	}, in)
}

// keepRows is keep by rows.
func (w *streams) keepRows(name string, in ops.Array) *ops.Instance {
	op := w.keep(name, in)
	op.Bound = optest.TileTake{Chunks: w.chunk, Taken: op.Bound.(optest.Taken), Open: func([]ops.Mark) (ops.TileSink, error) {
		t := in.Type()
		return &rowKeeper{w: w, name: name, got: ops.NewDense(t.Elem.Complex, t.Shape()...), seen: map[int]bool{}}, nil
	}}
	return op
}

type rowKeeper struct {
	w     *streams
	name  string
	got   ops.Dense
	seen  map[int]bool // elements
	fresh region.Region
}

func (k *rowKeeper) Write(_ context.Context, at region.Region, in []ops.HostArray) error {
	if k.w.fault != nil {
		if err := k.w.fault(at[0].Lo); err != nil {
			return err
		}
	}
	k.w.part(k.name, at)
	d, n := in[0].Dense(), 0
	for index := range at.Indices() {
		flat := audit.Flat(index, k.got.Shape)
		if k.seen[flat] {
			return fmt.Errorf("%v comes again", index)
		}
		k.seen[flat] = true
		k.got.Re[flat] = d.Re[n]
		if d.Im != nil {
			k.got.Im[flat] = d.Im[n]
		}
		n++
	}
	k.fresh = k.fresh.Hull(at)
	return nil
}

func (k *rowKeeper) Sync() error { return nil }
func (k *rowKeeper) Mark() (ops.Mark, error) {
	m := ops.Mark{There: k.fresh}
	k.fresh = nil
	return m, nil
}
func (k *rowKeeper) Suspend() error { return nil }
func (k *rowKeeper) Abort() error   { k.w.read = append(k.w.read, "abort "+k.name); return nil }
func (k *rowKeeper) Commit(context.Context) (ops.Note, error) {
	if len(k.seen) != len(k.got.Re) {
		return ops.Note{}, fmt.Errorf("%d elements of %d", len(k.seen), len(k.got.Re))
	}
	k.w.got[k.name] = k.got
	return ops.Note{Text: "kept " + k.name}, nil
}

func (w *streams) build(t *testing.T, budget int64, sinks ...*ops.Instance) (*bound.Plan, error) {
	t.Helper()
	dev := newFaulty("native")
	return planner.Build(sinks, dev.Info(), planner.Options{Threads: 2, Memory: budget, Rates: plan.Rates{Flops: 1e5, Bandwidth: 1e6}})
}

// programs are ways to chain operators; each ends in sinks that take rows.
var programs = []struct {
	name   string
	build  func(w *streams) []*ops.Instance
	passes int
	share  float64 // of the memory of the whole that must do
}{
	{"pointwise", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.third(w.waves(matrix(300, 64))))}
	}, 1, 0.1},
	{"blur", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.blur(w.waves(matrix(300, 64)), 4))}
	}, 1, 0.25},
	{"blur of blur of third, and the third", func(w *streams) []*ops.Instance {
		third := w.third(w.waves(matrix(311, 40)))
		return []*ops.Instance{w.keepRows("out", w.blur(w.blur(third, 3), 5)), w.keepRows("third", third)}
	}, 1, 0.35},
	{"complex", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.spin(w.third(w.waves(matrix(200, 30)))))}
	}, 1, 0.2},
	{"in parts", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.times(w.sparse(300, 40), 8))}
	}, 1, 0.3},
	{"divided by the sum of all", func(w *streams) []*ops.Instance {
		blurred := w.blur(w.waves(matrix(257, 33)), 2)
		sums := w.rowSums(blurred)
		return []*ops.Instance{w.keepRows("out", w.over(blurred, w.sumOf(sums)))}
	}, 3, 0.4},
	{"no source", func(w *streams) []*ops.Instance {
		t := matrix(400, 50)
		index := w.lowered("index", t, func(l *ops.Lowering) []*ops.Stage {
			return []*ops.Stage{l.Stage("", t, nil, func(b *ops.Body, i []*ir.Node) ops.Elem {
				return ops.Real(b.Cast(ir.F32, b.Add(b.Mul(i[0], b.I32(7)), i[1])))
			})}
		})
		return []*ops.Instance{w.keepRows("out", w.blur(index, 1))}
	}, 1, 0.1},
}

// rowSums is the sum along x.
func (w *streams) rowSums(in ops.Array) ops.Array {
	t := ops.Type{Elem: ops.F32, Dims: in.Type().Dims[:1]}
	n := in.Type().Dims[1].Size
	return w.lowered("sums", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(sumTo(b, n, func(x *ir.Node) *ir.Node { return l.In("a").At(b, i[0], x).Re }))
		})}
	}, in)
}

// sumOf is the sum of a vector.
func (w *streams) sumOf(in ops.Array) ops.Array {
	n := in.Type().Dims[0].Size
	t := ops.Type{Elem: ops.F32}
	return w.lowered("sum", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
			return ops.Real(sumTo(b, n, func(y *ir.Node) *ir.Node { return l.In("a").At(b, y).Re }))
		})}
	}, in)
}

func sumTo(b *ops.Body, n int, term func(*ir.Node) *ir.Node) *ir.Node {
	return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], term(i))}, nil
	})[0]
}

func sameBits(a, b ops.Dense) bool {
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	}
	return slices.Equal(a.Shape, b.Shape) && same(a.Re, b.Re) && same(a.Im, b.Im)
}

// runWhole runs what build makes without a budget, on the devices if there are any, and gives what it wrote and its peak in bytes.
func runWhole(t *testing.T, build func(*streams) []*ops.Instance, on ...device.Device) (w *streams, peak int64) {
	t.Helper()
	w = newStreams()
	p, err := w.build(t, 0, build(w)...)
	if err != nil {
		t.Fatal(err)
	}
	if len(on) > 0 {
		placeAll(p, on)
	}
	if _, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Accelerators: on, Threads: 2}); err != nil {
		t.Fatal(err)
	}
	return w, p.Totals.PeakBytes
}

// runWithin runs a plan in blocks: it takes no more than the budget, leaves nothing, proves what it samples, and gives the bits of the whole.
func runWithin(t *testing.T, w, whole *streams, p *bound.Plan, budget int64) {
	t.Helper()
	dev := newFaulty("native")
	g := memory.NewGovernor(budget)
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Strict: true, Memory: g})
	if err != nil {
		t.Fatal(err)
	}
	if r.PeakBuffers > budget || p.Stream.PeakBytes > budget {
		t.Errorf("took %d bytes, planned %d, budget %d", r.PeakBuffers, p.Stream.PeakBytes, budget)
	}
	if n := g.Granted(); n != 0 || *dev.alive != 0 {
		t.Errorf("left %d arrays, %d bytes granted", *dev.alive, n)
	}
	read := int64(0)
	for _, x := range append(r.Sources, r.Sinks...) {
		if x.Moved != x.Planned {
			t.Errorf("%s moved %d bytes, planned %d", x.ID, x.Moved, x.Planned)
		}
	}
	for _, x := range r.Sources {
		if x.Op == "waves" {
			read += x.Moved
		}
	}
	for _, at := range w.parts["waves"] {
		read -= at.Points()
	}
	if read != 0 {
		t.Errorf("%d bytes too many are said to be read", read)
	}
	for name, want := range whole.got {
		if !sameBits(w.got[name], want) {
			t.Errorf("budget %d, blocks of %d x %v: %s differs", budget, p.Stream.Passes[0].BlockRows, p.Stream.Passes[0].Strip, name)
		}
	}
	for _, q := range r.Parity {
		if q.Samples == 0 || !q.OK {
			t.Errorf("parity of %s: %+v", q.Value, q)
		}
	}
}

func TestBlocksGiveTheSameBitsAsTheWhole(t *testing.T) {
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			whole, peak := runWhole(t, c.build)
			for _, share := range []float64{c.share, (1 + c.share) / 2} {
				budget := int64(float64(peak) * share)
				w := newStreams()
				p, err := w.build(t, budget, c.build(w)...)
				if err != nil {
					t.Fatal(err)
				}
				if p.Stream == nil || len(p.Stream.Passes) != c.passes {
					t.Fatalf("not in %d passes: %+v", c.passes, p.Stream)
				}
				runWithin(t, w, whole, p, budget)
				rows := 0
				for _, s := range w.read {
					var lo, hi int
					if n, _ := fmt.Sscanf(s, "waves %d-%d", &lo, &hi); n == 2 {
						rows += hi - lo
					}
				}
				if most := 311 * 2; rows > most {
					t.Errorf("%d rows were read", rows)
				}
			}
		})
	}
}

func TestRefusedBudgetsNameOneThatWorks(t *testing.T) {
	for _, c := range programs {
		for _, make := range []func(w *streams) []*ops.Instance{c.build, func(w *streams) []*ops.Instance {
			out := c.build(w)
			in, _ := out[0].Call.Array("a")
			if len(in.Type().Dims) == 2 && !in.Type().Elem.Complex {
				out = append(out, w.keepRows("swapped", w.swap(in)))
			}
			return out
		}} {
			w := newStreams()
			_, err := w.build(t, 300, make(w)...)
			var problem problem.Problem
			if !errors.As(err, &problem) || problem.Code != "E0601" {
				t.Fatalf("%s: %v", c.name, err)
			}
			var least int64
			var unit string
			if _, err := fmt.Sscanf(problem.Help, "give --memory at least %d%s", &least, &unit); err != nil {
				t.Fatalf("%s: help %q", c.name, problem.Help)
			}
			unit = strings.TrimSuffix(unit, ",")
			least *= map[string]int64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]
			w = newStreams()
			p, err := w.build(t, least, make(w)...)
			if err != nil {
				t.Fatalf("%s: %d bytes were said to do: %v", c.name, least, err)
			}
			r, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Threads: 1, Memory: memory.NewGovernor(least)})
			if err != nil || r.PeakBuffers > least {
				t.Errorf("%s: took %d of %d: %v", c.name, r.PeakBuffers, least, err)
			}
		}
	}
}

func TestSinksThatFailEndTheRunAndItsMemory(t *testing.T) {
	w := newStreams()
	broken := errors.New("disk on fire")
	w.fault = func(row int) error {
		if row > 100 {
			return broken
		}
		return nil
	}
	p, err := w.build(t, 30000, w.keepRows("out", w.blur(w.waves(matrix(300, 64)), 2)))
	if err != nil {
		t.Fatal(err)
	}
	dev := newFaulty("native")
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2})
	var stage *result.StageError
	if !errors.Is(err, broken) || !errors.As(err, &stage) || stage.Stage != "keep" {
		t.Errorf("error %v", err)
	}
	if r == nil || *dev.alive != 0 || !slices.Contains(w.read, "abort out") {
		t.Errorf("arrays alive: %d; %v", *dev.alive, w.read)
	}
}

func TestCancelledBlocksStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newStreams()
	w.fault = func(row int) error {
		if row > 100 {
			cancel()
		}
		return nil
	}
	p, err := w.build(t, 30000, w.keepRows("out", w.blur(w.waves(matrix(300, 64)), 2)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(ctx, p, Options{Devices: []device.Device{newFaulty("native")}, Threads: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if w.got["out"].Re != nil {
		t.Error("the output was completed")
	}
}
