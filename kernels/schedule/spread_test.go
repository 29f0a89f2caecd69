package schedule

import (
	"slices"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
)

// TestSpread compares the estimate of how far apart neighbours read with geometry: along z at most the way there and back,
// along x less than that, and halves of a probe that lie on opposite sides of a point cancel part of it.
func TestSpread(t *testing.T) {
	m := conformance.NewBeam(64, 64, 128, 32, 32, false).Know(10, 20, 40, 7.792)
	s := newSurvey(m.Kernel, AVX512)
	f := s.heaviest()
	found := s.positions(f)
	if len(found.loads) != 4 || len(found.at) != 1 {
		t.Fatalf("%d loads at %d positions, want 4 at one", len(found.loads), len(found.at))
	}
	dx, dz := 7.792*20/63, 7.792*20/127
	for i, p := range s.spreads(f, found.at) {
		if p[2] > 2*dz+1e-3 || p[2] < 1.2*dz {
			t.Errorf("place %d: %.2f samples from z to z, want about %.2f", i, p[2], 2*dz)
		}
		if p[0] > 1.2*dx || p[1] > 1.2*dx || p[0] == 0 {
			t.Errorf("place %d: %.2f and %.2f samples from x to x and y to y, want less than %.2f", i, p[0], p[1], 1.2*dx)
		}
	}
}

// TestLaneTiles chooses lanes for grids of one volume, and of parts of it with the same number of points.
func TestLaneTiles(t *testing.T) {
	for _, c := range []struct {
		name            string
		nx, ny, nz      int
		side, near, far float64
		flat            bool
		perMM           float64
		lanes           []AxisN
		window          int
		wasteAtMost     float64
	}{
		{"cube", 64, 64, 128, 10, 20, 40, false, 7.792, []AxisN{{0, 4}, {1, 4}}, 16, 1},
		{"cube, any probe", 64, 64, 128, 10, 20, 40, true, 7.792, []AxisN{{0, 4}, {1, 4}}, 16, 1},
		{"few lines", 13, 13, 2048, 10, 20, 40, false, 7.792, []AxisN{{2, 16}}, 16, 1},
		{"few lines, near", 13, 13, 2048, 10, 0.5, 10, false, 7.792, []AxisN{{2, 16}}, 16, 1},
		{"slice", 7, 500, 100, 10, 20, 40, false, 7.792, nil, 16, 1.1},
		{"layers", 200, 200, 3, 10, 20, 40, false, 7.792, []AxisN{{0, 4}, {1, 4}}, 16, 1.1},
		{"coarse", 32, 32, 64, 10, 20, 40, false, 15.6, []AxisN{{0, 4}, {1, 4}}, 32, 1},
		{"far too coarse", 16, 16, 32, 10, 20, 40, false, 60, nil, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := conformance.NewBeam(c.nx, c.ny, c.nz, 32, 32, c.flat).Know(c.side, c.near, c.far, c.perMM).Kernel
			got := Default(k, AVX512)
			if c.lanes != nil && !slices.Equal(got.Lanes, c.lanes) || got.Window != c.window {
				t.Errorf("%s, want lanes %v and a window of %d", got.Text(k), c.lanes, c.window)
			}
			waste, ok := newSurvey(k, AVX512).waste(got)
			if !ok || waste > c.wasteAtMost {
				t.Errorf("%s computes %.3f points for each, want at most %.3f", got.Text(k), waste, c.wasteAtMost)
			}
		})
	}
}

// TestNearOrder keeps the axis innermost that shares much work, and the axis along which loads move least otherwise.
func TestNearOrder(t *testing.T) {
	near := []spread{{0.1, 2, 1}}
	for _, c := range []struct {
		name string
		s    *survey
		want []int
	}{
		{"little to share", newSurvey(conformance.NewBeam(64, 64, 128, 32, 32, false).Kernel, AVX512), []int{2, 1, 0}},
		{"half to share", newSurvey(twice(64, 64, 128), AVX512), []int{0, 1, 2}},
	} {
		got := c.s.nearOrder(CPU{Order: c.s.order(), Lanes: []AxisN{{0, 16}}, Unroll: []AxisN{{2, 8}}}, scatter{}, near)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// twice is a sum that does not differ along z, and one as long that does.
func twice(nx, ny, nz int) *ir.Kernel {
	b := ir.NewBuilder()
	x, y, z := b.Axis("x", nx), b.Axis("y", ny), b.Axis("z", nz)
	sum := func(of func(i *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(500), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Sqrt(of(i)))}, nil
		})[0]
	}
	flat := sum(func(i *ir.Node) *ir.Node { return b.Cast(ir.F32, b.Add(b.Mul(x, i), y)) })
	deep := sum(func(i *ir.Node) *ir.Node { return b.Cast(ir.F32, b.Add(b.Mul(z, i), b.Mul(x, y))) })
	return &ir.Kernel{Name: "twice", Axes: []*ir.Node{x, y, z}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: ir.F32, Shape: []int{nx, ny, nz}}, Index: []*ir.Node{x, y, z}, Value: b.Add(flat, deep)}}}
}

// TestFetched compares with geometry: on a coarse grid vectors in flight lie 21 samples apart, and load a little more than a line of 16
// each; on one of an eighth of that distance they share most.
func TestFetched(t *testing.T) {
	c := CPU{Order: []int{0, 1, 2}, Lanes: []AxisN{{0, 4}, {1, 4}}, Unroll: []AxisN{{2, 8}}, Window: 32}
	fetched := func(n int) float64 {
		return Fetched(conformance.NewBeam(n, n, n, 32, 32, false).Know(10, 20, 40, 7.792).Kernel, AVX512, c)
	}
	coarse, fine := fetched(16), fetched(128)
	if coarse < 1.2 || coarse > 1.6 || fine > coarse/3 {
		t.Errorf("a load fetches %.2f lines on a coarse grid and %.2f on a fine one", coarse, fine)
	}
	c.Window = 0
	if n := fetched(16); n != 0 {
		t.Errorf("%g lines without windows", n)
	}
}

// Lines of stars are widened by bells whose width is each star's own: the turns differ between stars, and what they load lies side by side along
// pixels. There lanes turn alike and load vectors, where along stars each gathers.
func TestLanesGoAlongWhatLiesSideBySide(t *testing.T) {
	b := ir.NewBuilder()
	star, pixel := b.Axis("star", 512), b.Axis("pixel", 6000)
	first := &ir.Buffer{Name: "first", Type: ir.I32, Shape: []int{512}}
	away := &ir.Buffer{Name: "away", Type: ir.F64, Shape: []int{141}}
	bell := &ir.Buffer{Name: "bell", Type: ir.F32, Shape: []int{141, 512}}
	line := &ir.Buffer{Name: "line", Type: ir.F32, Shape: []int{512, 6000}}
	from := b.Load(first, star)
	sum := b.Fold(ir.FoldSpec{Lo: from, Hi: b.Sub(b.I32(141), from), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Add(pixel, b.Cast(ir.I32, b.Load(away, i)))
		inside := b.Alu(ir.And, b.Alu(ir.Le, b.I32(0), at), b.Alu(ir.Lt, at, b.I32(6000)))
		return []*ir.Node{b.Add(a[0], b.Mul(b.Load(bell, i, star), b.LoadOr(line, inside, b.F32(0), star, at)))}, nil
	})
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{512, 6000}}
	k := &ir.Kernel{Name: "wide", Axes: []*ir.Node{star, pixel}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{star, pixel}, Value: sum[0]}}}
	for _, target := range []Target{AVX512, AVX2} {
		if got := Default(k, target); !slices.Equal(got.Lanes, []AxisN{{1, target.Lanes}}) {
			t.Errorf("%s: %s, want lanes along pixels", target.ISA, got.Text(k))
		}
	}
}

// Each star's pixels lie at places of their own among the knots, moved by velocities: where lanes are velocities, what is loaded of a pixel is the same on
// all, and windows serve what it adds; a tile of several stars has no bounds.
func TestWindowsAtPlacesOfOthersThanLanes(t *testing.T) {
	b := ir.NewBuilder()
	star, velocity := b.Axis("star", 64), b.Axis("velocity", 432)
	part := &ir.Buffer{Name: "part", Type: ir.F32, Shape: []int{64, 4000}}
	moved := &ir.Buffer{Name: "moved", Type: ir.F32, Shape: []int{432}}
	knots := &ir.Buffer{Name: "knots", Type: ir.F32, Shape: []int{6535}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(4000), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Cast(ir.I32, b.Alu(ir.Floor, b.Add(b.Load(part, star, i), b.Load(moved, velocity))))
		inside := b.Alu(ir.And, b.Alu(ir.Le, b.I32(0), at), b.Alu(ir.Lt, at, b.I32(6535)))
		return []*ir.Node{b.Add(a[0], b.LoadOr(knots, inside, b.F32(0), at))}, nil
	})
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{64, 432}}
	k := &ir.Kernel{Name: "scan", Axes: []*ir.Node{star, velocity}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{star, velocity}, Value: sum[0]}}}
	if got := Default(k, AVX512); !slices.Equal(got.Lanes, []AxisN{{1, 16}}) || got.Window == 0 {
		t.Errorf("%s, want lanes along velocities and windows", got.Text(k))
	}
	s := newSurvey(k, AVX512)
	f := s.heaviest()
	for _, lanes := range s.shapes(s.scattered(f)) {
		if want := len(lanes) == 1 && lanes[0].Axis == 1; s.bounded(f, s.positions(f).at, lanes) != want {
			t.Errorf("bounded over %v: want %v", lanes, want)
		}
	}
}

// Frames of one probe share where echoes are read, and each has rows of its own: a step goes through one frame, or through as many as caches hold the rows of.
// With eight at once 16 frames of a volume took 2.7 times as long as one after the other. Of few elements two go beside vectors of one frame: 0.7 of four frames at once.
func TestFramesGoOneAfterTheOther(t *testing.T) {
	for elements, most := range map[int]int{4096: 1, 1024: 2, 16: 8} {
		b := ir.NewBuilder()
		frame, x, z := b.Axis("frame", 16), b.Axis("x", 64), b.Axis("z", 256)
		echoes := &ir.Buffer{Name: "E", Type: ir.F32, Shape: []int{16, elements, 1024}}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(elements), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			away := b.Sub(b.Mul(b.Cast(ir.F32, x), b.F32(0.3)), b.Cast(ir.F32, i))
			deep := b.Mul(b.Cast(ir.F32, z), b.F32(0.7))
			way := b.Sqrt(b.Add(b.Mul(away, away), b.Mul(deep, deep)))
			at := b.Min(b.Max(way, b.F32(0)), b.F32(1000))
			return []*ir.Node{b.Add(acc[0], b.Load(echoes, frame, i, b.Cast(ir.I32, at)))}, nil
		})[0]
		out := &ir.Buffer{Name: "O", Type: ir.F32, Shape: []int{16, 64, 256}}
		got := Default(&ir.Kernel{Name: "frames", Axes: []*ir.Node{frame, x, z}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{frame, x, z}, Value: sum}}}, AVX512)
		if n := got.Step(0); got.Order[0] != 0 || n > most || most > 1 && n == 1 {
			t.Errorf("%d elements: %v has %d frames at once, most %d", elements, got, n, most)
		}
		if most == 2 && len(got.Unroll) != 2 {
			t.Errorf("%d elements: %v has no vectors of one frame beside those of the other", elements, got)
		}
	}
}

// Spectra have rows of their own too, but each iteration goes on along the row of the one before: several at once share what a velocity takes, and windows
// serve their loads. Charged as rows that are left, one was taken at a time or, where moments are taken, loads were gathered, in seven times the time.
func TestRowsThatStayGoTogether(t *testing.T) {
	b := ir.NewBuilder()
	spectrum, velocity := b.Axis("spectrum", 64), b.Axis("velocity", 432)
	seen := &ir.Buffer{Name: "S", Type: ir.F32, Shape: []int{64, 4000}}
	place := &ir.Buffer{Name: "P", Type: ir.F32, Shape: []int{4000}}
	var curves [4]*ir.Buffer
	for i, name := range []string{"Y", "A", "B", "C"} {
		curves[i] = &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{64, 6535}}
	}
	first := []*ir.Node{b.F32(0), b.F32(0), b.F32(0), b.F32(0)}
	sums := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(4000), Init: first, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Min(b.Max(b.Add(b.Load(place, i), b.Mul(b.Cast(ir.F32, velocity), b.F32(0.1))), b.F32(0)), b.F32(6530))
		low := b.Alu(ir.Floor, at)
		u, k := b.Sub(at, low), b.Cast(ir.I32, low)
		y := b.F32(0)
		for _, c := range curves {
			y = b.Add(b.Mul(y, u), b.Load(c, spectrum, k))
		}
		x := b.Mul(y, b.Load(seen, spectrum, i))
		return []*ir.Node{b.Add(acc[0], x), b.Add(acc[1], b.Mul(x, y)), b.Add(acc[2], b.Mul(x, x)), b.Add(acc[3], b.Mul(y, y))}, nil
	})
	out := &ir.Buffer{Name: "O", Type: ir.F32, Shape: []int{64, 432}}
	value := b.Add(b.Add(sums[0], sums[1]), b.Add(sums[2], sums[3]))
	k := &ir.Kernel{Name: "scan", Axes: []*ir.Node{spectrum, velocity}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{spectrum, velocity}, Value: value}}}
	got := Default(k, AVX512)
	if got.Window == 0 || got.Step(0) == 1 {
		t.Errorf("%v", got)
	}
	if lines, row := Fetched(k, AVX512, got), 6535.0/lineElements/4000; lines == 0 || lines > row {
		t.Errorf("a load brings %g lines nearer, where rows hold %g for each iteration", lines, row)
	}
}
