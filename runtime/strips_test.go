package runtime

import (
	"fmt"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
	"weft/runtime/memory"
)

// wide are programs that blocks of whole rows do not fit: a few rows with their halo take too much.
var wide = []struct {
	name  string
	build func(w *streams) []*ops.Instance
	share float64 // of the memory of the whole that must do
}{
	{"blur", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.blur(w.waves(matrix(30, 6000)), 7))}
	}, 0.26},
	{"all rows are needed for each", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.blur(w.waves(matrix(10, 9000)), 9))}
	}, 0.5},
	{"blur of blur of third, and the third", func(w *streams) []*ops.Instance {
		third := w.third(w.waves(matrix(20, 6001)))
		return []*ops.Instance{w.keepRows("out", w.blur(w.blur(third, 4), 3)), w.keepRows("third", third)}
	}, 0.4},
	{"complex, of large frames", func(w *streams) []*ops.Instance {
		t := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "frame", Size: 2}, {Name: "y", Size: 300}, {Name: "x", Size: 500}}}
		return []*ops.Instance{w.keepRows("out", w.spin(w.third(w.waves(t))))}
	}, 0.15},
	{"turned", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.swap(w.waves(matrix(1500, 1400))))}
	}, 0.5},
	{"product", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.product(w.third(w.waves(matrix(100, 20))), w.waves(matrix(20, 20000))))}
	}, 0.15},
}

// product is that of two matrices, in which what is no number is 0.
func (w *streams) product(x, y ops.Array) ops.Array {
	n := y.Type().Dims[0].Size
	t := matrix(x.Type().Dims[0].Size, y.Type().Dims[1].Size)
	return w.lowered("product", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a"), l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			number := func(v *ir.Node) *ir.Node { return b.Cast(ir.F64, b.Select(b.Alu(ir.Eq, v, v), v, b.F32(0))) }
			return ops.Real(b.Cast(ir.F32, b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], b.Mul(number(l.In("a").At(b, i[0], k).Re), number(l.In("b").At(b, k, i[1]).Re)))}, nil
			})[0]))
		})}
	}, x, y)
}

func TestWideArraysRunInStrips(t *testing.T) {
	for _, c := range wide {
		t.Run(c.name, func(t *testing.T) {
			whole, peak := runWhole(t, c.build)
			budget := int64(float64(peak) * c.share)
			w := newStreams()
			p, err := w.build(t, budget, c.build(w)...)
			if err != nil {
				t.Fatal(err)
			}
			if p.Stream == nil || len(p.Stream.Passes[0].Strip) == 0 || p.Stream.PeakBytes > budget {
				t.Fatalf("not in strips: %+v", p.Stream)
			}
			runWithin(t, w, whole, p, budget)
			t.Logf("blocks of %d x %v", p.Stream.Passes[0].BlockRows, p.Stream.Passes[0].Strip)
		})
	}
}

// Strips on devices, be it one that holds whole arrays, one that holds parts of them, or several, give what the host gives, and take no more than
// the budget there.
func TestStripsOnDevices(t *testing.T) {
	for _, c := range wide {
		t.Run(c.name, func(t *testing.T) {
			whole, peak := runWhole(t, c.build, emulations(t, "{memory: 16 MiB}")...)
			budget := int64(float64(peak) * c.share)
			for name, descriptions := range map[string][]string{
				"one that holds all":   {"{memory: 16 MiB}"},
				"one that holds parts": {fmt.Sprintf("{memory: %d}", peak*7/10)},
				"several":              {"{memory: 16 MiB}", "{memory: 600 KiB, link: {pinned: false}}", "{name: slow, flops: 1e9}"},
			} {
				w := newStreams()
				p, err := w.build(t, budget, c.build(w)...)
				if err != nil {
					t.Fatal(err)
				}
				if p.Stream == nil || len(p.Stream.Passes[0].Strip) == 0 {
					t.Fatalf("%s: not in strips: %+v", name, p.Stream)
				}
				devices := emulations(t, descriptions...)
				placeAll(p, devices)
				r, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Accelerators: devices, Threads: 2, Verify: true, Strict: true,
					Memory: memory.NewGovernor(budget + 64<<20)})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for out, want := range whole.got {
					if !sameBits(w.got[out], want) {
						t.Errorf("%s: %s differs from the run of the whole", name, out)
					}
				}
				for i, d := range devices {
					if u := d.(device.Metered).Usage(); u.Allocated != 0 || u.Peak > d.Info().Limits.Memory {
						t.Errorf("%s: device %d holds %d bytes, had %d", name, i, u.Allocated, u.Peak)
					}
				}
				if r.PeakBuffers > budget {
					t.Errorf("%s: took %d bytes, budget %d", name, r.PeakBuffers, budget)
				}
				for _, k := range r.Kernels {
					if len(k.Shares) == 0 {
						t.Errorf("%s: kernel %s did not run on devices", name, k.ID)
					}
				}
			}
		})
	}
}

// Blocks end where chunks of what is read and written end, so that none is read or written in two of them; strips that need their neighbours
// still write each once. A chunk that is too large for the budget is cut.
func TestBlocksEndAtChunks(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(w *streams) []*ops.Instance
		share float64
		chunk optest.Chunks
		once  []string // what has no chunk in two blocks
		strip bool
	}{
		{"pointwise", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.third(w.waves(matrix(300, 700))))}
		}, 0.5, optest.Chunks{25, 70}, []string{"waves", "out"}, false},
		{"pointwise, of whole rows", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.third(w.waves(matrix(300, 700))))}
		}, 0.5, optest.Chunks{7, 700}, []string{"waves", "out"}, false},
		{"strips of whole chunks", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.third(w.waves(matrix(300, 7000))))}
		}, 0.4, optest.Chunks{100, 1000}, []string{"waves", "out"}, true},
		{"chunks as high as the array", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.third(w.waves(matrix(300, 7000))))}
		}, 0.4, optest.Chunks{300, 700}, []string{"waves", "out"}, true},
		{"blur", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.blur(w.waves(matrix(30, 6000)), 7))}
		}, 0.26, optest.Chunks{1, 300}, []string{"out"}, true},
		{"chunks of whole rows, cut", func(w *streams) []*ops.Instance {
			return []*ops.Instance{w.keepRows("out", w.blur(w.waves(matrix(30, 6000)), 7))}
		}, 0.26, optest.Chunks{1, 6000}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, peak := runWhole(t, c.build)
			w := newStreams()
			w.chunk = c.chunk
			p, err := w.build(t, int64(float64(peak)*c.share), c.build(w)...)
			if err != nil {
				t.Fatal(err)
			}
			if p.Stream == nil || (len(p.Stream.Passes[0].Strip) > 0) != c.strip {
				t.Fatalf("not as it should be cut: %+v", p.Stream)
			}
			if _, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Threads: 2}); err != nil {
				t.Fatal(err)
			}
			if !sameBits(w.got["out"], whole.got["out"]) {
				t.Error("other bits than the whole")
			}
			for _, name := range c.once {
				seen := map[[2]int]int{}
				for i, at := range w.parts[name] {
					for y := at[0].Lo / c.chunk[0]; y*c.chunk[0] < at[0].Hi; y++ {
						for x := at[1].Lo / c.chunk[1]; x*c.chunk[1] < at[1].Hi; x++ {
							if before, again := seen[[2]int{y, x}]; again {
								t.Fatalf("%s: chunk %d, %d is in %v and in %v", name, y, x, w.parts[name][before], at)
							}
							seen[[2]int{y, x}] = i
						}
					}
				}
				if len(w.parts[name]) < 4 {
					t.Errorf("%s came in %d parts", name, len(w.parts[name]))
				}
			}
		})
	}
}

// Of arrays that come in strips as much of each row is held as a strip needs; rows that are read whole lie side by side, and so do those of runs without strips.
func TestStripsLieInOnePiece(t *testing.T) {
	for _, columns := range []int{20000, 5000, 2500} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) { stripsLieInOnePiece(t, columns) })
	}
}

func stripsLieInOnePiece(t *testing.T, columns int) {
	build := func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.product(w.waves(matrix(60, 40)), w.waves(matrix(40, columns))))}
	}
	whole, peak := runWhole(t, build)
	w := newStreams()
	budget := peak / 4
	p, err := w.build(t, budget, build(w)...)
	if err != nil {
		t.Fatal(err)
	}
	runWithin(t, w, whole, p, budget)
	at := p.Stream.Passes[0].Strip[0]
	for i := range p.Buffers {
		b := &p.Buffers[i]
		row, want, least := b.Bufs[0].Row(), b.Layout.Dims[1].Size, b.Layout.Dims[1].Size
		if want == columns {
			want, least = at+32, at // a line more where that is whole pages, and what rows are padded with to whole lines
		}
		if row < least || row > want || b.Bytes != b.Bufs[0].Bytes() {
			t.Errorf("%s: rows of %d elements, %d bytes; want %d", b.Stage, row, b.Bytes, want)
		}
		if row*4%4096 == 0 {
			t.Errorf("%s: rows of %d elements are whole pages", b.Stage, row)
		}
	}
	held := int64(0) // of a block of each but the second, in memory: two blocks of what is read or written, and a strip of that
	strip, rows := int64(p.Stream.Passes[0].Strip[0]), int64(p.Stream.Passes[0].BlockRows)
	held = 4 * (40*strip + 2*rows*40 + 2*rows*strip)
	if more := p.Stream.PeakBytes - held; more > 64<<10 {
		t.Errorf("%d bytes beside the %d that are held", more, held)
	}
	rest, err := w.build(t, 2*peak, build(w)...)
	if err != nil {
		t.Fatal(err)
	}
	if b := rest.Buffers[1]; b.Bufs[0].Held != 0 {
		t.Errorf("%s holds parts of rows without strips", b.Stage)
	}
}
