package codegen_test

import (
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

func f32(name string, shape ...int) *ir.Buffer {
	return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape}
}

// planar is a linear probe under a plane of pixels, with a sum over transmits outside the sum over elements.
func planar(storage ir.DType) *ir.Kernel { return planarAt(storage, true, nil) }

// planarAt is planar of samples at another index than n (nil: n itself) in records that, unless loads are guarded, hold all that is asked for.
func planarAt(storage ir.DType, guarded bool, index func(b *ir.Builder, n, element *ir.Node) *ir.Node) *ir.Kernel {
	b := ir.NewBuilder()
	x, z := b.Axis("x", 256), b.Axis("z", 512)
	const transmits, elements, samples = 11, 128, 1024
	t := &ir.Buffer{Name: "T", Type: storage, Shape: []int{transmits, elements, samples}, Pad: ir.Pad{Before: 36, After: 64}}
	px, pz := b.Load(f32("X", 256), x), b.Load(f32("Z", 512), z)
	z2 := b.Mul(pz, pz)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(transmits), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, outer []*ir.Node) ([]*ir.Node, *ir.Node) {
		lag := b.Add(b.Mul(px, b.Load(f32("S", transmits), j)), b.Mul(pz, b.Load(f32("C", transmits), j)))
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(elements), Init: outer, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			d := b.Sub(px, b.Load(f32("E", elements), i))
			s := b.Add(b.Sqrt(b.Add(b.Mul(d, d), z2)), lag)
			n := b.Cast(ir.I32, b.Alu(ir.Rint, s))
			if index != nil {
				n = index(b, n, i)
			}
			inside := b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(samples)))
			sample := b.LoadOr(t, inside, b.Const(storage.Compute(), 0), j, i, n)
			if !guarded {
				sample = b.Load(t, j, i, n)
			}
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F32, sample))}, nil
		}), nil
	})
	return &ir.Kernel{Name: "planar", Axes: []*ir.Node{x, z}, Contract: true, Stores: []ir.Store{{Buf: f32("O", 256, 512), Index: []*ir.Node{x, z}, Value: sum[0]}}}
}

// elementwise is a*a+1 over a plane.
func elementwise(ny, nx int) *ir.Kernel {
	b := ir.NewBuilder()
	y, x := b.Axis("y", ny), b.Axis("x", nx)
	v := b.Load(f32("A", ny, nx), y, x)
	return &ir.Kernel{Name: "elementwise", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: f32("O", ny, nx), Index: []*ir.Node{y, x}, Value: b.Add(b.Mul(v, v), b.F32(1))}}}
}

// spreadOut is a plane times several numbers.
func spreadOut(ny, nc, nx int) *ir.Kernel {
	b := ir.NewBuilder()
	y, c, x := b.Axis("y", ny), b.Axis("c", nc), b.Axis("x", nx)
	v := b.Mul(b.Load(f32("A", ny, nx), y, x), b.Load(f32("C", nc), c))
	return &ir.Kernel{Name: "spreadOut", Axes: []*ir.Node{y, c, x}, Stores: []ir.Store{{Buf: f32("O", ny, nc, nx), Index: []*ir.Node{y, c, x}, Value: v}}}
}

// total is the sum of a vector.
func total(n int) *ir.Kernel {
	b := ir.NewBuilder()
	a := f32("A", n)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Load(a, i)))}, nil
	})
	return &ir.Kernel{Name: "total", Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: ir.F64}, Value: sum[0]}}}
}

// sparse is a sparse matrix in rows times a vector.
func sparse(rows int) *ir.Kernel {
	b := ir.NewBuilder()
	y := b.Axis("y", rows)
	i32 := func(name string, n int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.I32, Shape: []int{n}} }
	start, cols, vals, x := i32("start", rows+1), i32("cols", 9000), f32("vals", 9000), f32("x", 1000)
	sum := b.Fold(ir.FoldSpec{Lo: b.Load(start, y), Hi: b.Load(start, b.Add(y, b.I32(1))), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum},
		func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(vals, i), b.Load(x, b.Load(cols, i))))}, nil
		})
	return &ir.Kernel{Name: "sparse", Axes: []*ir.Node{y}, Stores: []ir.Store{{Buf: f32("O", rows), Index: []*ir.Node{y}, Value: sum[0]}}}
}

// product is a matrix product.
func matmul(n int) *ir.Kernel {
	b := ir.NewBuilder()
	i, j := b.Axis("i", n), b.Axis("j", n)
	p, q := f32("P", n, n), f32("Q", n, n)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(p, i, k), b.Load(q, k, j)))}, nil
	})
	return &ir.Kernel{Name: "matmul", Axes: []*ir.Node{i, j}, Contract: true, Stores: []ir.Store{{Buf: f32("O", n, n), Index: []*ir.Node{i, j}, Value: sum[0]}}}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name string
		k    *ir.Kernel
		want string
	}{
		{"beam", newBeam(64, 64, 128, 32, 32, false).Kernel, "order z>x>y, lanes x:4xy:4, unroll z:8, window 16, table 32, guard"},
		{"beam, any probe", newBeam(64, 64, 128, 32, 32, true).Kernel, "order z>x>y, lanes x:4xy:4, unroll z:8, window 16, table 32, guard"},
		{"planar", planar(ir.F32), "order z>x, lanes x:4xz:4, unroll z:8, window 16, table 32, guard"},
		{"elementwise", elementwise(300, 1000), "order y>x, lanes x:16"},
		{"elementwise, short rows", elementwise(1000, 3), "order y>x, scalar"},
		{"across", across(ir.F32, 300, 1000), "order i>j, lanes j:16, unroll i:16"},
		{"spread out", spreadOut(300, 4, 1000), "order y>c>x, lanes x:16, unroll c:4"},
		{"total", total(100000), "foldlanes"},
		{"sparse", sparse(500), "order y, foldlanes"},
		{"matmul", matmul(256), "order j>i, lanes j:16, unroll i:13xj:2, split 256, chunk j:128xi:117, pack, accmajor"},
	} {
		all := schedule.Candidates(c.k, schedule.AVX512)
		if got := all[0].Text(c.k); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, s := range all {
			t.Logf("%s: %s", c.name, s.Text(c.k))
			if _, err := render.Render(c.k, s, schedule.AVX512, "k", render.Way{}); err != nil {
				t.Error(err)
			}
		}
	}
}

// Places beyond the ends of an array that are held, wrapped or mirrored do not make gathers of rows that are read side by side.
func TestNearlyContiguousLoads(t *testing.T) {
	const n = 200
	for name, place := range map[string]func(b *ir.Builder, x *ir.Node) *ir.Node{
		"held": func(b *ir.Builder, x *ir.Node) *ir.Node {
			return b.Max(b.I32(0), b.Min(b.I32(n-1), b.Add(x, b.I32(3))))
		},
		"wrapped": func(b *ir.Builder, x *ir.Node) *ir.Node { return b.Mod(b.Sub(x, b.I32(7)), b.I32(n)) },
		"mirrored": func(b *ir.Builder, x *ir.Node) *ir.Node {
			turn := b.Mod(b.Sub(x, b.I32(7)), b.I32(2*n-2))
			return b.Min(turn, b.Sub(b.I32(2*n-2), turn))
		},
		"backwards": func(b *ir.Builder, x *ir.Node) *ir.Node { return b.Max(b.I32(0), b.Sub(b.I32(n-3), x)) },
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", n)
		k := &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: f32("o", n), Index: []*ir.Node{x}, Value: b.Load(f32("a", n), place(b, x))}}}
		want := map[bool]string{true: "backward", false: "contiguous"}[name == "backwards"]
		out, err := render.Render(k, schedule.Default(k, schedule.AVX2), schedule.AVX2, "k", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if out.Loads[want] != 1 || len(out.Loads) != 1 {
			t.Errorf("%s: loads %v, want one that is %s", name, out.Loads, want)
		}
	}
}
