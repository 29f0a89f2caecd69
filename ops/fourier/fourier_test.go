package fourier

import (
	"fmt"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

// Every transform of every kind of extent, along each of three dims, against the sum that defines it.
func TestTransforms(t *testing.T) {
	for _, s := range Specs() {
		for _, n := range []int{1, 2, 3, 8, 35, 37, 96, 331} {
			for _, e := range []ops.ElemType{ops.F32, ops.F64, ops.C64, ops.I32} {
				for at := range 3 {
					if s.Name == "rfft" && e.Complex || n > 90 && (at != 1 || e != ops.C64 && !(s.Name == "rfft" && e == ops.F32)) {
						continue
					}
					t.Run(fmt.Sprint(s.Name, n, e, at), func(t *testing.T) {
						dims := slices.Insert(optest.Dims("y", 2, "z", 3), at, ops.Dim{Name: "x", Size: n})
						args := optest.NewArgs()
						args.Array("a", ops.Type{Elem: e, Dims: dims})
						args.Values["along"] = ops.Symbol("x")
						args.Check(t, s)
					})
				}
			}
		}
	}
}

func TestFactors(t *testing.T) {
	for n, want := range map[int][]int{1: {1}, 7: {7}, 32: {32}, 64: {32, 2}, 1024: {32, 32}, 37 * 4: {4, 37}, 1091: {1091}} {
		if got := factorsOf(n); !slices.Equal(got, want) {
			t.Errorf("%d is %v, not %v", n, got, want)
		}
	}
}
