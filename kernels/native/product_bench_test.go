//go:build unix

package native

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

var (
	productSize     = flag.Int("rows", 1000, "rows of the matrices of BenchmarkProduct")
	productSchedule = flag.String("schedule", "", "YAML of the schedule of BenchmarkProduct, in place of the rule's")
	productTile     = flag.Int("tile", 0, "rows of a launch of BenchmarkProduct")
)

// BenchmarkProduct is the product of two matrices, each as it lies or transposed, on one thread.
func BenchmarkProduct(b *testing.B) {
	for _, t := range []ir.DType{ir.F32, ir.F64} {
		for _, lies := range []string{"AB", "AtB", "ABt", "around"} {
			b.Run(fmt.Sprint(t, "/", lies), func(b *testing.B) {
				d, n := open(b, ""), *productSize
				k := product(t, n, n, n, lies, lies == "around")
				s := schedule.Default(k, d.target)
				if *productSchedule != "" {
					s = schedule.CPU{}
					if err := yaml.Unmarshal([]byte(*productSchedule), &s); err != nil {
						b.Fatal(err)
					}
				}
				v, err := d.render(k, s, c.Way{})
				if err != nil {
					b.Fatal(err)
				}
				if err := d.build(b.Context(), []*variant{v}, nil); err != nil {
					b.Fatal(err)
				}
				mem, _ := filled(b, d, k)
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
