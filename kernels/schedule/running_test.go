package schedule

import (
	"testing"

	"weft/kernels/ir"
)

// A fold that goes in order through a part of its own for each point is scalar: lanes would read far apart, and wait for the longest part. Where parts
// are alike, lanes serve.
func TestRunsOfTheirOwnAreScalar(t *testing.T) {
	const rows, mean = 10000, 700
	for _, c := range []struct {
		ragged bool
		typ    ir.DType
	}{{true, ir.F32}, {true, ir.F64}, {false, ir.F32}} {
		b := ir.NewBuilder()
		row := b.Axis("row", rows)
		start := &ir.Buffer{Name: "start", Type: ir.I32, Shape: []int{rows + 1}, Facts: ir.Facts{Parts: mean * rows}}
		value := &ir.Buffer{Name: "value", Type: c.typ, Shape: []int{mean * rows}}
		lo, hi := b.Load(start, row), b.Load(start, b.Add(row, b.I32(1)))
		if !c.ragged {
			lo, hi = b.I32(0), b.I32(mean)
			value.Shape = []int{mean, rows}
		}
		sum := b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F64(0)}}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			at := []*ir.Node{k}
			if !c.ragged {
				at = append(at, row)
			}
			x := b.Load(value, at...)
			return []*ir.Node{b.Select(b.Lt(x, b.Const(c.typ, 1)), b.Add(acc[0], b.Cast(ir.F64, x)), acc[0])}, nil
		})
		kernel := &ir.Kernel{Name: "sums", Axes: []*ir.Node{row}, Contract: true,
			Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{rows}}, Index: []*ir.Node{row}, Value: sum[0]}}}
		for _, target := range []Target{AVX512, AVX2} {
			rules := Candidates(kernel, target)
			if lanes := len(rules[0].Lanes) > 0; lanes == c.ragged {
				t.Errorf("%s, ragged %v, %v: %s", target.ISA, c.ragged, c.typ, rules[0])
			}
			if c.ragged && len(rules) < 2 {
				t.Errorf("%s, %v: lanes are out of reach of measuring", target.ISA, c.typ)
			}
		}
	}
}

// Sums of blocks that lie one after the other read on in a place for each lane: two vectors of them would be more places than are foreseen.
func TestOneVectorOfStreams(t *testing.T) {
	for block, want := range map[int]int{40: 4, 100000: 1} {
		b := ir.NewBuilder()
		column, at := b.Axis("column", 1), b.Axis("block", 64)
		in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{64 * block, 1}}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(block), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Load(in, b.Add(b.Mul(at, b.I32(block)), i), column)))}, nil
		})
		kernel := &ir.Kernel{Name: "blocks", Axes: []*ir.Node{column, at}, Contract: true,
			Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{1, 64}}, Index: []*ir.Node{column, at}, Value: sum[0]}}}
		if c := Default(kernel, AVX512); c.FoldLanes || Product(c.Unroll) != want {
			t.Errorf("blocks of %d: %s, want %d vectors", block, c, want)
		}
	}
}
