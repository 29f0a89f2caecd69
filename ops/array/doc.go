// Package array holds the operators on arrays as such: arithmetic, functions, comparison, reductions, element types, and arrays made from nothing.
//
// Arrays combine by the names of their dimensions: the result has the dimensions of the first array in order, then those
// that only later arrays have. Dimensions of one name must agree in size, and in coordinates where both have them.
// Values are in coherent SI units, so units are a matter of types alone and nothing is scaled at run time.
package array

import (
	"slices"

	"weft/ops"
)

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return slices.Concat(
		elementwiseSpecs(arithmetic), elementwiseSpecs(comparisons), elementwiseSpecs(functions), elementwiseSpecs(elementary), elementwiseSpecs(bitwise),
		extremeSpecs(), reductionSpecs(), []*ops.Spec{dotSpec(), scatterSpec()}, levelSpecs(), scanSpecs(), quantileSpecs(),
		convertSpecs(), createSpecs(), literalSpecs(),
	)
}

// Headings under which operators are listed.
const (
	groupArithmetic = "arithmetic"
	groupCompare    = "comparison and choice"
	groupFunction   = "functions"
	groupReduce     = "reductions"
	groupLevel      = "signals"
	groupType       = "element types"
	groupCreate     = "making arrays"
)
