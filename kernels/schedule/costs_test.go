package schedule

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestEstimates holds what the rules estimate and choose for some kernels against what is on record: every constant of costs.go and
// cuda_rule.go shows in it, so that none moves unseen.
func TestEstimates(t *testing.T) {
	var out strings.Builder
	for _, k := range samples() {
		for _, target := range []Target{AVX512, AVX2} {
			if strings.HasPrefix(k.Name, "batch") {
				continue
			}
			s := newSurvey(k, target)
			f := s.heaviest()
			var options []option
			if axes := s.scattered(f); len(axes) > 0 && s.times(f.Node)*Trips(f) >= longFold {
				options, _ = s.laneTiles(f, axes)
			}
			lines := s.lineOptions(f)
			for _, list := range [][]option{options[:min(len(options), 3)], flatOptions(options), lines[:min(len(lines), 4)]} {
				for _, o := range list {
					fmt.Fprintf(&out, "%s, %s: %.6g %s\n", k.Name, target.ISA, o.cost, o.c.Text(k))
				}
			}
			for _, c := range Candidates(k, target) {
				fmt.Fprintf(&out, "%s, %s: %s\n", k.Name, target.ISA, c.Text(k))
			}
			fmt.Fprintf(&out, "%s: %d vectors, beside %d, step %v\n", k.Name, s.mostFlight(f, false), len(Transposed(k, target)), FlatStep(k, target))
		}
		for _, c := range CUDACandidates(k) {
			fmt.Fprintf(&out, "%s, CUDA: %s\n", k.Name, c.Text(k))
		}
	}
	const file = "testdata/estimates.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, record := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(record)) {
		if i >= len(got) || i >= len(record) || got[i] != record[i] {
			t.Fatalf("line %d: got %q, on record is %q", i+1, got[min(i, len(got)-1)], record[min(i, len(record)-1)])
		}
	}
}

// flatOptions are those without a lane tile.
func flatOptions(all []option) []option {
	return slices.DeleteFunc(slices.Clone(all), func(o option) bool { return o.c.Flat == 0 })
}

// samples are kernels on either side of what constants decide.
func samples() []*ir.Kernel {
	var out []*ir.Kernel
	names := []string{"matrix product", "sum of ragged rows", "sky view with maximum tables", "stencil", "gather", "decays", "transpose", "any and all a row", "coarser"}
	for _, c := range conformance.Cases() {
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(c.Name, n) }) {
			out = append(out, c.Kernel)
		}
	}
	for _, n := range [][3]int{{64, 64, 128}, {13, 13, 2048}, {16, 16, 16}} {
		out = append(out, conformance.NewBeam(n[0], n[1], n[2], 32, 32, n[0] == 16).Know(10, 20, 40, 15).Kernel)
	}
	for _, trips := range []int{30, 100} {
		out = append(out, scattering(trips, 40, 4, 1), scattering(trips, 4000, 4, 1), scattering(trips, 40, 1, 5))
	}
	for own := range 9 { // shares of common work on either side of thresholds
		out = append(out, batch(32, 10000, 64, own+1))
	}
	return append(out, batch(4, 20000, 100, 1), batch(1, 7, 5000, 1), neighbourhood(53), outer(300, 4, 1000))
}

// scattering sums elements side by side at rounded places of rows, into several accumulators.
func scattering(trips, rows, beside, accs int) *ir.Kernel {
	b := ir.NewBuilder()
	f32 := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	k := &ir.Kernel{Name: fmt.Sprintf("scattering %d %d %d %d", trips, rows, beside, accs), Axes: []*ir.Node{b.Axis("i", 70), b.Axis("c", 4), b.Axis("j", 230)}}
	i, j := k.Axes[0], k.Axes[2]
	t, x, y := f32("T", rows, 600, beside), b.Load(f32("X", 70), i), b.Load(f32("Y", 230), j)
	init := make([]*ir.Node, accs)
	for q := range init {
		init[q] = b.F32(0)
	}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(trips), Init: init, Monoid: ir.Sum}, func(r *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		n := b.Cast(ir.I32, b.Alu(ir.Rint, b.Add(b.Add(b.Mul(x, b.F32(30)), b.Mul(y, b.F32(30))), b.Cast(ir.F32, r))))
		v := b.F32(0)
		for s := range beside {
			v = b.Add(v, b.Load(t, r, n, b.I32(s)))
		}
		next := make([]*ir.Node, accs)
		for q := range next {
			next[q] = b.Add(acc[q], b.Mul(v, b.F32(float64(q+2))))
		}
		return next, nil
	})
	for q := range sum {
		k.Stores = append(k.Stores, ir.Store{Buf: f32(fmt.Sprint("O", q), 70, 4, 230), Index: k.Axes, Value: b.Mul(sum[q], b.Load(f32("C", 4), k.Axes[1]))})
	}
	return k
}

// outer is a plane times several numbers.
func outer(ny, nc, nx int) *ir.Kernel {
	b := ir.NewBuilder()
	f32 := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	k := &ir.Kernel{Name: "outer", Axes: []*ir.Node{b.Axis("y", ny), b.Axis("c", nc), b.Axis("x", nx)}}
	v := b.Mul(b.Load(f32("A", ny, nx), k.Axes[0], k.Axes[2]), b.Load(f32("C", nc), k.Axes[1]))
	k.Stores = []ir.Store{{Buf: f32("O", ny, nc, nx), Index: k.Axes, Value: v}}
	return k
}

// neighbourhood sums n x n elements of a plane.
func neighbourhood(n int) *ir.Kernel {
	b := ir.NewBuilder()
	f32 := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	k := &ir.Kernel{Name: "neighbourhood", Axes: []*ir.Node{b.Axis("y", 500), b.Axis("x", 500)}}
	in := f32("in", 500+n, 500+n)
	over := func(init []*ir.Node, term func(i, acc *ir.Node) *ir.Node) []*ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: init, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{term(i, a[0])}, nil
		})
	}
	sum := over([]*ir.Node{b.F32(0)}, func(j, outer *ir.Node) *ir.Node {
		return over([]*ir.Node{outer}, func(i, a *ir.Node) *ir.Node { return b.Add(a, b.Load(in, b.Add(k.Axes[0], j), b.Add(k.Axes[1], i))) })[0]
	})
	k.Stores = []ir.Store{{Buf: f32("out", 500, 500), Index: k.Axes, Value: sum[0]}}
	return k
}

// batch sums what frames hold at places that they have in common, after some work on each.
func batch(n, points, trips, own int) *ir.Kernel {
	b := ir.NewBuilder()
	f32 := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	k := &ir.Kernel{Name: fmt.Sprintf("batch %d %d %d %d", n, points, trips, own), Axes: []*ir.Node{b.Axis("frame", n), b.Axis("x", points)}}
	frame, x := k.Axes[0], k.Axes[1]
	in, d := f32("in", n, trips, points), f32("d", trips, points)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(trips), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(e *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		p := b.Load(d, e, x)
		for i := range 3 {
			p = b.Mul(b.Add(p, b.F32(float64(i+1))), p)
		}
		v := b.Load(in, frame, e, x)
		for range own {
			v = b.Mul(v, v)
		}
		return []*ir.Node{b.Add(a[0], b.Mul(v, p))}, nil
	})
	k.Stores = []ir.Store{{Buf: f32("out", n, points), Index: k.Axes, Value: sum[0]}}
	return k
}
