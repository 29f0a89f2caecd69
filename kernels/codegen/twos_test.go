package codegen_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// TestSumsByTwos multiplies what of a sparse matrix is not above a threshold with 16 columns: rows of no entry, of one, of even and odd numbers, and of more than a block
// of a sum in float32. Turns have two sums under way, and the choice is made on lanes. What the columns hold keeps sums exact in any order.
func TestSumsByTwos(t *testing.T) {
	const columns, width, cut = 40, 16, 3
	lengths := []int{0, 1, 2, 7, 511, 512, 513, 0, 1100, 3}
	start := []float64{0}
	for _, n := range lengths {
		start = append(start, start[len(start)-1]+float64(n))
	}
	entries := int(start[len(lengths)])
	value, column, x := make([]float64, entries), make([]float64, entries), make([]float64, columns*width)
	for k := range value {
		value[k], column[k] = float64(k*k%9)-3, float64(k*7%columns)
	}
	for i := range x {
		x[i] = float64(i*i%31) - 15
	}
	b := ir.NewBuilder()
	y, p := b.Axis("y", len(lengths)), b.Axis("p", width)
	i32 := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.I32, Shape: []int{n}} }
	starts := i32("start", len(start))
	sum := b.Fold(ir.FoldSpec{Lo: b.Load(starts, y), Hi: b.Load(starts, b.Add(y, b.I32(1))), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum},
		func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			v := b.Load(f32("value", entries), k)
			small := b.Select(b.Lt(b.F32(cut), v), b.F32(0), v)
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Mul(small, b.Load(f32("x", columns, width), b.Load(i32("column", entries), k), p))))}, nil
		})
	k := &ir.Kernel{Name: "twos", Axes: []*ir.Node{y, p}, Stores: []ir.Store{{Buf: f32("O", len(lengths), width), Index: []*ir.Node{y, p}, Value: b.Cast(ir.F32, sum[0])}}}
	in := map[string][]float64{"start": start, "value": value, "column": column, "x": x}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		fast := compileAll(t, []*ir.Kernel{k}, target, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) })[0].(*launchable)
		text, err := render.Render(k, fast.s, target, "k", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if source := text.Source; fast.s.AccBlock == 0 || len(fast.s.Lanes) == 0 || !strings.Contains(source, " nn") || strings.Contains(source, "? 0.0") {
			t.Errorf("%s: one sum at a time, or a choice of single numbers, under %s:\n%s", target.ISA, fast.s.Text(k), source)
		}
		got := fast.outputs(t, in, []region.Region{{{Lo: 0, Hi: 4}, {Lo: 0, Hi: width}}, {{Lo: 4, Hi: len(lengths)}, {Lo: 0, Hi: width}}})["O"]
		for row := range lengths {
			for c := range width {
				want := 0.0
				for e := int(start[row]); e < int(start[row+1]); e++ {
					if value[e] <= cut {
						want += value[e] * x[int(column[e])*width+c]
					}
				}
				if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*(row*width+c):])); float64(v) != want {
					t.Fatalf("%s: row %d of %d entries, column %d: %v, want %v", target.ISA, row, lengths[row], c, v, want)
				}
			}
		}
	}
}
