package native

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// trianglesOf are the ends of the turns m of products x[i, m] y[m, j], of n of them.
var trianglesOf = map[string]func(b *ir.Builder, i, j *ir.Node, n int) (lo, hi *ir.Node){
	"lower": func(b *ir.Builder, i, _ *ir.Node, _ int) (lo, hi *ir.Node) { return b.I32(0), b.Add(i, b.I32(1)) },
	"upper": func(b *ir.Builder, i, _ *ir.Node, n int) (lo, hi *ir.Node) { return i, b.I32(n) },
	"right": func(b *ir.Builder, _, j *ir.Node, n int) (lo, hi *ir.Node) { return b.Min(j, b.I32(n)), b.I32(n) },
	"both":  func(b *ir.Builder, i, j *ir.Node, _ int) (lo, hi *ir.Node) { return j, b.Add(i, b.I32(1)) },
	"band": func(b *ir.Builder, i, _ *ir.Node, n int) (lo, hi *ir.Node) {
		return b.Max(b.I32(0), b.Sub(i, b.I32(40))), b.Min(b.I32(n), b.Add(i, b.I32(300)))
	},
	"half": func(b *ir.Builder, i, j *ir.Node, n int) (lo, hi *ir.Node) {
		return b.I32(0), b.Select(b.Le(j, i), b.I32(n), b.I32(0))
	},
}

// Products that go through the turns of a triangle are those of blocks of registers, to the bit the same under every variant and in launches of any
// size, and what lies beside the triangle takes no part in them: it may be anything.
func TestProductsOfTriangles(t *testing.T) {
	d := open(t, "")
	for _, typ := range []ir.DType{ir.F32, ir.F64} {
		for name, ends := range trianglesOf {
			for _, n := range []int{70, 601} {
				t.Run(fmt.Sprint(typ, " ", name, " ", n), func(t *testing.T) {
					columns := n
					if name == "lower" || name == "upper" || name == "band" {
						columns = 150
					}
					b := ir.NewBuilder()
					x, y, out := &ir.Buffer{Name: "x", Type: typ, Shape: []int{n, n}}, &ir.Buffer{Name: "y", Type: typ, Shape: []int{n, columns}}, &ir.Buffer{Name: "out", Type: typ, Shape: []int{n, columns}}
					k := &ir.Kernel{Name: "triangle", Axes: []*ir.Node{b.Axis("i", n), b.Axis("j", columns)}, Contract: true}
					lo, hi := ends(b, k.Axes[0], k.Axes[1], n)
					sum := b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(m *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
						return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Mul(b.Load(x, k.Axes[0], m), b.Load(y, m, k.Axes[1]))))}, nil
					})
					k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: b.Cast(typ, sum[0])}}
					programs, err := d.Variants(t.Context(), k)
					if err != nil {
						t.Fatal(err)
					}
					within := func(i, j, m int) bool {
						switch name {
						case "lower":
							return m <= i
						case "upper":
							return m >= i
						case "right":
							return m >= j
						case "both":
							return m >= j && m <= i
						case "band":
							return m >= i-40 && m < i+300
						}
						return j <= i
					}
					nothing := func(of string, i, m int) bool { // whether no sum has the element
						switch {
						case of == "x" && (name == "lower" || name == "both"):
							return m > i
						case of == "x" && (name == "upper" || name == "band"):
							return !within(i, 0, m)
						case of == "y" && (name == "right" || name == "both"):
							return i < m
						}
						return false
					}
					var first []byte
					blocks := 0
					for _, p := range programs {
						s := p.Report().Schedule
						if strings.Contains(s, "pack") && strings.Count(s, "unroll") == 1 {
							blocks++
						}
						mem, at := filled(t, d, k)
						for _, buf := range []*ir.Buffer{x, y} {
							host := mem.Mem[buf].Host()
							for i := range buf.Shape[0] {
								for m := range buf.Shape[1] {
									switch e := i*buf.Shape[1] + m; {
									case !nothing(buf.Name, i, m):
									case typ == ir.F32:
										*(*float32)(unsafe.Pointer(&host[4*e])) = float32(math.NaN())
									default:
										*(*float64)(unsafe.Pointer(&host[8*e])) = math.NaN()
									}
								}
							}
						}
						launch, err := p.Bind(mem)
						if err != nil {
							t.Fatal(err)
						}
						for _, r := range []region.Region{{{Lo: 0, Hi: 50}, {Lo: 0, Hi: columns}}, {{Lo: 50, Hi: n}, {Lo: 0, Hi: columns - 3}}, {{Lo: 50, Hi: n}, {Lo: columns - 3, Hi: columns}}} {
							if err := launch(r); err != nil {
								t.Fatal(err)
							}
						}
						worst := 0.0
						for i := 0; i < n; i += 1 + n/40 {
							for j := range columns {
								want := 0.0
								for m := range n {
									if within(i, j, m) {
										want += at("x", i*n+m) * at("y", m*columns+j)
									}
								}
								worst = max(worst, math.Abs(want-at("out", i*columns+j)))
							}
						}
						if most := map[ir.DType]float64{ir.F32: 1e-4, ir.F64: 1e-12}[typ]; !(worst <= most) {
							t.Errorf("wrong by %g under %s", worst, s)
						}
						if s == "scalar" { // which nothing is chosen from
							continue
						}
						if bits := mem.Mem[out].Host(); first == nil {
							first = append(first, bits...)
						} else if string(first) != string(bits) {
							t.Errorf("other bits under %s", s)
						}
					}
					if blocks == 0 && n > 100 {
						t.Errorf("no variant has a block of registers: %s", programs[0].Report().Schedule)
					}
				})
			}
		}
	}
}
