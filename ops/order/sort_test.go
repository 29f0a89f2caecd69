package order

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
)

var small = ops.ElemType{Base: ir.I16}

// Lines of one run, and of two that are merged (longer ones: cli/testdata/script/sort.txtar), along each of three dims, with equal elements and NaN, whatever is fused.
func TestSort(t *testing.T) {
	for _, s := range Specs() {
		name := s.Name
		for i, n := range []int{1, 2, 31, 64, 65} {
			for _, e := range []ops.ElemType{ops.Bool, small, ops.I32, ops.I64, ops.F32, ops.F64} {
				for at := range 3 {
					if n > 40 && (at != i%3 || e == small || e == ops.I64) {
						continue
					}
					t.Run(fmt.Sprint(name, n, e, at), func(t *testing.T) {
						dims := slices.Insert(optest.Dims("y", 2, "z", 2), at, ops.Dim{Name: "x", Size: n})
						a := optest.NewArgs()
						a.Seed, a.NaN = uint64(n), 0.1*float64(at%2)
						a.Array("a", ops.Type{Elem: e, Dims: dims})
						a.Values["along"] = ops.Symbol("x")
						if d := a.Data["a"]; e.Base.Float() && at > 0 {
							for k := range d.Re { // few values, so that many are equal
								d.Re[k] = math.Round(3 * d.Re[k])
							}
						}
						a.Check(t, s)
					})
				}
			}
		}
	}
}
