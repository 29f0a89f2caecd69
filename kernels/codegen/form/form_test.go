package form

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Sums of products are added product by product; everything else as it is.
func TestProducts(t *testing.T) {
	b := ir.NewBuilder()
	x, y := b.Cast(ir.F32, b.Axis("x", 4)), b.Cast(ir.F32, b.Axis("y", 4))
	xx, xy, yy := b.Mul(x, x), b.Mul(x, y), b.Mul(y, y)
	for _, c := range []struct {
		name string
		of   *ir.Node
		want []schedule.Signed
	}{
		{"difference of products", b.Sub(xx, yy), []schedule.Signed{{N: xx, Minus: true}, {N: yy}}},
		{"three products", b.Add(b.Sub(xx, yy), xy), []schedule.Signed{{N: xx, Minus: true}, {N: yy}, {N: xy, Minus: true}}},
		{"product", xy, []schedule.Signed{{N: xy, Minus: true}}},
		{"product and something else", b.Add(xy, x), []schedule.Signed{{N: b.Add(xy, x), Minus: true}}},
	} {
		got := Products([]schedule.Signed{{N: c.of, Minus: true}})
		if len(got) != len(c.want) {
			t.Errorf("%s: %d terms, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: term %d is another", c.name, i)
			}
		}
	}
}
