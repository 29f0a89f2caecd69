package runtime

import (
	"context"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// tenths is floor(x * 0.01 * 100): with x whole, on one side or the other of a whole number by rounding alone, and else far from any.
func (w *world) tenths(in ops.Array) ops.Array {
	return w.lowered("tenths", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Alu(ir.Floor, b.Mul(b.Mul(l.In("a").At(b, i...).Re, b.F32(0.01)), b.F32(100))))
		})}
	}, in)
}

// cancelled is 1/3 + x - x - 1/3, which is rounding alone.
func (w *world) cancelled(in ops.Array) ops.Array {
	return w.lowered("cancelled", in.Type(), func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", in.Type(), []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			x, third := l.In("a").At(b, i...).Re, b.F32(1.0/3)
			return ops.Real(b.Sub(b.Sub(b.Add(third, x), x), third))
		})}
	}, in)
}

// TestTiesAreNoErrors: where a discontinuity lies within rounding the branch that the kernel took is right, and the report counts those.
// What rounding cannot explain is found all the same.
func TestTiesAreNoErrors(t *testing.T) {
	for name, c := range map[string]struct {
		build func(w *world, in ops.Array) ops.Array
		wrong float64 // added to one element in a hundred
		ok    bool
	}{
		"ties":                   {(*world).tenths, 0, true},
		"ties and wrong ones":    {(*world).tenths, 1.5, false},
		"rounding alone":         {(*world).cancelled, 0, true},
		"rounding and wrong one": {(*world).cancelled, 1e-3, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			dev := newFaulty("native")
			dev.after = func(k *ir.Kernel, b device.Bindings, tile region.Region) {
				out := k.Stores[0].Buf
				cells := device.View[float32](b.Mem[out].Host(), ir.F32)
				for i := tile[0].Lo; i < tile[0].Hi && c.wrong != 0; i++ {
					for j := range out.Shape[1] {
						if (i*out.Shape[1]+j)%100 == 0 {
							cells[out.Pad.Before+i*out.Strides()[0]+j] += float32(c.wrong)
						}
					}
				}
			}
			p := w.plan(t, dev, w.keep("out", c.build(w, w.ramp(matrix(60, 100)))))
			r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Parity[0]
			if got.OK != c.ok || c.ok && got.Ties+got.Rounding == 0 {
				t.Errorf("parity %+v", got)
			}
		})
	}
}

// shifted reads each row as many places further on as a scalar says, in millionths.
func (w *world) shifted(in, by ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("shifted", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a"), l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			further := b.Cast(ir.I32, b.Mul(l.In("b").At(b).Re, b.F32(1e6)))
			return ops.Real(l.In("a").At(b, i[0], b.Alu(ir.BitAnd, b.Add(i[1], further), b.I32(63))).Re)
		})}
	}, in, by)
}

// TestTiesFollowFromWhatIsStored: an element that is off because the array that its place was made from holds what rounding left is right if that
// array is, and if it follows from it. Either fault is found.
func TestTiesFollowFromWhatIsStored(t *testing.T) {
	for name, c := range map[string]struct {
		wrong float32 // added to one element in a hundred of what is read
		sum   float32 // and to the scalar that says where
		ok    bool
	}{
		"right":                 {0, 0, true},
		"another order":         {0, 1e-3, true},
		"one in a hundred":      {1, 0, false},
		"one after another":     {1, 1e-3, false},
		"a wrong place for all": {0, 17.3, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			dev := newFaulty("native")
			dev.after = func(k *ir.Kernel, b device.Bindings, tile region.Region) {
				out := k.Stores[0].Buf
				cells := device.View[float32](b.Mem[out].Host(), ir.F32)
				if len(out.Shape) == 0 {
					cells[out.Pad.Before] += c.sum
					return
				}
				for i := tile[0].Lo; i < tile[0].Hi && len(k.Inputs()) == 2; i++ {
					for j := range out.Shape[1] {
						if (i*out.Shape[1]+j)%100 == 0 {
							cells[out.Pad.Before+i*out.Strides()[0]+j] += c.wrong
						}
					}
				}
			}
			in := w.ramp(matrix(60, 100))
			noise := w.total(w.cancelled(in))
			p := w.plan(t, dev, w.keep("noise", noise), w.keep("out", w.shifted(in, noise)))
			r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Verify: true, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			out := r.Parity[len(r.Parity)-1]
			if out.OK != c.ok || c.ok && out.Rounding == 0 {
				t.Errorf("parity %+v", out)
			}
		})
	}
}
