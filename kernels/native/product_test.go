package native

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// product is a kernel that multiplies matrices, of which the first or the second may lie transposed; with a prologue, elements of the
// second are squared, and with an epilogue results have a bias and are cut below at zero; with another one, exponentials are taken.
func product(t ir.DType, rows, columns, terms int, lies string, around bool) *ir.Kernel {
	b := ir.NewBuilder()
	matrix := func(name string, n, m int, transposed bool) *ir.Buffer {
		if transposed {
			n, m = m, n
		}
		return &ir.Buffer{Name: name, Type: t, Shape: []int{n, m}}
	}
	k := &ir.Kernel{Name: "product", Axes: []*ir.Node{b.Axis("i", rows), b.Axis("j", columns)}, Contract: true}
	at := func(buf *ir.Buffer, i, j *ir.Node, transposed bool) *ir.Node {
		if transposed {
			i, j = j, i
		}
		return b.Load(buf, i, j)
	}
	first, second := strings.HasPrefix(lies, "AtB"), lies == "ABt"
	x, y := matrix("x", rows, terms, first), matrix("y", terms, columns, second)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(terms), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(m *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		u, v := at(x, k.Axes[0], m, first), at(y, m, k.Axes[1], second)
		if around {
			v = b.Mul(v, v)
		}
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Mul(u, v)))}, nil
	})
	v := b.Cast(t, sum[0])
	if around {
		bias := b.Load(&ir.Buffer{Name: "bias", Type: t, Shape: []int{columns}}, k.Axes[1])
		v = b.Max(b.Add(b.Add(v, bias), b.Alu(ir.Exp, b.Mul(bias, bias))), b.Const(t, 0)) // light, and not
	}
	if strings.HasSuffix(lies, "bias") {
		v = b.Add(v, b.Load(&ir.Buffer{Name: "bias", Type: t, Shape: []int{columns}}, k.Axes[1]))
	}
	if strings.HasSuffix(lies, "scale") {
		v = b.Mul(v, b.Const(t, 0.37))
	}
	if strings.HasSuffix(lies, "exp") {
		v = b.Alu(ir.Exp, b.Mul(v, b.Const(t, 0.001)))
	}
	k.Stores = []ir.Store{{Buf: matrix("out", rows, columns, false), Index: k.Axes, Value: v}}
	return k
}

// filled is a kernel's buffers, of numbers between -1 and 1, and its output.
func filled(t testing.TB, d *Device, k *ir.Kernel) (b device.Bindings, at func(name string, i int) float64) {
	t.Helper()
	b.Mem = map[*ir.Buffer]device.Memory{}
	typ := k.Outputs()[0].Type
	hosts := map[string][]byte{}
	for _, buf := range append(k.Inputs(), k.Outputs()...) {
		m, err := d.Alloc(buf)
		if err != nil {
			t.Fatal(err)
		}
		if b.Mem[buf], hosts[buf.Name] = m, m.Host(); buf.Type == ir.I32 {
			continue
		}
		for i := range buf.Len() {
			x := math.Sin(float64(i)*1.7 + float64(len(buf.Name)))
			if typ == ir.F32 {
				*(*float32)(unsafe.Pointer(&m.Host()[4*i])) = float32(x)
			} else {
				*(*float64)(unsafe.Pointer(&m.Host()[8*i])) = x
			}
		}
	}
	return b, func(name string, i int) float64 {
		if typ == ir.F32 {
			return float64(*(*float32)(unsafe.Pointer(&hosts[name][4*i])))
		}
		return *(*float64)(unsafe.Pointer(&hosts[name][8*i]))
	}
}

// Products are right whatever lies transposed and is fused, in launches of any size, and under every variant; in one slice and in several.
func TestProducts(t *testing.T) {
	d := open(t, "")
	for _, typ := range []ir.DType{ir.F32, ir.F64} {
		for _, lies := range []string{"AB", "AtB", "ABt", "AB around", "AB long", "AtB tall"} {
			t.Run(fmt.Sprint(typ, " ", lies), func(t *testing.T) {
				rows, columns, terms, around := 83, 150, 301, strings.HasSuffix(lies, "around")
				if strings.HasSuffix(lies, "long") {
					terms = 9001
				}
				if strings.HasSuffix(lies, "tall") { // a block has more rows than a vector has lanes
					rows, columns, terms = 1000, 40, 20
				}
				k := product(typ, rows, columns, terms, lies, around)
				programs, err := d.Variants(t.Context(), k)
				if err != nil {
					t.Fatal(err)
				}
				blocks := 0
				for _, p := range programs {
					if s := p.Report().Schedule; strings.Contains(s, "chunk") && strings.Contains(s, "pack") && strings.Count(s, "unroll") == 1 {
						blocks++
					}
					b, at := filled(t, d, k)
					launch, err := p.Bind(b)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range []region.Region{{{Lo: 0, Hi: 60}, {Lo: 0, Hi: columns}}, {{Lo: 60, Hi: rows}, {Lo: 0, Hi: columns - 3}}, {{Lo: 60, Hi: rows}, {Lo: columns - 3, Hi: columns}}} {
						if err := launch(r); err != nil {
							t.Fatal(err)
						}
					}
					worst := 0.0
					for i := 0; i < rows; i += 1 + terms/1000 {
						for j := range columns {
							want := 0.0
							for m := range terms {
								x, y := at("x", i*terms+m), at("y", m*columns+j)
								if strings.HasPrefix(lies, "AtB") {
									x = at("x", m*rows+i)
								}
								if lies == "ABt" {
									y = at("y", j*terms+m)
								}
								if around {
									y *= y
								}
								want += x * y
							}
							if around {
								bias := at("bias", j)
								want = max(want+bias+math.Exp(bias*bias), 0)
							}
							worst = max(worst, math.Abs(want-at("out", i*columns+j)))
						}
					}
					if most := map[ir.DType]float64{ir.F32: 5e-4, ir.F64: 1e-12}[typ]; worst > most {
						t.Errorf("wrong by %g under %s", worst, p.Report().Schedule)
					}
				}
				if blocks == 0 {
					t.Error("no variant has a block of registers")
				}
				if first, whole := programs[0].Report().Schedule, fmt.Sprintf("split %d,", terms); strings.Contains(first, whole) != (terms < 1000) {
					t.Errorf("%d terms: %s", terms, first)
				}
			})
		}
	}
}

// Products whose terms end where a number in memory says, known when they are launched, are packed like others, whatever it says.
func TestProductsUntil(t *testing.T) {
	d := open(t, "")
	const rows, columns, terms = 83, 150, 3000
	b := ir.NewBuilder()
	until := &ir.Buffer{Name: "until", Type: ir.I32, Shape: []int{2}}
	x, y := &ir.Buffer{Name: "x", Type: ir.F64, Shape: []int{rows, terms}}, &ir.Buffer{Name: "y", Type: ir.F64, Shape: []int{columns, terms}}
	k := &ir.Kernel{Name: "until", Axes: []*ir.Node{b.Axis("i", rows), b.Axis("j", columns)}, Contract: true}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.Min(b.Load(until, b.I32(1)), b.I32(terms)), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(m *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(x, k.Axes[0], m), b.Load(y, k.Axes[1], m)))}, nil
	})
	out := &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{rows, columns}}
	k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: b.Add(sum[0], b.F64(1))}}
	programs, err := d.Variants(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if s := programs[0].Report().Schedule; !strings.Contains(s, "pack") || !strings.Contains(s, "split") {
		t.Errorf("not packed: %s", s)
	}
	for _, p := range programs {
		mem, at := filled(t, d, k)
		for _, n := range []int{0, 1, 150, 1500, terms, terms + 9} {
			*(*int32)(unsafe.Pointer(&mem.Mem[until].Host()[4])) = int32(n)
			launch, err := p.Bind(mem)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []region.Region{{{Lo: 0, Hi: 60}, {Lo: 0, Hi: columns}}, {{Lo: 60, Hi: rows}, {Lo: 0, Hi: columns}}} {
				if err := launch(r); err != nil {
					t.Fatal(err)
				}
			}
			for i := 0; i < rows; i += 7 {
				for j := 0; j < columns; j += 3 {
					want := 1.0
					for m := range min(n, terms) {
						want += at("x", i*terms+m) * at("y", j*terms+m)
					}
					if got := at("out", i*columns+j); math.Abs(got-want) > 1e-10 {
						t.Fatalf("%d terms: %g at %d, %d, want %g under %s", n, got, i, j, want, p.Report().Schedule)
					}
				}
			}
		}
	}
}
