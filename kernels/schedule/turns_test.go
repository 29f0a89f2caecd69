package schedule

import (
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
)

// What sums over blocks are joined once a row, rounded in between or not; what adds up blocks by columns goes on lanes along these, and what a
// row is the same for all of them has its turns on lanes.
func TestTurnsOnLanes(t *testing.T) {
	want := map[string]string{
		"float64 sums of float32 over blocks of rows":                        "order row, foldlanes",
		"float64 sums of float64 sums over blocks, rounded in between":       "order row, foldlanes",
		"sums in f64 of blocks of 16 by columns, times their rows' products": "order chunk>lane, lanes lane:16, foldlanes",
		"sums in f64 of blocks of 37 by columns, times their rows' products": "order chunk>lane, lanes lane:16, unroll lane:2, foldlanes",
	}
	for _, c := range conformance.Cases() {
		text, ok := want[c.Name]
		if !ok {
			continue
		}
		delete(want, c.Name)
		if s := Default(c.Kernel, AVX512).Text(c.Kernel); s != text {
			t.Errorf("%s: %s, want %s", c.Name, s, text)
		}
		nested := false
		c.Kernel.Walk(func(n *ir.Node) { nested = nested || n.Kind == ir.KFold && Nested(n.Fold, AVX512.Lanes) != nil })
		if !nested {
			t.Errorf("%s: sums over blocks are joined block by block", c.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("no cases %v", want)
	}
}
