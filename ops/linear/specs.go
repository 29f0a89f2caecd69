// Package linear has the operators of linear algebra that are algorithms: over products, or of many elements at once.
package linear

import (
	"slices"

	"weft/ops"
)

// Specs are the operators of this package.
func Specs() []*ops.Spec {
	return slices.Concat(smallSpecs(), structureSpecs(), []*ops.Spec{svd, newton, evidenceSpec})
}
