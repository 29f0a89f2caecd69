package planner

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/amount"
	"weft/ops/optest"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
)

// tall is an array of many rows, from a source that gives rows.
func (w *world) tall(rows, columns int) ops.Array {
	t := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}
	a := w.use("tall", t, nil)
	a.Of.Bound = optest.TileFill{Filled: readNothing, Open: func() (ops.TileSource, error) { return nil, errors.New("never run") }}
	return a
}

func (w *world) rowSink(in ops.Array) *ops.Instance {
	s := w.sink(in)
	s.Bound = optest.TileTake{Open: func([]ops.Mark) (ops.TileSink, error) { return nil, errors.New("never run") }}
	return s
}

// shifted is an operator whose element reads its input once, at a row that at gives.
func (w *world) shifted(in ops.Array, rows int, at func(b *ops.Body, y *ir.Node) *ir.Node, table []float64) ops.Array {
	t := in.Type()
	t.Dims = []ops.Dim{{Name: "y", Size: rows}, t.Dims[1]}
	return w.use("shifted", t, func(l *ops.Lowering) []*ops.Stage {
		inputs := []*ops.Stage{l.In("a")}
		var known *ops.Stage
		if table != nil {
			known = l.Table("offsets", ir.I32, table, ops.Dim{Name: "k", Size: len(table)})
			inputs = append(inputs, known)
		}
		return []*ops.Stage{l.Stage("", t, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem {
			y := i[0]
			if known != nil {
				y = b.Add(y, known.At(b, b.Mod(i[1], b.I32(len(table)))).Re)
			}
			y = at(b, y)
			n := l.In("a").Type.Dims[0].Size
			inside := b.And(b.Le(b.I32(0), y), b.Lt(y, b.I32(n)))
			return l.In("a").AtOr(b, inside, 0, y, i[1])
		})}
	}, in)
}

func TestFootprintsOfRows(t *testing.T) {
	same := func(_ *ops.Body, y *ir.Node) *ir.Node { return y }
	cases := []struct {
		name  string
		rows  int
		at    func(b *ops.Body, y *ir.Node) *ir.Node
		table []float64
		of    region.Interval
		want  region.Interval
	}{
		{"its own", 1000, same, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{Lo: 10, Hi: 20}},
		{"shifted, cut at the edge", 1000, func(b *ops.Body, y *ir.Node) *ir.Node { return b.Sub(y, b.I32(15)) }, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{Lo: 0, Hi: 5}},
		{"beyond the edge", 1000, func(b *ops.Body, y *ir.Node) *ir.Node { return b.Sub(y, b.I32(150)) }, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{}},
		{"by a table", 1000, same, []float64{3, -7, 0}, region.Interval{Lo: 100, Hi: 101}, region.Interval{Lo: 93, Hi: 104}},
		{"every other", 500, func(b *ops.Body, y *ir.Node) *ir.Node { return b.Mul(y, b.I32(2)) }, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{Lo: 20, Hi: 39}},
		{"upside down", 1000, func(b *ops.Body, y *ir.Node) *ir.Node { return b.Sub(b.I32(999), y) }, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{Lo: 980, Hi: 990}},
		{"one for all", 1000, func(b *ops.Body, y *ir.Node) *ir.Node { return b.I32(7) }, nil, region.Interval{Lo: 10, Hi: 20}, region.Interval{Lo: 7, Hi: 8}},
	}
	for _, c := range cases {
		w := &world{}
		in := w.tall(1000, 40)
		p, step := footOf(t, w.sink(w.shifted(in, c.rows, c.at, c.table)))
		if got := p.Footprint(step)(region.Region{c.of, {Lo: 3, Hi: 7}})[bufferOf(p, "tall").ID]; got[0] != c.want || !c.want.Empty() && got[1] != (region.Interval{Lo: 3, Hi: 7}) {
			t.Errorf("%s: rows %v need %v, want %v", c.name, c.of, got, c.want)
		}
	}
}

// footOf plans a program of one kernel.
func footOf(t *testing.T, sink *ops.Instance) (*bound.Plan, *bound.Step) {
	t.Helper()
	p, err := Build([]*ops.Instance{sink}, device.Info{Name: "test"}, Options{Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Kernel != nil })
	return p, &p.Steps[at]
}

// What a fused stage reads is bounded through its guard: where that does not hold, its value is thrown away.
func TestFootprintsThroughFusedStages(t *testing.T) {
	back := func(by int) func(b *ops.Body, y *ir.Node) *ir.Node {
		return func(b *ops.Body, y *ir.Node) *ir.Node { return b.Sub(y, b.I32(by)) }
	}
	w := &world{}
	p, step := footOf(t, w.sink(w.shifted(w.shifted(w.tall(1000, 40), 1000, back(-3), nil), 1000, back(5), nil)))
	if len(step.Kernel.Stages) != 2 {
		t.Fatalf("%d stages are fused", len(step.Kernel.Stages))
	}
	for _, c := range []struct{ of, want region.Interval }{
		{region.Interval{Lo: 100, Hi: 110}, region.Interval{Lo: 98, Hi: 108}},
		{region.Interval{Lo: 0, Hi: 10}, region.Interval{Lo: 3, Hi: 8}},
		{region.Interval{Lo: 990, Hi: 1000}, region.Interval{Lo: 988, Hi: 998}},
	} {
		if got := p.Footprint(step)(region.Region{c.of, {Lo: 0, Hi: 40}})[bufferOf(p, "tall").ID][0]; got != c.want {
			t.Errorf("rows %v need %v, want %v", c.of, got, c.want)
		}
	}
}

func inBlocksOf(t *testing.T, memory int64, sinks ...*ops.Instance) *bound.Plan {
	t.Helper()
	p, err := Build(sinks, device.Info{Name: "test"}, Options{Memory: memory, Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Stream == nil {
		t.Fatal("the plan runs as a whole")
	}
	return p
}

// Rows come once, in order, before they are needed, and go when nothing later needs them: from any row on.
func TestBlocksCoverWhatIsNeeded(t *testing.T) {
	w := &world{}
	moved := w.shifted(w.tall(1000, 40), 1000, func(_ *ops.Body, y *ir.Node) *ir.Node { return y }, []float64{-11, 23})
	p := inBlocksOf(t, 60000, w.rowSink(moved))
	for _, from := range []int{0, 1, 500, 999} {
		read, ran := map[int]bool{}, map[int]bool{}
		written := from
		dropped := map[string]int{}
		for _, b := range laid(t, p).Blocks(0, nil, from) {
			for id, at := range b.Read {
				rows := at[0]
				for y := rows.Lo; y < rows.Hi; y++ {
					if read[y] || y < dropped[id] {
						t.Fatalf("row %d is read twice", y)
					}
					read[y] = true
				}
			}
			for id, at := range b.Run {
				rows := at[0]
				step := p.Buffer(stepOf(p, id).Reads[0])
				for y := rows.Lo; y < rows.Hi; y++ {
					if ran[y] {
						t.Fatalf("row %d is computed twice", y)
					}
					ran[y] = true
					for in := max(0, y-11); in < min(1000, y+24); in++ {
						if !read[in] || in < dropped[step.ID] {
							t.Fatalf("row %d needs row %d, which is not there", y, in)
						}
					}
				}
			}
			for _, at := range b.Write {
				rows := at[0]
				if rows.Lo != written {
					t.Fatalf("row %d is written after %d", rows.Lo, written)
				}
				for y := rows.Lo; y < rows.Hi; y++ {
					if !ran[y] {
						t.Fatalf("row %d is written before it is computed", y)
					}
				}
				written = rows.Hi
			}
			for id, lo := range b.Keep {
				dropped[id] = lo
			}
		}
		if written != 1000 || len(ran) != 1000-from || read[max(0, from-12)] && from > 11 {
			t.Errorf("from row %d: %d rows computed, written to %d", from, len(ran), written)
		}
	}
}

func bufferOf(p *bound.Plan, stage string) *bound.Buffer {
	return &p.Buffers[slices.IndexFunc(p.Buffers, func(b bound.Buffer) bool { return b.Stage == stage })]
}

func stepOf(p *bound.Plan, id string) *bound.Step {
	for i := range p.Steps {
		if p.Steps[i].ID == id {
			return &p.Steps[i]
		}
	}
	return nil
}

func TestWhatNeedsAllOfALargeArrayIsNamed(t *testing.T) {
	w := &world{}
	turned := w.shifted(w.tall(4000, 40), 4000, func(b *ops.Body, y *ir.Node) *ir.Node { return b.Mod(b.Mul(y, b.I32(7)), b.I32(4000)) }, nil)
	_, err := Build([]*ops.Instance{w.rowSink(turned)}, device.Info{Name: "test"}, Options{Memory: 100000, Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != "E0601" || !strings.Contains(p.Message, "tall") || !strings.Contains(p.Message, "for 4000 rows that are needed at once") {
		t.Errorf("%v", err)
	}
	if _, err := Build([]*ops.Instance{w.rowSink(w.shifted(w.tall(4000, 40), 4000, func(_ *ops.Body, y *ir.Node) *ir.Node { return y }, nil))},
		device.Info{Name: "gpu", Kind: "cuda"}, Options{Memory: 100000, Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}}); err == nil {
		t.Error("a device whose memory is not the host's runs in blocks")
	}
}

func TestFiguresHaveNoExponent(t *testing.T) {
	for got, want := range map[string]string{
		amount.Bytes(1000 << 20): "1000 MiB", amount.Bytes(1023 << 20): "1023 MiB", amount.Bytes(12345): "12.1 KiB",
		amount.Seconds(0.9996): "1000 ms", amount.Seconds(0.9996e-3): "1000 us", amount.Of(999.7e6, "B"): "1000 MB",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func laid(t *testing.T, p *bound.Plan) *blocks.Stream {
	t.Helper()
	s, err := blocks.Lay(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
