package warps_test

import (
	"fmt"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Blocks lie across two axes where warps along one would touch 32 pieces of what lies along the other, and along one in all other cases.
func TestBlocksLieAcrossWhatIsTransposed(t *testing.T) {
	const rows, columns = 303, 501 // threads would begin anywhere if they had several points
	for _, c := range []struct {
		name string
		want string
		load func(b *ir.Builder, y, x *ir.Node) *ir.Node
	}{
		{"a transpose", "block x:8xy:32", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Load(f32(columns, rows), x, y) }},
		{"one of few columns", "block x:8xy:32", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Load(f32(columns, 8), x, b.Alu(ir.Mod, y, b.I32(8)))
		}},
		{"elements", "block x:256xy:1", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Load(f32(rows, columns), y, x) }},
		{"a row and a column", "block x:256xy:1", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Add(b.Load(f32(rows), y), b.Load(f32(columns), x))
		}},
		{"elements far apart along both", "block x:256xy:1", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Load(f32(rows, columns, 8), y, x, b.I32(3))
		}},
		{"who knows where", "block x:256xy:1", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Load(f32(columns, rows), b.Load(&ir.Buffer{Name: "at", Type: ir.I32, Shape: []int{columns}}, x), y)
		}},
	} {
		b := ir.NewBuilder()
		k := &ir.Kernel{Name: "k", Axes: []*ir.Node{b.Axis("y", rows), b.Axis("x", columns)}}
		v := c.load(b, k.Axes[0], k.Axes[1])
		k.Stores = []ir.Store{{Buf: f32(rows, columns), Index: k.Axes, Value: b.Add(v, b.F32(1))}}
		if got := schedule.CUDADefault(k).Text(k); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

var buffers int

func f32(shape ...int) *ir.Buffer {
	buffers++
	return &ir.Buffer{Name: fmt.Sprint("b", buffers), Type: ir.F32, Shape: shape}
}
