package codegen_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/exits"
)

// forest is a march through two surfaces of which the first ends it: hit when the first rises above a pixel, seen when the
// second did before. Steps run along rows.
type forest struct {
	kernel       *ir.Kernel
	out          *ir.Buffer
	in           map[string][]float64
	ground, leaf []float64
}

const (
	forestRows, forestColumns, forestSteps = 40, 120, 40
	forestWidth                            = forestColumns - forestSteps
)

func newForest() *forest {
	f := &forest{in: map[string][]float64{}}
	rnd := rand.New(rand.NewPCG(5, 6))
	draw := func(high float64) (v []float64) {
		for range forestRows * forestColumns {
			h := math.Floor(rnd.Float64()*rnd.Float64()*high) / 4
			if rnd.IntN(25) == 0 {
				h = math.NaN()
			}
			v = append(v, h)
		}
		return v
	}
	f.ground, f.leaf = draw(90), draw(120)
	surface := func(name string, v []float64) *ir.Buffer {
		const shift, rows, columns = 3, 16, 40
		buf, top := f32(name, forestRows, forestColumns), &ir.Buffer{Name: name + " top", Type: ir.F32}
		tr, tc := (forestRows+7)>>shift, (forestColumns+7)>>shift
		table := f32(name+" table", tr, tc)
		buf.Facts.Max = &ir.MaxPyramid{Top: top, Tables: []ir.MaxTable{{Buf: table, Shift: shift, Rows: rows, Cols: columns, Block: 8}}}
		highest := math.Inf(-1)
		for cell := range tr * tc {
			m := math.Inf(-1)
			r0, c0 := cell/tc<<shift, cell%tc<<shift
			for r := r0; r < min(r0+rows, forestRows); r++ {
				for c := c0; c < min(c0+columns, forestColumns); c++ {
					if h := v[r*forestColumns+c]; h > m {
						m = h
					}
				}
			}
			f.in[table.Name] = append(f.in[table.Name], m)
			highest = max(highest, m)
		}
		f.in[name], f.in[top.Name] = v, []float64{highest}
		return buf
	}
	ground, leaf, rise := surface("ground", f.ground), surface("leaf", f.leaf), f32("rise", forestSteps)
	rise.Facts.Mono = 1
	for k := range forestSteps {
		f.in["rise"] = append(f.in["rise"], 0.3*float64(k))
	}
	f.out = &ir.Buffer{Name: "out", Type: ir.U8, Shape: []int{forestRows, forestWidth, 4}}
	b := ir.NewBuilder()
	y, x := b.Axis("y", forestRows), b.Axis("x", forestWidth)
	h := b.Load(ground, y, x)
	spec := ir.FoldSpec{Lo: b.I32(1), Hi: b.I32(forestSteps), Init: []*ir.Node{b.False(), b.False()}}
	got := b.Fold(spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		above := func(s *ir.Buffer) *ir.Node { return b.Lt(h, b.Sub(b.Load(s, y, b.Add(x, k)), b.Load(rise, k))) }
		hit := b.Or(acc[0], above(ground))
		return []*ir.Node{hit, b.Or(acc[1], b.And(above(leaf), b.Not(hit)))}, nil
	})
	bit := func(c *ir.Node, v int) *ir.Node { return b.Select(c, b.I32(v), b.I32(0)) }
	word := b.Alu(ir.BitOr, bit(got[0], 1<<9|1<<31), bit(got[1], 3|1<<20))
	f.kernel = &ir.Kernel{Name: "forest", Axes: []*ir.Node{y, x}}
	for i := range 4 {
		v := b.Alu(ir.BitAnd, b.Alu(ir.Ushr, word, b.I32(8*i)), b.I32(255))
		f.kernel.Stores = append(f.kernel.Stores, ir.Store{Buf: f.out, Index: []*ir.Node{y, x, b.I32(i)}, Value: v})
	}
	return f
}

// want is the definition.
func (f *forest) want(i int) uint32 {
	at := i/forestWidth*forestColumns + i%forestWidth
	hit, seen := false, false
	for k := 1; k < forestSteps; k++ {
		rise := f.in["rise"][k]
		above := func(v []float64) bool { return float32(v[at+k])-float32(rise) > float32(f.ground[at]) }
		hit = hit || above(f.ground)
		seen = seen || above(f.leaf) && !hit
	}
	var word uint32
	if hit {
		word |= 1<<9 | 1<<31
	}
	if seen {
		word |= 3 | 1<<20
	}
	return word
}

func TestAbsorbingFold(t *testing.T) {
	f := newForest()
	for _, target := range []schedule.Target{schedule.Portable, schedule.AVX2, schedule.AVX512} {
		if !runs(t, target) {
			continue
		}
		lanes := []schedule.AxisN{{Axis: 1, N: target.Lanes}}
		for _, s := range []schedule.CPU{
			{Every: 1}, {Lanes: lanes, Every: 8}, {Lanes: lanes, Unroll: []schedule.AxisN{{Axis: 0, N: 4}}, Every: 8, Skip: true}, {Lanes: lanes, Every: 3, Skip: true},
		} {
			out := results(t, f.kernel, s, target, f.in, f.out)
			for i := range len(out) / 4 {
				got := uint32(out[4*i]) | uint32(out[4*i+1])<<8 | uint32(out[4*i+2])<<16 | uint32(out[4*i+3])<<24
				if got != f.want(i) {
					t.Fatalf("%s, %s: pixel %d is %08x, want %08x", target.ISA, s, i, got, f.want(i))
				}
			}
		}
	}
}

// What the rules make of the forest: blocks are left out by both surfaces' tables, and no lane has a mask.
func TestAbsorbingFoldIsFound(t *testing.T) {
	f := newForest()
	s := schedule.Default(f.kernel, schedule.AVX512)
	if !s.Skip || s.Every == 0 {
		t.Errorf("schedule %s", s)
	}
	out, err := render.Render(f.kernel, s, schedule.AVX512, "kernel", render.Way{})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{" && ", "continue;"} {
		if !strings.Contains(out.Source, part) {
			t.Errorf("the source has no %q", part)
		}
	}
}

func TestAbsorber(t *testing.T) {
	b := ir.NewBuilder()
	x := b.Axis("x", 8)
	fold := func(step func(i *ir.Node, acc []*ir.Node) []*ir.Node) *ir.Fold {
		spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(9), Init: []*ir.Node{b.False(), b.False()}}
		return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return step(i, acc), nil })[0].Fold
	}
	for name, c := range map[string]struct {
		want int
		step func(i *ir.Node, acc []*ir.Node) []*ir.Node
	}{
		"the first ends it": {0, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Or(acc[0], b.Lt(x, i)), b.Or(acc[1], b.And(b.Lt(i, x), b.Not(acc[0])))}
		}},
		"the second ends it": {1, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Or(acc[0], b.And(b.Not(acc[1]), b.Lt(x, i))), b.Or(acc[1], b.Lt(i, x))}
		}},
		"neither": {-1, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Or(acc[0], b.Lt(x, i)), b.Or(acc[1], b.Lt(i, x))}
		}},
	} {
		if got := exits.Absorber(b, fold(c.step)); got != c.want {
			t.Errorf("%s: absorber %d, want %d", name, got, c.want)
		}
	}
}
