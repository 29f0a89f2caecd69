package count

import (
	"math"
	"testing"

	"weft/kernels/ir"
)

// Folds that end by place turn as often as they do on average; and all points go together from where the first begins to where the last ends, where they may.
func TestTurnsByPlace(t *testing.T) {
	const n = 400
	b := ir.NewBuilder()
	k := &ir.Kernel{Name: "triangle", Axes: []*ir.Node{b.Axis("i", n), b.Axis("j", n)}}
	i, j := k.Axes[0], k.Axes[1]
	x := &ir.Buffer{Name: "x", Type: ir.F64, Shape: []int{n, n}}
	for name, c := range map[string]struct {
		lo, hi *ir.Node
		share  float64
		hull   [2]int64
		ok     bool
	}{
		"lower": {b.I32(0), b.Add(i, b.I32(1)), 1. / 2, [2]int64{0, n}, true},
		"both":  {j, b.Add(i, b.I32(1)), 1. / 6, [2]int64{0, n}, true},
		"half":  {b.I32(0), b.Select(b.Le(j, i), b.I32(n), b.I32(0)), 1. / 2, [2]int64{0, n}, true},
		"short": {b.I32(3), b.Min(b.I32(7), b.Add(i, b.I32(1))), 4. / n, [2]int64{3, 7}, true},
		"out":   {b.I32(0), b.Add(i, b.I32(2)), 1. / 2, [2]int64{0, n + 1}, false},
		"alike": {b.I32(0), b.I32(n), 1, [2]int64{}, false},
	} {
		var f *ir.Fold
		sum := b.Fold(ir.FoldSpec{Lo: c.lo, Hi: c.hi, Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(m *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Load(x, i, m))}, nil
		})
		f = sum[0].Fold
		mean, known := MeanTrips(f)
		if !known {
			mean, _ = KnownTrips(f)
		}
		if math.Abs(mean/n-c.share) > 0.1*c.share {
			t.Errorf("%s: %g turns (%v)", name, mean, known)
		}
		if lo, hi, ok := Hull(k, f); ok != c.ok || ok && (lo != c.hull[0] || hi != c.hull[1]) {
			t.Errorf("%s: %d to %d, %v", name, lo, hi, ok)
		}
	}
}
