package native

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

const (
	hillRows, hillColumns, hillSteps = 23, 61, 40
	hillWidth                        = hillColumns + hillSteps
)

// hills are kernels that march along rows of heights until something is higher than where they started.
type hills struct {
	heights, out *ir.Buffer
	data         []float32
}

func newHills() *hills {
	r := rand.New(rand.NewPCG(1, 2))
	h := &hills{heights: &ir.Buffer{Name: "h", Type: ir.F32, Shape: []int{hillRows, hillWidth}}, out: &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{hillRows, hillColumns}}}
	for range hillRows * hillWidth {
		h.data = append(h.data, float32(r.Float64()*r.Float64()*r.Float64()))
	}
	return h
}

// kernel folds over the steps from a pixel; body tells whether the step before this one was the last and what comes of it.
func (h *hills) kernel(name string, m ir.Monoid, init func(b *ir.Builder) *ir.Node, body func(b *ir.Builder, acc, higher *ir.Node) (step, while *ir.Node)) *ir.Kernel {
	b := ir.NewBuilder()
	y, x := b.Axis("y", hillRows), b.Axis("x", hillColumns)
	here := b.Load(h.heights, y, x)
	v := b.Fold(ir.FoldSpec{Name: "step", Lo: b.I32(1), Hi: b.I32(hillSteps), Init: []*ir.Node{init(b)}, Monoid: m}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		step, while := body(b, acc[0], b.Lt(b.Add(here, b.F32(0.25)), b.Load(h.heights, y, b.Add(x, k))))
		return []*ir.Node{step}, while
	})[0]
	return &ir.Kernel{Name: name, Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: h.out, Index: []*ir.Node{y, x}, Value: b.Cast(ir.I32, v)}}}
}

// least is how many steps single pixels take until they are done.
func (h *hills) least() (n int64) {
	for y := range hillRows {
		for x := range hillColumns {
			row := h.data[y*hillWidth+x:]
			for k := 1; k < hillSteps; k++ {
				n++
				if row[0]+0.25 < row[k] {
					break
				}
			}
		}
	}
	return n
}

// run launches tiles on memory of its own and returns what was stored.
func (h *hills) run(t *testing.T, d *Device, bind func(device.Bindings) (func(region.Region) error, error), tiles ...region.Region) []byte {
	t.Helper()
	b := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
	for _, buf := range []*ir.Buffer{h.heights, h.out} {
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		b.Mem[buf] = m
	}
	copy(device.View[float32](b.Mem[h.heights].Host(), ir.F32), h.data)
	launch, err := bind(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, tile := range tiles {
		if err := launch(tile); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Clone(b.Mem[h.out].Host())
}

// Counted kernels store the same bits. Every point's iterations are due once, also where tiles are no multiple of a lane tile; no lane
// stops before its answer, and nothing runs more often than it is due, repeated lanes apart.
func TestCounted(t *testing.T) {
	h := newHills()
	no := func(b *ir.Builder) *ir.Node { return b.False() }
	tile := func(y0, y1, x0, x1 int) region.Region { return region.Region{{Lo: y0, Hi: y1}, {Lo: x0, Hi: x1}} }
	tiles := []region.Region{tile(0, 9, 0, 37), tile(9, 23, 0, 37), tile(0, 23, 37, 61)}
	const due = hillRows * hillColumns * (hillSteps - 1)
	for _, isa := range []string{"", "portable"} {
		d, err := New(Config{Compilers: []string{"cc -O0"}, ISA: isa, Cache: t.TempDir()})
		if err != nil {
			t.Skip(err)
		}
		for _, k := range []*ir.Kernel{
			h.kernel("any", ir.Any, no, func(b *ir.Builder, acc, higher *ir.Node) (step, while *ir.Node) { return b.Or(acc, higher), nil }),
			h.kernel("absorbed", ir.Ordered, no, func(b *ir.Builder, acc, higher *ir.Node) (step, while *ir.Node) { return b.Or(higher, acc), nil }),
			h.kernel("while", ir.Ordered, func(b *ir.Builder) *ir.Node { return b.I32(0) }, func(b *ir.Builder, acc, higher *ir.Node) (step, while *ir.Node) {
				return b.Add(acc, b.Select(higher, b.I32(100), b.I32(1))), b.Lt(acc, b.I32(100))
			}),
		} {
			p := compileOne(t, d, k, device.Options{})
			counting, err := p.(device.Counting).Counted(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if counting == nil {
				t.Errorf("%s: nothing to count", k.Name)
				continue
			}
			var tally device.Tally
			got := h.run(t, d, func(b device.Bindings) (func(region.Region) error, error) { return counting.Bind(b, &tally) }, tiles...)
			if want := h.run(t, d, p.Bind, tiles...); !bytes.Equal(got, want) {
				t.Errorf("%s: counting changes what is stored", k.Name)
			}
			f := tally.Folds()
			if len(f) != 1 || f[0].Fold != "step" {
				t.Fatalf("%s: counted %v", k.Name, f)
			}
			lanes := int64(4 * d.Target().Lanes) // a step of a tile repeats less than it has lanes, and so does a row
			if f[0].Due != due || f[0].Ran < h.least() || f[0].Ran == due || f[0].Ran > due+lanes*hillRows*hillSteps {
				t.Errorf("%s, %s: %+v, want %d due and at least %d executed", k.Name, p.Report().Schedule, f[0], due, h.least())
			}
			scalar, err := d.render(k, schedule.CPU{Every: 1}, c.Way{Counts: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.build(t.Context(), []*variant{scalar}, nil); err != nil {
				t.Fatal(err)
			}
			var exact device.Tally
			h.run(t, d, func(b device.Bindings) (func(region.Region) error, error) { return counted{scalar}.Bind(b, &exact) }, tiles...)
			if f := exact.Folds()[0]; f.Due != due || f.Ran != h.least() {
				t.Errorf("%s, scalar: %+v, want %d due and %d executed", k.Name, f, due, h.least())
			}
		}
	}
}

// What has no fold that may end early is not compiled a second time.
func TestNothingToCount(t *testing.T) {
	d, err := New(Config{Cache: t.TempDir()})
	if err != nil {
		t.Skip(err)
	}
	c, err := compileOne(t, d, newShifted("plain", 100).kernel, device.Options{}).(device.Counting).Counted(t.Context())
	if c != nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
}
