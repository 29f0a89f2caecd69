//go:build unix

package native

import (
	"flag"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"gopkg.in/yaml.v3"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

var (
	productSize     = flag.Int("rows", 1000, "rows of the matrices of BenchmarkProduct")
	productSchedule = flag.String("schedule", "", "YAML of the schedule of BenchmarkProduct, in place of the rule's")
	productTile     = flag.Int("tile", 0, "rows of a launch of BenchmarkProduct")
)

// product is a kernel that multiplies matrices, of which the first or the second may lie transposed.
func product(t ir.DType, n int, first, second bool) *ir.Kernel {
	b := ir.NewBuilder()
	matrix := func(name string) *ir.Buffer { return &ir.Buffer{Name: name, Type: t, Shape: []int{n, n}} }
	k := &ir.Kernel{Name: "product", Axes: []*ir.Node{b.Axis("i", n), b.Axis("j", n)}, Contract: true}
	at := func(buf *ir.Buffer, i, j *ir.Node, transposed bool) *ir.Node {
		if transposed {
			i, j = j, i
		}
		return b.Load(buf, i, j)
	}
	x, y := matrix("x"), matrix("y")
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(m *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Mul(at(x, k.Axes[0], m, first), at(y, m, k.Axes[1], second))))}, nil
	})
	k.Stores = []ir.Store{{Buf: matrix("out"), Index: k.Axes, Value: b.Cast(t, sum[0])}}
	return k
}

// BenchmarkProduct is the product of two matrices, each as it lies or transposed, on one thread.
func BenchmarkProduct(b *testing.B) {
	for _, t := range []ir.DType{ir.F32, ir.F64} {
		for _, lies := range []string{"AB", "AtB", "ABt"} {
			b.Run(fmt.Sprint(t, "/", lies), func(b *testing.B) {
				d, n := open(b, ""), *productSize
				k := product(t, n, lies == "AtB", lies == "ABt")
				s := schedule.Default(k, d.target)
				if *productSchedule != "" {
					s = schedule.CPU{}
					if err := yaml.Unmarshal([]byte(*productSchedule), &s); err != nil {
						b.Fatal(err)
					}
				}
				v, err := d.render(k, s)
				if err != nil {
					b.Fatal(err)
				}
				if err := d.build(b.Context(), []*variant{v}); err != nil {
					b.Fatal(err)
				}
				mem := device.Bindings{Mem: map[*ir.Buffer]device.Memory{}}
				for _, buf := range v.out.Bufs {
					m, err := d.Alloc(buf)
					if err != nil {
						b.Fatal(err)
					}
					mem.Mem[buf] = m
					h := m.Host()
					for i := range int(buf.Bytes()) / buf.Type.Size() {
						x := float64(i*7919%1013)/1013 - 0.5
						if t == ir.F32 {
							*(*float32)(unsafe.Pointer(&h[4*i])) = float32(x)
						} else {
							*(*float64)(unsafe.Pointer(&h[8*i])) = x
						}
					}
				}
				c, err := newCall(v, mem)
				if err != nil {
					b.Fatal(err)
				}
				rows := *productTile
				if rows == 0 {
					rows = n
				}
				b.ResetTimer()
				before, best := processTime(b), time.Hour
				for b.Loop() {
					start := processTime(b)
					for lo := 0; lo < n; lo += rows {
						if err := c.launch(region.Region{{Lo: lo, Hi: min(n, lo+rows)}, {Lo: 0, Hi: n}}); err != nil {
							b.Fatal(err)
						}
					}
					best = min(best, processTime(b)-start)
				}
				flop := 2 * float64(n) * float64(n) * float64(n)
				b.ReportMetric(flop*float64(b.N)/(processTime(b)-before).Seconds()/1e9, "GF/cpu-s")
				b.ReportMetric(flop/best.Seconds()/1e9, "GF/best")
				b.Log(s.Text(k))
			})
		}
	}
}

