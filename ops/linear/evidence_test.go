package linear

import (
	"fmt"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

// Data and curves with dims in any order, points that are no multiple of a block, in both types; moments say all of lines.
func TestEvidence(t *testing.T) {
	for _, base := range []ops.ElemType{ops.F32, ops.F64} {
		for _, of := range []struct{ points, terms, block int }{{1, 1, 1}, {70, 2, 1}, {130, 5, 1}, {64, 2, 8}, {61, 2, 8}} {
			t.Run(fmt.Sprint(base, of), func(t *testing.T) {
				data := ops.Type{Elem: base, Dims: optest.Dims("object", 3, "p", of.points)}
				curve := ops.Type{Elem: base, Dims: optest.Dims("p", of.points, "v", 2, "object", 3)}
				terms := ops.Type{Elem: ops.F64, Dims: optest.Dims("p", of.points, "k", of.terms)}
				call := optest.Call(evidenceSpec, map[string]ops.Value{"data": optest.Array(data), "curve": optest.Array(curve), "terms": optest.Array(terms),
					"along": ops.Symbol("p"), "term": ops.Symbol("k"), "block": ops.Integer(of.block)})
				in := map[string]ops.Dense{"data": optest.Random(data, 1, 0), "curve": optest.Random(curve, 2, 0), "terms": optest.Random(terms, 3, 0)}
				for i, at := range ops.Indices(terms.Shape()) {
					if u := float64(at[0]) / float64(of.points); of.block > 1 {
						in["terms"].Re[i] = 1 + float64(at[1])*u
					}
				}
				optest.Check(t, call, in)
				for i := range in["terms"].Re { // of small terms and a large curve: the sums are the same
					in["terms"].Re[i] *= 0x1p-56
				}
				for i := range in["curve"].Re {
					in["curve"].Re[i] *= 0x1p56
				}
				optest.Check(t, call, in)
			})
		}
	}
}
