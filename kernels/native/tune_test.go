package native

import (
	"context"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// waves is out[i] = sum over j < terms of sin(x[i] + j), in pairs, so that no order is given to schedules: enough work to be measured.
type waves struct {
	shifted
	terms int
}

func newWaves(n, terms int) waves {
	b := ir.NewBuilder()
	w := waves{shifted{x: &ir.Buffer{Name: "x", Type: ir.F32, Shape: []int{n}}, out: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{n}}}, terms}
	i := b.Axis("i", n)
	x := b.Load(w.x, i)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(terms / 2), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		pair := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(2), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(q *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Alu(ir.Sin, b.Add(x, b.Cast(ir.F32, b.Add(b.Mul(j, b.I32(2)), q)))))}, nil
		})
		return []*ir.Node{b.Add(acc[0], pair[0])}, nil
	})
	w.kernel = &ir.Kernel{Name: "waves", Axes: []*ir.Node{i}, Contract: true,
		Stores: []ir.Store{{Buf: w.out, Index: []*ir.Node{i}, Value: sum[0]}}}
	return w
}

// check compares with sum sin(x + j) = sin(x + (n-1)/2) sin(n/2) / sin(1/2).
func (w waves) check(t *testing.T, b device.Bindings) {
	t.Helper()
	x, out := device.View[float32](b.Mem[w.x].Host(), ir.F32), device.View[float32](b.Mem[w.out].Host(), ir.F32)
	n := float64(w.terms)
	for i := range out {
		want := math.Sin(float64(x[i])+(n-1)/2) * math.Sin(n/2) / math.Sin(0.5)
		if math.Abs(float64(out[i])-want) > 2e-6*n {
			t.Fatalf("out[%d] = %v, want %v", i, out[i], want)
		}
	}
}

// TestTuning launches from several goroutines at once: one of them measures, all end up with the same variant, the result
// is right everywhere, and a later device takes the measured schedule without measuring.
func TestTuning(t *testing.T) {
	d := fresh(t)
	const n, parts = 1 << 14, 4
	w := newWaves(n, 1<<13)
	p := compileOne(t, d, w.kernel, device.Options{Tune: true})
	if len(p.(*program).variants) < 2 {
		t.Fatalf("%d variants to choose from", len(p.(*program).variants))
	}
	if p.Report().Tuned {
		t.Error("tuned before any launch")
	}
	b := w.bindings(t, d, 0)
	launch, err := p.Bind(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := launch(region.Region{{Lo: 0, Hi: 16}}); err != nil {
		t.Fatal(err)
	}
	if p.Report().Tuned {
		t.Error("a tile too small to measure decided")
	}
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() {
			if err := launch(region.Region{{Lo: i * n / parts, Hi: (i + 1) * n / parts}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	w.check(t, b)
	report := p.Report()
	if !report.Tuned {
		t.Error("not tuned after a large launch")
	}

	again := openWith(t, Config{Cache: filepath.Dir(d.store.dir)})
	next := newWaves(n, 1<<13)
	q := compileOne(t, again, next.kernel, device.Options{})
	if r := q.Report(); !r.Tuned || !r.Cached || r.Schedule != report.Schedule {
		t.Errorf("a later device: tuned %v, cached %v, schedule %q; want %q", r.Tuned, r.Cached, r.Schedule, report.Schedule)
	}
}

func TestWhatIsNotTuned(t *testing.T) {
	large := newWaves(1<<14, 1<<13)
	if !worthTuning(large.kernel) {
		t.Error("a large kernel is not worth measuring")
	}
	if worthTuning(newWaves(1<<14, 16).kernel) {
		t.Error("a small kernel is worth measuring")
	}
	inPlace := large.kernel.Copy()
	inPlace.Stores = []ir.Store{large.kernel.Stores[0]}
	inPlace.Stores[0].Buf = large.x
	if worthTuning(inPlace) {
		t.Error("a kernel that writes what it reads must not run twice")
	}
}

// When the time is over the first variant alone is measured.
func TestNoTimeToTune(t *testing.T) {
	d := fresh(t)
	w := newWaves(1<<12, 1<<10)
	b := w.bindings(t, d, 0)
	var calls []*call
	for _, s := range []schedule.CPU{{}, schedule.Default(w.kernel, d.target)} {
		v, err := d.render(w.kernel, s, c.Way{})
		if err == nil {
			err = d.build(t.Context(), []*variant{v}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCall(v, b)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	tile := w.kernel.Domain()
	if at, took, err := fastest(calls, tile, time.Now()); at != 0 || took <= 0 || err != nil {
		t.Errorf("variant %d in %s, %v", at, took, err)
	}
	if at, _, err := fastest(calls, tile, time.Now().Add(time.Minute)); at != 1 || err != nil {
		t.Errorf("with time, variant %d, %v: scalar code is faster than vectors", at, err)
	}
}

func TestMiddle(t *testing.T) {
	tile := region.Region{{Lo: 10, Hi: 110}, {Lo: 0, Hi: 7}, {Lo: 3, Hi: 20}}
	got := middle(tile, []int{32, 16, 4}, []int{16, 16, 4})
	want := region.Region{{Lo: 42, Hi: 74}, {Lo: 0, Hi: 7}, {Lo: 7, Hi: 11}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("axis %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestCompileKeepsOrder compiles a list with repeated kernels, some of them cached.
func TestCompileKeepsOrder(t *testing.T) {
	d := fresh(t)
	a, b := newShifted("a", 20), newShifted("b", 21)
	if _, err := d.Compile(context.Background(), []*ir.Kernel{a.kernel}, device.Options{}); err != nil {
		t.Fatal(err)
	}
	list := []*ir.Kernel{b.kernel, a.kernel, b.kernel}
	programs, err := d.Compile(context.Background(), list, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range programs {
		if p.Kernel() != list[i] {
			t.Errorf("program %d is of kernel %s, want %s", i, p.Kernel().Name, list[i].Name)
		}
	}
	if none, err := d.Compile(context.Background(), nil, device.Options{}); err != nil || len(none) != 0 {
		t.Errorf("no kernels: %v, %v", none, err)
	}
}

// What was measured before does not change the order in which sums are added up, and so no bit of a result.
func TestMeasuredSchedulesAddUpAlike(t *testing.T) {
	d := fresh(t)
	b := ir.NewBuilder()
	k := &ir.Kernel{Name: "rows", Axes: []*ir.Node{b.Axis("row", 50)}}
	in, out := &ir.Buffer{Name: "in", Type: ir.F64, Shape: []int{50, 300}}, &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{50}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(300), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Load(in, k.Axes[0], i))}, nil
	})
	k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: sum[0]}}
	rule := compileOne(t, d, k, device.Options{})
	for _, c := range []struct {
		measured schedule.CPU
		used     bool
	}{{schedule.CPU{Order: []int{0}}, false}, {schedule.CPU{Order: []int{0}, FoldLanes: true, Flight: 2}, false}, {schedule.CPU{Order: []int{0}, FoldLanes: true, AccMajor: true}, true}} {
		if err := d.store.remember(rule.(*program).rule, c.measured); err != nil {
			t.Fatal(err)
		}
		want := rule.Report().Schedule
		if c.used {
			want = c.measured.Text(k)
		}
		if got := compileOne(t, d, k, device.Options{}).Report().Schedule; got != want {
			t.Errorf("%s was measured: runs under %s, want %s", c.measured.Text(k), got, want)
		}
	}
}
