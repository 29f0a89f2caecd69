package subst

import (
	"context"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Values that cannot be but one are constants, bounds that are never reached are gone, and everything else stays.
func TestSettle(t *testing.T) {
	held := &ir.Buffer{Name: "held", Type: ir.F32, Shape: []int{8}, Facts: ir.Facts{Within: &ir.Interval{Lo: 2, Hi: 4}}}
	open := &ir.Buffer{Name: "open", Type: ir.F32, Shape: []int{8}}
	data := []float64{2, 2.5, 3, 4, 2, 3.5, 4, 3}
	for name, c := range map[string]struct {
		build func(b *ir.Builder, x, y *ir.Node) *ir.Node // of what is held, and of what may be anything
		nodes int                                         // operations that stay
	}{
		"a condition that holds":  {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Select(b.Lt(x, b.F32(5)), y, x) }, 0},
		"one that may":            {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Select(b.Lt(x, b.F32(4)), y, x) }, 2},
		"a window of nothing":     {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Mul(y, b.Alu(ir.Cos, b.Mul(b.F32(0), x))) }, 0},
		"nothing of anything":     {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Mul(b.F32(0), y) }, 1},
		"nothing of unknown sign": {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Mul(b.F32(0), b.Sub(x, b.F32(3))) }, 2},
		"a part of nothing": {func(b *ir.Builder, x, y *ir.Node) *ir.Node {
			return b.Add(y, b.Div(b.Mul(b.F32(0), b.Abs(b.Sub(x, b.F32(9)))), x))
		}, 1},
		"bounds": {func(b *ir.Builder, x, y *ir.Node) *ir.Node {
			return b.Max(b.F32(1), b.Min(b.Alu(ir.Floor, b.Min(x, b.F32(5))), b.F32(7)))
		}, 1},
		"bounds that are met": {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Max(b.F32(2), b.Min(x, b.F32(4))) }, 2},
		"bounds of anything":  {func(b *ir.Builder, x, y *ir.Node) *ir.Node { return b.Max(b.F32(1), y) }, 1},
		"bounds in turns": {func(b *ir.Builder, x, y *ir.Node) *ir.Node {
			spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(8), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}
			return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				z := b.Min(b.Max(b.Load(held, i), b.F32(1)), b.F32(5))
				return []*ir.Node{b.Add(acc[0], b.Mul(z, x))}, nil
			})[0]
		}, 2},
	} {
		b := ir.NewBuilder()
		at := b.Axis("x", 8)
		store := ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{8}}, Index: []*ir.Node{at}, Value: c.build(b, b.Load(held, at), b.Load(open, at))}
		k := &ir.Kernel{Name: "settled", Axes: []*ir.Node{at}, Stores: []ir.Store{store}}
		settled := Settle(k)
		if err := rules.Check(settled); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		nodes := 0
		settled.Walk(func(n *ir.Node) {
			if n.Kind == ir.KAlu {
				nodes++
			}
		})
		if nodes != c.nodes {
			t.Errorf("%s: %d operations stay, want %d\n%s", name, nodes, c.nodes, settled)
		}
		want, got := evaluated(t, k, data, held, open), evaluated(t, settled, data, held, open)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s at %d: %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// settling is a device that computes settled kernels.
type settling struct{ device.Device }

func (s settling) Compile(ctx context.Context, kernels []*ir.Kernel, opt device.Options) ([]device.Program, error) {
	out := make([]*ir.Kernel, len(kernels))
	for i, k := range kernels {
		out[i] = Settle(k)
	}
	programs, err := s.Device.Compile(ctx, out, opt)
	for i := range programs {
		programs[i] = settled{programs[i], kernels[i]}
	}
	return programs, err
}

// settled is a program as one of the kernel that was settled.
type settled struct {
	device.Program
	was *ir.Kernel
}

func (s settled) Kernel() *ir.Kernel { return s.was }

func TestSettledKernelsAgree(t *testing.T) {
	conformance.Run(t, settling{interp.New(interp.Options{})})
}
