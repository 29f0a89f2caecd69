package conformance

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// applications are small kernels of the shapes that scientific pipelines have.
func applications() []spec {
	return []spec{
		{"matrix-vector product", sums, func(k *kit) {
			y := k.axis("y", 41)
			a, x := k.random("a", 41, 130), k.floats(ir.F16, "x", k.noise(130, 1))
			k.out("v", k.sum(130, k.F32(0), func(j *ir.Node) *ir.Node { return k.Mul(k.at(a, y, j), k.at(x, j)) }))
		}},
		{"matrix product", sums, func(k *kit) {
			y, x := k.axis("y", 17), k.axis("x", 33)
			a, b := k.random("a", 17, 40), k.random("b", 40, 33)
			k.out("v", k.sum(40, k.F32(0), func(j *ir.Node) *ir.Node { return k.Mul(k.at(a, y, j), k.at(b, j, x)) }))
		}},
		{"product with a lower triangle, in float32", sums, triangle(ir.F32, func(k *kit, y, _ *ir.Node) (lo, hi *ir.Node) { return k.I32(0), k.Add(y, k.I32(1)) })},
		{"product with an upper triangle", sums, triangle(ir.F64, func(k *kit, _, x *ir.Node) (lo, hi *ir.Node) { return x, k.I32(70) })},
		{"product of two triangles", sums, triangle(ir.F64, func(k *kit, y, x *ir.Node) (lo, hi *ir.Node) { return x, k.Add(y, k.I32(1)) })},
		{"sparse matrix-vector product", exactly, sparse},
		{"product with blocks of columns, and of its transpose with that", exactly, blocks(16)},
		{"product with blocks of 21 columns, and of its transpose with that", exactly, blocks(21)},
		{"sparse product in f32 and f64", sums, func(k *kit) {
			start, cols := k.rows(53, 0, 9)
			vals, x := k.random("vals", len(cols)), k.random("x", 200)
			at := k.ints(ir.I32, "cols", cols)
			y := k.axis("row", 53)
			p := k.ints(ir.I64, "start", start)
			v := k.Fold(ir.FoldSpec{Lo: k.at(p, y), Hi: k.at(p, k.Add(y, k.I32(1))), Init: []*ir.Node{k.F32(0), k.F64(0)}, Monoid: ir.Sum}, func(j *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				w := k.Mul(k.at(vals, j), k.at(x, k.at(at, j)))
				return []*ir.Node{k.Add(a[0], w), k.Add(a[1], k.Cast(ir.F64, w))}, nil
			})
			k.out("f32", v[0])
			k.out("f64", v[1])
		}},
		{"float64 sums of float32 over blocks of rows", sums, blockSums(func(_ *kit, sum *ir.Node) *ir.Node { return sum })},
		{"float64 sums of float64 sums over blocks, rounded in between", sums, blockSums(func(k *kit, sum *ir.Node) *ir.Node {
			return k.Cast(ir.F64, k.Cast(ir.F32, sum))
		})},
		{"mandelbrot", exactly, func(k *kit) {
			y, x := k.axis("y", 21), k.axis("x", 37)
			cr, ci := k.Sub(k.Mul(k.real(x), k.F32(0.08)), k.F32(2.1)), k.Sub(k.Mul(k.real(y), k.F32(0.11)), k.F32(1.1))
			v := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(60), Init: []*ir.Node{k.F32(0), k.F32(0), k.I32(0)}}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				rr, ii := k.Mul(a[0], a[0]), k.Mul(a[1], a[1])
				ri := k.Mul(a[0], a[1])
				return []*ir.Node{k.Add(k.Sub(rr, ii), cr), k.Add(k.Add(ri, ri), ci), k.Add(a[2], k.I32(1))}, k.Le(k.Add(rr, ii), k.F32(4))
			})
			k.out("turns", v[2])
			k.out("re", v[0])
		}},
		{"delay and sum", sums, delayAndSum(false, 40)},
		{"delay and sum, contracted", contractedSum, delayAndSum(true, 40)},
		{"delay and sum out of range", sums, delayAndSum(false, 100)},
		{"sky view", exactly, skyView(false)},
		{"sky view with maximum tables", exactly, skyView(true)},
		{"normal equations", contracted, func(k *kit) { normalEquations(k); k.kernel.Contract = true }},
		{"normal equations, not contracted", sums, normalEquations},
		{"equations of more values than threads have registers", exactly, equations},
		{"bilinear interpolation", exactly, func(k *kit) {
			y, x := k.axis("y", 13), k.axis("x", 45)
			a := k.random("a", 10, 12)
			v, u := k.Mul(k.real(y), k.F32(0.68)), k.Mul(k.real(x), k.F32(0.24))
			j, i := k.Cast(ir.I32, v), k.Cast(ir.I32, u)
			p, q := k.Sub(v, k.real(j)), k.Sub(u, k.real(i))
			at := func(dj, di int) *ir.Node {
				return k.at(a, k.clamp(k.Add(j, k.I32(dj)), 10), k.clamp(k.Add(i, k.I32(di)), 12))
			}
			top := k.Add(at(0, 0), k.Mul(q, k.Sub(at(0, 1), at(0, 0))))
			low := k.Add(at(1, 0), k.Mul(q, k.Sub(at(1, 1), at(1, 0))))
			k.out("v", k.Add(top, k.Mul(p, k.Sub(low, top))))
		}},
		{"convolution", exactly, func(k *kit) {
			x := k.axis("x", 101)
			a, w := k.counts("a", 101), k.counts("w", 9)
			a.Pad = ir.Pad{Before: 16, After: 27}
			k.out("v", k.sum(9, k.F32(0), func(j *ir.Node) *ir.Node {
				i := k.Sub(k.Add(x, j), k.I32(4))
				return k.Mul(k.at(w, j), k.LoadOr(a, k.within(i, 101), k.F32(0), i))
			}))
		}},
		{"recursive filter", exactly, func(k *kit) {
			y, x := k.axis("y", 9), k.axis("x", 20)
			a := k.random("a", 9, 20)
			k.out("v", k.fold(ir.Ordered, k.Add(x, k.I32(1)), []*ir.Node{k.F32(0), k.F32(0)}, func(i *ir.Node, s []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(k.Sub(k.Mul(s[0], k.F32(1.2)), k.Mul(s[1], k.F32(0.5))), k.at(a, y, i)), s[0]}
			})[0])
		}},
		{"newton's root", exactly, func(k *kit) {
			x := k.Add(k.Abs(k.at(k.floats(ir.F64, "x", k.noise(61, 50)), k.axis("i", 61))), k.F64(0.1))
			v := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(40), Init: []*ir.Node{x, k.I32(0)}}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				next := k.Mul(k.F64(0.5), k.Add(a[0], k.Div(x, a[0])))
				return []*ir.Node{next, i}, k.Lt(k.Mul(x, k.F64(1e-12)), k.Abs(k.Sub(k.Mul(a[0], a[0]), x)))
			})
			k.out("root", v[0])
			k.out("turns", v[1])
		}},
		{"rigid phase rotation", Tolerance{ULP: 8, Abs: 2e-6}, func(k *kit) {
			x := k.axis("x", 70)
			re, im, phase := k.at(k.random("re", 70), x), k.at(k.random("im", 70), x), k.Mul(k.at(k.random("p", 70), x), k.F32(30))
			c, s := k.Alu(ir.Cos, phase), k.Alu(ir.Sin, phase)
			k.out("real", k.Sub(k.Mul(re, c), k.Mul(im, s)))
			k.out("imag", k.Add(k.Mul(re, s), k.Mul(im, c)))
			k.out("decibel", k.Mul(k.F32(20), k.Alu(ir.Log10, k.Max(k.Sqrt(k.Add(k.Mul(re, re), k.Mul(im, im))), k.F32(1e-3)))))
		}},
	}
}

// blockSums are sums over rows of what is made of sums over their blocks.
func blockSums(of func(k *kit, sum *ir.Node) *ir.Node) func(k *kit) {
	return func(k *kit) {
		start, cols := k.rows(41, 0, 90)
		vals, x := k.random("vals", len(cols), 21), k.random("x", 221)
		at, p := k.ints(ir.U16, "cols", cols), k.ints(ir.I64, "start", start)
		y := k.axis("row", 41)
		total := func(lo, hi *ir.Node, term func(i *ir.Node) *ir.Node) *ir.Node {
			return k.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{k.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{k.Add(a[0], term(i))}, nil
			})[0]
		}
		k.out("v", total(k.at(p, y), k.at(p, k.Add(y, k.I32(1))), func(j *ir.Node) *ir.Node {
			return of(k, total(k.I32(0), k.I32(21), func(l *ir.Node) *ir.Node {
				return k.Cast(ir.F64, k.Mul(k.at(vals, j, l), k.at(x, k.Add(k.at(at, j), l))))
			}))
		}))
	}
}

// rows are the row starts and the columns of a sparse matrix of rows of least to most elements among 200 columns.
func (k *kit) rows(n, least, most int) (start, cols []int64) {
	start = []int64{0}
	for range n {
		for range least + k.rng.IntN(most-least+1) {
			cols = append(cols, int64(k.rng.IntN(200)))
		}
		start = append(start, int64(len(cols)))
	}
	return start, cols
}

// sparse has whole numbers, so that rows of different lengths agree exactly; some rows are empty.
func sparse(k *kit) {
	start, cols := k.rows(75, 0, 12)
	p, at := k.ints(ir.I32, "start", start), k.ints(ir.I32, "cols", cols)
	vals, x := k.counts("vals", len(cols)), k.counts("x", 200)
	y := k.axis("row", 75)
	v := k.Fold(ir.FoldSpec{Lo: k.at(p, y), Hi: k.at(p, k.Add(y, k.I32(1))), Init: []*ir.Node{k.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{k.Add(a[0], k.Mul(k.at(vals, j), k.at(x, k.at(at, j))))}, nil
	})
	k.out("v", v[0])
}

// blocks is a matrix whose rows list blocks of neighbouring columns: each row of its product with x scatters what is in it, scaled, into a
// line of its chunk of rows.
func blocks(wide int) func(k *kit) {
	return func(k *kit) {
		const chunks, each = 7, 9
		start, cols := k.rows(chunks*each, 0, 6)
		p, at := k.ints(ir.I32, "start", start), k.ints(ir.U16, "cols", cols)
		vals, x := k.counts("vals", len(cols), wide), k.counts("x", 200+wide)
		c := k.axis("chunk", chunks)
		line := func(name string) *ir.Buffer {
			return &ir.Buffer{Name: name, Type: ir.F32, Shape: []int{chunks, 200 + wide}}
		}
		of := func(sum bool, row *ir.Node, acc []*ir.Node, in func(block, place *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
			m := ir.Ordered
			if sum {
				m = ir.Sum
			}
			bounds := ir.FoldSpec{Lo: k.at(p, row), Hi: k.at(p, k.Add(row, k.I32(1))), Init: acc, Monoid: m}
			return k.Fold(bounds, func(b *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				start := acc
				if sum {
					start = []*ir.Node{k.F32(0)}
				}
				out := k.Fold(ir.FoldSpec{Lo: k.I32(0), Hi: k.I32(wide), Init: start, Monoid: m}, func(l *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					return in(k.at(vals, b, l), k.Add(k.at(at, b), l), acc), nil
				})
				if sum {
					out = []*ir.Node{k.Add(acc[0], out[0])}
				}
				return out, nil
			})
		}
		clear := k.Turns("x", k.I32(0), k.I32(200+wide), k.kernel.Axes, func(*ir.Node) {})
		parts := line("parts")
		var value, place *ir.Node
		var inner *ir.Fold
		k.Turns("row", k.I32(0), k.I32(each), k.kernel.Axes, func(i *ir.Node) {
			row := k.Add(k.Mul(c, k.I32(each)), i)
			d := of(true, row, []*ir.Node{k.F32(0)}, func(v, place *ir.Node, acc []*ir.Node) []*ir.Node {
				return []*ir.Node{k.Add(acc[0], k.Mul(v, k.at(x, place)))}
			})[0]
			of(false, row, []*ir.Node{i}, func(v, at *ir.Node, acc []*ir.Node) []*ir.Node {
				value, place, inner = k.Mul(v, d), at, acc[0].Fold
				return acc
			})
		})
		k.kernel.Stores = []ir.Store{
			{Buf: parts, Index: []*ir.Node{c, clear.Index}, Value: k.F32(0), In: clear},
			{Buf: parts, Index: []*ir.Node{c, place}, Value: value, In: inner, Adds: true},
		}
	}
}

// delayAndSum is a plane wave beamformer: per element a delay, the nearest sample, its residual phase. Contracted, it
// interpolates instead, because the nearest sample jumps where contraction moves a tie.
func delayAndSum(contract bool, span float64) func(k *kit) {
	return func(k *kit) {
		const elements, samples = 24, 96
		x, z := k.axis("x", 19), k.axis("z", 34)
		data, pos := k.counts("data", elements, samples), k.random("pos", elements)
		data.Pad = ir.Pad{Before: 32, After: 32}
		k.kernel.Contract = contract
		px, pz := k.Sub(k.Mul(k.real(x), k.F32(0.1)), k.F32(1)), k.Add(k.Mul(k.real(z), k.F32(0.05)), k.F32(0.5))
		sample := func(e, i *ir.Node) *ir.Node { return k.LoadOr(data, k.within(i, samples), k.F32(0), e, i) }
		term := func(e, s *ir.Node) (*ir.Node, *ir.Node) {
			r := k.Alu(ir.Rint, s)
			w := sample(e, k.Cast(ir.I32, r))
			return w, k.Mul(w, k.Sub(s, r))
		}
		if contract {
			term = func(e, s *ir.Node) (*ir.Node, *ir.Node) {
				r := k.Alu(ir.Floor, s)
				i := k.Cast(ir.I32, r)
				lo, hi := sample(e, i), sample(e, k.Add(i, k.I32(1)))
				w := k.Add(lo, k.Mul(k.Sub(s, r), k.Sub(hi, lo)))
				return w, k.Mul(w, k.Mul(s, k.F32(0.01)))
			}
		}
		v := k.fold(ir.Sum, k.I32(elements), []*ir.Node{k.F32(0), k.F32(0)}, func(e *ir.Node, a []*ir.Node) []*ir.Node {
			d := k.Sub(px, k.at(pos, e))
			s := k.Sub(k.Mul(k.Sqrt(k.Add(k.Mul(d, d), k.Mul(pz, pz))), k.F32(span)), k.F32(20.26))
			p, q := term(e, s)
			return []*ir.Node{k.Add(a[0], p), k.Add(a[1], q)}
		})
		k.out("sum", v[0])
		k.out("rotated", v[1])
	}
}

// skyView asks, for each pixel and direction, whether terrain hides the sky: an any-fold that may end early, or skip
// blocks by the maximum tables.
func skyView(tables bool) func(k *kit) {
	return func(k *kit) {
		const rows, cols, steps, directions = 48, 70, 20, 3
		h := k.holed(rows * cols)
		terrain := k.floats(ir.F32, "terrain", h, rows, cols)
		rise := k.floats(ir.F32, "rise", ramp(steps, 0.15, 0.11))
		dr := k.ints(ir.I32, "dr", []int64{0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8})
		dc := k.ints(ir.I32, "dc", []int64{1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 9, 10, 11, 12, 12, 13, 14, 15})
		rise.Facts.Mono, dr.Facts.Mono, dc.Facts.Mono = 1, 1, 1
		if tables {
			terrain.Facts.Max = k.pyramid(h, rows, cols, 3, 23, 31)
		}
		dir, y, x := k.axis("direction", directions), k.axis("y", 34), k.axis("x", 49)
		here := k.Sub(k.at(terrain, y, x), k.F32(0.4))
		tilt := k.Add(k.F32(0.5), k.Mul(k.real(dir), k.F32(0.5)))
		seen := k.fold(ir.Any, k.I32(steps), []*ir.Node{k.False()}, func(i *ir.Node, a []*ir.Node) []*ir.Node {
			r, c := k.Add(y, k.at(dr, i)), k.Add(x, k.at(dc, i))
			in := k.And(k.within(r, rows), k.within(c, cols))
			above := k.Sub(k.LoadOr(terrain, in, k.F32(-1e30), r, c), k.Mul(tilt, k.at(rise, i)))
			return []*ir.Node{k.Or(a[0], k.Lt(here, above))}
		})
		k.out("hidden", seen[0])
		k.out("share", k.Select(seen[0], k.F32(0), tilt))
	}
}

func ramp(n int, from, step float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = from + step*float64(i)
	}
	return v
}

// pyramid is one maximum table over values, and their maximum.
func (k *kit) pyramid(v []float64, rows, cols, shift, spanRows, spanCols int) *ir.MaxPyramid {
	tr, tc := (rows+1<<shift-1)>>shift, (cols+1<<shift-1)>>shift
	var table []float64
	top := math.Inf(-1)
	for r := range tr {
		for c := range tc {
			m := math.Inf(-1)
			for i := r << shift; i < min(r<<shift+spanRows, rows); i++ {
				for j := c << shift; j < min(c<<shift+spanCols, cols); j++ {
					if w := v[i*cols+j]; w > m {
						m = w
					}
				}
			}
			table = append(table, m)
			top = max(top, m)
		}
	}
	return &ir.MaxPyramid{
		Top:    k.floats(ir.F32, "top", []float64{top}, []int{}...),
		Tables: []ir.MaxTable{{Buf: k.floats(ir.F32, "table", table, tr, tc), Shift: shift, Rows: spanRows, Cols: spanCols, Block: 8}},
	}
}

// normalEquations is a weighted fit of four functions to each spectrum, solved by elimination in the kernel.
func normalEquations(k *kit) {
	const n, pixels = 4, 50
	y := k.axis("spectrum", 23)
	data, basis := k.floats(ir.F64, "data", k.noise(23*pixels, 1), 23, pixels), k.floats(ir.F64, "basis", k.noise(n*pixels, 1), n, pixels)
	var init []*ir.Node
	for range n*(n+1)/2 + n {
		init = append(init, k.F64(0))
	}
	v := k.fold(ir.Sum, k.I32(pixels), init, func(p *ir.Node, a []*ir.Node) []*ir.Node {
		d := k.at(data, y, p)
		w := k.Add(k.F64(1), k.Mul(d, d))
		var next []*ir.Node
		for i := range n {
			wi := k.Mul(w, k.at(basis, k.I32(i), p))
			for j := range i + 1 {
				next = append(next, k.Add(a[len(next)], k.Mul(wi, k.at(basis, k.I32(j), p))))
			}
			next = append(next, k.Add(a[len(next)], k.Mul(wi, d)))
		}
		return next
	})
	m, at := make([][]*ir.Node, n), 0
	for i := range n {
		m[i] = make([]*ir.Node, n+1)
		for j := range i + 1 {
			m[i][j] = v[at]
			m[j][i] = v[at]
			at++
		}
		m[i][n] = v[at]
		at++
	}
	for p := range n {
		for i := range n {
			if i == p {
				continue
			}
			f := k.Div(m[i][p], m[p][p])
			for j := p; j <= n; j++ {
				m[i][j] = k.Sub(m[i][j], k.Mul(f, m[p][j]))
			}
		}
	}
	for i := range n {
		k.out(fmt.Sprint("x", i), k.Div(m[i][n], m[i][i]))
	}
}

// triangle is a product that goes through a part of its terms, by place.
func triangle(t ir.DType, ends func(k *kit, y, x *ir.Node) (lo, hi *ir.Node)) func(*kit) {
	return func(k *kit) {
		const n = 70
		y, x := k.axis("y", n), k.axis("x", n)
		a, b := k.floats(t, "a", k.noise(n*n, 1), n, n), k.floats(t, "b", k.noise(n*n, 1), n, n)
		lo, hi := ends(k, y, x)
		k.out("v", k.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{k.F64(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{k.Add(acc[0], k.Cast(ir.F64, k.Mul(k.at(a, y, j), k.at(b, j, x))))}, nil
		})[0])
	}
}
