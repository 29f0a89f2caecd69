package cost

import (
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/profile"
)

// Rows of turns that lie side by side are packed by turning them over in registers, where lanes by themselves would be gathered.
func TestPackedRowsAreTurnedOver(t *testing.T) {
	const points, n = 80, 100
	b := ir.NewBuilder()
	y, x := b.Axis("y", points), b.Axis("x", points)
	left, right := &ir.Buffer{Name: "left", Type: ir.F32, Shape: []int{n, points}}, &ir.Buffer{Name: "right", Type: ir.F32, Shape: []int{points, n}}
	var loaded *ir.Node
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		loaded = b.Load(right, x, i)
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(left, i, y), loaded))}, nil
	})
	axes := []*ir.Node{y, x}
	k := &ir.Kernel{Name: "rows", Axes: axes, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points, points}}, Index: axes, Value: sum[0]}}}
	p, l := profile.Default(1), device.Layout{Lanes: []int{1}, Flight: 8, FlightOn: map[int]int{0: 8}}
	gathered := workOf(k, p, &l, nil)
	l.Packed = map[*ir.Node]device.Packing{loaded: {Points: points, Operand: true}}
	if packed := workOf(k, p, &l, nil); gathered.ns[profile.Gather] == 0 || packed.ns[profile.Gather] != 0 || packed.ns[profile.Simple] == 0 || packed.total() > gathered.total() {
		t.Errorf("gathered: %v; packed: %v", gathered.ns, packed.ns)
	}
}
