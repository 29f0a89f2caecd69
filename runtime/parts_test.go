package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/memory"
)

// compressed is the format of a matrix whose rows have few entries: their values, their columns, and where rows start among them.
type compressed struct{ starts []int }

const (
	values = iota
	columns
	starts
)

// ragged are rows of 0 to 22 entries, a few of 60.
func ragged(rows int) compressed {
	c := compressed{[]int{0}}
	for r := range rows {
		n := r * r * 7 % 23
		if r%50 == 49 {
			n = 60
		}
		c.starts = append(c.starts, c.starts[r]+n)
	}
	return c
}

func (c compressed) String() string { return fmt.Sprintf("%d entries", c.starts[len(c.starts)-1]) }

func (c compressed) Parts(t ops.Type) []ops.Part {
	n := c.starts[len(c.starts)-1]
	return []ops.Part{
		{Role: "values", Type: t.Elem.Base, Shape: []int{n}},
		{Role: "columns", Type: ir.U16, Shape: []int{n}},
		{Role: "starts", Type: ir.I32, Shape: []int{len(c.starts)}, Facts: ir.Facts{Parts: n, Data: &ir.DataFacts{Most: float64(n), Rising: c.starts}}},
	}
}

func (c compressed) First(part, row int) int {
	switch {
	case part != starts:
		return c.starts[row]
	case row == 0:
		return 0
	}
	return row + 1 // each row has its end, the first one the beginning too
}

// entry is a value of a row and its column.
func (c compressed) entry(k, width int) (value float64, column int) {
	return float64(float32(math.Sin(float64(k)))), k * 37 % width
}

// fill gives some rows their entries.
func (c compressed) fill(rows region.Interval, to ops.HostArray) {
	set := func(part int, value func(i int) float64) {
		lo, hi := c.First(part, rows.Lo), c.First(part, rows.Hi)
		list := make([]float64, hi-lo)
		for i := range list {
			list[i] = value(lo + i)
		}
		to.Parts[part].Store(0, list)
	}
	width := to.Type.Dims[1].Size
	set(values, func(i int) float64 { v, _ := c.entry(i, width); return v })
	set(columns, func(i int) float64 { _, column := c.entry(i, width); return float64(column) })
	set(starts, func(i int) float64 { return float64(c.starts[i]) })
}

// sparse is a source of a matrix in parts, whole or by rows.
func (w *streams) sparse(rows, width int) ops.Array {
	c, t := ragged(rows), matrix(rows, width)
	t.Format = c
	return ops.Array{Of: w.use("sparse", optest.TileFill{
		Filled: func(_ context.Context, to ops.HostArray) (ops.Note, error) {
			c.fill(region.Interval{Hi: rows}, to)
			return ops.Note{}, nil
		},
		Open: func() (ops.TileSource, error) { return sparseSource{w, c}, nil },
	}, t)}
}

type sparseSource struct {
	w *streams
	compressed
}

func (s sparseSource) Read(_ context.Context, at region.Region, to ops.HostArray) error {
	s.w.mu.Lock()
	s.w.read = append(s.w.read, fmt.Sprintf("waves %d-%d", at[0].Lo, at[0].Hi))
	s.w.mu.Unlock()
	s.fill(at[0], to)
	return nil
}

func (sparseSource) Close(context.Context) (ops.Note, error) { return ops.Note{Text: "sparse"}, nil }

// across is the x by which a matrix is multiplied.
func across(column, j int) float64 { return float64(float32(math.Cos(float64(column*5 + j)))) }

// times is the product of a matrix in parts and a table with so many columns.
func (w *streams) times(in ops.Array, count int) ops.Array {
	t := in.Type()
	width := t.Dims[1].Size
	out := matrix(t.Dims[0].Size, count)
	return w.lowered("times", out, func(l *ops.Lowering) []*ops.Stage {
		a, list := l.In("a"), []float64{}
		for column := range width {
			for j := range count {
				list = append(list, across(column, j))
			}
		}
		x := l.Table("x", ir.F32, list, ops.Dim{Name: "column", Size: width}, ops.Dim{Name: "j", Size: count})
		return []*ops.Stage{l.Stage("", out, []*ops.Stage{a, x}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			end := b.Add(i[0], b.I32(1))
			sum := b.Fold(ir.FoldSpec{Lo: a.Part(b, "starts", i[0]), Hi: a.Part(b, "starts", end), Init: []*ir.Node{b.F32(0)}},
				func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return []*ir.Node{b.Add(acc[0], b.Mul(a.Part(b, "values", k), x.At(b, a.Part(b, "columns", k), i[1]).Re))}, nil
				})
			return ops.Real(sum[0])
		})}
	}, in)
}

// product is the product as it should be.
func product(rows, width, count int) (out []float64) {
	c := ragged(rows)
	for r := range rows {
		for j := range count {
			sum := 0.0
			for k := c.starts[r]; k < c.starts[r+1]; k++ {
				v, column := c.entry(k, width)
				sum += v * across(column, j)
			}
			out = append(out, sum)
		}
	}
	return out
}

// An array in parts of different extents is planned, written as YAML and read back, and run, on the interpreter and compiled.
func TestArraysInParts(t *testing.T) {
	const rows, width, count = 500, 300, 8
	w := newStreams()
	sinks := []*ops.Instance{w.keepRows("out", w.times(w.sparse(rows, width), count))}
	made, err := w.build(t, 0, sinks...)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := plan.YAML(&text, made.Value()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text.Bytes(), []byte("starts i32 [501]")) {
		t.Errorf("the plan does not list parts:\n%s", text.Bytes())
	}
	devices := []device.Device{interp.New(interp.Options{})}
	if cpu, err := native.New(native.FromEnv()); err == nil {
		devices = append(devices, cpu)
	}
	for _, dev := range devices {
		v, err := plan.Read(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		p, err := bound.Bind(v, sinks, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.got["out"]; !near(got, ops.Dense{Re: product(rows, width, count)}) {
			t.Errorf("%s: the product is wrong", dev.Info().Kind)
		}
		for _, q := range r.Parity {
			if q.Samples == 0 || !q.OK {
				t.Errorf("%s: parity of %s: %+v", dev.Info().Kind, q.Value, q)
			}
		}
	}
	edited := *made.Value()
	edited.Buffers = slices.Clone(edited.Buffers)
	edited.Buffers[0].Parts = slices.Clone(edited.Buffers[0].Parts)
	edited.Buffers[0].Parts[0] = "values f32[7]"
	if _, err := bound.Bind(&edited, sinks, nil); err == nil {
		t.Error("a plan with other parts is taken")
	}
}

// A matrix in parts that is larger than the budget comes by rows, of which each block has those that it needs.
func TestArraysInPartsComeByRows(t *testing.T) {
	const rows, width, count = 3000, 200, 4
	w := newStreams()
	a := w.sparse(rows, width)
	p, err := w.build(t, 100<<10, w.keepRows("out", w.times(a, count)))
	if err != nil {
		t.Fatal(err)
	}
	if matrix := p.Buffer(p.Steps[0].Writes[0]).Bytes; matrix < 200<<10 || p.Stream == nil || len(p.Stream.Kept) > 0 {
		t.Fatalf("a matrix of %d bytes, in blocks: %+v", matrix, p.Stream)
	}
	g := memory.NewGovernor(100 << 10)
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Threads: 2, Verify: true, Memory: g})
	if err != nil {
		t.Fatal(err)
	}
	if r.PeakBuffers > 100<<10 || !near(w.got["out"], ops.Dense{Re: product(rows, width, count)}) {
		t.Errorf("took %d bytes, or gave something else", r.PeakBuffers)
	}
	d := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}
	for _, resume := range []bool{false, true} {
		again := newStreams()
		p, err := again.build(t, 100<<10, again.keepOn(d, "out", again.times(again.sparse(rows, width), count)))
		if err != nil {
			t.Fatal(err)
		}
		dev := newFaulty("native")
		dev.launch = func(_ *ir.Kernel, tile region.Region) error {
			if !resume && tile[0].Lo > rows/2 {
				return errors.New("killed")
			}
			return nil
		}
		_, err = Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 1, Resume: resume})
		if (err == nil) != resume {
			t.Fatalf("resumed %t: %v", resume, err)
		}
		if at := again.read[0]; resume && strings.HasPrefix(at, "waves 0-") {
			t.Errorf("a resumed run begins with %s", at)
		}
	}
	if !sameBits(d.rows["out"], w.got["out"]) {
		t.Error("a run that was resumed gives something else")
	}
}
