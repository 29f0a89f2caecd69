package linear

import (
	"fmt"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

// Systems of every size and type, with rows that must change places and dims in any order, against elimination above and below.
func TestSmallSystems(t *testing.T) {
	named := func(name string) *ops.Spec { return optest.Named(t, smallSpecs(), name) }
	for _, n := range []int{1, 2, 3, 5, 8, 15} {
		for _, e := range []ops.ElemType{ops.F32, ops.F64, ops.I32} {
			t.Run(fmt.Sprint(n, e), func(t *testing.T) {
				a := ops.Type{Elem: e, Dims: optest.Dims("q", n, "k", 3, "p", n)}
				b := ops.Type{Elem: ops.F32, Dims: optest.Dims("p", n, "k", 3, "m", 2)}
				call := optest.Call(named("solve"), map[string]ops.Value{"a": optest.Array(a), "b": optest.Array(b), "rows": ops.Symbol("p"), "columns": ops.Symbol("q")})
				in := map[string]ops.Dense{"a": optest.Random(a, uint64(n), 0), "b": optest.Random(b, 7, 0)}
				for i, at := range ops.Indices(a.Shape()) { // far from singular, and with the largest elements off the diagonal
					if (at[0]+1)%n == at[2] {
						in["a"].Re[i] += 40
					}
				}
				if n <= mostPermuting {
					optest.Check(t, call, in)
				}
				if e == ops.I32 {
					return
				}
				root := optest.Call(named("cholesky"), map[string]ops.Value{"a": optest.Array(a), "rows": ops.Symbol("p"), "columns": ops.Symbol("q")})
				for i, at := range ops.Indices(a.Shape()) {
					if in["a"].Re[i] = 1 / float64(1+at[0]+at[2]+at[1]); at[0] == at[2] {
						in["a"].Re[i] += 2
					} else if at[0] > at[2] { // the lower triangle alone counts
						in["a"].Re[i] = 99
					}
				}
				optest.Check(t, root, in)
				for _, spec := range []*ops.Spec{named("solve"), named("marginal")} {
					optest.Check(t, optest.Call(spec, map[string]ops.Value{"a": optest.Array(a), "b": optest.Array(b), "rows": ops.Symbol("p"),
						"columns": ops.Symbol("q"), "symmetric": ops.Flag(true)}), in)
				}
				for _, side := range []string{"lower", "upper"} {
					optest.Check(t, optest.Call(named("solve"), map[string]ops.Value{"a": optest.Array(a), "b": optest.Array(b), "rows": ops.Symbol("p"),
						"columns": ops.Symbol("q"), "triangle": ops.Symbol(side)}), in)
				}
			})
		}
	}
}
