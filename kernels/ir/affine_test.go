package ir_test

import (
	"testing"

	"weft/kernels/ir"
)

// What lies in blocks along an axis is said to lie side by side for as many of its elements as do.
func TestBesideInBlocks(t *testing.T) {
	b := ir.NewBuilder()
	const rows, row = 5, 2
	for _, block := range []int{2, 4, 6, 8} {
		x, y := b.Axis("x", 48), b.Axis("y", rows)
		buf := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{48 / block, rows, block}}
		l := ir.Flatten(buf, []*ir.Node{b.Div(x, b.I32(block)), y, b.Mod(x, b.I32(block))})
		at := func(x int) int { return (x/block*rows+row)*block + x%block }
		for _, n := range []int{2, 4, 8} {
			lie := true
			for first := 0; first < 48; first += n {
				for i := range n {
					lie = lie && at(first)%n == 0 && at(first+i) == at(first)+i
				}
			}
			if got := l.Beside(x, int64(n)); got != lie {
				t.Errorf("%d of blocks of %d lie side by side: %v, and it says %v", n, block, lie, got)
			}
			if l.Beside(y, int64(n)) {
				t.Errorf("blocks of %d lie apart along the other axis", block)
			}
		}
	}
}
