package cost

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/profile"
)

// adding is out[x] = sum over i < n of op(in[i*stride + x*step]).
func adding(points, n int, step int, op func(*ir.Builder, *ir.Node) *ir.Node) *ir.Kernel {
	b := ir.NewBuilder()
	x := b.Axis("x", points)
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{points*max(1, step) + n}}
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], op(b, b.Load(in, b.Add(i, b.Mul(x, b.I32(step))))))}, nil
	})
	return &ir.Kernel{Name: "sums", Axes: []*ir.Node{x}, Contract: true, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
}

// shared is out[x] = sum over i < n of in[i] times x.
func shared(points, n int) *ir.Kernel {
	b := ir.NewBuilder()
	x := b.Axis("x", points)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{n}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(in, i), b.Cast(ir.F32, x)))}, nil
	})
	return &ir.Kernel{Name: "shared", Axes: []*ir.Node{x}, Contract: true, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
}

// placed is out[x] = sum over i < n and the elements of a place of in[place][element], at places that a value decides.
func placed(points, n, elements int) *ir.Kernel {
	b := ir.NewBuilder()
	x := b.Axis("x", points)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{points, elements}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Cast(ir.I32, b.Sqrt(b.Cast(ir.F32, b.Mul(x, i))))
		v := acc[0]
		for e := range elements {
			v = b.Add(v, b.Load(in, at, b.I32(e)))
		}
		return []*ir.Node{v}, nil
	})
	return &ir.Kernel{Name: "placed", Axes: []*ir.Node{x}, Contract: true, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
}

// product is out[y, x] = sum over i < n of a[y, i] b[i, x], as float64; it gives the loads too.
func product(points, n int) (k *ir.Kernel, a, b *ir.Node) {
	c := ir.NewBuilder()
	y, x := c.Axis("y", points), c.Axis("x", points)
	left, right := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{points, n}}, &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{n, points}}
	sum := c.Fold(ir.FoldSpec{Lo: c.I32(0), Hi: c.I32(n), Init: []*ir.Node{c.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		a, b = c.Load(left, y, i), c.Load(right, i, x)
		return []*ir.Node{c.Add(acc[0], c.Cast(ir.F64, c.Mul(a, b)))}, nil
	})
	axes := []*ir.Node{y, x}
	out := &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{points, points}}
	return &ir.Kernel{Name: "product", Axes: axes, Contract: true, Stores: []ir.Store{{Buf: out, Index: axes, Value: sum[0]}}}, a, b
}

// Blocks of registers share what differs along one of their axes, packed operands are made once a chunk,
// in whole vectors; sums of float32 for a while convert nothing.
func TestCountOfContractions(t *testing.T) {
	p := profile.Default(1)
	const points, n = 80, 100 // of which the first level holds both operands
	k, a, b := product(points, n)
	per := func(l device.Layout, c profile.Class) float64 {
		return workOf(k, p, &l, nil).ns[c] / p.Ops[c] / (points * points * n)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	block := device.Layout{Lanes: []int{1}, Flight: 24, FlightOn: map[int]int{0: 8, 1: 3}}
	near("loads along lanes, shared by rows", per(block, profile.Contiguous), 1./8)
	near("loads that lanes share, shared by vectors", per(block, profile.Uniform), 1./3)
	near("conversions", per(block, profile.Convert), 2)
	near("additions in float64", per(block, profile.FMA64), 1)
	block.Narrow = true
	near("conversions of narrow sums", per(block, profile.Convert), 0)
	near("and their additions", per(block, profile.FMA64), 0)
	block.Packed = map[*ir.Node]device.Packing{a: {Points: 120, Operand: true}, b: {Points: 120, Operand: true}}
	near("reads of packed operands, and what is stored in two vectors", per(block, profile.Contiguous), 1./8+1./3+3./120+2./n) // and stores of what is packed
	near("packing in whole vectors", per(block, profile.Uniform), 1./120)
	one := block
	one.Packed = map[*ir.Node]device.Packing{a: {Points: 120, Operand: true, Single: true}, b: block.Packed[b]}
	near("packing one by one", per(one, profile.Uniform), float64(p.Lanes)/2/120)
	if together := workOf(k, p, &block, nil); !slices.ContainsFunc(together.loops, func(l loop) bool { return l.packing && l.loads > 0 }) {
		t.Errorf("what is packed hides behind the arithmetic that reads it: %+v", together.loops)
	}
}

// Times of the same work are the same to the bit, so that plans are.
func TestWorkIsAddedInOneOrder(t *testing.T) {
	w := Work{ns: map[profile.Class]float64{}}
	for i := range 8 {
		w.add(profile.FMA, &ir.Fold{}, math.Pow(1e3, float64(8-i)))
		w.add(profile.Classes()[i], nil, 0.1)
	}
	total := w.total()
	_, share := w.heaviest()
	for range 100 {
		if again := w.total(); again != total {
			t.Fatalf("%v ns, then %v", total, again)
		}
		if _, again := w.heaviest(); again != share {
			t.Fatalf("a share of %v, then %v", share, again)
		}
	}
}

// Loads hide behind the arithmetic of their own loop, not behind that of another.
func TestLoopsFollowEachOther(t *testing.T) {
	a, b := &ir.Fold{}, &ir.Fold{}
	for _, c := range []struct {
		in   *ir.Fold
		want float64
	}{{a, 100 + overlap*80}, {b, 180}} {
		w := Work{ns: map[profile.Class]float64{}}
		w.add(profile.FMA, a, 100)
		w.add(profile.Gather, c.in, 80)
		if got := w.total(); got != c.want {
			t.Errorf("%g ns, want %g", got, c.want)
		}
	}
}

// Lanes that add to places of their own do so one after the other.
func TestScatteredStoresAreCountedByElement(t *testing.T) {
	p := profile.Default(1)
	const n = 4096
	cost := func(at func(b *ir.Builder, i *ir.Node) *ir.Node) float64 {
		b := ir.NewBuilder()
		x, out := b.Axis("x", 1), &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{1, n}}
		fold := b.Turns("i", b.I32(0), b.I32(n), []*ir.Node{x}, func(*ir.Node) {})
		value := b.Cast(ir.F32, fold.Index)
		k := &ir.Kernel{Name: "sums", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x, at(b, fold.Index)}, Value: value, In: fold, Adds: true}}}
		return workOf(k, p, &device.Layout{FoldLanes: true}, nil).ns[profile.Contiguous] / n
	}
	even := cost(func(b *ir.Builder, i *ir.Node) *ir.Node { return i })
	apart := cost(func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Alu(ir.BitAnd, b.Mul(i, i), b.I32(n-1)) })
	if even > 0.2 || apart < 5*even {
		t.Errorf("%.3f ns for an element beside the last, %.3f ns for one anywhere", even, apart)
	}
}

// A load of one element that goes from row to row of a large array takes a cache line a turn, also where another row is taken beyond its ends; one that goes along
// a row does not.
func TestLoadsThatJump(t *testing.T) {
	p := profile.Default(1)
	const n = 2048
	cost := func(at func(b *ir.Builder, i *ir.Node) []*ir.Node) float64 {
		b := ir.NewBuilder()
		x, out := b.Axis("x", 64), &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{64}}
		in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{n, n}}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Cast(ir.F32, x), b.Load(in, at(b, i)...)))}, nil
		})
		k := &ir.Kernel{Name: "sum", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
		return workOf(k, p, &device.Layout{Lanes: []int{0}}, nil).ns[profile.Uniform]
	}
	along := cost(func(b *ir.Builder, i *ir.Node) []*ir.Node { return []*ir.Node{b.I32(0), i} })
	down := cost(func(b *ir.Builder, i *ir.Node) []*ir.Node { return []*ir.Node{i, b.I32(0)} })
	if down < 2*along {
		t.Errorf("%.0f ns along a row, %.0f ns from row to row", along, down)
	}
	neighbour := cost(func(b *ir.Builder, i *ir.Node) []*ir.Node {
		next := b.Add(i, b.I32(5))
		return []*ir.Node{b.Select(b.And(b.Le(b.I32(0), next), b.Lt(next, b.I32(n))), next, b.I32(0)), b.I32(0)}
	})
	if neighbour < 2*along {
		t.Errorf("%.0f ns along a row, %.0f ns from row to row where that is there", along, neighbour)
	}
}

// Lanes on two axes take what lies along one of them in groups, not side by side, and a table that no first level holds line by line in
// every turn; what the first level holds, or is loaded once in all, costs no lines.
func TestLoadsInLaneTiles(t *testing.T) {
	p := profile.Default(1)
	p.Lanes = 16
	of := func(turns, x, y int, l device.Layout, at func(b *ir.Builder, i, y, x *ir.Node) []*ir.Node) Work {
		b := ir.NewBuilder()
		axes := []*ir.Node{b.Axis("y", y), b.Axis("x", x)}
		in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{turns, x}}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(turns), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Cast(ir.F32, axes[0]), b.Load(in, at(b, i, axes[0], axes[1])...)))}, nil
		})
		out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{y, x}}
		return workOf(&ir.Kernel{Name: "sum", Axes: axes, Stores: []ir.Store{{Buf: out, Index: axes, Value: sum[0]}}}, p, &l, nil)
	}
	along := func(b *ir.Builder, i, y, x *ir.Node) []*ir.Node { return []*ir.Node{i, x} }
	row, tile := device.Layout{Lanes: []int{1}}, device.Layout{Lanes: []int{0, 1}, LanesOn: map[int]int{0: 4, 1: 4}}
	windows := tile
	windows.Windows = true
	line, loads := 64e9/p.Levels[0].Copy.Core, 1024.*64*64
	for _, c := range []struct {
		name   string
		turns  int
		y      int
		layout device.Layout
		class  profile.Class
		lines  float64 // a vector
	}{
		{"a small table along a row", 64, 1024, row, profile.Contiguous, 0},
		{"a table along a row", 1024, 64, row, profile.Contiguous, 1},
		{"a table in a lane tile", 1024, 64, tile, profile.Gather, 0},
		{"a table in a lane tile with windows", 1024, 64, windows, profile.Window, 2},
		{"a small table in a lane tile with windows", 64, 1024, windows, profile.Window, 0},
	} {
		got := of(c.turns, 64, c.y, c.layout, along).ns[c.class]
		stores := 0.0
		if c.class == profile.Contiguous {
			stores = 64 * float64(c.y) * p.Ops[profile.Contiguous]
		}
		if want := loads*(p.Ops[c.class]+c.lines*line/16) + stores; math.Abs(got-want) > 0.01*want {
			t.Errorf("%s: %.0f ns of %s, want %.0f", c.name, got, c.class, want)
		}
	}
	once := of(1024, 4096, 1, row, along)
	if got, want := once.ns[profile.Contiguous], (1024+1)*4096*p.Ops[profile.Contiguous]; math.Abs(got-want) > 0.01*want {
		t.Errorf("what is loaded once takes %.0f ns, want %.0f", got, want)
	}
}

// A kernel that is launched again and again has pages and workers.
func TestLaunchesAgain(t *testing.T) {
	m := &Model{Profile: profile.Default(2), Kind: "native", Threads: 2}
	k := Kernel{Work: &Work{}, Stores: []Array{{Bytes: 1 << 20}}, Tiles: 2}
	once := m.Predict(k)
	k.Again = true
	if again := m.Predict(k); again.Pages != 0 || again.Overhead > once.Overhead/2 {
		t.Errorf("%+v once, %+v again", once, again)
	}
}

func plain(_ *ir.Builder, v *ir.Node) *ir.Node { return v }

func TestCountFollowsWhatIsExecuted(t *testing.T) {
	p := profile.Default(1)
	lanes := &device.Layout{Lanes: []int{0}, Flight: 4, FlightOn: map[int]int{0: 4}}
	const points, n = 1024, 100
	per := func(k *ir.Kernel, r *device.Layout, c profile.Class) float64 {
		return workOf(k, p, r, nil).ns[c] / p.Ops[c] / (points * n) // operations an element and iteration
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02*max(want, 1) {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	near("additions of a sum", per(adding(points, n, 1, plain), lanes, profile.FMA), 1)
	near("contiguous loads", per(adding(points, n, 1, plain), lanes, profile.Contiguous), 1)
	near("gathered loads", per(adding(points, n, 3, plain), lanes, profile.Gather), 1)
	near("loads that lanes share", per(shared(points, n), lanes, profile.Uniform), 0.25)
	square := func(b *ir.Builder, v *ir.Node) *ir.Node { return b.Mul(v, v) }
	near("a product inside a sum", per(adding(points, n, 1, square), lanes, profile.FMA), 1)
	near("exponentials", per(adding(points, n, 1, func(b *ir.Builder, v *ir.Node) *ir.Node { return b.Alu(ir.Exp, v) }), lanes, profile.Exp), 1)
	near("scalar code", per(adding(points, n, 1, plain), &device.Layout{}, profile.FMA), narrower*float64(p.Lanes))
	along := &device.Layout{FoldLanes: true}
	near("gathered together", per(placed(points, n, 4), lanes, profile.Four), 4)
	near("gathered by twos", per(placed(points, n, 2), lanes, profile.Four), 4)
	near("gathered alone", per(placed(points, n, 1), lanes, profile.Gather), 1)
	flat := &device.Layout{Lanes: []int{0}, Flight: 2}
	near("loads that vectors of points share", per(shared(points, n), flat, profile.Uniform), 0.5)
	window := &device.Layout{Lanes: []int{0}, Flight: 4, FlightOn: map[int]int{0: 4}, Fetched: 2, Windows: true}
	far := placed(1<<20, 10, 1)
	line := 64e9 / p.Levels[1].Copy.Core
	near("a window's load from beyond", workOf(far, p, window, nil).ns[profile.Window]/(10<<20), p.Ops[profile.Window]+2*line/float64(p.Lanes))
	vectors := math.Ceil(n/float64(p.Lanes)) * float64(p.Lanes)
	near("loads along iterations, the last vector of which is not full", per(adding(points, n, 100, plain), along, profile.Contiguous), vectors/n)
	near("joining lanes", workOf(adding(points, n, 100, plain), p, along, nil).ns[profile.Simple]/p.Ops[profile.Simple]/points, joined*float64(p.Lanes))
	few := &device.Layout{Lanes: []int{0}, LanesOn: map[int]int{0: p.Lanes}, Waste: 4}
	near("loads of fewer points than a vector has lanes", workOf(adding(p.Lanes/4, n, 1, plain), p, few, nil).ns[profile.Gather]/p.Ops[profile.Gather]/n, float64(p.Lanes))
}

func model(p *profile.Profile) *Model { return &Model{Profile: p, Kind: "native", Threads: p.Threads} }

func TestPredictions(t *testing.T) {
	m := model(profile.Default(4))
	big := Kernel{IR: adding(1<<16, 1000, 1, plain), Loads: []Array{{Bytes: 1 << 18}}, Stores: []Array{{Bytes: 1 << 18}}, Tiles: 64}
	e := m.Predict(big)
	if e.Bound != "compute" || e.Source != "model" || e.Factor != 1 {
		t.Errorf("%+v", e)
	}
	half := big
	half.IR = adding(1<<16, 500, 1, plain)
	if r := e.Seconds / m.Predict(half).Seconds; r < 1.6 || r > 2.1 {
		t.Errorf("twice the work takes %.2f times as long", r)
	}
	alone := big
	alone.Tiles = 1
	if r := m.Predict(alone).Compute / e.Compute; r < 3.5 || r > 4.5 {
		t.Errorf("on one of 4 threads compute takes %.2f times as long", r)
	}
	uneven := big
	uneven.Tiles = 5
	if r := m.Predict(uneven).Compute / e.Compute; r < 1.5 || r > 1.7 {
		t.Errorf("5 tiles on 4 threads take %.2f times as long as an even division", r)
	}
	moving := Kernel{IR: adding(1<<20, 1, 1, plain), Loads: []Array{{Bytes: 1 << 30}}, Stores: []Array{{Bytes: 4 << 10}}, Tiles: 64}
	if e := m.Predict(moving); e.Bound != "bandwidth" || e.Level != "memory" {
		t.Errorf("%+v", e)
	}
	fresh := Kernel{IR: adding(1<<20, 1, 1, plain), Stores: []Array{{Bytes: 1 << 30}}, Tiles: 64}
	if e := m.Predict(fresh); e.Bound != "pages" {
		t.Errorf("%+v", e)
	}
	tiny := Kernel{IR: adding(1, 1, 1, plain), Loads: []Array{{Bytes: 4}}, Stores: []Array{{Bytes: 4}}, Tiles: 1}
	if e := m.Predict(tiny); e.Bound != "latency" || e.Seconds < m.Profile.First {
		t.Errorf("%+v", e)
	}
	shared := Kernel{IR: tiny.IR, Loads: tiny.Loads, Stores: tiny.Stores, Tiles: 2}
	if one, two := m.Predict(tiny), m.Predict(shared); two.Overhead < one.Overhead+m.Profile.Dispatch {
		t.Errorf("%+v alone, %+v for two threads, which have to be started", one, two)
	}
	if w := m.Weigh(tiny); w < m.Predict(tiny).Seconds+PerStep {
		t.Errorf("its step is weighed as if it took %g s", w)
	}
	slow := m.Predict(Kernel{IR: big.IR, Kind: "interp", Tiles: 64})
	if slow.Compute < 20*e.Compute {
		t.Errorf("interpreted in %g s, compiled in %g", slow.Compute, e.Compute)
	}
}

func TestHistoriesThatDoNotHold(t *testing.T) {
	p := profile.Default(2)
	other := profile.Default(2)
	other.Fingerprint.CPU = "another"
	remeasured := profile.Default(2)
	remeasured.Created = time.Now()
	dir := t.TempDir()
	m := model(p)
	m.History = OpenHistory(dir, p)
	if err := m.Learn([]Observation{{Hash: "one", Predicted: 1, Measured: 2}}); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]*profile.Profile{"another machine": other, "measured again": remeasured} {
		if h := OpenHistory(dir, q); len(h.data.Kernels) != 0 {
			t.Errorf("%s: the history was taken over", name)
		}
	}
	if h := OpenHistory(dir, p); len(h.data.Kernels) != 1 {
		t.Error("the history of this machine is lost")
	}
	kept, err := os.ReadFile(filepath.Join(dir, historyFile))
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(kept), version(), "of another model", 1)
	for _, text := range []string{"{", "null", "[]", `{"schema":4}`, "\x00", older} {
		if err := os.WriteFile(filepath.Join(dir, historyFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		h := OpenHistory(dir, p)
		if len(h.data.Kernels) != 0 {
			t.Errorf("%q was taken over", text)
		}
		m.History = h
		if err := m.Learn([]Observation{{Hash: "one", Predicted: 1, Measured: 2}}); err != nil {
			t.Errorf("after %q: %v", text, err)
		}
	}
}

func TestSeveralLearnersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	p := profile.Default(2)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			m := model(p) // as another process would have
			m.History = OpenHistory(dir, p)
			for j := range 10 {
				if err := m.Learn([]Observation{{Hash: string(rune('a'+i)) + string(rune('a'+j)), Predicted: 1, Measured: 2}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(OpenHistory(dir, p).data.Kernels); n != 40 {
		t.Errorf("%d kernels of 40 are known", n)
	}
}

func TestPinned(t *testing.T) {
	t.Setenv("WEFT_PROFILE", Pinned)
	m, why, err := Open(device.Info{Kind: "native"}, 2, t.TempDir())
	if err != nil || why != "" || !m.Profile.Default || m.History != nil {
		t.Errorf("pinned: %v, %q, %+v", err, why, m)
	}
	t.Setenv("WEFT_PROFILE", "")
	if m, why, err = Open(device.Info{Kind: "native"}, 2, t.TempDir()); err != nil || why == "" || !m.Profile.Default {
		t.Errorf("never measured: %v, %q", err, why)
	}
	t.Setenv("WEFT_PROFILE", filepath.Join(t.TempDir(), "missing.yaml"))
	if _, _, err = Open(device.Info{Kind: "native"}, 2, t.TempDir()); err == nil {
		t.Error("a profile that is not there was taken")
	}
}
