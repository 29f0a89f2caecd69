package runtime

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner"
	"weft/planner/plan"
)

const (
	blockPixels = 32 // pixels whose products with the continuum are kept as moments
	moments     = 4
)

// spectra are what a scan of trial velocities takes: observed spectra over pixels, in units of their errors, each with a template, a cubic
// between knots; and a continuum of some terms that is fitted for each velocity, by moments of blocks of pixels.
type spectra struct {
	count, pixels, velocities, terms, templates, knots int

	base                ops.ElemType
	data, weight, first []float32 // by spectrum and pixel: flux, one over the error, a first continuum
	spline              []float32 // by template, power and knot
	knot, part          []float64 // by pixel: where it is
	shift               []float64 // by velocity: in knots
	basis               [][]float64
	table               []float64 // polynomials within a block
	maps                []float64 // by block, moment and product of two terms, then by term
}

// newSpectra makes some up.
func newSpectra(count, pixels, velocities, terms int, base ops.ElemType) *spectra {
	rng := rand.New(rand.NewPCG(3, 9))
	d := &spectra{count: count, pixels: pixels, velocities: velocities, terms: terms, templates: 8, knots: pixels*5/4 + 96, base: base}
	for range d.templates {
		y := make([]float64, d.knots+1)
		for i := range y {
			y[i] = 1 - 0.5*math.Pow(rng.Float64(), 6)
		}
		slope := func(i int) float64 { return (y[min(i+1, d.knots)] - y[max(i-1, 0)]) / 2 }
		coefficients := [4][]float32{}
		for i := range d.knots {
			a, b, p, q := y[i], y[i+1], slope(i), slope(i+1)
			for k, c := range []float64{a, p, 3*(b-a) - 2*p - q, 2*(a-b) + p + q} {
				coefficients[k] = append(coefficients[k], float32(c))
			}
		}
		d.spline = append(d.spline, slices.Concat(coefficients[0], coefficients[1], coefficients[2], coefficients[3])...)
	}
	for p := range pixels {
		at := 40.3 + 1.2*float64(p)
		d.knot, d.part = append(d.knot, math.Floor(at)), append(d.part, at-math.Floor(at))
	}
	for v := range velocities { // any ones: their distances grow
		x := float64(v)/float64(velocities) - 0.5
		d.shift = append(d.shift, 48*x*(1+0.2*x))
	}
	width := 1 / float64(terms-3)
	for t := range terms {
		line := make([]float64, pixels)
		for p := range line {
			x := 2*float64(p)/float64(pixels-1) - 1
			if line[p] = math.Pow(x, float64(t)); t > 2 {
				c := -1 + 2*float64(t-3)/float64(terms-4)
				line[p] = math.Exp(-(x - c) * (x - c) / (2 * width * width))
			}
		}
		d.basis = append(d.basis, line)
	}
	for s := range count {
		for p := range pixels {
			sigma := 0.05 * (1 + 0.3*rng.Float64())
			level := 1 + 0.2*math.Sin(float64(s)+3*float64(p)/float64(pixels))
			x, _ := d.template(s, p, velocities/3+s)
			d.data = append(d.data, float32((x*level+sigma*rng.NormFloat64())/sigma))
			d.weight = append(d.weight, float32(1/sigma))
			d.first = append(d.first, float32(1/sigma))
		}
	}
	pairs := d.pairs()
	d.maps, d.table = make([]float64, pixels/blockPixels*len(pairs)*moments), d.polynomials()
	for r, f := range pairs {
		for block := range pixels / blockPixels {
			for q := range moments {
				for j := range blockPixels {
					d.maps[(block*moments+q)*len(pairs)+r] += d.table[q*blockPixels+j] * f(block*blockPixels+j)
				}
			}
		}
	}
	for i, x := range d.maps { // bells end in numbers that processors are slow at
		if math.Abs(x) < 1e-30 {
			d.maps[i] = 0
		}
	}
	return d
}

// products is how many pairs of terms there are that are not alike, and terms.
func (d *spectra) products() int { return len(d.pairs()) }

// alike numbers the pairs of terms, those that are multiples of each other by one number, and gives the multiples: the terms are three powers
// and bells of one width.
func (d *spectra) alike() (number map[[2]int]int, times map[[2]int]float64, first [][2]int) {
	number, times = map[[2]int]int{}, map[[2]int]float64{}
	known := map[string]int{}
	middle := (d.pixels - 1) / 2
	for i := range d.terms {
		for j := range i + 1 {
			key := fmt.Sprint(i, j)
			switch {
			case i < 3:
				key = fmt.Sprint("power ", i+j)
			case j >= 3:
				key = fmt.Sprint("bell ", i+j)
			}
			if _, ok := known[key]; !ok {
				known[key] = len(first)
				first = append(first, [2]int{i, j})
			}
			at := known[key]
			number[[2]int{i, j}] = at
			like := first[at]
			times[[2]int{i, j}] = 1
			if j >= 3 {
				times[[2]int{i, j}] = d.basis[i][middle] * d.basis[j][middle] / (d.basis[like[0]][middle] * d.basis[like[1]][middle])
			}
		}
	}
	return number, times, first
}

// pairs are the products of two terms, and terms, by pixel.
func (d *spectra) pairs() (out []func(p int) float64) {
	_, _, first := d.alike()
	for _, of := range first {
		out = append(out, func(p int) float64 { return d.basis[of[0]][p] * d.basis[of[1]][p] })
	}
	for i := range d.terms {
		out = append(out, func(p int) float64 { return d.basis[i][p] })
	}
	return out
}

// polynomials are orthonormal over the pixels of a block.
func (d *spectra) polynomials() []float64 {
	out := make([]float64, moments*blockPixels)
	for q := range moments {
		line := out[q*blockPixels:][:blockPixels]
		for j := range line {
			line[j] = math.Pow((2*float64(j)+1)/blockPixels-1, float64(q))
		}
		for k := range q {
			dot, other := 0.0, out[k*blockPixels:][:blockPixels]
			for j := range line {
				dot += line[j] * other[j]
			}
			for j := range line {
				line[j] -= dot * other[j]
			}
		}
		norm := 0.0
		for _, x := range line {
			norm += x * x
		}
		for j := range line {
			line[j] /= math.Sqrt(norm)
		}
	}
	return out
}

// template is that of a spectrum at a pixel and a velocity, and its weight.
func (d *spectra) template(s, p, v int) (x, weight float64) {
	at := d.part[p] + d.shift[v%d.velocities]
	k, u := int(d.knot[p])+int(math.Floor(at)), at-math.Floor(at)
	c := func(q int) float64 { return float64(d.spline[((s%d.templates)*4+q)*d.knots+k]) }
	if i := s*d.pixels + p; i < len(d.weight) {
		weight = float64(d.weight[i])
	}
	return c(0) + u*(c(1)+u*(c(2)+u*c(3))), weight
}

// objective is the value that is scanned, in plain float64 without moments.
func (d *spectra) objective(s, v int) float64 {
	n := d.terms
	m, u := make([]float64, n*n), make([]float64, n)
	square := 0.0
	for p := range d.pixels {
		x, w := d.template(s, p, v)
		i := s*d.pixels + p
		r := float64(d.data[i]) - x*float64(d.first[i])
		square += r * r
		for i := range n {
			u[i] += d.basis[i][p] * x * w * r
			for j := range n {
				m[i*n+j] += d.basis[i][p] * d.basis[j][p] * x * w * x * w
			}
		}
	}
	for i := range n {
		for j := range i + 1 {
			x := m[i*n+j]
			for k := range j {
				x -= m[i*n+k] * m[j*n+k]
			}
			if m[i*n+j] = x / m[j*n+j]; i == j {
				m[i*n+i] = math.Sqrt(x)
				square += math.Log(x)
			}
		}
		for k := range i {
			u[i] -= m[i*n+k] * u[k]
		}
		u[i] /= m[i*n+i]
		square -= u[i] * u[i]
	}
	return square
}

// scanned is the objective of every spectrum and velocity.
func (w *streams) scanned(d *spectra) ops.Array {
	dim := func(name string, n int) ops.Dim { return ops.Dim{Name: name, Size: n} }
	given := func(name string, values []float32, dims ...ops.Dim) ops.Array {
		return ops.Array{Of: w.use(name, optest.Filled(func(_ context.Context, to ops.HostArray) (ops.Note, error) {
			dense := to.Dense()
			for i, v := range values {
				dense.Re[i] = float64(v)
			}
			return ops.Note{Text: name}, to.SetDense(dense)
		}), ops.Type{Elem: d.base, Dims: dims})}
	}
	spectrum, pixel := dim("spectrum", d.count), dim("pixel", d.pixels)
	data, weight, first := given("data", d.data, spectrum, pixel), given("weight", d.weight, spectrum, pixel), given("first", d.first, spectrum, pixel)
	spline := given("spline", d.spline, dim("template", d.templates), dim("power", 4), dim("knot", d.knots))
	t := ops.Type{Elem: ops.F64, Dims: []ops.Dim{spectrum, dim("velocity", d.velocities)}}
	real := d.base.Base
	return w.lowered("scan", t, func(l *ops.Lowering) []*ops.Stage {
		data, weight, first, spline := l.In("a"), l.In("b"), l.In("c"), l.In("d")
		knot, part := l.Table("knot", ir.I32, d.knot, pixel), l.Table("part", real, d.part, pixel)
		shift := l.Table("shift", real, d.shift, t.Dims[1])
		table := l.Table("polynomials", real, d.table, dim("moment", moments), dim("within", blockPixels))
		maps := l.Table("maps", real, d.maps, dim("block", d.pixels/blockPixels), dim("moment", moments), dim("product", d.products()))
		number, times, alike := d.alike()
		inputs := []*ops.Stage{data, weight, first, spline, knot, part, shift, table, maps}
		zeros := func(b *ops.Body, n int) []*ir.Node { return slices.Repeat([]*ir.Node{b.Const(real, 0)}, n) }
		return []*ops.Stage{l.Stage("", t, inputs, func(b *ops.Body, i []*ir.Node) ops.Elem {
			s, v := i[0], i[1]
			n, half := d.terms, len(alike)
			inBlock := func(block *ir.Node) []*ir.Node {
				return b.Fold(ir.FoldSpec{Name: "within", Lo: b.I32(0), Hi: b.I32(blockPixels), Init: zeros(b, 2*moments+1), Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
					p := b.Add(b.Mul(block, b.I32(blockPixels)), j)
					at := b.Add(part.At(b, p).Re, shift.At(b, v).Re)
					whole := b.Alu(ir.Floor, at)
					k, u := b.Add(knot.At(b, p).Re, b.Cast(ir.I32, whole)), b.Sub(at, whole)
					c := func(q int) *ir.Node { return spline.At(b, b.Alu(ir.Mod, s, b.I32(d.templates)), b.I32(q), k).Re }
					x := b.Add(c(0), b.Mul(u, b.Add(c(1), b.Mul(u, b.Add(c(2), b.Mul(u, c(3)))))))
					scaled, r := b.Mul(x, weight.At(b, s, p).Re), b.Sub(data.At(b, s, p).Re, b.Mul(x, first.At(b, s, p).Re))
					square, cross := b.Mul(scaled, scaled), b.Mul(scaled, r)
					next := []*ir.Node{b.Add(acc[0], b.Mul(r, r))}
					for q := range moments {
						f := table.At(b, b.I32(q), j).Re
						next = append(next, b.Add(acc[1+2*q], b.Mul(square, f)), b.Add(acc[2+2*q], b.Mul(cross, f)))
					}
					return next, nil
				})
			}
			products := d.products()
			init := append([]*ir.Node{b.F64(0)}, zeros(b, products)...)
			sums := b.Fold(ir.FoldSpec{Name: "block", Lo: b.I32(0), Hi: b.I32(d.pixels / blockPixels), Init: init, Monoid: ir.Sum}, func(block *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				m := inBlock(block)
				next := []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, m[0]))}
				for r := range products {
					kind := 1
					if r >= half {
						kind = 2
					}
					sum := acc[1+r]
					for q := range moments {
						sum = b.Add(sum, b.Mul(m[kind+2*q], maps.At(b, block, b.I32(q), b.I32(r)).Re))
					}
					next = append(next, sum)
				}
				return next, nil
			})
			wide := make([]*ir.Node, len(sums))
			for k, x := range sums {
				wide[k] = b.Cast(ir.F64, x)
			}
			out, lower := wide[0], map[[2]int]*ir.Node{}
			solved := make([]*ir.Node, n)
			for i := range n {
				for j := range i + 1 {
					pair := [2]int{i, j}
					x := b.Mul(wide[1+number[pair]], b.F64(times[pair]))
					for k := range j {
						x = b.Sub(x, b.Mul(lower[[2]int{i, k}], lower[[2]int{j, k}]))
					}
					if i == j {
						lower[[2]int{i, i}] = b.Div(b.F64(1), b.Sqrt(x))
						out = b.Add(out, b.Alu(ir.Log, x))
						continue
					}
					lower[[2]int{i, j}] = b.Mul(x, lower[[2]int{j, j}])
				}
				x := wide[1+half+i]
				for k := range i {
					x = b.Sub(x, b.Mul(lower[[2]int{i, k}], solved[k]))
				}
				solved[i] = b.Mul(x, lower[[2]int{i, i}])
				out = b.Sub(out, b.Mul(solved[i], solved[i]))
			}
			return ops.Real(out)
		})}
	}, data, weight, first, spline)
}

// TestVelocityScan compares a scan with the definition.
func TestVelocityScan(t *testing.T) {
	cpu, err := native.New(native.FromEnv())
	if err != nil {
		t.Skip(err)
	}
	for _, base := range []ops.ElemType{ops.F32, ops.F64} {
		d := newSpectra(3, 640, 50, 5, base)
		w := newStreams()
		p, err := planner.Build([]*ops.Instance{w.keep("out", w.scanned(d))}, cpu.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e11, Bandwidth: 2e10}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), p, Options{Devices: []device.Device{cpu}, Threads: 2}); err != nil {
			t.Fatal(err)
		}
		for s := range d.count {
			for v := range d.velocities {
				got, want := w.got["out"].Re[s*d.velocities+v], d.objective(s, v)
				if math.Abs(got-want) > 5e-5*math.Abs(want) {
					t.Fatalf("%s: spectrum %d, velocity %d: %g, not %g", base, s, v, got, want)
				}
			}
		}
	}
}

// BenchmarkVelocityScan gives the processor time of the kernels over two threads, and that of compiling them.
func BenchmarkVelocityScan(b *testing.B) {
	for _, base := range []ops.ElemType{ops.F32, ops.F64} {
		for _, terms := range []int{10, 20} {
			b.Run(fmt.Sprintf("%s/%d", base, terms), func(b *testing.B) {
				d := newSpectra(64, 4000, 432, terms, base)
				cpu, err := native.New(native.FromEnv())
				if err != nil {
					b.Fatal(err)
				}
				w := newStreams()
				p, err := planner.Build([]*ops.Instance{w.keep("out", w.scanned(d))}, cpu.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e11, Bandwidth: 2e10}})
				if err != nil {
					b.Fatal(err)
				}
				var times []float64
				start := time.Now()
				for range 9 {
					r, err := Run(b.Context(), p, Options{Devices: []device.Device{cpu}, Threads: 2})
					if err != nil {
						b.Fatal(err)
					}
					if times == nil {
						b.Logf("first run %v", time.Since(start))
					}
					sum := 0.0
					for _, k := range r.Kernels {
						sum += k.CPU
						if times == nil {
							b.Logf("%s: cpu %.2f ms, predicted %.2f ms, %.4g flops, %d tiles, %s", k.ID, k.CPU*500, k.Predicted*1e3, k.Flops, k.Tiles, k.Schedule)
						}
					}
					times = append(times, sum/2)
				}
				slices.Sort(times)
				b.ReportMetric(times[4]*1e3, "ms")
				b.ReportMetric(float64(d.count*d.pixels*d.velocities)/times[4]/1e9, "Gpxvel/s")
			})
		}
	}
}
