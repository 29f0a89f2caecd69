package runtime

import (
	"math"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/ops"
	"weft/planner"
	"weft/planner/plan"
	"weft/runtime/memory"
)

// inRow is a sum over the entries of a row.
func inRow(b *ops.Body, a *ops.Stage, row *ir.Node, term func(k *ir.Node) *ir.Node) *ir.Node {
	return b.Fold(ir.FoldSpec{Name: "k", Lo: a.Part(b, "starts", row), Hi: a.Part(b, "starts", b.Add(row, b.I32(1))), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum},
		func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(k))}, nil
		})[0]
}

// entryTimes is the product of an entry and what it meets in x; blockTimes, that of a block.
func entryTimes(b *ops.Body, a, x *ops.Stage, k *ir.Node) *ir.Node {
	return b.Mul(a.Part(b, "values", k), x.At(b, a.Part(b, "columns", k)).Re)
}

func blockTimes(b *ops.Body, a, x *ops.Stage, k *ir.Node) *ir.Node {
	first := b.Mul(a.Part(b, "columns", k), b.I32(blockColumns))
	return b.Fold(ir.FoldSpec{Name: "lane", Lo: b.I32(0), Hi: b.I32(blockColumns), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(l *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(a.Part(b, "values", k, l), x.At(b, b.Add(first, l)).Re))}, nil
	})[0]
}

// products is a matrix times a vector.
func (w *streams) products(a, x ops.Array, times func(b *ops.Body, a, x *ops.Stage, k *ir.Node) *ir.Node) ops.Array {
	t := ops.Type{Elem: ops.F32, Dims: a.Type().Dims[:1]}
	return w.lowered("product", t, func(l *ops.Lowering) []*ops.Stage {
		a, x := l.In("a"), l.In("b")
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{a, x}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(inRow(b, a, i[0], func(k *ir.Node) *ir.Node { return times(b, a, x, k) }))
		})}
	}, a, x)
}

// slope is the derivative of a row's penalty.
func slope(b *ops.Body, q *ops.Stage, row, d *ir.Node) *ir.Node {
	at := func(i int) *ir.Node { return q.At(b, row, b.I32(i)).Re }
	o := b.Sub(d, at(0))
	over := b.Select(b.Lt(b.F32(0), o), at(1), at(2))
	u := b.Max(b.Sub(d, at(4)), b.F32(0))
	return b.Mul(b.F32(2), b.Add(b.Add(b.Mul(over, o), b.Mul(at(3), d)), b.Mul(at(5), u)))
}

const gradientChunks = 64

// gradient is A' f(A x) of a matrix in blocks, which is read once: each chunk of its rows has a sum of its own.
func (w *streams) gradient(a, x, q ops.Array) ops.Array {
	rows, width := a.Type().Dims[0].Size, x.Type().Dims[0].Size
	t := ops.Type{Elem: ops.F32, Dims: x.Type().Dims}
	return w.lowered("gradient", t, func(l *ops.Lowering) []*ops.Stage {
		a, x, q := l.In("a"), l.In("b"), l.In("c")
		each := (rows + gradientChunks - 1) / gradientChunks
		chunks := ops.Dim{Name: "chunk", Size: (rows + each - 1) / each}
		of := func(b *ops.Body, row *ir.Node) *ir.Node {
			return slope(b, q, row, inRow(b, a, row, func(k *ir.Node) *ir.Node { return blockTimes(b, a, x, k) }))
		}
		ends := func(b *ops.Body, chunk *ir.Node) (lo, hi *ir.Node) {
			lo = b.Mul(chunk, b.I32(each))
			return lo, b.Min(b.Add(lo, b.I32(each)), b.I32(rows))
		}
		parts := l.Stage("parts", ops.Type{Elem: ops.F32, Dims: []ops.Dim{chunks, t.Dims[0]}}, []*ops.Stage{a, x, q}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			lo, hi := ends(b, i[0])
			block, lane := b.Alu(ir.Div, i[1], b.I32(blockColumns)), b.Alu(ir.Mod, i[1], b.I32(blockColumns))
			return ops.Real(b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(row *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				here := inRow(b, a, row, func(k *ir.Node) *ir.Node {
					return b.Select(b.Alu(ir.Eq, a.Part(b, "columns", k), block), a.Part(b, "values", k, lane), b.F32(0))
				})
				return []*ir.Node{b.Add(acc[0], b.Mul(here, of(b, row)))}, nil
			})[0])
		})
		parts.Put = &ops.Put{Axes: []ops.Dim{chunks}, Writes: func(b *ops.Body, at []*ir.Node) []ops.Write {
			clear, _ := b.Nest([]*ir.Node{b.I32(width)}, at, nil, func(_, state []*ir.Node) []*ir.Node { return state })
			lo, hi := ends(b, at[0])
			var lane *ir.Fold
			var value, column *ir.Node
			still := func(lo, hi *ir.Node, init []*ir.Node, in func(i *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
				return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: init}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return in(i, acc), nil })
			}
			still(lo, hi, at, func(row *ir.Node, acc []*ir.Node) []*ir.Node {
				r := of(b, row)
				return still(a.Part(b, "starts", row), a.Part(b, "starts", b.Add(row, b.I32(1))), acc, func(k *ir.Node, acc []*ir.Node) []*ir.Node {
					first := b.Mul(a.Part(b, "columns", k), b.I32(blockColumns))
					out := still(b.I32(0), b.I32(blockColumns), acc, func(l *ir.Node, acc []*ir.Node) []*ir.Node {
						column, value = b.Add(first, l), b.Mul(r, a.Part(b, "values", k, l))
						return acc
					})
					lane = out[0].Fold
					return out
				})
			})
			return []ops.Write{
				{In: clear, At: []*ir.Node{at[0], clear.Index}, Value: ops.Real(b.F32(0))},
				{In: lane, At: []*ir.Node{at[0], column}, Value: ops.Real(value), Adds: true},
			}
		}}
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{parts}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(sumTo(b, chunks.Size, func(c *ir.Node) *ir.Node { return parts.At(b, c, i[0]).Re }))
		})}
	}, a, x, q)
}

// what each of raggedOutputs should be, given the values of the matrix.
func (d *doses) expected(name string, value func(float32) float64) []float64 {
	product := make([]float64, d.rows)
	for row := range product {
		for k := d.starts[row]; k < d.starts[row+1]; k++ {
			product[row] += value(d.value[k]) * float64(d.x[d.column[k]])
		}
	}
	if name != "gradient" {
		return product
	}
	out := make([]float64, padded(d.columns))
	for row, v := range product {
		q := d.penalty[6*row:]
		o, u := v-float64(q[0]), max(v-float64(q[4]), 0)
		over := float64(q[1])
		if o <= 0 {
			over = float64(q[2])
		}
		slope := 2 * (over*o + float64(q[3])*v + float64(q[5])*u)
		for k := d.starts[row]; k < d.starts[row+1]; k++ {
			out[d.column[k]] += value(d.value[k]) * slope
		}
	}
	return out
}

// Products with a matrix in rows of unlike lengths and what is scattered by it are right, on the interpreter and compiled, in one kernel
// each for what is read of the matrix, and checked by their samples.
func TestRaggedRows(t *testing.T) {
	d := newDoses(700, 190)
	devices := []device.Device{interp.New(interp.Options{})}
	if cpu, err := native.New(native.FromEnv()); err == nil {
		devices = append(devices, cpu)
	}
	for name, build := range raggedOutputs {
		for _, dev := range devices {
			w := newStreams()
			p, err := planner.Build(build(w, d), dev.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e11, Bandwidth: 2e10}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: name != "fewer", Strict: true}) // it leaves places empty
			if err != nil {
				t.Fatal(err)
			}
			want := d.expected(name, func(v float32) float64 { return float64(v) })
			if name != "entries" {
				want = d.expected(name, func(v float32) float64 { return halved(v) })
			}
			columns := want
			if name == "fewer" {
				_, want, columns = d.places(d.random())
			}
			got := w.got["out"].Re[:len(want)]
			for i := range got {
				if name == "fewer" && want[i] == 0 {
					got[i] = 0
				} else if name == "fewer" && w.got["columns"].Re[i] != columns[i] {
					t.Fatalf("place %d of %s has another column", i, dev.Info().Kind)
				}
			}
			if !nearly(got, want) {
				t.Errorf("%s of %s is wrong", name, dev.Info().Kind)
			}
			for _, q := range r.Parity {
				if q.Samples == 0 || !q.OK {
					t.Errorf("%s of %s: parity of %s: %+v", name, dev.Info().Kind, q.Value, q)
				}
			}
		}
	}
}

// halved is a number as half precision holds it.
func halved(v float32) float64 {
	var held [2]byte
	out := []float64{float64(v)}
	device.Store(ir.F16, held[:], out)
	device.Load(ir.F16, out, held[:])
	return out[0]
}

// nearly reports whether numbers are those wanted, but for rounding of sums.
func nearly(got, want []float64) bool {
	peak := 0.0
	for _, v := range want {
		peak = max(peak, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-5*peak) {
			return false
		}
	}
	return peak > 0
}

// What kernels of ragged rows are predicted to compute is what they do within a tenth.
func TestRaggedRowsAreCounted(t *testing.T) {
	d := newDoses(3000, 700)
	blocks := d.blocks()
	dev := newFaulty("native")
	each := 2 * blockColumns * float64(blocks.starts[d.rows])
	for name, flops := range map[string]float64{"entries": 2 * float64(len(d.value)), "blocks": each, "gradient": 2*each + 12*float64(d.rows)} {
		w := newStreams()
		p, err := planner.Build(raggedOutputs[name](w, d), dev.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e11, Bandwidth: 2e10}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Kernels()[0].Kernel.Flops; math.Abs(got/flops-1) > 0.1 {
			t.Errorf("%s: predicted %g operations of %g", name, got, flops)
		}
	}
}

// A matrix in blocks that is larger than the memory comes by rows.
func TestRaggedRowsComeInBlocks(t *testing.T) {
	d := newDoses(3000, 700)
	blocks, w := d.blocks(), newStreams()
	x := w.given("x", d.x, ops.Dim{Name: "x", Size: padded(d.columns)})
	p, err := w.build(t, 400<<10, w.keepRows("out", w.products(w.matrix(blocks, d.columns), x, blockTimes)))
	if err != nil {
		t.Fatal(err)
	}
	if size := len(blocks.data[0]); size < 800<<10 || p.Stream == nil {
		t.Fatalf("a matrix of %d bytes, in blocks: %+v", size, p.Stream)
	}
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{newFaulty("native")}, Threads: 2, Memory: memory.NewGovernor(400 << 10)})
	if err != nil {
		t.Fatal(err)
	}
	if r.PeakBuffers > 400<<10 || !nearly(w.got["out"].Re, d.expected("blocks", halved)) {
		t.Errorf("took %d bytes, or gave something else", r.PeakBuffers)
	}
}
