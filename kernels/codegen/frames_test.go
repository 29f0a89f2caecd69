package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// batch sums, for each frame and point, elements at places that are the same for all frames, guarded or not, of which the frames, or each block of them, may be innermost.
func batch(t ir.DType, frames int, innermost, guarded bool, block int) (k *ir.Kernel, echo *ir.Buffer) {
	b := ir.NewBuilder()
	k = &ir.Kernel{Name: "batch", Axes: []*ir.Node{b.Axis("frame", frames), b.Axis("y", 128), b.Axis("x", 256)}}
	frame, y, x := k.Axes[0], k.Axes[1], k.Axes[2]
	vec := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{n}} }
	echo = &ir.Buffer{Name: "echo", Type: t, Shape: []int{frames, 64, 500}}
	if innermost {
		echo.Shape = []int{64, 500, frames}
	}
	if block > 0 {
		echo.Shape = []int{frames / block, 64, 500, block}
	}
	px, py := b.Load(vec("X", 256), x), b.Load(vec("Y", 128), y)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(64), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(e *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		d := b.Sub(px, b.Load(vec("E", 64), e))
		far := b.Sqrt(b.Add(b.Mul(d, d), b.Mul(py, py)))
		whole := b.Alu(ir.Rint, far)
		u := b.Sub(far, whole)
		at := b.Cast(ir.I32, whole)
		weight := b.Mul(u, b.Add(b.Mul(b.Add(b.Mul(b.F32(0.5), u), b.F32(0.25)), u), b.F32(1)))
		index := []*ir.Node{frame, e, at}
		if innermost {
			index = []*ir.Node{e, at, frame}
		}
		if block > 0 {
			n := b.I32(block)
			index = []*ir.Node{b.Div(frame, n), e, at, b.Mod(frame, n)}
		}
		v := b.Load(echo, index...)
		if guarded {
			v = b.LoadOr(echo, b.And(b.Le(b.I32(0), at), b.Lt(at, b.I32(500))), b.F32(0), index...)
		}
		return []*ir.Node{b.Add(acc[0], b.Mul(v, weight))}, nil
	})
	k.Stores = []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{frames, 128, 256}}, Index: k.Axes, Value: sum[0]}}
	return k, echo
}

// Kernels want frames innermost that share what a fold computes, and a thread then loads several of them by one instruction.
func TestFramesOfAThreadLieSideBySide(t *testing.T) {
	for _, typ := range []ir.DType{ir.F32, ir.F16, ir.BF16} {
		for _, guarded := range []bool{false, true} {
			each := 16 / typ.Size()
			k, echo := batch(typ, 32, false, guarded, 0)
			want := schedule.FramesInnermost(k)
			if at, ok := want[echo]; !ok || at != 0 || len(want) != 1 || schedule.CUDADefault(k).Together {
				t.Errorf("%s: wants dims %v innermost, %s", typ, want, schedule.CUDADefault(k).Text(k))
			}
			k, _ = batch(typ, 32, true, guarded, 0)
			s := schedule.CUDADefault(k)
			code, err := cuda.Render(k, s, "k")
			load := fmt.Sprintf("s_load_%s_%d(", typ, each)
			if err != nil || !s.Together || s.Block[0].Axis != 0 || strings.Count(code.Source, load) == 0 || strings.Contains(code.Source, fmt.Sprintf("s_load_%s(", typ)) && typ != ir.F32 {
				t.Errorf("%s: %s, %v, %d of %s", typ, s.Text(k), err, strings.Count(code.Source, load), load)
			}
			if most := map[int]int{4: 4, 8: 16}[each]; s.Unroll[0].N != most {
				t.Errorf("%s: %s, not %d a thread", typ, s.Text(k), most)
			}
			if want := schedule.FramesInnermost(k); len(want) > 0 {
				t.Errorf("%s: wants dims %v innermost that are", typ, want)
			}
			twice := 2 // of halves a thread takes as many
			if each == 8 {
				twice = 1
			}
			for block, lanes := range map[int]int{each: 1, 2 * each: twice, each + 2: 0} { // 0: blocks that threads would begin within
				k, _ := batch(typ, 10*block, false, guarded, block)
				s := schedule.CUDADefault(k)
				code, err := cuda.Render(k, s, "k")
				n := strings.Count(code.Source, load)
				if err != nil || s.Together != (lanes > 0) || n > 0 != (lanes > 0) || lanes > 0 && s.Block[0] != (schedule.AxisN{Axis: 0, N: lanes}) {
					t.Errorf("%s in blocks of %d: %s, %v, %d of %s", typ, block, s.Text(k), err, n, load)
				}
				if want := schedule.FramesInnermost(k); len(want) > 0 {
					t.Errorf("%s in blocks of %d: wants dims %v innermost", typ, block, want)
				}
			}
		}
	}
	if k, _ := batch(ir.F32, 33, false, false, 0); len(schedule.FramesInnermost(k)) > 0 {
		t.Error("threads would begin anywhere")
	}
}

// Of the axes along which points load at places of their own, those come first whose neighbours load what lies near: X is fine, and Y coarse.
func TestNeighboursOfAWarpLoadNearby(t *testing.T) {
	for _, coarse := range []string{"x", "y"} {
		k, _ := batch(ir.F16, 32, true, false, 0)
		k.Walk(func(n *ir.Node) {
			if n.Kind == ir.KLoad && len(n.Buf.Shape) == 1 {
				n.Buf.Facts.Data = &ir.DataFacts{Most: 1}
				if n.Buf.Name == strings.ToUpper(coarse) {
					n.Buf.Facts.Data.Most = 1000
				}
			}
		})
		if s := schedule.CUDADefault(k); !s.Together || k.Axes[s.Block[1].Axis].Name == coarse || k.Axes[s.Block[2].Axis].Name != coarse {
			t.Errorf("places far apart along %s: %s", coarse, s.Text(k))
		}
	}
}
