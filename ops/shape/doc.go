// Package shape holds the operators that move elements and compute nothing: slices, transposes, reshapes and joins.
package shape

import (
	"slices"

	"weft/ops"
)

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return slices.Concat(sliceSpecs(), shapeSpecs(), joinSpecs(), []*ops.Spec{blockSpec()})
}

const groupShape = "shape and selection" // the heading under which operators are listed
